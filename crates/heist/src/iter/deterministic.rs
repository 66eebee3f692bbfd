//! `deterministic`: the same result to the last bit, for any number of workers.
//!
//! What an operator does that is not quite associative, such as the addition of floats, depends on how the
//! items are bracketed. Elsewhere that follows from who was idle when. Here it follows from the number of
//! items alone:
//!
//! ```text
//! 1000 items:  [0..4) [4..8) [8..12) …      at most 256 pieces of equal length, each from left to right
//!                 \    /       \   …
//!                  \  /         \           results joined in pairs, as the halves of halves
//! ```

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer},
};
use crate::join;

/// Most pieces: enough for as many workers, few enough not to be noticed.
const PIECES: usize = 256;

/// Combines items in an order that depends on their number alone; made by
/// [`IndexedParallelIterator::deterministic`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone, Debug)]
pub struct Deterministic<I> {
    base: I,
}

impl<I> Deterministic<I> {
    pub(super) fn new(base: I) -> Self {
        Deterministic { base }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Deterministic<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        let len = self.base.len();
        self.base.with_producer(FixedTree { len, consumer })
    }

    // No `opt_len`: who knows the length drives by it, and not by the tree.
}

struct FixedTree<C> {
    len: usize,
    consumer: C,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for FixedTree<C> {
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
        tree(self.len, self.len.div_ceil(PIECES).max(1), producer, self.consumer)
    }
}

/// Runs `len` items as pieces of `piece`, the last one perhaps shorter. Cuts at multiples of `piece`.
fn tree<P: Producer, C: Consumer<P::Item>>(len: usize, piece: usize, producer: P, consumer: C) -> C::Result {
    if len <= piece {
        return producer.fold_with(consumer.into_folder()).complete();
    }
    let middle = len.div_ceil(piece) / 2 * piece;
    let (left, right) = producer.split_at(middle);
    let (to_left, to_right, reducer) = consumer.split_at(middle);
    let (left, right) =
        join(|| tree(middle, piece, left, to_left), || tree(len - middle, piece, right, to_right));
    reducer.reduce(left, right)
}
