//! A server on hyper whose answers take all cores.
//!
//!     cargo run --features hyper --example http -- 127.0.0.1:8000
//!     curl 127.0.0.1:8000/primes/10000000
//!     curl --data-binary @README.md 127.0.0.1:8000/words

mod common;

use heist::{hyper::HeistTimer, net::TcpListener, prelude::*, task};
use http_body_util::{BodyExt, Limited};
use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn,
};
use std::{error::Error, io};

/// The longest text that is taken.
const MOST: usize = 1 << 20;

fn main() -> io::Result<()> {
    common::run(serve)
}

pub async fn serve(listener: TcpListener) {
    loop {
        let (stream, peer) = common::accept(&listener).await;
        let connection = http1::Builder::new().timer(HeistTimer).serve_connection(stream, service_fn(answer));
        task::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<String>, Box<dyn Error + Send + Sync>> {
    let (head, body) = request.into_parts();
    if head.method == Method::POST && head.uri.path() == "/words" {
        let text = Limited::new(body, MOST).collect().await?.to_bytes();
        // Soon over, so it may run right here: the other workers help.
        let words = String::from_utf8_lossy(&text).par_split_whitespace().count();
        return Ok(Response::new(format!("{words}\n")));
    }
    let below = head.uri.path().strip_prefix("/primes/").and_then(|below| below.parse().ok());
    if let Some(below) = below {
        // Takes a while, so it is a job: meanwhile this worker serves others.
        let primes = task::offload(move || primes(below)).await;
        return Ok(Response::new(format!("{primes}\n")));
    }
    let mut answer = Response::new("try /primes/1000, or post a text to /words\n".to_owned());
    *answer.status_mut() = StatusCode::NOT_FOUND;
    Ok(answer)
}

/// How many primes there are below a number.
fn primes(below: u32) -> usize {
    let is_prime = |n: &u64| (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2..u64::from(below)).into_par_iter().filter(is_prime).count()
}
