//! Adaptors that take or skip whichever items come first in time: `take_any`, `skip_any` and their `_while`s.
//!
//! All pieces share a counter or a flag. Its accesses are relaxed: it says only how many items to let
//! through, and no other memory depends on it.

use super::{
    ParallelIterator,
    plumbing::{Folder, UnindexedConsumer},
    stage::{Plain, Step, staged},
};
use std::{
    fmt::{self, Debug},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// Whether there was something left to take, which is now one less.
#[inline]
fn take_one(left: &AtomicUsize) -> bool {
    // Once it is used up nobody writes to it any more, so all can keep it in their caches.
    left.load(Relaxed) > 0 && left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok()
}

/// Any `n` items; made by [`ParallelIterator::take_any`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct TakeAny<I> {
    base: I,
    count: usize,
}

impl<I> TakeAny<I> {
    pub(super) fn new(base: I, count: usize) -> Self {
        TakeAny { base, count }
    }
}

#[derive(Clone)]
struct Taking<'a> {
    left: &'a AtomicUsize,
}

impl<T> Step<T> for Taking<'_> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        if take_one(self.left) { next.consume(item) } else { next }
    }

    #[inline]
    fn done(&self) -> bool {
        self.left.load(Relaxed) == 0
    }
}

impl<I: ParallelIterator> ParallelIterator for TakeAny<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(Taking { left: &AtomicUsize::new(self.count) })))
    }
}

/// All but any `n` items; made by [`ParallelIterator::skip_any`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct SkipAny<I> {
    base: I,
    count: usize,
}

impl<I> SkipAny<I> {
    pub(super) fn new(base: I, count: usize) -> Self {
        SkipAny { base, count }
    }
}

#[derive(Clone)]
struct Skipping<'a> {
    left: &'a AtomicUsize,
}

impl<T> Step<T> for Skipping<'_> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        if take_one(self.left) { next } else { next.consume(item) }
    }
}

impl<I: ParallelIterator> ParallelIterator for SkipAny<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(Skipping { left: &AtomicUsize::new(self.count) })))
    }
}

/// Items until anybody meets one that a predicate dislikes; made by [`ParallelIterator::take_any_while`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct TakeAnyWhile<I, P> {
    base: I,
    predicate: P,
}

impl<I, P> TakeAnyWhile<I, P> {
    pub(super) fn new(base: I, predicate: P) -> Self {
        TakeAnyWhile { base, predicate }
    }
}

impl<I: Debug, P> Debug for TakeAnyWhile<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakeAnyWhile").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct TakingWhile<'a, P> {
    predicate: P,
    over: &'a AtomicBool,
}

impl<T, P: Fn(&T) -> bool> Step<T> for TakingWhile<'_, &P> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        if self.over.load(Relaxed) {
            return next;
        }
        if (self.predicate)(&item) {
            return next.consume(item);
        }
        self.over.store(true, Relaxed);
        next
    }

    #[inline]
    fn done(&self) -> bool {
        self.over.load(Relaxed)
    }
}

impl<I, P> ParallelIterator for TakeAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        let stage = TakingWhile { predicate: &self.predicate, over: &AtomicBool::new(false) };
        self.base.drive_unindexed(staged(consumer, Plain(stage)))
    }
}

/// Items once anybody has met one that a predicate dislikes; made by [`ParallelIterator::skip_any_while`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct SkipAnyWhile<I, P> {
    base: I,
    predicate: P,
}

impl<I, P> SkipAnyWhile<I, P> {
    pub(super) fn new(base: I, predicate: P) -> Self {
        SkipAnyWhile { base, predicate }
    }
}

impl<I: Debug, P> Debug for SkipAnyWhile<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkipAnyWhile").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct SkippingWhile<'a, P> {
    predicate: P,
    over: &'a AtomicBool,
}

impl<T, P: Fn(&T) -> bool> Step<T> for SkippingWhile<'_, &P> {
    type Out = T;

    #[inline]
    fn step<F: Folder<T>>(&mut self, item: T, next: F) -> F {
        if self.over.load(Relaxed) {
            return next.consume(item);
        }
        if (self.predicate)(&item) {
            return next;
        }
        self.over.store(true, Relaxed);
        next.consume(item)
    }
}

impl<I, P> ParallelIterator for SkipAnyWhile<I, P>
where
    I: ParallelIterator,
    P: Fn(&I::Item) -> bool + Sync + Send,
{
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        let stage = SkippingWhile { predicate: &self.predicate, over: &AtomicBool::new(false) };
        self.base.drive_unindexed(staged(consumer, Plain(stage)))
    }
}
