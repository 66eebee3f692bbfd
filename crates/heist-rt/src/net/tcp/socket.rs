//! [`TcpSocket`]: a TCP socket before it listens or connects, to set its options.

use super::{TcpListener, TcpStream};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::{fmt, io, net::SocketAddr, time::Duration};

/// A TCP socket that neither listens nor is connected yet.
///
/// For most purposes [`TcpListener::bind`] and [`TcpStream::connect`] do; this is for those who want to set
/// options before.
///
/// ```
/// use heist_rt::net::TcpSocket;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let server = TcpSocket::new_v4()?;
///     server.set_reuseaddr(true)?;
///     server.bind("127.0.0.1:0".parse().unwrap())?;
///     let listener = server.listen(16)?;
///
///     let client = TcpSocket::new_v4()?;
///     client.set_nodelay(true)?;
///     let stream = client.connect(listener.local_addr()?).await?;
///     assert!(stream.nodelay()?);
///     Ok(())
/// })
/// # }
/// ```
pub struct TcpSocket {
    socket: Socket,
}

/// A size, as the socket takes it.
fn bytes(size: u32) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

impl TcpSocket {
    /// For addresses of IPv4.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new_v4() -> io::Result<TcpSocket> {
        Self::of(Domain::IPV4)
    }

    /// For addresses of IPv6.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new_v6() -> io::Result<TcpSocket> {
        Self::of(Domain::IPV6)
    }

    /// For such an address.
    pub(super) fn new(address: SocketAddr) -> io::Result<TcpSocket> {
        Self::of(Domain::for_address(address))
    }

    fn of(domain: Domain) -> io::Result<TcpSocket> {
        let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        Ok(TcpSocket { socket })
    }

    /// From a stream of the standard library, which is not connected and should not block.
    pub fn from_std_stream(stream: std::net::TcpStream) -> TcpSocket {
        TcpSocket { socket: stream.into() }
    }

    /// Says whether a peer that is silent is asked if it is still there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_keepalive(&self, keepalive: bool) -> io::Result<()> {
        self.socket.set_keepalive(keepalive)
    }

    /// Whether a peer that is silent is asked if it is still there.
    ///
    /// # Errors
    /// If the system says so.
    pub fn keepalive(&self) -> io::Result<bool> {
        self.socket.keepalive()
    }

    /// Says whether the address may be in use by connections that are being closed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_reuseaddr(&self, reuseaddr: bool) -> io::Result<()> {
        self.socket.set_reuse_address(reuseaddr)
    }

    /// Whether the address may be in use by connections that are being closed.
    ///
    /// # Errors
    /// If the system says so.
    pub fn reuseaddr(&self) -> io::Result<bool> {
        self.socket.reuse_address()
    }

    /// Says whether several sockets may be bound to the address.
    ///
    /// # Errors
    /// If the system refuses.
    #[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))))]
    pub fn set_reuseport(&self, reuseport: bool) -> io::Result<()> {
        self.socket.set_reuse_port(reuseport)
    }

    /// Whether several sockets may be bound to the address.
    ///
    /// # Errors
    /// If the system says so.
    #[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))))]
    pub fn reuseport(&self) -> io::Result<bool> {
        self.socket.reuse_port()
    }

    /// Says how many bytes the system keeps that were written and not sent. It may take another number.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.socket.set_send_buffer_size(bytes(size))
    }

    /// How many bytes the system keeps that were written and not sent.
    ///
    /// # Errors
    /// If the system says so.
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        Ok(self.socket.send_buffer_size()?.try_into().unwrap_or(u32::MAX))
    }

    /// Says how many bytes the system keeps that have come and were not read. It may take another number.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.socket.set_recv_buffer_size(bytes(size))
    }

    /// How many bytes the system keeps that have come and were not read.
    ///
    /// # Errors
    /// If the system says so.
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        Ok(self.socket.recv_buffer_size()?.try_into().unwrap_or(u32::MAX))
    }

    /// Says how long closing waits for what was not sent; see [`TcpStream::set_linger`].
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.socket.set_linger(linger)
    }

    /// How long closing waits for what was not sent.
    ///
    /// # Errors
    /// If the system says so.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.socket.linger()
    }

    /// Resets the connection when it is closed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }

    /// Says whether small packets are sent at once; see [`TcpStream::set_nodelay`].
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.socket.set_tcp_nodelay(nodelay)
    }

    /// Whether small packets are sent at once.
    ///
    /// # Errors
    /// If the system says so.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.socket.tcp_nodelay()
    }

    /// Where it is bound to.
    ///
    /// # Errors
    /// If it is not bound.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let address = self.socket.local_addr()?;
        address.as_socket().ok_or_else(|| io::Error::other("the socket's address is not one of the internet"))
    }

    /// What has gone wrong since the last call.
    ///
    /// # Errors
    /// If the system cannot say.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }

    /// Binds it to an address.
    ///
    /// # Errors
    /// If the address is in use, or not one of this machine's.
    pub fn bind(&self, addr: SocketAddr) -> io::Result<()> {
        self.socket.bind(&SockAddr::from(addr))
    }

    /// Connects it.
    ///
    /// # Errors
    /// If nobody listens there.
    pub async fn connect(self, addr: SocketAddr) -> io::Result<TcpStream> {
        match self.socket.connect(&SockAddr::from(addr)) {
            Err(error) if !is_in_progress(&error) => return Err(error),
            _ => {}
        }
        TcpStream::connecting(mio::net::TcpStream::from_std(self.socket.into())).await
    }

    /// Makes it take connections, of which so many may wait to be accepted.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.socket.listen(backlog.try_into().unwrap_or(i32::MAX))?;
        TcpListener::from_std(self.socket.into())
    }
}

/// Whether a connection was asked for, and the answer is to be waited for.
fn is_in_progress(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::INPROGRESS.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::WouldBlock
}

impl fmt::Debug for TcpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.socket.fmt(f)
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for TcpSocket {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.socket.as_raw_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for TcpSocket {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
