//! [`UnixStream`]: a connection within the machine.

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::UCred;
use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, SocketAddr, WriteHalf};
use crate::{
    io::{Bytes, Evented, Interest, Ready},
    net::{
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

    /// Where it is bound to.
    ///
    /// # Errors
    /// If the system says so.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// Where it is connected to.
    ///
    /// # Errors
    /// If it is not any more.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.io.peer_addr()
    }

    /// What has gone wrong since the last call.
    ///
    /// # Errors
    /// If the system cannot say.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }

    /// Waits until it is ready for something of `interest`, and says for what.
    ///
    /// It may turn out not to be so. Nothing is lost if the future is dropped.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.io.ready(interest).await
    }

    /// Waits until there is something to read, or the end of it. For any number of tasks.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn readable(&self) -> io::Result<()> {
        self.io.readable().await
    }

    /// As [`readable`](Self::readable). The last one who polled for reading is woken.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io.poll_read_ready(cx)
    }

    /// Waits until there is room to write, or the other side takes no more. For any number of tasks.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn writable(&self) -> io::Result<()> {
        self.io.writable().await
    }

    /// As [`writable`](Self::writable). The last one who polled for writing is woken.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io.poll_write_ready(cx)
    }

    /// Reads what there is. Zero is the end.
    ///
    /// # Errors
    /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is nothing; or if the system says so.
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.try_read(buf)
    }

    /// Reads what there is, into several buffers.
    ///
    /// # Errors
    /// As [`try_read`](Self::try_read).
    pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.io.try_read_vectored(bufs)
    }

    /// Writes as much as there is room for.
    ///
    /// # Errors
    /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none; or if the system says so.
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.io.try_write(buf)
    }

    /// Writes as much as there is room for, out of several buffers.
    ///
    /// # Errors
    /// As [`try_write`](Self::try_write).
    pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.io.try_write_vectored(bufs)
    }

    /// Tries something with the socket, if it is ready for it. If `f` fails with
    /// [`WouldBlock`](io::ErrorKind::WouldBlock), it is not ready any more.
    ///
    /// # Errors
    /// That of `f`; [`WouldBlock`](io::ErrorKind::WouldBlock) if it is not ready.
    pub fn try_io<R>(&self, interest: Interest, f: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.io.try_io(interest, |io| io.try_io(f))
    }

    /// Tries something with the socket whenever it is ready for it, until that does not fail with
    /// [`WouldBlock`](io::ErrorKind::WouldBlock).
    ///
    /// # Errors
    /// That of `f`.
    pub async fn async_io<R>(
        &self,
        interest: Interest,
        mut f: impl FnMut() -> io::Result<R>,
    ) -> io::Result<R> {
        self.io.async_io(interest, |io| io.try_io(&mut f)).await
    }

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
