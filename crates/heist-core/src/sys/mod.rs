//! What differs between operating systems, each thing behind one name.
//!
//! - [`WaitWord`]: a word that threads can block on (a futex on Linux, a lock and a condition elsewhere)
//! - [`barrier`]: the two halves of an asymmetric fence
//! - [`clock`]: a number that grows every few milliseconds
//! - [`stack`]: how much stack the current thread has left
//! - [`fork`]: whether this process was forked
//! - [`mod@slice`]: how soon a thread that wakes up gets a core

#[cfg(all(target_os = "linux", not(heist_loom)))]
mod linux;
#[cfg(all(target_os = "linux", not(heist_loom)))]
pub(crate) use linux::{WaitWord, barrier};

// On Linux too for its tests.
#[cfg_attr(target_os = "linux", allow(dead_code))]
#[cfg(any(not(target_os = "linux"), test, heist_loom))]
mod portable;
#[cfg(all(not(target_os = "linux"), not(heist_loom)))]
pub(crate) use portable::{WaitWord, barrier};

#[cfg(heist_loom)]
mod model;
#[cfg(heist_loom)]
pub(crate) use model::{WaitWord, barrier};

#[cfg(not(heist_loom))]
pub mod clock;
#[cfg(not(heist_loom))]
pub(crate) mod fork;
#[cfg(not(heist_loom))]
pub(crate) mod slice;
#[cfg(not(heist_loom))]
pub(crate) mod stack;
