//! Async tasks on heist's work-stealing workers: futures and fork-join on one pool.
//!
//! Names and semantics are Tokio's where Tokio has the thing, so that programs can change over. Most users
//! depend on the crate `heist`, which re-exports all of this.
//!
//! ```
//! let sum = heist_rt::block_on(async {
//!     // A task, on a worker...
//!     let task = heist_rt::task::spawn(async {
//!         // ...that may use the other workers.
//!         heist_core::join(|| 1 + 1, || 2 + 2)
//!     });
//!     let (a, b) = task.await.unwrap();
//!     a + b
//! });
//! assert_eq!(sum, 6);
//! ```
//!
//! # How it works
//! There is no scheduler here: the loop is that of [`heist_core`], which knows tasks as something that only a
//! worker at the top of its loop may run. This crate gives them a body (one allocation, one word of
//! [state](task)), a [runtime] that they end with, [sockets](net) to wait for, and threads for what blocks,
//! which [files](fs) are read on.

#![deny(missing_docs)]
// Models check a task's memory and state, the alarm, and a socket's readiness; the rest is not compiled for
// them.
#![cfg_attr(heist_loom, allow(dead_code, unused_imports))]

#[cfg(not(heist_loom))]
mod block_on;
#[cfg(not(heist_loom))]
mod blocking;
#[cfg(doctest)]
mod compile_fail;
#[cfg(not(heist_loom))]
mod context;
#[cfg(not(heist_loom))]
mod driver;
#[cfg(not(heist_loom))]
pub mod fs;
#[cfg(all(feature = "hyper", not(heist_loom)))]
pub mod hyper;
#[cfg(not(heist_loom))]
pub mod io;
#[cfg(not(heist_loom))]
pub mod net;
#[cfg(all(unix, not(heist_loom)))]
pub mod process;
mod readiness;
#[cfg(not(heist_loom))]
pub mod runtime;
#[cfg(all(unix, not(heist_loom)))]
pub mod signal;
mod sync;
pub mod task;
pub mod time;

#[cfg(not(heist_loom))]
pub use block_on::block_on_here as block_on;
