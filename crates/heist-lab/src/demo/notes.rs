//! What a run leaves behind: what the pool's threads noted, and which task each of them began when.
//!
//! A [`Trace`] tells jobs apart by numbers of its own. Which of the program's tasks a number stands for is
//! known to the task: the first thing it does is to [say so](Log::begin). So the k-th thing that was started
//! on a worker is the k-th that was logged there.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use heist::trace::{self, Trace};

use super::recording::Kind;

/// One thing that a thread noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Nanoseconds since the recording began.
    pub at: u64,
    /// How many tasks waited in the worker's ring, if the note is about a task.
    pub depth: u32,
    pub what: Noted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    Pushed { job: u64, kind: Kind },
    Injected { job: u64, kind: Kind },
    Stolen { job: u64, from: usize },
    Started { job: u64, kind: Kind },
    Ended { job: u64 },
    Waiting,
    Resumed,
    Parked,
    Woken,
}

/// The notes of all threads of a run, each in the order it made them.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    pub workers: Vec<Vec<Note>>,
    /// Threads outside of the pool.
    pub outside: Vec<Vec<Note>>,
    /// What each worker began, by the program's number.
    pub begun: Vec<Vec<usize>>,
}

impl Notes {
    pub fn of(trace: &Trace, log: &Log) -> Self {
        let convert = |events: &[trace::Event]| events.iter().filter_map(convert).collect();
        Notes {
            workers: trace.workers().map(convert).collect(),
            // Of waiting outside, nobody wants to know.
            outside: [trace.caller(), trace.outside()].map(|events| injected(convert(events))).to_vec(),
            begun: log.begun.iter().map(|begun| lock(begun).clone()).collect(),
        }
    }
}

fn injected(mut notes: Vec<Note>) -> Vec<Note> {
    notes.retain(|note| matches!(note.what, Noted::Injected { .. }));
    notes
}

/// Leaves out the parts of broadcasts, by which tasks are placed, and what says how joins are nested.
fn convert(event: &trace::Event) -> Option<Note> {
    use trace::What;
    let what = match event.what {
        What::Pushed { job, kind } => Noted::Pushed { job: job.number(), kind: kind_of(kind)? },
        What::Injected { job, kind } => Noted::Injected { job: job.number(), kind: kind_of(kind)? },
        What::Stolen { job, from } => Noted::Stolen { job: job.number(), from },
        What::Started { job, kind } => Noted::Started { job: job.number(), kind: kind_of(kind)? },
        What::Ended { job, kind } => kind_of(kind).map(|_| Noted::Ended { job: job.number() })?,
        What::Waiting => Noted::Waiting,
        What::Resumed => Noted::Resumed,
        What::Parked => Noted::Parked,
        What::Woken => Noted::Woken,
        _ => return None,
    };
    Some(Note { at: event.at.as_nanos() as u64, depth: event.depth, what })
}

fn kind_of(kind: trace::Kind) -> Option<Kind> {
    match kind {
        trace::Kind::Half => Some(Kind::Half),
        trace::Kind::Job => Some(Kind::Job),
        trace::Kind::Task => Some(Kind::Task),
        trace::Kind::Call => Some(Kind::Call),
        _ => None,
    }
}

/// Where tasks say that they begin, and that they are over.
#[derive(Debug)]
pub struct Log {
    /// By worker.
    begun: Vec<Mutex<Vec<usize>>>,
    left: Mutex<usize>,
    none_left: Condvar,
}

impl Log {
    /// For a pool of so many workers, of which so many tasks will be [over](Self::finish).
    pub fn new(workers: usize, tasks: usize) -> Self {
        Log {
            begun: (0..workers).map(|_| Mutex::default()).collect(),
            left: Mutex::new(tasks),
            none_left: Condvar::new(),
        }
    }

    /// This worker begins the task of this number, or goes on with it.
    pub fn begin(&self, task: usize) {
        let worker = heist::current_thread_index().expect("tasks run on workers");
        lock(&self.begun[worker]).push(task);
    }

    /// A task is over.
    pub fn finish(&self) {
        let mut left = lock(&self.left);
        *left -= 1;
        if *left == 0 {
            self.none_left.notify_all();
        }
    }

    /// Waits until all tasks are over.
    pub fn wait(&self) {
        let mut left = lock(&self.left);
        while *left > 0 {
            left = self.none_left.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A task that panics has ended the process before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
