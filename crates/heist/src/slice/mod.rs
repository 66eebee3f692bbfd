//! Parallel iterators over slices, sorts, and what else can be done to a slice in place.
//!
//! [`ParallelSlice`] and [`ParallelSliceMut`] add methods to slices, and to what derefs to a slice. The types
//! here are what those methods return; they rarely need to be named.

mod any;
mod chunks;
mod exclusive;
mod fill;
mod iter;
mod partition;
mod scan;
mod shared;
mod sort;
mod split;
mod windows;

pub use {
    chunks::{
        Chunks, ChunksExact, ChunksExactMut, ChunksMut, RChunks, RChunksExact, RChunksExactMut, RChunksMut,
    },
    exclusive::ParallelSliceMut,
    iter::{Iter, IterMut},
    shared::ParallelSlice,
    split::{ChunkBy, ChunkByMut, Split, SplitInclusive, SplitInclusiveMut, SplitMut},
    windows::{ArrayWindows, Windows},
};
