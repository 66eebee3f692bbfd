//! Any other system: a lock and a condition in place of a futex, plain fences in place of `membarrier`.

use crate::sync::{AtomicU32, Condvar, Mutex, Ordering};

/// A word that threads can block on. See [`WaitWord::set_and_wake`] for who may free it.
#[derive(Debug)]
pub(crate) struct WaitWord {
    word: AtomicU32,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Default for WaitWord {
    fn default() -> Self {
        Self::new(0)
    }
}

impl WaitWord {
    pub(crate) fn new(value: u32) -> Self {
        WaitWord { word: AtomicU32::new(value), lock: Mutex::new(()), changed: Condvar::new() }
    }

    pub(crate) fn load(&self) -> u32 {
        self.word.load(Ordering::Acquire)
    }

    /// Changes the word without waking anybody.
    pub(crate) fn swap(&self, value: u32) -> u32 {
        self.word.swap(value, Ordering::AcqRel)
    }

    /// Changes the word from `current` to `new` without waking anybody; says whether it did.
    pub(crate) fn replace(&self, current: u32, new: u32) -> bool {
        self.word.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Blocks until the word is something other than `value`.
    pub(crate) fn wait_while(&self, value: u32) {
        // Nothing but the unit is behind the lock, so a poisoned one is as good as any.
        let mut guard = self.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while self.load() == value {
            guard = self.changed.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Changes the word to `value` and wakes the thread that blocks on it, if one does. Says what it was.
    ///
    /// # Safety
    /// `this` is valid until the word changes *and* the lock is free again: a waiter that takes the lock once
    /// before it frees the word (as [`wait_while`](Self::wait_while) does) is safe.
    pub(crate) unsafe fn set_and_wake(this: *const Self, value: u32, _asleep: u32) -> u32 {
        // SAFETY: the waiter cannot return while we hold the lock.
        let this = unsafe { &*this };
        let _guard = this.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let old = this.word.swap(value, Ordering::AcqRel);
        this.changed.notify_one();
        old
    }
}

/// The fence without asymmetry: both sides pay.
pub(crate) mod barrier {
    use crate::sync::{Ordering, fence};

    /// Whether [`light`] needs no further fence on its side. Here it is one.
    pub(crate) fn light_is_enough() -> bool {
        true
    }

    /// A full fence.
    #[inline(always)]
    pub(crate) fn light() {
        fence(Ordering::SeqCst);
    }

    /// A full fence.
    pub(crate) fn heavy() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::sync::Arc;

    #[test]
    fn a_blocked_thread_is_woken_by_a_change() {
        let word = Arc::new(WaitWord::new(1));
        let waiter = {
            let word = word.clone();
            std::thread::spawn(move || {
                word.wait_while(1);
                word.swap(0)
            })
        };
        // SAFETY: we hold it.
        unsafe { WaitWord::set_and_wake(&raw const *word, 2, 1) };
        assert_eq!(waiter.join().unwrap(), 2);
    }
}
