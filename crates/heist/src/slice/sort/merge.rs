//! Merges two sorted runs into another place, in parallel.
//!
//! A [`Merge`] is a pair of runs not yet written out, and the place for them. Dropping it writes out what is
//! left, in any order the elements happen to have: so a merge that ends early, because a comparator panicked,
//! still has every element in its place.
//!
//! ```text
//! left  ..xxxxxx        right ...xxxx        out  xxxxx..........
//!         ^left ^left_end        ^right ^right_end    ^out
//! ```
//!
//! To share a merge, [`Merge::split`] finds which elements the first half of the output consists of. The two
//! halves have nothing in common. The same cut makes one thread faster, too: a step of a merge waits for the
//! comparison before it, and two merges in turn wait half as long.
//!
//! # Invariants
//! M1 `[left, left_end)` and `[right, right_end)` hold initialised elements that nobody else touches.
//! M2 `out` has room for exactly these, nobody else touches it, and it overlaps neither run.

use heist_core::join;
use std::{cmp::Ordering, marker::PhantomData, mem::ManuallyDrop, ptr};

/// Below this length two interleaved halves are not worth the search for the cut.
const SHORT: usize = 256;

/// The unwritten rest of a merge of two runs. `'a` is for how long their places are borrowed.
pub(super) struct Merge<'a, T> {
    left: *const T,
    left_end: *const T,
    right: *const T,
    right_end: *const T,
    out: *mut T,
    places: PhantomData<&'a mut T>,
}

// SAFETY: it owns its elements (M1) and the place for them (M2).
unsafe impl<T: Send> Send for Merge<'_, T> {}

impl<T> Merge<'_, T> {
    /// A merge of the run of `left` elements at `from`, and the run of `right` elements after it, into `out`.
    ///
    /// # Safety
    /// M1 and M2, for the chosen lifetime. The elements move: those at `from` no longer count.
    pub(super) unsafe fn new(from: *const T, left: usize, right: usize, out: *mut T) -> Self {
        // SAFETY: within or just past the runs, by M1.
        let (mid, end) = unsafe { (from.add(left), from.add(left + right)) };
        Merge { left: from, left_end: mid, right: mid, right_end: end, out, places: PhantomData }
    }

    fn left_len(&self) -> usize {
        // SAFETY: both bound one run.
        unsafe { self.left_end.offset_from_unsigned(self.left) }
    }

    fn right_len(&self) -> usize {
        // SAFETY: both bound one run.
        unsafe { self.right_end.offset_from_unsigned(self.right) }
    }

    /// Merges the runs. Parts longer than `grain` are shared.
    pub(super) fn run<F>(self, compare: &F, grain: usize)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        let len = self.left_len() + self.right_len();
        if len <= grain {
            return self.run_alone(compare);
        }
        let (first, second) = self.split(len / 2, compare);
        join(|| first.run(compare, grain), || second.run(compare, grain));
    }

    fn run_alone(self, compare: &impl Fn(&T, &T) -> Ordering) {
        if self.left_len() == 0 || self.right_len() == 0 || self.in_order(compare) {
            return;
        }
        let len = self.left_len() + self.right_len();
        if len <= SHORT {
            return self.finish(compare);
        }
        let (mut first, mut second) = self.split(len / 2, compare);
        loop {
            let steps = first.safe_steps().min(second.safe_steps());
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                // SAFETY: `steps` steps leave elements in all four runs until the last.
                unsafe {
                    first.step(compare);
                    second.step(compare);
                }
            }
        }
        first.finish(compare);
        second.finish(compare);
    }

    fn finish(mut self, compare: &impl Fn(&T, &T) -> Ordering) {
        loop {
            let steps = self.safe_steps();
            if steps == 0 {
                return;
            }
            for _ in 0..steps {
                // SAFETY: `steps` steps leave elements in both runs until the last.
                unsafe { self.step(compare) };
            }
        }
    }

    /// How many steps can be done before either run is empty, whatever the comparisons say.
    fn safe_steps(&self) -> usize {
        self.left_len().min(self.right_len())
    }

    /// Moves the smaller of the two front elements, the left if they are equal.
    ///
    /// # Safety
    /// Neither run is empty.
    #[inline(always)]
    unsafe fn step(&mut self, compare: &impl Fn(&T, &T) -> Ordering) {
        // SAFETY: both runs have a front (M1) and there is room (M2). A panic of `compare` changes nothing.
        unsafe {
            let from_right = compare(&*self.right, &*self.left) == Ordering::Less;
            let from = if from_right { self.right } else { self.left };
            ptr::copy_nonoverlapping(from, self.out, 1);
            self.out = self.out.add(1);
            self.right = self.right.add(usize::from(from_right));
            self.left = self.left.add(usize::from(!from_right));
        }
    }

    /// Whether the right run begins where the left one ends. Neither is empty.
    fn in_order(&self, compare: &impl Fn(&T, &T) -> Ordering) -> bool {
        // SAFETY: the runs are not empty (M1).
        unsafe { compare(&*self.right, &*self.left_end.sub(1)) != Ordering::Less }
    }

    /// Cuts the merge into that of the first `count` elements of the output, and the rest.
    fn split(self, count: usize, compare: &impl Fn(&T, &T) -> Ordering) -> (Self, Self) {
        let of_left = self.rank(count, compare);
        let whole = ManuallyDrop::new(self);
        // SAFETY: `rank` promises that both runs are long enough.
        let (left_cut, right_cut, out_cut) =
            unsafe { (whole.left.add(of_left), whole.right.add(count - of_left), whole.out.add(count)) };
        let (left, right, out, places) = (whole.left, whole.right, whole.out, PhantomData);
        let first = Merge { left, left_end: left_cut, right, right_end: right_cut, out, places };
        let (left_end, right_end) = (whole.left_end, whole.right_end);
        let second = Merge { left: left_cut, left_end, right: right_cut, right_end, out: out_cut, places };
        (first, second)
    }

    /// How many of the first `count` elements of the output come from the left run.
    ///
    /// At most as many as it has, and at least so many that the right run has the others.
    fn rank(&self, count: usize, compare: &impl Fn(&T, &T) -> Ordering) -> usize {
        let mut low = count.saturating_sub(self.right_len());
        let mut high = count.min(self.left_len());
        while low < high {
            // `left[mid]` belongs to them, unless the right run has `count - mid` smaller elements.
            let mid = low + (high - low) / 2;
            // SAFETY: `mid < left_len`, and `count - right_len <= mid < count`.
            let beaten = unsafe { compare(&*self.right.add(count - mid - 1), &*self.left.add(mid)) };
            if beaten == Ordering::Less {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        low
    }
}

impl<T> Drop for Merge<'_, T> {
    fn drop(&mut self) {
        // SAFETY: what is left fits (M1, M2).
        unsafe {
            ptr::copy_nonoverlapping(self.left, self.out, self.left_len());
            ptr::copy_nonoverlapping(self.right, self.out.add(self.left_len()), self.right_len());
        }
    }
}
