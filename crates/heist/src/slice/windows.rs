//! Windows: overlapping parts of a slice, each one element further.

use crate::iter::plumbing::Producer;
use std::{iter, slice};

/// A parallel iterator over windows; made by [`par_windows`](super::ParallelSlice::par_windows).
#[derive(Debug)]
pub struct Windows<'data, T> {
    slice: &'data [T],
    size: usize,
}

impl<T> Clone for Windows<'_, T> {
    fn clone(&self) -> Self {
        Windows { ..*self }
    }
}

impl<'data, T: Sync> Windows<'data, T> {
    pub(super) fn new(slice: &'data [T], size: usize) -> Self {
        Windows { slice, size }
    }

    fn item_count(&self) -> usize {
        self.slice.len().saturating_sub(self.size - 1)
    }

    fn into_producer(self) -> Self {
        self
    }
}

indexed_source! { impl['data, T: Sync] Windows<'data, T> => &'data [T] }

impl<'data, T: Sync> Producer for Windows<'data, T> {
    type Item = &'data [T];
    type IntoIter = slice::Windows<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.slice.windows(self.size)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        // The last window on the left reaches over the cut.
        let left_end = (index + self.size - 1).min(self.slice.len());
        (Windows::new(&self.slice[..left_end], self.size), Windows::new(&self.slice[index..], self.size))
    }
}

/// A parallel iterator over windows of a constant size; made by
/// [`par_array_windows`](super::ParallelSlice::par_array_windows).
#[derive(Debug)]
pub struct ArrayWindows<'data, T: Sync, const N: usize> {
    windows: Windows<'data, T>,
}

impl<T: Sync, const N: usize> Clone for ArrayWindows<'_, T, N> {
    fn clone(&self) -> Self {
        ArrayWindows { windows: self.windows.clone() }
    }
}

impl<'data, T: Sync, const N: usize> ArrayWindows<'data, T, N> {
    pub(super) fn new(slice: &'data [T]) -> Self {
        ArrayWindows { windows: Windows::new(slice, N) }
    }

    fn item_count(&self) -> usize {
        self.windows.item_count()
    }

    fn into_producer(self) -> Self {
        self
    }
}

indexed_source! { impl['data, T: Sync, const N: usize] ArrayWindows<'data, T, N> => &'data [T; N] }

impl<'data, T: Sync, const N: usize> Producer for ArrayWindows<'data, T, N> {
    type Item = &'data [T; N];
    type IntoIter = iter::Map<slice::Windows<'data, T>, fn(&'data [T]) -> &'data [T; N]>;

    fn into_iter(self) -> Self::IntoIter {
        self.windows.into_iter().map(|window| window.try_into().expect("a window is as long as asked"))
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.windows.split_at(index);
        (ArrayWindows { windows: left }, ArrayWindows { windows: right })
    }
}
