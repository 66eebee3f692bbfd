//! How long an iteration will take, by how long the like of it took before.
//!
//! To wake a worker takes some microseconds. An iteration that is over by then should be a plain loop; one of
//! a few items that take long should be cut at once. The items do not tell which it is. But a closure has a
//! type of its own, so the types of producer and consumer tell one place in a program from another, and what
//! happened there before is a good guess.
//!
//! The guess may be wrong: who relies on it looks at a clock now and then, see [`drive`](super::drive).
//!
//! The times are kept in a table of fixed size, without locks. Two places that share an entry share their
//! guess; an update that is lost is made up for by the next.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
    time::Duration,
};

/// Up to so much work is better done at once by one than shared: about what it takes until a sleeper has
/// woken up and found it.
pub(super) const SHORT: Duration = Duration::from_micros(5);

/// Entries of the table.
const PLACES: usize = 1 << 10;

/// Nanoseconds per item, as the bits of an `f32`; zero if nothing is known.
static TABLE: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];

/// What is known about one place in a program.
#[derive(Clone, Copy)]
pub(super) struct Place(&'static AtomicU32);

impl Place {
    /// The place whose code is at this address.
    #[inline]
    pub(super) fn at(address: usize) -> Self {
        let mixed = address.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as usize);
        Place(&TABLE[mixed >> (usize::BITS - PLACES.ilog2())])
    }

    /// Whether so many items will probably be done within [`SHORT`].
    #[inline]
    pub(super) fn is_short(self, len: usize) -> bool {
        let per_item = f32::from_bits(self.0.load(Relaxed));
        per_item > 0.0 && per_item * len as f32 <= SHORT.as_nanos() as f32
    }

    /// So many items took so long. The guess follows at once if they took longer, else step by step: to share
    /// short work costs little, not to share long work costs much.
    pub(super) fn note(self, len: usize, time: Duration) {
        // More than nothing, which would mean that nothing is known.
        let latest = (time.as_nanos() as f32 / len.max(1) as f32).max(f32::MIN_POSITIVE);
        let known = f32::from_bits(self.0.load(Relaxed));
        let guess = if latest > known { latest } else { known - (known - latest) / 4.0 };
        self.0.store(guess.to_bits(), Relaxed);
    }
}

/// Whether some milliseconds have passed on this thread since it last asked, on a clock that costs next to
/// nothing to look at.
#[inline]
pub(super) fn time_has_passed() -> bool {
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    let now = heist_core::clock::coarse();
    LAST.replace(now) != now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_short_before_it_is_known() {
        assert!(!Place::at(0x1000).is_short(1));
    }

    #[test]
    fn what_was_short_is_short_again_as_far_as_there_is_no_more_of_it() {
        let place = Place::at(0x2000);
        place.note(100, Duration::from_nanos(100));
        assert!(place.is_short(1000));
        assert!(!place.is_short(100_000));
    }

    #[test]
    fn the_guess_rises_at_once_and_falls_slowly() {
        let place = Place::at(0x3000);
        place.note(10, Duration::from_nanos(10));
        place.note(10, Duration::from_millis(10));
        assert!(!place.is_short(10));
        place.note(10, Duration::from_nanos(10));
        assert!(!place.is_short(10));
        (0..100).for_each(|_| place.note(10, Duration::from_nanos(10)));
        assert!(place.is_short(10));
    }
}
