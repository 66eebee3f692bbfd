//! When to cut a piece of work in two: the whole policy, and nothing but the policy.
//!
//! Cutting costs a push and a pop; not cutting enough leaves workers idle. Nobody knows beforehand what an
//! item costs, so the answer follows the demand: a piece may be cut about as many times as there are threads,
//! which gives each of them something, and a piece that was stolen may be cut so many times again, since a
//! thief is a sign that others are hungry.
//!
//! # Invariants
//! S1 A cut leaves at least `min` items on either side.
//! S2 A piece with more than `max` items is cut, unless S1 forbids it.

use crate::current_num_threads;

/// How often a piece may still be cut; copied to both halves of every cut.
#[derive(Clone, Copy)]
pub(super) struct Splitter {
    /// Levels of cuts left, as a number that is halved each time.
    credit: usize,
}

impl Splitter {
    #[inline]
    pub(super) fn new() -> Self {
        Splitter { credit: current_num_threads() }
    }

    /// Whether to cut now; `migrated` if another thread than the one that made the piece runs it.
    #[inline]
    pub(super) fn cut(&mut self, migrated: bool) -> bool {
        if migrated {
            self.credit = current_num_threads().max(self.credit / 2);
            return true;
        }
        let cut = self.credit > 0;
        self.credit /= 2;
        cut
    }
}

/// A [`Splitter`] for pieces of known length.
#[derive(Clone, Copy)]
pub(super) struct LengthSplitter {
    splitter: Splitter,
    min: usize,
    max: usize,
}

impl LengthSplitter {
    #[inline]
    pub(super) fn new(min: usize, max: usize) -> Self {
        LengthSplitter { splitter: Splitter::new(), min: min.max(1), max: max.max(1) }
    }

    /// Whether to cut a piece of `len` items in the middle now.
    #[inline]
    pub(super) fn cut(&mut self, len: usize, migrated: bool) -> bool {
        if len / 2 < self.min {
            return false;
        }
        // Asked even if `max` decides, so that the credit counts every level.
        self.splitter.cut(migrated) || len > self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths of the pieces that nobody steals.
    fn pieces(mut splitter: LengthSplitter, len: usize) -> Vec<usize> {
        if !splitter.cut(len, false) {
            return vec![len];
        }
        let mut pieces = pieces(splitter, len / 2);
        pieces.extend(self::pieces(splitter, len - len / 2));
        pieces
    }

    #[test]
    fn no_piece_is_shorter_than_the_minimum() {
        for len in [10, 100, 1000, 1023] {
            assert!(pieces(LengthSplitter::new(10, 1), len).into_iter().all(|piece| piece >= 10));
        }
    }

    #[test]
    fn no_piece_is_longer_than_the_maximum() {
        for len in [10, 100, 1000, 1023] {
            assert!(pieces(LengthSplitter::new(1, 3), len).into_iter().all(|piece| piece <= 3));
        }
    }

    #[test]
    fn a_single_item_is_never_cut() {
        assert!(!LengthSplitter::new(0, 0).cut(1, true));
        assert!(!LengthSplitter::new(0, 0).cut(0, true));
    }

    #[test]
    fn a_stolen_piece_is_cut_again() {
        let mut splitter = Splitter::new();
        while splitter.cut(false) {}
        assert!(splitter.cut(true));
        assert!(splitter.cut(false));
    }
}
