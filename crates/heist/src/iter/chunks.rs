//! Adaptors that make one item of so many: `chunks`, `fold_chunks`, `fold_chunks_with`.
//!
//! A chunk is a piece of the base producer, so a [`Chunking`] says only what becomes of such a piece.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
    wrap::{Wrap, with_wrapped},
};
use std::fmt::{self, Debug};

/// Makes an item of a chunk.
trait Chunking<T>: Clone + Send {
    type Out;

    fn make<I: ExactSizeIterator<Item = T>>(&self, chunk: I) -> Self::Out;
}

struct InChunks<C> {
    size: usize,
    len: usize,
    chunking: C,
}

impl<T, C: Chunking<T>> Wrap<T> for InChunks<C> {
    type Item = C::Out;
    type Producer<P: Producer<Item = T>> = ChunkProducer<P, C>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> ChunkProducer<P, C> {
        ChunkProducer { base, size: self.size, len: self.len, chunking: self.chunking }
    }
}

struct ChunkProducer<P, C> {
    base: P,
    size: usize,
    /// How many items `base` has.
    len: usize,
    chunking: C,
}

impl<P: Producer, C: Chunking<P::Item>> Producer for ChunkProducer<P, C> {
    type Item = C::Out;
    type IntoIter = ChunkIter<P, C>;

    fn into_iter(self) -> Self::IntoIter {
        let ChunkProducer { base, size, len, chunking } = self;
        ChunkIter { base: (len > 0).then_some(base), size, len, chunking }
    }

    fn min_len(&self) -> usize {
        self.base.min_len().div_ceil(self.size)
    }

    fn max_len(&self) -> usize {
        self.base.max_len() / self.size
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let ChunkProducer { base, size, len, chunking } = self;
        let middle = index.saturating_mul(size).min(len);
        let (left, right) = base.split_at(middle);
        (
            ChunkProducer { base: left, size, len: middle, chunking: chunking.clone() },
            ChunkProducer { base: right, size, len: len - middle, chunking },
        )
    }
}

/// Cuts one chunk after another off a producer.
struct ChunkIter<P, C> {
    /// None once there are no more items.
    base: Option<P>,
    size: usize,
    len: usize,
    chunking: C,
}

impl<P: Producer, C: Chunking<P::Item>> Iterator for ChunkIter<P, C> {
    type Item = C::Out;

    fn next(&mut self) -> Option<C::Out> {
        let base = self.base.take()?;
        let chunk = if self.len > self.size {
            let (chunk, rest) = base.split_at(self.size);
            self.base = Some(rest);
            self.len -= self.size;
            chunk
        } else {
            self.len = 0;
            base
        };
        Some(self.chunking.make(chunk.into_iter()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.len.div_ceil(self.size);
        (len, Some(len))
    }
}

impl<P: Producer, C: Chunking<P::Item>> DoubleEndedIterator for ChunkIter<P, C> {
    fn next_back(&mut self) -> Option<C::Out> {
        let base = self.base.take()?;
        let chunk = if self.len > self.size {
            let rest_len = (self.len - 1) / self.size * self.size;
            let (rest, chunk) = base.split_at(rest_len);
            self.base = Some(rest);
            self.len = rest_len;
            chunk
        } else {
            self.len = 0;
            base
        };
        Some(self.chunking.make(chunk.into_iter()))
    }
}

impl<P: Producer, C: Chunking<P::Item>> ExactSizeIterator for ChunkIter<P, C> {}

/// Vectors of so many items; the last may be shorter. Made by [`IndexedParallelIterator::chunks`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Chunks<I> {
    base: I,
    size: usize,
}

impl<I> Chunks<I> {
    pub(super) fn new(base: I, size: usize) -> Self {
        Chunks { base, size }
    }
}

#[derive(Clone)]
struct IntoVec;

impl<T> Chunking<T> for IntoVec {
    type Out = Vec<T>;

    fn make<I: ExactSizeIterator<Item = T>>(&self, chunk: I) -> Vec<T> {
        chunk.collect()
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Chunks<I> {
    type Item = Vec<I::Item>;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Chunks<I> {
    #[inline]
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        let len = self.base.len();
        with_wrapped(self.base, InChunks { size: self.size, len, chunking: IntoVec }, callback)
    }
}

/// Folds chunks of so many items, each from a value that a function makes; made by
/// [`IndexedParallelIterator::fold_chunks`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FoldChunks<I, ID, F> {
    base: I,
    size: usize,
    identity: ID,
    op: F,
}

impl<I, ID, F> FoldChunks<I, ID, F> {
    pub(super) fn new(base: I, size: usize, identity: ID, op: F) -> Self {
        FoldChunks { base, size, identity, op }
    }
}

impl<I: Debug, ID, F> Debug for FoldChunks<I, ID, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoldChunks")
            .field("base", &self.base)
            .field("chunk_size", &self.size)
            .finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct FoldFrom<ID, F> {
    identity: ID,
    op: F,
}

impl<T, U, ID, F> Chunking<T> for FoldFrom<&ID, &F>
where
    ID: Fn() -> U + Sync,
    F: Fn(U, T) -> U + Sync,
{
    type Out = U;

    fn make<I: ExactSizeIterator<Item = T>>(&self, chunk: I) -> U {
        chunk.fold((self.identity)(), self.op)
    }
}

impl<I, ID, U, F> ParallelIterator for FoldChunks<I, ID, F>
where
    I: IndexedParallelIterator,
    ID: Fn() -> U + Send + Sync,
    F: Fn(U, I::Item) -> U + Send + Sync,
    U: Send,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I, ID, U, F> IndexedParallelIterator for FoldChunks<I, ID, F>
where
    I: IndexedParallelIterator,
    ID: Fn() -> U + Send + Sync,
    F: Fn(U, I::Item) -> U + Send + Sync,
    U: Send,
{
    #[inline]
    fn drive<C: Consumer<U>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<U>>(self, callback: CB) -> CB::Output {
        let len = self.base.len();
        let chunking = FoldFrom { identity: &self.identity, op: &self.op };
        with_wrapped(self.base, InChunks { size: self.size, len, chunking }, callback)
    }
}

/// Folds chunks of so many items, each from a clone of a value; made by
/// [`IndexedParallelIterator::fold_chunks_with`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FoldChunksWith<I, U, F> {
    base: I,
    size: usize,
    item: U,
    op: F,
}

impl<I, U, F> FoldChunksWith<I, U, F> {
    pub(super) fn new(base: I, size: usize, item: U, op: F) -> Self {
        FoldChunksWith { base, size, item, op }
    }
}

impl<I: Debug, U: Debug, F> Debug for FoldChunksWith<I, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoldChunksWith")
            .field("base", &self.base)
            .field("chunk_size", &self.size)
            .field("item", &self.item)
            .finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct FoldWith<U, F> {
    item: U,
    op: F,
}

impl<T, U, F> Chunking<T> for FoldWith<U, &F>
where
    U: Clone + Send,
    F: Fn(U, T) -> U + Sync,
{
    type Out = U;

    fn make<I: ExactSizeIterator<Item = T>>(&self, chunk: I) -> U {
        chunk.fold(self.item.clone(), self.op)
    }
}

impl<I, U, F> ParallelIterator for FoldChunksWith<I, U, F>
where
    I: IndexedParallelIterator,
    U: Send + Clone,
    F: Fn(U, I::Item) -> U + Send + Sync,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<I, U, F> IndexedParallelIterator for FoldChunksWith<I, U, F>
where
    I: IndexedParallelIterator,
    U: Send + Clone,
    F: Fn(U, I::Item) -> U + Send + Sync,
{
    #[inline]
    fn drive<C: Consumer<U>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<U>>(self, callback: CB) -> CB::Output {
        let len = self.base.len();
        let chunking = FoldWith { item: self.item, op: &self.op };
        with_wrapped(self.base, InChunks { size: self.size, len, chunking }, callback)
    }
}
