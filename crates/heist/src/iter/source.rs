//! Iterators out of thin air: `empty`, `once`, `repeat`, `repeat_n`, and `split`, out of anything divisible.

use super::{
    IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip,
    plumbing::{
        Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, UnindexedProducer, bridge,
        bridge_unindexed,
    },
};
use std::{
    fmt::{self, Debug},
    iter,
    marker::PhantomData,
};

/// No items at all; made by [`empty`].
pub struct Empty<T> {
    marker: PhantomData<T>,
}

/// An iterator without items.
///
/// ```
/// use heist::prelude::*;
///
/// assert_eq!(heist::iter::empty::<u8>().count(), 0);
/// ```
pub fn empty<T: Send>() -> Empty<T> {
    Empty { marker: PhantomData }
}

impl<T> Clone for Empty<T> {
    fn clone(&self) -> Self {
        Empty { marker: PhantomData }
    }
}

impl<T: Send> Debug for Empty<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Empty")
    }
}

impl<T: Send> ParallelIterator for Empty<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(0)
    }
}

impl<T: Send> IndexedParallelIterator for Empty<T> {
    #[inline]
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        consumer.into_folder().complete()
    }

    fn len(&self) -> usize {
        0
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        callback.callback(EmptyProducer(self))
    }
}

struct EmptyProducer<T>(Empty<T>);

impl<T: Send> Producer for EmptyProducer<T> {
    type Item = T;
    type IntoIter = iter::Empty<T>;

    fn into_iter(self) -> Self::IntoIter {
        iter::empty()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        debug_assert_eq!(index, 0);
        (EmptyProducer(empty()), self)
    }
}

/// A single item; made by [`once`].
#[derive(Debug, Clone)]
pub struct Once<T> {
    item: T,
}

/// An iterator over one item, for instance to chain it to others.
///
/// ```
/// use heist::{iter::{once, repeat_n}, prelude::*};
///
/// let numbers: Vec<i32> = once(1).chain(repeat_n(0, 2)).collect();
/// assert_eq!(numbers, [1, 0, 0]);
/// ```
pub fn once<T: Send>(item: T) -> Once<T> {
    Once { item }
}

impl<T: Send> ParallelIterator for Once<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(1)
    }
}

impl<T: Send> IndexedParallelIterator for Once<T> {
    #[inline]
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        consumer.into_folder().consume(self.item).complete()
    }

    fn len(&self) -> usize {
        1
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        callback.callback(OnceProducer(Some(self.item)))
    }
}

struct OnceProducer<T>(Option<T>);

impl<T: Send> Producer for OnceProducer<T> {
    type Item = T;
    type IntoIter = std::option::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        if index == 0 { (OnceProducer(None), self) } else { (self, OnceProducer(None)) }
    }
}

/// A value, cloned without end; made by [`repeat`].
#[derive(Debug, Clone)]
pub struct Repeat<T> {
    item: T,
}

/// Clones of `element` without end.
///
/// It must be cut short, by [`Repeat::take`], [`Repeat::zip`], `while_some`, `find_any` or the like.
///
/// ```
/// use heist::{iter::repeat, prelude::*};
///
/// let letters: Vec<char> = repeat('a').take(3).collect();
/// assert_eq!(letters, ['a', 'a', 'a']);
/// ```
pub fn repeat<T: Clone + Send>(element: T) -> Repeat<T> {
    Repeat { item: element }
}

impl<T: Clone + Send> Repeat<T> {
    /// Only `n` clones: an indexed iterator.
    pub fn take(self, n: usize) -> RepeatN<T> {
        repeat_n(self.item, n)
    }

    /// Pairs of a clone and an item of `zip_op`, as many as that has.
    pub fn zip<Z>(self, zip_op: Z) -> Zip<RepeatN<T>, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = zip_op.into_par_iter();
        self.take(other.len()).zip(other)
    }
}

impl<T: Clone + Send> ParallelIterator for Repeat<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        bridge_unindexed(RepeatProducer(self.item), consumer)
    }
}

struct RepeatProducer<T>(T);

impl<T: Clone + Send> UnindexedProducer for RepeatProducer<T> {
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        (RepeatProducer(self.0.clone()), Some(self))
    }

    fn fold_with<F: Folder<T>>(self, folder: F) -> F {
        folder.consume_iter(iter::repeat(self.0))
    }
}

/// A value, cloned a number of times; made by [`repeat_n`].
#[derive(Clone)]
pub struct RepeatN<T> {
    /// None if there is nothing to repeat.
    repeats: Option<(T, usize)>,
}

/// Clones of `element`, `n` of them.
///
/// ```
/// use heist::{iter::repeat_n, prelude::*};
///
/// assert_eq!(repeat_n("ab", 3).collect::<String>(), "ababab");
/// ```
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN { repeats: (n > 0).then_some((element, n)) }
}

/// The former name of [`repeat_n`].
#[deprecated(note = "use `repeat_n`")]
pub fn repeatn<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    repeat_n(element, n)
}

impl<T: Debug> Debug for RepeatN<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RepeatN");
        match &self.repeats {
            Some((item, count)) => debug.field("count", count).field("element", item),
            None => debug.field("count", &0),
        };
        debug.finish()
    }
}

impl<T: Clone + Send> ParallelIterator for RepeatN<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Clone + Send> IndexedParallelIterator for RepeatN<T> {
    #[inline]
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.repeats.as_ref().map_or(0, |&(_, count)| count)
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        callback.callback(RepeatNProducer(self.repeats))
    }
}

struct RepeatNProducer<T>(Option<(T, usize)>);

impl<T: Clone + Send> Producer for RepeatNProducer<T> {
    type Item = T;
    type IntoIter = RepeatNIter<T>;

    fn into_iter(self) -> RepeatNIter<T> {
        RepeatNIter(self.0.map(|(item, count)| iter::repeat_n(item, count)))
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        match self.0 {
            Some((item, count)) if 0 < index && index < count => {
                let left = (item.clone(), index);
                (RepeatNProducer(Some(left)), RepeatNProducer(Some((item, count - index))))
            }
            // The element is not cloned for a piece that has no use for it.
            repeats if index == 0 => (RepeatNProducer(None), RepeatNProducer(repeats)),
            repeats => (RepeatNProducer(repeats), RepeatNProducer(None)),
        }
    }
}

/// The standard library's, which cannot be made without an element.
struct RepeatNIter<T>(Option<iter::RepeatN<T>>);

impl<T: Clone> Iterator for RepeatNIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.as_mut()?.next()
    }

    /// Clones none of the items that it passes over.
    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        self.0.as_mut()?.nth(n)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.as_ref().map_or(0, ExactSizeIterator::len);
        (len, Some(len))
    }

    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, f: F) -> B {
        self.0.into_iter().flatten().fold(init, f)
    }
}

impl<T: Clone> DoubleEndedIterator for RepeatNIter<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.next()
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<T> {
        self.nth(n)
    }
}

impl<T: Clone> ExactSizeIterator for RepeatNIter<T> {}

/// The pieces of something divisible; made by [`split`].
#[derive(Clone)]
pub struct Split<D, S> {
    data: D,
    splitter: S,
}

/// Divides `data` with `splitter` as far as the pool has use for it, and yields the pieces.
///
/// `splitter` returns two parts, or one if it cannot or will not divide. How often it is called depends on
/// how busy the pool is: pieces may be larger than the smallest possible.
///
/// ```
/// use heist::prelude::*;
///
/// let halves = |range: std::ops::Range<u32>| {
///     let middle = range.start + range.len() as u32 / 2;
///     if middle == range.start { (range, None) } else { (range.start..middle, Some(middle..range.end)) }
/// };
/// let sum: u32 = heist::iter::split(0..100, halves).map(|range| range.sum::<u32>()).sum();
/// assert_eq!(sum, 4950);
/// ```
pub fn split<D, S>(data: D, splitter: S) -> Split<D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync,
{
    Split { data, splitter }
}

impl<D: Debug, S> Debug for Split<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split").field("data", &self.data).finish_non_exhaustive()
    }
}

impl<D, S> ParallelIterator for Split<D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync + Send,
{
    type Item = D;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<D>>(self, consumer: C) -> C::Result {
        bridge_unindexed(SplitProducer { data: self.data, splitter: &self.splitter }, consumer)
    }
}

struct SplitProducer<'s, D, S> {
    data: D,
    splitter: &'s S,
}

impl<D, S> UnindexedProducer for SplitProducer<'_, D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync,
{
    type Item = D;

    fn split(self) -> (Self, Option<Self>) {
        let splitter = self.splitter;
        let (left, right) = splitter(self.data);
        (SplitProducer { data: left, splitter }, right.map(|data| SplitProducer { data, splitter }))
    }

    fn fold_with<F: Folder<D>>(self, folder: F) -> F {
        folder.consume(self.data)
    }
}
