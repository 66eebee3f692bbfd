//! What each worker did, counted always.
//!
//! Only the worker itself writes its counters, with plain loads and stores; anybody may read them. They are
//! touched where a job is taken from a queue, a victim is tried or a worker blocks, never on the way of a
//! half that its own `join` takes back.

use crate::sync::{AtomicU64, Ordering};
use std::ops::Add;

/// Counters of one worker, or of a pool as a [total](PoolStats::total).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerStats {
    /// Jobs and tasks it took from a queue and ran. A half that its own `join` takes back does not count; a
    /// job that a scope was given from outside of its pool may count up to three times, by who ran it and who
    /// came too late for it.
    pub jobs: u64,
    /// Times it looked into another worker's queues for something to take.
    pub steals_tried: u64,
    /// Times it got something there.
    pub steals: u64,
    /// Times it blocked for want of work.
    pub parks: u64,
    /// Times it was woken by somebody.
    pub wakes: u64,
}

impl Add for WorkerStats {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        WorkerStats {
            jobs: self.jobs + other.jobs,
            steals_tried: self.steals_tried + other.steals_tried,
            steals: self.steals + other.steals,
            parks: self.parks + other.parks,
            wakes: self.wakes + other.wakes,
        }
    }
}

/// What the workers of a pool did since it was built; see [`ThreadPool::stats`](crate::ThreadPool::stats).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// By the worker's index.
    pub workers: Vec<WorkerStats>,
}

impl PoolStats {
    /// All workers together.
    pub fn total(&self) -> WorkerStats {
        self.workers.iter().copied().fold(WorkerStats::default(), Add::add)
    }
}

/// A number that one thread writes and all may read.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Only by its worker.
    pub(crate) fn add(&self, amount: u64) {
        // ORDERING: nothing depends on it; and one writer needs no read-modify-write.
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The live counters of one worker.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) jobs: Counter,
    pub(crate) steals_tried: Counter,
    pub(crate) steals: Counter,
    pub(crate) parks: Counter,
    pub(crate) wakes: Counter,
    /// Rounds at the post: at each one it runs something from there.
    pub(crate) rounds: Counter,
    /// Times it looked, at its post, whether something has come from outside.
    pub(crate) looks: Counter,
}

impl Counters {
    pub(crate) fn read(&self) -> WorkerStats {
        WorkerStats {
            jobs: self.jobs.get(),
            steals_tried: self.steals_tried.get(),
            steals: self.steals.get(),
            parks: self.parks.get(),
            wakes: self.wakes.get(),
        }
    }
}
