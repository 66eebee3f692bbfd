//! A merge sort: the quarters are sorted in place, merged into a buffer by two, and from there back.
//!
//! ```text
//! slice   q q q q          sorted in place, by themselves or each in quarters again
//! buffer  h . h .          two merges, side by side
//! slice   s . . .          one merge, shared
//! ```
//!
//! Going by quarters, a level of merges there and one back, nothing is ever copied just to change places. All
//! merges are shared, so that the last, when there is only one, keeps all workers busy.

use super::{is_sequential, leaf::sort_stable, leaf_len, merge::Merge, runs};
use heist_core::join;
use std::{
    cmp::Ordering,
    marker::PhantomData,
    mem::{self, MaybeUninit},
    ptr,
};

/// Sorts `v`; equal elements keep their order. `TOTAL` says whether the order is known to be one.
pub(in crate::slice) fn sort_by<T, F, const TOTAL: bool>(v: &mut [T], compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if is_sequential(v) {
        return sort_stable::<T, F, TOTAL>(v, compare);
    }
    if runs::sort_if_run(v, compare) {
        return;
    }
    let sizes = Sizes { leaf: leaf_len(v.len(), 2), merge: leaf_len(v.len(), 8) };
    let mut buffer = Vec::with_capacity(v.len());
    sort::<T, F, TOTAL>(v, &mut buffer.spare_capacity_mut()[..v.len()], compare, sizes);
}

/// Leaves are cut further down to this length if they consist of runs: then everything is merging, and ours
/// is quicker than the standard library's.
const SHORT_LEAF: usize = 4096;

/// How long a part may be that one thread sorts or merges.
#[derive(Clone, Copy)]
struct Sizes {
    leaf: usize,
    merge: usize,
}

/// Sorts `v`. The buffer is as long.
fn sort<T, F, const TOTAL: bool>(v: &mut [T], buffer: &mut [MaybeUninit<T>], compare: &F, sizes: Sizes)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if v.len() <= sizes.leaf && (v.len() <= SHORT_LEAF || !runs::has_short_runs(v, compare)) {
        return sort_stable::<T, F, TOTAL>(v, compare);
    }
    let mid = v.len() / 2;
    let (left, right) = v.split_at_mut(mid);
    let (left_buffer, right_buffer) = buffer.split_at_mut(mid);
    let (left, right) = join(
        || sort_into::<T, F, TOTAL>(left, left_buffer, compare, sizes),
        || sort_into::<T, F, TOTAL>(right, right_buffer, compare, sizes),
    );
    mem::forget((left, right));
    // SAFETY: the elements are in the buffer, in two runs; nobody owns them now but this merge. `v` has as
    // much room, and both are borrowed until it has ended.
    let merge = unsafe { Merge::new(buffer.as_ptr().cast(), mid, v.len() - mid, v.as_mut_ptr()) };
    merge.run(compare, sizes.merge);
}

/// Sorts `v` into the buffer, which is as long.
fn sort_into<'a, T, F, const TOTAL: bool>(
    v: &'a mut [T],
    buffer: &'a mut [MaybeUninit<T>],
    compare: &F,
    sizes: Sizes,
) -> InBuffer<'a, T>
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let mid = v.len() / 2;
    let (left, right) = v.split_at_mut(mid);
    let (left_buffer, right_buffer) = buffer.split_at_mut(mid);
    join(
        || sort::<T, F, TOTAL>(left, left_buffer, compare, sizes),
        || sort::<T, F, TOTAL>(right, right_buffer, compare, sizes),
    );
    let (from, to) = (v.as_mut_ptr(), buffer.as_mut_ptr().cast::<T>());
    // SAFETY: both halves of `v` are runs, which this merge moves to the buffer. Both are borrowed until it
    // has ended.
    let merge = unsafe { Merge::new(from, mid, v.len() - mid, to) };
    // If it panics, it has moved them all before this brings them back.
    let moved = InBuffer { v: from, buffer: to, len: v.len(), places: PhantomData };
    merge.run(compare, sizes.merge);
    moved
}

/// The elements of a part of the slice are in the buffer, and return when this is dropped.
struct InBuffer<'a, T> {
    v: *mut T,
    buffer: *const T,
    len: usize,
    places: PhantomData<&'a mut T>,
}

// SAFETY: it owns the elements, and both places.
unsafe impl<T: Send> Send for InBuffer<'_, T> {}

impl<T> Drop for InBuffer<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `len` elements are in the buffer, and have their place in the slice.
        unsafe { ptr::copy_nonoverlapping(self.buffer, self.v, self.len) };
    }
}
