//! [`block_on`]: a future on a thread that has nothing else to do.

use crate::{
    context,
    runtime::Handle,
    sync::{Arc, AtomicUsize, Ordering},
    time::Activity,
};
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

/// Runs a future on the current thread until it completes, in the current runtime, the global one outside of
/// any.
///
/// ```
/// assert_eq!(heist_rt::block_on(async { 6 * 7 }), 42);
/// ```
///
/// # Panics
/// As [`Handle::block_on`].
#[track_caller]
pub fn block_on_here<F: Future>(future: F) -> F::Output {
    Handle::current_or_global().block_on(future)
}

/// Wakes the thread that polls.
struct Parker {
    thread: Thread,
    /// [`WOKEN`] if it was woken since it last looked. Not the thread's own token, which the future may use
    /// up.
    state: AtomicUsize,
    /// Counts the thread while it polls, and once more while it is woken.
    activity: Arc<Activity>,
}

const WOKEN: usize = 1;
/// It will never look again.
const OVER: usize = 2;

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.fetch_or(WOKEN, Ordering::AcqRel) == 0 {
            self.activity.begin();
            self.thread.unpark();
        }
    }
}

impl Parker {
    /// It is counted by the one who wakes it, from then on.
    fn park(&self) {
        self.activity.end();
        while self.state.swap(0, Ordering::AcqRel) == 0 {
            thread::park();
        }
    }
}

/// The end of a `block_on`, be it by a panic.
struct Leave<'a>(&'a Parker);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let Parker { state, activity, .. } = self.0;
        if state.swap(OVER, Ordering::AcqRel) == WOKEN {
            activity.end();
        }
        activity.end();
    }
}

/// Polls the future until it is ready.
pub(crate) fn block_on<F: Future>(future: F, activity: &Arc<Activity>) -> F::Output {
    activity.begin();
    let state = AtomicUsize::new(0);
    let parker = Arc::new(Parker { thread: thread::current(), state, activity: activity.clone() });
    let _leave = Leave(&parker);
    let waker = Waker::from(parker.clone());
    let mut future = pin!(future);
    loop {
        match context::with_budget(true, || future.as_mut().poll(&mut Context::from_waker(&waker))) {
            Poll::Ready(output) => return output,
            Poll::Pending => parker.park(),
        }
    }
}
