//! tower's layers and tokio-util's helpers, of those that do not ask for Tokio's runtime.

use futures::{SinkExt, StreamExt, future};
use heist::{
    net::TcpStream,
    task::{self, JoinSet},
    time::{Duration, sleep},
};
use heist_ecosystem::{Outcome, pair, run};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::{
    codec::{Framed, LinesCodec},
    compat::FuturesAsyncReadCompatExt,
    sync::CancellationToken,
};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

#[test]
fn a_limit_of_tower_holds() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);

    run(|| async {
        let service = ServiceBuilder::new()
            .map_request(|text: &'static str| text.len())
            .concurrency_limit(2)
            .service(service_fn(|len: usize| async move {
                assert!(RUNNING.fetch_add(1, Relaxed) < 2);
                sleep(Duration::from_millis(1)).await;
                RUNNING.fetch_sub(1, Relaxed);
                Ok::<_, BoxError>(len)
            }));
        let mut calls = JoinSet::new();
        for _ in 0..20 {
            calls.spawn(service.clone().oneshot("heist"));
        }
        for answer in calls.join_all().await {
            assert_eq!(answer?, 5);
        }
        Ok(())
    });
}

#[test]
fn load_is_shed_while_a_call_runs() {
    run(|| async {
        let (started, begins) = futures::channel::oneshot::channel();
        let started = Arc::new(Mutex::new(Some(started)));
        let service = ServiceBuilder::new().load_shed().concurrency_limit(1).service(service_fn(move |()| {
            let started = started.lock().unwrap().take();
            async move {
                if let Some(started) = started {
                    let _ = started.send(());
                    future::pending::<()>().await;
                }
                Ok::<_, BoxError>(())
            }
        }));
        let first = task::spawn(service.clone().oneshot(()));
        begins.await?;
        assert!(service.clone().oneshot(()).await.is_err());
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        service.oneshot(()).await
    });
}

#[test]
fn frames_are_cut_out_of_a_stream() {
    run(|| async {
        let (near, far) = pair().await?;
        let server = task::spawn(async move {
            let (sink, lines) = Framed::new(far, LinesCodec::new()).split();
            lines.map(|line| line.map(|line| line.to_uppercase())).forward(sink).await
        });
        let (mut sink, lines) = Framed::new(near, LinesCodec::new()).split();
        for line in ["one", "two", "three"] {
            sink.send(line).await?;
        }
        // Both halves are one stream: it is shut down for writing only.
        SinkExt::<&str>::close(&mut sink).await?;
        let lines: Vec<String> = lines.map(Result::unwrap).collect().await;
        assert_eq!(lines, ["ONE", "TWO", "THREE"]);
        server.await??;
        Ok(())
    });
}

#[test]
fn a_stream_of_futures_becomes_one_of_tokio() {
    run(|| async {
        // As if there were only the traits of futures.
        fn opaque(stream: TcpStream) -> impl futures::AsyncRead + futures::AsyncWrite + Unpin {
            stream
        }

        let (near, far) = pair().await?;
        let (mut near, mut far) = (opaque(near).compat(), opaque(far).compat());
        near.write_all(b"across").await?;
        near.shutdown().await?;
        let mut text = String::new();
        far.read_to_string(&mut text).await?;
        assert_eq!(text, "across");
        Outcome::Ok(())
    });
}

#[test]
fn a_token_cancels_tasks() {
    run(|| async {
        let token = CancellationToken::new();
        let tasks: Vec<_> = (0..10)
            .map(|_| task::spawn(token.child_token().run_until_cancelled_owned(future::pending::<()>())))
            .collect();
        token.cancel();
        for task in tasks {
            assert_eq!(task.await?, None);
        }
        Ok(())
    });
}
