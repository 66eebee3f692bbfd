//! Adaptors that make any number of items of each: `filter`, `filter_map`, `flat_map_iter`, `flatten_iter`,
//! and `while_some`, which stops at the first `None` that anybody meets.

use super::{
    ParallelIterator,
    plumbing::{Folder, UnindexedConsumer},
    stage::{Plain, Step, staged},
};
use std::{
    fmt::{self, Debug},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Keeps the items that a predicate likes; made by [`ParallelIterator::filter`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Filter<I, P> {
    base: I,
    predicate: P,
}

impl<I, P> Filter<I, P> {
    pub(super) fn new(base: I, predicate: P) -> Self {
        Filter { base, predicate }
    }
}

impl<I: Debug, P> Debug for Filter<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Filtering<P>(P);

impl<T, P: Fn(&T) -> bool> Step<T> for Filtering<&P> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        if (self.0)(&item) { next.consume(item) } else { next }
    }
}

impl<I, P> ParallelIterator for Filter<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(Filtering(&self.predicate))))
    }
}

/// Keeps what a function makes of the items, where it makes something; made by
/// [`ParallelIterator::filter_map`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FilterMap<I, P> {
    base: I,
    op: P,
}

impl<I, P> FilterMap<I, P> {
    pub(super) fn new(base: I, op: P) -> Self {
        FilterMap { base, op }
    }
}

impl<I: Debug, P> Debug for FilterMap<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterMap").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct FilterMapping<P>(P);

impl<T, R, P: Fn(T) -> Option<R>> Step<T> for FilterMapping<&P> {
    type Out = R;

    #[inline]
    fn step<F: Folder<R>>(&mut self, item: T, next: F) -> F {
        match (self.0)(item) {
            Some(item) => next.consume(item),
            None => next,
        }
    }
}

impl<I, P, R> ParallelIterator for FilterMap<I, P>
where
    I: ParallelIterator,
    P: Fn(I::Item) -> Option<R> + Sync + Send,
    R: Send,
{
    type Item = R;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(FilterMapping(&self.op))))
    }
}

/// Yields, one after another, the items of the sequential iterators that a function makes of each item; made
/// by [`ParallelIterator::flat_map_iter`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FlatMapIter<I, F> {
    base: I,
    op: F,
}

impl<I, F> FlatMapIter<I, F> {
    pub(super) fn new(base: I, op: F) -> Self {
        FlatMapIter { base, op }
    }
}

impl<I: Debug, F> Debug for FlatMapIter<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatMapIter").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct FlatMapping<F>(F);

impl<T, S: IntoIterator, G: Fn(T) -> S> Step<T> for FlatMapping<&G> {
    type Out = S::Item;

    #[inline]
    fn step<F: Folder<S::Item>>(&mut self, item: T, next: F) -> F {
        next.consume_iter((self.0)(item))
    }
}

impl<I, F, SI> ParallelIterator for FlatMapIter<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> SI + Sync + Send,
    SI: IntoIterator<Item: Send>,
{
    type Item = SI::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<SI::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(FlatMapping(&self.op))))
    }
}

/// Yields, one after another, the items of items that can be iterated over; made by
/// [`ParallelIterator::flatten_iter`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct FlattenIter<I> {
    base: I,
}

impl<I> FlattenIter<I> {
    pub(super) fn new(base: I) -> Self {
        FlattenIter { base }
    }
}

impl<I> ParallelIterator for FlattenIter<I>
where
    I: ParallelIterator<Item: IntoIterator<Item: Send>>,
{
    type Item = <I::Item as IntoIterator>::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(FlatMapping(&|items| items))))
    }
}

/// Unwraps items until somebody meets a `None`; made by [`ParallelIterator::while_some`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct WhileSome<I> {
    base: I,
}

impl<I> WhileSome<I> {
    pub(super) fn new(base: I) -> Self {
        WhileSome { base }
    }
}

#[derive(Clone)]
struct UntilNone<'a> {
    met: &'a AtomicBool,
}

impl<T> Step<Option<T>> for UntilNone<'_> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: Option<T>, next: F) -> F {
        match item {
            Some(item) => next.consume(item),
            None => {
                // ORDERING: says only that it may stop; nothing is read because of it.
                self.met.store(true, Relaxed);
                next
            }
        }
    }

    #[inline]
    fn done(&self) -> bool {
        self.met.load(Relaxed)
    }
}

impl<I, T> ParallelIterator for WhileSome<I>
where
    I: ParallelIterator<Item = Option<T>>,
    T: Send,
{
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(UntilNone { met: &AtomicBool::new(false) })))
    }
}
