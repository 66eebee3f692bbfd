//! The word that pushers, searchers and sleepers change together.
//!
//! ```text
//! | events: 30 | searching: 16 | traced: 1 | fenced: 1 | sleeping: 16 |
//! ```
//!
//! `events` is at the top, so that it wraps by falling off the end. The others never over- or underflow: a
//! worker is counted at most once in each. Two bits ask for attention: while one of them is set, every push
//! has to take the slow path for another reason than sleepers. `fenced` is set for good where each push needs
//! a fence of its own, `traced` while the pool is recorded. All are at the bottom, where one instruction
//! tests them.

use crate::sync::{AtomicU64, Ordering};

/// The largest number of workers that fits.
pub(super) const MAX: usize = u16::MAX as usize;

const SLEEPER: u64 = 1;
const FENCED: u64 = 1 << 16;
const TRACED: u64 = 1 << 17;
const SEARCHER: u64 = 1 << 18;
const EVENT: u64 = 1 << 34;
const SLEEPERS: u64 = FENCED - SLEEPER;

#[derive(Debug)]
pub(super) struct Counts {
    word: AtomicU64,
}

/// What the word said at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) sleeping: usize,
    pub(crate) searching: usize,
}

impl Tally {
    fn of(word: u64) -> Self {
        Tally { sleeping: usize::from(word as u16), searching: usize::from((word / SEARCHER) as u16) }
    }
}

impl Counts {
    /// All zero; if `fenced`, each push needs a fence of its own before it looks for sleepers.
    pub(super) fn new(fenced: bool) -> Self {
        Counts { word: AtomicU64::new(if fenced { FENCED } else { 0 }) }
    }

    /// A word whose event counter is about to wrap.
    #[cfg(test)]
    pub(super) fn about_to_wrap() -> Self {
        Counts { word: AtomicU64::new(EVENT.wrapping_neg()) }
    }

    #[inline(always)]
    pub(super) fn are_noteworthy(&self) -> bool {
        self.word.load(Ordering::Relaxed) & (SLEEPERS | FENCED | TRACED) != 0
    }

    #[inline(always)]
    pub(super) fn are_traced(&self) -> bool {
        self.word.load(Ordering::Relaxed) & TRACED != 0
    }

    /// Asks for attention on behalf of a recording, or no longer does.
    // ORDERING: release the recording's pointer: who sees the bit and passes a fence sees the pointer.
    pub(super) fn set_traced(&self, traced: bool) {
        if traced {
            self.word.fetch_or(TRACED, Ordering::AcqRel);
        } else {
            self.word.fetch_and(!TRACED, Ordering::AcqRel);
        }
    }

    pub(super) fn somebody_sleeps(&self) -> bool {
        self.word.load(Ordering::Relaxed) & SLEEPERS != 0
    }

    pub(super) fn read(&self) -> Tally {
        Tally::of(self.word.load(Ordering::Acquire))
    }

    /// Adds to the word, wrapping; says what it was before.
    // ORDERING: acquire and release everywhere: a search that ends after an event sees the push that the
    // event stands for, and an event that comes after the end of a search sees that end.
    fn add(&self, amount: u64) -> Tally {
        Tally::of(self.word.fetch_add(amount, Ordering::AcqRel))
    }

    pub(super) fn add_event(&self) -> Tally {
        self.add(EVENT)
    }

    /// One searcher more, unless half of `workers` search already. Says which.
    pub(super) fn start_search(&self, workers: usize) -> bool {
        let allowed = |word| 2 * Tally::of(word).searching < workers;
        let add = |word| allowed(word).then_some(word + SEARCHER);
        self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, add).is_ok()
    }

    pub(super) fn stop_search(&self) -> Tally {
        self.add(SEARCHER.wrapping_neg())
    }

    /// One sleeper more, and one searcher less if it was one.
    pub(super) fn fall_asleep(&self, was_searching: bool) {
        self.add(if was_searching { SLEEPER.wrapping_sub(SEARCHER) } else { SLEEPER });
    }

    pub(super) fn wake_directly(&self) {
        self.add(SLEEPER.wrapping_neg());
    }

    /// One searcher more, whatever the others do: it was one a moment ago.
    pub(super) fn resume_search(&self) {
        self.add(SEARCHER);
    }

    pub(super) fn wake_to_search(&self) {
        self.add(SEARCHER.wrapping_sub(SLEEPER));
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_event_counter_wraps_and_leaves_the_others_alone() {
        let counts = Counts::about_to_wrap();
        counts.fall_asleep(false);
        assert!(counts.start_search(4));
        counts.add_event();
        assert_eq!(counts.read(), Tally { sleeping: 1, searching: 1 });
        assert!(counts.are_noteworthy());
    }

    #[test]
    fn at_most_half_of_the_workers_search() {
        for (workers, most) in [(1, 1), (2, 1), (3, 2), (4, 2), (65, 33), (200, 100)] {
            let counts = Counts::new(false);
            let started = (0..workers).filter(|_| counts.start_search(workers)).count();
            assert_eq!(started, most, "of {workers}");
        }
    }

    #[test]
    fn a_recording_asks_for_attention_and_leaves_the_other_reasons_alone() {
        for fenced in [false, true] {
            let counts = Counts::new(fenced);
            counts.set_traced(true);
            counts.fall_asleep(false);
            assert!(counts.start_search(2));
            counts.add_event();
            assert!(counts.are_traced() && counts.are_noteworthy());
            counts.set_traced(false);
            assert_eq!(counts.read(), Tally { sleeping: 1, searching: 1 });
            counts.wake_directly();
            assert!(!counts.are_traced());
            assert_eq!(counts.are_noteworthy(), fenced);
        }
    }

    #[test]
    fn every_transition_is_undone_by_its_opposite() {
        let counts = Counts::new(false);
        assert!(counts.start_search(2));
        counts.fall_asleep(true);
        assert_eq!(counts.read(), Tally { sleeping: 1, searching: 0 });
        counts.wake_to_search();
        assert_eq!(counts.read(), Tally { sleeping: 0, searching: 1 });
        counts.stop_search();
        counts.fall_asleep(false);
        counts.wake_directly();
        assert_eq!(counts.read(), Tally { sleeping: 0, searching: 0 });
    }
}
