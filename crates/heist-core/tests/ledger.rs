//! The ledger: of very many jobs of every kind none is lost and none runs twice.

mod common;

use common::{pool, submit_task, watchdog_for};
use heist_core::{ThreadPool, join, scope, scope_fifo, spawn, spawn_fifo, yield_local};
use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

const WORD: usize = u64::BITS as usize;

/// One bit per job, set when it runs.
struct Ledger {
    words: Vec<AtomicU64>,
    twice: AtomicUsize,
}

impl Ledger {
    fn new(jobs: usize) -> Arc<Self> {
        let words = (0..jobs.div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Ledger { words, twice: AtomicUsize::new(0) })
    }

    fn note(&self, job: usize) {
        let bit = 1 << (job % WORD);
        if self.words[job / WORD].fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            self.twice.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn assert_each_once(&self, jobs: usize) {
        let ran: usize =
            self.words.iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum();
        let twice = self.twice.load(Ordering::Relaxed);
        assert_eq!((jobs - ran, twice), (0, 0), "lost and run twice, of {jobs}");
    }
}

/// Shares out the jobs: halves down to the words of the ledger, then each word's jobs as one kind or another.
fn share(pool: &Arc<ThreadPool>, ledger: &Arc<Ledger>, words: Range<usize>) {
    let length = words.len();
    if length > 1 {
        let middle = words.start + length / 2;
        let (left, right) = (words.start..middle, middle..words.end);
        join(|| share(pool, ledger, left), || share(pool, ledger, right));
    } else if length == 1 {
        let word = words.start;
        let jobs = word * WORD..(word + 1) * WORD;
        let note = |job| {
            let ledger = ledger.clone();
            move || ledger.note(job)
        };
        match word % 32 {
            0 => scope(|s| jobs.for_each(|job| s.spawn(move |_| ledger.note(job)))),
            1 => scope_fifo(|s| jobs.for_each(|job| s.spawn_fifo(move |_| ledger.note(job)))),
            2 => jobs.for_each(|job| spawn(note(job))),
            3 => jobs.for_each(|job| spawn_fifo(note(job))),
            4 => jobs.for_each(|job| pool.spawn_at(job % pool.current_num_threads(), note(job))),
            5 => jobs.for_each(|job| submit_task(pool, note(job))),
            6 => std::thread::scope(|threads| {
                threads.spawn(|| jobs.for_each(|job| pool.spawn(note(job))));
            }),
            // The first half runs the second one, and leaves another job in its place.
            7 => jobs.step_by(2).for_each(|job| {
                let first = || {
                    yield_local();
                    spawn(note(job));
                };
                join(first, || ledger.note(job + 1));
            }),
            _ => halve(ledger, jobs),
        }
    }
}

fn halve(ledger: &Ledger, jobs: Range<usize>) {
    if jobs.len() == 1 {
        return ledger.note(jobs.start);
    }
    let middle = jobs.start + jobs.len() / 2;
    join(|| halve(ledger, jobs.start..middle), || halve(ledger, middle..jobs.end));
}

/// Runs `rounds` times `jobs` jobs.
fn keep_books(workers: usize, jobs: usize, rounds: usize) {
    for _ in 0..rounds {
        let (pool, ledger) = (Arc::new(pool(workers)), Ledger::new(jobs));
        pool.install(|| share(&pool, &ledger, 0..ledger.words.len()));
        // Here too: where a job ran in place of another, the shutdown would wait for that one.
        assert_eq!(ledger.twice.load(Ordering::Relaxed), 0, "run twice");
        Arc::into_inner(pool).expect("no job keeps it").shutdown();
        ledger.assert_each_once(jobs);
    }
}

#[test]
fn of_a_hundred_million_jobs_none_is_lost_and_none_runs_twice() {
    watchdog_for(Duration::from_secs(400), || {
        let rounds = if cfg!(debug_assertions) { 1 } else { 25 };
        // 2²⁰ jobs a time: 105 million in all.
        for workers in [1, 2, 3, 8] {
            keep_books(workers, 1 << 20, rounds);
        }
    });
}

#[test]
#[ignore = "runs for minutes; cargo xtask ledger --long"]
fn of_ten_billion_jobs_none_is_lost_and_none_runs_twice() {
    watchdog_for(Duration::from_secs(24 * 3600), || {
        for workers in [2, 3, 4, 16, 65] {
            keep_books(workers, 1 << 24, 120);
        }
    });
}
