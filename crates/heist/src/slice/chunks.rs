//! Chunks of equal length: from the front or from the back, with the short one or without, shared or
//! exclusive.
//!
//! All eight are cut by one producer, [`Pieces`]. It differs in which end it counts from and in which
//! iterator of the standard library it becomes: that is its [`Way`].

use super::any::AnySlice;
use crate::iter::plumbing::Producer;
use std::{marker::PhantomData, slice};

/// From which end a slice is cut up, and what iterates over the chunks.
trait Way<S> {
    /// The sequential iterator.
    type Iter: DoubleEndedIterator<Item = S> + ExactSizeIterator;

    /// Whether the last elements come first.
    const FROM_THE_BACK: bool;

    /// Begins it.
    fn iter(slice: S, size: usize) -> Self::Iter;
}

macro_rules! way {
    ($name:ident, $from_the_back:literal, $iter:ident $method:ident, $iter_mut:ident $method_mut:ident) => {
        #[derive(Debug)]
        enum $name {}

        impl<'data, T> Way<&'data [T]> for $name {
            type Iter = slice::$iter<'data, T>;
            const FROM_THE_BACK: bool = $from_the_back;

            fn iter(slice: &'data [T], size: usize) -> Self::Iter {
                slice.$method(size)
            }
        }

        impl<'data, T> Way<&'data mut [T]> for $name {
            type Iter = slice::$iter_mut<'data, T>;
            const FROM_THE_BACK: bool = $from_the_back;

            fn iter(slice: &'data mut [T], size: usize) -> Self::Iter {
                slice.$method_mut(size)
            }
        }
    };
}

way! { Forward, false, Chunks chunks, ChunksMut chunks_mut }
way! { ForwardExact, false, ChunksExact chunks_exact, ChunksExactMut chunks_exact_mut }
way! { Backward, true, RChunks rchunks, RChunksMut rchunks_mut }
way! { BackwardExact, true, RChunksExact rchunks_exact, RChunksExactMut rchunks_exact_mut }

/// A slice to be cut up into chunks of `size`, one of which may be shorter.
#[derive(Debug)]
struct Pieces<S, W> {
    slice: S,
    size: usize,
    /// No `W` is in here: it must not keep this from being `Send`.
    way: PhantomData<fn(W)>,
}

impl<S, W> Pieces<S, W> {
    fn new(slice: S, size: usize) -> Self {
        Pieces { slice, size, way: PhantomData }
    }
}

impl<T, W> Clone for Pieces<&[T], W> {
    fn clone(&self) -> Self {
        Pieces::new(self.slice, self.size)
    }
}

impl<S: AnySlice, W: Way<S>> Pieces<S, W> {
    fn item_count(&self) -> usize {
        self.slice.get().len().div_ceil(self.size)
    }
}

impl<S: AnySlice, W: Way<S>> Producer for Pieces<S, W> {
    type Item = S;
    type IntoIter = W::Iter;

    fn into_iter(self) -> W::Iter {
        W::iter(self.slice, self.size)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let len = self.slice.get().len();
        // Saturating, as the short chunk may be the last on the left side.
        let first = index.saturating_mul(self.size).min(len);
        let (left, right) = if W::FROM_THE_BACK {
            let (right, left) = self.slice.cut(len - first);
            (left, right)
        } else {
            self.slice.cut(first)
        };
        (Pieces::new(left, self.size), Pieces::new(right, self.size))
    }
}

/// Separates the elements that make whole chunks from the others.
fn whole<S: AnySlice, W: Way<S>>(slice: S, size: usize) -> (Pieces<S, W>, S) {
    let len = slice.get().len();
    let rest = len % size;
    if W::FROM_THE_BACK {
        let (rest, whole) = slice.cut(rest);
        (Pieces::new(whole, size), rest)
    } else {
        let (whole, rest) = slice.cut(len - rest);
        (Pieces::new(whole, size), rest)
    }
}

macro_rules! chunks {
    ($(#[$doc:meta])* $name:ident, $way:ident, [$($mut:ident)?] $bound:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'data, T> {
            pieces: Pieces<&'data $($mut)? [T], $way>,
        }

        impl<'data, T: $bound> $name<'data, T> {
            pub(super) fn new(slice: &'data $($mut)? [T], size: usize) -> Self {
                $name { pieces: Pieces::new(slice, size) }
            }

            fn item_count(&self) -> usize {
                self.pieces.item_count()
            }

            fn into_producer(self) -> impl Producer<Item = &'data $($mut)? [T]> {
                self.pieces
            }
        }

        indexed_source! { impl['data, T: $bound] $name<'data, T> => &'data $($mut)? [T] }
    };
}

macro_rules! chunks_exact {
    ($(#[$doc:meta])* $name:ident, $way:ident, [$($mut:ident)?] $bound:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'data, T> {
            pieces: Pieces<&'data $($mut)? [T], $way>,
            rest: &'data $($mut)? [T],
        }

        impl<'data, T: $bound> $name<'data, T> {
            pub(super) fn new(slice: &'data $($mut)? [T], size: usize) -> Self {
                let (pieces, rest) = whole(slice, size);
                $name { pieces, rest }
            }

            fn item_count(&self) -> usize {
                self.pieces.item_count()
            }

            fn into_producer(self) -> impl Producer<Item = &'data $($mut)? [T]> {
                self.pieces
            }
        }

        indexed_source! { impl['data, T: $bound] $name<'data, T> => &'data $($mut)? [T] }
    };
}

macro_rules! shared {
    ($($name:ident { $($rest:ident)? }),*) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                $name { pieces: self.pieces.clone() $(, $rest: self.$rest)? }
            }
        }
    )*};
}

macro_rules! remainder {
    ($($name:ident),*) => {$(
        impl<'data, T> $name<'data, T> {
            /// The elements that do not fill a chunk.
            pub fn remainder(&self) -> &'data [T] {
                self.rest
            }
        }
    )*};
}

macro_rules! remainder_mut {
    ($($name:ident),*) => {$(
        impl<'data, T> $name<'data, T> {
            /// The elements that do not fill a chunk, instead of the chunks.
            pub fn into_remainder(self) -> &'data mut [T] {
                self.rest
            }

            /// The elements that do not fill a chunk.
            ///
            /// Empty after [`take_remainder`](Self::take_remainder).
            pub fn remainder(&mut self) -> &mut [T] {
                self.rest
            }

            /// The elements that do not fill a chunk. The next call returns nothing.
            pub fn take_remainder(&mut self) -> &'data mut [T] {
                std::mem::take(&mut self.rest)
            }
        }
    )*};
}

chunks! {
    /// A parallel iterator over chunks from the front; made by
    /// [`par_chunks`](super::ParallelSlice::par_chunks).
    Chunks, Forward, [] Sync
}
chunks_exact! {
    /// A parallel iterator over whole chunks from the front; made by
    /// [`par_chunks_exact`](super::ParallelSlice::par_chunks_exact).
    ChunksExact, ForwardExact, [] Sync
}
chunks! {
    /// A parallel iterator over exclusive chunks from the front; made by
    /// [`par_chunks_mut`](super::ParallelSliceMut::par_chunks_mut).
    ChunksMut, Forward, [mut] Send
}
chunks_exact! {
    /// A parallel iterator over whole exclusive chunks from the front; made by
    /// [`par_chunks_exact_mut`](super::ParallelSliceMut::par_chunks_exact_mut).
    ChunksExactMut, ForwardExact, [mut] Send
}
chunks! {
    /// A parallel iterator over chunks from the back; made by
    /// [`par_rchunks`](super::ParallelSlice::par_rchunks).
    RChunks, Backward, [] Sync
}
chunks_exact! {
    /// A parallel iterator over whole chunks from the back; made by
    /// [`par_rchunks_exact`](super::ParallelSlice::par_rchunks_exact).
    RChunksExact, BackwardExact, [] Sync
}
chunks! {
    /// A parallel iterator over exclusive chunks from the back; made by
    /// [`par_rchunks_mut`](super::ParallelSliceMut::par_rchunks_mut).
    RChunksMut, Backward, [mut] Send
}
chunks_exact! {
    /// A parallel iterator over whole exclusive chunks from the back; made by
    /// [`par_rchunks_exact_mut`](super::ParallelSliceMut::par_rchunks_exact_mut).
    RChunksExactMut, BackwardExact, [mut] Send
}

shared! { Chunks {}, RChunks {}, ChunksExact { rest }, RChunksExact { rest } }
remainder! { ChunksExact, RChunksExact }
remainder_mut! { ChunksExactMut, RChunksExactMut }
