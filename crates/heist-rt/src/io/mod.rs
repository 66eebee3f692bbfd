//! What sockets are made of: [readiness](Ready), what one can be [interested](Interest) in, and descriptors
//! of one's own to wait for ([`AsyncFd`]).
//!
//! A socket of [`net`](crate::net), or a descriptor in an [`AsyncFd`], is registered with the runtime that
//! the thread is in when it is made, the global one outside of any. Whatever task waits for it, in whatever
//! runtime: it is woken by that one. When that runtime has ended, everything that would wait for the socket
//! fails with an error.
//!
//! For reading and writing the streams have the traits of `futures-io`, so the extensions of `futures` or
//! `futures-lite` work on them; with the feature `tokio-io` also those of Tokio, and with the feature `hyper`
//! those that hyper asks for.
//!
//! One task at a time can wait in each direction by `poll_*` methods and by those traits. What is an
//! `async fn` with `&self` may be awaited by any number.

#[cfg(unix)]
mod async_fd;
mod evented;
mod registration;

pub(crate) use {
    evented::{Bytes, Evented},
    registration::Registration,
};

pub use crate::readiness::{Interest, Ready};

#[cfg(unix)]
pub use async_fd::{AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError};
