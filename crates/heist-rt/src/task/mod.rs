//! Tasks: futures that run by themselves, on the workers of a runtime.
//!
//! | file | what is there |
//! |---|---|
//! | `state` | one word per task, and all that may happen to it |
//! | `cell` | the task's memory: polling, completing, wakers |
//! | `join` | how one learns what became of it |
//! | `owned` | the tasks that a runtime has to end when it does |

mod cell;
mod join;
mod owned;
mod state;
mod yielding;

pub(crate) use cell::{Ref, Scheduler};
pub(crate) use owned::Owned;
pub use {
    join::{AbortHandle, JoinError, JoinHandle},
    yielding::{consume_budget, unconstrained, yield_now},
};

use crate::{
    context,
    runtime::Handle,
    sync::{AtomicU64, Ordering},
};
use std::{cell::Cell, fmt, future::Future};

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
/// A panic in the task ends that task, and reaches whoever awaits its handle as a [`JoinError`].
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

/// Names a task. No two tasks of a process have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

impl Id {
    /// A new one. Threads take them in blocks, so as not to meet at one counter with every task.
    pub(crate) fn next() -> Self {
        const BLOCK: u64 = 64;
        static NEXT_BLOCK: AtomicU64 = AtomicU64::new(1);
        thread_local! {
            /// The last one given, and how many are left.
            static BLOCK_HERE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
        }
        let (last, left) = BLOCK_HERE.get();
        let (number, left) = match left.checked_sub(1) {
            Some(left) => (last + 1, left),
            None => (NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * BLOCK, BLOCK - 1),
        };
        BLOCK_HERE.set((number, left));
        Id(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
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
