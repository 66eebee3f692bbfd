//! Tasks: futures that run by themselves, on the workers of a runtime.
//!
//! | file | what is there |
//! |---|---|
//! | `state` | one word per task, and all that may happen to it |
//! | `cell` | the task's memory: polling, completing, wakers |
//! | `join`, `error` | how one learns what became of it |
//! | `owned` | the tasks that a runtime has to end when it does |
//! | `join_set` | many tasks, in the order in which they complete |
//! | `local` | tasks that stay on one thread |
//! | `offload` | closures that compute for long, as jobs |

mod cell;
mod error;
mod id;
#[cfg(all(test, heist_loom))]
mod model;
mod state;

#[cfg(not(heist_loom))]
mod join;
#[cfg(not(heist_loom))]
mod join_set;
#[cfg(not(heist_loom))]
mod local;
#[cfg(not(heist_loom))]
mod offload;
#[cfg(not(heist_loom))]
mod owned;
#[cfg(not(heist_loom))]
mod spawning;
#[cfg(not(heist_loom))]
mod yielding;

pub(crate) use cell::{Ref, Scheduler};
pub use {error::JoinError, id::Id};

#[cfg(not(heist_loom))]
pub use {
    join::{AbortHandle, JoinHandle},
    join_set::JoinSet,
    local::{LocalEnterGuard, LocalSet, spawn_local},
    offload::{Offload, offload},
    spawning::{block_in_place, id, spawn, spawn_blocking, try_id},
    yielding::{consume_budget, unconstrained, yield_now},
};
#[cfg(not(heist_loom))]
pub(crate) use {offload::Offloaded, owned::Owned};
