//! [`ParallelSliceMut`]: what can be done with an exclusive slice.

use super::{
    ChunkByMut, ChunksExactMut, ChunksMut, RChunksExactMut, RChunksMut, SplitInclusiveMut, SplitMut, fill,
    partition, scan, sort,
};
use std::cmp::Ordering;

/// Parallel iterators over parts of an exclusive slice, and work on a slice in place.
///
/// # Sorting
/// The sorts without `unstable` in their name are stable: equal elements keep their order. They need a buffer
/// as long as the slice. The unstable ones need none and are a little faster. All take time *O*(*n* log *n*)
/// at worst, and about *O*(*n*) for elements that are sorted, reversed, or of few distinct values.
///
/// Should a comparator panic, so does the sort; the slice then has all its elements, in some order. A
/// comparator that is no total order leaves the elements in some order. An `Ord` that is none may also make
/// `par_sort` and `par_sort_unstable` panic, as it does with the standard library's sorts.
pub trait ParallelSliceMut<T: Send> {
    /// The slice itself. The other methods begin here.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    /// The parts between elements for which `separator` holds, without these.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [2, 1, 0, 4, 3];
    /// v.par_split_mut(|x| *x == 0).for_each(|part| part.sort());
    /// assert_eq!(v, [1, 2, 0, 3, 4]);
    /// ```
    fn par_split_mut<P>(&mut self, separator: P) -> SplitMut<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// The parts that end with an element for which `separator` holds.
    ///
    /// The last part may end without one; if it is empty, it does not count.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [2, 1, 0, 4, 3];
    /// v.par_split_inclusive_mut(|x| *x == 0).for_each(|part| part.reverse());
    /// assert_eq!(v, [0, 1, 2, 3, 4]);
    /// ```
    fn par_split_inclusive_mut<P>(&mut self, separator: P) -> SplitInclusiveMut<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusiveMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// Parts of `chunk_size` elements; the last is shorter if the length is no multiple.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_chunks_mut(&mut self, chunk_size: usize) -> ChunksMut<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        ChunksMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Parts of `chunk_size` elements; what is left over is in [`remainder`](ChunksExactMut::remainder).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_chunks_exact_mut(&mut self, chunk_size: usize) -> ChunksExactMut<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        ChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Parts of `chunk_size` elements, the last elements first.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_rchunks_mut(&mut self, chunk_size: usize) -> RChunksMut<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        RChunksMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Parts of `chunk_size` elements, the last elements first; what is left over at the front is in
    /// [`remainder`](RChunksExactMut::remainder).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_rchunks_exact_mut(&mut self, chunk_size: usize) -> RChunksExactMut<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        RChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// The longest parts in which `pred` holds for all neighbours.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [3, 4, 5, 1, 2];
    /// v.par_chunk_by_mut(|a, b| a < b).for_each(|run| run.reverse());
    /// assert_eq!(v, [5, 4, 3, 2, 1]);
    /// ```
    fn par_chunk_by_mut<F>(&mut self, pred: F) -> ChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ChunkByMut::new(self.as_parallel_slice_mut(), pred)
    }

    /// Sorts; equal elements keep their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [-5, 4, 1, -3, 2];
    /// v.par_sort();
    /// assert_eq!(v, [-5, -3, 1, 2, 4]);
    /// ```
    fn par_sort(&mut self)
    where
        T: Ord,
    {
        sort::sort(self.as_parallel_slice_mut());
    }

    /// Sorts by a comparator; equal elements keep their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [5.0, -1.5, 2.0];
    /// v.par_sort_by(f64::total_cmp);
    /// assert_eq!(v, [-1.5, 2.0, 5.0]);
    /// ```
    fn par_sort_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::sort_by(self.as_parallel_slice_mut(), compare);
    }

    /// Sorts by a key; elements with equal keys keep their order.
    ///
    /// The key is computed for each comparison. If that is expensive, see
    /// [`par_sort_by_cached_key`](Self::par_sort_by_cached_key).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [-5i32, 4, 1, -3, 2];
    /// v.par_sort_by_key(|x| x.abs());
    /// assert_eq!(v, [1, 2, -3, 4, -5]);
    /// ```
    fn par_sort_by_key<K, F>(&mut self, f: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::sort_by(self.as_parallel_slice_mut(), |a, b| f(a).cmp(&f(b)));
    }

    /// Sorts by a key that is computed once for each element; elements with equal keys keep their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [-5i32, 4, 32, -3, 2];
    /// v.par_sort_by_cached_key(|x| x.to_string());
    /// assert_eq!(v, [-3, -5, 2, 32, 4]);
    /// ```
    fn par_sort_by_cached_key<K, F>(&mut self, f: F)
    where
        F: Fn(&T) -> K + Sync,
        K: Ord + Send,
    {
        sort::sort_by_cached_key(self.as_parallel_slice_mut(), f);
    }

    /// Sorts; equal elements may change their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [-5, 4, 1, -3, 2];
    /// v.par_sort_unstable();
    /// assert_eq!(v, [-5, -3, 1, 2, 4]);
    /// ```
    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        sort::sort_unstable(self.as_parallel_slice_mut());
    }

    /// Sorts by a comparator; equal elements may change their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 3, 2];
    /// v.par_sort_unstable_by(|a, b| b.cmp(a));
    /// assert_eq!(v, [3, 2, 1]);
    /// ```
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::sort_unstable_by(self.as_parallel_slice_mut(), compare);
    }

    /// Sorts by a key; elements with equal keys may change their order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [-5i32, 4, 1, -3, 2];
    /// v.par_sort_unstable_by_key(|x| x.abs());
    /// assert_eq!(v, [1, 2, -3, 4, -5]);
    /// ```
    fn par_sort_unstable_by_key<K, F>(&mut self, f: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::sort_unstable_by(self.as_parallel_slice_mut(), |a, b| f(a).cmp(&f(b)));
    }

    /// Sets every element to a clone of `value`.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = vec![0; 1000];
    /// v.par_fill(7);
    /// assert!(v.iter().all(|x| *x == 7));
    /// ```
    fn par_fill(&mut self, value: T)
    where
        T: Clone,
    {
        fill::fill(self.as_parallel_slice_mut(), value);
    }

    /// Sets every element to what a call of `f` returns; in no particular order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = vec![String::from("x"); 1000];
    /// v.par_fill_with(String::new);
    /// assert!(v.iter().all(|x| x.is_empty()));
    /// ```
    fn par_fill_with<F>(&mut self, f: F)
    where
        F: Fn() -> T + Sync,
    {
        fill::update(self.as_parallel_slice_mut(), &|element| *element = f());
    }

    /// Changes every element in place.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_update(|x| *x *= 10);
    /// assert_eq!(v, [10, 20, 30]);
    /// ```
    fn par_update<F>(&mut self, f: F)
    where
        F: Fn(&mut T) + Sync,
    {
        fill::update(self.as_parallel_slice_mut(), &f);
    }

    /// Replaces each element by the sum of all up to and including it, where `op` is the addition.
    ///
    /// `op` must be associative: `op(a, op(b, c))` equals `op(op(a, b), c)`. It need not be commutative. It
    /// is called about *n* times, and up to 2*n* times if many workers help. If it panics, each element is as
    /// it was or the sum of some elements up to it.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [3, 1, 4, 1, 5];
    /// v.par_scan_inclusive(|a, b| a + b);
    /// assert_eq!(v, [3, 4, 8, 9, 14]);
    ///
    /// let mut v = [3, 1, 4, 1, 5];
    /// v.par_scan_inclusive(|a, b| *a.max(b));
    /// assert_eq!(v, [3, 3, 4, 4, 5]);
    /// ```
    fn par_scan_inclusive<F>(&mut self, op: F)
    where
        T: Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        scan::inclusive(self.as_parallel_slice_mut(), &op);
    }

    /// Replaces each element by the sum of all before it, and returns the sum of all.
    ///
    /// The first element becomes `identity`, which is added in front of all others too. For `op` see
    /// [`par_scan_inclusive`](Self::par_scan_inclusive).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// // Where each part begins, if they are stored one after the other.
    /// let mut lengths = [3, 1, 4, 1, 5];
    /// let total = lengths.par_scan_exclusive(0, |a, b| a + b);
    /// assert_eq!(lengths, [0, 3, 4, 8, 9]);
    /// assert_eq!(total, 14);
    /// ```
    fn par_scan_exclusive<F>(&mut self, identity: T, op: F) -> T
    where
        T: Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        scan::exclusive(self.as_parallel_slice_mut(), identity, &op)
    }

    /// Moves the elements for which `pred` holds to the front, and returns how many they are.
    ///
    /// The order on both sides is unspecified. Nothing is allocated. If `pred` panics, the slice has all its
    /// elements, in some order.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// let evens = v.par_partition(|x| x % 2 == 0);
    /// assert_eq!(evens, 3);
    /// assert!(v[..3].iter().all(|x| x % 2 == 0) && v[3..].iter().all(|x| x % 2 == 1));
    /// ```
    fn par_partition<P>(&mut self, pred: P) -> usize
    where
        P: Fn(&T) -> bool + Sync,
    {
        partition::partition(self.as_parallel_slice_mut(), &pred)
    }

    /// As [`par_partition`](Self::par_partition), but both sides keep their order; needs a buffer as long as
    /// the slice.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// assert_eq!(v.par_partition_stable(|x| x % 2 == 0), 3);
    /// assert_eq!(v, [2, 4, 6, 1, 3, 5]);
    /// ```
    fn par_partition_stable<P>(&mut self, pred: P) -> usize
    where
        P: Fn(&T) -> bool + Sync,
    {
        partition::partition_stable(self.as_parallel_slice_mut(), &pred)
    }
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    #[inline]
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}
