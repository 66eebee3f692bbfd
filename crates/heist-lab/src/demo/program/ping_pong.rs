//! Two async tasks that wake each other, in turns.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Ran, Team, record, work};
use crate::demo::history::Plan;
use crate::demo::notes::Log;
use crate::demo::recording::{History, What};
use crate::demo::setup::{Group, Setup};
use crate::words::plural;

pub fn run(setup: &Setup) -> Ran {
    let Group { count: rounds, size_us, .. } = setup.scale();
    let team = Team::of_tasks(setup.workers)?;
    let log = Arc::new(Log::new(setup.workers, 2));
    let plans = ["ping", "pong"].map(|label| Plan { size_us, label: label.to_owned() });
    let Team::Tasks(runtime) = &team else { unreachable!("made for tasks") };
    let history = record(&team, &log, &plans, || {
        let (to_ping, from_pong) = unbounded_channel();
        let (to_pong, from_ping) = unbounded_channel();
        to_ping.send(()).expect("the receiver is here");
        let ping = take_turns(rounds, size_us, from_pong, to_pong, log.clone());
        let pong = take_turns(rounds, size_us, from_ping, to_ping, log.clone());
        drop(runtime.spawn(Logged { log: log.clone(), task: 0, inner: Box::pin(ping) }));
        drop(runtime.spawn(Logged { log: log.clone(), task: 1, inner: Box::pin(pong) }));
        log.wait();
    })?;
    let facts = facts(&history);
    Ok((history, facts))
}

/// Works when it is its turn, then says that it is the other's.
async fn take_turns(
    rounds: usize,
    size_us: u64,
    mut mine: UnboundedReceiver<()>,
    other: UnboundedSender<()>,
    log: Arc<Log>,
) {
    for _ in 0..rounds {
        mine.recv().await.expect("the other one waits for our last word");
        work(size_us);
        // In the end it may be gone.
        let _ = other.send(());
    }
    log.finish();
}

/// Logs every poll of a task.
struct Logged<F> {
    log: Arc<Log>,
    task: usize,
    inner: Pin<Box<F>>,
}

impl<F: Future> Future for Logged<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.log.begin(self.task);
        self.inner.as_mut().poll(cx)
    }
}

fn facts(history: &History) -> Vec<String> {
    let starts = history.events.iter().filter(|event| matches!(event.what, What::Start { .. }));
    let workers: Vec<_> = starts.map(|event| event.worker).collect();
    let moves = workers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let turns = plural(workers.len(), "turn");
    vec![format!("{turns}, and {} from one worker to another.", plural(moves, "move"))]
}
