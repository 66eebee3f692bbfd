//! How a parallel iterator runs: producers that split, consumers that split along, and the bridge between.
//!
//! An iterator of the standard library is asked for one item after another. That leaves nothing to divide, so
//! here the two ends meet differently: the source of items becomes a [`Producer`] that can be cut in two, and
//! what happens to the items becomes a [`Consumer`] that can be cut at the same place. [`bridge`] cuts both
//! until the pieces are small enough, runs the pieces under [`join`](crate::join()), and puts the results
//! together.
//!
//! ```text
//!   producer ── split_at ─┬─ producer ── into_iter ──┐ items
//!                         └─ producer …              │
//!   consumer ── split_at ─┬─ consumer ── into_folder ┴─ complete ─┐ results
//!                         ├─ consumer …                           │
//!                         └─ reducer ─────────────────────────────┴─ reduce
//! ```
//!
//! There are two modes. In the *indexed* one every piece knows its length and where it begins, so a consumer
//! may write its items to their places at once ([`Producer`], [`Consumer`]). In the *unindexed* one nobody
//! knows how many items a piece will yield ([`UnindexedProducer`], [`UnindexedConsumer`]).
//!
//! Adaptors such as `map` are consumers that pass items on to another consumer; most of them can also be
//! producers that take items from another producer, which is what `zip` and `rev` need.
//!
//! Only those who write their own iterators need this module.
//!
//! ```
//! use heist::iter::plumbing::{Consumer, Folder, Reducer, bridge};
//! use heist::prelude::*;
//!
//! /// Counts what it is given.
//! struct Count(usize);
//! struct Add;
//!
//! impl<T> Consumer<T> for Count {
//!     type Folder = Count;
//!     type Reducer = Add;
//!     type Result = usize;
//!     fn split_at(self, _index: usize) -> (Self, Self, Add) {
//!         (Count(0), Count(0), Add)
//!     }
//!     fn into_folder(self) -> Count {
//!         self
//!     }
//!     fn full(&self) -> bool {
//!         false
//!     }
//! }
//!
//! impl<T> Folder<T> for Count {
//!     type Result = usize;
//!     fn consume(self, _item: T) -> Self {
//!         Count(self.0 + 1)
//!     }
//!     fn complete(self) -> usize {
//!         self.0
//!     }
//!     fn full(&self) -> bool {
//!         false
//!     }
//! }
//!
//! impl Reducer<usize> for Add {
//!     fn reduce(self, left: usize, right: usize) -> usize {
//!         left + right
//!     }
//! }
//!
//! assert_eq!(bridge(heist::iter::repeat_n('x', 1000), Count(0)), 1000);
//! ```

mod drive;
mod forecast;
mod split;

pub use drive::{bridge, bridge_producer_consumer, bridge_unindexed};

/// Receives the producer of an indexed iterator.
///
/// It stands in for a closure that is generic over the producer's type; see
/// [`IndexedParallelIterator::with_producer`](super::IndexedParallelIterator::with_producer).
pub trait ProducerCallback<T> {
    /// What the call returns.
    type Output;

    /// Does something with the producer, usually by driving a consumer with it.
    fn callback<P>(self, producer: P) -> Self::Output
    where
        P: Producer<Item = T>;
}

/// A source of a known number of items that can be cut at any index.
///
/// It does not know its own length: who cuts it keeps count.
pub trait Producer: Send + Sized {
    /// What it yields.
    type Item;

    /// The sequential iterator that a piece becomes once it is not cut any further.
    type IntoIter: Iterator<Item = Self::Item> + DoubleEndedIterator + ExactSizeIterator;

    /// Turns the piece into a sequential iterator.
    fn into_iter(self) -> Self::IntoIter;

    /// The fewest items a piece should have; asked once, before the first cut.
    fn min_len(&self) -> usize {
        1
    }

    /// The most items a piece should have; asked once, before the first cut. The minimum wins over it.
    fn max_len(&self) -> usize {
        usize::MAX
    }

    /// Cuts before the item `index`: the first piece has `index` items, the second the others.
    fn split_at(self, index: usize) -> (Self, Self);

    /// Feeds the items to `folder` until there are no more or it is full.
    ///
    /// A producer overrides this if it has a faster way than its iterator.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        folder.consume_iter(self.into_iter())
    }
}

/// What happens to items; can be cut along with the producer of them.
pub trait Consumer<Item>: Send + Sized {
    /// Takes the items of one piece, in order.
    type Folder: Folder<Item, Result = Self::Result>;

    /// Puts the results of two pieces together.
    type Reducer: Reducer<Self::Result>;

    /// What one piece results in.
    type Result: Send;

    /// Cuts before the item `index`, and says how to join the results of both pieces.
    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer);

    /// Begins to consume one piece.
    fn into_folder(self) -> Self::Folder;

    /// Whether further items are of no use. It may become true at any time and stays so.
    fn full(&self) -> bool;
}

/// Takes the items of one piece.
pub trait Folder<Item>: Sized {
    /// What is left when all items are consumed.
    type Result;

    /// Takes one item.
    fn consume(self, item: Item) -> Self;

    /// Takes items until there are no more or the folder is full.
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = Item>,
    {
        for item in iter {
            self = self.consume(item);
            if self.full() {
                break;
            }
        }
        self
    }

    /// Ends the piece.
    fn complete(self) -> Self::Result;

    /// Whether further items are of no use.
    fn full(&self) -> bool;
}

/// Puts the results of two neighbouring pieces together.
pub trait Reducer<Result> {
    /// Joins the results; `left` is of the items that come first.
    fn reduce(self, left: Result, right: Result) -> Result;
}

/// A consumer that can be cut without an index, for producers that do not know how many items they have.
pub trait UnindexedConsumer<I>: Consumer<I> {
    /// Cuts off a consumer for items that come before those that `self` is left with.
    ///
    /// The result of the piece cut off is the left one of the reduction.
    fn split_off_left(&self) -> Self;

    /// The reducer for what [`split_off_left`](Self::split_off_left) cuts.
    fn to_reducer(&self) -> Self::Reducer;
}

/// A source of items that can be cut, but not at a chosen index; it may not know how many items there are.
pub trait UnindexedProducer: Send + Sized {
    /// What it yields.
    type Item;

    /// Cuts somewhere about the middle; the first piece comes first. None if it is not to be cut.
    fn split(self) -> (Self, Option<Self>);

    /// Feeds the items to `folder` until there are no more or it is full.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>;
}
