//! [`TcpListener`]: where connections come in.

use super::{TcpSocket, TcpStream};
use crate::{
    io::{Evented, Interest},
    net::{ToSocketAddrs, lookup::with_each},
};
use futures_core::Stream;
use std::{
    fmt, io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
};

/// A socket that takes connections.
///
/// ```
/// use futures::AsyncReadExt;
/// use heist_rt::net::{TcpListener, TcpStream};
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let listener = TcpListener::bind("127.0.0.1:0").await?;
///     let client = TcpStream::connect(listener.local_addr()?).await?;
///     let (mut server, address) = listener.accept().await?;
///     assert_eq!(address, client.local_addr()?);
///     drop(client);
///     assert_eq!(server.read(&mut [0; 8]).await?, 0);
///     Ok(())
/// })
/// # }
/// ```
pub struct TcpListener {
    io: Evented<mio::net::TcpListener>,
}

impl TcpListener {
    /// How many connections wait to be accepted at most, unless a [`TcpSocket`] says otherwise.
    const BACKLOG: u32 = 1024;

    /// A listener at the first of the addresses that can be bound. With port 0 the system chooses one.
    ///
    /// The address may be in use by connections of a former listener that are being closed (`SO_REUSEADDR`,
    /// not on Windows).
    ///
    /// # Errors
    /// If no address can be bound: that of the last one.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<TcpListener> {
        with_each(addr, async |address| {
            let socket = TcpSocket::new(address)?;
            #[cfg(not(windows))]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(Self::BACKLOG)
        })
        .await
    }

    fn new(io: mio::net::TcpListener) -> io::Result<Self> {
        Ok(TcpListener { io: Evented::with_interest(io, Interest::READABLE)? })
    }

    /// Waits for a connection.
    ///
    /// Nothing is lost if the future is dropped.
    ///
    /// # Errors
    /// If the connection is gone already, or the process has too many descriptors open. The listener stays
    /// usable, and the next call tries again at once. So a server should not end because of an error, and
    /// should wait a little before it goes on, for others to close something:
    ///
    /// ```
    /// use heist_rt::{net::{TcpListener, TcpStream}, task, time::sleep};
    /// use std::{io, time::Duration};
    ///
    /// async fn serve(listener: TcpListener, handle: impl Fn(TcpStream)) {
    ///     loop {
    ///         match listener.accept().await {
    ///             Ok((stream, _)) => handle(stream),
    ///             // Its peer has given up; the next one has not.
    ///             Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
    ///             // Out of descriptors, perhaps.
    ///             Err(_) => sleep(Duration::from_millis(50)).await,
    ///         }
    ///     }
    /// }
    /// # heist_rt::block_on(async {
    /// #     let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    /// #     let address = listener.local_addr().unwrap();
    /// #     let (sender, receiver) = async_channel::unbounded();
    /// #     let server = task::spawn(serve(listener, move |stream| sender.try_send(stream).unwrap()));
    /// #     let client = TcpStream::connect(address).await.unwrap();
    /// #     let stream = receiver.recv().await.unwrap();
    /// #     assert_eq!(stream.peer_addr().unwrap(), client.local_addr().unwrap());
    /// #     server.abort();
    /// # });
    /// ```
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, address) = self.io.read_with(|io| io.accept()).await?;
        Ok((TcpStream::new(stream)?, address))
    }

    /// As [`accept`](Self::accept). The last one who polled is woken.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        self.io.poll_in(cx, |io| io.accept()).map(|accepted| {
            let (stream, address) = accepted?;
            Ok((TcpStream::new(stream)?, address))
        })
    }

    /// The connections, as a stream that never ends. One at a time can poll such streams of a listener.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use heist_rt::net::{TcpListener, TcpStream};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
    ///     let address = listener.local_addr()?;
    ///     let clients = [TcpStream::connect(address).await?, TcpStream::connect(address).await?];
    ///     let streams: Vec<_> = listener.incoming().take(2).collect().await;
    ///     assert!(streams.iter().all(|stream| stream.is_ok()));
    ///     # drop(clients);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming(self)
    }

    /// From a listener of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<TcpListener> {
        Self::new(mio::net::TcpListener::from_std(listener))
    }

    /// As a listener of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::net::TcpListener> {
        self.io.into_inner().map(Into::into)
    }

    /// Where it is bound to.
    ///
    /// # Errors
    /// If the system says so.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
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
}

impl TryFrom<std::net::TcpListener> for TcpListener {
    type Error = io::Error;

    fn try_from(listener: std::net::TcpListener) -> io::Result<Self> {
        Self::from_std(listener)
    }
}

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for TcpListener {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for TcpListener {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}

/// The connections of a listener; made by [`TcpListener::incoming`].
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct Incoming<'a>(&'a TcpListener);

impl Stream for Incoming<'_> {
    type Item = io::Result<TcpStream>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
    }
}
