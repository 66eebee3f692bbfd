//! An HTTP server under load, in a process of its own: with nothing else to do, and while its cores compute.
//!
//! The server is the same hyper service on every runtime; see [`server`]. The load comes from this process,
//! on loopback, so it shares the cores with the server: what the server's processor time is per request says
//! more than how many requests there are in a second.

mod drip;
mod load;
mod server;

use std::rc::Rc;
use std::time::Duration;

use super::Group;
use super::measure::{Contender, Effort, Row, nanos, timed};
use crate::bench::executor::WORKERS;
pub use load::Server;
use load::is_installed;
pub use server::{ServerOptions, Setup, serve};

pub const HTTP: Group = Group {
    name: "http",
    about: "a hyper server under load from another process, on two workers; against tokio (needs wrk)",
    rows: http,
};

pub const MIXED: Group = Group {
    name: "mixed",
    about: "a hyper server's latency while its cores compute, and how much they do; against tokio and rayon",
    rows: mixed,
};

fn start(setup: Setup, computers: usize) -> Server {
    Server::start(setup, WORKERS, computers)
        .unwrap_or_else(|error| panic!("no server could be started: {error}"))
}

/// A number of a server's that is not there ends the run: there is nothing to compare.
fn expect<T>(result: std::io::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("the server cannot be measured: {error}"))
}

fn http(effort: &Effort) -> Vec<Row> {
    if !is_installed("wrk") {
        eprintln!("note: `wrk` is not installed, so there is no `http` (Debian: apt-get install wrk)");
        return Vec::new();
    }
    // A stall of the machine spoils the latencies of a round: rather many rounds than long ones.
    let (span, rounds) = if effort.quick { (1, 1) } else { (3, 3) };
    let short_rounds = if effort.quick { 1 } else { 15 };
    let row = |name: &str, span: u64, rounds: usize, figure: fn(&Server, Duration, f64) -> f64| {
        let span = Duration::from_secs(span);
        let set_up = move || {
            let setups = [Setup::HeistOffload, Setup::TokioAlone];
            let servers = setups.map(|setup| (setup, start(setup, 0)));
            // Half of what the peer can do, of which the load takes its part.
            let rate = expect(servers[1].1.flood(Duration::from_secs(1))) / 2.0;
            let contender = |(setup, server): (Setup, Server)| {
                let who = if setup == Setup::TokioAlone { "tokio" } else { setup.name() };
                Contender::new(who, move || figure(&server, span, rate))
            };
            servers.map(contender).into()
        };
        Row::new(name, set_up).rounds(rounds)
    };
    vec![
        row("server's CPU time per request, 64 connections", span, rounds, |server, span, _| {
            let before = expect(server.ask("/cpu"));
            let requests = expect(server.flood(span));
            (expect(server.ask("/cpu")) - before) / requests
        }),
        row("time per request, 64 connections", span, rounds, |server, span, _| {
            let (requests, ns) = timed(|| expect(server.flood(span)));
            ns / requests
        }),
        row("p99 latency at half of the peak", 1, short_rounds, |server, span, rate| {
            percentile(&expect(server.drip(rate, span)), 0.99)
        }),
    ]
}

/// Tasks that compute all the time: more than there are cores.
const COMPUTERS: usize = 4;

/// Requests per second that the server gets meanwhile: few enough to leave the cores to the computations.
const RATE: f64 = 200.0;

fn mixed(effort: &Effort) -> Vec<Row> {
    let span = Duration::from_secs(if effort.quick { 1 } else { 3 });
    let rounds = if effort.quick { 1 } else { 3 };
    let row = |name: &str, figure: Rc<dyn Fn(&Server) -> f64>| {
        let set_up = move || {
            let setups = [
                Setup::HeistOffload,
                Setup::TokioRayon,
                Setup::HeistDirect,
                Setup::TokioBlocking,
                Setup::TokioAlone,
            ];
            let contender = |setup: Setup| {
                let figure = figure.clone();
                // Started for its turn only: it would take the cores from the others.
                Contender::new(setup.name(), move || figure(&start(setup, COMPUTERS)))
            };
            setups.map(contender).into()
        };
        Row::new(name, set_up).rounds(rounds)
    };
    let latency = |share: f64| -> Rc<dyn Fn(&Server) -> f64> {
        Rc::new(move |server| percentile(&expect(server.drip(RATE, span)), share))
    };
    let per_computation = move |server: &Server| {
        let before = expect(server.ask("/done"));
        expect(server.drip(RATE, span));
        nanos(span) / (expect(server.ask("/done")) - before)
    };
    vec![
        row("p50 latency while cores compute", latency(0.5)),
        row("p99 latency while cores compute", latency(0.99)),
        row("longest latency while cores compute", latency(1.0)),
        row("time per computation meanwhile", Rc::new(per_computation)),
    ]
}

/// Of values in order, the one that so large a share is not above.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len() - 1;
    sorted[(last as f64 * share).ceil() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), 50.0);
        assert_eq!(percentile(&values, 0.99), 99.0);
        assert_eq!(percentile(&values, 1.0), 100.0);
        assert_eq!(percentile(&[7.0], 0.99), 7.0);
    }
}
