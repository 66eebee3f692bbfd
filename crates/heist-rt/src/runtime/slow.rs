//! Polls that take too long: who hears of them, and what.

use super::handle::Shared;
use crate::{
    sync::{Arc, Ordering},
    task::Id,
};
use heist_core::task as core;
use std::{collections::HashMap, panic::Location, ptr::NonNull, sync::Weak, time::Duration};

/// A task that has kept a worker from its other tasks; see
/// [`Builder::on_slow_poll`](super::Builder::on_slow_poll).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SlowPoll {
    /// Which task.
    pub task: Id,
    /// Where it was spawned.
    pub spawned_at: &'static Location<'static>,
    /// How long its poll has taken so far, to within a few milliseconds.
    pub time: Duration,
    /// Whether the poll is over. If not, there will be another report when it is, unless a spare thread runs
    /// it.
    pub is_over: bool,
}

type Hook = Arc<dyn Fn(&SlowPoll) + Send + Sync>;

/// What a builder says about them.
#[derive(Clone)]
pub(super) struct Config {
    pub(super) threshold: Duration,
    pub(super) hook: Option<Hook>,
}

impl Config {
    /// What is to be called when the pool's watch sees a slow poll.
    pub(super) fn reporter(self, runtime: Weak<Shared>) -> Box<dyn FnMut(core::SlowPoll) + Send> {
        // Those that are under way, by their worker: when they are over the task may be gone.
        let mut under_way = HashMap::new();
        Box::new(move |poll| {
            let begun = under_way.remove(&poll.worker);
            let Some((task, spawned_at)) = begun.or_else(|| find(&runtime, poll.task)) else { return };
            if !poll.is_over {
                under_way.insert(poll.worker, (task, spawned_at));
            }
            if let Some(hook) = &self.hook {
                hook(&SlowPoll { task, spawned_at, time: poll.time, is_over: poll.is_over });
            }
        })
    }
}

/// Which task it is, if it is there still; then its slow poll is counted.
fn find(runtime: &Weak<Shared>, header: NonNull<core::Header>) -> Option<(Id, &'static Location<'static>)> {
    let runtime = runtime.upgrade()?;
    let task = runtime.tasks.find(header)?;
    runtime.slow_polls.fetch_add(1, Ordering::Relaxed);
    Some((task.id(), task.spawned_at()))
}
