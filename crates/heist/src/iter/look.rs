//! Adaptors that look at items in passing: `inspect` and, with a mutable glance, `update`.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, ProducerCallback, UnindexedConsumer},
    stage::{Apply, ApplyIter, Each, WrapEach, each},
    wrap::with_wrapped,
};
use std::{
    fmt::{self, Debug},
    iter,
};

/// Shows each item to a function; made by [`ParallelIterator::inspect`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Inspect<I, F> {
    base: I,
    op: F,
}

impl<I, F> Inspect<I, F> {
    pub(super) fn new(base: I, op: F) -> Self {
        Inspect { base, op }
    }
}

impl<I: Debug, F> Debug for Inspect<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspect").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Inspecting<F>(F);

impl<T, F: Fn(&T) + Sync> Apply<T> for Inspecting<&F> {
    type Out = T;

    #[inline]
    fn apply(&mut self, item: T) -> T {
        (self.0)(&item);
        item
    }
}

impl<'f, T, F: Fn(&T) + Sync> Each<T> for Inspecting<&'f F> {
    type Out = T;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = iter::Inspect<I, &'f F>;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        items.inspect(self.0)
    }
}

impl<I, F> ParallelIterator for Inspect<I, F>
where
    I: ParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Inspecting(&self.op)))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I, F> IndexedParallelIterator for Inspect<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&I::Item) + Sync + Send,
{
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Inspecting(&self.op)))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Inspecting(&self.op)), callback)
    }
}

/// Lets a function change each item in place; made by [`ParallelIterator::update`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Update<I, F> {
    base: I,
    op: F,
}

impl<I, F> Update<I, F> {
    pub(super) fn new(base: I, op: F) -> Self {
        Update { base, op }
    }
}

impl<I: Debug, F> Debug for Update<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Updating<F>(F);

impl<T, F: Fn(&mut T) + Sync> Apply<T> for Updating<&F> {
    type Out = T;

    #[inline]
    fn apply(&mut self, mut item: T) -> T {
        (self.0)(&mut item);
        item
    }
}

impl<T, F: Fn(&mut T) + Sync> Each<T> for Updating<&F> {
    type Out = T;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = ApplyIter<I, Self>;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        ApplyIter::new(items, self)
    }
}

impl<I, F> ParallelIterator for Update<I, F>
where
    I: ParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Updating(&self.op)))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I, F> IndexedParallelIterator for Update<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(&mut I::Item) + Sync + Send,
{
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Updating(&self.op)))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Updating(&self.op)), callback)
    }
}
