//! The standard library's sorts, and how to use them with a comparator that may be no total order.
//!
//! An `Ord` that is no total order is an error, and the standard library's sorts panic if they notice it. A
//! comparator is more often wrong, as for floats with a NaN among them, and then the elements are to end up
//! in some order, as with Rayon. The sorts notice it only where they merge from both ends at once, which they
//! do not do with elements that may change while they are looked at: so to them, [`Veiled`] elements may.
//!
//! That is a detail of theirs, which has its price in speed and has a test to watch it
//! (`an_order_that_is_none_is_no_reason_to_panic`). Should they change it, they panic; nothing worse.

use std::{cell::UnsafeCell, cmp::Ordering};

/// Sorts; equal elements keep their order. `TOTAL` says whether the order is known to be one.
pub(super) fn sort_stable<T, F, const TOTAL: bool>(v: &mut [T], compare: &F)
where
    F: Fn(&T, &T) -> Ordering,
{
    if TOTAL { v.sort_by(compare) } else { veil(v).sort_by(|a, b| compare(a.get(), b.get())) }
}

/// Sorts; equal elements may change their order.
pub(super) fn sort_unstable<T, F, const TOTAL: bool>(v: &mut [T], compare: &F)
where
    F: Fn(&T, &T) -> Ordering,
{
    if TOTAL {
        v.sort_unstable_by(compare)
    } else {
        veil(v).sort_unstable_by(|a, b| compare(a.get(), b.get()))
    }
}

/// An element that seems to change while it is shared.
#[repr(transparent)]
struct Veiled<T>(UnsafeCell<T>);

impl<T> Veiled<T> {
    fn get(&self) -> &T {
        // SAFETY: nobody changes it through the cell.
        unsafe { &*self.0.get() }
    }
}

fn veil<T>(v: &mut [T]) -> &mut [Veiled<T>] {
    // SAFETY: the same layout, and the cells are not `Sync`: only this thread sees them.
    unsafe { &mut *(v as *mut [T] as *mut [Veiled<T>]) }
}
