//! [`UnixListener`]: where connections from within the machine come in.

use super::{SocketAddr, UnixStream};
use crate::io::{Evented, Interest};
use futures_core::Stream;
use std::{
    fmt, io,
    path::Path,
    pin::Pin,
    task::{Context, Poll},
};

/// A socket that takes connections from programs on this machine.
///
/// Its path stays when it is dropped, and has to be removed before it can be bound again.
///
/// ```
/// use heist_rt::net::{UnixListener, UnixStream};
///
/// # fn main() -> std::io::Result<()> {
/// let path = std::env::temp_dir().join(format!("heist-doc-{}", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
/// heist_rt::block_on(async {
///     let listener = UnixListener::bind(&path)?;
///     let client = UnixStream::connect(&path).await?;
///     let (server, _) = listener.accept().await?;
///     assert_eq!(server.local_addr()?.as_pathname(), Some(&*path));
///     # drop(client);
///     std::fs::remove_file(&path)
/// })
/// # }
/// ```
pub struct UnixListener {
    io: Evented<mio::net::UnixListener>,
}

impl UnixListener {
    /// A listener at a path, where there must be nothing.
    ///
    /// # Errors
    /// If it cannot be bound there.
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixListener> {
        Self::new(mio::net::UnixListener::bind(path)?)
    }

    /// A listener at an address, which may be one without a path.
    ///
    /// # Errors
    /// If it cannot be bound there.
    pub fn bind_addr(address: &SocketAddr) -> io::Result<UnixListener> {
        Self::new(mio::net::UnixListener::bind_addr(address)?)
    }

    fn new(io: mio::net::UnixListener) -> io::Result<Self> {
        Ok(UnixListener { io: Evented::with_interest(io, Interest::READABLE)? })
    }

    /// Waits for a connection. Nothing is lost if the future is dropped.
    ///
    /// # Errors
    /// If the process has too many descriptors open. The listener stays usable; see
    /// [`TcpListener::accept`](crate::net::TcpListener::accept).
    pub async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, address) = self.io.read_with(|io| io.accept()).await?;
        Ok((UnixStream::new(stream)?, address))
    }

    /// As [`accept`](Self::accept). The last one who polled is woken.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, SocketAddr)>> {
        self.io.poll_in(cx, |io| io.accept()).map(|accepted| {
            let (stream, address) = accepted?;
            Ok((UnixStream::new(stream)?, address))
        })
    }

    /// The connections, as a stream that never ends. One at a time can poll such streams of a listener.
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming(self)
    }

    /// From a socket of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(socket: std::os::unix::net::UnixListener) -> io::Result<UnixListener> {
        Self::new(mio::net::UnixListener::from_std(socket))
    }

    /// As a socket of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixListener> {
        self.io.into_inner().map(Into::into)
    }

    /// Where it is bound to.
    ///
    /// # Errors
    /// If the system says so.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// What has gone wrong since the last call.
    ///
    /// # Errors
    /// If the system cannot say.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }
}

impl TryFrom<std::os::unix::net::UnixListener> for UnixListener {
    type Error = io::Error;

    fn try_from(socket: std::os::unix::net::UnixListener) -> io::Result<Self> {
        Self::from_std(socket)
    }
}

impl fmt::Debug for UnixListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

impl std::os::fd::AsRawFd for UnixListener {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

impl std::os::fd::AsFd for UnixListener {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}

/// The connections of a listener; made by [`UnixListener::incoming`].
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct Incoming<'a>(&'a UnixListener);

impl Stream for Incoming<'_> {
    type Item = io::Result<UnixStream>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
    }
}
