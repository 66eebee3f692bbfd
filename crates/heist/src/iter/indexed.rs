//! [`IndexedParallelIterator`]: what iterators can do whose items have indices.

use super::{
    Chunks, Deterministic, Enumerate, ExponentialBlocks, FoldChunks, FoldChunksWith, Interleave,
    InterleaveShortest, IntoParallelIterator, MaxLen, MinLen, ParallelIterator, Positions, Rev, Skip, StepBy,
    Take, UniformBlocks, Zip, ZipEq, collect,
    plumbing::{Consumer, ProducerCallback},
};
use std::cmp::Ordering;

/// A parallel iterator that knows how many items it has and can be cut at any of them.
#[allow(clippy::len_without_is_empty)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// Runs the items in blocks that double in size, each block in parallel, one block after another.
    ///
    /// Searches that are likely to find something early look at fewer items that way. The first block has as
    /// many items as the pool has threads.
    fn by_exponential_blocks(self) -> ExponentialBlocks<Self> {
        ExponentialBlocks::new(self)
    }

    /// Runs the items in blocks of `block_size`, each block in parallel, one block after another.
    ///
    /// # Panics
    /// If `block_size` is zero.
    #[track_caller]
    fn by_uniform_blocks(self, block_size: usize) -> UniformBlocks<Self> {
        assert!(block_size != 0, "block_size must not be zero");
        UniformBlocks::new(self, block_size)
    }

    /// Combines items in an order that depends on their number alone: what follows in the chain gives the
    /// same result to the last bit, however many workers there are and whatever they do.
    ///
    /// For sums and other reductions whose operator is not quite associative, such as the addition of floats.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let numbers: Vec<f64> = (1..10_000).map(|n| 1.0 / f64::from(n)).collect();
    /// let sum = || numbers.par_iter().deterministic().sum::<f64>();
    /// let pool = heist::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
    /// assert_eq!(sum().to_bits(), pool.install(sum).to_bits());
    /// ```
    fn deterministic(self) -> Deterministic<Self> {
        Deterministic::new(self)
    }

    /// Replaces the content of `target` by the items, in order; its memory is used again.
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        collect::into_vec(self, target);
    }

    /// Replaces the content of `left` and `right` by the parts of the items, which are pairs.
    fn unzip_into_vecs<A, B>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
        A: Send,
        B: Send,
    {
        collect::into_vecs(self, left, right);
    }

    /// Pairs items with those of `zip_op` at the same index, as many as the shorter one has.
    fn zip<Z>(self, zip_op: Z) -> Zip<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        Zip::new(self, zip_op.into_par_iter())
    }

    /// As [`zip`](Self::zip), for iterators that must be equally long.
    ///
    /// # Panics
    /// If they are not.
    #[track_caller]
    fn zip_eq<Z>(self, zip_op: Z) -> ZipEq<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = zip_op.into_par_iter();
        assert_eq!(self.len(), other.len(), "iterators must have the same length");
        ZipEq::new(self, other)
    }

    /// Yields an item of this iterator and one of `other` in turn, then what is left of the longer one.
    fn interleave<I>(self, other: I) -> Interleave<Self, I::Iter>
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        Interleave::new(self, other.into_par_iter())
    }

    /// Yields an item of this iterator and one of `other` in turn, until the one in turn has no more.
    fn interleave_shortest<I>(self, other: I) -> InterleaveShortest<Self, I::Iter>
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        InterleaveShortest::new(self, other.into_par_iter())
    }

    /// Yields vectors of `chunk_size` items; the last may be shorter.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks: Vec<Vec<u8>> = heist::iter::repeat_n(1, 5).chunks(2).collect();
    /// assert_eq!(chunks, [vec![1, 1], vec![1, 1], vec![1]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is zero.
    #[track_caller]
    fn chunks(self, chunk_size: usize) -> Chunks<Self> {
        assert!(chunk_size != 0, "chunk_size must not be zero");
        Chunks::new(self, chunk_size)
    }

    /// Folds each chunk of `chunk_size` items, beginning from what `identity` returns; the last may be
    /// shorter.
    ///
    /// Unlike with [`fold`](ParallelIterator::fold) it is known which items are folded together.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let sums: Vec<u8> = heist::iter::repeat_n(1, 5).fold_chunks(2, || 0, |a, b| a + b).collect();
    /// assert_eq!(sums, [2, 2, 1]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is zero.
    #[track_caller]
    fn fold_chunks<T, ID, F>(self, chunk_size: usize, identity: ID, fold_op: F) -> FoldChunks<Self, ID, F>
    where
        ID: Fn() -> T + Send + Sync,
        F: Fn(T, Self::Item) -> T + Send + Sync,
        T: Send,
    {
        assert!(chunk_size != 0, "chunk_size must not be zero");
        FoldChunks::new(self, chunk_size, identity, fold_op)
    }

    /// As [`fold_chunks`](Self::fold_chunks), beginning each chunk from a clone of `init`.
    ///
    /// # Panics
    /// If `chunk_size` is zero.
    #[track_caller]
    fn fold_chunks_with<T, F>(self, chunk_size: usize, init: T, fold_op: F) -> FoldChunksWith<Self, T, F>
    where
        T: Send + Clone,
        F: Fn(T, Self::Item) -> T + Send + Sync,
    {
        assert!(chunk_size != 0, "chunk_size must not be zero");
        FoldChunksWith::new(self, chunk_size, init, fold_op)
    }

    /// Compares the items with those of `other` in dictionary order.
    fn cmp<I>(self, other: I) -> Ordering
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        let orders = self.zip(other).map(|(a, b)| a.cmp(&b));
        orders.find_first(|order| order.is_ne()).unwrap_or(by_len)
    }

    /// Compares the items with those of `other` in dictionary order, if items before the first difference can
    /// be compared.
    fn partial_cmp<I>(self, other: I) -> Option<Ordering>
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        let orders = self.zip(other).map(|(a, b)| a.partial_cmp(&b));
        orders.find_first(|&order| order != Some(Ordering::Equal)).unwrap_or(Some(by_len))
    }

    /// Whether there are as many items as in `other`, and all are equal.
    fn eq<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len() && self.zip(other).all(|(a, b)| a == b)
    }

    /// Whether [`eq`](Self::eq) is false.
    fn ne<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        !self.eq(other)
    }

    /// Whether the items come before those of `other` in dictionary order.
    fn lt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Whether the items come before those of `other` in dictionary order, or are equal.
    fn le<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Whether the items come after those of `other` in dictionary order.
    fn gt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Whether the items come after those of `other` in dictionary order, or are equal.
    fn ge<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }

    /// Pairs each item with its index.
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Yields the first item, the one `step` behind it, and so on.
    ///
    /// # Panics
    /// If `step` is zero.
    #[track_caller]
    fn step_by(self, step: usize) -> StepBy<Self> {
        assert!(step != 0, "step must not be zero");
        StepBy::new(self, step)
    }

    /// Yields all but the first `n` items. What precedes it in the chain still runs for them.
    fn skip(self, n: usize) -> Skip<Self> {
        Skip::new(self, n)
    }

    /// Yields the first `n` items, or all if there are fewer.
    fn take(self, n: usize) -> Take<Self> {
        Take::new(self, n)
    }

    /// The index of any item for which `predicate` returns true; once one is found the search stops soon.
    fn position_any<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.positions(predicate).find_any(|_| true)
    }

    /// The index of the first item for which `predicate` returns true.
    fn position_first<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.positions(predicate).find_first(|_| true)
    }

    /// The index of the last item for which `predicate` returns true.
    fn position_last<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.positions(predicate).find_last(|_| true)
    }

    #[doc(hidden)]
    #[deprecated(note = "say which: `position_any`, `position_first` or `position_last`")]
    fn position<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.position_any(predicate)
    }

    /// The indices of all items for which `predicate` returns true.
    fn positions<P>(self, predicate: P) -> Positions<Self, P>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        Positions::new(self, predicate)
    }

    /// Yields the items from the last to the first.
    fn rev(self) -> Rev<Self> {
        Rev::new(self)
    }

    /// Asks for pieces of at least `min` items, where processing an item takes hardly any time.
    ///
    /// A piece is not cut if a half would be shorter.
    fn with_min_len(self, min: usize) -> MinLen<Self> {
        MinLen::new(self, min)
    }

    /// Asks for pieces of at most `max` items, where processing an item takes long.
    ///
    /// If it contradicts [`with_min_len`](Self::with_min_len), that wins.
    fn with_max_len(self, max: usize) -> MaxLen<Self> {
        MaxLen::new(self, max)
    }

    /// How many items there are.
    fn len(&self) -> usize;

    /// Drives `consumer` with the items; it may rely on their indices.
    ///
    /// An implementation usually just calls [`bridge`](super::plumbing::bridge).
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result;

    /// Makes a producer of the items and calls `callback` with it.
    ///
    /// The producer may borrow from what the call keeps on its stack, hence the callback.
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output;
}
