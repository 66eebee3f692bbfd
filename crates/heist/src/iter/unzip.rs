//! Two collections in one go: `unzip`, `partition`, `partition_map`, `unzip_into_vecs`, and `collect` into
//! pairs.
//!
//! A collection takes its items by driving an iterator with a consumer of its own choice, so two collections
//! must be asked one inside the other. The left one is given [`LeftItems`]; once that learns the left
//! consumer, it gives the right collection [`RightItems`]; once that learns the right consumer, a [`Sorter`]
//! of both consumes the actual items.
//!
//! ```text
//!   left.take(LeftItems) ── to_left ──> right.take(RightItems) ── to_right ──> items.drive(Sorter)
//! ```

use super::{
    Either, FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelExtend,
    ParallelIterator,
    plumbing::{Consumer, Folder, Reducer, UnindexedConsumer},
    stage::{Plain, Step, staged},
};
use std::marker::PhantomData;

/// `unzip`.
pub(super) fn unzip<I, A, B, FromA, FromB>(items: I) -> (FromA, FromB)
where
    I: ParallelIterator<Item = (A, B)>,
    FromA: Default + Send + ParallelExtend<A>,
    FromB: Default + Send + ParallelExtend<B>,
    A: Send,
    B: Send,
{
    let mut both = (FromA::default(), FromB::default());
    both.par_extend(items);
    both
}

/// `partition_map`.
pub(super) fn partition_map<I, A, B, P, L, R>(items: I, op: P) -> (A, B)
where
    I: ParallelIterator,
    A: Default + Send + ParallelExtend<L>,
    B: Default + Send + ParallelExtend<R>,
    P: Fn(I::Item) -> Either<L, R> + Sync + Send,
    L: Send,
    R: Send,
{
    let mut both = (A::default(), B::default());
    both.par_extend(items.map(op));
    both
}

/// Drives two consumers that are told about indices; for `unzip_into_vecs`.
pub(super) fn drive_both<I, A, B, L, R>(items: I, left: L, right: R) -> (L::Result, R::Result)
where
    I: IndexedParallelIterator<Item = (A, B)>,
    A: Send,
    B: Send,
    L: Consumer<A>,
    R: Consumer<B>,
{
    items.drive(Sorter { sort: Pairs, left, right })
}

/// Adds the parts of pairs to two collections.
impl<A, B, FromA, FromB> ParallelExtend<(A, B)> for (FromA, FromB)
where
    A: Send,
    B: Send,
    FromA: Send + ParallelExtend<A>,
    FromB: Send + ParallelExtend<B>,
{
    fn par_extend<I: IntoParallelIterator<Item = (A, B)>>(&mut self, par_iter: I) {
        sort_into(par_iter.into_par_iter(), Pairs, Extend(&mut self.0), Extend(&mut self.1));
    }
}

/// Adds items to the collection of their side.
impl<L, R, A, B> ParallelExtend<Either<L, R>> for (A, B)
where
    L: Send,
    R: Send,
    A: Send + ParallelExtend<L>,
    B: Send + ParallelExtend<R>,
{
    fn par_extend<I: IntoParallelIterator<Item = Either<L, R>>>(&mut self, par_iter: I) {
        sort_into(par_iter.into_par_iter(), Sides, Extend(&mut self.0), Extend(&mut self.1));
    }
}

/// Collects the parts of pairs into two collections.
///
/// ```
/// use heist::prelude::*;
///
/// let (numbers, letters): (Vec<i32>, String) = heist::iter::repeat_n((1, 'a'), 3).collect();
/// assert_eq!((numbers, letters), (vec![1, 1, 1], "aaa".to_string()));
/// ```
impl<A, B, FromA, FromB> FromParallelIterator<(A, B)> for (FromA, FromB)
where
    A: Send,
    B: Send,
    FromA: Send + FromParallelIterator<A>,
    FromB: Send + FromParallelIterator<B>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = (A, B)>>(par_iter: I) -> Self {
        let (left, right) =
            sort_into(par_iter.into_par_iter(), Pairs, Build(PhantomData), Build(PhantomData));
        (left, right.expect(NOT_DRIVEN))
    }
}

/// Collects items into the collection of their side.
impl<L, R, A, B> FromParallelIterator<Either<L, R>> for (A, B)
where
    L: Send,
    R: Send,
    A: Send + FromParallelIterator<L>,
    B: Send + FromParallelIterator<R>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Either<L, R>>>(par_iter: I) -> Self {
        let (left, right) =
            sort_into(par_iter.into_par_iter(), Sides, Build(PhantomData), Build(PhantomData));
        (left, right.expect(NOT_DRIVEN))
    }
}

const NOT_DRIVEN: &str = "a collection has not consumed the iterator it was given";

/// Where items go.
trait Target<T: Send>: Send {
    type Built;

    fn take<I: ParallelIterator<Item = T>>(self, items: I) -> Self::Built;
}

struct Extend<'c, C>(&'c mut C);

impl<T: Send, C: Send + ParallelExtend<T>> Target<T> for Extend<'_, C> {
    type Built = ();

    fn take<I: ParallelIterator<Item = T>>(self, items: I) {
        self.0.par_extend(items);
    }
}

struct Build<C>(PhantomData<fn() -> C>);

impl<T: Send, C: FromParallelIterator<T>> Target<T> for Build<C> {
    type Built = C;

    fn take<I: ParallelIterator<Item = T>>(self, items: I) -> C {
        C::from_par_iter(items)
    }
}

/// Which parts of an item go left and right.
trait Sort<T>: Copy + Send {
    type Left: Send;
    type Right: Send;
    /// Whether every item goes both ways, so that indices hold on either side.
    const KEEPS_INDICES: bool;

    fn sort<L: Folder<Self::Left>, R: Folder<Self::Right>>(self, item: T, left: L, right: R) -> (L, R);
}

#[derive(Clone, Copy)]
struct Pairs;

impl<A: Send, B: Send> Sort<(A, B)> for Pairs {
    type Left = A;
    type Right = B;
    const KEEPS_INDICES: bool = true;

    #[inline]
    fn sort<L: Folder<A>, R: Folder<B>>(self, (a, b): (A, B), left: L, right: R) -> (L, R) {
        (left.consume(a), right.consume(b))
    }
}

#[derive(Clone, Copy)]
struct Sides;

impl<A: Send, B: Send> Sort<Either<A, B>> for Sides {
    type Left = A;
    type Right = B;
    const KEEPS_INDICES: bool = false;

    #[inline]
    fn sort<L: Folder<A>, R: Folder<B>>(self, item: Either<A, B>, left: L, right: R) -> (L, R) {
        match item {
            Either::Left(a) => (left.consume(a), right),
            Either::Right(b) => (left, right.consume(b)),
        }
    }
}

/// Sorts items into two targets. The right one is none if the left did not care for its items.
fn sort_into<I, S, L, R>(items: I, sort: S, left: L, right: R) -> (L::Built, Option<R::Built>)
where
    I: ParallelIterator,
    S: Sort<I::Item>,
    L: Target<S::Left>,
    R: Target<S::Right, Built: Send>,
{
    let mut right_built = None;
    let left_built = left.take(LeftItems { items, sort, right, built: &mut right_built });
    (left_built, right_built)
}

struct LeftItems<'r, I, S, R, B> {
    items: I,
    sort: S,
    right: R,
    built: &'r mut Option<B>,
}

impl<I, S, R> ParallelIterator for LeftItems<'_, I, S, R, R::Built>
where
    I: ParallelIterator,
    S: Sort<I::Item>,
    R: Target<S::Right, Built: Send>,
{
    type Item = S::Left;

    fn drive_unindexed<C: UnindexedConsumer<S::Left>>(self, to_left: C) -> C::Result {
        let LeftItems { items, sort, right, built } = self;
        let mut left_result = None;
        *built = Some(right.take(RightItems { items, sort, to_left, result: &mut left_result }));
        left_result.expect(NOT_DRIVEN)
    }

    fn opt_len(&self) -> Option<usize> {
        if S::KEEPS_INDICES { self.items.opt_len() } else { None }
    }
}

struct RightItems<'l, I, S, C, R> {
    items: I,
    sort: S,
    to_left: C,
    result: &'l mut Option<R>,
}

impl<I, S, C> ParallelIterator for RightItems<'_, I, S, C, C::Result>
where
    I: ParallelIterator,
    S: Sort<I::Item>,
    C: UnindexedConsumer<S::Left>,
{
    type Item = S::Right;

    fn drive_unindexed<D: UnindexedConsumer<S::Right>>(self, to_right: D) -> D::Result {
        let sorter = Sorter { sort: self.sort, left: self.to_left, right: to_right };
        let (left, right) = if S::KEEPS_INDICES {
            self.items.drive_unindexed(sorter)
        } else {
            self.items.drive_unindexed(staged(sorter, Plain(Pass)))
        };
        *self.result = Some(left);
        right
    }

    fn opt_len(&self) -> Option<usize> {
        if S::KEEPS_INDICES { self.items.opt_len() } else { None }
    }
}

/// The stage that does nothing, except that it lets no index through.
#[derive(Clone)]
struct Pass;

impl<T> Step<T> for Pass {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        next.consume(item)
    }
}

/// Two consumers behind one; also their folders and their reducers.
struct Sorter<S, L, R> {
    sort: S,
    left: L,
    right: R,
}

impl<T, S, L, R> Consumer<T> for Sorter<S, L, R>
where
    S: Sort<T>,
    L: Consumer<S::Left>,
    R: Consumer<S::Right>,
{
    type Folder = Sorter<S, L::Folder, R::Folder>;
    type Reducer = Sorter<(), L::Reducer, R::Reducer>;
    type Result = (L::Result, R::Result);

    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer) {
        let sort = self.sort;
        let (left, left_behind, left_reducer) = self.left.split_at(index);
        let (right, right_behind, right_reducer) = self.right.split_at(index);
        (
            Sorter { sort, left, right },
            Sorter { sort, left: left_behind, right: right_behind },
            Sorter { sort: (), left: left_reducer, right: right_reducer },
        )
    }

    fn into_folder(self) -> Self::Folder {
        Sorter { sort: self.sort, left: self.left.into_folder(), right: self.right.into_folder() }
    }

    fn full(&self) -> bool {
        self.left.full() && self.right.full()
    }
}

impl<T, S, L, R> UnindexedConsumer<T> for Sorter<S, L, R>
where
    S: Sort<T>,
    L: UnindexedConsumer<S::Left>,
    R: UnindexedConsumer<S::Right>,
{
    fn split_off_left(&self) -> Self {
        Sorter { sort: self.sort, left: self.left.split_off_left(), right: self.right.split_off_left() }
    }

    fn to_reducer(&self) -> Self::Reducer {
        Sorter { sort: (), left: self.left.to_reducer(), right: self.right.to_reducer() }
    }
}

impl<T, S, L, R> Folder<T> for Sorter<S, L, R>
where
    S: Sort<T>,
    L: Folder<S::Left>,
    R: Folder<S::Right>,
{
    type Result = (L::Result, R::Result);

    #[inline]
    fn consume(self, item: T) -> Self {
        let (left, right) = self.sort.sort(item, self.left, self.right);
        Sorter { sort: self.sort, left, right }
    }

    fn complete(self) -> Self::Result {
        (self.left.complete(), self.right.complete())
    }

    #[inline]
    fn full(&self) -> bool {
        self.left.full() && self.right.full()
    }
}

impl<A, B, L: Reducer<A>, R: Reducer<B>> Reducer<(A, B)> for Sorter<(), L, R> {
    fn reduce(self, left: (A, B), right: (A, B)) -> (A, B) {
        (self.left.reduce(left.0, right.0), self.right.reduce(left.1, right.1))
    }
}
