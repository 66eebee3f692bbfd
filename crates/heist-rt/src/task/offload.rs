//! [`offload`]: a long computation, away from the worker that polls.

use super::{Id, JoinHandle, Ref, Scheduler};
use crate::{context, runtime::Handle};
use std::{
    future::Future,
    panic::resume_unwind,
    pin::Pin,
    task::{Context, Poll},
};

/// Runs a closure that computes for long as a job on the pool of the current runtime, the global one outside
/// of any; await the result.
///
/// The worker that polls the awaiting task goes on with other tasks meanwhile. `join`, scopes and parallel
/// iterators inside of the closure use whatever workers are idle. The closure should not block: for that
/// there is [`spawn_blocking`](super::spawn_blocking).
///
/// It is queued at once, whether it is awaited or not. Dropped before it has begun, the closure is never
/// called, and is dropped in its turn; dropped later, it runs to its end, and its result is dropped. A panic
/// of the closure's goes on in the awaiting task.
///
/// ```
/// # heist_rt::block_on(async {
/// let sum = heist_rt::task::offload(|| (1..=1_000_000_u64).sum::<u64>()).await;
/// assert_eq!(sum, 500_000_500_000);
/// # });
/// ```
///
/// # Panics
/// To await it panics, if the closure has; and if the runtime ends before it has begun.
#[track_caller]
pub fn offload<F, R>(f: F) -> Offload<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    Handle::current_or_global().offload(f)
}

/// The result of a closure that was [offloaded](offload), when it is there.
#[derive(Debug)]
#[must_use = "the closure may never be called if this is dropped"]
pub struct Offload<R> {
    handle: JoinHandle<R>,
}

impl<R> Offload<R> {
    pub(crate) fn new(handle: JoinHandle<R>) -> Self {
        Offload { handle }
    }
}

impl<R> Future for Offload<R> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<R> {
        Pin::new(&mut self.handle).poll(cx).map(|result| match result {
            Ok(result) => result,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => panic!("heist: the runtime has ended before an offloaded closure was called"),
        })
    }
}

impl<R> Drop for Offload<R> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

/// Where offloaded closures are queued: with the jobs.
pub(crate) struct Offloaded(pub(crate) Handle);

impl Scheduler for Offloaded {
    fn submit(&self, task: Ref) {
        // It waits for nothing, so it is woken by nobody but who cancels it; and that one finds it queued.
        self.0.submit_offload(task);
    }

    fn forget(&self, task: &Ref) {
        self.0.forget(task);
    }

    fn about_to_wake(&self) {
        heist_core::task::about_to_end();
    }

    fn enter(&self, task: Id) -> impl Sized {
        context::run(task, &self.0)
    }
}
