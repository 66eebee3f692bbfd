//! The halves of a stream: one reads, the other writes, so that two can do so at once.
//!
//! Those of TCP and of Unix are the same; [`tcp`](super::tcp) and `unix` name them.

use super::stream::{Duplex, impl_async_read, impl_async_write};
use crate::{
    io::{Bytes, Evented, Interest, Ready},
    sync::Arc,
};
use std::{
    error::Error,
    fmt,
    io::{self, IoSlice, IoSliceMut},
    mem,
};

/// The half that reads, of a stream that is borrowed.
#[derive(Debug)]
pub struct ReadHalf<'a, S>(pub(super) &'a S);

/// The half that writes, of a stream that is borrowed. Dropping it does not close anything.
#[derive(Debug)]
pub struct WriteHalf<'a, S>(pub(super) &'a S);

/// The half that reads, and owns the stream together with the other one.
#[derive(Debug)]
pub struct OwnedReadHalf<S>(Arc<S>);

/// The half that writes, and owns the stream together with the other one.
///
/// Dropping it shuts down the way out: the other side reads the end. [`forget`](Self::forget) does not.
#[derive(Debug)]
pub struct OwnedWriteHalf<S: Duplex> {
    stream: Arc<S>,
    shuts_down: bool,
}

/// The two halves are not of the same stream. Gives them back.
#[derive(Debug)]
pub struct ReuniteError<S: Duplex>(
    /// The one that reads.
    pub OwnedReadHalf<S>,
    /// The one that writes.
    pub OwnedWriteHalf<S>,
);

impl<S: Duplex> fmt::Display for ReuniteError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the two halves are of different streams")
    }
}

impl<S: Duplex + fmt::Debug> Error for ReuniteError<S> {}

pub(super) fn into_split<S: Duplex>(stream: S) -> (OwnedReadHalf<S>, OwnedWriteHalf<S>) {
    let stream = Arc::new(stream);
    (OwnedReadHalf(stream.clone()), OwnedWriteHalf { stream, shuts_down: true })
}

fn reunite<S: Duplex>(read: OwnedReadHalf<S>, mut write: OwnedWriteHalf<S>) -> Result<S, ReuniteError<S>> {
    if !Arc::ptr_eq(&read.0, &write.stream) {
        return Err(ReuniteError(read, write));
    }
    write.shuts_down = false;
    drop(write);
    Ok(Arc::into_inner(read.0).expect("there are two halves, and this is the last one"))
}

impl<S: Duplex> ReadHalf<'_, S> {
    fn evented(&self) -> &Evented<S::Io> {
        self.0.evented()
    }
}

impl<S: Duplex> WriteHalf<'_, S> {
    fn evented(&self) -> &Evented<S::Io> {
        self.0.evented()
    }
}

impl<S: Duplex> OwnedReadHalf<S> {
    fn evented(&self) -> &Evented<S::Io> {
        self.0.evented()
    }

    /// Puts the two halves together again.
    ///
    /// # Errors
    /// If they are of different streams.
    pub fn reunite(self, other: OwnedWriteHalf<S>) -> Result<S, ReuniteError<S>> {
        reunite(self, other)
    }
}

impl<S: Duplex> OwnedWriteHalf<S> {
    fn evented(&self) -> &Evented<S::Io> {
        self.stream.evented()
    }

    /// Puts the two halves together again.
    ///
    /// # Errors
    /// If they are of different streams.
    pub fn reunite(self, other: OwnedReadHalf<S>) -> Result<S, ReuniteError<S>> {
        reunite(other, self)
    }

    /// Drops this half without shutting down the way out. The stream is closed when the other half is
    /// dropped.
    pub fn forget(mut self) {
        self.shuts_down = false;
    }
}

impl<S: Duplex> Drop for OwnedWriteHalf<S> {
    fn drop(&mut self) {
        if mem::take(&mut self.shuts_down) {
            // Nobody is there to hear of an error.
            let _ = self.evented().close();
        }
    }
}

impl<S: Duplex> AsRef<S> for ReadHalf<'_, S> {
    fn as_ref(&self) -> &S {
        self.0
    }
}

impl<S: Duplex> AsRef<S> for WriteHalf<'_, S> {
    fn as_ref(&self) -> &S {
        self.0
    }
}

impl<S: Duplex> AsRef<S> for OwnedReadHalf<S> {
    fn as_ref(&self) -> &S {
        &self.0
    }
}

impl<S: Duplex> AsRef<S> for OwnedWriteHalf<S> {
    fn as_ref(&self) -> &S {
        &self.stream
    }
}

/// The methods of a half that reads.
macro_rules! impl_reading {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            /// Where it was connected to.
            ///
            /// # Errors
            /// If the system says so.
            pub fn peer_addr(&self) -> io::Result<<S::Io as Bytes>::Address> {
                self.evented().peer_addr()
            }

            /// Where it is bound to.
            ///
            /// # Errors
            /// If the system says so.
            pub fn local_addr(&self) -> io::Result<<S::Io as Bytes>::Address> {
                self.evented().local_addr()
            }

            /// What is ready of `interest`, when something is.
            ///
            /// # Errors
            /// If the runtime has ended.
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                self.evented().ready(interest).await
            }

            /// Waits until there is something to read, or the end of it.
            ///
            /// # Errors
            /// If the runtime has ended.
            pub async fn readable(&self) -> io::Result<()> {
                self.evented().readable().await
            }

            /// Reads what there is.
            ///
            /// # Errors
            /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is nothing; or if the system says so.
            pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
                self.evented().try_read(buf)
            }

            /// Reads what there is, into several buffers.
            ///
            /// # Errors
            /// As [`try_read`](Self::try_read).
            pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
                self.evented().try_read_vectored(bufs)
            }
        }

        impl_async_read!([$($generics)*] $type);
    };
}

/// The methods of a half that writes.
macro_rules! impl_writing {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            /// Where it was connected to.
            ///
            /// # Errors
            /// If the system says so.
            pub fn peer_addr(&self) -> io::Result<<S::Io as Bytes>::Address> {
                self.evented().peer_addr()
            }

            /// Where it is bound to.
            ///
            /// # Errors
            /// If the system says so.
            pub fn local_addr(&self) -> io::Result<<S::Io as Bytes>::Address> {
                self.evented().local_addr()
            }

            /// What is ready of `interest`, when something is.
            ///
            /// # Errors
            /// If the runtime has ended.
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                self.evented().ready(interest).await
            }

            /// Waits until there is room to write, or the other side takes no more.
            ///
            /// # Errors
            /// If the runtime has ended.
            pub async fn writable(&self) -> io::Result<()> {
                self.evented().writable().await
            }

            /// Writes as much as there is room for.
            ///
            /// # Errors
            /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none; or if the system says so.
            pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
                self.evented().try_write(buf)
            }

            /// Writes as much as there is room for, out of several buffers.
            ///
            /// # Errors
            /// As [`try_write`](Self::try_write).
            pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
                self.evented().try_write_vectored(bufs)
            }
        }

        impl_async_write!([$($generics)*] $type);
    };
}

impl_reading!(['a, S: Duplex] ReadHalf<'a, S>);
impl_reading!([S: Duplex] OwnedReadHalf<S>);
impl_writing!(['a, S: Duplex] WriteHalf<'a, S>);
impl_writing!([S: Duplex] OwnedWriteHalf<S>);
