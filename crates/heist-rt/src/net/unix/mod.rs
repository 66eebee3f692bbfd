//! Sockets of Unix: between programs on one machine.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod cred;
mod datagram;
mod listener;
mod stream;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub use cred::UCred;
pub use {
    datagram::UnixDatagram,
    listener::{Incoming, UnixListener},
    stream::UnixStream,
};

#[doc(no_inline)]
pub use std::os::unix::net::SocketAddr;

use super::split;

/// The half of a [`UnixStream`] that reads, borrowed; made by [`UnixStream::split`].
pub type ReadHalf<'a> = split::ReadHalf<'a, UnixStream>;
/// The half of a [`UnixStream`] that writes, borrowed; made by [`UnixStream::split`].
pub type WriteHalf<'a> = split::WriteHalf<'a, UnixStream>;
/// The half of a [`UnixStream`] that reads; made by [`UnixStream::into_split`].
pub type OwnedReadHalf = split::OwnedReadHalf<UnixStream>;
/// The half of a [`UnixStream`] that writes; made by [`UnixStream::into_split`].
pub type OwnedWriteHalf = split::OwnedWriteHalf<UnixStream>;
/// Two halves that were to be one [`UnixStream`] again are of different ones.
pub type ReuniteError = split::ReuniteError<UnixStream>;
