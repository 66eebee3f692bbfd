//! How long an iteration will take, by how long the like of it took before.
//!
//! To wake a worker takes some microseconds. An iteration that is over by then should be a plain loop; one of
//! a few items that take long should be cut at once. The items do not tell which it is. But a closure has a
//! type of its own, so the types of producer and consumer tell one place in a program from another, and what
//! happened there before is a good guess.
//!
//! The guess may be wrong: who relies on it looks at a clock now and then, see [`drive`](super::drive).
//!
//! The times are kept in a table of fixed size, without locks. An entry belongs to the place that wrote it
//! last: two places that share one take it from each other, and both are cut, as if nothing were known. An
//! update that is lost is made up for by the next.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// Up to so much work is better done at once by one than shared: about what it takes until a sleeper has
/// woken up and found it.
pub(super) const SHORT: Duration = Duration::from_micros(5);

/// Entries of the table.
const PLACES: usize = 1 << 10;

/// Times a place must have been seen before there is a guess: once may have been chance.
const ENOUGH: u8 = 4;

/// Next to nothing is still as much as all the rest of a loop of a few items: so there are that many asks
/// without a look in between.
const UNSEEN: i32 = 3;

/// So many asks after one are told the same, if time has passed. Else, of places that are asked for in turn,
/// it might always be the same one that is told.
const TOLD: i32 = 7;

/// The bits of a tag.
const TAG: u32 = !0xFF;

/// [`Entry`]s as words; zero if nothing is known.
static TABLE: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

/// What is known about a place.
#[derive(Clone, Copy)]
struct Entry {
    /// Which of the places that share the entry: 24 bits, above those of `seen`.
    tag: u32,
    /// How often it was seen, up to [`ENOUGH`].
    seen: u8,
    /// Nanoseconds per item.
    per_item: f32,
}

impl Entry {
    fn from_word(word: u64) -> Self {
        let seen = (word >> 32) as u8;
        Entry { tag: (word >> 32) as u32 & TAG, seen, per_item: f32::from_bits(word as u32) }
    }

    fn to_word(self) -> u64 {
        u64::from(self.tag | u32::from(self.seen)) << 32 | u64::from(self.per_item.to_bits())
    }
}

/// One place in a program.
#[derive(Clone, Copy)]
pub(super) struct Place {
    entry: &'static AtomicU64,
    /// See [`Entry::tag`].
    tag: u32,
}

impl Place {
    /// The place whose code is at this address.
    #[inline]
    pub(super) fn at(address: usize) -> Self {
        let mixed = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let index = mixed >> (u64::BITS - PLACES.ilog2());
        Place { entry: &TABLE[index as usize], tag: (mixed >> 16) as u32 & TAG }
    }

    /// Whether so many items will probably be done within [`SHORT`].
    #[inline]
    pub(super) fn is_short(self, len: usize) -> bool {
        let word = self.entry.load(Relaxed);
        let trusted = (word >> 32) as u32 == self.tag | u32::from(ENOUGH);
        trusted && Entry::from_word(word).per_item * len as f32 <= SHORT.as_nanos() as f32
    }

    /// So many items took so long. The guess follows at once if they took longer, else step by step: to share
    /// short work costs little, not to share long work costs much.
    pub(super) fn note(self, len: usize, time: Duration) {
        let latest = time.as_nanos() as f32 / len.max(1) as f32;
        let known = Entry::from_word(self.entry.load(Relaxed));
        let (seen, per_item) = if known.tag != self.tag || known.seen == 0 {
            (1, latest)
        } else if latest > known.per_item {
            (ENOUGH.min(known.seen + 1), latest)
        } else {
            (ENOUGH.min(known.seen + 1), known.per_item - (known.per_item - latest) / 4.0)
        };
        self.entry.store(Entry { tag: self.tag, seen, per_item }.to_word(), Relaxed);
    }
}

thread_local! {
    /// Asks that are told no without a look; below zero, asks that are told yes.
    static ASKS: Cell<i32> = const { Cell::new(0) };
    /// What the clock said last.
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// Whether some milliseconds have passed on this thread since it last looked at a clock that costs next to
/// nothing to look at. Every few times, it does look.
#[inline]
pub(super) fn time_has_passed() -> bool {
    let asks = ASKS.get();
    if asks > 0 {
        ASKS.set(asks - 1);
        return false;
    }
    look(asks)
}

#[inline]
fn look(asks: i32) -> bool {
    if asks < 0 {
        ASKS.set(asks + 1);
        return true;
    }
    let now = heist_core::clock::coarse();
    let has_passed = LAST.replace(now) != now;
    ASKS.set(if has_passed { -TOLD } else { UNSEEN });
    has_passed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn nothing_is_short_before_it_is_known() {
        assert!(!Place::at(0x1000).is_short(1));
    }

    fn note(place: Place, len: usize, time: Duration, times: u8) {
        (0..times).for_each(|_| place.note(len, time));
    }

    #[test]
    fn once_is_not_enough() {
        let place = Place::at(0x4000);
        note(place, 100, Duration::from_nanos(100), ENOUGH - 1);
        assert!(!place.is_short(1));
        note(place, 100, Duration::from_nanos(100), 1);
        assert!(place.is_short(1));
    }

    #[test]
    fn places_that_share_an_entry_do_not_share_their_guess() {
        let place = Place::at(0x5000);
        let other = Place { tag: place.tag ^ 1 << 8, ..place };
        note(place, 100, Duration::from_nanos(100), ENOUGH);
        assert!(!other.is_short(1));
        note(other, 100, Duration::from_nanos(100), 1);
        assert!(!place.is_short(1));
        assert!(!other.is_short(1));
    }

    #[test]
    fn what_was_short_is_short_again_as_far_as_there_is_no_more_of_it() {
        let place = Place::at(0x2000);
        note(place, 100, Duration::from_nanos(100), ENOUGH);
        assert!(place.is_short(1000));
        assert!(!place.is_short(100_000));
    }

    #[test]
    fn of_places_that_take_turns_each_hears_that_time_has_passed() {
        for places in 1..=8 {
            let mut told = vec![false; places];
            let begin = Instant::now();
            for place in (0..places).cycle() {
                told[place] |= time_has_passed();
                if told.iter().all(|&told| told) {
                    break;
                }
                assert!(begin.elapsed() < Duration::from_secs(10), "{places} places: {told:?}");
            }
        }
    }

    #[test]
    fn while_time_stands_still_few_hear_that_it_has_passed() {
        let told = (0..10_000).filter(|_| time_has_passed()).count();
        assert!(told < 5_000, "{told}");
    }

    #[test]
    fn the_guess_rises_at_once_and_falls_slowly() {
        let place = Place::at(0x3000);
        note(place, 10, Duration::from_nanos(10), ENOUGH);
        note(place, 10, Duration::from_millis(10), 1);
        assert!(!place.is_short(10));
        note(place, 10, Duration::from_nanos(10), 1);
        assert!(!place.is_short(10));
        note(place, 10, Duration::from_nanos(10), 100);
        assert!(place.is_short(10));
    }
}
