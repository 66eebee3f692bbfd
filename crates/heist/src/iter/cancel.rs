//! `cancel_on`: a running iteration that somebody else may stop.

use super::{
    ParallelIterator,
    plumbing::{Folder, UnindexedConsumer},
    stage::{Apply, Each, each},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// Stops iterations that were told to [listen](ParallelIterator::cancel_on) to it. Clones are the same token.
///
/// ```
/// use heist::{iter::CancelToken, prelude::*};
///
/// let token = CancelToken::new();
/// let stop = token.clone();
/// let seen: Vec<u32> = (0..u32::MAX)
///     .into_par_iter()
///     .cancel_on(&token)
///     .inspect(|&n| if n == 1000 { stop.cancel() })
///     .filter(|n| n % 100 == 0)
///     .collect();
/// assert!(token.is_cancelled());
/// assert!(seen.len() < 42_000_000);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has every iteration that listens to the token stop before its next item. There is no way back.
    pub fn cancel(&self) {
        // ORDERING: a request to stop soon; whoever waits for the iteration learns by `join` that it has.
        self.cancelled.store(true, Relaxed);
    }

    /// Whether it was cancelled. Who asks after an iteration knows by that whether the result may be a part
    /// of the whole.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }
}

/// Stops when its token is cancelled; made by [`ParallelIterator::cancel_on`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone, Debug)]
pub struct CancelOn<I> {
    base: I,
    token: CancelToken,
}

impl<I> CancelOn<I> {
    pub(super) fn new(base: I, token: CancelToken) -> Self {
        CancelOn { base, token }
    }
}

#[derive(Clone, Copy)]
struct Listening<'a>(&'a CancelToken);

impl<T> Apply<T> for Listening<'_> {
    type Out = T;

    #[inline]
    fn apply(&mut self, item: T) -> T {
        item
    }

    #[inline]
    fn apply_all<F: Folder<T>>(&mut self, items: impl Iterator<Item = T>, next: F) -> F {
        next.consume_iter(items.take_while(|_| !self.0.is_cancelled()))
    }

    #[inline]
    fn done(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl<'a, T> Each<T> for Listening<'a> {
    type Out = T;
    type State = Self;
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator> = I;

    #[inline]
    fn state(self) -> Self {
        self
    }

    #[inline]
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> I {
        // Never asked for: an iteration that may stop early has no length, so it is no producer.
        items
    }

    #[inline]
    fn done(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl<I: ParallelIterator> ParallelIterator for CancelOn<I> {
    type Item = I::Item;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(each(consumer, Listening(&self.token)))
    }
}
