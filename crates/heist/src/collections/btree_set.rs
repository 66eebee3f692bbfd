//! Parallel iterators over `BTreeSet`s.

use std::collections::BTreeSet;

via_vec! {
    /// A parallel iterator over the elements of a set, by value.
    IntoIter<T>(T): impl[T: Ord + Send] for BTreeSet<T> where [T: Ord + Send]
}

refs_via_vec! {
    /// A parallel iterator over the elements of a set, shared.
    Iter<'a, T>(&'a T): impl['a, T: Ord + Sync] for &'a BTreeSet<T> where ['a, T: Ord + Sync]
}
