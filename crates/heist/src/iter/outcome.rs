//! What the `try_` operations accept: a stable stand-in for [`std::ops::Try`].
//!
//! The trait cannot be named outside the crate, so nobody can implement it, and it can go once the standard
//! library's is stable.

use std::{
    convert::Infallible,
    ops::ControlFlow::{self, Break, Continue},
    task::Poll,
};

/// A value that either goes on or stops: `Option`, `Result`, `ControlFlow`, and `Poll` of a `Result`.
pub trait Try {
    /// What it carries when it goes on.
    type Output;
    /// What it carries when it stops.
    type Residual;

    /// A value that goes on.
    fn from_output(output: Self::Output) -> Self;

    /// A value that stops.
    fn from_residual(residual: Self::Residual) -> Self;

    /// Which of the two it is.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;
}

impl<B, C> Try for ControlFlow<B, C> {
    type Output = C;
    type Residual = ControlFlow<B, Infallible>;

    #[inline]
    fn from_output(output: C) -> Self {
        Continue(output)
    }

    #[inline]
    fn from_residual(residual: Self::Residual) -> Self {
        match residual {
            Break(residual) => Break(residual),
        }
    }

    #[inline]
    fn branch(self) -> ControlFlow<Self::Residual, C> {
        match self {
            Continue(output) => Continue(output),
            Break(residual) => Break(Break(residual)),
        }
    }
}

impl<T> Try for Option<T> {
    type Output = T;
    type Residual = Option<Infallible>;

    #[inline]
    fn from_output(output: T) -> Self {
        Some(output)
    }

    #[inline]
    fn from_residual(_: Self::Residual) -> Self {
        None
    }

    #[inline]
    fn branch(self) -> ControlFlow<Self::Residual, T> {
        match self {
            Some(output) => Continue(output),
            None => Break(None),
        }
    }
}

impl<T, E> Try for Result<T, E> {
    type Output = T;
    type Residual = Result<Infallible, E>;

    #[inline]
    fn from_output(output: T) -> Self {
        Ok(output)
    }

    #[inline]
    fn from_residual(Err(error): Self::Residual) -> Self {
        Err(error)
    }

    #[inline]
    fn branch(self) -> ControlFlow<Self::Residual, T> {
        match self {
            Ok(output) => Continue(output),
            Err(error) => Break(Err(error)),
        }
    }
}

impl<T, E> Try for Poll<Result<T, E>> {
    type Output = Poll<T>;
    type Residual = Result<Infallible, E>;

    #[inline]
    fn from_output(output: Poll<T>) -> Self {
        output.map(Ok)
    }

    #[inline]
    fn from_residual(Err(error): Self::Residual) -> Self {
        Poll::Ready(Err(error))
    }

    #[inline]
    fn branch(self) -> ControlFlow<Self::Residual, Poll<T>> {
        match self {
            Poll::Ready(Ok(output)) => Continue(Poll::Ready(output)),
            Poll::Ready(Err(error)) => Break(Err(error)),
            Poll::Pending => Continue(Poll::Pending),
        }
    }
}

impl<T, E> Try for Poll<Option<Result<T, E>>> {
    type Output = Poll<Option<T>>;
    type Residual = Result<Infallible, E>;

    #[inline]
    fn from_output(output: Poll<Option<T>>) -> Self {
        output.map(|output| output.map(Ok))
    }

    #[inline]
    fn from_residual(Err(error): Self::Residual) -> Self {
        Poll::Ready(Some(Err(error)))
    }

    #[inline]
    fn branch(self) -> ControlFlow<Self::Residual, Poll<Option<T>>> {
        match self {
            Poll::Ready(Some(Ok(output))) => Continue(Poll::Ready(Some(output))),
            Poll::Ready(Some(Err(error))) => Break(Err(error)),
            Poll::Ready(None) => Continue(Poll::Ready(None)),
            Poll::Pending => Continue(Poll::Pending),
        }
    }
}
