//! A server that sends back whatever it gets.
//!
//!     cargo run --example echo -- 127.0.0.1:7000
//!     nc 127.0.0.1 7000

mod common;

use futures::io::copy;
use heist::{net::TcpListener, task};
use std::io;

fn main() -> io::Result<()> {
    common::run(serve)
}

/// A task for each connection.
pub async fn serve(listener: TcpListener) {
    loop {
        let (stream, peer) = common::accept(&listener).await;
        task::spawn(async move {
            // A reference reads, another one writes.
            match copy(&stream, &mut &stream).await {
                Ok(bytes) => println!("{peer}: {bytes} bytes, there and back"),
                Err(error) => eprintln!("{peer}: {error}"),
            }
        });
    }
}
