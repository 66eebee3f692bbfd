//! Parts of a slice: between separators, or between unequal neighbours.

use super::any::AnySlice;
use crate::breaks::{Breaks, Divisible, Parts};
use std::{fmt, mem};

impl<S: AnySlice> Divisible for S {
    fn length(&self) -> usize {
        self.get().len()
    }

    fn middle(&self, end: usize) -> usize {
        end / 2
    }
}

/// Elements that separate: in no part, or at the end of one.
struct Separator<'p, P, const INCLUSIVE: bool>(&'p P);

impl<'p, P, const INCLUSIVE: bool> Separator<'p, P, INCLUSIVE> {
    fn of(is_separator: &'p P) -> Self {
        Separator(is_separator)
    }
}

impl<P, const INCLUSIVE: bool> Clone for Separator<'_, P, INCLUSIVE> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const INCLUSIVE: bool> Copy for Separator<'_, P, INCLUSIVE> {}

impl<S, P, const INCLUSIVE: bool> Breaks<S> for Separator<'_, P, INCLUSIVE>
where
    S: AnySlice,
    P: Fn(&S::Element) -> bool + Sync,
{
    const EMPTY_PARTS: bool = !INCLUSIVE;

    fn find(&self, data: &S, start: usize, end: usize) -> Option<usize> {
        data.get()[start..end].iter().position(self.0).map(|i| start + i)
    }

    fn find_back(&self, data: &S, end: usize) -> Option<usize> {
        data.get()[..end].iter().rposition(self.0)
    }

    fn cut(&self, data: S, place: usize) -> (S, S) {
        if INCLUSIVE {
            return data.cut(place + 1);
        }
        let (left, right) = data.cut(place);
        (left, right.cut(1).1)
    }
}

/// Neighbours that do not belong together. A break's place is that of the second.
struct Neighbours<'p, P>(&'p P);

impl<'p, P> Neighbours<'p, P> {
    fn of(together: &'p P) -> Self {
        Neighbours(together)
    }
}

impl<P> Clone for Neighbours<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Neighbours<'_, P> {}

impl<S, P> Breaks<S> for Neighbours<'_, P>
where
    S: AnySlice,
    P: Fn(&S::Element, &S::Element) -> bool + Sync,
{
    const EMPTY_PARTS: bool = false;

    fn find(&self, data: &S, start: usize, end: usize) -> Option<usize> {
        let start = start.max(1);
        let mut pairs = data.get()[..end].get(start - 1..)?.windows(2);
        pairs.position(|pair| !(self.0)(&pair[0], &pair[1])).map(|i| start + i)
    }

    fn find_back(&self, data: &S, end: usize) -> Option<usize> {
        let mut pairs = data.get()[..end].windows(2);
        pairs.rposition(|pair| !(self.0)(&pair[0], &pair[1])).map(|i| i + 1)
    }

    fn cut(&self, data: S, place: usize) -> (S, S) {
        data.cut(place)
    }
}

macro_rules! parts {
    ($(#[$doc:meta])* $name:ident, [$($mut:ident)?] $item:ident, $breaks:ty, [$($question:tt)*]) => {
        $(#[$doc])*
        pub struct $name<'data, T, P> {
            slice: &'data $($mut)? [T],
            breaks: P,
        }

        impl<'data, T: $item, P: $($question)*> $name<'data, T, P> {
            pub(super) fn new(slice: &'data $($mut)? [T], breaks: P) -> Self {
                $name { slice, breaks }
            }

            fn producer(&mut self) -> Parts<&'data $($mut)? [T], $breaks> {
                Parts::new(mem::take(&mut self.slice), <$breaks>::of(&self.breaks))
            }
        }

        impl<T: fmt::Debug, P> fmt::Debug for $name<'_, T, P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("slice", &self.slice).finish_non_exhaustive()
            }
        }

        unindexed_source! {
            impl['data, T: $item, P: $($question)*] $name<'data, T, P> => &'data $($mut)? [T]
        }
    };
}

parts! {
    /// A parallel iterator over the parts between separators; made by
    /// [`par_split`](super::ParallelSlice::par_split).
    Split, [] Sync, Separator<'_, P, false>, [Fn(&T) -> bool + Sync + Send]
}
parts! {
    /// A parallel iterator over the parts that end with separators; made by
    /// [`par_split_inclusive`](super::ParallelSlice::par_split_inclusive).
    SplitInclusive, [] Sync, Separator<'_, P, true>, [Fn(&T) -> bool + Sync + Send]
}
parts! {
    /// A parallel iterator over the exclusive parts between separators; made by
    /// [`par_split_mut`](super::ParallelSliceMut::par_split_mut).
    SplitMut, [mut] Send, Separator<'_, P, false>, [Fn(&T) -> bool + Sync + Send]
}
parts! {
    /// A parallel iterator over the exclusive parts that end with separators; made by
    /// [`par_split_inclusive_mut`](super::ParallelSliceMut::par_split_inclusive_mut).
    SplitInclusiveMut, [mut] Send, Separator<'_, P, true>, [Fn(&T) -> bool + Sync + Send]
}
parts! {
    /// A parallel iterator over parts whose neighbours belong together; made by
    /// [`par_chunk_by`](super::ParallelSlice::par_chunk_by).
    ChunkBy, [] Sync, Neighbours<'_, P>, [Fn(&T, &T) -> bool + Sync + Send]
}
parts! {
    /// A parallel iterator over exclusive parts whose neighbours belong together; made by
    /// [`par_chunk_by_mut`](super::ParallelSliceMut::par_chunk_by_mut).
    ChunkByMut, [mut] Send, Neighbours<'_, P>, [Fn(&T, &T) -> bool + Sync + Send]
}

macro_rules! shared {
    ($($name:ident),*) => {$(
        impl<T, P: Clone> Clone for $name<'_, T, P> {
            fn clone(&self) -> Self {
                $name { slice: self.slice, breaks: self.breaks.clone() }
            }
        }
    )*};
}

shared! { Split, SplitInclusive, ChunkBy }
