//! Starting tasks, and which one runs here.

use super::{Id, JoinHandle};
use crate::{context, runtime::Handle};
use std::future::Future;

/// Starts a task on the current runtime, on the [global one](crate::runtime::Handle::global) outside of any.
///
/// It runs whether its handle is awaited or not, until it completes, is aborted, or its runtime ends.
///
/// ```
/// # heist_rt::block_on(async {
/// let task = heist_rt::task::spawn(async { "done" });
/// assert_eq!(task.await.unwrap(), "done");
/// # });
/// ```
///
/// # Panics
/// A panic in the task ends that task, and reaches whoever awaits its handle as a
/// [`JoinError`](super::JoinError).
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Handle::current_or_global().spawn(future)
}

/// Runs a closure that blocks, on a thread made for that; see [`Handle::spawn_blocking`].
#[track_caller]
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    Handle::current_or_global().spawn_blocking(f)
}

/// Calls a closure that blocks, or computes for long, on this very thread.
///
/// Its worker is not at its post meanwhile. Tasks that wait there are taken by others; and if all workers are
/// away, a spare thread runs tasks until one is back. Other branches of the same task (`join!`, `select!`)
/// wait for the closure.
///
/// Outside of a worker it just calls the closure.
///
/// ```
/// # heist_rt::block_on(async {
/// let task = heist_rt::task::spawn(async {
///     heist_rt::task::block_in_place(|| std::thread::sleep(std::time::Duration::from_millis(1)));
///     "slept"
/// });
/// assert_eq!(task.await.unwrap(), "slept");
/// # });
/// ```
pub fn block_in_place<F, R>(f: F) -> R
where
    F: FnOnce() -> R,
{
    heist_core::task::block_in_place(|| context::with_budget(false, f))
}

/// The id of the task that runs this code.
///
/// # Panics
/// If no task does.
#[track_caller]
pub fn id() -> Id {
    try_id().expect("heist: task::id was called outside of a task")
}

/// The id of the task that runs this code, if one does.
pub fn try_id() -> Option<Id> {
    context::current_task()
}
