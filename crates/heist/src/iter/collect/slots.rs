//! A consumer that writes items straight to their places in the spare room of a vector.
//!
//! The room is cut along with the producer. A leaf fills its part from the front and results in a [`Filled`],
//! which owns what was written until somebody takes it over; neighbours join. Should anything panic, each
//! `Filled` drops its items, and the vector is as it was.
//!
//! ```text
//!   vector: | items it had | room ............................ |
//!                            [ Filled ][ Filled ]   [ Filled ]
//!                              joined ──┘            not adjacent: dropped
//! ```
//!
//! # Invariants
//! C1 `Slots { begin, end }` is the only one that may touch the slots `begin..end` of the room, and the room
//!    outlives `'room`.
//! C2 `Filled { begin, end, limit }` owns the initialised items in `begin..end`, and is the only one that may
//!    touch the slots `begin..limit`.
//! C3 Slots are counted, not measured by address, so items without a size are counted too.

use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use std::{
    marker::PhantomData,
    mem::{self, MaybeUninit},
    ptr, slice,
};

/// Lets `fill` write `len` items behind those that `vec` has.
///
/// # Panics
/// If it writes fewer.
#[inline]
pub(super) fn append<T, F>(vec: &mut Vec<T>, len: usize, fill: F)
where
    T: Send,
    F: FnOnce(Slots<'_, T>) -> Filled<'_, T>,
{
    vec.reserve(len);
    let old_len = vec.len();
    let filled = fill(Slots::new(&mut vec.spare_capacity_mut()[..len]));
    let count = filled.release(len);
    // SAFETY: `release` checked that the first `len` slots of the room are filled, and left the items to us.
    unsafe { vec.set_len(old_len + count) };
}

/// A part of the room that waits for its items.
pub(crate) struct Slots<'room, T> {
    room: *mut T,
    begin: usize,
    end: usize,
    marker: PhantomData<&'room mut [MaybeUninit<T>]>,
}

// SAFETY: it is a unique borrow of slots (C1), to which items are sent.
unsafe impl<T: Send> Send for Slots<'_, T> {}

impl<'room, T> Slots<'room, T> {
    pub(super) fn new(room: &'room mut [MaybeUninit<T>]) -> Self {
        Slots { end: room.len(), room: room.as_mut_ptr().cast(), begin: 0, marker: PhantomData }
    }
}

impl<'room, T: Send> Consumer<T> for Slots<'room, T> {
    type Folder = Filled<'room, T>;
    type Reducer = JoinFilled;
    type Result = Filled<'room, T>;

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self, JoinFilled) {
        let Slots { room, begin, end, marker } = self;
        assert!(index <= end - begin, "a piece of {} items is cut at {index}", end - begin);
        // C1: the two parts share no slot.
        let middle = begin + index;
        (Slots { room, begin, end: middle, marker }, Slots { room, begin: middle, end, marker }, JoinFilled)
    }

    #[inline]
    fn into_folder(self) -> Filled<'room, T> {
        // C2: nothing is initialised yet.
        Filled { room: self.room, begin: self.begin, end: self.begin, limit: self.end, marker: PhantomData }
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}

/// Only an iterator that knows its length may be given `Slots`, and none that does needs these; yet the
/// bounds of `drive_unindexed` ask for them.
impl<T: Send> UnindexedConsumer<T> for Slots<'_, T> {
    fn split_off_left(&self) -> Self {
        panic!("an iterator with a known length is driven as if it had none");
    }

    fn to_reducer(&self) -> JoinFilled {
        JoinFilled
    }
}

/// A part of the room, filled from the front; drops its items unless they are released.
#[must_use]
pub(crate) struct Filled<'room, T> {
    room: *mut T,
    begin: usize,
    end: usize,
    limit: usize,
    marker: PhantomData<&'room mut [T]>,
}

// SAFETY: it owns its items and borrows its slots uniquely (C2).
unsafe impl<T: Send> Send for Filled<'_, T> {}

impl<T> Filled<'_, T> {
    /// Leaves the items to the owner of the room, and says how many there are.
    ///
    /// # Panics
    /// If they are not the first `len` slots of the room.
    #[inline]
    fn release(self, len: usize) -> usize {
        let (begin, end) = (self.begin, self.end);
        assert!(
            begin == 0 && end == len,
            "an iterator that promised {len} items has yielded those from {begin} to {end}"
        );
        mem::forget(self);
        end
    }
}

impl<T> Folder<T> for Filled<'_, T> {
    type Result = Self;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        assert!(self.end < self.limit, "a piece yields more items than it has");
        // SAFETY: the slot is ours and free (C2).
        unsafe { self.room.add(self.end).write(item) };
        self.end += 1;
        self
    }

    #[inline]
    fn consume_iter<I: IntoIterator<Item = T>>(mut self, items: I) -> Self {
        let items = items.into_iter();
        let free = self.limit - self.end;
        let (least, most) = items.size_hint();
        if most != Some(least) {
            return items.fold(self, Self::consume);
        }
        assert!(least <= free, "a piece yields more items than it has");
        // SAFETY: the slots are ours and free (C2); as `MaybeUninit` they may be borrowed as they are.
        let slots =
            unsafe { slice::from_raw_parts_mut(self.room.add(self.end).cast::<MaybeUninit<T>>(), free) };
        // A plain loop over two slices in step, where `items` is one at heart: the compiler can vectorise it.
        for (slot, item) in slots.iter_mut().zip(items) {
            slot.write(item);
            self.end += 1;
        }
        self
    }

    #[inline]
    fn complete(self) -> Self {
        self
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}

impl<T> Drop for Filled<'_, T> {
    fn drop(&mut self) {
        let items = ptr::slice_from_raw_parts_mut(self.room.wrapping_add(self.begin), self.end - self.begin);
        // SAFETY: they are initialised and ours (C2).
        unsafe { ptr::drop_in_place(items) };
    }
}

/// Joins neighbours; what comes after a gap is dropped.
pub(crate) struct JoinFilled;

impl<'room, T> Reducer<Filled<'room, T>> for JoinFilled {
    #[inline]
    fn reduce(self, mut left: Filled<'room, T>, right: Filled<'room, T>) -> Filled<'room, T> {
        if left.end == right.begin && left.room == right.room {
            left.end = right.end;
            left.limit = right.limit;
            mem::forget(right);
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{panic, rc::Rc};

    /// A room for four, cut in the middle.
    fn with_halves(test: impl FnOnce(Slots<'_, u32>, Slots<'_, u32>)) {
        let mut room = [const { MaybeUninit::uninit() }; 4];
        let (left, right, _) = Slots::new(&mut room).split_at(2);
        test(left, right);
    }

    #[test]
    fn full_neighbours_are_joined() {
        with_halves(|left, right| {
            let left = left.into_folder().consume_iter([1, 2]).complete();
            let right = right.into_folder().consume(3).consume(4).complete();
            assert_eq!(JoinFilled.reduce(left, right).release(4), 4);
        });
    }

    #[test]
    fn what_comes_behind_a_gap_is_left_out() {
        with_halves(|left, right| {
            let left = left.into_folder().consume(1).complete();
            let right = right.into_folder().consume_iter([3, 4]).complete();
            let joined = JoinFilled.reduce(left, right);
            assert_eq!((joined.begin, joined.end), (0, 1));
        });
    }

    #[test]
    #[should_panic(expected = "promised 4 items")]
    fn a_part_cannot_pass_for_the_whole() {
        with_halves(|_, right| {
            right.into_folder().consume_iter([3, 4]).complete().release(4);
        });
    }

    #[test]
    fn no_item_is_written_behind_the_end() {
        with_halves(|left, right| {
            let exact = panic::AssertUnwindSafe(|| left.into_folder().consume_iter([1, 2, 3]).complete().end);
            assert!(panic::catch_unwind(exact).is_err());
            let vague = (1..9).filter(|_| true);
            let vague = panic::AssertUnwindSafe(|| right.into_folder().consume_iter(vague).complete().end);
            assert!(panic::catch_unwind(vague).is_err());
        });
    }

    #[test]
    fn a_panicking_source_leaves_its_items_to_be_dropped() {
        let item = Rc::new(());
        let mut room = [const { MaybeUninit::uninit() }; 4];
        let slots = Slots::new(&mut room);
        let folder = Filled { room: slots.room, begin: 0, end: 0, limit: slots.end, marker: PhantomData };
        let items = (0..4).map(|n| if n < 3 { item.clone() } else { panic!("no more") });
        assert!(panic::catch_unwind(panic::AssertUnwindSafe(|| folder.consume_iter(items).end)).is_err());
        assert_eq!(Rc::strong_count(&item), 1);
    }
}
