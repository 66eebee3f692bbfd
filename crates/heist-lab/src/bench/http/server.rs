//! The server that is measured, in a process of its own: the same hyper service on heist or on Tokio.
//!
//! It prints its address, and serves until its standard input ends. It answers `/` with a greeting, `/cpu`
//! with the nanoseconds of processor time that it has used, and `/done` with how many computations it has
//! done: some tasks do nothing else, if asked to, to keep the cores busy.

use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::{Args, ValueEnum};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};

use crate::bench::cpu;
use crate::bench::executor::WORKERS;

#[derive(Args, Clone, Debug)]
pub struct ServerOptions {
    /// What it runs on, and how it computes
    #[arg(value_enum)]
    pub setup: Setup,

    /// How many workers the runtime has
    #[arg(long, default_value_t = WORKERS)]
    pub workers: usize,

    /// How many tasks compute all the time
    #[arg(long, default_value_t = 0)]
    pub computers: usize,
}

/// A runtime, and how a task computes on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setup {
    /// A parallel iterator on the pool, awaited by the task
    HeistOffload,
    /// A parallel iterator in the task
    HeistDirect,
    /// A parallel iterator on Rayon's pool; the task awaits its result by a channel
    TokioRayon,
    /// A plain iterator on a blocking thread
    TokioBlocking,
    /// A plain iterator in the task
    TokioAlone,
}

impl Setup {
    pub fn name(self) -> &'static str {
        match self {
            Setup::HeistOffload => "heist",
            Setup::HeistDirect => "heist, no offload",
            Setup::TokioRayon => "tokio+rayon",
            Setup::TokioBlocking => "tokio, blocking",
            Setup::TokioAlone => "tokio alone",
        }
    }
}

/// Items of a computation, which takes some milliseconds of one core.
const ITEMS: u64 = 1 << 20;

fn item(n: u64) -> u64 {
    let mixed = (n ^ (n >> 31)).wrapping_mul(0x7FB5_D329_728E_A185);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x81DA_DEF4_BC2D_D44D).count_ones().into()
}

fn on_heist() -> u64 {
    use heist::prelude::*;
    (0..ITEMS).into_par_iter().map(item).sum()
}

fn on_rayon() -> u64 {
    use rayon::prelude::*;
    (0..ITEMS).into_par_iter().map(item).sum()
}

fn alone() -> u64 {
    (0..ITEMS).map(item).sum()
}

/// What the computing tasks have done, and whether they shall end.
#[derive(Default)]
struct Done {
    count: AtomicU64,
    is_enough: AtomicBool,
}

impl Done {
    fn note(&self, result: u64) {
        assert_ne!(std::hint::black_box(result), 0, "so many numbers have some bits set");
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn is_enough(&self) -> bool {
        self.is_enough.load(Ordering::Relaxed)
    }

    /// Who awaits a computation when the runtime ends panics. So they end before.
    fn enough(&self) {
        self.is_enough.store(true, Ordering::Relaxed);
    }
}

async fn answer(request: Request<Incoming>, done: Arc<Done>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = match request.uri().path() {
        "/cpu" => Bytes::from(cpu::time_used().as_nanos().to_string()),
        "/done" => Bytes::from(done.count.load(Ordering::Relaxed).to_string()),
        _ => Bytes::from_static(b"Welcome to the vault.\n"),
    };
    Ok(Response::new(Full::new(body)))
}

/// Serves until the standard input ends.
pub fn serve(options: &ServerOptions) -> io::Result<()> {
    let done = Arc::new(Done::default());
    match options.setup {
        Setup::HeistOffload | Setup::HeistDirect => serve_on_heist(options, &done),
        Setup::TokioRayon | Setup::TokioBlocking | Setup::TokioAlone => serve_on_tokio(options, &done),
    }
}

const ANY_PORT: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);

/// Says where, and waits for the end of the standard input.
fn wait_for_end(address: SocketAddr) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{address}")?;
    output.flush()?;
    io::stdin().lock().read_to_end(&mut Vec::new()).map(drop)
}

fn serve_on_heist(options: &ServerOptions, done: &Arc<Done>) -> io::Result<()> {
    use heist_rt::{hyper::HeistTimer, net::TcpListener, runtime::Builder, task};

    let runtime = Builder::new_multi_thread().worker_threads(options.workers).enable_all().build()?;
    let (listener, for_server) = (runtime.block_on(TcpListener::bind(ANY_PORT))?, done.clone());
    let address = listener.local_addr()?;
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let done = for_server.clone();
            task::spawn(async move {
                let service = service_fn(move |request| answer(request, done.clone()));
                let connection = http1::Builder::new().timer(HeistTimer).serve_connection(stream, service);
                // A client that goes away is none of our business.
                let _ = connection.await;
            });
        }
    });
    let offloads = options.setup == Setup::HeistOffload;
    let compute = || {
        let done = done.clone();
        runtime.spawn(async move {
            while !done.is_enough() {
                done.note(if offloads { task::offload(on_heist).await } else { on_heist() });
                task::yield_now().await;
            }
        })
    };
    let computers: Vec<_> = (0..options.computers).map(|_| compute()).collect();
    wait_for_end(address)?;
    done.enough();
    computers.into_iter().try_for_each(|computer| runtime.block_on(computer))?;
    runtime.shutdown_background();
    Ok(())
}

fn serve_on_tokio(options: &ServerOptions, done: &Arc<Done>) -> io::Result<()> {
    use hyper_util::rt::{TokioIo, TokioTimer};
    use tokio::{net::TcpListener, runtime::Builder};

    let runtime = Builder::new_multi_thread().worker_threads(options.workers).enable_all().build()?;
    let (listener, for_server) = (runtime.block_on(TcpListener::bind(ANY_PORT))?, done.clone());
    let address = listener.local_addr()?;
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let done = for_server.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(request, done.clone()));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .serve_connection(TokioIo::new(stream), service);
                // A client that goes away is none of our business.
                let _ = connection.await;
            });
        }
    });
    let compute = || {
        let (done, setup) = (done.clone(), options.setup);
        runtime.spawn(async move {
            while !done.is_enough() {
                done.note(compute_on_tokio(setup).await);
                tokio::task::yield_now().await;
            }
        })
    };
    let computers: Vec<_> = (0..options.computers).map(|_| compute()).collect();
    wait_for_end(address)?;
    done.enough();
    computers.into_iter().try_for_each(|computer| runtime.block_on(computer))?;
    runtime.shutdown_background();
    Ok(())
}

async fn compute_on_tokio(setup: Setup) -> u64 {
    match setup {
        Setup::TokioRayon => {
            let (sender, result) = tokio::sync::oneshot::channel();
            rayon::spawn(move || _ = sender.send(on_rayon()));
            result.await.expect("it is sent")
        }
        Setup::TokioBlocking => tokio::task::spawn_blocking(alone).await.expect("it does not panic"),
        _ => alone(),
    }
}
