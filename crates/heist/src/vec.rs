//! Parallel iterators over vectors: [`IntoIter`] takes all elements, [`Drain`] some.
//!
//! Both give elements away that still lie in the vector's buffer. A `Taken` owns a part of them: it can be
//! cut, its iterator moves them out, and whatever nobody took it drops.

use crate::{
    iter::{
        IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange, ParallelIterator,
        plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
    },
    math::simplify_range,
    slice::{Iter, IterMut},
};
use std::{
    iter::FusedIterator,
    marker::PhantomData,
    mem::{self, MaybeUninit},
    ops::{Range, RangeBounds},
    ptr, slice,
};

/// A parallel iterator over the elements of a vector, by value.
#[derive(Debug, Clone)]
pub struct IntoIter<T> {
    vec: Vec<T>,
}

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { vec: self }
    }
}

impl<T: Send> IntoParallelIterator for Box<[T]> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { vec: self.into_vec() }
    }
}

impl<'data, T: Sync> IntoParallelIterator for &'data Vec<T> {
    type Item = &'data T;
    type Iter = Iter<'data, T>;

    fn into_par_iter(self) -> Iter<'data, T> {
        self.as_slice().into_par_iter()
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Vec<T> {
    type Item = &'data mut T;
    type Iter = IterMut<'data, T>;

    fn into_par_iter(self) -> IterMut<'data, T> {
        self.as_mut_slice().into_par_iter()
    }
}

impl<T: Send> ParallelIterator for IntoIter<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.vec.len())
    }
}

impl<T: Send> IndexedParallelIterator for IntoIter<T> {
    fn len(&self) -> usize {
        self.vec.len()
    }

    #[inline]
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        bridge(self, consumer)
    }

    fn with_producer<CB>(mut self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        self.vec.par_drain(..).with_producer(callback)
    }
}

/// A parallel iterator that takes a range of elements out of a vector; made by
/// [`par_drain`](ParallelDrainRange::par_drain).
///
/// The elements after the range move up when it is dropped or done. What was not taken is dropped.
#[derive(Debug)]
pub struct Drain<'data, T: Send> {
    vec: &'data mut Vec<T>,
    range: Range<usize>,
    /// The vector's length before.
    len: usize,
}

impl<'data, T: Send> ParallelDrainRange<usize> for &'data mut Vec<T> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'data, T> {
        let len = self.len();
        Drain { range: simplify_range(range, len), len, vec: self }
    }
}

impl<T: Send> ParallelIterator for Drain<'_, T> {
    type Item = T;

    #[inline]
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

    #[inline]
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        bridge(self, consumer)
    }

    #[inline]
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        // SAFETY: shorter than before. From here on, only `Taken` owns the elements of the range, and `self`
        // those after it.
        unsafe { self.vec.set_len(self.range.start) };
        let spare = &mut self.vec.spare_capacity_mut()[..self.range.len()];
        // SAFETY: these are the elements of the range, which the vector no longer counts.
        callback.callback(unsafe { Taken::new(spare) })
        // Here, or as it unwinds, `self` closes the gap.
    }
}

impl<T: Send> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        let Range { start, end } = self.range;
        if self.vec.len() == self.len {
            // Nobody asked for the elements.
            self.vec.drain(start..end);
            return;
        }
        debug_assert_eq!(self.vec.len(), start);
        let after = self.len - end;
        // SAFETY: the elements of the range are gone; the `after` ones behind move up, and count again.
        unsafe {
            let base = self.vec.as_mut_ptr();
            ptr::copy(base.add(end), base.add(start), after);
            self.vec.set_len(start + after);
        }
    }
}

/// Elements in a buffer that counts them no longer. Both the producer and its iterator.
///
/// # Invariants
/// T1 `[begin, begin + len)` are initialised, and owned by this alone.
pub(crate) struct Taken<'data, T> {
    elements: slice::IterMut<'data, MaybeUninit<T>>,
    owns: PhantomData<T>,
}

impl<'data, T> Taken<'data, T> {
    /// Takes all of `elements`.
    ///
    /// # Safety
    /// They must be initialised, and nobody else may use or drop them.
    pub(crate) unsafe fn new(elements: &'data mut [MaybeUninit<T>]) -> Self {
        Taken { elements: elements.iter_mut(), owns: PhantomData }
    }

    fn rest(&mut self) -> &'data mut [MaybeUninit<T>] {
        mem::take(&mut self.elements).into_slice()
    }
}

impl<T: Send> Producer for Taken<'_, T> {
    type Item = T;
    type IntoIter = Self;

    fn into_iter(self) -> Self {
        self
    }

    fn split_at(mut self, index: usize) -> (Self, Self) {
        let (left, right) = self.rest().split_at_mut(index);
        // SAFETY: `self` owned them (T1) and is left with nothing.
        unsafe { (Taken::new(left), Taken::new(right)) }
    }
}

impl<T> Iterator for Taken<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        // SAFETY: initialised and ours (T1); the iterator passes it once.
        self.elements.next().map(|element| unsafe { element.assume_init_read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<T> DoubleEndedIterator for Taken<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: initialised and ours (T1); the iterator passes it once.
        self.elements.next_back().map(|element| unsafe { element.assume_init_read() })
    }
}

impl<T> ExactSizeIterator for Taken<'_, T> {}

impl<T> FusedIterator for Taken<'_, T> {}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let rest: *mut [MaybeUninit<T>] = self.rest();
        // SAFETY: initialised, ours (T1), and nobody comes after us.
        unsafe { ptr::drop_in_place(rest as *mut [T]) };
    }
}
