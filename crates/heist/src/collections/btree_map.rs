//! Parallel iterators over `BTreeMap`s.

use std::collections::BTreeMap;

via_vec! {
    /// A parallel iterator over the entries of a map, by value.
    IntoIter<K, V>((K, V)): impl[K: Ord + Send, V: Send] for BTreeMap<K, V> where [K: Ord + Send, V: Send]
}

refs_via_vec! {
    /// A parallel iterator over the entries of a map, shared.
    Iter<'a, K, V>((&'a K, &'a V)):
    impl['a, K: Ord + Sync, V: Sync] for &'a BTreeMap<K, V> where ['a, K: Ord + Sync, V: Sync]
}

via_vec! {
    /// A parallel iterator over the entries of a map, with exclusive values.
    IterMut<'a, K, V>((&'a K, &'a mut V)):
    impl['a, K: Ord + Sync, V: Send] for &'a mut BTreeMap<K, V> where ['a, K: Ord + Sync, V: Send]
}
