//! A server that ends with grace: it accepts nobody any more, finishes what it has begun, and at the deadline
//! cuts off what is still not over.
//!
//!     cargo run --features hyper --example shutdown -- 127.0.0.1:8000
//!     curl -N 127.0.0.1:8000/30
//!
//! Then press Ctrl-C at the server.

mod common;

use async_channel::Receiver;
use futures::{
    future::{Either, select},
    stream::{self, Stream, StreamExt},
};
use heist::{
    hyper::HeistTimer,
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use http_body_util::StreamBody;
use hyper::{
    Request, Response,
    body::{Body, Bytes, Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use std::{
    convert::Infallible,
    future::Future,
    io,
    pin::{Pin, pin},
    time::Duration,
};

fn main() -> io::Result<()> {
    heist::block_on(async {
        let listener = common::listen().await?;
        let cut_off = serve(listener, common::end(), Duration::from_secs(10)).await;
        println!("ended, with {cut_off} connections cut off");
        Ok(())
    })
}

/// Serves until `stop`, and then for at most `grace`. Returns how many connections were cut off.
pub async fn serve(listener: TcpListener, stop: impl Future, grace: Duration) -> usize {
    // Nothing is ever sent. That it is closed is the message, and everybody gets it.
    let (open, closing) = async_channel::bounded(1);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    while let Either::Right(((stream, _), _)) = select(stop.as_mut(), pin!(common::accept(&listener))).await {
        connections.spawn(serve_connection(stream, closing.clone()));
        // Forget those that are over.
        while connections.try_join_next().is_some() {}
    }

    drop(listener);
    drop(open);
    let drained = timeout(grace, async { while connections.join_next().await.is_some() {} }).await;
    let cut_off = if drained.is_ok() { 0 } else { connections.len() };
    connections.shutdown().await;
    cut_off
}

async fn serve_connection(stream: TcpStream, closing: Receiver<Infallible>) -> hyper::Result<()> {
    let connection = http1::Builder::new().timer(HeistTimer).serve_connection(stream, service_fn(answer));
    let mut connection = pin!(connection);
    if let Either::Left((result, _)) = select(connection.as_mut(), pin!(closing.recv())).await {
        return result;
    }
    // Ends at once if it is idle, else after the answer.
    connection.as_mut().graceful_shutdown();
    connection.await
}

/// Counts down from the number in the path, ten lines per second.
async fn answer(
    request: Request<Incoming>,
) -> Result<Response<impl Body<Data = Bytes, Error = Infallible>>, Infallible> {
    let from = request.uri().path().trim_start_matches('/').parse().unwrap_or(10);
    let lines = countdown(from).map(|line| Ok(Frame::data(Bytes::from(line))));
    Ok(Response::new(StreamBody::new(lines)))
}

fn countdown(from: u32) -> Pin<Box<dyn Stream<Item = String> + Send>> {
    Box::pin(stream::iter((0..=from).rev()).then(async |n| {
        sleep(Duration::from_millis(100)).await;
        format!("{n}\n")
    }))
}
