//! Windows: overlapping parts of a slice, each one element further.

use crate::iter::plumbing::Producer;
use std::slice;

/// A parallel iterator over windows; made by [`par_windows`](super::ParallelSlice::par_windows).
#[derive(Debug)]
pub struct Windows<'data, T> {
    windows: Overlapping<'data, T>,
}

impl<T> Clone for Windows<'_, T> {
    fn clone(&self) -> Self {
        Windows { windows: self.windows }
    }
}

impl<'data, T: Sync> Windows<'data, T> {
    pub(super) fn new(slice: &'data [T], size: usize) -> Self {
        Windows { windows: Overlapping { slice, size } }
    }

    fn item_count(&self) -> usize {
        self.windows.item_count()
    }

    fn into_producer(self) -> Overlapping<'data, T> {
        self.windows
    }
}

indexed_source! { impl['data, T: Sync] Windows<'data, T> => &'data [T] }

/// A parallel iterator over windows of a constant size; made by
/// [`par_array_windows`](super::ParallelSlice::par_array_windows).
#[derive(Debug)]
pub struct ArrayWindows<'data, T: Sync, const N: usize> {
    windows: Overlapping<'data, T>,
}

impl<T: Sync, const N: usize> Clone for ArrayWindows<'_, T, N> {
    fn clone(&self) -> Self {
        ArrayWindows { windows: self.windows }
    }
}

impl<'data, T: Sync, const N: usize> ArrayWindows<'data, T, N> {
    pub(super) fn new(slice: &'data [T]) -> Self {
        ArrayWindows { windows: Overlapping { slice, size: N } }
    }

    fn item_count(&self) -> usize {
        self.windows.item_count()
    }

    fn into_producer(self) -> Arrays<Overlapping<'data, T>, N> {
        Arrays(self.windows)
    }
}

indexed_source! { impl['data, T: Sync, const N: usize] ArrayWindows<'data, T, N> => &'data [T; N] }

/// The producer of windows.
#[derive(Debug)]
struct Overlapping<'data, T> {
    slice: &'data [T],
    size: usize,
}

impl<T> Clone for Overlapping<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Overlapping<'_, T> {}

impl<T> Overlapping<'_, T> {
    fn item_count(&self) -> usize {
        self.slice.len().saturating_sub(self.size - 1)
    }
}

impl<'data, T: Sync> Producer for Overlapping<'data, T> {
    type Item = &'data [T];
    type IntoIter = slice::Windows<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.slice.windows(self.size)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let Overlapping { slice, size } = self;
        // The last window on the left reaches over the cut.
        let left_end = (index + size - 1).min(slice.len());
        (Overlapping { slice: &slice[..left_end], size }, Overlapping { slice: &slice[index..], size })
    }
}

/// A producer, or an iterator, whose windows become arrays.
struct Arrays<W, const N: usize>(W);

impl<'data, T: Sync, const N: usize> Producer for Arrays<Overlapping<'data, T>, N> {
    type Item = &'data [T; N];
    type IntoIter = Arrays<slice::Windows<'data, T>, N>;

    fn into_iter(self) -> Self::IntoIter {
        Arrays(self.0.into_iter())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(index);
        (Arrays(left), Arrays(right))
    }
}

fn as_array<T, const N: usize>(window: &[T]) -> &[T; N] {
    window.try_into().expect("a window is as long as asked")
}

impl<'data, T, const N: usize> Iterator for Arrays<slice::Windows<'data, T>, N> {
    type Item = &'data [T; N];

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(as_array)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T, const N: usize> DoubleEndedIterator for Arrays<slice::Windows<'_, T>, N> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(as_array)
    }
}

impl<T, const N: usize> ExactSizeIterator for Arrays<slice::Windows<'_, T>, N> {}
