//! How often this process was forked: threads do not survive a fork, so a pool of the parent is dead in the
//! child, and its users must hear of it instead of waiting for ever.

use crate::sync::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Grows by one in the child of every fork that happens after the first call.
#[cfg(unix)]
pub(crate) fn generation() -> u32 {
    use std::sync::Once;

    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    static REGISTER: Once = Once::new();
    REGISTER.call_once(|| {
        // SAFETY: the handler is async-signal-safe: it touches one atomic. Without memory for the handler
        // the call fails and forks go unnoticed, which is what every other pool offers.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
    GENERATION.load(Ordering::Relaxed)
}

/// There is no fork here.
#[cfg(not(unix))]
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}
