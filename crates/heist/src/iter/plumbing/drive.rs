//! Drives consumers with producers: cut both, run the pieces under `join_context`, reduce.
//!
//! When to cut is decided in [`split`](super::split) alone.

use super::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
    split::{LengthSplitter, Splitter},
};
use crate::{iter::IndexedParallelIterator, join_context};

/// Drives `consumer` with all items of an indexed iterator.
///
/// This is what [`drive`](IndexedParallelIterator::drive) and
/// [`drive_unindexed`](crate::iter::ParallelIterator::drive_unindexed) of most indexed iterators call.
pub fn bridge<I, C>(par_iter: I, consumer: C) -> C::Result
where
    I: IndexedParallelIterator,
    C: Consumer<I::Item>,
{
    let len = par_iter.len();
    par_iter.with_producer(Bridge { len, consumer })
}

/// What [`bridge`] does once it has the producer.
struct Bridge<C> {
    len: usize,
    consumer: C,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for Bridge<C> {
    type Output = C::Result;

    #[inline]
    fn callback<P>(self, producer: P) -> C::Result
    where
        P: Producer<Item = T>,
    {
        bridge_producer_consumer(self.len, producer, self.consumer)
    }
}

/// Drives `consumer` with the `len` items of `producer`.
pub fn bridge_producer_consumer<P, C>(len: usize, producer: P, consumer: C) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let splitter = LengthSplitter::new(producer.min_len(), producer.max_len());
    indexed(len, false, splitter, producer, consumer)
}

fn indexed<P, C>(
    len: usize,
    migrated: bool,
    mut splitter: LengthSplitter,
    producer: P,
    consumer: C,
) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    if consumer.full() {
        return consumer.into_folder().complete();
    }
    if !splitter.cut(len, migrated) {
        return producer.fold_with(consumer.into_folder()).complete();
    }
    let middle = len / 2;
    let (left, right) = producer.split_at(middle);
    let (to_left, to_right, reducer) = consumer.split_at(middle);
    let (left, right) = join_context(
        |context| indexed(middle, context.migrated(), splitter, left, to_left),
        |context| indexed(len - middle, context.migrated(), splitter, right, to_right),
    );
    reducer.reduce(left, right)
}

/// Drives `consumer` with the items of `producer`, however many they are.
pub fn bridge_unindexed<P, C>(producer: P, consumer: C) -> C::Result
where
    P: UnindexedProducer,
    C: UnindexedConsumer<P::Item>,
{
    unindexed(false, Splitter::new(), producer, consumer)
}

fn unindexed<P, C>(migrated: bool, mut splitter: Splitter, producer: P, consumer: C) -> C::Result
where
    P: UnindexedProducer,
    C: UnindexedConsumer<P::Item>,
{
    if consumer.full() {
        return consumer.into_folder().complete();
    }
    if !splitter.cut(migrated) {
        return producer.fold_with(consumer.into_folder()).complete();
    }
    let (left, right) = match producer.split() {
        (left, Some(right)) => (left, right),
        (whole, None) => return whole.fold_with(consumer.into_folder()).complete(),
    };
    let reducer = consumer.to_reducer();
    let (to_left, to_right) = (consumer.split_off_left(), consumer);
    let (left, right) = join_context(
        |context| unindexed(context.migrated(), splitter, left, to_left),
        |context| unindexed(context.migrated(), splitter, right, to_right),
    );
    reducer.reduce(left, right)
}
