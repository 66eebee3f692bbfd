//! `scope` and its kin: jobs may borrow, and no scope ends before its jobs.

mod common;

use common::{Gate, Log, pool, wait_until, watchdog};
use heist_core::{
    Scope, ScopeFifo, current_thread_index, in_place_scope, in_place_scope_fifo, scope, scope_fifo,
};
use std::{
    hint::spin_loop,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn jobs_may_borrow_what_outlives_the_scope() {
    watchdog(|| {
        let mut squares = vec![0; 100];
        scope(|s| {
            for (i, square) in squares.iter_mut().enumerate() {
                s.spawn(move |_| *square = i * i);
            }
        });
        assert!(squares.into_iter().eq((0..100).map(|i| i * i)));
    });
}

#[test]
fn a_scope_returns_what_its_closure_returns_after_its_jobs() {
    watchdog(|| {
        let pool = pool(2);
        let ran = AtomicUsize::new(0);
        let job = |_: &Scope<'_>| count(&ran);
        let job_fifo = |_: &ScopeFifo<'_>| count(&ran);
        for jobs in [0, 1, 1000] {
            ran.store(0, Ordering::Relaxed);
            assert_eq!(pool.scope(|s| (0..jobs).map(|_| s.spawn(job)).count()), jobs);
            assert_eq!(pool.in_place_scope(|s| (0..jobs).map(|_| s.spawn(job)).count()), jobs);
            assert_eq!(pool.scope_fifo(|s| (0..jobs).map(|_| s.spawn_fifo(job_fifo)).count()), jobs);
            assert_eq!(pool.in_place_scope_fifo(|s| (0..jobs).map(|_| s.spawn_fifo(job_fifo)).count()), jobs);
            assert_eq!(ran.load(Ordering::Relaxed), 4 * jobs);
        }
    });
}

#[test]
fn jobs_may_spawn_jobs_into_their_scope() {
    fn tree<'scope>(s: &Scope<'scope>, depth: u32, nodes: &'scope AtomicUsize) {
        count(nodes);
        if depth > 0 {
            s.spawn(move |s| tree(s, depth - 1, nodes));
            s.spawn(move |s| tree(s, depth - 1, nodes));
        }
    }
    watchdog(|| {
        for workers in [1, 2, 8] {
            let nodes = AtomicUsize::new(0);
            pool(workers).scope(|s| tree(s, 12, &nodes));
            assert_eq!(nodes.into_inner(), (1 << 13) - 1);
        }
    });
}

#[test]
fn one_worker_runs_the_newest_job_of_a_scope_first() {
    watchdog(|| {
        let log = Log::default();
        pool(1).scope(|s| {
            s.spawn(|_| log.add("oldest"));
            s.spawn(|s| {
                log.add("newest");
                s.spawn(|_| log.add("newer still"));
            });
        });
        assert_eq!(log.take(), ["newest", "newer still", "oldest"]);
    });
}

#[test]
fn one_worker_runs_the_oldest_job_of_a_fifo_scope_first() {
    watchdog(|| {
        let log = Log::default();
        pool(1).scope_fifo(|s| {
            s.spawn_fifo(|s| {
                log.add(0);
                s.spawn_fifo(|_| log.add(200));
            });
            for i in 1..200 {
                let log = &log;
                s.spawn_fifo(move |_| log.add(i));
            }
        });
        assert!(log.take().into_iter().eq(0..=200));
    });
}

#[test]
fn fifo_scopes_inside_each_other_keep_an_order_each() {
    watchdog(|| {
        let log = Log::default();
        pool(1).scope_fifo(|outer| {
            let log = &log;
            for i in 0..3 {
                outer.spawn_fifo(move |_| log.add(("outer", i)));
            }
            scope_fifo(|inner| {
                for i in 0..3 {
                    inner.spawn_fifo(move |_| log.add(("inner", i)));
                }
            });
            log.add(("closure", 0));
        });
        let log = log.take();
        let of = |kind| log.iter().filter(move |entry| entry.0 == kind).map(|entry| entry.1);
        assert!(of("inner").eq(0..3) && of("outer").eq(0..3), "{log:?}");
        let place = |entry| log.iter().position(|e| *e == entry).unwrap();
        assert!(place(("inner", 2)) < place(("closure", 0)), "{log:?}");
    });
}

#[test]
fn a_scope_in_place_runs_its_closure_on_the_calling_thread_and_its_jobs_on_workers() {
    watchdog(|| {
        let caller = thread::current().id();
        let not_send = Rc::new(5);
        let worker = Gate::default();
        let job = || {
            assert!(current_thread_index().is_some());
            worker.open();
        };
        let returned = in_place_scope(|s| {
            assert_eq!(thread::current().id(), caller);
            s.spawn(|_| job());
            *not_send
        });
        assert_eq!(returned, 5);
        assert!(worker.is_open());
        let returned = in_place_scope_fifo(|s| {
            assert_eq!(thread::current().id(), caller);
            s.spawn_fifo(|_| job());
            Rc::strong_count(&not_send)
        });
        assert_eq!(returned, 1);
    });
}

#[test]
fn another_thread_may_spawn_into_a_scope() {
    watchdog(|| {
        let ran = AtomicUsize::new(0);
        let pool = pool(2);
        pool.scope(|s| {
            thread::scope(|threads| {
                for _ in 0..4 {
                    threads.spawn(|| (0..250).for_each(|_| s.spawn(|_| count(&ran))));
                }
            });
        });
        pool.in_place_scope_fifo(|s| {
            thread::scope(|threads| threads.spawn(|| s.spawn_fifo(|_| count(&ran))).join().unwrap());
        });
        assert_eq!(ran.into_inner(), 1001);
    });
}

#[test]
fn a_job_runs_in_the_pool_of_its_scope_whoever_spawned_it() {
    watchdog(|| {
        let (ours, theirs) = (pool(1), pool(1));
        let is_ours = || assert_eq!(ours.current_thread_index(), Some(0));
        let ran = AtomicUsize::new(0);
        ours.scope(|s| {
            theirs.install(|| {
                assert_eq!(ours.current_thread_index(), None);
                s.spawn(|_| {
                    is_ours();
                    count(&ran);
                });
                // And a scope of the first pool, opened and waited for by a worker of the other.
                ours.in_place_scope(|s| {
                    s.spawn(|_| {
                        is_ours();
                        count(&ran);
                    });
                });
                assert_eq!(theirs.current_thread_index(), Some(0));
            });
            is_ours();
        });
        assert_eq!(ran.into_inner(), 2);
    });
}

#[test]
fn a_broadcast_in_a_scope_reaches_every_worker_and_is_waited_for() {
    watchdog(|| {
        for workers in [1, 2, 5] {
            let pool = pool(workers);
            let (visits, more) = (Log::default(), AtomicUsize::new(0));
            pool.scope(|s| {
                s.spawn_broadcast(|s, context| {
                    assert_eq!(context.num_threads(), workers);
                    visits.add(context.index());
                    s.spawn(|_| count(&more));
                });
            });
            pool.in_place_scope_fifo(|s| {
                s.spawn_broadcast(|s, context| {
                    visits.add(workers + context.index());
                    s.spawn_fifo(|_| count(&more));
                });
            });
            let mut visits = visits.take();
            visits.sort_unstable();
            assert!(visits.into_iter().eq(0..2 * workers));
            assert_eq!(more.into_inner(), 2 * workers);
        }
    });
}

#[test]
fn a_scope_waits_for_its_own_jobs_only() {
    watchdog(|| {
        let (inside, inner_ended) = (Gate::default(), Gate::default());
        pool(2).scope(|outer| {
            outer.spawn(|_| {
                inside.open();
                inner_ended.pass();
            });
            // The other worker has it now, and keeps it until the inner scope has ended.
            inside.pass();
            scope(|inner| inner.spawn(|_| ()));
            inner_ended.open();
        });
    });
}

/// Who waits prefers what may belong to its scope, but must come to what is from outside as well, however
/// little time the scope's own jobs leave it.
#[test]
fn a_scope_whose_jobs_keep_coming_lets_a_job_from_outside_run() {
    watchdog(|| {
        let pool = Arc::new(pool(2));
        let (begun, from_outside) = (Gate::default(), Gate::default());
        let (for_submitter, begins, runs) = (pool.clone(), begun.clone(), from_outside.clone());
        let submitter = thread::spawn(move || {
            begins.pass();
            for_submitter.spawn(move || runs.open());
        });
        pool.scope(|s| {
            s.spawn(|s| {
                begun.open();
                while !from_outside.is_open() {
                    s.spawn(|_| (0..100).for_each(|_| spin_loop()));
                    (0..200).for_each(|_| spin_loop());
                }
            });
            // The other worker has it: this one waits.
            begun.pass();
        });
        submitter.join().unwrap();
    });
}

#[test]
fn many_threads_may_have_a_scope_open_at_once() {
    watchdog(|| {
        let pool = pool(2);
        let ran = AtomicUsize::new(0);
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..100 {
                        pool.scope(|s| (0..10).for_each(|_| s.spawn(|_| count(&ran))));
                    }
                });
            }
        });
        assert_eq!(ran.into_inner(), 8_000);
    });
}

#[test]
fn a_scope_that_no_thread_works_for_yet_is_waited_for() {
    watchdog(|| {
        let pool = pool(1);
        let gate = common::occupy(&pool, |_| true);
        let started = AtomicUsize::new(0);
        thread::scope(|threads| {
            let waiter = threads.spawn(|| pool.in_place_scope(|s| s.spawn(|_| count(&started))));
            assert!(!common::comes_about(|| waiter.is_finished()));
            gate.open();
            wait_until(|| started.load(Ordering::Relaxed) == 1);
        });
    });
}

#[test]
fn scopes_can_be_sent_and_shared() {
    fn assert_send_and_sync<T: Send + Sync>() {}
    assert_send_and_sync::<Scope<'_>>();
    assert_send_and_sync::<ScopeFifo<'_>>();
}
