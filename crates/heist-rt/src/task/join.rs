//! [`JoinHandle`]: how one learns what became of a task.

use super::{
    Id, JoinError,
    cell::{Joiner, Ref},
};
use crate::context;
use std::{
    fmt,
    future::Future,
    panic::{RefUnwindSafe, UnwindSafe},
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// Waits for a task, by being awaited, and gives its output; made by [`spawn`](super::spawn).
///
/// To drop it detaches the task, which runs on.
///
/// ```
/// # heist_rt::block_on(async {
/// let answer = heist_rt::task::spawn(async { 6 * 7 });
/// assert_eq!(answer.await.unwrap(), 42);
/// # });
/// ```
pub struct JoinHandle<T> {
    joiner: Joiner<T>,
}

impl<T> JoinHandle<T> {
    pub(crate) fn new(joiner: Joiner<T>) -> Self {
        JoinHandle { joiner }
    }

    pub(crate) fn task(&self) -> &Ref {
        self.joiner.task()
    }

    /// Asks the task to end.
    ///
    /// Its future is dropped where it would be polled next, on a worker of the runtime; if it is being polled
    /// right now, when that poll returns. A task that completes first is not affected. A blocking task ends
    /// only if it has not begun.
    pub fn abort(&self) {
        self.task().cancel();
    }

    /// Whether the task has completed: run to its end, panicked, or been aborted.
    pub fn is_finished(&self) -> bool {
        self.task().is_complete()
    }

    /// The task's id.
    pub fn id(&self) -> Id {
        self.task().id()
    }

    /// Whether the task has completed, as [`is_finished`](Self::is_finished); if not, `waker` is called when
    /// it has.
    pub(crate) fn is_ready(&mut self, waker: &Waker) -> bool {
        self.joiner.is_ready(waker)
    }

    /// The output of a task that has completed.
    pub(crate) fn take_output(&mut self) -> Result<T, JoinError> {
        match self.joiner.poll(Waker::noop()) {
            Poll::Ready(output) => output,
            Poll::Pending => unreachable!("the task has completed"),
        }
    }

    /// Another handle that can abort the task, and does not wait for it.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle { task: self.task().clone() }
    }
}

impl<T> Unpin for JoinHandle<T> {}
impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    /// # Panics
    /// If the output has been given already.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        context::poll_with_budget(cx, |cx| self.joiner.poll(cx.waker()))
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("id", &self.id()).finish()
    }
}

/// Can abort a task, and ask whether it has ended; made by [`JoinHandle::abort_handle`].
#[derive(Clone)]
pub struct AbortHandle {
    task: Ref,
}

impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl AbortHandle {
    /// As [`JoinHandle::abort`].
    pub fn abort(&self) {
        self.task.cancel();
    }

    /// As [`JoinHandle::is_finished`].
    pub fn is_finished(&self) -> bool {
        self.task.is_complete()
    }

    /// The task's id.
    pub fn id(&self) -> Id {
        self.task.id()
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("id", &self.id()).finish()
    }
}
