//! [`Trace`]: what a recording has seen, as plain data.

use super::{
    event::{Code, Entry, Event, Kind},
    numbering::number,
    tracer::{Buffer, Recording},
};
use std::time::Duration;

/// What the workers of a pool did while a closure ran.
///
/// Besides the events it has an analysis: how [busy](Self::utilisation) the workers were, how much
/// [work](Self::work) there was, and how much of it had to be done [one after the other](Self::span).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub(super) duration: Duration,
    pub(super) workers: Vec<Vec<Event>>,
    pub(super) caller: Vec<Event>,
    pub(super) outside: Vec<Event>,
    /// How many events did not fit: of each worker, then of the caller, then of all others.
    pub(super) lost: Vec<u64>,
}

impl Trace {
    /// What was recorded until it ended, after this time.
    pub(super) fn of(recording: &Recording, duration: Duration) -> Self {
        let (end, mut lost) = (duration.as_nanos() as u64, Vec::new());
        let mut read = |buffer: &Buffer| {
            let (mut entries, missing) = buffer.read();
            lost.push(missing);
            entries.retain(|entry| entry.nanos <= end);
            // Threads from outside share one.
            entries.sort_by_key(|entry| entry.nanos);
            entries
        };
        let mut threads: Vec<Vec<Entry>> = recording.workers.iter().map(|buffer| read(buffer)).collect();
        threads.push(read(&recording.caller));
        threads.push(read(&recording.outside));
        number(&mut threads);
        let mut events: Vec<Vec<Event>> =
            threads.iter().map(|entries| entries.iter().map(|entry| entry.to_event()).collect()).collect();
        let outside = events.pop().expect("pushed above");
        let caller = events.pop().expect("pushed above");
        Trace { duration, workers: events, caller, outside, lost }
    }

    /// A recording that came to nothing: it ended in the child of a fork.
    pub(super) fn of_nothing(workers: usize, duration: Duration) -> Self {
        Trace {
            duration,
            workers: vec![Vec::new(); workers],
            caller: Vec::new(),
            outside: Vec::new(),
            lost: vec![0; workers + 2],
        }
    }

    /// How long the closure ran.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// How many workers the pool has.
    pub fn num_workers(&self) -> usize {
        self.workers.len()
    }

    /// The events of each worker, by its index, in the order of time.
    pub fn workers(&self) -> impl ExactSizeIterator<Item = &[Event]> {
        self.workers.iter().map(Vec::as_slice)
    }

    /// The events of the thread that recorded, if it is no worker of the pool; else they are with that
    /// worker's.
    pub fn caller(&self) -> &[Event] {
        &self.caller
    }

    /// What other threads did that are no workers of the pool: what they injected, and waited for.
    pub fn outside(&self) -> &[Event] {
        &self.outside
    }

    /// How many events did not fit into the buffers. Zero, unless there were more than
    /// [asked for](super::Recorder::events_per_thread).
    ///
    /// If it is not, each thread has its oldest events, and the figures of the analysis tell of these only.
    pub fn lost(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// All threads in turn: the workers, the caller, all others. Of each its events, and until when it was
    /// seen: to the end, unless some of its events did not fit.
    pub(super) fn threads(&self) -> impl Iterator<Item = (&[Event], Duration)> {
        let threads = self.workers().chain([self.caller(), self.outside()]);
        threads.zip(&self.lost).map(|(events, &lost)| match events.last() {
            _ if lost == 0 => (events, self.duration),
            last => (events, last.map_or(Duration::ZERO, |event| event.at)),
        })
    }
}

/// The closure itself, as the thread that records sees it.
pub(super) fn of_closure(code: Code) -> Entry {
    Entry::about(code, 0, Kind::Closure)
}
