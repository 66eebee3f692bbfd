//! Adaptors that run a parallel iterator for each item: `flat_map` and `flatten`.

use super::{
    IntoParallelIterator, ParallelIterator,
    plumbing::{Consumer, Folder, Reducer, UnindexedConsumer},
};
use std::fmt::{self, Debug};

/// Yields, one after another, the items of the parallel iterators that a function makes of each item; made by
/// [`ParallelIterator::flat_map`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FlatMap<I, F> {
    base: I,
    op: F,
}

impl<I, F> FlatMap<I, F> {
    pub(super) fn new(base: I, op: F) -> Self {
        FlatMap { base, op }
    }
}

impl<I: Debug, F> Debug for FlatMap<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatMap").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<I, F, PI> ParallelIterator for FlatMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> PI + Sync + Send,
    PI: IntoParallelIterator,
{
    type Item = PI::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<PI::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(Flattening { next: consumer, op: &self.op })
    }
}

/// Yields, one after another, the items of items that are parallel iterators or become such; made by
/// [`ParallelIterator::flatten`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Flatten<I> {
    base: I,
}

impl<I> Flatten<I> {
    pub(super) fn new(base: I) -> Self {
        Flatten { base }
    }
}

impl<I> ParallelIterator for Flatten<I>
where
    I: ParallelIterator<Item: IntoParallelIterator>,
{
    type Item = <I::Item as IntoParallelIterator>::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(Flattening { next: consumer, op: &|items| items })
    }
}

/// Cuts a consumer off `next` for every item, and drives it with what `op` makes of the item.
struct Flattening<'f, C, F> {
    next: C,
    op: &'f F,
}

impl<'f, T, U, C, F> Consumer<T> for Flattening<'f, C, F>
where
    C: UnindexedConsumer<U::Item>,
    F: Fn(T) -> U + Sync,
    U: IntoParallelIterator,
{
    type Folder = FlatteningLeaf<'f, C, F, C::Result>;
    type Reducer = C::Reducer;
    type Result = C::Result;

    fn split_at(self, _index: usize) -> (Self, Self, C::Reducer) {
        let reducer = self.next.to_reducer();
        (self.split_off_left(), self, reducer)
    }

    fn into_folder(self) -> Self::Folder {
        FlatteningLeaf { next: self.next, op: self.op, so_far: None }
    }

    fn full(&self) -> bool {
        self.next.full()
    }
}

impl<T, U, C, F> UnindexedConsumer<T> for Flattening<'_, C, F>
where
    C: UnindexedConsumer<U::Item>,
    F: Fn(T) -> U + Sync,
    U: IntoParallelIterator,
{
    fn split_off_left(&self) -> Self {
        Flattening { next: self.next.split_off_left(), op: self.op }
    }

    fn to_reducer(&self) -> C::Reducer {
        self.next.to_reducer()
    }
}

struct FlatteningLeaf<'f, C, F, R> {
    next: C,
    op: &'f F,
    /// The result of the items seen; none before the first.
    so_far: Option<R>,
}

impl<T, U, C, F> Folder<T> for FlatteningLeaf<'_, C, F, C::Result>
where
    C: UnindexedConsumer<U::Item>,
    F: Fn(T) -> U,
    U: IntoParallelIterator,
{
    type Result = C::Result;

    fn consume(self, item: T) -> Self {
        let FlatteningLeaf { next, op, so_far } = self;
        let items = op(item).into_par_iter();
        let reducer = next.to_reducer();
        let result = items.drive_unindexed(next.split_off_left());
        let so_far = Some(match so_far {
            Some(so_far) => reducer.reduce(so_far, result),
            None => result,
        });
        FlatteningLeaf { next, op, so_far }
    }

    fn complete(self) -> C::Result {
        match self.so_far {
            Some(so_far) => so_far,
            None => self.next.into_folder().complete(),
        }
    }

    fn full(&self) -> bool {
        self.next.full()
    }
}
