//! hyper, server and client, on the streams, tasks and timers of heist: no other runtime is there.

mod common;

use ::hyper::{
    Request, Response, StatusCode,
    body::{Body, Bytes, Incoming},
    client, header,
    rt::{Read, Sleep, Timer, Write},
    server,
    service::service_fn,
    upgrade,
};
use common::{Count, with_runtime};
use futures::{AsyncReadExt, AsyncWriteExt};
use heist_rt::{
    hyper::{HeistExecutor, HeistIo, HeistTimer},
    net::{TcpListener, TcpStream},
    task::{self, JoinHandle, JoinSet},
    time::{self, Duration, Instant},
};
use http_body_util::{BodyExt, Empty, Full};
use std::{
    error::Error,
    future::Future,
    io::IoSlice,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::Barrier;

type AnyError = Box<dyn Error + Send + Sync>;
type Outcome = Result<(), AnyError>;

fn run<F: Future<Output = Outcome>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

async fn pair() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    Ok((client, listener.accept().await?.0))
}

/// A body that is sent back while it comes.
async fn echo(request: Request<Incoming>) -> Result<Response<Incoming>, AnyError> {
    Ok(Response::new(request.into_body()))
}

/// Serves one connection with HTTP/1.
fn serve<I>(io: I) -> JoinHandle<Result<(), ::hyper::Error>>
where
    I: Read + Write + Unpin + Send + 'static,
{
    let service = service_fn(echo);
    task::spawn(async move { server::conn::http1::Builder::new().serve_connection(io, service).await })
}

async fn connect<I, B>(io: I) -> Result<client::conn::http1::SendRequest<B>, AnyError>
where
    I: Read + Write + Unpin + Send + 'static,
    B: Body<Data = Bytes, Error: Into<AnyError>> + Send + 'static,
{
    let (sender, connection) = client::conn::http1::handshake(io).await?;
    task::spawn(connection.with_upgrades());
    Ok(sender)
}

fn post(body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::post("/").header(header::HOST, "vault").body(Full::new(body.into())).unwrap()
}

async fn body_of(answer: Response<Incoming>) -> Result<Bytes, ::hyper::Error> {
    assert_eq!(answer.status(), StatusCode::OK);
    Ok(answer.collect().await?.to_bytes())
}

/// Bytes in which a lost or swapped part shows.
fn plenty(bytes: usize) -> Bytes {
    (0..bytes).map(|i| (i * 31 + i / 251) as u8).collect()
}

/// Sends a request over these two, be they what they may.
async fn ask<C, S>(client: C, server: S) -> Outcome
where
    C: Read + Write + Unpin + Send + 'static,
    S: Read + Write + Unpin + Send + 'static,
{
    let served = serve(server);
    let mut sender = connect(client).await?;
    let body = plenty(300_000);
    assert_eq!(body_of(sender.send_request(post(body.clone())).await?).await?, body);
    drop(sender);
    Ok(served.await??)
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    run(|| async {
        let (client, server) = pair().await?;
        let served = serve(server);
        let mut sender = connect(client).await?;
        for round in 0..50 {
            sender.ready().await?;
            let text = format!("round {round}");
            assert_eq!(body_of(sender.send_request(post(text.clone())).await?).await?, text);
        }
        drop(sender);
        // The end of the connection is no error.
        served.await??;
        Ok(())
    });
}

#[test]
fn a_large_body_comes_and_goes_whole() {
    run(|| async {
        let (client, server) = pair().await?;
        let served = serve(server);
        let mut sender = connect(client).await?;
        let body = plenty(3 * 1024 * 1024);
        for _ in 0..2 {
            sender.ready().await?;
            let answer = body_of(sender.send_request(post(body.clone())).await?).await?;
            assert!(answer == body, "the answer is another one than what was sent");
        }
        drop(sender);
        served.await??;
        Ok(())
    });
}

/// Each answer is held back until all requests are there.
#[test]
fn requests_on_many_connections_are_served_at_once() {
    const CONNECTIONS: usize = 40;

    async fn request(address: SocketAddr, number: usize) -> Outcome {
        let mut sender = connect(TcpStream::connect(address).await?).await?;
        let path = format!("/{number}");
        let request = Request::get(&path).header(header::HOST, "vault").body(Empty::<Bytes>::new())?;
        assert_eq!(body_of(sender.send_request(request).await?).await?, path);
        Ok(())
    }

    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let all_there = Arc::new(Barrier::new(CONNECTIONS));
        let mut clients: JoinSet<Outcome> = (0..CONNECTIONS).map(|number| request(address, number)).collect();
        for _ in 0..CONNECTIONS {
            let (stream, _) = listener.accept().await?;
            let all_there = all_there.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let all_there = all_there.clone();
                async move {
                    all_there.wait().await;
                    Ok::<_, AnyError>(Response::new(request.uri().path().to_owned()))
                }
            });
            task::spawn(server::conn::http1::Builder::new().serve_connection(stream, service));
        }
        while let Some(outcome) = clients.join_next().await {
            outcome??;
        }
        Ok(())
    });
}

/// The streams of HTTP/2 are tasks of the executor.
#[test]
fn requests_on_one_connection_of_http2_are_served_at_once() {
    const STREAMS: usize = 20;

    run(|| async {
        let (client, server) = pair().await?;
        let all_there = Arc::new(Barrier::new(STREAMS));
        let service = service_fn(move |request: Request<Incoming>| {
            let all_there = all_there.clone();
            async move {
                all_there.wait().await;
                echo(request).await
            }
        });
        let builder = server::conn::http2::Builder::new(HeistExecutor);
        let served = task::spawn(builder.serve_connection(server, service));
        let (sender, connection) = client::conn::http2::Builder::new(HeistExecutor)
            .timer(HeistTimer)
            .keep_alive_interval(Duration::from_secs(60))
            .handshake(client)
            .await?;
        task::spawn(connection);
        let mut requests = JoinSet::new();
        for number in 0..STREAMS {
            let mut sender = sender.clone();
            requests.spawn(async move {
                let body = plenty(50_000 + number);
                assert_eq!(body_of(sender.send_request(post(body.clone())).await?).await?, body);
                Ok::<_, AnyError>(())
            });
        }
        drop(sender);
        while let Some(outcome) = requests.join_next().await {
            outcome??;
        }
        served.await??;
        Ok(())
    });
}

#[test]
fn who_does_not_send_a_whole_head_in_time_is_cut_off() {
    run(|| async {
        let (mut client, server) = pair().await?;
        let connection = server::conn::http1::Builder::new()
            .timer(HeistTimer)
            .header_read_timeout(Duration::from_millis(30))
            .serve_connection(server, service_fn(echo));
        let started = Instant::now();
        let served = task::spawn(connection);
        client.write_all(b"GET / HTTP/1.1\r\nHost: vau").await?;
        let error = served.await?.expect_err("the head has no end");
        assert!(error.is_timeout(), "{error}");
        assert!(started.elapsed() >= Duration::from_millis(30));
        // It was closed, whether or not with an answer.
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest).await;
        Ok(())
    });
}

#[test]
fn a_wrapped_stream_is_as_good() {
    run(|| async {
        let (client, server) = pair().await?;
        ask(HeistIo::new(client), HeistIo::new(server)).await?;
        let (client, server) = pair().await?;
        ask(HeistIo::new(HeistIo::new(client)), server).await
    });
}

#[cfg(unix)]
#[test]
fn a_socket_of_unix_is_as_good() {
    run(|| async {
        let (client, server) = heist_rt::net::UnixStream::pair()?;
        ask(client, server).await
    });
}

#[test]
fn halves_have_the_traits() {
    run(|| async {
        let (client, server) = pair().await?;
        let (reader, writer) = server.into_split();
        assert!(writer.is_write_vectored());
        let (mut reader, mut writer) = (HeistIo::new(reader), HeistIo::new(writer));
        let parts = [IoSlice::new(b"from "), IoSlice::new(b"the server")];
        assert_eq!(writer.write_vectored(&parts).await?, 15);
        writer.flush().await?;
        writer.close().await?;
        let mut text = String::new();
        (&client).read_to_string(&mut text).await?;
        assert_eq!(text, "from the server");

        (&client).write_all(b"answer").await?;
        drop(client);
        text.clear();
        reader.read_to_string(&mut text).await?;
        assert_eq!(text, "answer");
        Ok(())
    });
}

/// What hyper gives back after an upgrade has the traits of `futures-io`, wrapped.
#[test]
fn an_upgraded_connection_is_a_stream_of_bytes() {
    async fn accept(request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, AnyError> {
        task::spawn(async {
            let mut io = HeistIo::new(upgrade::on(request).await?);
            let mut word = [0; 8];
            io.read_exact(&mut word).await?;
            word.reverse();
            io.write_all(&word).await?;
            io.close().await?;
            Ok::<_, AnyError>(())
        });
        let mut answer = Response::new(Empty::new());
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        answer.headers_mut().insert(header::UPGRADE, "mirror".parse()?);
        Ok(answer)
    }

    run(|| async {
        let (client, server) = pair().await?;
        let builder = server::conn::http1::Builder::new();
        task::spawn(builder.serve_connection(server, service_fn(accept)).with_upgrades());
        let mut sender = connect(client).await?;
        let request = Request::get("/")
            .header(header::HOST, "vault")
            .header(header::CONNECTION, "upgrade")
            .header(header::UPGRADE, "mirror")
            .body(Empty::<Bytes>::new())?;
        let answer = sender.send_request(request).await?;
        assert_eq!(answer.status(), StatusCode::SWITCHING_PROTOCOLS);
        let mut io = HeistIo::new(upgrade::on(answer).await?);
        io.write_all(b"diamonds").await?;
        let mut text = String::new();
        io.read_to_string(&mut text).await?;
        assert_eq!(text, "sdnomaid");
        Ok(())
    });
}

#[test]
fn the_timer_follows_the_clock_of_the_runtime() {
    run(|| async {
        const HOUR: Duration = Duration::from_secs(3600);
        time::pause();
        let start = HeistTimer.now();
        HeistTimer.sleep(HOUR).await;
        assert!(HeistTimer.now() - start >= HOUR);
        HeistTimer.sleep_until(start + 2 * HOUR).await;
        assert!(HeistTimer.now() - start >= 2 * HOUR);
        Ok(())
    });
}

#[test]
fn a_timer_can_be_moved() {
    /// Never over.
    struct Foreign(#[expect(dead_code, reason = "it is dropped")] common::OnDrop);

    impl Future for Foreign {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }

    impl Sleep for Foreign {}

    run(|| async {
        const HOUR: Duration = Duration::from_secs(3600);
        let mut sleep = HeistTimer.sleep(HOUR);
        assert!(futures::poll!(sleep.as_mut()).is_pending());
        let address = &raw const *sleep as *const ();
        HeistTimer.reset(&mut sleep, HeistTimer.now() + Duration::from_millis(2));
        assert_eq!(&raw const *sleep as *const (), address, "there is no new one");
        sleep.await;

        let dropped = Count::default();
        let mut foreign: Pin<Box<dyn Sleep>> = Box::pin(Foreign(dropped.on_drop()));
        HeistTimer.reset(&mut foreign, HeistTimer.now());
        assert_eq!(dropped.get(), 1);
        foreign.await;
        Ok(())
    });
}
