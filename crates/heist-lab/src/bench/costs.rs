//! What the single steps of fork-join cost: the table that people estimate and seldom measure.
//!
//! Fork and join can hardly be timed one by one, reading the clock costs more. So a chain of
//! nested joins is timed on its way down, which is forks only, and on its way up, which is joins
//! only.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use super::Group;
use super::library::{ForkJoin, Heist, Rayon, Sequential, Spawn, keep_all_busy};
use super::measure::{Contender, Effort, Row, median, nanos, timed};

pub const GROUP: Group = Group {
    name: "costs",
    about: "fork, join, steal, push and wake one by one; against rayon and plain calls",
    rows,
};

/// Joins within each other in a chain, and chains in a round.
const DEPTH: u32 = 64;
const CHAINS: usize = 1000;
/// Joins in a row, or pushes, in a round.
const MANY: usize = 10_000;
/// Times that a half is stolen in a round.
const STEALS: usize = 1000;
/// Times that a worker is woken in a round.
const WAKES: usize = 20;
/// After so long without work a worker sleeps.
const ASLEEP: Duration = Duration::from_millis(2);

fn rows(_: &Effort) -> Vec<Row> {
    vec![
        Row::new("fork", || chains(Chain::fork)),
        Row::new("join, nothing stolen", || chains(Chain::join)),
        Row::new("fork and join, empty halves", || {
            vec![empty_joins::<Heist>(), empty_joins::<Rayon>(), empty_joins::<Sequential>()]
        }),
        Row::new("steal: from the push to the start", || vec![steal::<Heist>(), steal::<Rayon>()]),
        Row::new("push while nobody sleeps", || vec![push::<Heist>(), push::<Rayon>()]),
        Row::new("push that wakes: the pusher's time", || {
            vec![wake::<Heist>(Wake::push), wake::<Rayon>(Wake::push)]
        }),
        Row::new("push that wakes: until the start", || {
            vec![wake::<Heist>(Wake::start), wake::<Rayon>(Wake::start)]
        }),
    ]
}

/// When a chain of nested joins began, was at its bottom, and ended.
struct Chain {
    begin: Instant,
    bottom: Instant,
    end: Instant,
}

impl Chain {
    fn fork(&self) -> Duration {
        self.bottom - self.begin
    }

    fn join(&self) -> Duration {
        self.end - self.bottom
    }
}

fn chains(part: fn(&Chain) -> Duration) -> Vec<Contender> {
    vec![chain::<Heist>(part), chain::<Rayon>(part), chain::<Sequential>(part)]
}

fn chain<L: ForkJoin>(part: fn(&Chain) -> Duration) -> Contender {
    let pool = L::new(1);
    Contender::new(L::WHO, move || {
        let total: Duration = pool.run(|place| (0..CHAINS).map(|_| part(&run_chain::<L>(place))).sum());
        nanos(total) / (CHAINS as f64 * f64::from(DEPTH))
    })
}

fn run_chain<L: ForkJoin>(place: &mut L::Place<'_>) -> Chain {
    let begin = Instant::now();
    let bottom = descend::<L>(place, black_box(DEPTH));
    Chain { begin, bottom, end: Instant::now() }
}

/// Returns the time at the bottom.
fn descend<L: ForkJoin>(place: &mut L::Place<'_>, depth: u32) -> Instant {
    if depth == 0 {
        return Instant::now();
    }
    let (bottom, ()) = L::join(place, |place| descend::<L>(place, depth - 1), |_| ());
    bottom
}

fn empty_joins<L: ForkJoin>() -> Contender {
    let pool = L::new(1);
    Contender::new(L::WHO, move || {
        let joins = |place: &mut L::Place<'_>| {
            timed(|| {
                for i in 0..MANY {
                    L::join(place, |_| black_box(i), |_| black_box(i));
                }
            })
        };
        pool.run(joins).1 / MANY as f64
    })
}

/// The other worker has just finished the half it stole before, so it is awake and searching.
fn steal<L: ForkJoin>() -> Contender {
    let pool = L::new(2);
    Contender::new(L::WHO, move || {
        pool.run(|place| {
            keep_all_busy::<L>(place);
            median((0..STEALS).map(|_| steal_once::<L>(place)).collect())
        })
    })
}

fn steal_once<L: ForkJoin>(place: &mut L::Place<'_>) -> f64 {
    let stolen = AtomicBool::new(false);
    let push = Instant::now();
    let ((), start) = L::join(
        place,
        |_| wait_for(|| stolen.load(Ordering::Acquire)),
        |_| {
            let start = Instant::now();
            stolen.store(true, Ordering::Release);
            start
        },
    );
    nanos(start - push)
}

/// The other worker is busy meanwhile: it neither sleeps nor steals.
fn push<L: Spawn>() -> Contender {
    let pool = L::new(2);
    let ran: &'static AtomicUsize = Box::leak(Box::default());
    Contender::new(L::WHO, move || {
        ran.store(0, Ordering::Relaxed);
        let ns = pool.run(|place| {
            keep_all_busy::<L>(place);
            let busy = occupy_the_other_worker(&pool);
            let ((), ns) = timed(|| {
                for _ in 0..MANY {
                    pool.spawn(|| _ = ran.fetch_add(1, Ordering::Release));
                }
            });
            busy.store(false, Ordering::Release);
            ns
        });
        wait_for(|| ran.load(Ordering::Acquire) == MANY);
        ns / MANY as f64
    })
}

/// Returns once the other worker is busy; it stays so until the flag is cleared.
fn occupy_the_other_worker(pool: &impl Spawn) -> Arc<AtomicBool> {
    let busy = Arc::new(AtomicBool::new(false));
    let flag = busy.clone();
    pool.spawn(move || {
        flag.store(true, Ordering::Release);
        wait_for(|| !flag.load(Ordering::Acquire));
    });
    wait_for(|| busy.load(Ordering::Acquire));
    busy
}

/// How long a push took that woke a sleeper, and when its job started, both from the push's begin.
pub struct Wake {
    push: Duration,
    start: Duration,
}

impl Wake {
    fn push(&self) -> Duration {
        self.push
    }

    pub fn start(&self) -> Duration {
        self.start
    }

    /// Waits until workers without work sleep, then pushes a job.
    pub fn one_of(pool: &impl Spawn) -> Self {
        sleep(ASLEEP);
        let started = Arc::new(OnceLock::new());
        let in_job = started.clone();
        let begin = Instant::now();
        pool.spawn(move || _ = in_job.set(Instant::now()));
        let push = begin.elapsed();
        loop {
            if let Some(start) = started.get() {
                let start = *start - begin;
                return Self { push, start };
            }
            // Do not spin: the system may have put the one who wakes on this very core.
            yield_now();
        }
    }
}

/// A worker pushes and stays busy; the other one sleeps.
fn wake<L: Spawn>(part: fn(&Wake) -> Duration) -> Contender {
    let pool = L::new(2);
    Contender::new(L::WHO, move || {
        let wakes = || (0..WAKES).map(|_| nanos(part(&Wake::one_of(&pool))));
        pool.run(|_| median(wakes().collect()))
    })
}

/// Spins, but not for ever: the other thread may be waiting for this very core.
fn wait_for(condition: impl Fn() -> bool) {
    for attempt in 0.. {
        if condition() {
            return;
        }
        match attempt {
            ..100 => spin_loop(),
            _ => yield_now(),
        }
    }
}
