//! The only file that names an implementation of atomics, fences and blocking locks.
//!
//! Everything else says `use crate::sync::…`. Under `--cfg heist_loom` the names below are loom's, so the
//! models check the very code that ships.

#[cfg(not(heist_loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence},
    },
    thread::yield_now,
};

/// What only models need.
#[cfg(all(test, heist_loom))]
pub(crate) use loom::{cell, model, thread};

#[cfg(any(not(target_os = "linux"), test, heist_loom))]
pub(crate) use std::sync::{Condvar, Mutex};

#[cfg(heist_loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::{
        Arc, Notify,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
    thread::yield_now,
};

/// Reads an atomic that nobody else can see any more.
pub(crate) fn plain_load(word: &mut AtomicUsize) -> usize {
    #[cfg(not(heist_loom))]
    return *word.get_mut();
    #[cfg(heist_loom)]
    word.with_mut(|word| *word)
}
