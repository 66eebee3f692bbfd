//! Under loom: its `Notify` in place of a futex, plain fences in place of `membarrier`.

use crate::sync::{AtomicU32, Notify, Ordering};

/// A word that threads can block on.
#[derive(Debug)]
pub(crate) struct WaitWord {
    word: AtomicU32,
    changed: Notify,
}

impl Default for WaitWord {
    fn default() -> Self {
        Self::new(0)
    }
}

impl WaitWord {
    pub(crate) fn new(value: u32) -> Self {
        WaitWord { word: AtomicU32::new(value), changed: Notify::new() }
    }

    pub(crate) fn swap(&self, value: u32) -> u32 {
        self.word.swap(value, Ordering::AcqRel)
    }

    pub(crate) fn replace(&self, current: u32, new: u32) -> bool {
        self.word.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    pub(crate) fn wait_while(&self, value: u32) {
        while self.word.load(Ordering::Acquire) == value {
            self.changed.wait();
        }
    }

    pub(crate) unsafe fn set_and_wake(this: *const Self, value: u32, asleep: u32) -> u32 {
        // SAFETY: models free it only after the setter's thread has ended.
        let this = unsafe { &*this };
        let old = this.word.swap(value, Ordering::AcqRel);
        if old == asleep {
            this.changed.notify();
        }
        old
    }
}

pub(crate) use super::portable::barrier;
