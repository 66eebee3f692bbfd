//! Adaptors that make one item of each: `map`, `map_with`, `map_init`, `cloned`, `copied`.

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

/// Calls a function with each item and yields what it returns; made by [`ParallelIterator::map`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Map<I, F> {
    base: I,
    op: F,
}

impl<I, F> Map<I, F> {
    pub(super) fn new(base: I, op: F) -> Self {
        Map { base, op }
    }
}

impl<I: Debug, F> Debug for Map<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Mapping<F>(F);

impl<T, R, F: Fn(T) -> R + Sync> Apply<T> for Mapping<&F> {
    type Out = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        (self.0)(item)
    }
}

impl<'f, T, R, F: Fn(T) -> R + Sync> Each<T> for Mapping<&'f F> {
    type Out = R;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = iter::Map<I, &'f F>;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        items.map(self.0)
    }
}

impl<I, F, R> ParallelIterator for Map<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Mapping(&self.op)))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I, F, R> IndexedParallelIterator for Map<I, F>
where
    I: IndexedParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: Send,
{
    #[inline]
    fn drive<C: Consumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Mapping(&self.op)))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<R>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Mapping(&self.op)), callback)
    }
}

/// A [`Map`] whose function also gets a value cloned for each piece; made by [`ParallelIterator::map_with`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct MapWith<I, T, F> {
    base: I,
    item: T,
    op: F,
}

impl<I, T, F> MapWith<I, T, F> {
    pub(super) fn new(base: I, item: T, op: F) -> Self {
        MapWith { base, item, op }
    }
}

impl<I: Debug, T: Debug, F> Debug for MapWith<I, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapWith").field("base", &self.base).field("item", &self.item).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct With<U, F> {
    item: U,
    op: F,
}

impl<T, U, R, F: Fn(&mut U, T) -> R + Sync> Apply<T> for With<U, &F> {
    type Out = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        (self.op)(&mut self.item, item)
    }
}

impl<T, U: Send + Clone, R, F: Fn(&mut U, T) -> R + Sync> Each<T> for With<U, &F> {
    type Out = R;
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

impl<I, T, F, R> ParallelIterator for MapWith<I, T, F>
where
    I: ParallelIterator,
    T: Send + Clone,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, With { item: self.item, op: &self.op }))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I, T, F, R> IndexedParallelIterator for MapWith<I, T, F>
where
    I: IndexedParallelIterator,
    T: Send + Clone,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    #[inline]
    fn drive<C: Consumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, With { item: self.item, op: &self.op }))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<R>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(With { item: self.item, op: &self.op }), callback)
    }
}

/// A [`Map`] whose function also gets a value made for each piece; made by [`ParallelIterator::map_init`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct MapInit<I, INIT, F> {
    base: I,
    init: INIT,
    op: F,
}

impl<I, INIT, F> MapInit<I, INIT, F> {
    pub(super) fn new(base: I, init: INIT, op: F) -> Self {
        MapInit { base, init, op }
    }
}

impl<I: Debug, INIT, F> Debug for MapInit<I, INIT, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapInit").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Init<G, F> {
    init: G,
    op: F,
}

impl<'f, T, U, R, G, F> Each<T> for Init<&'f G, &'f F>
where
    G: Fn() -> U + Sync,
    F: Fn(&mut U, T) -> R + Sync,
{
    type Out = R;
    type State = With<U, &'f F>;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = ApplyIter<I, With<U, &'f F>>;

    #[inline]
    fn state(self) -> Self::State {
        With { item: (self.init)(), op: self.op }
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        ApplyIter::new(items, self.state())
    }
}

impl<I, INIT, T, F, R> ParallelIterator for MapInit<I, INIT, F>
where
    I: ParallelIterator,
    INIT: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Init { init: &self.init, op: &self.op }))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I, INIT, T, F, R> IndexedParallelIterator for MapInit<I, INIT, F>
where
    I: IndexedParallelIterator,
    INIT: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    #[inline]
    fn drive<C: Consumer<R>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Init { init: &self.init, op: &self.op }))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<R>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Init { init: &self.init, op: &self.op }), callback)
    }
}

/// Clones the items it gets by reference; made by [`ParallelIterator::cloned`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Cloned<I> {
    base: I,
}

impl<I> Cloned<I> {
    pub(super) fn new(base: I) -> Self {
        Cloned { base }
    }
}

#[derive(Clone)]
struct Cloning;

impl<'a, T: 'a + Clone> Apply<&'a T> for Cloning {
    type Out = T;

    #[inline]
    fn apply(&mut self, item: &'a T) -> T {
        item.clone()
    }
}

impl<'a, T: 'a + Clone> Each<&'a T> for Cloning {
    type Out = T;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = &'a T> + ExactSizeIterator> = iter::Cloned<I>;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = &'a T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        items.cloned()
    }
}

impl<'a, T, I> ParallelIterator for Cloned<I>
where
    I: ParallelIterator<Item = &'a T>,
    T: 'a + Clone + Send + Sync,
{
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Cloning))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<'a, T, I> IndexedParallelIterator for Cloned<I>
where
    I: IndexedParallelIterator<Item = &'a T>,
    T: 'a + Clone + Send + Sync,
{
    #[inline]
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Cloning))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Cloning), callback)
    }
}

/// Copies the items it gets by reference; made by [`ParallelIterator::copied`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Copied<I> {
    base: I,
}

impl<I> Copied<I> {
    pub(super) fn new(base: I) -> Self {
        Copied { base }
    }
}

#[derive(Clone)]
struct Copying;

impl<'a, T: 'a + Copy> Apply<&'a T> for Copying {
    type Out = T;

    #[inline]
    fn apply(&mut self, item: &'a T) -> T {
        *item
    }
}

impl<'a, T: 'a + Copy> Each<&'a T> for Copying {
    type Out = T;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = &'a T> + ExactSizeIterator> = iter::Copied<I>;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = &'a T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I> {
        items.copied()
    }
}

impl<'a, T, I> ParallelIterator for Copied<I>
where
    I: ParallelIterator<Item = &'a T>,
    T: 'a + Copy + Send + Sync,
{
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Copying))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<'a, T, I> IndexedParallelIterator for Copied<I>
where
    I: IndexedParallelIterator<Item = &'a T>,
    T: 'a + Copy + Send + Sync,
{
    #[inline]
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Copying))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Copying), callback)
    }
}
