//! `panic_fuse`: once a piece panics, the others stop at their next item.
//!
//! Every leaf keeps a [`Fuse`] among its state. A panic in any closure of the chain unwinds through the leaf,
//! drops the fuse, and that raises the flag.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Folder, ProducerCallback, UnindexedConsumer},
    stage::{Apply, Each, WrapEach, each},
    wrap::with_wrapped,
};
use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

/// Stops all pieces soon after one has panicked; made by [`ParallelIterator::panic_fuse`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct PanicFuse<I> {
    base: I,
}

impl<I> PanicFuse<I> {
    pub(super) fn new(base: I) -> Self {
        PanicFuse { base }
    }
}

#[derive(Clone)]
struct Fusing<'a>(&'a AtomicBool);

/// Raises the flag if it is dropped by a panic that began after it was made.
struct Fuse<'a> {
    blown: &'a AtomicBool,
    /// The whole chain may run in a destructor, while an earlier panic unwinds.
    panicking_before: bool,
}

impl Drop for Fuse<'_> {
    #[inline]
    fn drop(&mut self) {
        if thread::panicking() && !self.panicking_before {
            // ORDERING: a hint to stop early; the panic itself travels through `join`.
            self.blown.store(true, Relaxed);
        }
    }
}

impl Fuse<'_> {
    #[inline]
    fn is_blown(&self) -> bool {
        self.blown.load(Relaxed)
    }
}

impl<T> Apply<T> for Fuse<'_> {
    type Out = T;

    #[inline]
    fn apply(&mut self, item: T) -> T {
        item
    }

    #[inline]
    fn apply_all<F: Folder<T>>(&mut self, items: impl Iterator<Item = T>, next: F) -> F {
        next.consume_iter(items.take_while(|_| !self.is_blown()))
    }

    #[inline]
    fn done(&self) -> bool {
        self.is_blown()
    }
}

impl<'a, T> Each<T> for Fusing<'a> {
    type Out = T;
    type State = Fuse<'a>;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = FuseIter<'a, I>;

    #[inline]
    fn state(self) -> Fuse<'a> {
        Fuse { blown: self.0, panicking_before: thread::panicking() }
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> FuseIter<'a, I> {
        let fuse = Each::<T>::state(self);
        FuseIter { items, fuse }
    }

    #[inline]
    fn done(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Ends early if the fuse is blown; nobody is going to count its items then.
struct FuseIter<'a, I> {
    items: I,
    fuse: Fuse<'a>,
}

impl<I: Iterator> Iterator for FuseIter<'_, I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.fuse.is_blown() { None } else { self.items.next() }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for FuseIter<'_, I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        if self.fuse.is_blown() { None } else { self.items.next_back() }
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for FuseIter<'_, I> {}

impl<I: ParallelIterator> ParallelIterator for PanicFuse<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Fusing(&AtomicBool::new(false))))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for PanicFuse<I> {
    #[inline]
    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive(each(consumer, Fusing(&AtomicBool::new(false))))
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        with_wrapped(self.base, WrapEach(Fusing(&AtomicBool::new(false))), callback)
    }
}
