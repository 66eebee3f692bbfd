//! [`block_on`]: a future on a thread that has nothing else to do.

use crate::{
    context,
    runtime::Handle,
    sync::{Arc, AtomicUsize, Ordering},
    time::Activity,
};
use heist_core::task::{Attachment, Bell};
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Wake, Waker},
};

/// Runs a future on the current thread until it completes, in the current runtime, the global one outside of
/// any.
///
/// ```
/// assert_eq!(heist_rt::block_on(async { 6 * 7 }), 42);
/// ```
///
/// On a worker, see [`Handle::block_on`].
pub fn block_on_here<F: Future>(future: F) -> F::Output {
    Handle::current_or_global().block_on(future)
}

/// Wakes the thread that polls.
struct Ringer {
    bell: Bell,
    /// [`WOKEN`] if it was woken since it last looked.
    state: AtomicUsize,
    /// Counts the thread while it polls, and once more while it is woken.
    activity: Arc<Activity>,
}

const WOKEN: usize = 1;
/// It will never look again.
const OVER: usize = 2;

impl Wake for Ringer {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.fetch_or(WOKEN, Ordering::AcqRel) == 0 {
            self.activity.begin();
            self.bell.ring();
        }
    }
}

impl Ringer {
    /// It is counted by the one who wakes it, from then on.
    fn wait(&self) {
        self.activity.end();
        while self.state.swap(0, Ordering::AcqRel) == 0 {
            self.bell.wait();
        }
    }
}

/// The end of a `block_on`, be it by a panic.
struct Leave<'a>(&'a Ringer);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let Ringer { state, activity, .. } = self.0;
        if state.swap(OVER, Ordering::AcqRel) == WOKEN {
            activity.end();
        }
        activity.end();
    }
}

/// Polls the future until it is ready.
pub(crate) fn block_on<F: Future>(future: F, activity: &Arc<Activity>, attachment: &Attachment) -> F::Output {
    activity.begin();
    let (bell, state) = (Bell::for_this_thread(), AtomicUsize::new(0));
    let ringer = Arc::new(Ringer { bell, state, activity: activity.clone() });
    let _leave = Leave(&ringer);
    let waker = Waker::from(ringer.clone());
    let mut future = pin!(future);
    loop {
        match context::with_budget(true, || future.as_mut().poll(&mut Context::from_waker(&waker))) {
            Poll::Ready(output) => return output,
            Poll::Pending => attachment.wait(|| ringer.wait()),
        }
    }
}
