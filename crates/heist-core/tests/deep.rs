//! A worker that has used half of its stack takes next to nothing while it waits; nothing may depend on it.

mod common;

use common::{Gate, builder, pool, sleeping, wait_until, watchdog};
use heist_core::{ThreadPool, current_thread_index, join, scope, spawn, spawn_broadcast, yield_now};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// A stack of which [`deep`] uses more than half.
const STACK: usize = 256 << 10;

#[inline(never)]
fn deep<R>(f: impl FnOnce() -> R) -> R {
    let ballast = [1_u8; STACK / 8 * 5];
    let result = f();
    std::hint::black_box(&ballast);
    result
}

fn small_pool(workers: usize) -> ThreadPool {
    builder(workers).stack_size(STACK).build().unwrap()
}

/// Runs a test on a thread with such a stack, to be adopted by a pool.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    watchdog(|| thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap());
}

/// Says where it runs.
fn place_where() -> (impl FnOnce() + Send + 'static, impl FnOnce() -> usize) {
    let (sender, receiver) = mpsc::channel();
    (move || sender.send(current_thread_index().unwrap()).unwrap(), move || receiver.recv().unwrap())
}

#[test]
fn a_job_placed_with_one_who_waits_deep_is_stolen_by_a_sleeper() {
    watchdog(|| {
        let pool = small_pool(3);
        let (began, end) = (Gate::default(), Gate::default());
        let (own_began, own_end) = (began.clone(), end.clone());
        let (at, waiter) = mpsc::channel();
        pool.spawn(move || {
            deep(|| {
                at.send(current_thread_index().unwrap()).unwrap();
                let half = || {
                    own_began.open();
                    own_end.pass();
                };
                join(|| own_began.pass(), half);
            });
        });
        let waiter = waiter.recv().unwrap();
        began.pass();
        wait_until(|| sleeping(&pool) == 2);
        let (job, at) = place_where();
        pool.spawn_at(waiter, job);
        assert_ne!(at(), waiter);
        end.open();
    });
}

/// Worker 0 is busy, the others wait for another pool, worker 1 deep.
#[test]
fn a_job_that_one_who_waits_deep_may_not_take_wakes_another_who_waits() {
    watchdog(|| {
        let other = Arc::new(pool(2));
        let pool = small_pool(3);
        let (own, end) = (other.clone(), Gate::default());
        let wait = end.clone();
        pool.spawn_broadcast(move |context| match context.index() {
            0 => wait.pass(),
            1 => deep(|| own.install(|| wait.pass())),
            _ => own.install(|| wait.pass()),
        });
        wait_until(|| sleeping(&pool) == 2);
        let (job, at) = place_where();
        pool.spawn_at(0, job);
        assert_eq!(at(), 2);
        end.open();
    });
}

#[test]
fn pools_may_call_each_other_though_all_their_stacks_are_half_used() {
    watchdog(|| {
        let [a, b] = [(), ()].map(|()| small_pool(1));
        let answer = a.install(|| {
            deep(|| b.install(|| deep(|| a.install(|| b.install(|| a.install(current_thread_index))))))
        });
        assert_eq!(answer, Some(0));
    });
}

/// The one worker of the pool waits, deep, for jobs that can only come to it from outside.
#[test]
fn a_scope_gets_its_jobs_from_outside_though_its_stack_is_half_used() {
    watchdog(|| {
        let pool = small_pool(1);
        let (other, ran) = (common::pool(1), AtomicUsize::new(0));
        let count = || _ = ran.fetch_add(1, Ordering::SeqCst);
        pool.install(|| {
            deep(|| {
                scope(|s| {
                    s.spawn(|s| {
                        other.install(|| (0..100).for_each(|_| s.spawn(|_| count())));
                        thread::scope(|t| _ = t.spawn(|| (0..100).for_each(|_| s.spawn(|_| count()))));
                    });
                });
            });
        });
        assert_eq!(ran.load(Ordering::SeqCst), 200);
        // The same for a scope that a worker of another pool opened.
        pool.install(|| {
            deep(|| other.install(|| pool.in_place_scope(|s| (0..100).for_each(|_| s.spawn(|_| count())))));
        });
        assert_eq!(ran.load(Ordering::SeqCst), 300);
    });
}

/// What a scope's own worker yielded to may have made its deque shorter than it was when the scope began.
#[test]
fn a_deep_scope_finds_its_jobs_though_older_ones_are_gone() {
    watchdog(|| {
        let pool = small_pool(1);
        let ran = Arc::new(AtomicUsize::new(0));
        let count = ran.clone();
        pool.install(move || {
            for _ in 0..3 {
                let count = count.clone();
                spawn(move || _ = count.fetch_add(1, Ordering::SeqCst));
            }
            deep(|| {
                scope(|s| {
                    (0..3).for_each(|_| _ = yield_now());
                    s.spawn(|_| _ = count.fetch_add(1, Ordering::SeqCst));
                });
            });
            assert_eq!(count.load(Ordering::SeqCst), 4);
        });
    });
}

#[test]
fn what_a_thread_without_a_loop_spawns_is_run_by_others() {
    watchdog(|| {
        let pool = builder(2).stack_size(STACK).use_current_thread().build().unwrap();
        let (job, at) = place_where();
        spawn(job);
        assert_eq!(at(), 1);
        // Also if it belongs to the scope of another worker, which waits deep; that one's job runs here.
        let [opened, begun, ran] = [(); 3].map(|()| Gate::default());
        let (open, begin, tell) = (opened.clone(), begun.clone(), ran.clone());
        pool.spawn_at(1, move || {
            deep(|| {
                scope(|s| {
                    s.spawn(|s| {
                        assert_eq!(current_thread_index(), Some(0));
                        s.spawn(|_| tell.open());
                        begin.open();
                    });
                    open.open();
                    begin.pass();
                });
            });
        });
        opened.pass();
        wait_until(|| {
            yield_now();
            begun.is_open()
        });
        ran.pass();
        pool.shutdown();
    });
}

/// What a job yields to makes the deque shorter; what it spawns then must be found all the same.
#[test]
fn a_deep_scope_finds_what_was_spawned_after_a_yield() {
    watchdog(|| {
        let [a, b] = [(), ()].map(|()| small_pool(1));
        let yielding = || {
            (0..2).for_each(|_| spawn(|| ()));
            deep(|| {
                scope(|s| {
                    s.spawn(|s| {
                        yield_now();
                        s.spawn(|_| ());
                    });
                });
            });
        };
        a.install(yielding);
        a.install(|| {
            (0..2).for_each(|_| spawn(|| ()));
            let yielding = |s: &heist_core::Scope<'_>| {
                yield_now();
                s.spawn(|_| ());
            };
            deep(|| b.install(|| a.in_place_scope(|s| s.spawn(yielding))));
        });
    });
}

#[test]
fn a_deep_worker_takes_what_a_thread_of_no_pool_waits_for() {
    watchdog(|| {
        let [a, b] = [(), ()].map(|()| small_pool(1));
        let by_install = || a.install(|| 1);
        let by_scope = || a.in_place_scope(|s| s.spawn(|_| ()));
        let elsewhere = || {
            thread::scope(|threads| {
                assert_eq!(threads.spawn(by_install).join().unwrap(), 1);
                threads.spawn(by_scope).join().unwrap();
            });
        };
        a.install(|| deep(|| b.install(elsewhere)));
    });
}

#[test]
fn a_deep_shutdown_of_an_adopted_thread_runs_what_is_left() {
    on_small_stack(|| {
        let pool = builder(1).use_current_thread().build().unwrap();
        spawn(|| ());
        thread::scope(|threads| _ = threads.spawn(|| pool.spawn(|| ())));
        deep(|| pool.shutdown());
    });
    on_small_stack(|| {
        let pool = builder(3).use_current_thread().build().unwrap();
        spawn_broadcast(|_| ());
        deep(|| pool.shutdown());
    });
}

/// The pool that is shut down waits for a job in the deque of the very worker that shuts it down.
#[test]
fn a_deep_shutdown_of_another_pool_runs_what_that_one_waits_for() {
    watchdog(|| {
        let (own, other) = (Arc::new(small_pool(1)), Arc::new(Mutex::new(None)));
        let (ended, wait) = mpsc::channel();
        let (pool, go) = (small_pool(1), Gate::default());
        let (its_own, its_other, its_go) = (own.clone(), other.clone(), go.clone());
        pool.spawn(move || {
            its_go.pass();
            its_own.in_place_scope(|s| {
                s.spawn(|s| {
                    s.spawn(|_| ());
                    spawn(move || {
                        let other: ThreadPool = its_other.lock().unwrap().take().unwrap();
                        deep(|| other.shutdown());
                        ended.send(()).unwrap();
                    });
                });
            });
        });
        *other.lock().unwrap() = Some(pool);
        go.open();
        wait.recv().unwrap();
    });
}
