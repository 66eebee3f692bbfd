//! Tasks, the seam for an async runtime: each one that is queued runs once, at a post, in its turn.

mod common;

use common::{Gate, Log, occupy, pool, submit_task, wait_until, watchdog};
use heist_core::{ThreadPool, broadcast, current_thread_index, join, scope, spawn};
use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

/// How often each of some tasks has run.
type Runs = Arc<[AtomicUsize]>;

fn runs(tasks: usize) -> Runs {
    (0..tasks).map(|_| AtomicUsize::new(0)).collect()
}

fn total(runs: &Runs) -> usize {
    runs.iter().map(|runs| runs.load(Ordering::SeqCst)).sum()
}

/// Submits task `id`, which runs and submits itself again, `times` in all.
fn submit(pool: &Arc<ThreadPool>, runs: &Runs, id: usize, times: usize) {
    let (own, runs) = ((times > 1).then(|| pool.clone()), runs.clone());
    submit_task(pool, move || {
        runs[id].fetch_add(1, Ordering::SeqCst);
        if let Some(pool) = own {
            submit(&pool, &runs, id, times - 1);
        }
    });
}

/// Submits many tasks, each to be run `times`, by `inside` a worker or from outside, and counts.
fn each_task_is_run(times: usize, inside: bool) {
    watchdog(move || {
        for workers in [1, 2, 4] {
            let (pool, runs) = (Arc::new(pool(workers)), runs(1000));
            let submit_all = || (0..1000).for_each(|id| submit(&pool, &runs, id, times));
            if inside {
                pool.install(submit_all)
            } else {
                submit_all()
            }
            wait_until(|| total(&runs) >= 1000 * times);
            wait_until(|| Arc::strong_count(&pool) == 1);
            assert!(runs.iter().all(|ran| ran.load(Ordering::SeqCst) == times), "{runs:?}");
        }
    });
}

#[test]
fn a_task_from_outside_is_run_once() {
    each_task_is_run(1, false);
}

/// More of them than fit into a ring.
#[test]
fn a_task_from_a_worker_is_run_once_through_slot_ring_and_overflow() {
    each_task_is_run(1, true);
}

#[test]
fn a_task_that_submits_itself_again_is_run_as_often() {
    each_task_is_run(20, false);
    each_task_is_run(20, true);
}

#[test]
fn one_worker_runs_its_newest_task_first_and_the_others_in_order() {
    watchdog(|| {
        let (pool, log) = (pool(1), Log::default());
        pool.install(|| {
            for i in 0..5 {
                let log = log.clone();
                submit_task(&pool, move || log.add(i));
            }
        });
        pool.shutdown();
        assert_eq!(log.take(), [4, 0, 1, 2, 3]);
    });
}

thread_local! {
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `wait` on a worker of three, of which one more is kept busy until a hundred tasks have run. So there
/// are tasks in every queue while the caller waits, and one worker that may take them.
fn a_waiter_never_runs_a_task(wait: impl FnOnce(&(dyn Fn() + Sync)) + Send + 'static) {
    watchdog(move || {
        let (pool, ran) = (Arc::new(pool(3)), runs(100));
        let (began, on_waiter) = (Gate::default(), Arc::new(AtomicUsize::new(0)));
        let submit = |id: usize| {
            let (ran, on_waiter) = (ran.clone(), on_waiter.clone());
            submit_task(&pool, move || {
                on_waiter.fetch_add(WAITS.get().into(), Ordering::SeqCst);
                ran[id].fetch_add(1, Ordering::SeqCst);
            });
        };
        let busy = || {
            assert!(!WAITS.get());
            began.open();
            (0..50).for_each(submit);
            wait_until(|| total(&ran) == 100);
        };
        std::thread::scope(|threads| {
            threads.spawn(|| {
                began.pass();
                (50..100).for_each(submit);
            });
            pool.install(|| {
                WAITS.set(true);
                wait(&|| if WAITS.get() { began.pass() } else { busy() });
                WAITS.set(false);
            });
        });
        assert_eq!(on_waiter.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn a_thread_that_waits_in_a_join_runs_no_task() {
    a_waiter_never_runs_a_task(|part| _ = join(part, part));
}

#[test]
fn a_thread_that_waits_for_a_scope_runs_no_task() {
    a_waiter_never_runs_a_task(|part| {
        scope(|s| {
            s.spawn(|_| part());
            part();
        });
    });
}

#[test]
fn a_thread_that_waits_for_another_pool_runs_no_task() {
    a_waiter_never_runs_a_task(|part| common::pool(1).install(part));
}

#[test]
fn a_task_in_the_slot_of_a_stuck_worker_is_run_by_one_that_looks_for_work() {
    watchdog(|| {
        let pool = Arc::new(pool(2));
        let (submitted, ran) = (Gate::default(), Gate::default());
        let (own, here, done) = (pool.clone(), submitted.clone(), ran.clone());
        pool.spawn(move || {
            let stuck = current_thread_index();
            let opens = done.clone();
            submit_task(&own, move || {
                assert_ne!(current_thread_index(), stuck);
                opens.open();
            });
            here.open();
            done.pass();
        });
        submitted.pass();
        // The slot wakes nobody; this does, and who is up looks there before it sleeps.
        pool.install(|| ());
        ran.pass();
    });
}

#[test]
fn two_tasks_that_wake_each_other_leave_the_ring_its_turn() {
    fn ping_pong(pool: Arc<ThreadPool>, hops: usize, third_ran_at: Arc<AtomicUsize>, end: mpsc::Sender<()>) {
        if hops == 1000 {
            return end.send(()).unwrap();
        }
        let own = pool.clone();
        let third = third_ran_at.clone();
        let _ = third_ran_at.compare_exchange(usize::MAX - 1, hops, Ordering::SeqCst, Ordering::SeqCst);
        submit_task(&pool, move || ping_pong(own, hops + 1, third, end));
    }
    watchdog(|| {
        let pool = Arc::new(pool(1));
        let third_ran_at = Arc::new(AtomicUsize::new(usize::MAX));
        let (sender, end) = mpsc::channel();
        pool.install(|| {
            let third = third_ran_at.clone();
            // Ran: the next hop writes its number in.
            submit_task(&pool, move || third.store(usize::MAX - 1, Ordering::SeqCst));
            ping_pong(pool.clone(), 0, third_ran_at.clone(), sender);
        });
        end.recv().unwrap();
        let hops = third_ran_at.load(Ordering::SeqCst);
        assert!(hops < 20, "after {hops} hops");
    });
}

/// Has a worker whose own queues are never empty, because jobs and tasks submit themselves again, stand still
/// while something is injected from outside; says how many of them run before that.
fn ticks_until(inject: fn(&ThreadPool, Box<dyn FnOnce() + Send>)) -> usize {
    const STOP_AT: usize = 1000;
    const END: usize = 20_000;

    struct Mill {
        pool: ThreadPool,
        ticks: AtomicUsize,
        reached: Gate,
        injected: Gate,
    }

    impl Mill {
        /// One more run of something; says whether it goes on.
        fn turn(&self) -> bool {
            let tick = self.ticks.fetch_add(1, Ordering::SeqCst) + 1;
            if tick == STOP_AT {
                self.reached.open();
                self.injected.pass();
            }
            tick < END
        }
    }

    fn job(mill: Arc<Mill>) {
        if mill.turn() {
            spawn(|| job(mill));
        }
    }

    fn again(mill: Arc<Mill>) {
        if mill.turn() {
            let own = mill.clone();
            submit_task(&mill.pool, || again(own));
        }
    }

    watchdog(move || {
        let (reached, injected) = (Gate::default(), Gate::default());
        let mill = Arc::new(Mill { pool: pool(1), ticks: AtomicUsize::new(0), reached, injected });
        mill.pool.install(|| {
            (0..3).for_each(|_| job(mill.clone()));
            (0..3).for_each(|_| again(mill.clone()));
        });
        mill.reached.pass();
        let (sender, receiver) = mpsc::channel();
        let own = mill.clone();
        inject(&mill.pool, Box::new(move || sender.send(own.ticks.load(Ordering::SeqCst)).unwrap()));
        mill.injected.open();
        receiver.recv().unwrap() - STOP_AT
    })
}

#[test]
fn an_injected_task_starts_within_few_ticks_though_the_own_queues_are_never_empty() {
    let ticks = ticks_until(submit_task);
    assert!(ticks < 200, "after {ticks} ticks");
}

#[test]
fn an_injected_job_starts_within_few_ticks_though_the_own_queues_are_never_empty() {
    let ticks = ticks_until(|pool, run| pool.spawn(run));
    assert!(ticks < 200, "after {ticks} ticks");
}

#[test]
fn tasks_that_are_left_when_a_pool_is_dropped_are_all_run() {
    watchdog(|| {
        for workers in [1, 3] {
            let (pool, ran) = (Arc::new(pool(workers)), runs(900));
            // In a slot, a ring and the injector, while nobody is at a post.
            let (left, gate) = (Gate::default(), occupy(&pool, |index| index > 0));
            let (own, leave, tell, wait) = (pool.clone(), ran.clone(), left.clone(), gate.clone());
            pool.spawn(move || {
                (0..600).for_each(|id| submit(&own, &leave, id, 1));
                drop(own);
                tell.open();
                wait.pass();
            });
            left.pass();
            (600..900).for_each(|id| submit(&pool, &ran, id, 1));
            drop(pool);
            gate.open();
            wait_until(|| total(&ran) == 900);
            assert!(ran.iter().all(|ran| ran.load(Ordering::SeqCst) == 1));
        }
    });
}

#[test]
fn an_injected_task_starts_within_few_ticks_though_the_injector_of_jobs_is_never_empty() {
    watchdog(|| {
        let (pool, jobs) = (pool(1), Arc::new(AtomicUsize::new(0)));
        let gate = occupy(&pool, |_| true);
        for _ in 0..10_000 {
            let jobs = jobs.clone();
            pool.spawn(move || _ = jobs.fetch_add(1, Ordering::SeqCst));
        }
        let (sender, receiver) = mpsc::channel();
        submit_task(&pool, move || sender.send(jobs.load(Ordering::SeqCst)).unwrap());
        gate.open();
        let ticks = receiver.recv().unwrap();
        assert!(ticks < 200, "after {ticks} jobs");
    });
}

#[test]
fn a_task_may_broadcast_and_spawn_while_its_pool_is_dropped() {
    watchdog(|| {
        for _ in 0..500 {
            let pool = pool(4);
            let (sender, receiver) = mpsc::channel();
            let began = Gate::default();
            let tell = began.clone();
            submit_task(&pool, move || {
                tell.open();
                assert_eq!(broadcast(|_| ()).len(), 4);
                spawn(move || sender.send(()).unwrap());
            });
            began.pass();
            drop(pool);
            receiver.recv().unwrap();
        }
    });
}

/// The slot wakes nobody, since its worker is about to return to its post; unless it waits first.
#[test]
fn a_task_in_the_slot_of_one_who_waits_is_run_by_a_sleeper() {
    watchdog(|| {
        let (pool, other) = (pool(2), common::pool(1));
        pool.install(|| {
            wait_until(|| common::sleeping(&pool) == 1);
            let ran = Gate::default();
            let tell = ran.clone();
            submit_task(&pool, move || tell.open());
            other.install(|| ran.pass());
        });
    });
}
