//! [`ParallelIterator`]: what every parallel iterator can do.

use super::{
    Cloned, Copied, FromParallelIterator, Inspect, Map, MapInit, MapWith, Update,
    plumbing::UnindexedConsumer,
    reduce::{ForEach, FromIdentity, Summing, reduce_by},
};
use std::iter::Sum;

/// An iterator whose items may be processed on several workers at the same time.
pub trait ParallelIterator: Sized + Send {
    /// What it yields.
    type Item: Send;

    /// Calls `op` with each item, in no particular order.
    fn for_each<OP>(self, op: OP)
    where
        OP: Fn(Self::Item) + Sync + Send,
    {
        reduce_by(self, ForEach(&op));
    }

    /// Calls `map_op` with each item and yields what it returns.
    fn map<F, R>(self, map_op: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Map::new(self, map_op)
    }

    /// Folds all items to one with `op`, which should be associative; `identity` makes its neutral value.
    fn reduce<OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        ID: Fn() -> Self::Item + Sync + Send,
    {
        reduce_by(self, FromIdentity { identity: &identity, op: &op })
    }

    /// Adds all items up.
    fn sum<S>(self) -> S
    where
        S: Send + Sum<Self::Item> + Sum<S>,
    {
        reduce_by(self, Summing::<S>::new())
    }

    /// Builds a collection of all items.
    fn collect<C>(self) -> C
    where
        C: FromParallelIterator<Self::Item>,
    {
        C::from_par_iter(self)
    }

    /// Drives `consumer` with the items.
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>;

    /// How many items there are, if that is known.
    fn opt_len(&self) -> Option<usize> {
        None
    }
}
