//! [`FromParallelIterator`] for collections.

use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    hash::{BuildHasher, Hash},
    rc::Rc,
    sync::Arc,
};

/// Extends an empty collection.
fn extended<C, I>(items: I) -> C
where
    C: Default + ParallelExtend<I::Item>,
    I: IntoParallelIterator,
{
    let mut collection = C::default();
    collection.par_extend(items);
    collection
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for Vec<T> {
    #[inline]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        let items = par_iter.into_par_iter();
        let mut vec = Vec::with_capacity(items.opt_len().unwrap_or(0));
        vec.par_extend(items);
        vec
    }
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for Box<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Vec::from_par_iter(par_iter).into()
    }
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for Rc<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Vec::from_par_iter(par_iter).into()
    }
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for Arc<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Vec::from_par_iter(par_iter).into()
    }
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for VecDeque<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Vec::from_par_iter(par_iter).into()
    }
}

/// Collects the items; the heap is built at once, in linear time.
impl<T: Ord + Send> FromParallelIterator<T> for BinaryHeap<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Vec::from_par_iter(par_iter).into()
    }
}

/// Collects the items in their order.
impl<T: Send> FromParallelIterator<T> for LinkedList<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        extended(par_iter)
    }
}

/// Collects the items; of those with equal keys the last stays.
impl<K, V, S> FromParallelIterator<(K, V)> for HashMap<K, V, S>
where
    K: Eq + Hash + Send,
    V: Send,
    S: BuildHasher + Default + Send,
{
    fn from_par_iter<I: IntoParallelIterator<Item = (K, V)>>(par_iter: I) -> Self {
        extended(par_iter)
    }
}

/// Collects the items; of those with equal keys the last stays.
impl<K: Ord + Send, V: Send> FromParallelIterator<(K, V)> for BTreeMap<K, V> {
    fn from_par_iter<I: IntoParallelIterator<Item = (K, V)>>(par_iter: I) -> Self {
        extended(par_iter)
    }
}

/// Collects the items.
impl<V, S> FromParallelIterator<V> for HashSet<V, S>
where
    V: Eq + Hash + Send,
    S: BuildHasher + Default + Send,
{
    fn from_par_iter<I: IntoParallelIterator<Item = V>>(par_iter: I) -> Self {
        extended(par_iter)
    }
}

/// Collects the items.
impl<V: Send + Ord> FromParallelIterator<V> for BTreeSet<V> {
    fn from_par_iter<I: IntoParallelIterator<Item = V>>(par_iter: I) -> Self {
        extended(par_iter)
    }
}

/// Collects into whatever is the owned form; the result is never borrowed.
impl<C, T> FromParallelIterator<T> for Cow<'_, C>
where
    C: ToOwned<Owned: FromParallelIterator<T>> + ?Sized,
    T: Send,
{
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        Cow::Owned(C::Owned::from_par_iter(par_iter))
    }
}

/// Nothing comes of nothing. Together with `Result` it tells whether all went well:
///
/// ```
/// use heist::prelude::*;
///
/// let parse = |text| u8::from_str_radix(text, 10).map(drop);
/// let all: Result<(), _> = ["1", "2", "three"].into_par_iter().map(parse).collect();
/// assert!(all.is_err());
/// ```
impl FromParallelIterator<()> for () {
    fn from_par_iter<I: IntoParallelIterator<Item = ()>>(par_iter: I) -> Self {
        par_iter.into_par_iter().for_each(|()| ());
    }
}
