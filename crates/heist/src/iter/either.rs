//! [`Either`] of two parallel iterators is one.

use super::{
    IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
    plumbing::{Consumer, ProducerCallback, UnindexedConsumer},
};
use either::Either::{self, Left, Right};

/// Either of two iterators over the same kind of item.
impl<L, R> ParallelIterator for Either<L, R>
where
    L: ParallelIterator,
    R: ParallelIterator<Item = L::Item>,
{
    type Item = L::Item;

    fn drive_unindexed<C: UnindexedConsumer<L::Item>>(self, consumer: C) -> C::Result {
        match self {
            Left(left) => left.drive_unindexed(consumer),
            Right(right) => right.drive_unindexed(consumer),
        }
    }

    fn opt_len(&self) -> Option<usize> {
        match self {
            Left(left) => left.opt_len(),
            Right(right) => right.opt_len(),
        }
    }
}

impl<L, R> IndexedParallelIterator for Either<L, R>
where
    L: IndexedParallelIterator,
    R: IndexedParallelIterator<Item = L::Item>,
{
    fn drive<C: Consumer<L::Item>>(self, consumer: C) -> C::Result {
        match self {
            Left(left) => left.drive(consumer),
            Right(right) => right.drive(consumer),
        }
    }

    fn len(&self) -> usize {
        match self {
            Left(left) => left.len(),
            Right(right) => right.len(),
        }
    }

    fn with_producer<CB: ProducerCallback<L::Item>>(self, callback: CB) -> CB::Output {
        match self {
            Left(left) => left.with_producer(callback),
            Right(right) => right.with_producer(callback),
        }
    }
}

/// Either of two collections of the same kind of item.
impl<L, R, T> ParallelExtend<T> for Either<L, R>
where
    L: ParallelExtend<T>,
    R: ParallelExtend<T>,
    T: Send,
{
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        match self {
            Left(left) => left.par_extend(par_iter),
            Right(right) => right.par_extend(par_iter),
        }
    }
}
