//! [`ParallelIterator`]: what every parallel iterator can do.

use super::{
    CancelOn, CancelToken, Chain, Cloned, Copied, Either, Filter, FilterMap, FlatMap, FlatMapIter, Flatten,
    FlattenIter, Fold, FoldWith, FromParallelIterator, Inspect, Intersperse, IntoParallelIterator, Map,
    MapInit, MapWith, PanicFuse, ParallelExtend, SkipAny, SkipAnyWhile, TakeAny, TakeAnyWhile, TryFold,
    TryFoldWith, Update, WhileSome, collect, find,
    outcome::Try,
    plumbing::UnindexedConsumer,
    reduce::{
        Count, ForEach, FromFirst, FromIdentity, Multiplying, Summing, TryFromFirst, TryFromIdentity,
        reduce_by,
    },
    unzip,
};
use std::{
    cmp::Ordering,
    collections::LinkedList,
    iter::{Product, Sum},
    sync::atomic::AtomicBool,
};

/// An iterator whose items may be processed on several workers at the same time.
///
/// Adaptors, such as [`map`](Self::map), are lazy: they return another iterator. Other methods, such as
/// [`for_each`](Self::for_each) and [`collect`](Self::collect), run the whole chain and return when it is
/// done. The items are divided into *pieces*, as few or as many as the pool has use for; some methods let
/// this be seen, as they do something once per piece.
///
/// To write such an iterator takes [`drive_unindexed`](Self::drive_unindexed); see
/// [`plumbing`](super::plumbing).
pub trait ParallelIterator: Sized + Send {
    /// What it yields.
    type Item: Send;

    /// Calls `op` with each item, in no particular order.
    ///
    /// ```
    /// use heist::prelude::*;
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// let seen = AtomicUsize::new(0);
    /// heist::iter::repeat_n("x", 100).for_each(|_| {
    ///     seen.fetch_add(1, Relaxed);
    /// });
    /// assert_eq!(seen.into_inner(), 100);
    /// ```
    fn for_each<OP>(self, op: OP)
    where
        OP: Fn(Self::Item) + Sync + Send,
    {
        reduce_by(self, ForEach(&op));
    }

    /// Calls `op` with each item and a clone of `init`, one for each piece.
    fn for_each_with<OP, T>(self, init: T, op: OP)
    where
        OP: Fn(&mut T, Self::Item) + Sync + Send,
        T: Send + Clone,
    {
        self.map_with(init, op).collect()
    }

    /// Calls `op` with each item and what `init` returned, which is called once for each piece.
    ///
    /// It is meant for things that are too costly to make for each item, such as buffers.
    fn for_each_init<OP, INIT, T>(self, init: INIT, op: OP)
    where
        OP: Fn(&mut T, Self::Item) + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
    {
        self.map_init(init, op).collect()
    }

    /// Calls `op` with each item until it fails for one, and returns a failure, if there was any.
    ///
    /// Once `op` has failed the others stop soon, but not at once; which failure is returned is not specified
    /// then. `R` is a `Result`, an `Option`, a `ControlFlow`, or a `Poll` of a `Result`.
    fn try_for_each<OP, R>(self, op: OP) -> R
    where
        OP: Fn(Self::Item) -> R + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.map(op).try_reduce(|| (), |(), ()| R::from_output(()))
    }

    /// As [`try_for_each`](Self::try_for_each), with a clone of `init` for each piece.
    fn try_for_each_with<OP, T, R>(self, init: T, op: OP) -> R
    where
        OP: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Try<Output = ()> + Send,
    {
        self.map_with(init, op).try_reduce(|| (), |(), ()| R::from_output(()))
    }

    /// As [`try_for_each`](Self::try_for_each), with what `init` makes for each piece.
    fn try_for_each_init<OP, INIT, T, R>(self, init: INIT, op: OP) -> R
    where
        OP: Fn(&mut T, Self::Item) -> R + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.map_init(init, op).try_reduce(|| (), |(), ()| R::from_output(()))
    }

    /// Counts the items, by running through all of them.
    fn count(self) -> usize {
        reduce_by(self, Count)
    }

    /// Calls `map_op` with each item and yields what it returns.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let squares: Vec<u32> = heist::iter::repeat_n(4, 3).map(|n| n * n).collect();
    /// assert_eq!(squares, [16, 16, 16]);
    /// ```
    fn map<F, R>(self, map_op: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Map::new(self, map_op)
    }

    /// As [`map`](Self::map), with a clone of `init` for each piece: a channel's sender, for instance.
    fn map_with<F, T, R>(self, init: T, map_op: F) -> MapWith<Self, T, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Send,
    {
        MapWith::new(self, init, map_op)
    }

    /// As [`map`](Self::map), with what `init` makes for each piece.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// // A buffer is made for each piece, not for each item.
    /// let lengths: Vec<usize> = heist::iter::repeat_n("abc", 10)
    ///     .map_init(String::new, |buffer, text| {
    ///         buffer.clear();
    ///         buffer.push_str(text);
    ///         buffer.len()
    ///     })
    ///     .collect();
    /// assert_eq!(lengths, [3; 10]);
    /// ```
    fn map_init<F, INIT, T, R>(self, init: INIT, map_op: F) -> MapInit<Self, INIT, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
        R: Send,
    {
        MapInit::new(self, init, map_op)
    }

    /// Clones items that are references.
    fn cloned<'a, T>(self) -> Cloned<Self>
    where
        T: 'a + Clone + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Cloned::new(self)
    }

    /// Copies items that are references.
    fn copied<'a, T>(self) -> Copied<Self>
    where
        T: 'a + Copy + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Copied::new(self)
    }

    /// Shows each item to `inspect_op` on its way.
    fn inspect<OP>(self, inspect_op: OP) -> Inspect<Self, OP>
    where
        OP: Fn(&Self::Item) + Sync + Send,
    {
        Inspect::new(self, inspect_op)
    }

    /// Lets `update_op` change each item on its way.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let numbers: Vec<u32> = heist::iter::repeat_n(1, 3).update(|n| *n += 1).collect();
    /// assert_eq!(numbers, [2, 2, 2]);
    /// ```
    fn update<F>(self, update_op: F) -> Update<Self, F>
    where
        F: Fn(&mut Self::Item) + Sync + Send,
    {
        Update::new(self, update_op)
    }

    /// Keeps the items for which `filter_op` returns true.
    fn filter<P>(self, filter_op: P) -> Filter<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Filter::new(self, filter_op)
    }

    /// Yields what `filter_op` makes of the items, where it makes something.
    fn filter_map<P, R>(self, filter_op: P) -> FilterMap<Self, P>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        FilterMap::new(self, filter_op)
    }

    /// Yields the items of what `map_op` makes of each item, one after another.
    ///
    /// Each is run in parallel. Where they are short, [`flat_map_iter`](Self::flat_map_iter) is faster.
    fn flat_map<F, PI>(self, map_op: F) -> FlatMap<Self, F>
    where
        F: Fn(Self::Item) -> PI + Sync + Send,
        PI: IntoParallelIterator,
    {
        FlatMap::new(self, map_op)
    }

    /// Yields the items of the sequential iterators that `map_op` makes of each item, one after another.
    ///
    /// These are not divided any further.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let letters: String = heist::iter::repeat_n("ab", 2).flat_map_iter(str::chars).collect();
    /// assert_eq!(letters, "abab");
    /// ```
    fn flat_map_iter<F, SI>(self, map_op: F) -> FlatMapIter<Self, F>
    where
        F: Fn(Self::Item) -> SI + Sync + Send,
        SI: IntoIterator<Item: Send>,
    {
        FlatMapIter::new(self, map_op)
    }

    /// Yields the items of items that are parallel iterators themselves, one after another.
    fn flatten(self) -> Flatten<Self>
    where
        Self::Item: IntoParallelIterator,
    {
        Flatten::new(self)
    }

    /// Yields the items of items that are sequential iterators, one after another.
    fn flatten_iter(self) -> FlattenIter<Self>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        FlattenIter::new(self)
    }

    /// Combines all items to one with `op`, beginning from what `identity` returns.
    ///
    /// Neighbours are combined in an order that is not specified, and `identity` may be called any number of
    /// times: `op` should be associative, and `identity` should make its neutral value.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let words: String =
    ///     heist::iter::repeat_n(String::from("ha"), 3).reduce(String::new, |a, b| a + &b);
    /// assert_eq!(words, "hahaha");
    /// ```
    fn reduce<OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        ID: Fn() -> Self::Item + Sync + Send,
    {
        reduce_by(self, FromIdentity { identity: &identity, op: &op })
    }

    /// Combines all items to one with `op`, which should be associative; `None` if there are none.
    fn reduce_with<OP>(self, op: OP) -> Option<Self::Item>
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        reduce_by(self, FromFirst(&op))
    }

    /// Combines what the items carry with `op`, until an item or `op` fails.
    ///
    /// Items are `Result`s, `Option`s, `ControlFlow`s, or `Poll`s of `Result`s. Once something has failed the
    /// others stop soon, but not at once; which failure is returned is not specified then.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let sum = |n| heist::iter::repeat_n(Some(n), 100).try_reduce(|| 0, u8::checked_add);
    /// assert_eq!(sum(1), Some(100));
    /// assert_eq!(sum(3), None);
    /// ```
    fn try_reduce<T, OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(T, T) -> Self::Item + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        Self::Item: Try<Output = T>,
    {
        let failed = &AtomicBool::new(false);
        reduce_by(self, TryFromIdentity { identity: &identity, op: &op, failed })
    }

    /// As [`try_reduce`](Self::try_reduce), without an identity; `None` if there are no items.
    fn try_reduce_with<T, OP>(self, op: OP) -> Option<Self::Item>
    where
        OP: Fn(T, T) -> Self::Item + Sync + Send,
        Self::Item: Try<Output = T>,
    {
        reduce_by(self, TryFromFirst { op: &op, failed: &AtomicBool::new(false) })
    }

    /// Folds the items of each piece, beginning from what `identity` returns, and yields one value per piece.
    ///
    /// Unlike in [`reduce`](Self::reduce) the values may be of another type than the items. How many there
    /// will be is not specified, so something like `reduce` or `sum` usually follows.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let letters = heist::iter::repeat_n("abc", 100)
    ///     .fold(|| 0, |sum, word| sum + word.len())
    ///     .sum::<usize>();
    /// assert_eq!(letters, 300);
    /// ```
    fn fold<T, ID, F>(self, identity: ID, fold_op: F) -> Fold<Self, ID, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        T: Send,
    {
        Fold::new(self, identity, fold_op)
    }

    /// As [`fold`](Self::fold), beginning each piece from a clone of `init`.
    fn fold_with<F, T>(self, init: T, fold_op: F) -> FoldWith<Self, T, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        T: Send + Clone,
    {
        FoldWith::new(self, init, fold_op)
    }

    /// As [`fold`](Self::fold); a piece ends early if `fold_op` fails, and yields that failure.
    fn try_fold<T, R, ID, F>(self, identity: ID, fold_op: F) -> TryFold<Self, R, ID, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        R: Try<Output = T> + Send,
    {
        TryFold::new(self, identity, fold_op)
    }

    /// As [`try_fold`](Self::try_fold), beginning each piece from a clone of `init`.
    fn try_fold_with<F, T, R>(self, init: T, fold_op: F) -> TryFoldWith<Self, R, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        R: Try<Output = T> + Send,
        T: Clone + Send,
    {
        TryFoldWith::new(self, init, fold_op)
    }

    /// Adds all items up, in an order that is not specified; that may show in sums of floats.
    fn sum<S>(self) -> S
    where
        S: Send + Sum<Self::Item> + Sum<S>,
    {
        reduce_by(self, Summing::<S>::new())
    }

    /// Multiplies all items, in an order that is not specified.
    fn product<P>(self) -> P
    where
        P: Send + Product<Self::Item> + Product<P>,
    {
        reduce_by(self, Multiplying::<P>::new())
    }

    /// The least item, the first of them if there are several; `None` if there are no items.
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::min)
    }

    /// The least item by the order that `f` defines, the first of them if there are several.
    fn min_by<F>(self, f: F) -> Option<Self::Item>
    where
        F: Sync + Send + Fn(&Self::Item, &Self::Item) -> Ordering,
    {
        self.reduce_with(|a, b| if f(&a, &b).is_gt() { b } else { a })
    }

    /// The item with the least key, the first of them if there are several.
    fn min_by_key<K, F>(self, f: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Sync + Send + Fn(&Self::Item) -> K,
    {
        let keyed = self.map(|item| (f(&item), item));
        Some(keyed.min_by(|(a, _), (b, _)| a.cmp(b))?.1)
    }

    /// The greatest item, the last of them if there are several; `None` if there are no items.
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::max)
    }

    /// The greatest item by the order that `f` defines, the last of them if there are several.
    fn max_by<F>(self, f: F) -> Option<Self::Item>
    where
        F: Sync + Send + Fn(&Self::Item, &Self::Item) -> Ordering,
    {
        self.reduce_with(|a, b| if f(&a, &b).is_gt() { a } else { b })
    }

    /// The item with the greatest key, the last of them if there are several.
    fn max_by_key<K, F>(self, f: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Sync + Send + Fn(&Self::Item) -> K,
    {
        let keyed = self.map(|item| (f(&item), item));
        Some(keyed.max_by(|(a, _), (b, _)| a.cmp(b))?.1)
    }

    /// Yields the items of this iterator, then those of `chain`.
    fn chain<C>(self, chain: C) -> Chain<Self, C::Iter>
    where
        C: IntoParallelIterator<Item = Self::Item>,
    {
        Chain::new(self, chain.into_par_iter())
    }

    /// Any item for which `predicate` returns true: the one that is found first in time.
    ///
    /// Once one is found the search stops soon.
    fn find_any<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        find::find_any(self, predicate)
    }

    /// The first item, in the iterator's order, for which `predicate` returns true.
    ///
    /// Once one is found, only what comes before it is searched further.
    fn find_first<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        find::find_first(self, predicate)
    }

    /// The last item, in the iterator's order, for which `predicate` returns true.
    fn find_last<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        find::find_last(self, predicate)
    }

    /// What `predicate` makes of any item that it makes something of.
    fn find_map_any<P, R>(self, predicate: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.filter_map(predicate).find_any(|_| true)
    }

    /// What `predicate` makes of the first item that it makes something of.
    fn find_map_first<P, R>(self, predicate: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.filter_map(predicate).find_first(|_| true)
    }

    /// What `predicate` makes of the last item that it makes something of.
    fn find_map_last<P, R>(self, predicate: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.filter_map(predicate).find_last(|_| true)
    }

    #[doc(hidden)]
    #[deprecated(note = "say which: `find_any`, `find_first` or `find_last`")]
    fn find<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_any(predicate)
    }

    /// Whether `predicate` returns true for at least one item; stops soon if it does.
    fn any<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.map(predicate).find_any(|&yes| yes).is_some()
    }

    /// Whether `predicate` returns true for all items; stops soon if it does not.
    fn all<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.map(predicate).find_any(|&yes| !yes).is_none()
    }

    /// Unwraps items until somebody meets a `None`, then stops soon.
    ///
    /// Items that come after the `None` may still be yielded, and items that come before it may be missing.
    fn while_some<T>(self) -> WhileSome<Self>
    where
        Self: ParallelIterator<Item = Option<T>>,
        T: Send,
    {
        WhileSome::new(self)
    }

    /// Lets all pieces stop at their next item once one of them has panicked.
    ///
    /// Without it the others run to their end before the panic reaches the caller. It costs a look at a flag
    /// for each item.
    fn panic_fuse(self) -> PanicFuse<Self> {
        PanicFuse::new(self)
    }

    /// Stops before the next item, in every piece, once the token is cancelled.
    ///
    /// What was done until then is the result, of a `collect` for example what was collected. It costs a look
    /// at a flag for each item.
    fn cancel_on(self, token: &CancelToken) -> CancelOn<Self> {
        CancelOn::new(self, token.clone())
    }

    /// Builds a collection of all items.
    ///
    /// ```
    /// use heist::prelude::*;
    /// use std::collections::BTreeSet;
    ///
    /// let set: BTreeSet<u8> = heist::iter::repeat_n(7, 100).collect();
    /// assert_eq!(set.len(), 1);
    /// ```
    fn collect<C>(self) -> C
    where
        C: FromParallelIterator<Self::Item>,
    {
        C::from_par_iter(self)
    }

    /// Sorts the parts of pairs into two collections.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let (left, right): (Vec<_>, Vec<_>) = heist::iter::repeat_n((1, 'a'), 2).unzip();
    /// assert_eq!((left, right), (vec![1, 1], vec!['a', 'a']));
    /// ```
    fn unzip<A, B, FromA, FromB>(self) -> (FromA, FromB)
    where
        Self: ParallelIterator<Item = (A, B)>,
        FromA: Default + Send + ParallelExtend<A>,
        FromB: Default + Send + ParallelExtend<B>,
        A: Send,
        B: Send,
    {
        unzip::unzip(self)
    }

    /// Sorts items into two collections: those for which `predicate` returns true go left.
    fn partition<A, B, P>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<Self::Item>,
        B: Default + Send + ParallelExtend<Self::Item>,
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.partition_map(|item| if predicate(&item) { Either::Left(item) } else { Either::Right(item) })
    }

    /// Sorts what `predicate` makes of the items into two collections, by side.
    fn partition_map<A, B, P, L, R>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<L>,
        B: Default + Send + ParallelExtend<R>,
        P: Fn(Self::Item) -> Either<L, R> + Sync + Send,
        L: Send,
        R: Send,
    {
        unzip::partition_map(self, predicate)
    }

    /// Puts clones of `element` between any two items.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// assert_eq!(heist::iter::repeat_n("a", 3).intersperse(", ").collect::<String>(), "a, a, a");
    /// ```
    fn intersperse(self, element: Self::Item) -> Intersperse<Self>
    where
        Self::Item: Clone,
    {
        Intersperse::new(self, element)
    }

    /// Yields `n` items, whichever come first in time.
    ///
    /// They keep their order among themselves. For the first ones in order there is
    /// [`take`](super::IndexedParallelIterator::take).
    fn take_any(self, n: usize) -> TakeAny<Self> {
        TakeAny::new(self, n)
    }

    /// Leaves `n` items out, whichever come first in time.
    fn skip_any(self, n: usize) -> SkipAny<Self> {
        SkipAny::new(self, n)
    }

    /// Yields items until anybody meets one for which `predicate` returns false.
    fn take_any_while<P>(self, predicate: P) -> TakeAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        TakeAnyWhile::new(self, predicate)
    }

    /// Leaves items out until anybody meets one for which `predicate` returns false.
    fn skip_any_while<P>(self, predicate: P) -> SkipAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        SkipAnyWhile::new(self, predicate)
    }

    /// Collects the items, in order, into vectors of whatever lengths come about.
    ///
    /// This is what collections of one's own can be built from, without moving the items twice.
    fn collect_vec_list(self) -> LinkedList<Vec<Self::Item>> {
        collect::vectors(self)
    }

    /// Drives `consumer` with the items: the one method every parallel iterator must have.
    ///
    /// An iterator whose [`opt_len`](Self::opt_len) says how many items there are must drive the consumer as
    /// an indexed iterator would, by way of [`bridge`](super::plumbing::bridge).
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>;

    /// How many items there are, if that is known for certain.
    fn opt_len(&self) -> Option<usize> {
        None
    }
}
