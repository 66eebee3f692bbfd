//! [`TcpStream`]: a connection.

use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use crate::{
    io::{Bytes, Evented, Interest, Ready},
    net::{
        ToSocketAddrs,
        lookup::with_each,
        methods::stream_methods,
        split,
        stream::{Duplex, impl_async_read, impl_async_write},
    },
};
use socket2::SockRef;
use std::{
    fmt,
    io::{self, IoSlice, IoSliceMut, Read, Write},
    net::{Shutdown, SocketAddr},
    task::{Context, Poll},
    time::Duration,
};

/// A connection, to read from and to write to.
///
/// It has `AsyncRead` and `AsyncWrite` of `futures-io`, as has a reference to it; with the feature `tokio-io`
/// also those of Tokio, with the feature `hyper` `Read` and `Write` of hyper. Dropping it closes the
/// connection; `close` (`shutdown`, with Tokio's and hyper's traits) only the way out.
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use heist_rt::net::{TcpListener, TcpStream};
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let listener = TcpListener::bind("127.0.0.1:0").await?;
///     let mut client = TcpStream::connect(listener.local_addr()?).await?;
///     let (mut server, _) = listener.accept().await?;
///
///     client.write_all(b"ping").await?;
///     client.close().await?;
///     let mut text = String::new();
///     server.read_to_string(&mut text).await?;
///     assert_eq!(text, "ping");
///     Ok(())
/// })
/// # }
/// ```
pub struct TcpStream {
    io: Evented<mio::net::TcpStream>,
}

impl TcpStream {
    /// Connects to the first of the addresses that answers.
    ///
    /// # Errors
    /// If none does: that of the last one.
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<TcpStream> {
        with_each(addr, async |address| Self::connecting(mio::net::TcpStream::connect(address)?).await).await
    }

    pub(super) fn new(io: mio::net::TcpStream) -> io::Result<Self> {
        Ok(TcpStream { io: Evented::draining(io)? })
    }

    /// Waits for a connection that has been asked for.
    pub(super) async fn connecting(io: mio::net::TcpStream) -> io::Result<Self> {
        let stream = Self::new(io)?;
        let connected = |io: &mio::net::TcpStream| match io.take_error()? {
            Some(error) => Err(error),
            // Writable for nothing, as long as there is nobody at the other side.
            None => match io.peer_addr() {
                Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                    Err(io::ErrorKind::WouldBlock.into())
                }
                result => result,
            },
        };
        stream.io.write_with(connected).await?;
        Ok(stream)
    }

    /// From a stream of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(stream: std::net::TcpStream) -> io::Result<TcpStream> {
        Self::new(mio::net::TcpStream::from_std(stream))
    }

    /// As a stream of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::net::TcpStream> {
        self.io.into_inner().map(Into::into)
    }

    stream_methods! {
        /// ```
        /// use heist_rt::{io::Interest, net::{TcpListener, TcpStream}};
        ///
        /// # fn main() -> std::io::Result<()> {
        /// heist_rt::block_on(async {
        ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
        ///     let stream = TcpStream::connect(listener.local_addr()?).await?;
        ///     let ready = stream.ready(Interest::READABLE | Interest::WRITABLE).await?;
        ///     assert!(ready.is_writable() && !ready.is_readable());
        ///     Ok(())
        /// })
        /// # }
        /// ```
        ///
    }

    /// Reads without taking it out: the next one reads the same.
    ///
    /// # Errors
    /// If the system says so.
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.read_with(|io| io.peek(buf)).await
    }

    /// As [`peek`](Self::peek). The last one who polled for reading is woken.
    ///
    /// # Errors
    /// If the system says so.
    pub fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_in(cx, |io| io.peek(buf))
    }

    /// Whether small packets are sent at once.
    ///
    /// # Errors
    /// If the system says so.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.io.nodelay()
    }

    /// Says whether small packets are sent at once, rather than gathered (Nagle's algorithm).
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.io.set_nodelay(nodelay)
    }

    /// How many hops its packets live.
    ///
    /// # Errors
    /// If the system says so.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Says how many hops its packets live.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// How long closing waits for what was not sent.
    ///
    /// # Errors
    /// If the system says so.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        SockRef::from(&*self.io).linger()
    }

    /// Says how long closing waits for what was not sent. With zero the connection is reset. Other times
    /// block the thread that drops the stream.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        SockRef::from(&*self.io).set_linger(linger)
    }

    /// Resets the connection when it is closed. Unlike other times with [`set_linger`](Self::set_linger) this
    /// never blocks.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }

    /// Splits it, to read and write at the same time in one task.
    ///
    /// Where `AsyncReadExt` of `futures` is in scope, which has a `split`, too, write
    /// `TcpStream::split(&mut stream)`.
    ///
    /// ```
    /// use futures::{AsyncReadExt, AsyncWriteExt, future::join};
    /// use heist_rt::net::{TcpListener, TcpStream};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
    ///     let mut client = TcpStream::connect(listener.local_addr()?).await?;
    ///     let (mut server, _) = listener.accept().await?;
    ///     server.write_all(b"from the server").await?;
    ///
    ///     let (mut reader, mut writer) = TcpStream::split(&mut client);
    ///     let mut buf = [0; 15];
    ///     let (read, written) = join(reader.read_exact(&mut buf), writer.write_all(b"answer")).await;
    ///     read?;
    ///     written?;
    ///     assert_eq!(&buf, b"from the server");
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        (split::ReadHalf(self), split::WriteHalf(self))
    }

    /// Splits it, to read in one task and write in another.
    ///
    /// ```
    /// use futures::{AsyncReadExt, AsyncWriteExt};
    /// use heist_rt::{net::{TcpListener, TcpStream}, task};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
    ///     let client = TcpStream::connect(listener.local_addr()?).await?;
    ///     let (server, _) = listener.accept().await?;
    ///     let echo = task::spawn(async move { futures::io::copy(&server, &mut &server).await });
    ///
    ///     let (mut reader, mut writer) = client.into_split();
    ///     let writes = task::spawn(async move { writer.write_all(b"echo").await });
    ///     let mut text = String::new();
    ///     reader.read_to_string(&mut text).await?;
    ///     assert_eq!(text, "echo");
    ///     writes.await??;
    ///     assert_eq!(echo.await??, 4);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        split::into_split(self)
    }
}

impl OwnedReadHalf {
    /// Reads without taking it out; see [`TcpStream::peek`].
    ///
    /// # Errors
    /// If the system says so.
    pub async fn peek(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.as_ref().peek(buf).await
    }

    /// As [`peek`](Self::peek). The last one who polled for reading is woken.
    ///
    /// # Errors
    /// If the system says so.
    pub fn poll_peek(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.as_ref().poll_peek(cx, buf)
    }
}

impl ReadHalf<'_> {
    /// Reads without taking it out; see [`TcpStream::peek`].
    ///
    /// # Errors
    /// If the system says so.
    pub async fn peek(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.peek(buf).await
    }

    /// As [`peek`](Self::peek). The last one who polled for reading is woken.
    ///
    /// # Errors
    /// If the system says so.
    pub fn poll_peek(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.poll_peek(cx, buf)
    }
}

impl Duplex for TcpStream {
    type Io = mio::net::TcpStream;

    fn evented(&self) -> &Evented<Self::Io> {
        &self.io
    }
}

impl Bytes for mio::net::TcpStream {
    type Address = SocketAddr;

    fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut &*self, buf)
    }

    fn read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        Read::read_vectored(&mut &*self, bufs)
    }

    #[cfg(feature = "hyper")]
    fn read_uninit(&self, buf: &mut [std::mem::MaybeUninit<u8>]) -> io::Result<usize> {
        self.try_io(|| SockRef::from(self).recv(buf))
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

impl_async_read!([] TcpStream);
impl_async_write!([] TcpStream);
impl_async_read!([] & TcpStream);
impl_async_write!([] & TcpStream);

impl TryFrom<std::net::TcpStream> for TcpStream {
    type Error = io::Error;

    fn try_from(stream: std::net::TcpStream) -> io::Result<Self> {
        Self::from_std(stream)
    }
}

impl fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for TcpStream {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for TcpStream {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}
