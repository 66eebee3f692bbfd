//! Adaptors that walk several iterators in step: `zip`, `zip_eq`, and tuples of iterators.

use super::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator,
    ParallelIterator,
    plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
    wrap::{WrapTwo, with_two_wrapped},
};
use std::iter;

/// Pairs of items, as many as the shorter iterator has; made by [`IndexedParallelIterator::zip`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct Zip<A, B> {
    a: A,
    b: B,
}

impl<A, B> Zip<A, B> {
    pub(super) fn new(a: A, b: B) -> Self {
        Zip { a, b }
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for Zip<A, B> {
    type Item = (A::Item, B::Item);

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> IndexedParallelIterator for Zip<A, B> {
    #[inline]
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        with_two_wrapped(self.a, self.b, InStep, callback)
    }
}

struct InStep;

impl<T, U> WrapTwo<T, U> for InStep {
    type Item = (T, U);
    type Producer<P: Producer<Item = T>, Q: Producer<Item = U>> = ZipProducer<P, Q>;

    fn wrap<P: Producer<Item = T>, Q: Producer<Item = U>>(self, a: P, b: Q) -> ZipProducer<P, Q> {
        ZipProducer { a, b }
    }
}

/// The producers may have more items than are zipped; then the last piece has them.
struct ZipProducer<P, Q> {
    a: P,
    b: Q,
}

impl<P: Producer, Q: Producer> Producer for ZipProducer<P, Q> {
    type Item = (P::Item, Q::Item);
    type IntoIter = iter::Zip<P::IntoIter, Q::IntoIter>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.a.into_iter().zip(self.b.into_iter())
    }

    fn min_len(&self) -> usize {
        self.a.min_len().max(self.b.min_len())
    }

    fn max_len(&self) -> usize {
        self.a.max_len().min(self.b.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left_a, right_a) = self.a.split_at(index);
        let (left_b, right_b) = self.b.split_at(index);
        (ZipProducer { a: left_a, b: left_b }, ZipProducer { a: right_a, b: right_b })
    }
}

/// Pairs of items of two iterators that are equally long; made by [`IndexedParallelIterator::zip_eq`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct ZipEq<A, B> {
    zip: Zip<A, B>,
}

impl<A, B> ZipEq<A, B> {
    pub(super) fn new(a: A, b: B) -> Self {
        ZipEq { zip: Zip::new(a, b) }
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> ParallelIterator for ZipEq<A, B> {
    type Item = (A::Item, B::Item);

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self.zip, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        self.zip.opt_len()
    }
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> IndexedParallelIterator for ZipEq<A, B> {
    #[inline]
    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self.zip, consumer)
    }

    fn len(&self) -> usize {
        self.zip.len()
    }

    #[inline]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        self.zip.with_producer(callback)
    }
}

/// Tuples of items of several iterators, as many as the shortest has.
///
/// It is what a tuple of iterators, of references to collections and the like turns into.
///
/// ```
/// use heist::{iter::repeat_n, prelude::*};
///
/// let sums: Vec<i32> = (repeat_n(1, 3), repeat_n(20, 2), repeat_n(300, 9))
///     .into_par_iter()
///     .map(|(a, b, c)| a + b + c)
///     .collect();
/// assert_eq!(sums, [321, 321]);
/// ```
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Debug, Clone)]
pub struct MultiZip<T> {
    tuple: T,
}

/// Implements everything for tuples of one length: types and names of the parts, and the shape of nested
/// pairs in which `zip` yields them.
macro_rules! multi_zip {
    ($A:ident $a:ident $(, $B:ident $b:ident)* => $nested:tt) => {
        impl<$A: IndexedParallelIterator $(, $B: IndexedParallelIterator)*> ParallelIterator
            for MultiZip<($A, $($B,)*)>
        {
            type Item = ($A::Item, $($B::Item,)*);

            #[inline]
            fn drive_unindexed<CO: UnindexedConsumer<Self::Item>>(self, consumer: CO) -> CO::Result {
                bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.len())
            }
        }

        impl<$A: IndexedParallelIterator $(, $B: IndexedParallelIterator)*> IndexedParallelIterator
            for MultiZip<($A, $($B,)*)>
        {
            #[inline]
            fn drive<CO: Consumer<Self::Item>>(self, consumer: CO) -> CO::Result {
                bridge(self, consumer)
            }

            fn len(&self) -> usize {
                let ($a, $($b,)*) = &self.tuple;
                $a.len()$(.min($b.len()))*
            }

            #[inline]
            fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
                let ($a, $($b,)*) = self.tuple;
                $a$(.zip($b))*.map(|$nested| ($a, $($b,)*)).with_producer(callback)
            }
        }

        impl<$A $(, $B)*> IntoParallelIterator for ($A, $($B,)*)
        where
            $A: IntoParallelIterator<Iter: IndexedParallelIterator>,
            $($B: IntoParallelIterator<Iter: IndexedParallelIterator>,)*
        {
            type Iter = MultiZip<($A::Iter, $($B::Iter,)*)>;
            type Item = ($A::Item, $($B::Item,)*);

            fn into_par_iter(self) -> Self::Iter {
                let ($a, $($b,)*) = self;
                MultiZip { tuple: ($a.into_par_iter(), $($b.into_par_iter(),)*) }
            }
        }

        impl<'data, $A $(, $B)*> IntoParallelIterator for &'data ($A, $($B,)*)
        where
            $A: IntoParallelRefIterator<'data, Iter: IndexedParallelIterator>,
            $($B: IntoParallelRefIterator<'data, Iter: IndexedParallelIterator>,)*
        {
            type Iter = MultiZip<($A::Iter, $($B::Iter,)*)>;
            type Item = ($A::Item, $($B::Item,)*);

            fn into_par_iter(self) -> Self::Iter {
                let ($a, $($b,)*) = self;
                MultiZip { tuple: ($a.par_iter(), $($b.par_iter(),)*) }
            }
        }

        impl<'data, $A $(, $B)*> IntoParallelIterator for &'data mut ($A, $($B,)*)
        where
            $A: IntoParallelRefMutIterator<'data, Iter: IndexedParallelIterator>,
            $($B: IntoParallelRefMutIterator<'data, Iter: IndexedParallelIterator>,)*
        {
            type Iter = MultiZip<($A::Iter, $($B::Iter,)*)>;
            type Item = ($A::Item, $($B::Item,)*);

            fn into_par_iter(self) -> Self::Iter {
                let ($a, $($b,)*) = self;
                MultiZip { tuple: ($a.par_iter_mut(), $($b.par_iter_mut(),)*) }
            }
        }
    };
}

multi_zip!(A a => a);
multi_zip!(A a, B b => (a, b));
multi_zip!(A a, B b, C c => ((a, b), c));
multi_zip!(A a, B b, C c, D d => (((a, b), c), d));
multi_zip!(A a, B b, C c, D d, E e => ((((a, b), c), d), e));
multi_zip!(A a, B b, C c, D d, E e, F f => (((((a, b), c), d), e), f));
multi_zip!(A a, B b, C c, D d, E e, F f, G g => ((((((a, b), c), d), e), f), g));
multi_zip!(A a, B b, C c, D d, E e, F f, G g, H h => (((((((a, b), c), d), e), f), g), h));
multi_zip!(A a, B b, C c, D d, E e, F f, G g, H h, I i => ((((((((a, b), c), d), e), f), g), h), i));
multi_zip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j
    => (((((((((a, b), c), d), e), f), g), h), i), j));
multi_zip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k
    => ((((((((((a, b), c), d), e), f), g), h), i), j), k));
multi_zip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l
    => (((((((((((a, b), c), d), e), f), g), h), i), j), k), l));
