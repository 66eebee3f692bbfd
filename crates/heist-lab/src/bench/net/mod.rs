//! Timers and sockets: what they cost, and how many there can be.
//!
//! Every contender has two workers and runs the same code, see [`network`]. Both ends of every connection are
//! tasks of the same runtime, on loopback; times are per timer or round trip.

mod network;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::Group;
use super::executor::{Heist, Smol, Tokio};
use super::measure::{Contender, Effort, Row, timed};
use network::Network;

pub const GROUP: Group = Group {
    name: "net",
    about: "timers and TCP connections on loopback, on two workers; against tokio and smol",
    rows,
};

fn rows(_: &Effort) -> Vec<Row> {
    vec![
        row("timer, made, polled and dropped", timers::<Heist>, timers::<Tokio>, timers::<Smol>),
        row("100,000 sleeps at once", sleeps::<Heist>, sleeps::<Tokio>, sleeps::<Smol>),
        connections("TCP echo, 1 KiB on 64 connections", 64, 0),
        connections("TCP echo, 1 KiB on one of 1,001 connections", 1, 1000),
    ]
}

fn row(name: &str, heist: fn(&Heist) -> f64, tokio: fn(&Tokio) -> f64, smol: fn(&Smol) -> f64) -> Row {
    fn contender<N: Network>(round: fn(&N) -> f64) -> Contender {
        let runtime = N::new();
        Contender::new(N::WHO, move || round(&runtime))
    }
    Row::new(name, move || vec![contender(heist), contender(tokio), contender(smol)])
}

/// A timer that is begun and given up, as in a timeout that is not needed.
fn timers<N: Network>(runtime: &N) -> f64 {
    const TIMERS: usize = 10_000;
    let ((), ns) = timed(|| {
        runtime.block_on(runtime.spawn(async {
            for _ in 0..TIMERS {
                let mut sleep = pin!(N::sleep(Duration::from_secs(60)));
                poll_fn(|cx| {
                    assert!(sleep.as_mut().poll(cx).is_pending(), "a minute has not passed");
                    Poll::Ready(())
                })
                .await;
            }
        }));
    });
    ns / TIMERS as f64
}

/// Many tasks that sleep for up to a hundred milliseconds; how long it takes beyond that.
fn sleeps<N: Network>(runtime: &N) -> f64 {
    const SLEEPS: u64 = 100_000;
    const LONGEST: Duration = Duration::from_millis(100);
    let ((), ns) = timed(|| {
        runtime.block_on(async {
            let sleepers: Vec<_> = (0..SLEEPS)
                .map(|n| {
                    // In no order.
                    let micros = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) % LONGEST.as_micros() as u64;
                    runtime.spawn(N::sleep(Duration::from_micros(micros)))
                })
                .collect();
            for sleeper in sleepers {
                sleeper.await;
            }
        });
    });
    ns / SLEEPS as f64
}

/// So many connections talk at the same time, while others do not. Time per round trip.
fn connections(name: &str, busy: usize, idle: usize) -> Row {
    fn contender<N: Network>(busy: usize, idle: usize) -> Contender {
        let runtime = N::new();
        let (mut clients, silent) = runtime.block_on(runtime.spawn(open::<N>(busy, idle)));
        Contender::new(N::WHO, move || {
            let _keep = &silent;
            let (connections, ns) = timed(|| {
                let talks: Vec<_> =
                    clients.drain(..).map(|client| runtime.spawn(talk::<N>(client, busy))).collect();
                runtime.block_on(async {
                    let mut clients = Vec::new();
                    for talk in talks {
                        clients.push(talk.await);
                    }
                    clients
                })
            });
            clients = connections;
            ns / (trips(busy) * busy) as f64
        })
    }
    Row::new(name, move || {
        vec![contender::<Heist>(busy, idle), contender::<Tokio>(busy, idle), contender::<Smol>(busy, idle)]
    })
}

const MESSAGE: usize = 1024;

/// Round trips per connection and round.
fn trips(connections: usize) -> usize {
    6400 / connections.max(4)
}

/// The clients' ends of connections to a server that echoes; and of those that stay silent.
async fn open<N: Network>(busy: usize, idle: usize) -> (Vec<N::Stream>, Vec<N::Stream>) {
    let (listener, address) = N::listen().await.expect("loopback is there");
    let server = N::spawn_inside(async move {
        for _ in 0..busy + idle {
            let stream = N::accept(&listener).await.expect("there are descriptors enough");
            drop(N::spawn_inside(echo::<N>(stream)));
        }
    });
    let mut clients = Vec::new();
    for _ in 0..busy + idle {
        clients.push(N::connect(address).await.expect("the server listens"));
    }
    server.await;
    let silent = clients.split_off(busy);
    (clients, silent)
}

async fn echo<N: Network>(mut stream: N::Stream) {
    let mut message = [0; MESSAGE];
    while N::read_exact(&mut stream, &mut message).await.is_ok() {
        N::write_all(&mut stream, &message).await.expect("the client reads");
    }
}

async fn talk<N: Network>(mut stream: N::Stream, connections: usize) -> N::Stream {
    let (message, mut answer) = ([7; MESSAGE], [0; MESSAGE]);
    for _ in 0..trips(connections) {
        N::write_all(&mut stream, &message).await.expect("the server reads");
        N::read_exact(&mut stream, &mut answer).await.expect("the server answers");
        assert_eq!(answer[MESSAGE - 1], 7, "each byte comes back");
    }
    stream
}
