//! TCP: streams of bytes between two programs, wherever they run.

mod listener;
mod socket;
mod stream;

pub use {
    listener::{Incoming, TcpListener},
    socket::TcpSocket,
    stream::TcpStream,
};

use super::split;

/// The half of a [`TcpStream`] that reads, borrowed; made by [`TcpStream::split`].
pub type ReadHalf<'a> = split::ReadHalf<'a, TcpStream>;
/// The half of a [`TcpStream`] that writes, borrowed; made by [`TcpStream::split`].
pub type WriteHalf<'a> = split::WriteHalf<'a, TcpStream>;
/// The half of a [`TcpStream`] that reads; made by [`TcpStream::into_split`].
pub type OwnedReadHalf = split::OwnedReadHalf<TcpStream>;
/// The half of a [`TcpStream`] that writes; made by [`TcpStream::into_split`].
pub type OwnedWriteHalf = split::OwnedWriteHalf<TcpStream>;
/// Two halves that were to be one [`TcpStream`] again are of different ones.
pub type ReuniteError = split::ReuniteError<TcpStream>;
