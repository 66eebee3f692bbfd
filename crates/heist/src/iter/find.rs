//! Searches: `find_any`, `find_first`, `find_last`.
//!
//! `find_any` is a reduction with a flag. The other two also want to stop early, but only those pieces that
//! come after (before) a find. So every piece has a *rank*, smaller for pieces that are preferred: a cut
//! divides the span of ranks, and the smallest rank with a find is shared. A piece gives up once a smaller
//! rank than its own has one. If a span cannot be divided any more, both pieces keep its rank and none gives
//! up for the other: ranks only save work, and the reducer decides.
//!
//! ```text
//!   find_first:   [0 ..... 7]                find_last:   [0 ..... 7]
//!            [0 .. 3]   [4 .. 7]                     [4 .. 7]   [0 .. 3]
//! ```
//!
//! A consumer from which one piece after another is cut off, as `flat_map` does, gives the first half of its
//! span away, then a third of the rest, then a quarter: a million pieces take 20 bits of it, not a million.

use super::{
    ParallelIterator,
    plumbing::{Consumer, Folder, Reducer, UnindexedConsumer},
    reduce::{Reduction, reduce_by},
};
use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// Any item that `predicate` likes.
pub(super) fn find_any<I, P>(items: I, predicate: P) -> Option<I::Item>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync,
{
    reduce_by(items, FindAny { predicate: &predicate, found: &AtomicBool::new(false) })
}

/// The first item that `predicate` likes.
pub(super) fn find_first<I, P>(items: I, predicate: P) -> Option<I::Item>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync,
{
    items.drive_unindexed(Find::new(End::First, &predicate, &AtomicUsize::new(usize::MAX)))
}

/// The last item that `predicate` likes.
pub(super) fn find_last<I, P>(items: I, predicate: P) -> Option<I::Item>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync,
{
    items.drive_unindexed(Find::new(End::Last, &predicate, &AtomicUsize::new(usize::MAX)))
}

#[derive(Clone, Copy)]
struct FindAny<'a, P> {
    predicate: P,
    found: &'a AtomicBool,
}

impl<T: Send, P: Fn(&T) -> bool + Sync> Reduction<T> for FindAny<'_, &P> {
    type Value = Option<T>;

    #[inline]
    fn begin(self) -> Option<T> {
        None
    }

    #[inline]
    fn add(self, value: Option<T>, item: T) -> Option<T> {
        if value.is_none() && (self.predicate)(&item) {
            // ORDERING: a hint to stop early; the item travels with the result.
            self.found.store(true, Relaxed);
            return Some(item);
        }
        value
    }

    #[inline]
    fn add_all(self, value: Option<T>, mut items: impl Iterator<Item = T>) -> Option<T> {
        if value.is_some() {
            return value;
        }
        // A look at what others have found every so many items, and a plain search in between.
        while !self.is_over() {
            let mut left = LOOK_EVERY;
            let end = items.by_ref().try_for_each(|item| {
                if (self.predicate)(&item) {
                    return Err(Some(item));
                }
                left -= 1;
                if left == 0 { Err(None) } else { Ok(()) }
            });
            match end {
                Err(Some(item)) => {
                    // ORDERING: a hint, as above.
                    self.found.store(true, Relaxed);
                    return Some(item);
                }
                Err(None) => {}
                Ok(()) => break,
            }
        }
        None
    }

    #[inline]
    fn join(self, left: Option<T>, right: Option<T>) -> Option<T> {
        left.or(right)
    }

    #[inline]
    fn is_over(self) -> bool {
        self.found.load(Relaxed)
    }
}

/// How many items a search goes through before it looks whether another piece has found something.
const LOOK_EVERY: u32 = 32;

/// Which find is preferred.
#[derive(Clone, Copy, PartialEq)]
enum End {
    First,
    Last,
}

/// The search in one piece.
struct Find<'p, P> {
    end: End,
    predicate: &'p P,
    /// The smallest rank with a find.
    best: &'p AtomicUsize,
    /// The ranks of this piece, both included; its own is the lower.
    lower: Cell<usize>,
    upper: Cell<usize>,
    /// How many pieces were cut off it.
    cuts: Cell<usize>,
}

impl<'p, P> Find<'p, P> {
    fn new(end: End, predicate: &'p P, best: &'p AtomicUsize) -> Self {
        // The greatest rank is left to `best`, where it says that there is no find.
        Find {
            end,
            predicate,
            best,
            lower: Cell::new(0),
            upper: Cell::new(usize::MAX - 1),
            cuts: Cell::new(0),
        }
    }

    /// Cuts off a piece to the left of what `self` is left with.
    fn cut(&self) -> Self {
        let (lower, upper) = (self.lower.get(), self.upper.get());
        let share = (upper - lower) / (self.cuts.get() + 2);
        let (left, right) = match self.end {
            End::First => ((lower, lower + share), ((lower + share + 1).min(upper), upper)),
            End::Last => ((upper - share, upper), (lower, (upper - share).saturating_sub(1).max(lower))),
        };
        self.lower.set(right.0);
        self.upper.set(right.1);
        self.cuts.set(self.cuts.get() + 1);
        Find { lower: Cell::new(left.0), upper: Cell::new(left.1), cuts: Cell::new(0), ..*self }
    }

    #[inline]
    fn is_beaten(&self) -> bool {
        // ORDERING: only saves work.
        self.best.load(Relaxed) < self.lower.get()
    }
}

impl<'p, T, P> Consumer<T> for Find<'p, P>
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    type Folder = FindIn<'p, T, P>;
    type Reducer = Prefer;
    type Result = Option<T>;

    fn split_at(self, _index: usize) -> (Self, Self, Prefer) {
        let left = self.cut();
        let reducer = Prefer(self.end);
        (left, self, reducer)
    }

    fn into_folder(self) -> FindIn<'p, T, P> {
        FindIn { find: self, found: None }
    }

    fn full(&self) -> bool {
        self.is_beaten()
    }
}

impl<T, P> UnindexedConsumer<T> for Find<'_, P>
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    fn split_off_left(&self) -> Self {
        self.cut()
    }

    fn to_reducer(&self) -> Prefer {
        Prefer(self.end)
    }
}

struct FindIn<'p, T, P> {
    find: Find<'p, P>,
    found: Option<T>,
}

impl<T, P: Fn(&T) -> bool> Folder<T> for FindIn<'_, T, P> {
    type Result = Option<T>;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        let wanted = self.find.end == End::Last || self.found.is_none();
        if wanted && (self.find.predicate)(&item) {
            self.find.best.fetch_min(self.find.lower.get(), Relaxed);
            self.found = Some(item);
        }
        self
    }

    fn complete(self) -> Option<T> {
        self.found
    }

    #[inline]
    fn full(&self) -> bool {
        (self.find.end == End::First && self.found.is_some()) || self.find.is_beaten()
    }
}

struct Prefer(End);

impl<T> Reducer<Option<T>> for Prefer {
    fn reduce(self, left: Option<T>, right: Option<T>) -> Option<T> {
        match self.0 {
            End::First => left.or(right),
            End::Last => right.or(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'p, P: Fn(&u32) -> bool>(end: End, predicate: &'p P, best: &'p AtomicUsize) -> Find<'p, P> {
        Find::new(end, predicate, best)
    }

    #[test]
    fn a_find_beats_only_what_is_less_preferred() {
        let predicate = |&n: &u32| n == 1;
        for end in [End::First, End::Last] {
            let best = AtomicUsize::new(usize::MAX);
            let (a, rest, _) = Consumer::<u32>::split_at(find(end, &predicate, &best), 0);
            let (b, c, _) = Consumer::<u32>::split_at(rest, 0);
            assert_eq!(b.into_folder().consume(1).complete(), Some(1));
            assert_eq!(Consumer::<u32>::full(&a), end == End::Last);
            assert_eq!(Consumer::<u32>::full(&c), end == End::First);
        }
    }

    #[test]
    fn pieces_that_share_a_rank_do_not_beat_each_other() {
        let predicate = |&n: &u32| n == 1;
        for end in [End::First, End::Last] {
            let best = AtomicUsize::new(usize::MAX);
            // Divides the span until nothing is left to divide, and once more.
            let far = (0..200).fold(find(end, &predicate, &best), |piece, _| piece.cut());
            let near = far.cut();
            assert_eq!(near.lower, far.lower);
            best.store(near.lower.get(), Relaxed);
            assert!(!near.is_beaten() && !far.is_beaten());
        }
    }
    #[test]
    fn a_find_beats_what_is_cut_off_later_however_much_that_is() {
        let predicate = |&n: &u32| n == 1;
        let best = AtomicUsize::new(usize::MAX);
        let rest = find(End::First, &predicate, &best);
        let pieces: Vec<_> = (0..10_000).map(|_| rest.cut()).collect();
        assert!(pieces.windows(2).all(|pair| pair[0].lower < pair[1].lower));
        best.store(pieces[9998].lower.get(), Relaxed);
        assert!(!pieces[9998].is_beaten() && pieces[9999].is_beaten() && rest.is_beaten());

        let rest = find(End::Last, &predicate, &best);
        let pieces: Vec<_> = (0..10_000).map(|_| rest.cut()).collect();
        assert!(pieces.windows(2).all(|pair| pair[0].lower > pair[1].lower));
        assert!(rest.upper < pieces[9999].lower);
    }
}
