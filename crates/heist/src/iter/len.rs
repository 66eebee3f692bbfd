//! Adaptors that change nothing but how long pieces are: `with_min_len`, `with_max_len`.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, bridge},
    wrap::{Wrap, with_wrapped},
};

/// Bounds the length of pieces from below; made by [`IndexedParallelIterator::with_min_len`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct MinLen<I> {
    base: I,
    min: usize,
}

impl<I> MinLen<I> {
    pub(super) fn new(base: I, min: usize) -> Self {
        MinLen { base, min }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for MinLen<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for MinLen<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, Bounds { min: self.min, max: usize::MAX }, callback)
    }
}

/// Bounds the length of pieces from above; made by [`IndexedParallelIterator::with_max_len`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct MaxLen<I> {
    base: I,
    max: usize,
}

impl<I> MaxLen<I> {
    pub(super) fn new(base: I, max: usize) -> Self {
        MaxLen { base, max }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for MaxLen<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for MaxLen<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, Bounds { min: 1, max: self.max }, callback)
    }
}

struct Bounds {
    min: usize,
    max: usize,
}

impl<T> Wrap<T> for Bounds {
    type Item = T;
    type Producer<P: Producer<Item = T>> = Bounded<P>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> Bounded<P> {
        let (min, max) = (self.min.max(base.min_len()), self.max.min(base.max_len()));
        Bounded { base, min, max }
    }
}

struct Bounded<P> {
    base: P,
    min: usize,
    max: usize,
}

impl<P: Producer> Producer for Bounded<P> {
    type Item = P::Item;
    type IntoIter = P::IntoIter;

    #[inline]
    fn into_iter(self) -> P::IntoIter {
        self.base.into_iter()
    }

    fn min_len(&self) -> usize {
        self.min
    }

    fn max_len(&self) -> usize {
        self.max
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let Bounded { base, min, max } = self;
        let (left, right) = base.split_at(index);
        (Bounded { base: left, min, max }, Bounded { base: right, min, max })
    }

    #[inline]
    fn fold_with<F: Folder<P::Item>>(self, folder: F) -> F {
        self.base.fold_with(folder)
    }
}
