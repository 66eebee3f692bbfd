//! [`ParallelExtend`] for collections.

use super::{slots, vectors};
use crate::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    hash::{BuildHasher, Hash},
};

/// Extends `collection` with vectors of the items, after making room for all of them.
fn extend<C, I>(collection: &mut C, items: I, reserve: impl FnOnce(&mut C, usize))
where
    C: Extend<I::Item>,
    I: IntoParallelIterator,
{
    let vectors = vectors(items.into_par_iter());
    reserve(collection, vectors.iter().map(Vec::len).sum());
    for items in vectors {
        collection.extend(items);
    }
}

/// For collections that cannot make room.
fn no_room<C>(_: &mut C, _: usize) {}

/// Appends the items in their order.
impl<T: Send> ParallelExtend<T> for Vec<T> {
    #[inline]
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        let items = par_iter.into_par_iter();
        match items.opt_len() {
            Some(len) => slots::append(self, len, |slots| items.drive_unindexed(slots)),
            None => extend(self, items, Vec::reserve),
        }
    }
}

/// Appends copies of the items in their order.
impl<'a, T: 'a + Copy + Send + Sync> ParallelExtend<&'a T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        self.par_extend(par_iter.into_par_iter().copied());
    }
}

/// Appends the items in their order.
impl<T: Send> ParallelExtend<T> for VecDeque<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        extend(self, par_iter, VecDeque::reserve);
    }
}

/// Appends copies of the items in their order.
impl<'a, T: 'a + Copy + Send + Sync> ParallelExtend<&'a T> for VecDeque<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        extend(self, par_iter, VecDeque::reserve);
    }
}

/// Appends the items in their order.
impl<T: Send> ParallelExtend<T> for LinkedList<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Appends copies of the items in their order.
impl<'a, T: 'a + Copy + Send + Sync> ParallelExtend<&'a T> for LinkedList<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Pushes the items.
impl<T: Ord + Send> ParallelExtend<T> for BinaryHeap<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        extend(self, par_iter, BinaryHeap::reserve);
    }
}

/// Pushes copies of the items.
impl<'a, T: 'a + Copy + Ord + Send + Sync> ParallelExtend<&'a T> for BinaryHeap<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        extend(self, par_iter, BinaryHeap::reserve);
    }
}

/// Inserts the items in their order: of those with equal keys the last stays.
impl<K: Ord + Send, V: Send> ParallelExtend<(K, V)> for BTreeMap<K, V> {
    fn par_extend<I: IntoParallelIterator<Item = (K, V)>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Inserts copies of the items in their order: of those with equal keys the last stays.
impl<'a, K, V> ParallelExtend<(&'a K, &'a V)> for BTreeMap<K, V>
where
    K: 'a + Copy + Ord + Send + Sync,
    V: 'a + Copy + Send + Sync,
{
    fn par_extend<I: IntoParallelIterator<Item = (&'a K, &'a V)>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Inserts the items.
impl<T: Ord + Send> ParallelExtend<T> for BTreeSet<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Inserts copies of the items.
impl<'a, T: 'a + Copy + Ord + Send + Sync> ParallelExtend<&'a T> for BTreeSet<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        extend(self, par_iter, no_room);
    }
}

/// Inserts the items in their order: of those with equal keys the last stays.
impl<K, V, S> ParallelExtend<(K, V)> for HashMap<K, V, S>
where
    K: Eq + Hash + Send,
    V: Send,
    S: BuildHasher + Send,
{
    fn par_extend<I: IntoParallelIterator<Item = (K, V)>>(&mut self, par_iter: I) {
        extend(self, par_iter, HashMap::reserve);
    }
}

/// Inserts copies of the items in their order: of those with equal keys the last stays.
impl<'a, K, V, S> ParallelExtend<(&'a K, &'a V)> for HashMap<K, V, S>
where
    K: 'a + Copy + Eq + Hash + Send + Sync,
    V: 'a + Copy + Send + Sync,
    S: BuildHasher + Send,
{
    fn par_extend<I: IntoParallelIterator<Item = (&'a K, &'a V)>>(&mut self, par_iter: I) {
        extend(self, par_iter, HashMap::reserve);
    }
}

/// Inserts the items.
impl<T, S> ParallelExtend<T> for HashSet<T, S>
where
    T: Eq + Hash + Send,
    S: BuildHasher + Send,
{
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        extend(self, par_iter, HashSet::reserve);
    }
}

/// Inserts copies of the items.
impl<'a, T, S> ParallelExtend<&'a T> for HashSet<T, S>
where
    T: 'a + Copy + Eq + Hash + Send + Sync,
    S: BuildHasher + Send,
{
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, par_iter: I) {
        extend(self, par_iter, HashSet::reserve);
    }
}

/// Nothing comes of nothing; it lets an iterator be run for its side effects alone.
impl ParallelExtend<()> for () {
    fn par_extend<I: IntoParallelIterator<Item = ()>>(&mut self, par_iter: I) {
        par_iter.into_par_iter().for_each(|()| ());
    }
}
