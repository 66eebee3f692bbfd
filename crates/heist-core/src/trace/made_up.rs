//! Traces whose events and times were made up, for the tests.

use super::{
    data::Trace,
    event::{
        Event, JobId, Kind,
        What::{self, *},
    },
};
use std::time::Duration;

pub(super) const END: u64 = 1_000;

pub(super) fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

pub(super) fn trace(workers: &[&[(u64, What)]]) -> Trace {
    trace_with_caller(workers, &[])
}

pub(super) fn trace_with_caller(workers: &[&[(u64, What)]], caller: &[(u64, What)]) -> Trace {
    let events = |thread: &[(u64, What)]| -> Vec<Event> {
        assert!(thread.is_sorted_by_key(|event| event.0));
        thread.iter().map(|&(at, what)| Event { at: nanos(at), depth: 0, what }).collect()
    };
    Trace {
        duration: nanos(END),
        workers: workers.iter().map(|thread| events(thread)).collect(),
        caller: events(caller),
        outside: Vec::new(),
        lost: vec![0; workers.len() + 2],
    }
}

pub(super) fn start(job: u64) -> What {
    Started { job: JobId(job), kind: Kind::Half }
}

pub(super) fn end(job: u64) -> What {
    Ended { job: JobId(job), kind: Kind::Half }
}

pub(super) fn push(job: u64) -> What {
    Pushed { job: JobId(job), kind: Kind::Half }
}

pub(super) fn inject(job: u64) -> What {
    Injected { job: JobId(job), kind: Kind::Call }
}

pub(super) fn join(job: u64) -> What {
    Joined { job: JobId(job) }
}

pub(super) fn steal(job: u64, from: usize) -> What {
    Stolen { job: JobId(job), from }
}

/// Two workers and who calls them. One worker wakes up, steals a half and has not ended when the recording
/// does. The other ends a job from before, runs a call with a scope, waits, and polls a task from outside.
pub(super) fn example() -> Trace {
    let started = |job, kind| Started { job: JobId(job), kind };
    let ended = |job, kind| Ended { job: JobId(job), kind };
    let first = [
        (50, 2, ended(9, Kind::Job)),
        (1_200, 2, started(1, Kind::Call)),
        (1_300, 2, Opened),
        (2_000, 3, push(2)),
        (2_500, 3, Pushed { job: JobId(3), kind: Kind::Job }),
        (3_000, 3, Waiting),
        (3_100, 2, started(3, Kind::Job)),
        (3_900, 2, ended(3, Kind::Job)),
        (4_000, 2, Resumed),
        (4_000, 2, Closed),
        (4_100, 2, join(2)),
        (5_000, 2, ended(1, Kind::Call)),
        (6_000, 1, started(4, Kind::Task)),
        (7_000, 0, ended(4, Kind::Task)),
        (7_500, 2, Parked),
    ];
    // The steal is noted before the push that it follows.
    let second = [(1_700, 0, Woken), (1_900, 0, steal(2, 0)), (1_950, 0, start(2)), (9_000, 1, push(5))];
    let caller = [
        (0, 0, started(6, Kind::Closure)),
        (1_000, 0, Waiting),
        (1_050, 0, inject(1)),
        (5_050, 0, Resumed),
        (5_060, 0, join(1)),
        (10_000, 0, ended(6, Kind::Closure)),
    ];
    let outside = [(5_500, 0, Injected { job: JobId(4), kind: Kind::Task }), (5_600, 0, Waiting)];
    let events = |thread: &[(u64, u32, What)]| -> Vec<Event> {
        thread.iter().map(|&(at, depth, what)| Event { at: nanos(at), depth, what }).collect()
    };
    Trace {
        duration: nanos(10_000),
        workers: vec![events(&first), events(&second)],
        caller: events(&caller),
        outside: events(&outside),
        lost: vec![0; 4],
    }
}
