//! [`UnixDatagram`]: datagrams between programs on one machine.

use super::SocketAddr;
use crate::{
    io::{Evented, Interest, Ready},
    net::methods::datagram_methods,
};
use std::{
    fmt, io,
    net::Shutdown,
    path::Path,
    task::{Context, Poll},
};

/// A socket that sends and receives datagrams within the machine. Unlike UDP it loses none, and waits for
/// who is slow.
///
/// ```
/// use heist_rt::net::UnixDatagram;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let (left, right) = UnixDatagram::pair()?;
///     left.send(b"ping").await?;
///     let mut buf = [0; 16];
///     assert_eq!(right.recv(&mut buf).await?, 4);
///     assert_eq!(&buf[..4], b"ping");
///     Ok(())
/// })
/// # }
/// ```
pub struct UnixDatagram {
    io: Evented<mio::net::UnixDatagram>,
}

impl UnixDatagram {
    /// A socket at a path, where there must be nothing.
    ///
    /// # Errors
    /// If it cannot be bound there.
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixDatagram> {
        Self::new(mio::net::UnixDatagram::bind(path)?)
    }

    /// Two sockets that are connected to each other.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
        let (left, right) = mio::net::UnixDatagram::pair()?;
        Ok((Self::new(left)?, Self::new(right)?))
    }

    /// A socket without an address: nobody can answer it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn unbound() -> io::Result<UnixDatagram> {
        Self::new(mio::net::UnixDatagram::unbound()?)
    }

    fn new(io: mio::net::UnixDatagram) -> io::Result<Self> {
        Ok(UnixDatagram { io: Evented::of_datagrams(io)? })
    }

    /// From a socket of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(socket: std::os::unix::net::UnixDatagram) -> io::Result<UnixDatagram> {
        Self::new(mio::net::UnixDatagram::from_std(socket))
    }

    /// As a socket of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixDatagram> {
        self.io.into_inner().map(Into::into)
    }

    /// Sends to the socket at this path from now on, and receives from there only.
    ///
    /// # Errors
    /// If nobody is there.
    pub fn connect<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        self.io.connect(path)
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
    /// If it is not.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.io.peer_addr()
    }

    /// Shuts down one direction, or both.
    ///
    /// # Errors
    /// If it is not connected.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.io.shutdown(how)
    }

    datagram_methods! {}

    /// Sends a datagram to the socket at a path.
    ///
    /// If too many wait there to be received, the system says so, but on Linux it never says when they are
    /// not: [`connect`](Self::connect) to who may be slow, and [`send`](Self::send).
    ///
    /// # Errors
    /// If nobody is there, or the system says so.
    pub async fn send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        self.io.write_with(|io| io.send_to(buf, target.as_ref())).await
    }

    /// As [`send_to`](Self::send_to). The last one who polled for sending is woken.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to).
    pub fn poll_send_to<P: AsRef<Path>>(
        &self,
        cx: &mut Context<'_>,
        buf: &[u8],
        target: P,
    ) -> Poll<io::Result<usize>> {
        self.io.poll_out(cx, |io| io.send_to(buf, target.as_ref()))
    }

    /// As [`send_to`](Self::send_to), if there is room.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is no room.
    pub fn try_send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        self.io.try_out(|io| io.send_to(buf, target))
    }
}

impl TryFrom<std::os::unix::net::UnixDatagram> for UnixDatagram {
    type Error = io::Error;

    fn try_from(socket: std::os::unix::net::UnixDatagram) -> io::Result<Self> {
        Self::from_std(socket)
    }
}

impl fmt::Debug for UnixDatagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

impl std::os::fd::AsRawFd for UnixDatagram {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

impl std::os::fd::AsFd for UnixDatagram {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}
