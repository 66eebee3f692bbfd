//! Parallel iterators over ranges with their end, `a..=b`.
//!
//! ```
//! use heist::prelude::*;
//!
//! let product: u64 = (1..=20u64).into_par_iter().product();
//! assert_eq!(product, 2_432_902_008_176_640_000);
//! ```
//!
//! They become ranges without their end. Only a range up to the last integer of its type has none such, and
//! gets its last item separately. Ranges of 8 or 16 bits and of `char` are indexed: of wider types, a range
//! can have one item more than a `usize` can say.

use crate::{
    iter::{
        IndexedParallelIterator, IntoParallelIterator, ParallelIterator, once,
        plumbing::{Consumer, ProducerCallback, UnindexedConsumer},
    },
    range::{dense, private::RangeInteger},
};
use private::IndexedRangeInteger;
use std::ops::{Range, RangeInclusive};

/// A parallel iterator over a range with its end.
#[derive(Debug, Clone)]
pub struct Iter<T> {
    range: RangeInclusive<T>,
}

impl<T> IntoParallelIterator for RangeInclusive<T>
where
    Iter<T>: ParallelIterator,
{
    type Item = <Iter<T> as ParallelIterator>::Item;
    type Iter = Iter<T>;

    fn into_par_iter(self) -> Iter<T> {
        Iter { range: self }
    }
}

/// Not to be named outside, and so not to be implemented.
mod private {
    use crate::range::private;

    /// An integer whose ranges with their end always have a length that fits.
    pub trait IndexedRangeInteger: private::IndexedRangeInteger {}
}

impl IndexedRangeInteger for u8 {}
impl IndexedRangeInteger for u16 {}
impl IndexedRangeInteger for i8 {}
impl IndexedRangeInteger for i16 {}

impl<T: RangeInteger> Iter<T> {
    /// The range without its end that has the same items, and the last item if it does not fit in there.
    fn without_end(&self) -> (Range<T>, Option<T>) {
        let (first, last) = (*self.range.start(), *self.range.end());
        if self.range.is_empty() {
            return (first..first, None);
        }
        match last.next() {
            Some(end) => (first..end, None),
            None => (first..last, Some(last)),
        }
    }
}

/// Calls a method on an iterator with the same items.
macro_rules! forward {
    ($self:ident.$method:ident($($arg:ident),*)) => {
        match $self.without_end() {
            (range, None) => range.into_par_iter().$method($($arg),*),
            (range, Some(last)) => range.into_par_iter().chain(once(last)).$method($($arg),*),
        }
    };
}

impl<T: RangeInteger> ParallelIterator for Iter<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        forward!(self.drive_unindexed(consumer))
    }

    fn opt_len(&self) -> Option<usize> {
        forward!(self.opt_len())
    }
}

impl<T: IndexedRangeInteger> IndexedParallelIterator for Iter<T> {
    fn len(&self) -> usize {
        forward!(self.len())
    }

    #[inline]
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        forward!(self.drive(consumer))
    }

    #[inline]
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        forward!(self.with_producer(callback))
    }
}

impl Iter<char> {
    /// The numbers of the characters, which end long before those of `u32` do.
    fn numbers(&self) -> crate::range::Iter<u32> {
        if self.range.is_empty() {
            return (0..0).into_par_iter();
        }
        (dense::number(*self.range.start())..dense::number(*self.range.end()) + 1).into_par_iter()
    }
}

impl ParallelIterator for Iter<char> {
    type Item = char;

    #[inline]
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<char>,
    {
        self.numbers().map(dense::character).drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl IndexedParallelIterator for Iter<char> {
    fn len(&self) -> usize {
        self.numbers().len()
    }

    #[inline]
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<char>,
    {
        self.numbers().map(dense::character).drive(consumer)
    }

    #[inline]
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<char>,
    {
        self.numbers().map(dense::character).with_producer(callback)
    }
}
