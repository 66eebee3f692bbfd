//! Sets or changes every element.

use crate::iter::{IntoParallelIterator, ParallelIterator};
use heist_core::join;

/// How many elements one job sets.
const GRAIN: usize = 16 * 1024;

/// Sets every element to a clone of `value`.
///
/// Each half has a value of its own to clone from, as values need not be `Sync`.
pub(super) fn fill<T: Clone + Send>(v: &mut [T], value: T) {
    if v.len() <= GRAIN {
        return v.fill(value);
    }
    let (left, right) = v.split_at_mut(v.len() / 2);
    let other = value.clone();
    join(|| fill(left, value), || fill(right, other));
}

/// Calls `f` on every element.
pub(super) fn update<T: Send>(v: &mut [T], f: &(impl Fn(&mut T) + Sync)) {
    v.into_par_iter().for_each(f);
}
