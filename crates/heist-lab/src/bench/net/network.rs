//! Timers and TCP of the runtimes behind one trait, so that each workload is written once.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::bench::executor::{Executor, Heist, Smol, Tokio};

/// A runtime with timers and sockets.
pub trait Network: Executor {
    type Listener: Send + Sync + 'static;
    type Stream: Send + 'static;

    fn sleep(duration: Duration) -> impl Future<Output = ()> + Send;

    /// Listens on a free port of loopback.
    fn listen() -> impl Future<Output = io::Result<(Self::Listener, SocketAddr)>> + Send;

    fn accept(listener: &Self::Listener) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    fn connect(address: SocketAddr) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    fn read_exact(
        stream: &mut Self::Stream,
        buffer: &mut [u8],
    ) -> impl Future<Output = io::Result<()>> + Send;

    fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> impl Future<Output = io::Result<()>> + Send;
}

const ANY_PORT: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);

impl Network for Heist {
    type Listener = heist_rt::net::TcpListener;
    type Stream = heist_rt::net::TcpStream;

    fn sleep(duration: Duration) -> impl Future<Output = ()> + Send {
        heist_rt::time::sleep(duration)
    }

    async fn listen() -> io::Result<(Self::Listener, SocketAddr)> {
        let listener = heist_rt::net::TcpListener::bind(ANY_PORT).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    }

    async fn accept(listener: &Self::Listener) -> io::Result<Self::Stream> {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn connect(address: SocketAddr) -> io::Result<Self::Stream> {
        let stream = heist_rt::net::TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn read_exact(stream: &mut Self::Stream, buffer: &mut [u8]) -> io::Result<()> {
        futures_lite::AsyncReadExt::read_exact(stream, buffer).await
    }

    async fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> io::Result<()> {
        futures_lite::AsyncWriteExt::write_all(stream, bytes).await
    }
}

impl Network for Tokio {
    type Listener = tokio::net::TcpListener;
    type Stream = tokio::net::TcpStream;

    fn sleep(duration: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(duration)
    }

    async fn listen() -> io::Result<(Self::Listener, SocketAddr)> {
        let listener = tokio::net::TcpListener::bind(ANY_PORT).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    }

    async fn accept(listener: &Self::Listener) -> io::Result<Self::Stream> {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn connect(address: SocketAddr) -> io::Result<Self::Stream> {
        let stream = tokio::net::TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn read_exact(stream: &mut Self::Stream, buffer: &mut [u8]) -> io::Result<()> {
        tokio::io::AsyncReadExt::read_exact(stream, buffer).await.map(drop)
    }

    async fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> io::Result<()> {
        tokio::io::AsyncWriteExt::write_all(stream, bytes).await
    }
}

impl Network for Smol {
    type Listener = async_io::Async<std::net::TcpListener>;
    type Stream = async_io::Async<std::net::TcpStream>;

    async fn sleep(duration: Duration) {
        async_io::Timer::after(duration).await;
    }

    async fn listen() -> io::Result<(Self::Listener, SocketAddr)> {
        let listener = async_io::Async::<std::net::TcpListener>::bind(ANY_PORT)?;
        let address = listener.get_ref().local_addr()?;
        Ok((listener, address))
    }

    async fn accept(listener: &Self::Listener) -> io::Result<Self::Stream> {
        let (stream, _) = listener.accept().await?;
        stream.get_ref().set_nodelay(true)?;
        Ok(stream)
    }

    async fn connect(address: SocketAddr) -> io::Result<Self::Stream> {
        let stream = async_io::Async::<std::net::TcpStream>::connect(address).await?;
        stream.get_ref().set_nodelay(true)?;
        Ok(stream)
    }

    async fn read_exact(stream: &mut Self::Stream, buffer: &mut [u8]) -> io::Result<()> {
        futures_lite::AsyncReadExt::read_exact(stream, buffer).await
    }

    async fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> io::Result<()> {
        futures_lite::AsyncWriteExt::write_all(stream, bytes).await
    }
}
