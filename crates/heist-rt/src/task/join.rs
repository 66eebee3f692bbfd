//! [`JoinHandle`]: how one learns what became of a task.

use super::{
    Id,
    cell::{Joiner, Ref},
};
use crate::context;
use std::{
    any::Any,
    error::Error,
    fmt,
    future::Future,
    io,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
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

    /// Another handle that can abort the task, and does not wait for it.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle { task: self.task().clone() }
    }
}

impl<T> Unpin for JoinHandle<T> {}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    /// # Panics
    /// If the output has been given already.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if !context::spend() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.joiner.poll(cx.waker())
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

/// Why a task has no output: it panicked, or was cancelled.
pub struct JoinError {
    id: Id,
    reason: Reason,
}

enum Reason {
    Cancelled,
    /// In a lock, since it may be looked at from several threads and need not be made for that.
    Panic(Mutex<Box<dyn Any + Send>>),
}

impl JoinError {
    pub(crate) fn cancelled(id: Id) -> Self {
        JoinError { id, reason: Reason::Cancelled }
    }

    pub(crate) fn panic(id: Id, payload: Box<dyn Any + Send>) -> Self {
        JoinError { id, reason: Reason::Panic(Mutex::new(payload)) }
    }

    /// Whether the task was aborted, or its runtime has ended.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.reason, Reason::Cancelled)
    }

    /// Whether the task panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.reason, Reason::Panic(_))
    }

    /// What the task panicked with.
    ///
    /// # Panics
    /// If it was cancelled.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        self.try_into_panic().expect("heist: the task did not panic, it was cancelled")
    }

    /// What the task panicked with; the error itself if it was cancelled.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send>, JoinError> {
        match self.reason {
            Reason::Panic(payload) => Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Reason::Cancelled => Err(self),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The panic's text, if it has one.
    fn with_text<R>(&self, f: impl FnOnce(Option<&str>) -> R) -> R {
        let Reason::Panic(payload) = &self.reason else { return f(None) };
        let payload = payload.lock().unwrap_or_else(PoisonError::into_inner);
        f(payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied()))
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cancelled() {
            return write!(f, "task {} was cancelled", self.id);
        }
        self.with_text(|text| match text {
            Some(text) => write!(f, "task {} panicked with message {text:?}", self.id),
            None => write!(f, "task {} panicked", self.id),
        })
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cancelled() {
            return write!(f, "JoinError::Cancelled({:?})", self.id);
        }
        self.with_text(|text| match text {
            Some(text) => write!(f, "JoinError::Panic({:?}, {text:?}, ...)", self.id),
            None => write!(f, "JoinError::Panic({:?}, ...)", self.id),
        })
    }
}

impl Error for JoinError {}

impl From<JoinError> for io::Error {
    fn from(error: JoinError) -> Self {
        let text = if error.is_cancelled() { "task was cancelled" } else { "task panicked" };
        io::Error::other(text)
    }
}
