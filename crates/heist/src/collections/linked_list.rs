//! Parallel iterators over `LinkedList`s.

use std::collections::LinkedList;

via_vec! {
    /// A parallel iterator over the elements of a list, by value.
    IntoIter<T>(T): impl[T: Send] for LinkedList<T> where [T: Send]
}

impl<T: Clone> Clone for IntoIter<T> {
    fn clone(&self) -> Self {
        IntoIter { inner: self.inner.clone() }
    }
}

refs_via_vec! {
    /// A parallel iterator over the elements of a list, shared.
    Iter<'a, T>(&'a T): impl['a, T: Sync] for &'a LinkedList<T> where ['a, T: Sync]
}

via_vec! {
    /// A parallel iterator over the elements of a list, exclusive.
    IterMut<'a, T>(&'a mut T): impl['a, T: Send] for &'a mut LinkedList<T> where ['a, T: Send]
}
