//! What the examples have in common: where they listen, how they accept, and when they end.

#![allow(dead_code, reason = "every example uses a part of it")]

use futures::future::select;
use heist::{
    net::{TcpListener, TcpStream},
    signal, task,
    time::sleep,
};
use std::{
    env,
    future::{Future, pending},
    io,
    net::SocketAddr,
    pin::pin,
    time::Duration,
};

/// Runs a server until it is told to end.
pub fn run<F: Future>(serve: impl FnOnce(TcpListener) -> F) -> io::Result<()> {
    heist::block_on(async {
        let server = serve(listen().await?);
        select(pin!(server), pin!(end())).await;
        Ok(())
    })
}

/// Listens on the address that is the first argument; without one, on a free port of this machine.
pub async fn listen() -> io::Result<TcpListener> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}, until Ctrl-C or the end of the input", listener.local_addr()?);
    Ok(listener)
}

/// The next connection. A server does not end because one of them failed.
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => eprintln!("could not accept: {error}"),
        }
        // Out of descriptors, perhaps: others may close some.
        sleep(Duration::from_millis(50)).await;
    }
}

/// Waits for Ctrl-C, or for the end of the standard input. To read that blocks, so another thread does.
pub async fn end() {
    let reading = task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    let interrupted = pin!(async {
        if let Err(error) = signal::ctrl_c().await {
            eprintln!("Ctrl-C will not do: {error}");
            pending::<()>().await;
        }
    });
    // An input that cannot be read has ended, too.
    select(reading, interrupted).await;
}
