//! A server that answers so many lines per second and no more, whoever sends them. A short burst is let
//! through at once.
//!
//!     cargo run --example rate_limit -- 127.0.0.1:7000
//!     yes | nc 127.0.0.1 7000

mod common;

use futures::{AsyncBufReadExt, AsyncWriteExt, StreamExt, io::BufReader};
use heist::{
    net::{TcpListener, TcpStream},
    task,
    time::{Instant, sleep_until},
};
use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

/// A bucket of tokens, into which one falls per period until it is full.
///
/// There is no task that fills it, and no queue: it is enough to know when it would be full.
pub struct TokenBucket {
    period: Duration,
    /// How long it takes until an empty one is full.
    fill: Duration,
    full_at: Mutex<Instant>,
}

impl TokenBucket {
    /// A full one, with room for `burst` tokens.
    pub fn new(period: Duration, burst: u32) -> Self {
        TokenBucket { period, fill: period * burst, full_at: Mutex::new(Instant::now()) }
    }

    /// Takes a token; waits for it, if there is none. First come, first served.
    pub async fn take(&self) {
        let turn = {
            let mut full_at = self.full_at.lock().unwrap();
            let now = Instant::now();
            *full_at = (*full_at).max(now) + self.period;
            now + (*full_at - now).saturating_sub(self.fill)
        };
        sleep_until(turn).await;
    }
}

fn main() -> io::Result<()> {
    let bucket = TokenBucket::new(Duration::from_millis(100), 20);
    common::run(|listener| serve(listener, bucket))
}

pub async fn serve(listener: TcpListener, bucket: TokenBucket) {
    let bucket = Arc::new(bucket);
    loop {
        let (stream, peer) = common::accept(&listener).await;
        let bucket = bucket.clone();
        task::spawn(async move {
            if let Err(error) = answer(stream, &bucket).await {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

/// A client that sends too much has to wait: its lines stay where they are, so it cannot send more.
async fn answer(stream: TcpStream, bucket: &TokenBucket) -> io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    while let Some(line) = lines.next().await.transpose()? {
        bucket.take().await;
        (&stream).write_all(format!("{line}\n").as_bytes()).await?;
    }
    Ok(())
}
