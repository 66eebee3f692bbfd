//! What lets a timer be added without a lock in common with the thread that waits for the timers.
//!
//! One thread, at the driver, sleeps until the earliest expiry that it knows of. Another one adds a timer
//! that is due before that. It must wake the sleeper, but asking the system for it is dear, and mostly in
//! vain: nobody is asleep there, or not for that long. So the sleeper says here until when it sleeps.
//!
//! Each side writes, passes a fence, and reads what the other one writes. Fences are totally ordered:
//! whoever is second sees what the first has written.
//!
//! # Invariants
//! I1 [`waits_until`](Alarm) is [`NOBODY`] while no thread sleeps, or none is about to.
//! I2 Whoever adds a timer publishes its expiry before [`Alarm::must_ring`]. The sleeper reads what is
//!    published after it has announced itself.
//! I3 A sleeper that has not seen an expiry sooner than its own is woken by the one who published it, or by
//!    one who published a sooner one: only who lowers `waits_until` rings, and it was lowered already.

use crate::sync::{AtomicU64, Ordering, fence};

/// Nobody sleeps. No expiry is so early: it would be over.
const NOBODY: u64 = 0;

/// The expiry of nothing.
pub(super) const NEVER: u64 = u64::MAX;

/// Until when the thread at the driver sleeps.
#[derive(Debug)]
pub(super) struct Alarm {
    waits_until: AtomicU64,
}

impl Alarm {
    pub(super) fn new() -> Self {
        Alarm { waits_until: AtomicU64::new(NOBODY) }
    }

    /// The caller is about to sleep until what `earliest` says, which it reads from what is published.
    pub(super) fn set(&self, earliest: impl FnOnce() -> u64) -> u64 {
        // Whatever is published from here on rings.
        self.waits_until.store(NEVER, Ordering::Relaxed);
        // ORDERING: pairs with the fence in `must_ring`. Without it we may read an old expiry while the other
        // one reads `NOBODY` (model `a_sooner_timer_wakes_the_sleeper`).
        fence(Ordering::SeqCst);
        let until = earliest();
        self.waits_until.store(until.max(NOBODY + 1), Ordering::Relaxed);
        until
    }

    /// The caller sleeps no more.
    pub(super) fn clear(&self) {
        self.waits_until.store(NOBODY, Ordering::Relaxed);
    }

    /// After an expiry was published: whether the sleeper has to be woken for it, by the caller.
    #[must_use]
    pub(super) fn must_ring(&self, expiry: u64) -> bool {
        // ORDERING: pairs with the fence in `set`.
        fence(Ordering::SeqCst);
        // The load spares the others' cache line when there is nothing to do. Nobody is woken by `NOBODY`,
        // which is less than everything.
        self.waits_until.load(Ordering::Relaxed) > expiry
            && self.waits_until.fetch_min(expiry, Ordering::Relaxed) > expiry
    }
}
