//! Sockets: [TCP](TcpStream), [UDP](UdpSocket), and those of Unix.
//!
//! Names and meaning are Tokio's. A socket belongs to the runtime that the thread is in when it is made, the
//! global one outside of any; see [`io`](crate::io).
//!
//! ```
//! use futures::{AsyncReadExt, AsyncWriteExt};
//! use heist_rt::{net::{TcpListener, TcpStream}, task};
//!
//! # fn main() -> std::io::Result<()> {
//! heist_rt::block_on(async {
//!     let listener = TcpListener::bind("127.0.0.1:0").await?;
//!     let address = listener.local_addr()?;
//!     task::spawn(async move {
//!         let (mut stream, _) = listener.accept().await?;
//!         stream.write_all(b"hello").await
//!     });
//!     let mut text = String::new();
//!     TcpStream::connect(address).await?.read_to_string(&mut text).await?;
//!     assert_eq!(text, "hello");
//!     Ok(())
//! })
//! # }
//! ```

mod lookup;
mod methods;
mod split;
mod stream;
pub mod tcp;
mod udp;
#[cfg(unix)]
pub mod unix;

pub use {
    lookup::{ToSocketAddrs, lookup_host},
    tcp::{TcpListener, TcpSocket, TcpStream},
    udp::UdpSocket,
};

#[cfg(unix)]
pub use unix::{UnixDatagram, UnixListener, UnixStream};
