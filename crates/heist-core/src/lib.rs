//! Work-stealing queues, workers, sleep, `join`, `scope` and `spawn`: the scheduler of heist.
//!
//! Names and semantics on the fork-join side are those of rayon-core, so that programs can change over. Most
//! users depend on the crate `heist`, which re-exports all of this.
//!
//! ```
//! fn fib(n: u64) -> u64 {
//!     if n < 2 {
//!         return n;
//!     }
//!     let (a, b) = heist_core::join(|| fib(n - 1), || fib(n - 2));
//!     a + b
//! }
//! assert_eq!(fib(20), 6765);
//! ```
//!
//! # How it works
//! Every worker thread owns a [deque](deque::chase_lev). [`join()`] pushes one half there and runs the other;
//! who has nothing to do steals the oldest half of somebody else. There is no central queue, except for [what
//! comes from outside](deque::injector), and workers without work sleep. The file `ARCHITECTURE.md` in the
//! repository follows a job from `join` to a thief and back.
//!
//! # Promises
//! - A job that was accepted runs exactly once.
//! - A runnable job and an idle worker never stay apart.
//! - An idle pool uses no CPU time.
//! - No call returns while a job that it started still runs, whatever panics in whatever destructor.

#![deny(missing_docs)]
// Models check sync, queues, latches and sleep, and those of a runtime its tasks; the rest is not compiled
// for them.
#![cfg_attr(heist_loom, allow(dead_code, unused_imports))]

pub mod deque;
mod job;
mod latch;
mod relief;
mod sleep;
mod sync;
mod sys;
pub mod trace;
mod unwind;

#[cfg(not(heist_loom))]
mod broadcast;
#[cfg(not(heist_loom))]
mod builder;
#[cfg(not(heist_loom))]
mod compat;
#[cfg(doctest)]
mod compile_fail;
#[cfg(not(heist_loom))]
mod join;
#[cfg(not(heist_loom))]
mod post;
#[cfg(not(heist_loom))]
mod registry;
#[cfg(not(heist_loom))]
mod rng;
#[cfg(not(heist_loom))]
mod scope;
#[cfg(not(heist_loom))]
mod spawn;
#[cfg(not(heist_loom))]
mod stats;
#[cfg(not(heist_loom))]
#[doc(hidden)]
pub mod task;
/// As much of it as a task's own models need.
#[cfg(heist_loom)]
#[doc(hidden)]
pub mod task {
    pub use crate::{
        job::{Header, Job as Task},
        unwind::{catch, discard},
    };
}
#[cfg(not(heist_loom))]
mod team;
#[cfg(not(heist_loom))]
mod thread_pool;
#[cfg(not(heist_loom))]
mod topology;
#[cfg(not(heist_loom))]
mod tuning;
#[cfg(not(heist_loom))]
mod worker;

#[cfg(not(heist_loom))]
#[doc(hidden)]
#[allow(deprecated)]
pub use compat::{Configuration, initialize};
#[cfg(not(heist_loom))]
#[doc(hidden)]
pub use sys::clock;
#[cfg(not(heist_loom))]
pub use {
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    builder::{ThreadPoolBuildError, ThreadPoolBuilder},
    join::{FnContext, join, join_context},
    registry::ThreadBuilder,
    scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo},
    spawn::{spawn, spawn_fifo},
    stats::{PoolStats, WorkerStats},
    thread_pool::{
        ThreadPool, Yield, current_num_threads, current_thread_has_pending_tasks, current_thread_index,
        max_num_threads, yield_local, yield_now,
    },
};
