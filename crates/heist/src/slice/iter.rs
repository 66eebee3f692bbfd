//! One element at a time, by reference.

use crate::iter::{IntoParallelIterator, plumbing::Producer};
use std::slice;

/// A parallel iterator over the elements of a slice, shared.
#[derive(Debug)]
pub struct Iter<'data, T> {
    slice: &'data [T],
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { ..*self }
    }
}

impl<'data, T: Sync> Iter<'data, T> {
    fn item_count(&self) -> usize {
        self.slice.len()
    }

    fn into_producer(self) -> Elements<&'data [T]> {
        Elements(self.slice)
    }
}

indexed_source! { impl['data, T: Sync] Iter<'data, T> => &'data T }

/// A parallel iterator over the elements of a slice, exclusive.
#[derive(Debug)]
pub struct IterMut<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T: Send> IterMut<'data, T> {
    fn item_count(&self) -> usize {
        self.slice.len()
    }

    fn into_producer(self) -> Elements<&'data mut [T]> {
        Elements(self.slice)
    }
}

indexed_source! { impl['data, T: Send] IterMut<'data, T> => &'data mut T }

/// The producer of both.
struct Elements<S>(S);

impl<'data, T: Sync> Producer for Elements<&'data [T]> {
    type Item = &'data T;
    type IntoIter = slice::Iter<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(index);
        (Elements(left), Elements(right))
    }
}

impl<'data, T: Send> Producer for Elements<&'data mut [T]> {
    type Item = &'data mut T;
    type IntoIter = slice::IterMut<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at_mut(index);
        (Elements(left), Elements(right))
    }
}

impl<'data, T: Sync> IntoParallelIterator for &'data [T] {
    type Item = &'data T;
    type Iter = Iter<'data, T>;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter { slice: self }
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut [T] {
    type Item = &'data mut T;
    type Iter = IterMut<'data, T>;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut { slice: self }
    }
}

impl<'data, T: Sync> IntoParallelIterator for &'data Box<[T]> {
    type Item = &'data T;
    type Iter = Iter<'data, T>;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter { slice: self }
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Box<[T]> {
    type Item = &'data mut T;
    type Iter = IterMut<'data, T>;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut { slice: self }
    }
}
