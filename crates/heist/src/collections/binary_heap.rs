//! Parallel iterators over `BinaryHeap`s: in no particular order.

use crate::{
    iter::{
        IndexedParallelIterator, IntoParallelIterator, ParallelDrainFull, ParallelDrainRange,
        ParallelIterator,
        plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge},
    },
    slice, vec,
};
use std::{collections::BinaryHeap, mem};

/// A parallel iterator over the elements of a heap, by value.
#[derive(Debug, Clone)]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

delegated_indexed! { impl[T: Send] IntoIter<T> => T }

impl<T: Send> IntoParallelIterator for BinaryHeap<T> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { inner: self.into_vec().into_par_iter() }
    }
}

/// A parallel iterator over the elements of a heap, shared.
#[derive(Debug)]
pub struct Iter<'a, T> {
    inner: slice::Iter<'a, T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { inner: self.inner.clone() }
    }
}

delegated_indexed! { impl['a, T: Sync] Iter<'a, T> => &'a T }

impl<'a, T: Sync> IntoParallelIterator for &'a BinaryHeap<T> {
    type Item = &'a T;
    type Iter = Iter<'a, T>;

    fn into_par_iter(self) -> Iter<'a, T> {
        Iter { inner: self.as_slice().into_par_iter() }
    }
}

/// A parallel iterator that empties a heap. The heap keeps its memory.
#[derive(Debug)]
pub struct Drain<'a, T> {
    heap: &'a mut BinaryHeap<T>,
}

impl<'a, T: Ord + Send> ParallelDrainFull for &'a mut BinaryHeap<T> {
    type Item = T;
    type Iter = Drain<'a, T>;

    fn par_drain(self) -> Drain<'a, T> {
        Drain { heap: self }
    }
}

impl<T: Ord + Send> ParallelIterator for Drain<'_, T> {
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.heap.len())
    }
}

impl<T: Ord + Send> IndexedParallelIterator for Drain<'_, T> {
    fn len(&self) -> usize {
        self.heap.len()
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
        /// Gives the heap its memory back.
        struct Return<'a, T: Ord>(&'a mut BinaryHeap<T>, Vec<T>);

        impl<T: Ord> Drop for Return<'_, T> {
            fn drop(&mut self) {
                *self.0 = mem::take(&mut self.1).into();
            }
        }

        let elements = mem::take(&mut *self.heap).into_vec();
        let mut memory = Return(&mut *self.heap, elements);
        memory.1.par_drain(..).with_producer(callback)
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        // All that is left, if the iterator was never used.
        self.heap.clear();
    }
}
