//! Polls that take too long: who hears of them, and what.

use super::handle::Shared;
use crate::{
    sync::{Arc, Ordering},
    task::Id,
};
use heist_core::task as core;
use std::{panic::Location, sync::Weak, time::Duration};

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
    /// Whether the poll is over. If not, there will be another report when it is.
    pub is_over: bool,
}

type Hook = Arc<dyn Fn(&SlowPoll) + Send + Sync>;

/// What a builder says about them.
#[derive(Clone)]
pub(super) struct Config {
    pub(super) threshold: Duration,
    pub(super) hook: Option<Hook>,
}

/// Says which task it was, if it was one: a job may take as long as it likes.
pub(super) fn report(runtime: &Weak<Shared>, config: &Config, poll: core::SlowPoll) {
    let Some(runtime) = runtime.upgrade() else { return };
    let Some(task) = runtime.tasks.find(poll.task) else { return };
    if !poll.is_over {
        runtime.slow_polls.fetch_add(1, Ordering::Relaxed);
    }
    if let Some(hook) = &config.hook {
        let (task, spawned_at) = (task.id(), task.spawned_at());
        hook(&SlowPoll { task, spawned_at, time: poll.time, is_over: poll.is_over });
    }
}
