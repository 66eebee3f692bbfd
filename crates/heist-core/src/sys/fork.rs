//! Whether this process was forked: threads do not survive a fork, so a pool of the parent is dead in the
//! child, and its users must hear of it instead of waiting for ever.

use crate::sync::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Another number in the child of every fork that happens after the first call.
#[cfg(unix)]
pub(crate) fn generation() -> u32 {
    use crate::sync::AtomicBool;

    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    // Not a `Once`: the child of a fork would wait for a thread that is not there. A handler that is
    // registered twice adds two.
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Relaxed) {
        // SAFETY: the handler is async-signal-safe: it touches one atomic. Without memory for the handler
        // the call fails and forks go unnoticed, which is what every other pool offers.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        REGISTERED.store(true, Ordering::Relaxed);
    }
    GENERATION.load(Ordering::Relaxed)
}

/// There is no fork here.
#[cfg(not(unix))]
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}
