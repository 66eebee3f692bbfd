//! What adaptors that look at one item after another share: `map`, `filter`, `fold`, `take_any` and their
//! kin.
//!
//! Such an adaptor is a [`Stage`] between a source and a consumer. Wherever the work is cut the stage is
//! cloned, and at each leaf it starts a [`Step`], which gets the items of that leaf and feeds the next
//! folder. From that follow, once for all of them:
//!
//! - [`Staged`], a consumer and a folder in front of another one;
//! - for a stage that turns each item into exactly one ([`Each`]) a consumer that passes indices on, and a
//!   producer behind another one, so that indexed iterators stay indexed.
//!
//! ```text
//!   drive:          base ── drive ──> EachConsumer { next: consumer, stage }
//!   with_producer:  base ── producer ──> EachProducer { base, stage } ──> callback
//! ```

use super::{
    plumbing::{Consumer, Folder, Producer, UnindexedConsumer},
    wrap::Wrap,
};

/// What one leaf does with its items.
pub(super) trait Step<T>: Sized {
    type Out;

    /// Takes an item and feeds what comes of it, if anything, to the next folder.
    fn step<F: Folder<Self::Out>>(&mut self, item: T, next: F) -> F;

    /// Takes items until there are no more or [`Staged::full`] holds.
    #[inline]
    fn step_all<F: Folder<Self::Out>>(&mut self, items: impl Iterator<Item = T>, mut next: F) -> F {
        for item in items {
            next = self.step(item, next);
            if self.done() || next.full() {
                break;
            }
        }
        next
    }

    /// Feeds what is left over when there are no more items.
    #[inline]
    fn finish<F: Folder<Self::Out>>(self, next: F) -> F {
        next
    }

    /// Whether this leaf needs no further items, whatever the next folder says.
    #[inline]
    fn done(&self) -> bool {
        false
    }
}

/// What begins a [`Step`] at each leaf. Most steps just need to be cloned; then [`Plain`] is the stage.
pub(super) trait Stage<T>: Send + Clone {
    type Step: Step<T>;

    fn start(self) -> Self::Step;

    /// Whether no leaf needs further items.
    #[inline]
    fn done(&self) -> bool {
        false
    }
}

/// A step that is its own stage.
#[derive(Clone)]
pub(super) struct Plain<S>(pub(super) S);

impl<T, S: Step<T> + Send + Clone> Stage<T> for Plain<S> {
    type Step = S;

    #[inline]
    fn start(self) -> S {
        self.0
    }

    #[inline]
    fn done(&self) -> bool {
        self.0.done()
    }
}

/// A stage that makes exactly one item of each, and so keeps the length and the order.
pub(super) trait Each<T>: Send + Clone {
    type Out;
    /// One leaf's state.
    type State: Apply<T, Out = Self::Out>;
    /// The items of a leaf, as an iterator.
    type Iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>: DoubleEndedIterator<Item = Self::Out>
        + ExactSizeIterator;

    fn state(self) -> Self::State;
    fn iter<I: DoubleEndedIterator<Item = T> + ExactSizeIterator>(self, items: I) -> Self::Iter<I>;

    /// Whether no leaf needs further items.
    #[inline]
    fn done(&self) -> bool {
        false
    }
}

/// Makes one item of another.
pub(super) trait Apply<T> {
    type Out;

    fn apply(&mut self, item: T) -> Self::Out;

    /// Feeds all items to the next folder; to be overridden along with [`done`](Self::done).
    #[inline]
    fn apply_all<F: Folder<Self::Out>>(&mut self, items: impl Iterator<Item = T>, next: F) -> F {
        next.consume_iter(items.map(|item| self.apply(item)))
    }

    /// Whether this leaf needs no further items, whatever the next folder says.
    #[inline]
    fn done(&self) -> bool {
        false
    }
}

/// The step of an [`Each`].
pub(super) struct Applying<S>(S);

impl<T, S: Apply<T>> Step<T> for Applying<S> {
    type Out = S::Out;

    #[inline]
    fn step<F: Folder<S::Out>>(&mut self, item: T, next: F) -> F {
        next.consume(self.0.apply(item))
    }

    #[inline]
    fn step_all<F: Folder<S::Out>>(&mut self, items: impl Iterator<Item = T>, next: F) -> F {
        self.0.apply_all(items, next)
    }

    #[inline]
    fn done(&self) -> bool {
        self.0.done()
    }
}

/// A stage in front of a consumer, or its step in front of a folder.
pub(super) struct Staged<C, S> {
    pub(super) next: C,
    pub(super) stage: S,
}

#[inline]
pub(super) fn staged<C, S>(next: C, stage: S) -> Staged<C, S> {
    Staged { next, stage }
}

type Out<S, T> = <<S as Stage<T>>::Step as Step<T>>::Out;

/// Items have no indices behind such a stage, so the next consumer is never cut at one.
impl<T, C, S> Consumer<T> for Staged<C, S>
where
    S: Stage<T>,
    C: UnindexedConsumer<Out<S, T>>,
{
    type Folder = Staged<C::Folder, S::Step>;
    type Reducer = C::Reducer;
    type Result = C::Result;

    #[inline]
    fn split_at(self, _index: usize) -> (Self, Self, C::Reducer) {
        let reducer = self.next.to_reducer();
        (self.split_off_left(), self, reducer)
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        staged(self.next.into_folder(), self.stage.start())
    }

    #[inline]
    fn full(&self) -> bool {
        self.stage.done() || self.next.full()
    }
}

impl<T, C, S> UnindexedConsumer<T> for Staged<C, S>
where
    S: Stage<T>,
    C: UnindexedConsumer<Out<S, T>>,
{
    #[inline]
    fn split_off_left(&self) -> Self {
        staged(self.next.split_off_left(), self.stage.clone())
    }

    #[inline]
    fn to_reducer(&self) -> C::Reducer {
        self.next.to_reducer()
    }
}

impl<T, F, S> Folder<T> for Staged<F, S>
where
    S: Step<T>,
    F: Folder<S::Out>,
{
    type Result = F::Result;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.next = self.stage.step(item, self.next);
        self
    }

    #[inline]
    fn consume_iter<I: IntoIterator<Item = T>>(mut self, items: I) -> Self {
        self.next = self.stage.step_all(items.into_iter(), self.next);
        self
    }

    #[inline]
    fn complete(self) -> F::Result {
        self.stage.finish(self.next).complete()
    }

    #[inline]
    fn full(&self) -> bool {
        self.stage.done() || self.next.full()
    }
}

/// A one-to-one stage in front of a consumer.
pub(super) struct EachConsumer<C, E> {
    next: C,
    stage: E,
}

#[inline]
pub(super) fn each<C, E>(next: C, stage: E) -> EachConsumer<C, E> {
    EachConsumer { next, stage }
}

impl<T, C, E> Consumer<T> for EachConsumer<C, E>
where
    E: Each<T>,
    C: Consumer<E::Out>,
{
    type Folder = Staged<C::Folder, Applying<E::State>>;
    type Reducer = C::Reducer;
    type Result = C::Result;

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (left, right, reducer) = self.next.split_at(index);
        (each(left, self.stage.clone()), each(right, self.stage), reducer)
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        staged(self.next.into_folder(), Applying(self.stage.state()))
    }

    #[inline]
    fn full(&self) -> bool {
        self.stage.done() || self.next.full()
    }
}

impl<T, C, E> UnindexedConsumer<T> for EachConsumer<C, E>
where
    E: Each<T>,
    C: UnindexedConsumer<E::Out>,
{
    #[inline]
    fn split_off_left(&self) -> Self {
        each(self.next.split_off_left(), self.stage.clone())
    }

    #[inline]
    fn to_reducer(&self) -> C::Reducer {
        self.next.to_reducer()
    }
}

/// Wraps producers with a one-to-one stage.
pub(super) struct WrapEach<E>(pub(super) E);

impl<T, E: Each<T>> Wrap<T> for WrapEach<E> {
    type Item = E::Out;
    type Producer<P: Producer<Item = T>> = EachProducer<P, E>;

    #[inline]
    fn wrap<P: Producer<Item = T>>(self, base: P) -> EachProducer<P, E> {
        EachProducer { base, stage: self.0 }
    }
}

/// A producer behind another one, with a one-to-one stage in between.
pub(super) struct EachProducer<P, E> {
    base: P,
    stage: E,
}

impl<P: Producer, E: Each<P::Item>> Producer for EachProducer<P, E> {
    type Item = E::Out;
    type IntoIter = E::Iter<P::IntoIter>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.stage.iter(self.base.into_iter())
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(index);
        let stage = self.stage.clone();
        (EachProducer { base: left, stage }, EachProducer { base: right, stage: self.stage })
    }

    #[inline]
    fn fold_with<F: Folder<E::Out>>(self, next: F) -> F {
        self.base.fold_with(staged(next, Applying(self.stage.state()))).next
    }
}

/// The iterator of an [`Each`] for which the standard library has none.
pub(super) struct ApplyIter<I, S> {
    items: I,
    state: S,
}

impl<I, S> ApplyIter<I, S> {
    pub(super) fn new(items: I, state: S) -> Self {
        ApplyIter { items, state }
    }
}

impl<I: Iterator, S: Apply<I::Item>> Iterator for ApplyIter<I, S> {
    type Item = S::Out;

    #[inline]
    fn next(&mut self) -> Option<S::Out> {
        Some(self.state.apply(self.items.next()?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, S::Out) -> B>(mut self, init: B, mut f: F) -> B {
        self.items.fold(init, |acc, item| f(acc, self.state.apply(item)))
    }
}

impl<I: DoubleEndedIterator, S: Apply<I::Item>> DoubleEndedIterator for ApplyIter<I, S> {
    #[inline]
    fn next_back(&mut self) -> Option<S::Out> {
        Some(self.state.apply(self.items.next_back()?))
    }
}

impl<I: ExactSizeIterator, S: Apply<I::Item>> ExactSizeIterator for ApplyIter<I, S> {}
