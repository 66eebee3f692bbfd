//! Parallel iterators: write a loop as a chain of adaptors, and the pool shares its items out.
//!
//! ```
//! use heist::prelude::*;
//!
//! let numbers: Vec<u64> = heist::iter::repeat_n(3, 1000).map(|n| n * n).collect();
//! assert_eq!(numbers.par_iter().sum::<u64>(), 9000);
//! ```
//!
//! Whatever implements [`IntoParallelIterator`] can be looped over in parallel: ranges, slices, vectors,
//! strings, maps, sets, tuples of such. [`ParallelIterator`] has what works on every parallel iterator;
//! [`IndexedParallelIterator`] has what also needs to know how many items there are and where each one is,
//! such as `zip`, `enumerate` and `rev`. Iterators that lose count, as `filter` does, are not indexed.
//!
//! The names and their meaning are Rayon's. Where an operation is named as one of the standard library's
//! [`Iterator`], it does the same, except that side effects may happen in any order and on any worker.
//!
//! # Order
//! Items keep their order: `collect` into a `Vec` gives what a sequential loop would have given. Operations
//! whose name contains `any` trade that for speed.
//!
//! # Panics
//! A panic in a closure reaches the caller once all pieces have ended. Each item is dropped exactly once,
//! also those of a half-built collection.
//!
//! Those who write iterators of their own find the parts in [`plumbing`].

mod any;
mod blocks;
mod bridge;
mod cancel;
mod chunks;
mod collect;
#[cfg(doctest)]
mod compile_fail;
mod deterministic;
mod either;
mod filter;
mod find;
mod flat;
mod fold;
mod fuse;
mod indexed;
mod intersperse;
mod join;
mod len;
mod look;
mod map;
mod outcome;
mod parallel;
mod place;
pub mod plumbing;
mod reduce;
mod source;
mod stage;
mod unzip;
mod walk_tree;
mod wrap;
mod zip;

use std::ops::RangeBounds;

pub use ::either::Either;
#[allow(deprecated)]
pub use source::repeatn;
pub use {
    any::{SkipAny, SkipAnyWhile, TakeAny, TakeAnyWhile},
    blocks::{ExponentialBlocks, UniformBlocks},
    bridge::{IterBridge, ParallelBridge},
    cancel::{CancelOn, CancelToken},
    chunks::{Chunks, FoldChunks, FoldChunksWith},
    deterministic::Deterministic,
    filter::{Filter, FilterMap, FlatMapIter, FlattenIter, WhileSome},
    flat::{FlatMap, Flatten},
    fold::{Fold, FoldWith, TryFold, TryFoldWith},
    fuse::PanicFuse,
    indexed::IndexedParallelIterator,
    intersperse::Intersperse,
    join::{Chain, Interleave, InterleaveShortest},
    len::{MaxLen, MinLen},
    look::{Inspect, Update},
    map::{Cloned, Copied, Map, MapInit, MapWith},
    parallel::ParallelIterator,
    place::{Enumerate, Positions, Rev, Skip, StepBy, Take},
    source::{Empty, Once, Repeat, RepeatN, Split, empty, once, repeat, repeat_n, split},
    walk_tree::{WalkTree, WalkTreePostfix, WalkTreePrefix, walk_tree, walk_tree_postfix, walk_tree_prefix},
    zip::{MultiZip, Zip, ZipEq},
};

/// What can be turned into a parallel iterator.
///
/// All parallel iterators are, into themselves.
///
/// ```
/// use heist::prelude::*;
///
/// fn total(numbers: impl IntoParallelIterator<Item = u32>) -> u32 {
///     numbers.into_par_iter().sum()
/// }
/// assert_eq!(total(heist::iter::repeat_n(2, 21)), 42);
/// ```
pub trait IntoParallelIterator {
    /// The iterator it turns into.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// What that iterator yields.
    type Item: Send;

    /// Turns `self` into a parallel iterator.
    fn into_par_iter(self) -> Self::Iter;
}

impl<T: ParallelIterator> IntoParallelIterator for T {
    type Iter = T;
    type Item = T::Item;

    #[inline]
    fn into_par_iter(self) -> T {
        self
    }
}

/// What can be iterated over by shared reference: everything whose reference is [`IntoParallelIterator`].
pub trait IntoParallelRefIterator<'data> {
    /// The iterator over references.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// What that iterator yields, usually `&'data T`.
    type Item: Send + 'data;

    /// A parallel iterator over references to the items.
    fn par_iter(&'data self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefIterator<'data> for I
where
    &'data I: IntoParallelIterator,
{
    type Iter = <&'data I as IntoParallelIterator>::Iter;
    type Item = <&'data I as IntoParallelIterator>::Item;

    #[inline]
    fn par_iter(&'data self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// What can be iterated over by mutable reference: everything whose mutable reference is
/// [`IntoParallelIterator`].
pub trait IntoParallelRefMutIterator<'data> {
    /// The iterator over mutable references.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// What that iterator yields, usually `&'data mut T`.
    type Item: Send + 'data;

    /// A parallel iterator over mutable references to the items.
    fn par_iter_mut(&'data mut self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefMutIterator<'data> for I
where
    &'data mut I: IntoParallelIterator,
{
    type Iter = <&'data mut I as IntoParallelIterator>::Iter;
    type Item = <&'data mut I as IntoParallelIterator>::Item;

    #[inline]
    fn par_iter_mut(&'data mut self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// A collection that can be built from a parallel iterator; what [`ParallelIterator::collect`] builds.
///
/// A collection that can be extended in parallel gets there with a line or two:
///
/// ```
/// use heist::prelude::*;
///
/// #[derive(Default)]
/// struct Heap(Vec<u8>);
///
/// impl FromParallelIterator<u8> for Heap {
///     fn from_par_iter<I: IntoParallelIterator<Item = u8>>(par_iter: I) -> Self {
///         let mut heap = Heap::default();
///         heap.0.par_extend(par_iter);
///         heap
///     }
/// }
///
/// let heap: Heap = heist::iter::repeat_n(7, 100).collect();
/// assert_eq!(heap.0.len(), 100);
/// ```
pub trait FromParallelIterator<T>
where
    T: Send,
{
    /// Builds the collection.
    fn from_par_iter<I>(par_iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>;
}

/// A collection that can be extended with the items of a parallel iterator.
pub trait ParallelExtend<T>
where
    T: Send,
{
    /// Adds all items, in their order if the collection has one.
    fn par_extend<I>(&mut self, par_iter: I)
    where
        I: IntoParallelIterator<Item = T>;
}

/// A collection that can be emptied in parallel, keeping what it has allocated.
pub trait ParallelDrainFull {
    /// The draining iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// What it yields.
    type Item: Send;

    /// Takes all items out. Items that are not consumed are dropped with the iterator.
    fn par_drain(self) -> Self::Iter;
}

/// A collection from which a range of items can be taken in parallel.
pub trait ParallelDrainRange<Idx = usize> {
    /// The draining iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// What it yields.
    type Item: Send;

    /// Takes the items in `range` out. Those that are not consumed are dropped with the iterator.
    fn par_drain<R: RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}
