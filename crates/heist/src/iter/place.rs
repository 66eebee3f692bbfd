//! Adaptors that choose items by their place: `enumerate`, `positions`, `rev`, `skip`, `take`, `step_by`.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
    reduce,
    wrap::{Wrap, with_wrapped},
};
use std::{
    fmt::{self, Debug},
    iter,
    ops::Range,
};

/// Pairs each item with its index; made by [`IndexedParallelIterator::enumerate`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Enumerate<I> {
    base: I,
}

impl<I> Enumerate<I> {
    pub(super) fn new(base: I) -> Self {
        Enumerate { base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Enumerate<I> {
    type Item = (usize, I::Item);

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Enumerate<I> {
    #[inline]
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, FromIndex(0), callback)
    }
}

struct FromIndex(usize);

impl<T> Wrap<T> for FromIndex {
    type Item = (usize, T);
    type Producer<P: Producer<Item = T>> = EnumerateProducer<P>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> EnumerateProducer<P> {
        EnumerateProducer { base, first: self.0 }
    }
}

struct EnumerateProducer<P> {
    base: P,
    /// The index of its first item.
    first: usize,
}

impl<P: Producer> Producer for EnumerateProducer<P> {
    type Item = (usize, P::Item);
    type IntoIter = iter::Zip<Range<usize>, P::IntoIter>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        let items = self.base.into_iter();
        (self.first..self.first + items.len()).zip(items)
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(index);
        let middle = self.first + index;
        (
            EnumerateProducer { base: left, first: self.first },
            EnumerateProducer { base: right, first: middle },
        )
    }
}

/// The indices of the items that a predicate likes; made by [`IndexedParallelIterator::positions`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Positions<I, P> {
    base: I,
    predicate: P,
}

impl<I, P> Positions<I, P> {
    pub(super) fn new(base: I, predicate: P) -> Self {
        Positions { base, predicate }
    }
}

impl<I: Debug, P> Debug for Positions<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Positions").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<I, P> ParallelIterator for Positions<I, P>
where
    I: IndexedParallelIterator,
    P: Fn(I::Item) -> bool + Sync + Send,
{
    type Item = usize;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<usize>>(self, consumer: C) -> C::Result {
        let Positions { base, predicate } = self;
        let place = |(index, item)| predicate(item).then_some(index);
        base.enumerate().filter_map(place).drive_unindexed(consumer)
    }
}

/// The items from the last to the first; made by [`IndexedParallelIterator::rev`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Rev<I> {
    base: I,
}

impl<I> Rev<I> {
    pub(super) fn new(base: I) -> Self {
        Rev { base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Rev<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Rev<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        let len = self.base.len();
        with_wrapped(self.base, Backwards { len }, callback)
    }
}

struct Backwards {
    len: usize,
}

impl<T> Wrap<T> for Backwards {
    type Item = T;
    type Producer<P: Producer<Item = T>> = RevProducer<P>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> RevProducer<P> {
        RevProducer { base, len: self.len }
    }
}

struct RevProducer<P> {
    base: P,
    len: usize,
}

impl<P: Producer> Producer for RevProducer<P> {
    type Item = P::Item;
    type IntoIter = iter::Rev<P::IntoIter>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.base.into_iter().rev()
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let rest = self.len - index;
        let (right, left) = self.base.split_at(rest);
        (RevProducer { base: left, len: index }, RevProducer { base: right, len: rest })
    }
}

/// All but the first items; made by [`IndexedParallelIterator::skip`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Skip<I> {
    base: I,
    count: usize,
}

impl<I: IndexedParallelIterator> Skip<I> {
    pub(super) fn new(base: I, count: usize) -> Self {
        let count = count.min(base.len());
        Skip { base, count }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Skip<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Skip<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len() - self.count
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, Behind(self.count), callback)
    }
}

struct Behind(usize);

impl<T> Wrap<T> for Behind {
    type Item = T;
    type Producer<P: Producer<Item = T>> = P;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> P {
        let (skipped, items) = base.split_at(self.0);
        // As in a sequential loop, what comes before `skip` in the chain sees the skipped items too.
        reduce::discard(self.0, skipped);
        items
    }
}

/// The first items; made by [`IndexedParallelIterator::take`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Take<I> {
    base: I,
    count: usize,
}

impl<I: IndexedParallelIterator> Take<I> {
    pub(super) fn new(base: I, count: usize) -> Self {
        let count = count.min(base.len());
        Take { base, count }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Take<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Take<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, Before(self.count), callback)
    }
}

struct Before(usize);

impl<T> Wrap<T> for Before {
    type Item = T;
    type Producer<P: Producer<Item = T>> = P;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> P {
        base.split_at(self.0).0
    }
}

/// Every so-manieth item, beginning with the first; made by [`IndexedParallelIterator::step_by`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct StepBy<I> {
    base: I,
    step: usize,
}

impl<I> StepBy<I> {
    pub(super) fn new(base: I, step: usize) -> Self {
        StepBy { base, step }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for StepBy<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for StepBy<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.step)
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        let len = self.base.len();
        with_wrapped(self.base, Stepping { step: self.step, len }, callback)
    }
}

struct Stepping {
    step: usize,
    len: usize,
}

impl<T> Wrap<T> for Stepping {
    type Item = T;
    type Producer<P: Producer<Item = T>> = StepByProducer<P>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> StepByProducer<P> {
        StepByProducer { base, step: self.step, len: self.len }
    }
}

struct StepByProducer<P> {
    base: P,
    step: usize,
    /// How many items `base` has.
    len: usize,
}

impl<P: Producer> Producer for StepByProducer<P> {
    type Item = P::Item;
    type IntoIter = iter::StepBy<P::IntoIter>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.base.into_iter().step_by(self.step)
    }

    fn min_len(&self) -> usize {
        self.base.min_len().div_ceil(self.step)
    }

    fn max_len(&self) -> usize {
        self.base.max_len() / self.step
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let StepByProducer { base, step, len } = self;
        let middle = index.saturating_mul(step).min(len);
        let (left, right) = base.split_at(middle);
        (
            StepByProducer { base: left, step, len: middle },
            StepByProducer { base: right, step, len: len - middle },
        )
    }
}
