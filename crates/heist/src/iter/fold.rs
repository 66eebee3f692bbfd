//! Adaptors that fold the items of each piece to one: `fold`, `fold_with`, `try_fold`, `try_fold_with`.

use super::{
    ParallelIterator,
    outcome::Try,
    plumbing::{Folder, UnindexedConsumer},
    stage::{Plain, Stage, Step, staged},
};
use std::{
    fmt::{self, Debug},
    marker::PhantomData,
    ops::ControlFlow::{self, Break, Continue},
};

/// Folds each piece, starting from a value that a function makes; made by [`ParallelIterator::fold`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct Fold<I, ID, F> {
    base: I,
    identity: ID,
    op: F,
}

impl<I, ID, F> Fold<I, ID, F> {
    pub(super) fn new(base: I, identity: ID, op: F) -> Self {
        Fold { base, identity, op }
    }
}

impl<I: Debug, ID, F> Debug for Fold<I, ID, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fold").field("base", &self.base).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct FoldStage<ID, F> {
    identity: ID,
    op: F,
}

impl<'f, T, U, ID, F> Stage<T> for FoldStage<&'f ID, &'f F>
where
    ID: Fn() -> U + Sync,
    F: Fn(U, T) -> U + Sync,
{
    type Step = Folding<U, &'f F>;

    #[inline]
    fn start(self) -> Self::Step {
        Folding { value: Some((self.identity)()), op: self.op }
    }
}

/// Folds one piece. Cloned before it starts, it is the stage of `fold_with`.
#[derive(Clone)]
struct Folding<U, F> {
    /// None only while `op` has it, or after it has panicked.
    value: Option<U>,
    op: F,
}

impl<T, U, F: Fn(U, T) -> U> Step<T> for Folding<U, &F> {
    type Out = U;

    #[inline]
    fn step<G: Folder<U>>(&mut self, item: T, next: G) -> G {
        self.value = self.value.take().map(|value| (self.op)(value, item));
        next
    }

    #[inline]
    fn step_all<G: Folder<U>>(&mut self, items: impl Iterator<Item = T>, next: G) -> G {
        if let Some(mut value) = self.value.take() {
            for item in items {
                value = (self.op)(value, item);
                if next.full() {
                    break;
                }
            }
            self.value = Some(value);
        }
        next
    }

    #[inline]
    fn finish<G: Folder<U>>(self, next: G) -> G {
        match self.value {
            Some(value) => next.consume(value),
            None => next,
        }
    }
}

impl<U, I, ID, F> ParallelIterator for Fold<I, ID, F>
where
    I: ParallelIterator,
    F: Fn(U, I::Item) -> U + Sync + Send,
    ID: Fn() -> U + Sync + Send,
    U: Send,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        let stage = FoldStage { identity: &self.identity, op: &self.op };
        self.base.drive_unindexed(staged(consumer, stage))
    }
}

/// Folds each piece, starting from a clone of a value; made by [`ParallelIterator::fold_with`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct FoldWith<I, U, F> {
    base: I,
    item: U,
    op: F,
}

impl<I, U, F> FoldWith<I, U, F> {
    pub(super) fn new(base: I, item: U, op: F) -> Self {
        FoldWith { base, item, op }
    }
}

impl<I: Debug, U: Debug, F> Debug for FoldWith<I, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoldWith").field("base", &self.base).field("item", &self.item).finish_non_exhaustive()
    }
}

impl<U, I, F> ParallelIterator for FoldWith<I, U, F>
where
    I: ParallelIterator,
    F: Fn(U, I::Item) -> U + Sync + Send,
    U: Send + Clone,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, Plain(Folding { value: Some(self.item), op: &self.op })))
    }
}

/// Folds each piece until that fails, starting from a value that a function makes; made by
/// [`ParallelIterator::try_fold`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct TryFold<I, U, ID, F> {
    base: I,
    identity: ID,
    op: F,
    marker: PhantomData<U>,
}

impl<I, U, ID, F> TryFold<I, U, ID, F> {
    pub(super) fn new(base: I, identity: ID, op: F) -> Self {
        TryFold { base, identity, op, marker: PhantomData }
    }
}

impl<I: Debug, U, ID, F> Debug for TryFold<I, U, ID, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFold").field("base", &self.base).finish_non_exhaustive()
    }
}

/// Folds one piece until that fails.
struct TryFolding<'f, U: Try, F> {
    /// None only while `op` has it, or after it has panicked.
    value: Option<ControlFlow<U::Residual, U::Output>>,
    op: &'f F,
}

impl<T, U: Try, F: Fn(U::Output, T) -> U> Step<T> for TryFolding<'_, U, F> {
    type Out = U;

    #[inline]
    fn step<G: Folder<U>>(&mut self, item: T, next: G) -> G {
        self.value = match self.value.take() {
            Some(Continue(value)) => Some((self.op)(value, item).branch()),
            failed => failed,
        };
        next
    }

    #[inline]
    fn finish<G: Folder<U>>(self, next: G) -> G {
        match self.value {
            Some(Continue(value)) => next.consume(U::from_output(value)),
            Some(Break(residual)) => next.consume(U::from_residual(residual)),
            None => next,
        }
    }

    #[inline]
    fn done(&self) -> bool {
        matches!(self.value, Some(Break(_)))
    }
}

struct TryFoldStage<'f, U, ID, F> {
    identity: &'f ID,
    op: &'f F,
    marker: PhantomData<fn() -> U>,
}

impl<U, ID, F> Clone for TryFoldStage<'_, U, ID, F> {
    fn clone(&self) -> Self {
        TryFoldStage { ..*self }
    }
}

impl<'f, T, U, ID, F> Stage<T> for TryFoldStage<'f, U, ID, F>
where
    U: Try,
    ID: Fn() -> U::Output + Sync,
    F: Fn(U::Output, T) -> U + Sync,
{
    type Step = TryFolding<'f, U, F>;

    #[inline]
    fn start(self) -> Self::Step {
        TryFolding { value: Some(Continue((self.identity)())), op: self.op }
    }
}

impl<U, I, ID, F> ParallelIterator for TryFold<I, U, ID, F>
where
    I: ParallelIterator,
    F: Fn(U::Output, I::Item) -> U + Sync + Send,
    ID: Fn() -> U::Output + Sync + Send,
    U: Try + Send,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        let stage = TryFoldStage { identity: &self.identity, op: &self.op, marker: PhantomData };
        self.base.drive_unindexed(staged(consumer, stage))
    }
}

/// Folds each piece until that fails, starting from a clone of a value; made by
/// [`ParallelIterator::try_fold_with`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct TryFoldWith<I, U: Try, F> {
    base: I,
    item: U::Output,
    op: F,
}

impl<I, U: Try, F> TryFoldWith<I, U, F> {
    pub(super) fn new(base: I, item: U::Output, op: F) -> Self {
        TryFoldWith { base, item, op }
    }
}

impl<I: Debug, U: Try<Output: Debug>, F> Debug for TryFoldWith<I, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFoldWith")
            .field("base", &self.base)
            .field("item", &self.item)
            .finish_non_exhaustive()
    }
}

struct TryFoldWithStage<'f, U: Try, F> {
    item: U::Output,
    op: &'f F,
}

impl<U: Try<Output: Clone>, F> Clone for TryFoldWithStage<'_, U, F> {
    fn clone(&self) -> Self {
        TryFoldWithStage { item: self.item.clone(), op: self.op }
    }
}

impl<'f, T, U, F> Stage<T> for TryFoldWithStage<'f, U, F>
where
    U: Try<Output: Clone + Send>,
    F: Fn(U::Output, T) -> U + Sync,
{
    type Step = TryFolding<'f, U, F>;

    #[inline]
    fn start(self) -> Self::Step {
        TryFolding { value: Some(Continue(self.item)), op: self.op }
    }
}

impl<U, I, F> ParallelIterator for TryFoldWith<I, U, F>
where
    I: ParallelIterator,
    F: Fn(U::Output, I::Item) -> U + Sync + Send,
    U: Try<Output: Clone + Send> + Send,
{
    type Item = U;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<U>>(self, consumer: C) -> C::Result {
        self.base.drive_unindexed(staged(consumer, TryFoldWithStage { item: self.item, op: &self.op }))
    }
}
