//! Parallel iterators over options: of one item or none.

use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator, plumbing::Producer};
use std::{
    option,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// A parallel iterator over the value in an option, if there is one.
#[derive(Debug, Clone)]
pub struct IntoIter<T> {
    item: Option<T>,
}

impl<T: Send> IntoIter<T> {
    fn item_count(&self) -> usize {
        usize::from(self.item.is_some())
    }

    fn into_producer(self) -> Self {
        self
    }
}

indexed_source! { impl[T: Send] IntoIter<T> => T }

impl<T: Send> Producer for IntoIter<T> {
    type Item = T;
    type IntoIter = option::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.item.into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let none = IntoIter { item: None };
        if index == 0 { (none, self) } else { (self, none) }
    }
}

impl<T: Send> IntoParallelIterator for Option<T> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { item: self }
    }
}

/// A parallel iterator over a reference to the value in an option, if there is one.
#[derive(Debug)]
pub struct Iter<'a, T> {
    inner: IntoIter<&'a T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { inner: self.inner.clone() }
    }
}

delegated_indexed! { impl['a, T: Sync] Iter<'a, T> => &'a T }

impl<'a, T: Sync> IntoParallelIterator for &'a Option<T> {
    type Item = &'a T;
    type Iter = Iter<'a, T>;

    fn into_par_iter(self) -> Iter<'a, T> {
        Iter { inner: self.as_ref().into_par_iter() }
    }
}

/// A parallel iterator over an exclusive reference to the value in an option, if there is one.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    inner: IntoIter<&'a mut T>,
}

delegated_indexed! { impl['a, T: Send] IterMut<'a, T> => &'a mut T }

impl<'a, T: Send> IntoParallelIterator for &'a mut Option<T> {
    type Item = &'a mut T;
    type Iter = IterMut<'a, T>;

    fn into_par_iter(self) -> IterMut<'a, T> {
        IterMut { inner: self.as_mut().into_par_iter() }
    }
}

/// Collects the values, or nothing if any is missing.
///
/// Stops early once one is missing.
impl<C, T> FromParallelIterator<Option<T>> for Option<C>
where
    C: FromParallelIterator<T>,
    T: Send,
{
    fn from_par_iter<I>(par_iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Option<T>>,
    {
        let missing = AtomicBool::new(false);
        let values = par_iter.into_par_iter().inspect(|item| {
            if item.is_none() {
                // ORDERING: read after the end of the iteration, which is ordered after all its parts.
                missing.store(true, Relaxed);
            }
        });
        let collection = values.while_some().collect();
        (!missing.into_inner()).then_some(collection)
    }
}
