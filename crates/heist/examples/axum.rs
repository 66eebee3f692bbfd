//! A Router of axum, served by hyper on heist. axum's own server would need Tokio's runtime; its routers,
//! extractors and layers do not.
//!
//!     cargo run --features hyper --example axum -- 127.0.0.1:8000
//!     curl 127.0.0.1:8000/hello/thief
//!     curl 127.0.0.1:8000/guests

mod common;

use axum::{
    Router,
    extract::{Path, State},
    routing::get,
};
use heist::{hyper::HeistTimer, net::TcpListener, prelude::*, task};
use hyper::server::conn::http1;
use hyper_util::service::TowerToHyperService;
use std::{
    io,
    sync::{Arc, Mutex},
};

/// Who has been greeted.
type Guests = Arc<Mutex<Vec<String>>>;

fn main() -> io::Result<()> {
    common::run(serve)
}

pub async fn serve(listener: TcpListener) {
    let app = Router::new()
        .route("/hello/{name}", get(hello))
        .route("/guests", get(guests))
        .with_state(Guests::default());
    loop {
        let (stream, peer) = common::accept(&listener).await;
        let service = TowerToHyperService::new(app.clone());
        let connection = http1::Builder::new().timer(HeistTimer).serve_connection(stream, service);
        task::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

async fn hello(State(guests): State<Guests>, Path(name): Path<String>) -> String {
    let answer = format!("hello, {name}\n");
    guests.lock().unwrap().push(name);
    answer
}

async fn guests(State(guests): State<Guests>) -> String {
    let mut guests = guests.lock().unwrap().clone();
    guests.par_sort_unstable();
    guests.join("\n") + "\n"
}
