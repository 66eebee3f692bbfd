//! `intersperse`: a separator between any two items.
//!
//! Indexed, this is arithmetic: of `n` items become `2n - 1`, and the odd places are separators. A consumer
//! that is cut at an index does the same sums: every piece but the first begins with a separator.
//!
//! Where items are not counted, a piece may turn out to be empty, so nobody knows beforehand whether there is
//! to be a separator in front of it. There each cut makes three consumers, one of them for the separator, and
//! the reducer feeds that one if both sides had items:
//!
//! ```text
//!   left piece | separator | right piece
//! ```

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge},
    wrap::{Wrap, with_wrapped},
};

/// Puts clones of a separator between items; made by [`ParallelIterator::intersperse`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Intersperse<I: ParallelIterator> {
    base: I,
    separator: I::Item,
}

impl<I: ParallelIterator> Intersperse<I> {
    pub(super) fn new(base: I, separator: I::Item) -> Self {
        Intersperse { base, separator }
    }
}

/// How many items there are once separators are put between.
fn len_with_separators(len: usize) -> Option<usize> {
    match len {
        0 => Some(0),
        _ => len.checked_add(len - 1),
    }
}

impl<I: ParallelIterator<Item: Clone>> ParallelIterator for Intersperse<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(Interspersing::new(consumer, self.separator)).result
    }

    fn opt_len(&self) -> Option<usize> {
        len_with_separators(self.base.opt_len()?)
    }
}

impl<I: IndexedParallelIterator<Item: Clone>> IndexedParallelIterator for Intersperse<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        len_with_separators(self.base.len()).expect("there are more items than a usize can count")
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        let len = self.len();
        with_wrapped(self.base, Separate { separator: self.separator, len }, callback)
    }
}

struct Separate<T> {
    separator: T,
    len: usize,
}

impl<T: Clone + Send> Wrap<T> for Separate<T> {
    type Item = T;
    type Producer<P: Producer<Item = T>> = InterspersingProducer<P, T>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> InterspersingProducer<P, T> {
        InterspersingProducer { base, separator: self.separator, len: self.len, leads: false }
    }
}

struct InterspersingProducer<P, T> {
    base: P,
    separator: T,
    /// How many items there are, separators included.
    len: usize,
    /// Whether the first of them is a separator.
    leads: bool,
}

impl<P, T> Producer for InterspersingProducer<P, T>
where
    P: Producer<Item = T>,
    T: Clone + Send,
{
    type Item = T;
    type IntoIter = InterspersingIter<P::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        InterspersingIter {
            items: self.base.into_iter(),
            separator: self.separator,
            len: self.len,
            leads: self.leads,
        }
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let InterspersingProducer { base, separator, len, leads } = self;
        // Items and separators take turns; who begins gets the odd one.
        let items = if leads { index / 2 } else { index.div_ceil(2) };
        let (left, right) = base.split_at(items);
        (
            InterspersingProducer { base: left, separator: separator.clone(), len: index, leads },
            InterspersingProducer {
                base: right,
                separator,
                len: len - index,
                leads: leads == index.is_multiple_of(2),
            },
        )
    }
}

struct InterspersingIter<I: Iterator> {
    items: I,
    separator: I::Item,
    len: usize,
    leads: bool,
}

impl<I: Iterator<Item: Clone>> Iterator for InterspersingIter<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        let separates = self.leads;
        self.leads = !separates;
        if separates { Some(self.separator.clone()) } else { self.items.next() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<I: DoubleEndedIterator<Item: Clone>> DoubleEndedIterator for InterspersingIter<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.len == 0 {
            return None;
        }
        // The kinds take turns: with an even number left, the last is not of the kind of the first.
        let separates = self.leads != self.len.is_multiple_of(2);
        self.len -= 1;
        if separates { Some(self.separator.clone()) } else { self.items.next_back() }
    }
}

impl<I: Iterator<Item: Clone>> ExactSizeIterator for InterspersingIter<I> {}

struct Interspersing<C, T> {
    next: C,
    separator: T,
    /// Whether a separator is to precede the first item.
    leads: bool,
    /// Gets the separator behind this piece, should there be items on both sides of it.
    behind: Option<C>,
}

impl<C, T> Interspersing<C, T> {
    fn new(next: C, separator: T) -> Self {
        Interspersing { next, separator, leads: false, behind: None }
    }
}

impl<C, T> Consumer<T> for Interspersing<C, T>
where
    C: UnindexedConsumer<T>,
    T: Clone + Send,
{
    type Folder = InterspersingLeaf<C, C::Folder, T>;
    type Reducer = InterspersingReducer<C::Reducer>;
    type Result = Interspersed<C, C::Result, T>;

    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer) {
        let Interspersing { next, separator, leads, behind } = self;
        let inner = next.to_reducer();
        let both = index.saturating_mul(2);
        let places = if leads { both } else { both.saturating_sub(1) };
        let (left, right, reducer) = next.split_at(places);
        let left = Interspersing { leads, ..Interspersing::new(left, separator.clone()) };
        let right = Interspersing { next: right, separator, leads: leads || index > 0, behind };
        (left, right, InterspersingReducer { outer: reducer, inner })
    }

    fn into_folder(self) -> Self::Folder {
        InterspersingLeaf {
            next: self.next.into_folder(),
            separator: self.separator,
            leads: self.leads,
            empty: true,
            behind: self.behind,
        }
    }

    fn full(&self) -> bool {
        self.next.full()
    }
}

impl<C, T> UnindexedConsumer<T> for Interspersing<C, T>
where
    C: UnindexedConsumer<T>,
    T: Clone + Send,
{
    fn split_off_left(&self) -> Self {
        let left = self.next.split_off_left();
        let behind = Some(self.next.split_off_left());
        Interspersing { next: left, separator: self.separator.clone(), leads: self.leads, behind }
    }

    fn to_reducer(&self) -> Self::Reducer {
        InterspersingReducer { outer: self.next.to_reducer(), inner: self.next.to_reducer() }
    }
}

struct InterspersingLeaf<C, F, T> {
    next: F,
    separator: T,
    leads: bool,
    empty: bool,
    behind: Option<C>,
}

impl<C, F, T> Folder<T> for InterspersingLeaf<C, F, T>
where
    F: Folder<T>,
    T: Clone,
{
    type Result = Interspersed<C, F::Result, T>;

    fn consume(mut self, item: T) -> Self {
        if self.leads {
            self.next = self.next.consume(self.separator.clone());
            if self.next.full() {
                return self;
            }
        }
        self.next = self.next.consume(item);
        self.leads = true;
        self.empty = false;
        self
    }

    fn complete(self) -> Self::Result {
        let InterspersingLeaf { next, separator, empty, behind, .. } = self;
        Interspersed { result: next.complete(), separator, empty, behind }
    }

    fn full(&self) -> bool {
        self.next.full()
    }
}

/// The result of a piece, and what it takes to put a separator behind it.
struct Interspersed<C, R, T> {
    result: R,
    separator: T,
    empty: bool,
    behind: Option<C>,
}

struct InterspersingReducer<R> {
    /// Joins the pieces.
    outer: R,
    /// Joins the left piece and the separator.
    inner: R,
}

impl<C, T> Reducer<Interspersed<C, C::Result, T>> for InterspersingReducer<C::Reducer>
where
    C: Consumer<T>,
{
    fn reduce(
        self,
        left: Interspersed<C, C::Result, T>,
        right: Interspersed<C, C::Result, T>,
    ) -> Interspersed<C, C::Result, T> {
        let mut result = left.result;
        if let Some(between) = left.behind
            && !left.empty
            && !right.empty
        {
            let separator = between.into_folder().consume(left.separator).complete();
            result = self.inner.reduce(result, separator);
        }
        Interspersed {
            result: self.outer.reduce(result, right.result),
            separator: right.separator,
            empty: left.empty && right.empty,
            behind: right.behind,
        }
    }
}
