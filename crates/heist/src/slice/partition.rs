//! Partitions a slice in place: elements for which a predicate holds first, the others after them.
//!
//! Both partitions work on halves, and then bring the middle in order, where the second kind of the left half
//! lies before the first kind of the right half:
//!
//! ```text
//! + + + - - | + + - - -    becomes    + + + + + - - - - -
//! ```
//!
//! If order does not matter, as many as there are of the fewer change places; if it does, the middle rotates.
//!
//! # Invariants
//! P1 Where a predicate can panic, a guard closes the gap: the slice keeps all its elements.

use super::sort::leaf_len;
use heist_core::join;
use std::{
    mem::{self, ManuallyDrop, MaybeUninit},
    ptr,
};

/// To move an element up to this size costs next to nothing.
const SMALL: usize = 16;

/// To move an element of more than this size costs more than a wrong guess.
const LARGE: usize = 96;

/// How many elements are looked at before any is moved.
const BLOCK: usize = 128;

/// Fewer elements than this are one thread's work.
const SHORT: usize = 1024;

/// Partitions in any order, without allocating. Returns how many went left.
pub(super) fn partition<T, P>(v: &mut [T], goes_left: &P) -> usize
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    halves(v, goes_left, leaf_len(v.len(), 8).max(SHORT))
}

fn halves<T, P>(v: &mut [T], goes_left: &P, leaf: usize) -> usize
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    if v.len() <= leaf {
        return partition_alone(v, goes_left);
    }
    let mid = v.len() / 2;
    let (a, b) = v.split_at_mut(mid);
    let (in_a, in_b) = join(|| halves(a, goes_left, leaf), || halves(b, goes_left, leaf));
    let wrong = (mid - in_a).min(in_b);
    a[in_a..][..wrong].swap_with_slice(&mut b[in_b - wrong..in_b]);
    in_a + in_b
}

/// Partitions; both sides keep their order. Returns how many went left.
pub(super) fn partition_stable<T, P>(v: &mut [T], goes_left: &P) -> usize
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    let mut buffer = Vec::with_capacity(v.len());
    let leaf = leaf_len(v.len(), 8).max(SHORT);
    halves_stable(v, &mut buffer.spare_capacity_mut()[..v.len()], goes_left, leaf)
}

fn halves_stable<T, P>(v: &mut [T], buffer: &mut [MaybeUninit<T>], goes_left: &P, leaf: usize) -> usize
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    if v.len() <= leaf {
        return partition_through(v, buffer, goes_left);
    }
    let mid = v.len() / 2;
    let (a, b) = v.split_at_mut(mid);
    let (a_buffer, b_buffer) = buffer.split_at_mut(mid);
    let (in_a, in_b) =
        join(|| halves_stable(a, a_buffer, goes_left, leaf), || halves_stable(b, b_buffer, goes_left, leaf));
    v[in_a..mid + in_b].rotate_left(mid - in_a);
    in_a + in_b
}

/// Partitions with a buffer as long as the slice, in which the right side waits.
fn partition_through<T>(v: &mut [T], buffer: &mut [MaybeUninit<T>], goes_left: impl Fn(&T) -> bool) -> usize {
    assert!(buffer.len() >= v.len());
    let mut state = Waiting { v: v.as_mut_ptr(), left: 0, buffer: buffer.as_mut_ptr().cast(), right: 0 };
    for i in 0..v.len() {
        // SAFETY: `left + right == i`, so both places exist: the one in `v` is either this element's own or
        // one that has moved, and the one in the buffer is free. The element moves to both; one of them
        // counts.
        unsafe {
            let element = state.v.add(i);
            let is_left = goes_left(&*element);
            ptr::copy_nonoverlapping(element, state.buffer.add(state.right), 1);
            ptr::copy(element, state.v.add(state.left), 1);
            state.left += usize::from(is_left);
            state.right += usize::from(!is_left);
        }
    }
    state.left
}

/// The first elements of `v` went left, then come as many gaps as elements wait in the buffer, which return
/// when this is dropped.
struct Waiting<T> {
    v: *mut T,
    left: usize,
    buffer: *mut T,
    right: usize,
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        // SAFETY: the gaps are there, and the waiting elements are nowhere else.
        unsafe { ptr::copy_nonoverlapping(self.buffer, self.v.add(self.left), self.right) };
    }
}

/// Partitions in any order, in one thread. Returns how many went left.
pub(super) fn partition_alone<T>(v: &mut [T], goes_left: impl Fn(&T) -> bool) -> usize {
    if size_of::<T>() <= SMALL {
        partition_blindly(v, goes_left)
    } else if size_of::<T>() <= LARGE {
        partition_in_blocks(v, goes_left)
    } else {
        partition_by_swaps(v, goes_left).0
    }
}

/// Moves only elements on the wrong side, and guesses which they are. Returns how many went left, and in how
/// many swaps.
pub(super) fn partition_by_swaps<T>(v: &mut [T], goes_left: impl Fn(&T) -> bool) -> (usize, usize) {
    let (mut left, mut right, mut swaps) = (0, v.len(), 0);
    loop {
        while left < right && goes_left(&v[left]) {
            left += 1;
        }
        while left < right && !goes_left(&v[right - 1]) {
            right -= 1;
        }
        // One may be left over, if it was once said to go right and then to go left.
        if right - left < 2 {
            return (left, swaps);
        }
        right -= 1;
        v.swap(left, right);
        swaps += 1;
        left += 1;
    }
}

/// Moves only elements on the wrong side, and guesses nothing.
///
/// A block at either end is looked at as a whole, and where elements are wrong is written down. Then as many
/// as both blocks have change places. Neighbours mostly stay neighbours, and so does what they point to:
/// where that is strings, made one after the other, the next one is often in a cache already.
fn partition_in_blocks<T>(v: &mut [T], goes_left: impl Fn(&T) -> bool) -> usize {
    let (mut left, mut right) = (0, v.len());
    let (mut in_left, mut in_right) = (Wrong::default(), Wrong::default());
    while right - left >= 2 * BLOCK {
        if in_left.is_empty() {
            in_left.note(v[left..left + BLOCK].iter().map(|x| !goes_left(x)));
        }
        if in_right.is_empty() {
            in_right.note(v[right - BLOCK..right].iter().rev().map(&goes_left));
        }
        for (l, r) in in_left.places().iter().zip(in_right.places()) {
            v.swap(left + usize::from(*l), right - 1 - usize::from(*r));
        }
        let swapped = in_left.places().len().min(in_right.places().len());
        in_left.begin += swapped;
        in_right.begin += swapped;
        if in_left.is_empty() {
            left += BLOCK;
        }
        if in_right.is_empty() {
            right -= BLOCK;
        }
    }
    left + partition_by_swaps(&mut v[left..right], goes_left).0
}

/// Where in a block elements are on the wrong side, counted from its outer end.
struct Wrong {
    found: [u8; BLOCK],
    begin: usize,
    end: usize,
}

impl Default for Wrong {
    fn default() -> Self {
        Wrong { found: [0; BLOCK], begin: 0, end: 0 }
    }
}

impl Wrong {
    fn places(&self) -> &[u8] {
        &self.found[self.begin..self.end]
    }

    fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// Begins with another block, of which each element says whether it is wrong.
    fn note(&mut self, is_wrong: impl Iterator<Item = bool>) {
        (self.begin, self.end) = (0, 0);
        for (place, is_wrong) in is_wrong.enumerate() {
            self.found[self.end] = place as u8;
            self.end += usize::from(is_wrong);
        }
    }
}

/// Moves two elements for each, and guesses nothing.
///
/// The first element is taken out, which leaves a gap. It travels to the end, just behind the next element:
///
/// ```text
/// left left left | right right | gap | next . . .
///                  ^left
/// ```
///
/// `next` goes where the rights begin, and the right from there into the gap: the new gap is where `next`
/// was. If `next` goes left, the rights begin one further; nothing else depends on it.
fn partition_blindly<T>(v: &mut [T], goes_left: impl Fn(&T) -> bool) -> usize {
    if v.is_empty() {
        return 0;
    }
    let begin = v.as_mut_ptr();
    let mut left = 0;
    // SAFETY: `left <= gap < len` all the time. What is read from the gap first goes back into a gap, at the
    // end or when `goes_left` panics. In between, the elements outside of the gap are all the others: the two
    // copies move the gap and no element is lost. (When `left` is the gap, the first copy changes nothing.)
    unsafe {
        let mut taken = Taken { gap: begin, element: ManuallyDrop::new(begin.read()) };
        for i in 1..v.len() {
            let next = begin.add(i);
            let is_left = goes_left(&*next);
            ptr::copy(begin.add(left), taken.gap, 1);
            ptr::copy_nonoverlapping(next, begin.add(left), 1);
            taken.gap = next;
            left += usize::from(is_left);
        }
        let is_left = goes_left(&taken.element);
        ptr::copy(begin.add(left), taken.gap, 1);
        taken.gap = begin.add(left);
        mem::drop(taken);
        left + usize::from(is_left)
    }
}

/// An element that was taken out, and the gap it goes to when this is dropped.
struct Taken<T> {
    gap: *mut T,
    element: ManuallyDrop<T>,
}

impl<T> Drop for Taken<T> {
    fn drop(&mut self) {
        // SAFETY: the gap is a place in the slice that holds no element.
        unsafe { ptr::copy_nonoverlapping(&*self.element, self.gap, 1) };
    }
}
