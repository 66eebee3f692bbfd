//! [`ParallelSlice`]: what can be done with a shared slice.

use super::{
    ArrayWindows, ChunkBy, Chunks, ChunksExact, RChunks, RChunksExact, Split, SplitInclusive, Windows,
};

/// Parallel iterators over parts of a shared slice.
pub trait ParallelSlice<T: Sync> {
    /// The slice itself. The other methods begin here.
    fn as_parallel_slice(&self) -> &[T];

    /// The parts between elements for which `separator` holds, without these.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let longest = [1, 2, 0, 3, 4, 5, 0, 6].par_split(|x| *x == 0).max_by_key(|part| part.len());
    /// assert_eq!(longest, Some(&[3, 4, 5][..]));
    /// ```
    fn par_split<P>(&self, separator: P) -> Split<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        Split::new(self.as_parallel_slice(), separator)
    }

    /// The parts that end with an element for which `separator` holds.
    ///
    /// The last part may end without one; if it is empty, it does not count.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let parts: Vec<_> = [1, 2, 0, 3, 0].par_split_inclusive(|x| *x == 0).collect();
    /// assert_eq!(parts, [&[1, 2, 0][..], &[3, 0]]);
    /// ```
    fn par_split_inclusive<P>(&self, separator: P) -> SplitInclusive<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusive::new(self.as_parallel_slice(), separator)
    }

    /// All parts of `window_size` neighbours; they overlap.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let sums: Vec<i32> = [1, 2, 3, 4].par_windows(2).map(|pair| pair.iter().sum()).collect();
    /// assert_eq!(sums, [3, 5, 7]);
    /// ```
    ///
    /// # Panics
    /// If `window_size` is 0.
    #[track_caller]
    fn par_windows(&self, window_size: usize) -> Windows<'_, T> {
        assert!(window_size != 0, "the size of windows must not be 0");
        Windows::new(self.as_parallel_slice(), window_size)
    }

    /// All parts of `N` neighbours, as arrays; they overlap.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let rises = [1, 5, 2, 9].par_array_windows().filter(|[a, b]| a < b).count();
    /// assert_eq!(rises, 2);
    /// ```
    ///
    /// # Panics
    /// If `N` is 0.
    #[track_caller]
    fn par_array_windows<const N: usize>(&self) -> ArrayWindows<'_, T, N> {
        assert!(N != 0, "the size of windows must not be 0");
        ArrayWindows::new(self.as_parallel_slice())
    }

    /// Parts of `chunk_size` elements; the last is shorter if the length is no multiple.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks: Vec<_> = [1, 2, 3, 4, 5].par_chunks(2).collect();
    /// assert_eq!(chunks, [&[1, 2][..], &[3, 4], &[5]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_chunks(&self, chunk_size: usize) -> Chunks<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        Chunks::new(self.as_parallel_slice(), chunk_size)
    }

    /// Parts of `chunk_size` elements; what is left over is in [`remainder`](ChunksExact::remainder).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks = [1, 2, 3, 4, 5];
    /// let chunks = chunks.par_chunks_exact(2);
    /// assert_eq!(chunks.remainder(), [5]);
    /// assert_eq!(chunks.collect::<Vec<_>>(), [&[1, 2], &[3, 4]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_chunks_exact(&self, chunk_size: usize) -> ChunksExact<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        ChunksExact::new(self.as_parallel_slice(), chunk_size)
    }

    /// Parts of `chunk_size` elements, the last elements first.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks: Vec<_> = [1, 2, 3, 4, 5].par_rchunks(2).collect();
    /// assert_eq!(chunks, [&[4, 5][..], &[2, 3], &[1]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_rchunks(&self, chunk_size: usize) -> RChunks<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        RChunks::new(self.as_parallel_slice(), chunk_size)
    }

    /// Parts of `chunk_size` elements, the last elements first; what is left over at the front is in
    /// [`remainder`](RChunksExact::remainder).
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks = [1, 2, 3, 4, 5];
    /// let chunks = chunks.par_rchunks_exact(2);
    /// assert_eq!(chunks.remainder(), [1]);
    /// assert_eq!(chunks.collect::<Vec<_>>(), [&[4, 5], &[2, 3]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn par_rchunks_exact(&self, chunk_size: usize) -> RChunksExact<'_, T> {
        assert!(chunk_size != 0, "the size of chunks must not be 0");
        RChunksExact::new(self.as_parallel_slice(), chunk_size)
    }

    /// The longest parts in which `pred` holds for all neighbours.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let chunks: Vec<_> = [1, 1, 2, 3, 3].par_chunk_by(|a, b| a == b).collect();
    /// assert_eq!(chunks, [&[1, 1][..], &[2], &[3, 3]]);
    /// ```
    fn par_chunk_by<F>(&self, pred: F) -> ChunkBy<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ChunkBy::new(self.as_parallel_slice(), pred)
    }
}

impl<T: Sync> ParallelSlice<T> for [T] {
    #[inline]
    fn as_parallel_slice(&self) -> &[T] {
        self
    }
}
