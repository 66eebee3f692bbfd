//! [`UnixStream`]: a connection within the machine.

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::UCred;
use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, SocketAddr, WriteHalf};
use crate::{
    io::{Bytes, Evented, Interest, Ready},
    net::{
        methods::stream_methods,
        split,
        stream::{Duplex, impl_async_read, impl_async_write},
    },
};
use std::{
    fmt,
    io::{self, IoSlice, IoSliceMut, Read, Write},
    net::Shutdown,
    path::Path,
    task::{Context, Poll},
};

/// A connection to a program on this machine, to read from and to write to.
///
/// It has the same traits as a [`TcpStream`](crate::net::TcpStream).
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use heist_rt::net::UnixStream;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let (mut left, mut right) = UnixStream::pair()?;
///     left.write_all(b"ping").await?;
///     left.close().await?;
///     let mut text = String::new();
///     right.read_to_string(&mut text).await?;
///     assert_eq!(text, "ping");
///     Ok(())
/// })
/// # }
/// ```
pub struct UnixStream {
    io: Evented<mio::net::UnixStream>,
}

impl UnixStream {
    /// Connects to the listener at a path.
    ///
    /// # Errors
    /// If nobody listens there, or too many wait to be accepted.
    pub async fn connect<P: AsRef<Path>>(path: P) -> io::Result<UnixStream> {
        Self::connecting(mio::net::UnixStream::connect(path)?).await
    }

    /// Connects to the listener at an address, which may be one without a path.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub async fn connect_addr(address: &SocketAddr) -> io::Result<UnixStream> {
        Self::connecting(mio::net::UnixStream::connect_addr(address)?).await
    }

    async fn connecting(io: mio::net::UnixStream) -> io::Result<Self> {
        let stream = Self::new(io)?;
        stream.writable().await?;
        match stream.take_error()? {
            Some(error) => Err(error),
            None => Ok(stream),
        }
    }

    /// Two streams that are connected to each other.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let (left, right) = mio::net::UnixStream::pair()?;
        Ok((Self::new(left)?, Self::new(right)?))
    }

    pub(super) fn new(io: mio::net::UnixStream) -> io::Result<Self> {
        Ok(UnixStream { io: Evented::new(io)? })
    }

    /// Who is at the other side, as the system saw it when they connected.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let (left, _right) = heist_rt::net::UnixStream::pair()?;
    /// assert_eq!(left.peer_cred()?.pid(), Some(std::process::id() as i32));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the system does not say.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn peer_cred(&self) -> io::Result<UCred> {
        UCred::of(self)
    }

    /// From a stream of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(stream: std::os::unix::net::UnixStream) -> io::Result<UnixStream> {
        Self::new(mio::net::UnixStream::from_std(stream))
    }

    /// As a stream of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixStream> {
        self.io.into_inner().map(Into::into)
    }

    stream_methods! {}

    /// Splits it, to read and write at the same time in one task.
    ///
    /// Where `AsyncReadExt` of `futures` is in scope, which has a `split`, too, write
    /// `UnixStream::split(&mut stream)`.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        (split::ReadHalf(self), split::WriteHalf(self))
    }

    /// Splits it, to read in one task and write in another.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        split::into_split(self)
    }
}

impl Duplex for UnixStream {
    type Io = mio::net::UnixStream;

    fn evented(&self) -> &Evented<Self::Io> {
        &self.io
    }
}

impl Bytes for mio::net::UnixStream {
    type Address = SocketAddr;

    fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut &*self, buf)
    }

    fn read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        Read::read_vectored(&mut &*self, bufs)
    }

    #[cfg(feature = "hyper")]
    fn read_uninit(&self, buf: &mut [std::mem::MaybeUninit<u8>]) -> io::Result<usize> {
        self.try_io(|| socket2::SockRef::from(self).recv(buf))
    }

    fn write(&self, buf: &[u8]) -> io::Result<usize> {
        Write::write(&mut &*self, buf)
    }

    fn write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        Write::write_vectored(&mut &*self, bufs)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.shutdown(how)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }

    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.peer_addr()
    }
}

impl_async_read!([] UnixStream);
impl_async_write!([] UnixStream);
impl_async_read!([] & UnixStream);
impl_async_write!([] & UnixStream);

impl TryFrom<std::os::unix::net::UnixStream> for UnixStream {
    type Error = io::Error;

    fn try_from(stream: std::os::unix::net::UnixStream) -> io::Result<Self> {
        Self::from_std(stream)
    }
}

impl fmt::Debug for UnixStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

impl std::os::fd::AsRawFd for UnixStream {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

impl std::os::fd::AsFd for UnixStream {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}
