//! Small sums that several sources need.

use std::ops::{Bound, Range, RangeBounds};

/// The range of indices, within a length, that a range expression means.
///
/// # Panics
/// If it does not lie within `len`, or ends before it starts.
#[track_caller]
pub(crate) fn simplify_range(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Unbounded => 0,
        Bound::Included(&first) => first,
        Bound::Excluded(&before) => before.checked_add(1).expect("the range starts after usize::MAX"),
    };
    let end = match range.end_bound() {
        Bound::Unbounded => len,
        Bound::Included(&last) => last.checked_add(1).expect("the range ends after usize::MAX"),
        Bound::Excluded(&end) => end,
    };
    assert!(start <= end, "the range starts at {start} but ends at {end}");
    assert!(end <= len, "the range ends at {end}, past the length {len}");
    start..end
}
