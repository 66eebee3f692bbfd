//! Adaptors that finish one block of items before they begin the next: `by_exponential_blocks`,
//! `by_uniform_blocks`.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge_producer_consumer},
};
use crate::current_num_threads;
use std::iter;

/// Blocks that double in size; made by [`IndexedParallelIterator::by_exponential_blocks`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct ExponentialBlocks<I> {
    base: I,
}

impl<I> ExponentialBlocks<I> {
    pub(super) fn new(base: I) -> Self {
        ExponentialBlocks { base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for ExponentialBlocks<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        let sizes = iter::successors(Some(current_num_threads()), |size| Some(size.saturating_mul(2)));
        let len = self.base.len();
        self.base.with_producer(Blocks { sizes, len, consumer })
    }
}

/// Blocks of one size; made by [`IndexedParallelIterator::by_uniform_blocks`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct UniformBlocks<I> {
    base: I,
    size: usize,
}

impl<I> UniformBlocks<I> {
    pub(super) fn new(base: I, size: usize) -> Self {
        UniformBlocks { base, size }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for UniformBlocks<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        let len = self.base.len();
        self.base.with_producer(Blocks { sizes: iter::repeat(self.size), len, consumer })
    }
}

/// Cuts one block after another off a producer and runs each in parallel.
struct Blocks<S, C> {
    sizes: S,
    len: usize,
    consumer: C,
}

impl<T, S, C> ProducerCallback<T> for Blocks<S, C>
where
    S: Iterator<Item = usize>,
    C: UnindexedConsumer<T>,
{
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
        let Blocks { sizes, mut len, consumer } = self;
        let mut rest = producer;
        let mut result = None;
        for size in sizes {
            if len == 0 || consumer.full() {
                break;
            }
            let size = size.min(len);
            let (block, behind) = rest.split_at(size);
            (rest, len) = (behind, len - size);
            let reducer = consumer.to_reducer();
            let of_block = bridge_producer_consumer(size, block, consumer.split_off_left());
            result = Some(match result {
                Some(result) => reducer.reduce(result, of_block),
                None => of_block,
            });
        }
        result.unwrap_or_else(|| consumer.into_folder().complete())
    }
}
