//! [`Drain`]: takes characters out of a string.

use crate::{
    iter::{ParallelDrainRange, ParallelIterator, plumbing::UnindexedConsumer},
    math::simplify_range,
    str::ParallelString,
};
use std::ops::{Range, RangeBounds};

/// A parallel iterator that takes a range of characters out of a string; made by
/// [`par_drain`](ParallelDrainRange::par_drain).
///
/// What comes after the range moves up when it is dropped or done.
#[derive(Debug)]
pub struct Drain<'a> {
    string: &'a mut String,
    range: Range<usize>,
}

/// The range counts bytes.
///
/// # Panics
/// If it begins or ends within a character.
impl<'a> ParallelDrainRange<usize> for &'a mut String {
    type Iter = Drain<'a>;
    type Item = char;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'a> {
        let range = simplify_range(range, self.len());
        let whole = self.is_char_boundary(range.start) && self.is_char_boundary(range.end);
        assert!(whole, "the range {range:?} begins or ends within a character");
        Drain { string: self, range }
    }
}

impl ParallelIterator for Drain<'_> {
    type Item = char;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<char>,
    {
        self.string[self.range.clone()].par_chars().drive_unindexed(consumer)
    }
}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        self.string.drain(self.range.clone());
    }
}
