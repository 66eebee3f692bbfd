//! The examples do what they say, seen from a client on the same machine.

#![allow(dead_code, reason = "nobody calls the examples' `main`")]
#![allow(clippy::duplicate_mod, reason = "each example has the common module")]

#[cfg(feature = "hyper")]
#[path = "../examples/axum.rs"]
mod axum;
#[path = "../examples/chat.rs"]
mod chat;
#[path = "../examples/echo.rs"]
mod echo;
#[cfg(feature = "hyper")]
#[path = "../examples/http.rs"]
mod http;
#[path = "../examples/rate_limit.rs"]
mod rate_limit;
#[cfg(feature = "hyper")]
#[path = "../examples/shutdown.rs"]
mod shutdown;

use futures::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, StreamExt,
    io::{BufReader, Lines},
};
use heist::{
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    runtime::Builder,
    task,
    time::{self, Instant, timeout},
};
use rate_limit::TokenBucket;
use std::{future::Future, io, net::SocketAddr, time::Duration};

/// Runs a test in a runtime of its own, with which its servers end.
fn run(test: impl Future<Output = io::Result<()>>) {
    const LIMIT: Duration = Duration::from_secs(60);
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let outcome = runtime.block_on(async { timeout(LIMIT, test).await });
    outcome.expect("the test hangs").unwrap();
}

/// Starts a server, and says where it is.
async fn start<F>(serve: impl FnOnce(TcpListener) -> F) -> io::Result<SocketAddr>
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    task::spawn(serve(listener));
    Ok(address)
}

/// One who sends and reads lines.
struct Client {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

impl Client {
    async fn connect(address: SocketAddr) -> io::Result<Self> {
        let (reader, writer) = TcpStream::connect(address).await?.into_split();
        Ok(Client { lines: BufReader::new(reader).lines(), writer })
    }

    async fn send(&mut self, line: &str) -> io::Result<()> {
        self.writer.write_all(format!("{line}\n").as_bytes()).await
    }

    async fn expect(&mut self, line: &str) -> io::Result<()> {
        assert_eq!(self.lines.next().await.transpose()?.as_deref(), Some(line));
        Ok(())
    }
}

#[test]
fn echo_sends_back_what_it_gets_to_each() {
    run(async {
        let address = start(echo::serve).await?;
        let mut streams = Vec::new();
        for _ in 0..3 {
            streams.push(TcpStream::connect(address).await?);
        }
        for (number, mut stream) in streams.into_iter().enumerate() {
            let sent = format!("number {number}").repeat(1000);
            stream.write_all(sent.as_bytes()).await?;
            stream.close().await?;
            let mut text = String::new();
            stream.read_to_string(&mut text).await?;
            assert_eq!(text, sent);
        }
        Ok(())
    });
}

#[test]
fn what_is_said_in_a_room_of_the_chat_stays_there() {
    run(async {
        let address = start(chat::serve).await?;
        let mut ann = Client::connect(address).await?;
        ann.send("ann").await?;
        ann.expect("* ann is in lobby").await?;
        let mut bob = Client::connect(address).await?;
        bob.send("bob").await?;
        bob.expect("* bob is in lobby").await?;
        ann.expect("* bob is in lobby").await?;

        ann.send("hello").await?;
        ann.expect("ann: hello").await?;
        bob.expect("ann: hello").await?;

        bob.send("/join vault").await?;
        bob.expect("* bob is in vault").await?;
        ann.expect("* bob has left").await?;
        ann.send("where is he?").await?;
        ann.expect("ann: where is he?").await?;
        bob.send("alone at last").await?;
        bob.expect("bob: alone at last").await?;

        bob.send("/join lobby").await?;
        bob.expect("* bob is in lobby").await?;
        ann.expect("* bob is in lobby").await?;
        drop(bob);
        ann.expect("* bob has left").await
    });
}

#[test]
fn a_token_bucket_lets_a_burst_through_and_then_one_per_period() {
    const PERIOD: Duration = Duration::from_millis(100);

    run(async {
        time::pause();
        let bucket = TokenBucket::new(PERIOD, 2);
        for _ in 0..2 {
            let start = Instant::now();
            bucket.take().await;
            bucket.take().await;
            assert_eq!(start.elapsed(), Duration::ZERO);
            bucket.take().await;
            assert!(start.elapsed() >= PERIOD, "{:?}", start.elapsed());
            bucket.take().await;
            assert!(start.elapsed() >= 2 * PERIOD, "{:?}", start.elapsed());
            // It takes two periods until it is full again, and it does not get fuller.
            time::advance(100 * PERIOD).await;
        }
        Ok(())
    });
}

#[test]
fn lines_beyond_the_rate_are_answered_later() {
    const PERIOD: Duration = Duration::from_millis(20);

    run(async {
        let address = start(|listener| rate_limit::serve(listener, TokenBucket::new(PERIOD, 3))).await?;
        let (mut one, mut other) = (Client::connect(address).await?, Client::connect(address).await?);
        let start = Instant::now();
        for number in 0..4 {
            let line = format!("line {number}");
            one.send(&line).await?;
            other.send(&line).await?;
            one.expect(&line).await?;
            other.expect(&line).await?;
        }
        assert!(start.elapsed() >= 5 * PERIOD, "eight lines in {:?}", start.elapsed());
        Ok(())
    });
}

#[cfg(feature = "hyper")]
mod on_hyper {
    use super::*;

    /// Sends a request; the answer, without its head, must have this status.
    async fn ask(address: SocketAddr, status: u16, request: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(address).await?;
        let length = body.len();
        let head =
            format!("{request} HTTP/1.1\r\nHost: vault\r\nConnection: close\r\nContent-Length: {length}");
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head with an end");
        Ok(body.to_owned())
    }

    #[test]
    fn http_answers_what_it_has_computed_in_parallel() {
        run(async {
            let address = start(http::serve).await?;
            assert_eq!(ask(address, 200, "GET /primes/100000", "").await?, "9592\n");
            assert_eq!(ask(address, 200, "GET /primes/0", "").await?, "0\n");
            let text = "two words ".repeat(10_000);
            assert_eq!(ask(address, 200, "POST /words", &text).await?, "20000\n");
            assert!(ask(address, 404, "GET /primes/many", "").await?.starts_with("try "));
            Ok(())
        });
    }

    #[test]
    fn a_router_of_axum_is_served() {
        run(async {
            let address = start(axum::serve).await?;
            assert_eq!(ask(address, 200, "GET /hello/thief", "").await?, "hello, thief\n");
            assert_eq!(ask(address, 200, "GET /hello/driver", "").await?, "hello, driver\n");
            assert_eq!(ask(address, 200, "GET /guests", "").await?, "driver\nthief\n");
            assert_eq!(ask(address, 405, "POST /guests", "").await?, "");
            assert_eq!(ask(address, 404, "GET /vault", "").await?, "");
            Ok(())
        });
    }

    /// Requests a countdown, and returns when it has begun.
    async fn count_down(address: SocketAddr, from: u32) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(format!("GET /{from} HTTP/1.1\r\nHost: vault\r\n\r\n").as_bytes()).await?;
        let first = format!("\r\n{from}\n\r\n");
        let mut read = Vec::new();
        while !read.ends_with(first.as_bytes()) {
            let mut byte = [0];
            stream.read_exact(&mut byte).await?;
            read.push(byte[0]);
        }
        Ok(stream)
    }

    /// The last chunk of an answer.
    const END: &str = "0\r\n\r\n";

    #[test]
    fn what_was_begun_before_the_shutdown_is_finished() {
        run(async {
            // An address that nobody else listens on: see below.
            let host = if cfg!(target_os = "linux") { "127.0.0.83:0" } else { "127.0.0.1:0" };
            let listener = TcpListener::bind(host).await?;
            let address = listener.local_addr()?;
            let (stop, stopped) = async_channel::bounded::<()>(1);
            let stopped = async move { stopped.recv().await };
            let server = task::spawn(shutdown::serve(listener, stopped, Duration::from_secs(50)));

            let mut busy = count_down(address, 3).await?;
            let mut idle = count_down(address, 0).await?;
            let mut end = [0; END.len()];
            idle.read_exact(&mut end).await?;
            assert_eq!(&end, END.as_bytes());

            stop.close();
            // A connection that waits for the next request is closed.
            assert_eq!(idle.read(&mut [0]).await?, 0);
            let mut rest = String::new();
            busy.read_to_string(&mut rest).await?;
            assert!(rest.ends_with(&format!("0\n\r\n{END}")), "{rest}");
            assert_eq!(server.await?, 0);
            assert!(TcpStream::connect(address).await.is_err(), "somebody still listens");
            Ok(())
        });
    }

    #[test]
    fn what_is_not_over_at_the_deadline_is_cut_off() {
        run(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            let (stop, stopped) = async_channel::bounded::<()>(1);
            let stopped = async move { stopped.recv().await };
            let server = task::spawn(shutdown::serve(listener, stopped, Duration::from_millis(50)));

            let mut stream = count_down(address, 1_000_000).await?;
            stop.close();
            assert_eq!(server.await?, 1);
            let mut rest = String::new();
            // Closed, or reset: cut off in any case.
            let _ = stream.read_to_string(&mut rest).await;
            assert!(!rest.ends_with(END), "{rest}");
            Ok(())
        });
    }
}
