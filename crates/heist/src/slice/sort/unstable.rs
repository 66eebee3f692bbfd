//! A quicksort in place: partition around a pivot, then both sides at the same time.
//!
//! The first partitions are one thread's work, as pivots cannot be shared (S1); so they must be quick.
//! [`partition_alone`] has no branch that depends on a comparison, unless elements are large. The pivot is
//! the median of a random sample: no pattern can line up with it, and both sides come out about equal.
//! Elements equal to a pivot are set aside, so that few distinct values end early.

use super::{calm, is_sequential, leaf::sort_unstable, leaf_len, runs};
use crate::slice::partition::partition_alone;
use heist_core::join;
use std::cmp::Ordering;

/// The longest leaf. So much fits into a core's own cache, also if the elements point elsewhere. What is
/// longer is better partitioned here: the standard library's sort mixes up what the elements point to.
const LEAF: usize = 8192;

/// How many elements are asked for a pivot. Odd, and less than any slice to be partitioned has.
const SAMPLE: usize = 63;

/// Sorts `v`; equal elements may change their order. Allocates nothing. `TOTAL` says whether the order is
/// known to be one.
pub(in crate::slice) fn sort_by<T, F, const TOTAL: bool>(v: &mut [T], compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if is_sequential(v) {
        return sort_unstable::<T, F, TOTAL>(v, compare);
    }
    if runs::sort_if_run(v, compare) {
        return;
    }
    let plan = Plan { leaf: leaf_len(v.len(), 8).min(LEAF), patience: v.len().ilog2() };
    if !calm::sort_if_calm::<T, F, TOTAL>(v, compare, plan) {
        sort::<T, F, TOTAL>(v, None, compare, plan);
    }
}

/// How to go about it.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// How long a part may be that one thread sorts.
    pub(super) leaf: usize,
    /// How many more lopsided partitions are put up with.
    patience: u32,
}

/// Sorts `v`, of which no element is less than `floor`.
///
/// `floor` is exclusive so that it may go to another thread.
pub(super) fn sort<T, F, const TOTAL: bool>(
    mut v: &mut [T],
    mut floor: Option<&mut T>,
    compare: &F,
    mut plan: Plan,
) where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    loop {
        if v.len() <= plan.leaf || plan.patience == 0 {
            return sort_unstable::<T, F, TOTAL>(v, compare);
        }
        let pivot = pick_pivot::<T, F, TOTAL>(v, compare);
        if floor.as_ref().is_some_and(|floor| compare(floor, &v[pivot]) != Ordering::Less) {
            // What is not greater than the pivot equals it, and the floor.
            floor = None;
            let equal = partition(v, pivot, |x, pivot| compare(pivot, x) != Ordering::Less);
            v = &mut v[equal + 1..];
            continue;
        }
        let less = partition(v, pivot, |x, pivot| compare(x, pivot) == Ordering::Less);
        if less.min(v.len() - less) < v.len() / 8 {
            plan.patience -= 1;
        }
        let (left, right) = v.split_at_mut(less);
        let (pivot, right) = right.split_first_mut().expect("the pivot");
        join(
            || sort::<T, F, TOTAL>(left, floor, compare, plan),
            || sort::<T, F, TOTAL>(right, Some(pivot), compare, plan),
        );
        return;
    }
}

/// The index of an element with about as many elements below as above it.
fn pick_pivot<T, F, const TOTAL: bool>(v: &mut [T], compare: &F) -> usize
where
    F: Fn(&T, &T) -> Ordering,
{
    let mut random = v.len() as u64 | 1;
    for i in 0..SAMPLE {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let below = (v.len() - i) as u64;
        v.swap(i, i + (random % below) as usize);
    }
    sort_unstable::<T, F, TOTAL>(&mut v[..SAMPLE], compare);
    SAMPLE / 2
}

/// Puts the pivot where elements with `goes_left(element, pivot)` are before it, and the others after it.
/// Returns where that is.
fn partition<T>(v: &mut [T], pivot: usize, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    v.swap(0, pivot);
    let (pivot, rest) = v.split_first_mut().expect("the pivot");
    let left = partition_alone(rest, |x| goes_left(x, pivot));
    v.swap(0, left);
    left
}
