//! Parallel iterators over `HashMap`s.

use std::collections::HashMap;

via_vec! {
    /// A parallel iterator over the entries of a map, by value.
    IntoIter<K, V>((K, V)): impl[K: Send, V: Send, S] for HashMap<K, V, S> where [K: Send, V: Send]
}

refs_via_vec! {
    /// A parallel iterator over the entries of a map, shared.
    Iter<'a, K, V>((&'a K, &'a V)):
    impl['a, K: Sync, V: Sync, S] for &'a HashMap<K, V, S> where ['a, K: Sync, V: Sync]
}

via_vec! {
    /// A parallel iterator over the entries of a map, with exclusive values.
    IterMut<'a, K, V>((&'a K, &'a mut V)):
    impl['a, K: Sync, V: Send, S] for &'a mut HashMap<K, V, S> where ['a, K: Sync, V: Send]
}

drain_via_vec! {
    /// A parallel iterator that has emptied a map.
    Drain<K, V>((K, V)): impl[K: Send, V: Send, S] for HashMap<K, V, S>
}
