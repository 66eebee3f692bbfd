//! The only file that names an implementation of atomics, cells and locks.
//!
//! Under `--cfg heist_loom` the names below are loom's, so the models check the very code that ships.

#[cfg(not(heist_loom))]
pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize, Ordering, fence},
};

/// A counter in a static. Not of loom's, which cannot be: what is counted with it is not modelled.
pub(crate) use std::sync::atomic::AtomicU64 as StaticCounter;

#[cfg(heist_loom)]
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, AtomicUsize, Ordering, fence},
    },
};

/// What only models need.
#[cfg(all(test, heist_loom))]
pub(crate) use loom::{model, model::Builder as ModelBuilder, sync::Condvar, thread};

/// A cell whose accesses loom can watch: the same interface as loom's.
#[cfg(not(heist_loom))]
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(heist_loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}
