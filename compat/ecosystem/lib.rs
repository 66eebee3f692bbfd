//! What the tests share.

use heist::net::{TcpListener, TcpStream};
use std::{error::Error, future::Future, io};

/// Whatever went wrong, in whichever library.
pub type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Runs a test on a runtime of its own.
///
/// # Panics
/// If it fails.
pub fn run<F: Future<Output = Outcome>>(test: impl FnOnce() -> F) {
    let runtime = heist::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(test()).unwrap();
}

/// The two ends of a connection.
pub async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    Ok((client, listener.accept().await?.0))
}

/// Bytes in which a lost or swapped part shows.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i ^ i >> 8 ^ i >> 16) as u8).collect()
}
