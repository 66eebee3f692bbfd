//! `broadcast`: once on every worker, for pools of every size and from everywhere.

mod common;

use common::{Gate, Log, SIZES, occupy, pool, wait_until, watchdog};
use heist_core::{
    BroadcastContext, broadcast, current_num_threads, current_thread_index, spawn, spawn_broadcast,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver},
    },
    thread,
};

/// The worker, and how many there are; and they had better be what the thread itself thinks.
fn place(context: BroadcastContext<'_>) -> (usize, usize) {
    assert_eq!(Some(context.index()), current_thread_index());
    assert_eq!(context.num_threads(), current_num_threads());
    (context.index(), context.num_threads())
}

fn places(workers: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..workers).map(move |index| (index, workers))
}

#[test]
fn every_worker_is_called_once_and_the_results_are_in_order() {
    watchdog(|| {
        for workers in SIZES {
            let pool = pool(workers);
            for _ in 0..3 {
                assert!(pool.broadcast(place).into_iter().eq(places(workers)));
                assert!(pool.install(|| broadcast(place)).into_iter().eq(places(workers)));
            }
        }
    });
}

#[test]
fn outside_of_a_pool_it_is_the_global_one() {
    watchdog(|| assert!(broadcast(place).into_iter().eq(places(current_num_threads()))));
}

#[test]
fn a_broadcast_may_borrow_from_the_caller() {
    watchdog(|| {
        let words = ["zero", "one", "two"];
        assert_eq!(pool(3).broadcast(|context| &words[context.index()]), ["zero", "one", "two"].each_ref());
    });
}

#[test]
fn a_worker_of_another_pool_may_call_it() {
    watchdog(|| {
        let (ours, theirs) = (pool(3), pool(5));
        assert!(ours.install(|| theirs.broadcast(place)).into_iter().eq(places(5)));
    });
}

#[test]
fn broadcasts_inside_of_broadcasts_reach_everybody_once_per_call() {
    watchdog(|| {
        for workers in [1, 2, 4, 9] {
            let pool = pool(workers);
            for _ in 0..10 {
                let calls = AtomicUsize::new(0);
                pool.broadcast(|_| broadcast(|_| calls.fetch_add(1, Ordering::Relaxed)));
                assert_eq!(calls.into_inner(), workers * workers);
            }
        }
    });
}

#[test]
fn two_pools_may_broadcast_into_each_other() {
    watchdog(|| {
        let (ours, theirs) = (pool(3), pool(7));
        for _ in 0..20 {
            let calls = AtomicUsize::new(0);
            ours.broadcast(|_| {
                theirs.broadcast(|_| ours.broadcast(|_| calls.fetch_add(1, Ordering::Relaxed)))
            });
            assert_eq!(calls.into_inner(), 3 * 7 * 3);
        }
    });
}

#[test]
fn several_threads_may_broadcast_at_once() {
    watchdog(|| {
        let pool = pool(4);
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    (0..100).for_each(|_| assert!(pool.broadcast(place).into_iter().eq(places(4))))
                });
            }
        });
    });
}

/// Fails unless every worker came by once.
fn assert_all_came(visits: &Receiver<(usize, usize)>, workers: usize) {
    let mut visits: Vec<_> = visits.iter().collect();
    visits.sort_unstable();
    assert!(visits.into_iter().eq(places(workers)));
}

#[test]
fn a_spawned_broadcast_calls_every_worker_once() {
    watchdog(|| {
        for workers in SIZES {
            let pool = pool(workers);
            let visitor = || {
                let (sender, visits) = mpsc::channel();
                (move |context: BroadcastContext<'_>| sender.send(place(context)).unwrap(), visits)
            };
            let (visit, visits) = visitor();
            pool.spawn_broadcast(visit);
            assert_all_came(&visits, workers);
            let (visit, visits) = visitor();
            pool.install(|| spawn_broadcast(visit));
            assert_all_came(&visits, workers);
        }
    });
}

#[test]
fn a_spawned_broadcast_outlives_its_pool() {
    watchdog(|| {
        let pool = pool(3);
        let gate = occupy(&pool, |index| index != 1);
        let (sender, visits) = mpsc::channel();
        pool.spawn_broadcast(move |context| sender.send(place(context)).unwrap());
        drop(pool);
        gate.open();
        assert_all_came(&visits, 3);
    });
}

#[test]
fn a_busy_worker_is_waited_for_and_nobody_else_takes_its_part() {
    watchdog(|| {
        let pool = pool(3);
        let gate = occupy(&pool, |index| index == 1);
        let calls = Arc::new(AtomicUsize::new(0));
        thread::scope(|threads| {
            let waiter = threads.spawn(|| {
                pool.broadcast(|context| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    place(context)
                })
            });
            wait_until(|| calls.load(Ordering::Relaxed) == 2);
            assert!(!common::comes_about(|| calls.load(Ordering::Relaxed) > 2 || waiter.is_finished()));
            gate.open();
            assert!(waiter.join().unwrap().into_iter().eq(places(3)));
        });
    });
}

#[test]
fn the_parts_of_a_broadcast_may_wait_for_each_other() {
    watchdog(|| {
        let pool = pool(8);
        let (arrived, all) = (AtomicUsize::new(0), Gate::default());
        pool.broadcast(|context| {
            if arrived.fetch_add(1, Ordering::Relaxed) + 1 == context.num_threads() {
                all.open();
            }
            all.pass();
        });
    });
}

#[test]
fn a_broadcast_comes_after_local_jobs_and_before_stolen_ones() {
    let order = watchdog(|| {
        let (pool, log) = (pool(2), Log::default());
        let (thief_may_push, thief_may_go, victim_may_go) =
            (Gate::default(), Gate::default(), Gate::default());
        let (done, pushed) = mpsc::channel();
        // Worker 1 pushes a job, and is busy until somebody has stolen it. Then worker 0 pushes its own.
        let (entries, gates) =
            (log.clone(), [thief_may_push.clone(), thief_may_go.clone(), victim_may_go.clone()]);
        pool.spawn_broadcast(move |context| {
            let [thief_may_push, thief_may_go, victim_may_go] = gates.clone();
            let names = if context.index() == 0 { &["second", "first"][..] } else { &["stolen"] };
            if context.index() == 0 {
                thief_may_push.pass();
            }
            for &name in names {
                let (entries, victim_may_go) = (entries.clone(), victim_may_go.clone());
                spawn(move || {
                    entries.add(name);
                    if name == "stolen" {
                        victim_may_go.open();
                    }
                });
            }
            done.send(()).unwrap();
            if context.index() == 0 { thief_may_go.pass() } else { victim_may_go.pass() }
        });
        pushed.recv().unwrap();
        thief_may_push.open();
        pushed.recv().unwrap();
        let part = log.clone();
        pool.spawn_broadcast(move |context| {
            if context.index() == 0 {
                part.add("broadcast");
            }
        });
        thief_may_go.open();
        wait_until(|| log.len() == 4);
        log.take()
    });
    assert_eq!(order, ["first", "second", "broadcast", "stolen"]);
}
