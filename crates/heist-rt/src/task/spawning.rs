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
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Handle::current_or_global().spawn(future)
}

/// Runs a closure that blocks, on a thread made for that; see [`Handle::spawn_blocking`].
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    Handle::current_or_global().spawn_blocking(f)
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
