//! A quicksort for slices that are nearly sorted.
//!
//! In such a slice the middle is a good pivot, nearly all elements are on the right side of it, and after
//! some cuts many parts are sorted already. So here a pivot comes from the middle, a partition only moves
//! what must be moved, and each part is looked at before it is sorted. As soon as a part turns out not to be
//! nearly sorted, the [general sort](super::unstable) takes over.

use super::{
    leaf::sort_unstable,
    runs,
    unstable::{self, Plan},
};
use crate::slice::partition::partition_by_swaps;
use heist_core::join;
use std::cmp::Ordering;

/// How many places of a slice are looked at before it is taken for nearly sorted.
const PROBES: usize = 64;

/// Parts up to this length are not cut.
const SHORT: usize = 32;

/// Sorts `v` if it seems nearly sorted, forwards or backwards, and tells whether it did.
pub(super) fn sort_if_calm<T, F, const TOTAL: bool>(v: &mut [T], compare: &F, plan: Plan) -> bool
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if seems_run(v, |a, b| compare(b, a) == Ordering::Less) {
        runs::reverse(v);
    } else if !seems_run(v, |a, b| compare(a, b) != Ordering::Greater) {
        return false;
    }
    sort::<T, F, TOTAL>(v, compare, plan);
    true
}

/// Whether nearly all of some elements are in order with their neighbours, and with each other.
fn seems_run<T>(v: &[T], in_order: impl Fn(&T, &T) -> bool) -> bool {
    let step = v.len() / PROBES;
    let probes = (1..PROBES).map(|i| i * step);
    let calm = probes.filter(|&i| in_order(&v[i - step], &v[i]) && in_order(&v[i], &v[i + 1]));
    calm.count() >= PROBES * 7 / 8
}

fn sort<T, F, const TOTAL: bool>(v: &mut [T], compare: &F, plan: Plan)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if v.len() <= SHORT {
        return sort_unstable::<T, F, TOTAL>(v, compare);
    }
    if v.is_sorted_by(|a, b| compare(b, a) != Ordering::Less) {
        return;
    }
    let pivot = median_of_quarters(v, compare);
    v.swap(0, pivot);
    let (pivot, rest) = v.split_first_mut().expect("longer than that");
    let (less, swaps) = partition_by_swaps(rest, |x| compare(x, pivot) == Ordering::Less);
    v.swap(0, less);
    if swaps > v.len() / 8 || less.min(v.len() - less) < v.len() / 8 {
        return unstable::sort::<T, F, TOTAL>(v, None, compare, plan);
    }
    let long = v.len() > plan.leaf;
    let (left, right) = v.split_at_mut(less);
    let right = &mut right[1..];
    if long {
        join(|| sort::<T, F, TOTAL>(left, compare, plan), || sort::<T, F, TOTAL>(right, compare, plan));
    } else {
        sort::<T, F, TOTAL>(left, compare, plan);
        sort::<T, F, TOTAL>(right, compare, plan);
    }
}

/// The place of the middle one of three elements.
fn median_of_quarters<T>(v: &[T], compare: &impl Fn(&T, &T) -> Ordering) -> usize {
    let [a, b, c] = [v.len() / 4, v.len() / 2, v.len() / 4 * 3];
    let less = |i: usize, j: usize| compare(&v[i], &v[j]) == Ordering::Less;
    match (less(a, b), less(b, c), less(a, c)) {
        (true, true, _) | (false, false, _) => b,
        (a_b, _, a_c) if a_b == a_c => c,
        _ => a,
    }
}
