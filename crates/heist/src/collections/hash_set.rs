//! Parallel iterators over `HashSet`s.

use std::collections::HashSet;

via_vec! {
    /// A parallel iterator over the elements of a set, by value.
    IntoIter<T>(T): impl[T: Send, S] for HashSet<T, S> where [T: Send]
}

refs_via_vec! {
    /// A parallel iterator over the elements of a set, shared.
    Iter<'a, T>(&'a T): impl['a, T: Sync, S] for &'a HashSet<T, S> where ['a, T: Sync]
}

drain_via_vec! {
    /// A parallel iterator that has emptied a set.
    Drain<T>(T): impl[T: Send, S] for HashSet<T, S>
}
