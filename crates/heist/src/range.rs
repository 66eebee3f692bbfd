//! Parallel iterators over ranges of integers and characters.
//!
//! ```
//! use heist::prelude::*;
//!
//! let sum: u64 = (0..100u64).into_par_iter().sum();
//! assert_eq!(sum, 4950);
//! ```
//!
//! Ranges of types no wider than `usize` is on every platform, and of `usize`, `isize` and `char`, are
//! indexed. The others may have more items than fit into a `usize`.

use crate::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelIterator,
    plumbing::{
        Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, UnindexedProducer, bridge,
        bridge_producer_consumer, bridge_unindexed,
    },
};
use private::{IndexedRangeInteger, RangeInteger};
use std::ops::Range;

/// A parallel iterator over a range.
#[derive(Debug, Clone)]
pub struct Iter<T> {
    range: Range<T>,
}

impl<T> IntoParallelIterator for Range<T>
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
///
/// Bounds on `T` itself, not on `Range<T>`, let the compiler infer the type of integer literals.
pub(crate) mod private {
    use std::ops::Range;

    /// An integer that ranges consist of.
    pub trait RangeInteger: Copy + Ord + Send {
        /// The sequential iterator.
        type Items: DoubleEndedIterator<Item = Self> + Send;

        /// Begins it.
        fn items(range: Range<Self>) -> Self::Items;

        /// How many items the range has.
        fn count(range: &Range<Self>) -> u128;

        /// The integer `count` further on, which exists.
        fn forward(self, count: u128) -> Self;

        /// The next integer, unless this is the last.
        fn next(self) -> Option<Self>;
    }

    /// One whose ranges always have a length that fits.
    pub trait IndexedRangeInteger: RangeInteger {}
}

macro_rules! range_integer {
    ($($integer:ident)*) => {$(
        impl RangeInteger for $integer {
            type Items = Range<$integer>;

            fn items(range: Range<$integer>) -> Range<$integer> {
                range
            }

            fn count(range: &Range<$integer>) -> u128 {
                // Wrapping keeps the difference right, whatever the signs.
                if range.is_empty() { 0 } else { (range.end as u128).wrapping_sub(range.start as u128) }
            }

            fn forward(self, count: u128) -> $integer {
                self.wrapping_add(count as $integer)
            }

            fn next(self) -> Option<$integer> {
                self.checked_add(1)
            }
        }
    )*};
}

range_integer! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! indexed_range_integer {
    ($($integer:ident)*) => { $(impl IndexedRangeInteger for $integer {})* };
}

indexed_range_integer! { u8 u16 u32 usize i8 i16 i32 isize }

impl<T: RangeInteger> Iter<T> {
    /// How many items there are, if a `usize` can say.
    fn item_count(&self) -> Option<usize> {
        T::count(&self.range).try_into().ok()
    }
}

impl<T: RangeInteger> ParallelIterator for Iter<T> {
    type Item = T;

    #[inline]
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        match self.item_count() {
            Some(count) => bridge_producer_consumer(count, Counted(self.range), consumer),
            None => bridge_unindexed(Uncounted(self.range), consumer),
        }
    }

    fn opt_len(&self) -> Option<usize> {
        self.item_count()
    }
}

impl<T: IndexedRangeInteger> IndexedParallelIterator for Iter<T> {
    fn len(&self) -> usize {
        self.item_count().expect("its type is no wider than usize")
    }

    #[inline]
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        bridge(self, consumer)
    }

    #[inline]
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        callback.callback(Counted(self.range))
    }
}

/// The two ranges before and from the item `index` on.
fn cut<T: RangeInteger>(range: Range<T>, index: u128) -> (Range<T>, Range<T>) {
    let middle = range.start.forward(index);
    (range.start..middle, middle..range.end)
}

/// A producer of a range whose length fits into a `usize`.
struct Counted<T>(Range<T>);

impl<T: RangeInteger> Producer for Counted<T> {
    type Item = T;
    type IntoIter = CountedIter<T::Items>;

    fn into_iter(self) -> Self::IntoIter {
        CountedIter(T::items(self.0))
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        if index == 0 {
            // An empty range may start after its end.
            return (Counted(self.0.start..self.0.start), self);
        }
        let (left, right) = cut(self.0, index as u128);
        (Counted(left), Counted(right))
    }
}

/// Ranges of wide integers do not tell their length, as it may not fit. Here it does.
struct CountedIter<I>(I);

impl<I: Iterator> Iterator for CountedIter<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<I::Item> {
        self.0.nth(n)
    }

    #[inline]
    fn fold<B, F: FnMut(B, I::Item) -> B>(self, init: B, f: F) -> B {
        self.0.fold(init, f)
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for CountedIter<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        self.0.next_back()
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<I::Item> {
        self.0.nth_back(n)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, I::Item) -> B>(self, init: B, f: F) -> B {
        self.0.rfold(init, f)
    }
}

impl<I: Iterator> ExactSizeIterator for CountedIter<I> {}

/// A producer of a range that may be longer.
struct Uncounted<T>(Range<T>);

impl<T: RangeInteger> UnindexedProducer for Uncounted<T> {
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        let middle = T::count(&self.0) / 2;
        if middle == 0 {
            return (self, None);
        }
        let (left, right) = cut(self.0, middle);
        (Uncounted(left), Some(Uncounted(right)))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        folder.consume_iter(T::items(self.0))
    }
}

/// Characters as numbers without the gap between `'\u{D7FF}'` and `'\u{E000}'`.
pub(crate) mod dense {
    const GAP: std::ops::Range<u32> = 0xD800..0xE000;
    const GAP_LEN: u32 = GAP.end - GAP.start;

    /// The number of a character.
    pub(crate) fn number(character: char) -> u32 {
        let code = character as u32;
        if code < GAP.start { code } else { code - GAP_LEN }
    }

    /// The character of a number.
    pub(crate) fn character(number: u32) -> char {
        let code = if number < GAP.start { number } else { number + GAP_LEN };
        char::from_u32(code).expect("within the range of two characters")
    }
}

impl Iter<char> {
    fn numbers(&self) -> Iter<u32> {
        Iter { range: dense::number(self.range.start)..dense::number(self.range.end) }
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
