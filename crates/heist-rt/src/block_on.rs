//! [`block_on`]: a future on a thread that has nothing else to do.

use crate::{
    context,
    runtime::Handle,
    sync::{Arc, AtomicUsize, Ordering},
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
    /// One if it was woken since it last looked. Not the thread's own token, which the future may use up.
    woken: AtomicUsize,
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.woken.swap(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
    }
}

impl Parker {
    fn park(&self) {
        while self.woken.swap(0, Ordering::AcqRel) == 0 {
            thread::park();
        }
    }
}

/// Polls the future until it is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let parker = Arc::new(Parker { thread: thread::current(), woken: AtomicUsize::new(0) });
    let waker = Waker::from(parker.clone());
    let mut future = pin!(future);
    loop {
        match context::with_budget(true, || future.as_mut().poll(&mut Context::from_waker(&waker))) {
            Poll::Ready(output) => return output,
            Poll::Pending => parker.park(),
        }
    }
}
