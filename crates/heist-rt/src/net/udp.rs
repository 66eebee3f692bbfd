//! [`UdpSocket`]: datagrams.

use super::{ToSocketAddrs, lookup, methods::datagram_methods};
use crate::io::{Evented, Interest, Ready};
use std::{
    fmt, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    task::{Context, Poll},
};

/// A socket that sends and receives datagrams. All of it works with a reference, from several tasks at once.
///
/// ```
/// use heist_rt::net::UdpSocket;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let (left, right) = (UdpSocket::bind("127.0.0.1:0").await?, UdpSocket::bind("127.0.0.1:0").await?);
///     left.send_to(b"ping", right.local_addr()?).await?;
///     let mut buf = [0; 16];
///     let (bytes, from) = right.recv_from(&mut buf).await?;
///     assert_eq!((&buf[..bytes], from), (&b"ping"[..], left.local_addr()?));
///     Ok(())
/// })
/// # }
/// ```
pub struct UdpSocket {
    io: Evented<mio::net::UdpSocket>,
}

impl UdpSocket {
    /// A socket at the first of the addresses that can be bound. With port 0 the system chooses one.
    ///
    /// # Errors
    /// If no address can be bound: that of the last one.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<UdpSocket> {
        lookup::with_each(addr, async |address| Self::new(mio::net::UdpSocket::bind(address)?)).await
    }

    fn new(io: mio::net::UdpSocket) -> io::Result<Self> {
        Ok(UdpSocket { io: Evented::of_datagrams(io)? })
    }

    /// From a socket of the standard library, which should not block (`set_nonblocking`).
    ///
    /// # Errors
    /// If it cannot be registered.
    pub fn from_std(socket: std::net::UdpSocket) -> io::Result<UdpSocket> {
        Self::new(mio::net::UdpSocket::from_std(socket))
    }

    /// As a socket of the standard library, which does not block.
    ///
    /// # Errors
    /// If it cannot be deregistered.
    pub fn into_std(self) -> io::Result<std::net::UdpSocket> {
        self.io.into_inner().map(Into::into)
    }

    /// Sends to this address, and receives from there only. Takes the first that can be.
    ///
    /// # Errors
    /// If none can: that of the last one.
    pub async fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()> {
        lookup::with_each(addr, async |address| self.io.connect(address)).await
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

    datagram_methods! {}

    /// Sends a datagram to the first of the addresses.
    ///
    /// # Errors
    /// If there is no address, or the system says so.
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], target: A) -> io::Result<usize> {
        let Some(target) = lookup::resolve(target).await?.next() else { return Err(lookup::no_address()) };
        self.io.write_with(|io| io.send_to(buf, target)).await
    }

    /// As [`send_to`](Self::send_to). The last one who polled for sending is woken.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to).
    pub fn poll_send_to(
        &self,
        cx: &mut Context<'_>,
        buf: &[u8],
        target: SocketAddr,
    ) -> Poll<io::Result<usize>> {
        self.io.poll_out(cx, |io| io.send_to(buf, target))
    }

    /// As [`send_to`](Self::send_to), if there is room.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is no room.
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        self.io.try_out(|io| io.send_to(buf, target))
    }

    /// Receives a datagram without taking it out: the next one receives the same.
    ///
    /// # Errors
    /// If the system says so.
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.read_with(|io| io.peek(buf)).await
    }

    /// As [`peek`](Self::peek). The last one who polled for receiving is woken.
    ///
    /// # Errors
    /// As [`peek`](Self::peek).
    pub fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_in(cx, |io| io.peek(buf))
    }

    /// As [`peek`](Self::peek), if there is one.
    ///
    /// # Errors
    /// As [`peek`](Self::peek); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none.
    pub fn try_peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.try_in(|io| io.peek(buf))
    }

    /// As [`peek`](Self::peek), and says from whom.
    ///
    /// # Errors
    /// As [`peek`](Self::peek).
    pub async fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.read_with(|io| io.peek_from(buf)).await
    }

    /// As [`peek_from`](Self::peek_from). The last one who polled for receiving is woken.
    ///
    /// # Errors
    /// As [`peek`](Self::peek).
    pub fn poll_peek_from(
        &self,
        cx: &mut Context<'_>,
        buf: &mut [u8],
    ) -> Poll<io::Result<(usize, SocketAddr)>> {
        self.io.poll_in(cx, |io| io.peek_from(buf))
    }

    /// As [`peek_from`](Self::peek_from), if there is one.
    ///
    /// # Errors
    /// As [`peek`](Self::peek); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none.
    pub fn try_peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_in(|io| io.peek_from(buf))
    }
}

/// Options.
impl UdpSocket {
    /// Whether it may send to everybody in the network.
    ///
    /// # Errors
    /// If the system says so.
    pub fn broadcast(&self) -> io::Result<bool> {
        self.io.broadcast()
    }

    /// Says whether it may send to everybody in the network.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.io.set_broadcast(on)
    }

    /// How many hops its datagrams live.
    ///
    /// # Errors
    /// If the system says so.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Says how many hops its datagrams live.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// Whether what it sends to a group comes back to this machine.
    ///
    /// # Errors
    /// If the system says so.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.io.multicast_loop_v4()
    }

    /// Says whether what it sends to a group comes back to this machine.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v4(on)
    }

    /// How many hops its datagrams to a group live.
    ///
    /// # Errors
    /// If the system says so.
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        self.io.multicast_ttl_v4()
    }

    /// Says how many hops its datagrams to a group live.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        self.io.set_multicast_ttl_v4(ttl)
    }

    /// As [`multicast_loop_v4`](Self::multicast_loop_v4), for IPv6.
    ///
    /// # Errors
    /// If the system says so.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        self.io.multicast_loop_v6()
    }

    /// As [`set_multicast_loop_v4`](Self::set_multicast_loop_v4), for IPv6.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v6(on)
    }

    /// Joins a group, on the interface with this address.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn join_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.join_multicast_v4(&multiaddr, &interface)
    }

    /// Leaves a group.
    ///
    /// # Errors
    /// If it is not a member.
    pub fn leave_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.leave_multicast_v4(&multiaddr, &interface)
    }

    /// Joins a group, on the interface with this number; zero for any.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.join_multicast_v6(multiaddr, interface)
    }

    /// Leaves a group.
    ///
    /// # Errors
    /// If it is not a member.
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.leave_multicast_v6(multiaddr, interface)
    }
}

impl TryFrom<std::net::UdpSocket> for UdpSocket {
    type Error = io::Error;

    fn try_from(socket: std::net::UdpSocket) -> io::Result<Self> {
        Self::from_std(socket)
    }
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for UdpSocket {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.io.as_raw_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for UdpSocket {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.io.as_fd()
    }
}
