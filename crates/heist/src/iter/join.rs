//! Adaptors that put two iterators into one sequence: `chain`, `interleave`, `interleave_shortest`.

use super::{
    IndexedParallelIterator, ParallelIterator, Take,
    plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge},
    wrap::{WrapTwo, with_two_wrapped},
};
use crate::join;
use std::iter::Fuse;

/// The items of one iterator, then those of another; made by [`ParallelIterator::chain`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(super) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

impl<A, B> ParallelIterator for Chain<A, B>
where
    A: ParallelIterator,
    B: ParallelIterator<Item = A::Item>,
{
    type Item = A::Item;

    fn drive_unindexed<C: UnindexedConsumer<A::Item>>(self, consumer: C) -> C::Result {
        let (left, right, reducer) = match (self.a.opt_len(), self.b.opt_len()) {
            // A consumer that was told how many items will come wants to be cut at an index.
            (Some(len), Some(_)) => consumer.split_at(len),
            _ => {
                let reducer = consumer.to_reducer();
                (consumer.split_off_left(), consumer, reducer)
            }
        };
        let (a, b) = join(|| self.a.drive_unindexed(left), || self.b.drive_unindexed(right));
        reducer.reduce(a, b)
    }

    fn opt_len(&self) -> Option<usize> {
        self.a.opt_len()?.checked_add(self.b.opt_len()?)
    }
}

impl<A, B> IndexedParallelIterator for Chain<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    #[inline]
    fn drive<C: Consumer<A::Item>>(self, consumer: C) -> C::Result {
        let (left, right, reducer) = consumer.split_at(self.a.len());
        let (a, b) = join(|| self.a.drive(left), || self.b.drive(right));
        reducer.reduce(a, b)
    }

    fn len(&self) -> usize {
        self.a.len().checked_add(self.b.len()).expect("a chain has more items than a usize can count")
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<A::Item>>(self, callback: CB) -> CB::Output {
        let len = self.a.len();
        with_two_wrapped(self.a, self.b, Chaining { len }, callback)
    }
}

struct Chaining {
    len: usize,
}

impl<T> WrapTwo<T, T> for Chaining {
    type Item = T;
    type Producer<P: Producer<Item = T>, Q: Producer<Item = T>> = ChainProducer<P, Q>;

    fn wrap<P: Producer<Item = T>, Q: Producer<Item = T>>(self, a: P, b: Q) -> ChainProducer<P, Q> {
        ChainProducer { a: Some(a), len: self.len, b: Some(b) }
    }
}

/// A piece of a chain; a part is none if the piece does not reach into it.
struct ChainProducer<P, Q> {
    a: Option<P>,
    /// How many items `a` has.
    len: usize,
    b: Option<Q>,
}

impl<P: Producer, Q: Producer<Item = P::Item>> Producer for ChainProducer<P, Q> {
    type Item = P::Item;
    type IntoIter = ChainIter<P::IntoIter, Q::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        ChainIter { a: self.a.map(Producer::into_iter), b: self.b.map(Producer::into_iter) }
    }

    fn min_len(&self) -> usize {
        let a = self.a.as_ref().map_or(1, Producer::min_len);
        a.max(self.b.as_ref().map_or(1, Producer::min_len))
    }

    fn max_len(&self) -> usize {
        let a = self.a.as_ref().map_or(usize::MAX, Producer::max_len);
        a.min(self.b.as_ref().map_or(usize::MAX, Producer::max_len))
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let ChainProducer { a, len, b } = self;
        if index < len {
            let (left, right) = a.map(|a| a.split_at(index)).unzip();
            return (
                ChainProducer { a: left, len: index, b: None },
                ChainProducer { a: right, len: len - index, b },
            );
        }
        let (left, right) = b.map(|b| b.split_at(index - len)).unzip();
        (ChainProducer { a, len, b: left }, ChainProducer { a: None, len: 0, b: right })
    }

    #[inline]
    fn fold_with<F: Folder<P::Item>>(self, mut folder: F) -> F {
        if let Some(a) = self.a {
            folder = a.fold_with(folder);
        }
        match self.b {
            Some(b) if !folder.full() => b.fold_with(folder),
            _ => folder,
        }
    }
}

/// The standard library's chain has no exact size, for fear of an overflow that cannot happen here.
struct ChainIter<A, B> {
    a: Option<A>,
    b: Option<B>,
}

impl<A, B> Iterator for ChainIter<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        if let Some(a) = &mut self.a {
            match a.next() {
                None => self.a = None,
                item => return item,
            }
        }
        self.b.as_mut()?.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.a.as_ref().map_or(0, A::len) + self.b.as_ref().map_or(0, B::len);
        (len, Some(len))
    }

    #[inline]
    fn fold<U, F: FnMut(U, A::Item) -> U>(self, init: U, mut f: F) -> U {
        let init = self.a.into_iter().flatten().fold(init, &mut f);
        self.b.into_iter().flatten().fold(init, f)
    }
}

impl<A, B> DoubleEndedIterator for ChainIter<A, B>
where
    A: DoubleEndedIterator + ExactSizeIterator,
    B: DoubleEndedIterator<Item = A::Item> + ExactSizeIterator,
{
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        if let Some(b) = &mut self.b {
            match b.next_back() {
                None => self.b = None,
                item => return item,
            }
        }
        self.a.as_mut()?.next_back()
    }
}

impl<A, B> ExactSizeIterator for ChainIter<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
}

/// Items of two iterators in turn, then the rest of the longer one; made by
/// [`IndexedParallelIterator::interleave`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Interleave<I, J> {
    i: I,
    j: J,
}

impl<I, J> Interleave<I, J> {
    pub(super) fn new(i: I, j: J) -> Self {
        Interleave { i, j }
    }
}

impl<I, J> ParallelIterator for Interleave<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I, J> IndexedParallelIterator for Interleave<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.i.len().checked_add(self.j.len()).expect("two iterators have more items than a usize can count")
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        let turns = InTurn { i_len: self.i.len(), j_len: self.j.len() };
        with_two_wrapped(self.i, self.j, turns, callback)
    }
}

struct InTurn {
    i_len: usize,
    j_len: usize,
}

impl<T> WrapTwo<T, T> for InTurn {
    type Item = T;
    type Producer<P: Producer<Item = T>, Q: Producer<Item = T>> = InterleaveProducer<P, Q>;

    fn wrap<P: Producer<Item = T>, Q: Producer<Item = T>>(self, i: P, j: Q) -> InterleaveProducer<P, Q> {
        InterleaveProducer { i, j, i_len: self.i_len, j_len: self.j_len, turn_of_i: true }
    }
}

struct InterleaveProducer<P, Q> {
    i: P,
    j: Q,
    i_len: usize,
    j_len: usize,
    /// Whose turn it is, which matters as long as both have items.
    turn_of_i: bool,
}

impl<P: Producer, Q: Producer<Item = P::Item>> Producer for InterleaveProducer<P, Q> {
    type Item = P::Item;
    type IntoIter = InterleaveIter<P::IntoIter, Q::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        let (i, j) = (self.i.into_iter().fuse(), self.j.into_iter().fuse());
        InterleaveIter { i, j, turn_of_i: self.turn_of_i }
    }

    fn min_len(&self) -> usize {
        self.i.min_len().max(self.j.min_len())
    }

    fn max_len(&self) -> usize {
        self.i.max_len().min(self.j.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let InterleaveProducer { i, j, i_len, j_len, turn_of_i } = self;
        // Who has the turn gets the odd one; who runs out leaves the rest to the other.
        let (more, fewer) = (index.div_ceil(2), index / 2);
        let i_wish = if turn_of_i { more } else { fewer };
        let j_share = (index - i_wish.min(i_len)).min(j_len);
        let i_share = index - j_share;

        let (left_i, right_i) = i.split_at(i_share);
        let (left_j, right_j) = j.split_at(j_share);
        let left = InterleaveProducer { i: left_i, j: left_j, i_len: i_share, j_len: j_share, turn_of_i };
        let right = InterleaveProducer {
            i: right_i,
            j: right_j,
            i_len: i_len - i_share,
            j_len: j_len - j_share,
            turn_of_i: turn_of_i == index.is_multiple_of(2),
        };
        (left, right)
    }
}

struct InterleaveIter<I, J> {
    i: Fuse<I>,
    j: Fuse<J>,
    turn_of_i: bool,
}

impl<I, J> Iterator for InterleaveIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator<Item = I::Item>,
{
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.turn_of_i = !self.turn_of_i;
        if self.turn_of_i {
            self.j.next().or_else(|| self.i.next())
        } else {
            self.i.next().or_else(|| self.j.next())
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.i.len() + self.j.len();
        (len, Some(len))
    }
}

impl<I, J> DoubleEndedIterator for InterleaveIter<I, J>
where
    I: DoubleEndedIterator + ExactSizeIterator,
    J: DoubleEndedIterator<Item = I::Item> + ExactSizeIterator,
{
    fn next_back(&mut self) -> Option<I::Item> {
        let (i_len, j_len) = (self.i.len(), self.j.len());
        // The longer one is last; if none is, the one that does not begin.
        let from_i = i_len > j_len || (i_len == j_len && !self.turn_of_i);
        if from_i { self.i.next_back() } else { self.j.next_back() }
    }
}

impl<I, J> ExactSizeIterator for InterleaveIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator<Item = I::Item>,
{
}

/// Items of two iterators in turn, until the one whose turn it is has no more; made by
/// [`IndexedParallelIterator::interleave_shortest`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct InterleaveShortest<I, J> {
    interleave: Interleave<Take<I>, Take<J>>,
}

impl<I, J> InterleaveShortest<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    pub(super) fn new(i: I, j: J) -> Self {
        let rounds = i.len().min(j.len());
        let one_more = usize::from(i.len() > rounds);
        InterleaveShortest { interleave: Interleave::new(i.take(rounds + one_more), j.take(rounds)) }
    }
}

impl<I, J> ParallelIterator for InterleaveShortest<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self.interleave, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        self.interleave.opt_len()
    }
}

impl<I, J> IndexedParallelIterator for InterleaveShortest<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self.interleave, consumer)
    }

    fn len(&self) -> usize {
        self.interleave.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        self.interleave.with_producer(callback)
    }
}
