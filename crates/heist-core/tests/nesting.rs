//! Who waits for a half works meanwhile, on top of what waits: as deep as the stack is, and no deeper.

mod common;

use common::{builder, watchdog, watchdog_for};
use heist_core::{ThreadPool, broadcast, join, scope, spawn};
use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

const STACK: usize = 128 << 10;
const JOBS: usize = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

thread_local! {
    /// How many of the jobs below wait on this thread, each on top of the one before.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Jobs that do their best to nest.
#[derive(Default)]
struct Nest {
    started: AtomicUsize,
    ended: AtomicUsize,
    deepest: AtomicUsize,
}

impl Nest {
    /// Gives its half away, and keeps whoever took it until the next job has begun: on the thread that waits
    /// for the half, if it takes jobs meanwhile. Without a bound, all of them would end up on one stack.
    fn job(&self) {
        self.job_with(|| ());
    }

    /// The same; the half begins with `first`.
    fn job_with(&self, first: impl FnOnce() + Send) {
        let depth = self.begin();
        let stolen = AtomicBool::new(false);
        let a = || be_patient(|| stolen.load(Ordering::Relaxed));
        let b = || {
            stolen.store(true, Ordering::Relaxed);
            let started = self.started.load(Ordering::Relaxed);
            first();
            be_patient(|| self.started.load(Ordering::Relaxed) > started);
        };
        join(a, b);
        self.end(depth);
    }

    /// A job that waits by `wait`, whose part elsewhere is to call [`linger`](Self::linger).
    fn job_by(&self, wait: impl FnOnce()) {
        let depth = self.begin();
        wait();
        self.end(depth);
    }

    /// Lasts until one more job has begun.
    fn linger(&self) {
        let started = self.started.load(Ordering::Relaxed);
        be_patient(|| self.started.load(Ordering::Relaxed) > started);
    }

    fn begin(&self) -> usize {
        let depth = DEPTH.replace(DEPTH.get() + 1) + 1;
        self.deepest.fetch_max(depth, Ordering::Relaxed);
        self.started.fetch_add(1, Ordering::Relaxed);
        depth
    }

    fn end(&self, depth: usize) {
        DEPTH.set(depth - 1);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits, but not for ever.
fn be_patient(event: impl Fn() -> bool) {
    for _ in 0..100 {
        if event() {
            return;
        }
        thread::yield_now();
    }
}

/// Has `submit` submit `jobs` jobs to pools of some sizes; says how deep they nested.
fn nest(jobs: usize, submit: impl Fn(&ThreadPool, &Arc<Nest>) + Send + 'static) -> usize {
    // Every job waits for threads to get their turn.
    watchdog_for(Duration::from_secs(300), move || {
        let nest_in = |workers| {
            let (pool, nest) = (builder(workers).stack_size(STACK).build().unwrap(), Arc::default());
            submit(&pool, &nest);
            pool.shutdown();
            assert_eq!(nest.ended.load(Ordering::Relaxed), jobs);
            nest.deepest.load(Ordering::Relaxed)
        };
        [2, 4, 8].map(nest_in).into_iter().max().unwrap()
    })
}

#[test]
fn jobs_from_outside_nest_but_do_not_overflow_the_stack() {
    let deepest = nest(JOBS, |pool, nest| {
        pool.in_place_scope(|s| (0..JOBS).for_each(|_| s.spawn(|_| nest.job())));
    });
    assert!(deepest > 2, "the jobs nested no deeper than {deepest}");
}

#[test]
fn jobs_of_a_scope_do_not_overflow_the_stack() {
    nest(JOBS / 10, |pool, nest| pool.scope(|s| (0..JOBS / 10).for_each(|_| s.spawn(|_| nest.job()))));
}

#[test]
fn spawned_jobs_do_not_overflow_the_stack() {
    nest(JOBS / 10, |pool, nest| {
        pool.install(|| {
            for _ in 0..JOBS / 10 {
                let nest = nest.clone();
                spawn(move || nest.job());
            }
        });
    });
}

/// Each link is spawned by the stolen half of the one before, which is waited for meanwhile; or by the half
/// that stays, and then is left on the waiter's own deque.
#[test]
fn a_chain_of_spawned_jobs_does_not_overflow_the_stack() {
    fn link(nest: Arc<Nest>, left: usize, stays: bool) {
        let next = nest.clone();
        let spawn_next = || {
            if left > 1 {
                spawn(move || link(next, left - 1, stays));
            }
        };
        if stays {
            nest.job_by(|| _ = join(spawn_next, || nest.linger()));
        } else {
            nest.job_with(spawn_next);
        }
    }
    for stays in [false, true] {
        nest(JOBS / 10, move |pool, nest| {
            let nest = nest.clone();
            pool.spawn(move || link(nest, JOBS / 10, stays));
        });
    }
}

/// The same, with links that belong to one scope.
#[test]
fn a_chain_of_jobs_of_a_scope_does_not_overflow_the_stack() {
    fn link<'s>(s: &heist_core::Scope<'s>, nest: &'s Nest, left: usize) {
        nest.job_by(|| {
            scope(|inner| {
                inner.spawn(|_| nest.linger());
                if left > 1 {
                    s.spawn(move |s| link(s, nest, left - 1));
                }
            });
        });
    }
    nest(JOBS / 10, |pool, nest| pool.scope(|s| s.spawn(|s| link(s, nest, JOBS / 10))));
}

#[test]
fn jobs_that_open_scopes_do_not_overflow_the_stack() {
    let job = |nest: &Nest| {
        nest.job_by(|| {
            scope(|s| {
                s.spawn(|_| nest.linger());
                s.spawn(|_| nest.linger());
            });
        });
    };
    let jobs = JOBS / 50;
    nest(jobs, move |pool, nest| pool.in_place_scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest)))));
    nest(jobs, move |pool, nest| pool.scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest)))));
}

#[test]
fn jobs_that_broadcast_do_not_overflow_the_stack() {
    let jobs = JOBS / 50;
    let job = |nest: &Nest| nest.job_by(|| _ = broadcast(|_| nest.linger()));
    nest(jobs, move |pool, nest| pool.in_place_scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest)))));
    nest(jobs, move |pool, nest| pool.scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest)))));
}

#[test]
fn jobs_that_wait_for_another_pool_do_not_overflow_the_stack() {
    let (jobs, other) = (JOBS / 50, Arc::new(builder(2).build().unwrap()));
    let job = |nest: &Nest, other: &ThreadPool| nest.job_by(|| other.install(|| nest.linger()));
    let own = other.clone();
    nest(jobs, move |pool, nest| {
        pool.in_place_scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest, &own))))
    });
    let own = other.clone();
    nest(jobs, move |pool, nest| pool.scope(|s| (0..jobs).for_each(|_| s.spawn(|_| job(nest, &own)))));
    // Submitted by a worker of the other pool, which waits for them.
    let own = other.clone();
    nest(jobs, move |pool, nest| {
        own.install(|| pool.in_place_scope(|s| (0..jobs).for_each(|_| s.spawn(|_| nest.job()))));
    });
}

#[test]
fn parts_of_broadcasts_that_nobody_waits_for_do_not_overflow_the_stack() {
    let jobs = JOBS / 50 / 8 * 8;
    nest(jobs, move |pool, nest| {
        for _ in 0..jobs / pool.current_num_threads() {
            let nest = nest.clone();
            pool.spawn_broadcast(move |_| nest.job());
        }
    });
}

#[test]
fn placed_jobs_do_not_overflow_the_stack() {
    let jobs = JOBS / 50;
    nest(jobs, move |pool, nest| {
        for i in 0..jobs {
            let nest = nest.clone();
            pool.spawn_at(i % pool.current_num_threads(), move || nest.job());
        }
    });
}

#[test]
fn a_tree_of_joins_needs_no_more_stack_than_its_depth() {
    fn leaves(depth: u32) -> usize {
        if depth == 0 {
            return 1;
        }
        let (a, b) = join(|| leaves(depth - 1), || leaves(depth - 1));
        a + b
    }
    watchdog(|| {
        for workers in [2, 4, 8] {
            let pool = builder(workers).stack_size(STACK).build().unwrap();
            assert_eq!(pool.install(|| leaves(14)), 1 << 14);
        }
    });
}
