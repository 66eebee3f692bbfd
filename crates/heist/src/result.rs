//! Parallel iterators over results: of one item, or none if it is an error.

use crate::{
    iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator},
    option,
};
use std::sync::Mutex;

/// A parallel iterator over the value in a result, if there is one.
#[derive(Debug, Clone)]
pub struct IntoIter<T> {
    inner: option::IntoIter<T>,
}

delegated_indexed! { impl[T: Send] IntoIter<T> => T }

impl<T: Send, E> IntoParallelIterator for Result<T, E> {
    type Item = T;
    type Iter = IntoIter<T>;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { inner: self.ok().into_par_iter() }
    }
}

/// A parallel iterator over a reference to the value in a result, if there is one.
#[derive(Debug)]
pub struct Iter<'a, T> {
    inner: option::IntoIter<&'a T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { inner: self.inner.clone() }
    }
}

delegated_indexed! { impl['a, T: Sync] Iter<'a, T> => &'a T }

impl<'a, T: Sync, E> IntoParallelIterator for &'a Result<T, E> {
    type Item = &'a T;
    type Iter = Iter<'a, T>;

    fn into_par_iter(self) -> Iter<'a, T> {
        Iter { inner: self.as_ref().ok().into_par_iter() }
    }
}

/// A parallel iterator over an exclusive reference to the value in a result, if there is one.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    inner: option::IntoIter<&'a mut T>,
}

delegated_indexed! { impl['a, T: Send] IterMut<'a, T> => &'a mut T }

impl<'a, T: Send, E> IntoParallelIterator for &'a mut Result<T, E> {
    type Item = &'a mut T;
    type Iter = IterMut<'a, T>;

    fn into_par_iter(self) -> IterMut<'a, T> {
        IterMut { inner: self.as_mut().ok().into_par_iter() }
    }
}

/// Collects the values, or one of the errors if there are any: not always the first.
///
/// Stops early once there is one.
impl<C, T, E> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
    T: Send,
    E: Send,
{
    fn from_par_iter<I>(par_iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Result<T, E>>,
    {
        let first_error = Mutex::new(None);
        let values = par_iter.into_par_iter().map(|item| match item {
            Ok(value) => Some(value),
            Err(error) => {
                // Others may keep theirs: one is enough, and nobody waits. It is dropped outside of the lock.
                if let Ok(mut first) = first_error.try_lock()
                    && first.is_none()
                {
                    *first = Some(error);
                }
                None
            }
        });
        let collection = values.while_some().collect();
        match first_error.into_inner().expect("nothing panics while it is locked") {
            Some(error) => Err(error),
            None => Ok(collection),
        }
    }
}
