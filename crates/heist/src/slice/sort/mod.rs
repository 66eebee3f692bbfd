//! Sorting a slice with all workers.
//!
//! The standard library's sequential sorts are hard to beat, and they know patterns and survive panics; so
//! the leaves are theirs, and this module only cuts the work into leaves:
//!
//! - [`stable`] sorts quarters and merges them through a buffer as long as the slice,
//! - [`unstable`] partitions around pivots until the parts are small, and allocates nothing,
//! - [`calm`] does so too, for slices that are nearly sorted,
//! - [`cached`] sorts keys computed once, then moves the elements to where their keys went,
//! - [`runs`] comes before all but `cached`: a slice that is sorted already, or backwards, costs one look.
//!
//! # Invariants
//! S1 At any moment at most one thread looks at an element. Elements need not be `Sync`, and a comparator may
//!    change what a `Cell` in them holds.
//! S2 Of each element one copy counts, and a comparator only ever sees that one.
//! S3 Where a comparator can panic, a guard puts every element back into the slice, in some order.
//! S4 No bound depends on what a comparator says: an inconsistent one yields some order. See [`leaf`].

mod cached;
mod calm;
mod leaf;
mod merge;
mod runs;
mod stable;
mod unstable;

use std::cmp::Ordering;

pub(super) use cached::sort_by_cached_key;

/// Sorts by the elements' own order; equal elements keep their order.
pub(super) fn sort<T: Ord + Send>(v: &mut [T]) {
    stable::sort_by::<T, _, true>(v, &T::cmp);
}

/// Sorts by a comparator; equal elements keep their order.
pub(super) fn sort_by<T: Send>(v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    stable::sort_by::<T, _, false>(v, &compare);
}

/// Sorts by the elements' own order; equal elements may change their order.
pub(super) fn sort_unstable<T: Ord + Send>(v: &mut [T]) {
    unstable::sort_by::<T, _, true>(v, &T::cmp);
}

/// Sorts by a comparator; equal elements may change their order.
pub(super) fn sort_unstable_by<T: Send>(v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    unstable::sort_by::<T, _, false>(v, &compare);
}

/// Slices up to this length are sorted by the caller alone.
const SEQUENTIAL: usize = 2048;

/// Whether cutting up `v` is not worth it, or there is nobody to share the parts with.
fn is_sequential<T>(v: &[T]) -> bool {
    size_of::<T>() == 0 || v.len() <= SEQUENTIAL || heist_core::current_num_threads() == 1
}

/// A length for leaves, such that each worker gets about `per_worker` of them.
pub(super) fn leaf_len(len: usize, per_worker: usize) -> usize {
    len.div_ceil(per_worker * heist_core::current_num_threads()).max(SEQUENTIAL / 2)
}
