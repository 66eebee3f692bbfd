//! Linux: futexes, and `membarrier` for the sleeper's side of the asymmetric fence.

use crate::sync::{AtomicU32, Ordering};

/// A word that threads can block on. See [`WaitWord::set_and_wake`] for who may free it.
#[derive(Debug, Default)]
pub(crate) struct WaitWord {
    word: AtomicU32,
}

impl WaitWord {
    pub(crate) fn new(value: u32) -> Self {
        WaitWord { word: AtomicU32::new(value) }
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
        while self.load() == value {
            // SAFETY: the word is valid for the length of the call; a spurious return is looped over.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.word.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    value,
                    std::ptr::null::<libc::timespec>(),
                );
            }
        }
    }

    /// Changes the word to `value` and wakes the thread that blocks on it, if one does. Says what it was.
    ///
    /// `asleep` is the value that a blocked thread leaves in the word: only then is the kernel asked.
    ///
    /// # Safety
    /// `this` is valid until the word changes. From then on it may be freed: the kernel is given an address,
    /// and waking an address on which nobody waits does nothing.
    pub(crate) unsafe fn set_and_wake(this: *const Self, value: u32, asleep: u32) -> u32 {
        // SAFETY: valid until the swap, as the caller promises.
        let (address, old) = unsafe { ((*this).word.as_ptr(), (*this).word.swap(value, Ordering::AcqRel)) };
        if old == asleep {
            // SAFETY: FUTEX_WAKE does not read the address, and an unmapped one gives an error that says "no
            // waiter".
            unsafe {
                libc::syscall(libc::SYS_futex, address, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1);
            }
        }
        old
    }
}

/// An asymmetric fence: [`light`](barrier::light) on the side that runs often, [`heavy`](barrier::heavy) on
/// the other. Between a store and a load on both sides they act as two `SeqCst` fences.
pub(crate) mod barrier {
    use crate::sync::{AtomicU32, Ordering, compiler_fence, fence};

    /// From linux/membarrier.h; libc does not name them on every target.
    const REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;
    const PRIVATE_EXPEDITED: i32 = 1 << 3;

    fn membarrier(command: i32) -> bool {
        // SAFETY: takes no pointers.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    /// Whether [`light`] is enough. If not (a kernel before 4.14, a seccomp filter), the pushing side has to
    /// use a real fence.
    pub(crate) fn light_is_enough() -> bool {
        const UNKNOWN: u32 = 0;
        const NO: u32 = 1;
        const YES: u32 = 2;
        static ENOUGH: AtomicU32 = AtomicU32::new(UNKNOWN);
        // Not a `OnceLock`: the child of a fork would wait for a thread that is not there. To ask twice is
        // harmless, and the answer the same.
        if ENOUGH.load(Ordering::Relaxed) == UNKNOWN {
            let enough = membarrier(REGISTER_PRIVATE_EXPEDITED);
            ENOUGH.store(if enough { YES } else { NO }, Ordering::Relaxed);
        }
        ENOUGH.load(Ordering::Relaxed) == YES
    }

    /// Keeps the compiler from reordering; the processor is dealt with by [`heavy`].
    #[inline(always)]
    pub(crate) fn light() {
        compiler_fence(Ordering::SeqCst);
    }

    /// A full fence on every core that runs a thread of this process.
    pub(crate) fn heavy() {
        fence(Ordering::SeqCst);
        if light_is_enough() && !membarrier(PRIVATE_EXPEDITED) {
            // It was registered, so a filter for system calls came later. Pushers rely on it, and frames
            // below us are in use by others: there is nothing to go back to.
            eprintln!("heist: membarrier worked when the pool was built and does not any more");
            std::process::abort();
        }
    }
}
