//! [`IndexedParallelIterator`]: what iterators can do whose items have indices.

use super::{
    ParallelIterator, collect,
    plumbing::{Consumer, ProducerCallback},
};

/// A parallel iterator that knows how many items it has and can be cut at any of them.
#[allow(clippy::len_without_is_empty)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// Replaces the content of `target` by the items.
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        collect::into_vec(self, target);
    }

    /// How many items there are.
    fn len(&self) -> usize;

    /// Drives `consumer` with the items, whose indices it may rely on.
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result;

    /// Calls `callback` with a producer of the items.
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output;
}
