//! What adaptors of indexed iterators share: each wraps the producer of its base in one of its own.
//!
//! [`with_producer`](super::IndexedParallelIterator::with_producer) hands a producer of unknown type to a
//! callback, so to wrap it on the way takes another callback. There is one here for all adaptors of one base,
//! and one for all of two. An adaptor says only [`Wrap`] or [`WrapTwo`].

use super::{
    IndexedParallelIterator,
    plumbing::{Producer, ProducerCallback},
};

/// Makes a producer of another producer.
pub(super) trait Wrap<T> {
    type Item;
    type Producer<P: Producer<Item = T>>: Producer<Item = Self::Item>;

    fn wrap<P: Producer<Item = T>>(self, base: P) -> Self::Producer<P>;
}

/// Makes a producer of two.
pub(super) trait WrapTwo<T, U> {
    type Item;
    type Producer<P: Producer<Item = T>, Q: Producer<Item = U>>: Producer<Item = Self::Item>;

    fn wrap<P: Producer<Item = T>, Q: Producer<Item = U>>(self, left: P, right: Q) -> Self::Producer<P, Q>;
}

/// Hands the producer of `base` to `callback`, wrapped.
#[inline]
pub(super) fn with_wrapped<I, W, CB>(base: I, wrap: W, callback: CB) -> CB::Output
where
    I: IndexedParallelIterator,
    W: Wrap<I::Item>,
    CB: ProducerCallback<W::Item>,
{
    base.with_producer(Wrapping { wrap, callback })
}

/// Hands the producers of `left` and `right` to `callback`, wrapped into one.
#[inline]
pub(super) fn with_two_wrapped<A, B, W, CB>(left: A, right: B, wrap: W, callback: CB) -> CB::Output
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator,
    W: WrapTwo<A::Item, B::Item>,
    CB: ProducerCallback<W::Item>,
{
    left.with_producer(WrappingLeft { right, wrap, callback })
}

struct Wrapping<W, CB> {
    wrap: W,
    callback: CB,
}

impl<T, W: Wrap<T>, CB: ProducerCallback<W::Item>> ProducerCallback<T> for Wrapping<W, CB> {
    type Output = CB::Output;

    #[inline]
    fn callback<P: Producer<Item = T>>(self, base: P) -> CB::Output {
        self.callback.callback(self.wrap.wrap(base))
    }
}

struct WrappingLeft<B, W, CB> {
    right: B,
    wrap: W,
    callback: CB,
}

impl<T, B, W, CB> ProducerCallback<T> for WrappingLeft<B, W, CB>
where
    B: IndexedParallelIterator,
    W: WrapTwo<T, B::Item>,
    CB: ProducerCallback<W::Item>,
{
    type Output = CB::Output;

    #[inline]
    fn callback<P: Producer<Item = T>>(self, left: P) -> CB::Output {
        let WrappingLeft { right, wrap, callback } = self;
        right.with_producer(WrappingRight { left, wrap, callback })
    }
}

struct WrappingRight<P, W, CB> {
    left: P,
    wrap: W,
    callback: CB,
}

impl<U, P, W, CB> ProducerCallback<U> for WrappingRight<P, W, CB>
where
    P: Producer,
    W: WrapTwo<P::Item, U>,
    CB: ProducerCallback<W::Item>,
{
    type Output = CB::Output;

    #[inline]
    fn callback<Q: Producer<Item = U>>(self, right: Q) -> CB::Output {
        self.callback.callback(self.wrap.wrap(self.left, right))
    }
}
