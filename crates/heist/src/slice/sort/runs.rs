//! Sees whether a whole slice is one run, in which case there is little to sort.

use heist_core::join;
use std::{
    cmp::Ordering,
    mem,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// How much of a slice one job looks at or turns round.
const GRAIN: usize = 32 * 1024;

/// A run shorter than this, at the beginning, is taken for chance.
const HINT: usize = 32;

/// Sorts `v` if it is sorted already or strictly descending, and tells whether it was.
///
/// Only strictly: to turn round equal elements would not be stable.
pub(super) fn sort_if_run<T, F>(v: &mut [T], compare: &F) -> bool
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let ascending = |a: &T, b: &T| compare(b, a) != Ordering::Less;
    let descending = |a: &T, b: &T| compare(b, a) == Ordering::Less;
    let hint = &v[..v.len().min(HINT)];
    if hint.is_sorted_by(ascending) {
        return is_run(v, &ascending, &AtomicBool::new(false));
    }
    let reversed = hint.is_sorted_by(descending) && is_run(v, &descending, &AtomicBool::new(false));
    if reversed {
        reverse(v);
    }
    reversed
}

/// Whether `v` seems to consist of sorted runs much longer than those of chance, and of more than one.
pub(super) fn has_short_runs<T>(v: &[T], compare: &impl Fn(&T, &T) -> Ordering) -> bool {
    let is_run = |part: &[T]| {
        part.is_sorted_by(|a, b| compare(b, a) != Ordering::Less)
            || part.is_sorted_by(|a, b| compare(b, a) == Ordering::Less)
    };
    let probes = v.chunks(v.len() / 8).map(|part| &part[..part.len().min(HINT)]);
    // A long run may well end within a probe; short ones end in most.
    probes.filter(|probe| is_run(probe)).count() >= 6 && !is_run(v)
}

/// Whether `in_order` holds for all neighbours.
///
/// Takes the slice exclusively so that no two threads look at one element: the pair across a cut is compared
/// after both sides have been.
fn is_run<T, P>(v: &mut [T], in_order: &P, broken: &AtomicBool) -> bool
where
    T: Send,
    P: Fn(&T, &T) -> bool + Sync,
{
    // ORDERING: a hint to stop early; the result travels through `join`.
    if broken.load(Relaxed) {
        return false;
    }
    if v.len() <= GRAIN {
        let holds = v.is_sorted_by(in_order);
        if !holds {
            broken.store(true, Relaxed);
        }
        return holds;
    }
    let mid = v.len() / 2;
    let (left, right) = v.split_at_mut(mid);
    let (left, right) = join(|| is_run(left, in_order, broken), || is_run(right, in_order, broken));
    left && right && in_order(&v[mid - 1], &v[mid])
}

/// Turns the slice round.
pub(super) fn reverse<T: Send>(v: &mut [T]) {
    let half = v.len() / 2;
    let (front, back) = v.split_at_mut(half);
    let odd = back.len() - half;
    swap_mirrored(front, &mut back[odd..]);
}

/// Swaps the first of `front` with the last of `back`, and so on inwards; both are equally long.
fn swap_mirrored<T: Send>(front: &mut [T], back: &mut [T]) {
    if front.len() <= GRAIN {
        for (a, b) in front.iter_mut().zip(back.iter_mut().rev()) {
            mem::swap(a, b);
        }
        return;
    }
    let mid = front.len() / 2;
    let (front_outer, front_inner) = front.split_at_mut(mid);
    let (back_inner, back_outer) = back.split_at_mut(back.len() - mid);
    join(|| swap_mirrored(front_outer, back_outer), || swap_mirrored(front_inner, back_inner));
}
