//! What can be seen of a pool at work, and how it is kept: three words per event.
//!
//! ```text
//! | nanoseconds: 64 | address of the job: 64 | depth: 32 | worker: 16 | kind: 8 | code: 8 |
//! ```
//!
//! While a recording runs, jobs are told apart by the addresses of their headers, which recur. Its end gives
//! each a number of its own ([`numbering`](super::numbering)).

use crate::job::Job;
use std::time::Duration;

/// One thing that happened to a worker, or that it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// When, since the recording began.
    pub at: Duration,
    /// How much waited in the worker's own queue then: tasks in its ring if the event is about a task, else
    /// halves and jobs in its deque. Zero for threads that are no workers of the pool.
    pub depth: u32,
    /// What it was.
    pub what: What,
}

/// What an [`Event`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// It pushed something onto a queue of its own. A half is pushed a moment before this is noted, and may
    /// have been stolen since; everything else a moment after.
    Pushed {
        /// What it pushed.
        job: JobId,
        /// What that is.
        kind: Kind,
    },
    /// It put something into a queue that is not its own: one for all, or another worker's.
    Injected {
        /// What it put there.
        job: JobId,
        /// What that is.
        kind: Kind,
    },
    /// It took something from another worker's queue. Of tasks, it may have taken more along, into its own
    /// ring.
    Stolen {
        /// What it took, and starts next.
        job: JobId,
        /// The index of the worker that it took it from.
        from: usize,
    },
    /// It began to run a job, or to poll a task. It is done when the same number has [ended](What::Ended);
    /// what it starts before that runs on top of it.
    Started {
        /// What it runs.
        job: JobId,
        /// What that is.
        kind: Kind,
    },
    /// What it started last, and has not ended before, is over. A task is over for this time. Who waits for a
    /// job may go on a moment before its end is noted; so the end of the last one may be cut off.
    Ended {
        /// What it ran.
        job: JobId,
        /// What that is.
        kind: Kind,
    },
    /// It waits for something that others do, and meanwhile may start other jobs, search or park.
    Waiting,
    /// What it waited for last, and has not resumed from before, is there.
    Resumed,
    /// Both halves of a `join` have ended, and this is the one that was pushed; or a call from outside has.
    Joined {
        /// The half, or the call.
        job: JobId,
    },
    /// A scope or a broadcast begins.
    Opened,
    /// What was opened last, and has not been closed before, is over, with all of its jobs.
    Closed,
    /// It found nothing to do and blocked.
    Parked,
    /// It was woken.
    Woken,
}

/// Which job or task an event is about: a number that no other has in the same [`Trace`](super::Trace).
///
/// A task gets a new one each time it is queued. Jobs of `spawn_fifo` are queued as tickets, and it is the
/// ticket that has the number: whoever takes it runs the job that is oldest then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub(super) u64);

impl JobId {
    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Which kind of work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The second closure of a `join`.
    Half,
    /// Spawned, or placed at a worker. Also what was queued before the recording began, and is no task.
    Job,
    /// An async task, queued to be polled once.
    Task,
    /// Something that a thread from outside waits for: `install`, or a `join` or scope that it called.
    Call,
    /// One worker's part of a broadcast.
    Part,
    /// The closure that is recorded.
    Closure,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Half, Kind::Job, Kind::Task, Kind::Call, Kind::Part, Kind::Closure];
}

/// An event as its words say it. A job is an address here, as long as it has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) nanos: u64,
    pub(crate) job: u64,
    pub(crate) depth: u32,
    pub(crate) code: Code,
    pub(crate) kind: Kind,
    pub(crate) worker: u16,
}

/// Which variant of [`What`] it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Pushed,
    Injected,
    Stolen,
    Started,
    Ended,
    Waiting,
    Resumed,
    Joined,
    Opened,
    Closed,
    Parked,
    Woken,
}

impl Code {
    const ALL: [Code; 12] = [
        Code::Pushed,
        Code::Injected,
        Code::Stolen,
        Code::Started,
        Code::Ended,
        Code::Waiting,
        Code::Resumed,
        Code::Joined,
        Code::Opened,
        Code::Closed,
        Code::Parked,
        Code::Woken,
    ];
}

impl Entry {
    /// One that has no time and no depth yet, and is about no job.
    pub(crate) fn new(code: Code) -> Self {
        Entry { nanos: 0, job: 0, depth: 0, code, kind: Kind::Job, worker: 0 }
    }

    /// One that is about a job of this kind.
    pub(crate) fn about_job(code: Code, job: Job, kind: Kind) -> Self {
        Self::about(code, job.header().addr().get() as u64, kind)
    }

    /// One that tells of a steal.
    pub(crate) fn stolen(job: Job, kind: Kind, victim: usize) -> Self {
        Entry { worker: victim as u16, ..Self::about_job(Code::Stolen, job, kind) }
    }

    /// As [`about_job`](Self::about_job), of a job whose header is at `address`.
    pub(super) fn about(code: Code, address: u64, kind: Kind) -> Self {
        Entry { job: address, kind, ..Entry::new(code) }
    }

    pub(super) fn to_words(self) -> [u64; 3] {
        let low = self.code as u64 | (self.kind as u64) << 8 | u64::from(self.worker) << 16;
        [self.nanos, self.job, low | u64::from(self.depth) << 32]
    }

    pub(super) fn from_words([nanos, job, rest]: [u64; 3]) -> Self {
        Entry {
            nanos,
            job,
            depth: (rest >> 32) as u32,
            code: Code::ALL[usize::from(rest as u8)],
            kind: Kind::ALL[usize::from((rest >> 8) as u8)],
            worker: (rest >> 16) as u16,
        }
    }

    /// As users see it, when its job is a number.
    pub(super) fn to_event(self) -> Event {
        let (job, kind) = (JobId(self.job), self.kind);
        let what = match self.code {
            Code::Pushed => What::Pushed { job, kind },
            Code::Injected => What::Injected { job, kind },
            Code::Stolen => What::Stolen { job, from: usize::from(self.worker) },
            Code::Started => What::Started { job, kind },
            Code::Ended => What::Ended { job, kind },
            Code::Waiting => What::Waiting,
            Code::Resumed => What::Resumed,
            Code::Joined => What::Joined { job },
            Code::Opened => What::Opened,
            Code::Closed => What::Closed,
            Code::Parked => What::Parked,
            Code::Woken => What::Woken,
        };
        Event { at: Duration::from_nanos(self.nanos), depth: self.depth, what }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_entry_survives_its_words() {
        for (at, &code) in Code::ALL.iter().enumerate() {
            for (which, &kind) in Kind::ALL.iter().enumerate() {
                assert_eq!((code as usize, kind as usize), (at, which), "in the order of the table");
                let entry = Entry { nanos: u64::MAX, job: 7, depth: u32::MAX, code, kind, worker: u16::MAX };
                assert_eq!(Entry::from_words(entry.to_words()), entry);
            }
        }
    }
}
