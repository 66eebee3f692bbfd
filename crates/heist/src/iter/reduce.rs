//! Terminal operations that boil all items down to one value.
//!
//! A [`Reduction`] says how the value of a leaf begins, takes an item, and joins its neighbour's; one
//! consumer serves them all. `for_each` is the reduction that keeps nothing, `find_any` the one that keeps
//! the first it likes.

use super::{
    ParallelIterator,
    outcome::Try,
    plumbing::{Consumer, Folder, Producer, Reducer, UnindexedConsumer, bridge_producer_consumer},
};
use std::{
    iter::{self, Product, Sum},
    marker::PhantomData,
    ops::ControlFlow::{Break, Continue},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// How the items of a leaf become a value, and the values of two leaves one.
///
/// All leaves share it, so implementations are empty or hold references.
pub(super) trait Reduction<T>: Copy + Send {
    type Value: Send;

    fn begin(self) -> Self::Value;
    fn add(self, value: Self::Value, item: T) -> Self::Value;
    fn join(self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// Adds items until there are no more or the value is final.
    #[inline]
    fn add_all(self, mut value: Self::Value, items: impl Iterator<Item = T>) -> Self::Value {
        for item in items {
            value = self.add(value, item);
            if self.is_final(&value) {
                break;
            }
        }
        value
    }

    /// Whether further items cannot change the value of this leaf.
    #[inline]
    fn is_final(self, _value: &Self::Value) -> bool {
        self.is_over()
    }

    /// Whether no leaf needs to go on.
    #[inline]
    fn is_over(self) -> bool {
        false
    }
}

/// Drives the items of an iterator through a reduction.
#[inline]
pub(super) fn reduce_by<I, R>(items: I, reduction: R) -> R::Value
where
    I: ParallelIterator,
    R: Reduction<I::Item>,
{
    items.drive_unindexed(Reducing(reduction))
}

/// Drops the `len` items of a producer.
pub(super) fn discard<P: Producer>(len: usize, items: P) {
    if len > 0 {
        bridge_producer_consumer(len, items, Reducing(ForEach(&drop)));
    }
}

struct Reducing<R>(R);

impl<T, R: Reduction<T>> Consumer<T> for Reducing<R> {
    type Folder = ReducingLeaf<R, R::Value>;
    type Reducer = Joining<R, T>;
    type Result = R::Value;

    #[inline]
    fn split_at(self, _index: usize) -> (Self, Self, Self::Reducer) {
        (Reducing(self.0), Reducing(self.0), Joining(self.0, PhantomData))
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        ReducingLeaf { reduction: self.0, value: self.0.begin() }
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.is_over()
    }
}

impl<T, R: Reduction<T>> UnindexedConsumer<T> for Reducing<R> {
    #[inline]
    fn split_off_left(&self) -> Self {
        Reducing(self.0)
    }

    #[inline]
    fn to_reducer(&self) -> Self::Reducer {
        Joining(self.0, PhantomData)
    }
}

struct Joining<R, T>(R, PhantomData<fn(T)>);

impl<T, R: Reduction<T>> Reducer<R::Value> for Joining<R, T> {
    #[inline]
    fn reduce(self, left: R::Value, right: R::Value) -> R::Value {
        self.0.join(left, right)
    }
}

struct ReducingLeaf<R, V> {
    reduction: R,
    value: V,
}

impl<T, R: Reduction<T>> Folder<T> for ReducingLeaf<R, R::Value> {
    type Result = R::Value;

    #[inline]
    fn consume(self, item: T) -> Self {
        ReducingLeaf { reduction: self.reduction, value: self.reduction.add(self.value, item) }
    }

    #[inline]
    fn consume_iter<I: IntoIterator<Item = T>>(self, items: I) -> Self {
        let value = self.reduction.add_all(self.value, items.into_iter());
        ReducingLeaf { reduction: self.reduction, value }
    }

    #[inline]
    fn complete(self) -> R::Value {
        self.value
    }

    #[inline]
    fn full(&self) -> bool {
        self.reduction.is_final(&self.value)
    }
}

/// `for_each`.
#[derive(Clone, Copy)]
pub(super) struct ForEach<F>(pub(super) F);

impl<T, F: Fn(T) + Sync> Reduction<T> for ForEach<&F> {
    type Value = ();

    #[inline]
    fn begin(self) {}

    #[inline]
    fn add(self, _: (), item: T) {
        (self.0)(item);
    }

    #[inline]
    fn join(self, _: (), _: ()) {}

    #[inline]
    fn add_all(self, _: (), items: impl Iterator<Item = T>) {
        items.for_each(self.0);
    }
}

/// `count`.
#[derive(Clone, Copy)]
pub(super) struct Count;

impl<T> Reduction<T> for Count {
    type Value = usize;

    #[inline]
    fn begin(self) -> usize {
        0
    }

    #[inline]
    fn add(self, count: usize, _item: T) -> usize {
        count + 1
    }

    #[inline]
    fn join(self, left: usize, right: usize) -> usize {
        left + right
    }

    #[inline]
    fn add_all(self, count: usize, items: impl Iterator<Item = T>) -> usize {
        count + items.count()
    }
}

/// `reduce`.
#[derive(Clone, Copy)]
pub(super) struct FromIdentity<ID, OP> {
    pub(super) identity: ID,
    pub(super) op: OP,
}

impl<T: Send, ID: Fn() -> T + Sync, OP: Fn(T, T) -> T + Sync> Reduction<T> for FromIdentity<&ID, &OP> {
    type Value = T;

    #[inline]
    fn begin(self) -> T {
        (self.identity)()
    }

    #[inline]
    fn add(self, value: T, item: T) -> T {
        (self.op)(value, item)
    }

    #[inline]
    fn join(self, left: T, right: T) -> T {
        (self.op)(left, right)
    }

    #[inline]
    fn add_all(self, value: T, items: impl Iterator<Item = T>) -> T {
        items.fold(value, self.op)
    }
}

/// `reduce_with`, and with it `min`, `max` and their kin.
#[derive(Clone, Copy)]
pub(super) struct FromFirst<OP>(pub(super) OP);

impl<T: Send, OP: Fn(T, T) -> T + Sync> Reduction<T> for FromFirst<&OP> {
    type Value = Option<T>;

    #[inline]
    fn begin(self) -> Option<T> {
        None
    }

    #[inline]
    fn add(self, value: Option<T>, item: T) -> Option<T> {
        Some(match value {
            Some(value) => (self.0)(value, item),
            None => item,
        })
    }

    #[inline]
    fn join(self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some((self.0)(left, right)),
            (left, right) => left.or(right),
        }
    }

    #[inline]
    fn add_all(self, value: Option<T>, mut items: impl Iterator<Item = T>) -> Option<T> {
        let mut value = value.or_else(|| items.next())?;
        // Not `fold`: it is this loop that the compiler vectorises, where the least or greatest integer is
        // asked for.
        for item in items {
            value = (self.0)(value, item);
        }
        Some(value)
    }
}

/// `sum`.
pub(super) struct Summing<S>(PhantomData<fn() -> S>);

/// `product`.
pub(super) struct Multiplying<P>(PhantomData<fn() -> P>);

impl<S> Summing<S> {
    pub(super) fn new() -> Self {
        Summing(PhantomData)
    }
}

impl<P> Multiplying<P> {
    pub(super) fn new() -> Self {
        Multiplying(PhantomData)
    }
}

impl<S> Clone for Summing<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Summing<S> {}

impl<P> Clone for Multiplying<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Multiplying<P> {}

impl<T, S: Send + Sum<T> + Sum<S>> Reduction<T> for Summing<S> {
    type Value = S;

    #[inline]
    fn begin(self) -> S {
        iter::empty::<T>().sum()
    }

    #[inline]
    fn add(self, value: S, item: T) -> S {
        [value, iter::once(item).sum()].into_iter().sum()
    }

    #[inline]
    fn join(self, left: S, right: S) -> S {
        [left, right].into_iter().sum()
    }

    #[inline]
    fn add_all(self, value: S, items: impl Iterator<Item = T>) -> S {
        [value, items.sum()].into_iter().sum()
    }
}

impl<T, P: Send + Product<T> + Product<P>> Reduction<T> for Multiplying<P> {
    type Value = P;

    #[inline]
    fn begin(self) -> P {
        iter::empty::<T>().product()
    }

    #[inline]
    fn add(self, value: P, item: T) -> P {
        [value, iter::once(item).product()].into_iter().product()
    }

    #[inline]
    fn join(self, left: P, right: P) -> P {
        [left, right].into_iter().product()
    }

    #[inline]
    fn add_all(self, value: P, items: impl Iterator<Item = T>) -> P {
        [value, items.product()].into_iter().product()
    }
}

/// `try_reduce`: the first failure that a leaf meets stops all of them.
#[derive(Clone, Copy)]
pub(super) struct TryFromIdentity<'a, ID, OP> {
    pub(super) identity: ID,
    pub(super) op: OP,
    pub(super) failed: &'a AtomicBool,
}

/// Joins two outcomes, or keeps the first failure and raises the flag.
#[inline]
fn try_join<T: Try>(op: impl Fn(T::Output, T::Output) -> T, failed: &AtomicBool, left: T, right: T) -> T {
    let left = match left.branch() {
        Continue(left) => left,
        Break(residual) => return fail(failed, residual),
    };
    match right.branch() {
        Continue(right) => match op(left, right).branch() {
            Continue(value) => T::from_output(value),
            Break(residual) => fail(failed, residual),
        },
        Break(residual) => fail(failed, residual),
    }
}

#[inline]
fn fail<T: Try>(failed: &AtomicBool, residual: T::Residual) -> T {
    // ORDERING: a hint to stop early; the failure itself travels with the value.
    failed.store(true, Relaxed);
    T::from_residual(residual)
}

impl<T, ID, OP> Reduction<T> for TryFromIdentity<'_, &ID, &OP>
where
    T: Try + Send,
    ID: Fn() -> T::Output + Sync,
    OP: Fn(T::Output, T::Output) -> T + Sync,
{
    type Value = T;

    #[inline]
    fn begin(self) -> T {
        T::from_output((self.identity)())
    }

    #[inline]
    fn add(self, value: T, item: T) -> T {
        try_join(self.op, self.failed, value, item)
    }

    #[inline]
    fn join(self, left: T, right: T) -> T {
        try_join(self.op, self.failed, left, right)
    }

    #[inline]
    fn is_over(self) -> bool {
        self.failed.load(Relaxed)
    }
}

/// `try_reduce_with`.
#[derive(Clone, Copy)]
pub(super) struct TryFromFirst<'a, OP> {
    pub(super) op: OP,
    pub(super) failed: &'a AtomicBool,
}

impl<T, OP> Reduction<T> for TryFromFirst<'_, &OP>
where
    T: Try + Send,
    OP: Fn(T::Output, T::Output) -> T + Sync,
{
    type Value = Option<T>;

    #[inline]
    fn begin(self) -> Option<T> {
        None
    }

    #[inline]
    fn add(self, value: Option<T>, item: T) -> Option<T> {
        Some(match (value, item.branch()) {
            (Some(value), Continue(item)) => try_join(self.op, self.failed, value, T::from_output(item)),
            // A value that has failed is the earlier failure.
            (Some(value), Break(item)) => match value.branch() {
                Continue(_) => fail(self.failed, item),
                Break(residual) => fail(self.failed, residual),
            },
            (None, Continue(item)) => T::from_output(item),
            (None, Break(residual)) => fail(self.failed, residual),
        })
    }

    #[inline]
    fn join(self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some(try_join(self.op, self.failed, left, right)),
            (left, right) => left.or(right),
        }
    }

    #[inline]
    fn is_over(self) -> bool {
        self.failed.load(Relaxed)
    }
}
