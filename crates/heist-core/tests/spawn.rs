//! `spawn` and its kin: jobs that nobody waits for run all the same, once, and in the promised order.

mod common;

use common::{Gate, Log, message_of, occupy, pool, watchdog};
use heist_core::{current_thread_index, spawn, spawn_fifo};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
    mpsc::{self, Sender},
};

/// Spawns three jobs on the one worker of a pool, and says in which order they ran.
fn order_of(submit: fn(Box<dyn FnOnce() + Send>)) -> Vec<usize> {
    watchdog(move || {
        let (pool, log) = (pool(1), Log::default());
        pool.install(|| {
            for i in 0..3 {
                let log = log.clone();
                submit(Box::new(move || log.add(i)));
            }
        });
        pool.shutdown();
        log.take()
    })
}

#[test]
fn one_worker_runs_its_newest_spawned_job_first() {
    assert_eq!(order_of(spawn), [2, 1, 0]);
}

#[test]
fn one_worker_runs_its_oldest_fifo_job_first() {
    assert_eq!(order_of(spawn_fifo), [0, 1, 2]);
}

#[test]
fn one_worker_takes_what_comes_from_outside_in_order() {
    watchdog(|| {
        let (pool, log) = (pool(1), Log::default());
        let gate = occupy(&pool, |_| true);
        for i in 0..1000 {
            let log = log.clone();
            let job = move || log.add(i);
            match i % 3 {
                0 => pool.spawn(job),
                _ => pool.spawn_fifo(job),
            }
        }
        gate.open();
        pool.shutdown();
        assert!(log.take().into_iter().eq(0..1000));
    });
}

#[test]
fn a_job_from_outside_runs_on_a_worker() {
    watchdog(|| {
        let (sender, receiver) = mpsc::channel();
        let report = |sender: &Sender<_>| {
            let sender = sender.clone();
            move || sender.send(current_thread_index()).unwrap()
        };
        spawn(report(&sender));
        spawn_fifo(report(&sender));
        let pool = pool(2);
        pool.spawn(report(&sender));
        pool.spawn_fifo(report(&sender));
        pool.spawn_at(1, report(&sender));
        assert!(receiver.iter().take(5).all(|index| index.is_some()));
    });
}

#[test]
fn a_job_goes_to_the_pool_that_was_asked_not_to_the_one_that_asks() {
    watchdog(|| {
        let (asking, asked) = (pool(1), Arc::new(pool(1)));
        let (sender, receiver) = mpsc::channel();
        asking.install(|| {
            for submit in [heist_core::ThreadPool::spawn, heist_core::ThreadPool::spawn_fifo] {
                let (sender, pool) = (sender.clone(), asked.clone());
                submit(&asked, move || sender.send(pool.current_thread_index()).unwrap());
            }
        });
        assert!(receiver.iter().take(2).all(|index| index == Some(0)));
    });
}

#[test]
fn a_placed_job_is_run_by_its_addressee_if_the_others_are_busy() {
    watchdog(|| {
        let workers = 4;
        let pool = pool(workers);
        for addressee in 0..workers {
            let gate = occupy(&pool, move |index| index != addressee);
            let (sender, receiver) = mpsc::channel();
            pool.spawn_at(addressee, move || sender.send(current_thread_index()).unwrap());
            assert_eq!(receiver.recv(), Ok(Some(addressee)));
            gate.open();
        }
    });
}

#[test]
fn a_placed_job_of_a_busy_addressee_is_stolen_by_a_worker_that_looks_for_work() {
    watchdog(|| {
        let pool = pool(2);
        let busy = occupy(&pool, |index| index == 0);
        let thief = occupy_one(&pool, 1);
        let (sender, receiver) = mpsc::channel();
        pool.spawn_at(0, move || sender.send(current_thread_index()).unwrap());
        thief.open();
        assert_eq!(receiver.recv(), Ok(Some(1)));
        busy.open();
    });
}

/// Keeps one worker busy, of which it is known that it is the only one that is not.
fn occupy_one(pool: &heist_core::ThreadPool, worker: usize) -> Gate {
    let (arrived, gate) = (Gate::default(), Gate::default());
    let (here, wait) = (arrived.clone(), gate.clone());
    pool.spawn_at(worker, move || {
        here.open();
        wait.pass();
    });
    arrived.pass();
    gate
}

#[test]
fn there_must_be_a_worker_where_a_job_is_placed() {
    watchdog(|| {
        let pool = pool(2);
        assert_eq!(message_of(|| pool.spawn_at(2, || ())), "heist: there is no worker 2 in a pool of 2");
        // The pool was not touched by it: it can still come to its end.
        pool.shutdown();
    });
}

#[test]
fn pending_jobs_are_finished_after_the_pool_was_dropped() {
    watchdog(|| {
        for workers in [1, 3] {
            let pool = pool(workers);
            let gate = occupy(&pool, |_| true);
            let (sender, receiver) = mpsc::channel();
            for i in 0..400 {
                let sender = sender.clone();
                let job = move || sender.send(i).unwrap();
                match i % 4 {
                    0 => pool.spawn(job),
                    1 => pool.spawn_fifo(job),
                    2 => pool.spawn_at(i % workers, job),
                    _ => pool.spawn_broadcast(move |context| {
                        if context.index() == 0 {
                            job()
                        }
                    }),
                }
            }
            drop((pool, sender));
            gate.open();
            let mut ran: Vec<_> = receiver.iter().collect();
            ran.sort_unstable();
            assert!(ran.into_iter().eq(0..400));
        }
    });
}

#[test]
fn a_job_may_spawn_into_its_pool_after_that_was_dropped() {
    fn chain(links: usize, end: Sender<usize>) {
        match links {
            0 => end.send(current_thread_index().unwrap()).unwrap(),
            _ if links.is_multiple_of(2) => spawn(move || chain(links - 1, end)),
            _ => spawn_fifo(move || chain(links - 1, end)),
        }
    }
    watchdog(|| {
        let pool = pool(2);
        let gate = occupy(&pool, |_| true);
        let (sender, receiver) = mpsc::channel();
        pool.spawn(move || chain(1000, sender));
        drop(pool);
        gate.open();
        assert!(receiver.recv().is_ok());
    });
}

#[test]
fn jobs_that_spawn_jobs_all_run() {
    fn tree(depth: u32, nodes: Arc<AtomicUsize>) {
        nodes.fetch_add(1, Ordering::Relaxed);
        if depth > 0 {
            let (left, right) = (nodes.clone(), nodes);
            spawn(move || tree(depth - 1, left));
            spawn_fifo(move || tree(depth - 1, right));
        }
    }
    watchdog(|| {
        for workers in [1, 2, 4] {
            let pool = pool(workers);
            let nodes = Arc::new(AtomicUsize::new(0));
            let root = nodes.clone();
            pool.spawn(move || tree(13, root));
            pool.shutdown();
            assert_eq!(nodes.load(Ordering::Relaxed), (1 << 14) - 1);
        }
    });
}
