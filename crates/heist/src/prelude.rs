//! The traits of parallel iterators, to be imported all at once: `use heist::prelude::*;`.

pub use crate::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelBridge, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    ParallelIterator,
};
pub use crate::{
    slice::{ParallelSlice, ParallelSliceMut},
    str::ParallelString,
};
