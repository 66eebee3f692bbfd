//! Parallel iterators over `VecDeque`s.

use crate::{
    iter::{
        Chain, IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange, ParallelIterator,
        plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge},
    },
    math::simplify_range,
    slice, vec,
};
use std::{
    collections::VecDeque,
    mem,
    ops::{Range, RangeBounds},
};

/// A parallel iterator over the elements of a deque, by value.
#[derive(Debug, Clone)]
pub struct IntoIter<T: Send> {
    inner: vec::IntoIter<T>,
}

delegated_indexed! { impl[T: Send] IntoIter<T> => T }

impl<T: Send> IntoParallelIterator for VecDeque<T> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { inner: Vec::from(self).into_par_iter() }
    }
}

/// A parallel iterator over the elements of a deque, shared.
#[derive(Debug)]
pub struct Iter<'a, T> {
    inner: Chain<slice::Iter<'a, T>, slice::Iter<'a, T>>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { inner: self.inner.clone() }
    }
}

delegated_indexed! { impl['a, T: Sync] Iter<'a, T> => &'a T }

impl<'a, T: Sync> IntoParallelIterator for &'a VecDeque<T> {
    type Item = &'a T;
    type Iter = Iter<'a, T>;

    fn into_par_iter(self) -> Iter<'a, T> {
        let (front, back) = self.as_slices();
        Iter { inner: front.into_par_iter().chain(back) }
    }
}

/// A parallel iterator over the elements of a deque, exclusive.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    inner: Chain<slice::IterMut<'a, T>, slice::IterMut<'a, T>>,
}

delegated_indexed! { impl['a, T: Send] IterMut<'a, T> => &'a mut T }

impl<'a, T: Send> IntoParallelIterator for &'a mut VecDeque<T> {
    type Item = &'a mut T;
    type Iter = IterMut<'a, T>;

    fn into_par_iter(self) -> IterMut<'a, T> {
        let (front, back) = self.as_mut_slices();
        IterMut { inner: front.into_par_iter().chain(back) }
    }
}

/// A parallel iterator that takes a range of elements out of a deque; made by
/// [`par_drain`](ParallelDrainRange::par_drain).
///
/// What comes after the range moves up when it is dropped or done.
#[derive(Debug)]
pub struct Drain<'a, T> {
    deque: &'a mut VecDeque<T>,
    range: Range<usize>,
    /// The deque's length before.
    len: usize,
}

impl<'a, T: Send> ParallelDrainRange<usize> for &'a mut VecDeque<T> {
    type Iter = Drain<'a, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'a, T> {
        let len = self.len();
        Drain { range: simplify_range(range, len), len, deque: self }
    }
}

impl<T: Send> ParallelIterator for Drain<'_, T> {
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.range.len())
    }
}

impl<T: Send> IndexedParallelIterator for Drain<'_, T> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        bridge(self, consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        /// Turns the vector back into the deque it was; neither way allocates.
        struct Return<'a, T>(&'a mut VecDeque<T>, Vec<T>);

        impl<T> Drop for Return<'_, T> {
            fn drop(&mut self) {
                *self.0 = mem::take(&mut self.1).into();
            }
        }

        let range = self.range.clone();
        let elements = mem::take(&mut *self.deque).into();
        let mut vector = Return(&mut *self.deque, elements);
        vector.1.par_drain(range).with_producer(callback)
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        if self.deque.len() == self.len {
            // The iterator was never used.
            self.deque.drain(self.range.clone());
        }
    }
}
