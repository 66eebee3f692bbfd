//! [`lookup_host`] and [`ToSocketAddrs`]: from what people write to addresses.

use crate::task::spawn_blocking;
use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6},
    vec,
};

/// What is an address, or a name that has some: as that of the standard library, and for the same types.
///
/// Names are looked up on a thread that may block. It cannot be implemented for other types.
pub trait ToSocketAddrs: sealed::Resolve {}

impl<T: sealed::Resolve + ?Sized> ToSocketAddrs for T {}

pub(crate) mod sealed {
    use super::Answer;

    /// How to get at the addresses.
    pub trait Resolve {
        fn resolve(&self) -> Answer;
    }
}

/// What is known without asking anybody.
#[derive(Debug)]
pub enum Answer {
    One(SocketAddr),
    Several(Vec<SocketAddr>),
    /// A host and a port, to be asked for.
    Host(String, u16),
    /// A host and a port in one, to be asked for.
    Text(String),
}

impl sealed::Resolve for SocketAddr {
    fn resolve(&self) -> Answer {
        Answer::One(*self)
    }
}

impl sealed::Resolve for SocketAddrV4 {
    fn resolve(&self) -> Answer {
        Answer::One((*self).into())
    }
}

impl sealed::Resolve for SocketAddrV6 {
    fn resolve(&self) -> Answer {
        Answer::One((*self).into())
    }
}

impl sealed::Resolve for (IpAddr, u16) {
    fn resolve(&self) -> Answer {
        Answer::One((*self).into())
    }
}

impl sealed::Resolve for (Ipv4Addr, u16) {
    fn resolve(&self) -> Answer {
        Answer::One((*self).into())
    }
}

impl sealed::Resolve for (Ipv6Addr, u16) {
    fn resolve(&self) -> Answer {
        Answer::One((*self).into())
    }
}

impl sealed::Resolve for [SocketAddr] {
    fn resolve(&self) -> Answer {
        Answer::Several(self.to_vec())
    }
}

impl sealed::Resolve for str {
    fn resolve(&self) -> Answer {
        self.parse().map_or_else(|_| Answer::Text(self.to_owned()), Answer::One)
    }
}

impl sealed::Resolve for String {
    fn resolve(&self) -> Answer {
        self.as_str().resolve()
    }
}

impl sealed::Resolve for (&str, u16) {
    fn resolve(&self) -> Answer {
        let (host, port) = *self;
        match host.parse::<IpAddr>() {
            Ok(ip) => Answer::One((ip, port).into()),
            Err(_) => Answer::Host(host.to_owned(), port),
        }
    }
}

impl sealed::Resolve for (String, u16) {
    fn resolve(&self) -> Answer {
        (self.0.as_str(), self.1).resolve()
    }
}

impl<T: sealed::Resolve + ?Sized> sealed::Resolve for &T {
    fn resolve(&self) -> Answer {
        (**self).resolve()
    }
}

/// Addresses, one after the other.
pub(crate) enum Addresses {
    One(Option<SocketAddr>),
    Several(vec::IntoIter<SocketAddr>),
}

impl Iterator for Addresses {
    type Item = SocketAddr;

    fn next(&mut self) -> Option<SocketAddr> {
        match self {
            Addresses::One(address) => address.take(),
            Addresses::Several(addresses) => addresses.next(),
        }
    }
}

impl fmt::Debug for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Addresses")
    }
}

/// The addresses of `host`. Only a name is looked up.
pub(crate) async fn resolve(host: impl ToSocketAddrs) -> io::Result<Addresses> {
    let addresses = match host.resolve() {
        Answer::One(address) => return Ok(Addresses::One(Some(address))),
        Answer::Several(addresses) => addresses,
        Answer::Host(host, port) => ask((host, port)).await?,
        Answer::Text(text) => ask(text).await?,
    };
    Ok(Addresses::Several(addresses.into_iter()))
}

async fn ask(host: impl std::net::ToSocketAddrs + Send + 'static) -> io::Result<Vec<SocketAddr>> {
    spawn_blocking(move || Ok(host.to_socket_addrs()?.collect())).await?
}

/// Calls `f` with each address of `host` until it succeeds.
///
/// # Errors
/// The last one of `f`, or that there is no address.
pub(crate) async fn with_each<R, F>(
    host: impl ToSocketAddrs,
    mut f: impl FnMut(SocketAddr) -> F,
) -> io::Result<R>
where
    F: Future<Output = io::Result<R>>,
{
    let mut error = None;
    for address in resolve(host).await? {
        match f(address).await {
            Ok(result) => return Ok(result),
            Err(last) => error = Some(last),
        }
    }
    Err(error.unwrap_or_else(no_address))
}

pub(crate) fn no_address() -> io::Error {
    let text = "the name has no address, or the list of addresses is empty";
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// The addresses of a host.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let addresses = heist_rt::net::lookup_host("127.0.0.1:80").await?;
///     assert_eq!(addresses.collect::<Vec<_>>(), ["127.0.0.1:80".parse().unwrap()]);
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If the name is not known, or cannot be looked up.
pub async fn lookup_host<T: ToSocketAddrs>(host: T) -> io::Result<impl Iterator<Item = SocketAddr>> {
    resolve(host).await
}
