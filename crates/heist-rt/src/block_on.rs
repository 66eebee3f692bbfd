//! [`block_on`]: a future on a thread that has nothing else to do.

use crate::{context, runtime::Handle, sync::Arc};
use heist_core::task::Bell;
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
struct Ringer(Bell);

impl Wake for Ringer {
    fn wake(self: Arc<Self>) {
        self.0.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.ring();
    }
}

/// Polls the future until it is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let ringer = Arc::new(Ringer(Bell::for_this_thread()));
    let waker = Waker::from(ringer.clone());
    let mut future = pin!(future);
    loop {
        match context::with_budget(true, || future.as_mut().poll(&mut Context::from_waker(&waker))) {
            Poll::Ready(output) => return output,
            Poll::Pending => ringer.0.wait(),
        }
    }
}
