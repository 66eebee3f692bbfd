//! Drives consumers with producers: cut both, run the pieces under `join_context`, reduce.
//!
//! An indexed iteration that was over soon the last times, by the [forecast](super::forecast), is run as a
//! plain loop, on the thread that asks for it. Every few milliseconds, by a clock that costs next to nothing
//! to look at, and whenever the items are many, the loop is run in pieces that double, with a look at the
//! real clock in between, until it is done or has taken too long. Then, and if nothing is known or the
//! forecast is bad, the items are cut for others to take; how finely, is decided in
//! [`split`](super::split).
//!
//! So what is long now and was short before may run a few times without help, if its items are few.

use super::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
    forecast::{Place, SHORT, time_has_passed},
    split::{LengthSplitter, Splitter},
};
use crate::{iter::IndexedParallelIterator, join_context};
use std::time::Instant;

/// Drives `consumer` with all items of an indexed iterator.
///
/// This is what [`drive`](IndexedParallelIterator::drive) and
/// [`drive_unindexed`](crate::iter::ParallelIterator::drive_unindexed) of most indexed iterators call.
#[inline]
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
// Not inlined, but what comes before it is: so `consumer` is written once, to where it is read here. To copy
// it would take as long as a few items.
#[inline(never)]
pub fn bridge_producer_consumer<P, C>(len: usize, producer: P, consumer: C) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    // The code is that of these types alone; or the compiler found that others have the very same.
    let code: Cut<P, C> = indexed;
    let place = Place::at(code as usize);
    if !place.is_short(len) || len > producer.max_len() {
        cut(len, producer, consumer, place)
    } else if len > FEW || time_has_passed() {
        try_first(len, producer, consumer, place)
    } else {
        run_inline(producer, consumer)
    }
}

type Cut<P, C> =
    fn(usize, bool, LengthSplitter, Option<Place>, P, C) -> <C as Consumer<<P as Producer>::Item>>::Result;

/// Items up to which a guess is relied on, unless some milliseconds have passed since it was last checked.
const FEW: usize = 1 << 14;

/// The first piece of more than those: a search that finds something early is over with it.
const FIRST: usize = 1024;

/// Runs the first of many items, and the others with a look at the clock.
#[inline(never)]
fn try_first<P, C>(len: usize, producer: P, consumer: C, place: Place) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let first = FIRST.max(producer.min_len());
    if len <= FEW || len / 2 < first || time_has_passed() {
        return look_out(len, producer, consumer, place);
    }
    let (first_ones, others) = producer.split_at(first);
    let (to_first_ones, to_others, reducer) = consumer.split_at(first);
    let first_ones = run(first_ones, to_first_ones);
    let others = if to_others.full() {
        to_others.into_folder().complete()
    } else {
        look_out(len - first, others, to_others, place)
    };
    reducer.reduce(first_ones, others)
}

/// Runs items in this thread, looking at the clock as they get more, and shares the rest if they take too
/// long.
#[cold]
#[inline(never)]
fn look_out<P, C>(len: usize, producer: P, consumer: C, place: Place) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let least = producer.min_len().max(1);
    let watch = Watch { place, begin: Instant::now(), done: 0, least };
    // Of many items the first ones are not worth a look each.
    let first = if len > FEW { FIRST } else { 1 };
    watched(len, least.max(first), producer, consumer, watch)
}

/// Since when somebody looks at the clock, and how many items are done.
#[derive(Clone, Copy)]
struct Watch {
    place: Place,
    begin: Instant,
    done: usize,
    /// How many items a piece should have at least.
    least: usize,
}

fn watched<P, C>(len: usize, piece: usize, producer: P, consumer: C, mut watch: Watch) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let last = len < piece.saturating_add(watch.least);
    if last || consumer.full() {
        let result = run(producer, consumer);
        watch.place.note(watch.done + len, watch.begin.elapsed());
        return result;
    }
    let (next, others) = producer.split_at(piece);
    let (to_next, to_others, reducer) = consumer.split_at(piece);
    let next = run(next, to_next);
    watch.done += piece;
    let time = watch.begin.elapsed();
    let others = if time > SHORT {
        watch.place.note(watch.done, time);
        cut(len - piece, others, to_others, watch.place)
    } else {
        watched(len - piece, piece.saturating_mul(2), others, to_others, watch)
    };
    reducer.reduce(next, others)
}

/// Runs items in this thread. Not inlined: in a function of its own the loop gets all the registers, and the
/// compiler unrolls it as it does a plain one.
#[inline(never)]
fn run<P, C>(producer: P, consumer: C) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    run_inline(producer, consumer)
}

/// As [`run`], for a caller that is a function of its own already, and has no other loop.
#[inline(always)]
fn run_inline<P, C>(producer: P, consumer: C) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    producer.fold_with(consumer.into_folder()).complete()
}

/// Cuts items into pieces, for whoever has the time. How long the first piece takes is noted.
#[inline(never)]
fn cut<P, C>(len: usize, producer: P, consumer: C, place: Place) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let splitter = LengthSplitter::new(producer.min_len(), producer.max_len());
    indexed(len, false, splitter, Some(place), producer, consumer)
}

fn indexed<P, C>(
    len: usize,
    migrated: bool,
    mut splitter: LengthSplitter,
    place: Option<Place>,
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
        let Some(place) = place else { return run(producer, consumer) };
        let begin = Instant::now();
        let result = run(producer, consumer);
        place.note(len, begin.elapsed());
        return result;
    }
    let middle = len / 2;
    let (left, right) = producer.split_at(middle);
    let (to_left, to_right, reducer) = consumer.split_at(middle);
    let (left, right) = join_context(
        |context| indexed(middle, context.migrated(), splitter, place, left, to_left),
        |context| indexed(len - middle, context.migrated(), splitter, None, right, to_right),
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
