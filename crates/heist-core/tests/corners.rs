//! Where frames, deques and waits meet: a half that its own `join` no longer finds where it left it, a thread
//! that is a worker only now and then, a job sent to somebody who is busy.

mod common;

use common::{Gate, Log, builder, message_of, occupy, pool, submit_task, wait_until, watchdog};
use heist_core::{
    broadcast, current_thread_index, join, join_context, scope, spawn, spawn_broadcast, yield_local,
    yield_now,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Runs `inside` as the first of two halves, where it finds the second one on top of the deque, and another
/// job below it. Returns how often the second half and the job that is pushed afterwards have run.
fn a_half_is_popped_by(inside: impl FnOnce() + Send + 'static) -> (usize, usize) {
    watchdog(|| {
        let pool = pool(1);
        let (half, spawned) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (count_half, count_spawned) = (half.clone(), spawned.clone());
        pool.install(move || {
            let first = move || {
                inside();
                // It lands where the second half was.
                spawn(move || _ = count_spawned.fetch_add(1, Ordering::SeqCst));
            };
            let second = move || _ = count_half.fetch_add(1, Ordering::SeqCst);
            join(|| join(first, second), || ());
        });
        pool.shutdown();
        (half.load(Ordering::SeqCst), spawned.load(Ordering::SeqCst))
    })
}

#[test]
fn a_half_that_its_own_join_ran_while_it_waited_runs_once() {
    assert_eq!(a_half_is_popped_by(|| _ = yield_local()), (1, 1));
    assert_eq!(a_half_is_popped_by(|| scope(|s| s.spawn(|_| _ = yield_local()))), (1, 1));
    let other = pool(1);
    let gate = Gate::default();
    let opener = gate.clone();
    // The install waits long enough for its worker to find the half, which lets it end.
    let popped = a_half_is_popped_by(move || {
        thread::spawn(move || opener.open());
        other.install(|| gate.pass());
    });
    assert_eq!(popped, (1, 1));
}

#[test]
fn jobs_of_outer_frames_stay_where_they_are_when_a_half_is_found_to_have_run() {
    let log = watchdog(|| {
        let (pool, log) = (pool(1), Log::default());
        pool.install(|| {
            let inner = || {
                let first = || {
                    yield_local();
                    log.add("first ends");
                };
                join(first, || log.add("second"));
                log.add("inner returns");
            };
            join(inner, || log.add("outer second"));
        });
        log.take()
    });
    assert_eq!(log, ["second", "first ends", "inner returns", "outer second"]);
}

#[test]
fn a_half_that_its_own_thread_takes_from_the_queue_has_not_migrated() {
    let migrated = watchdog(|| {
        pool(1).install(|| {
            let first = |_| assert_eq!(yield_local(), Some(heist_core::Yield::Executed));
            join_context(first, |context| context.migrated()).1
        })
    });
    assert!(!migrated);
}

#[test]
fn a_job_sent_to_a_busy_worker_is_stolen_by_one_who_sleeps() {
    watchdog(|| {
        let pool = pool(3);
        let gate = occupy(&pool, |index| index == 0);
        wait_until(|| common::sleeping(&pool) == 2);
        let (sender, receiver) = mpsc::channel();
        pool.spawn_at(0, move || sender.send(heist_core::current_thread_index()).unwrap());
        assert_ne!(receiver.recv().unwrap(), Some(0));
        gate.open();
    });
}

#[test]
fn a_job_sent_to_a_thread_without_a_loop_is_stolen() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        let (sender, receiver) = mpsc::channel();
        pool.spawn_at(0, move || sender.send(()).unwrap());
        receiver.recv().unwrap();
        pool.shutdown();
    });
}

#[test]
fn tasks_of_a_thread_without_a_loop_are_run_by_others() {
    for stealing in [true, false] {
        watchdog(move || {
            let pool = builder(2).use_current_thread().stealing(stealing).build().unwrap();
            let (sender, receiver) = mpsc::channel();
            for _ in 0..300 {
                let sender = sender.clone();
                submit_task(&pool, move || sender.send(()).unwrap());
            }
            receiver.iter().take(300).for_each(drop);
            pool.shutdown();
        });
    }
}

#[test]
fn a_pool_with_an_adopted_thread_can_be_shut_down_elsewhere() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        thread::spawn(|| pool.shutdown()).join().unwrap();
    });
}

#[test]
fn an_adopted_thread_may_shut_its_pool_down_inside_of_a_join() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        assert_eq!(join(move || pool.shutdown(), || 7).1, 7);
        assert_eq!(heist_core::current_thread_index(), None);
    });
}

#[test]
fn a_scope_gets_the_jobs_that_an_adopted_thread_spawns_into_it_from_outside() {
    for stealing in [true, false] {
        watchdog(move || {
            let pool = builder(2).use_current_thread().stealing(stealing).build().unwrap();
            let (lend, borrow) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
            let (ran, runs) = mpsc::channel();
            // The scope is opened by worker 1, and lent to this thread, which is worker 0 and outside of any
            // call.
            pool.spawn_at(1, move || {
                scope(|s| {
                    let (done, wait) = mpsc::channel();
                    let ran = ran.clone();
                    let spawn_one = move || {
                        s.spawn(move |_| ran.send(()).unwrap());
                        done.send(()).unwrap();
                    };
                    // SAFETY: the scope waits below until the closure has been called.
                    lend.send(unsafe { extend(Box::new(spawn_one)) }).unwrap();
                    wait.recv().unwrap();
                });
            });
            borrow.recv().unwrap()();
            runs.recv().unwrap();
            pool.shutdown();
        });
    }
}

/// # Safety
/// The closure is called, and what it borrows lives until then.
unsafe fn extend<'a>(f: Box<dyn FnOnce() + Send + 'a>) -> Box<dyn FnOnce() + Send> {
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute(f) }
}

#[test]
fn an_ended_pool_refuses_work_each_time_it_is_offered() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        drop(pool);
        for _ in 0..2 {
            assert!(message_of(|| spawn(|| ())).contains("a thread pool that has ended"));
            assert!(message_of(|| broadcast(|_| ())).contains("a thread pool that has ended"));
        }
        // What needs nobody else still works.
        assert_eq!(join(|| 1, || 2), (1, 2));
    });
}

#[test]
fn a_thread_cannot_be_a_worker_twice() {
    watchdog(|| {
        let (hold, held) = mpsc::channel();
        let keep = move |thread| hold.send(thread).map_err(|_| std::io::ErrorKind::Other.into());
        let other = builder(1).spawn_handler(keep).build().unwrap();
        let pool = pool(1);
        let thread = held.recv().unwrap();
        let text = pool.install(|| message_of(|| thread.run()));
        assert!(text.contains("a worker of one pool only"), "{text}");
        assert_eq!(pool.install(heist_core::current_thread_index), Some(0));
        drop(other);
    });
}

#[test]
fn shutdown_elsewhere_waits_for_the_jobs_of_an_adopted_thread() {
    watchdog(|| {
        let pool = builder(1).use_current_thread().build().unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let count = ran.clone();
        spawn(move || _ = count.fetch_add(1, Ordering::SeqCst));
        let ended = thread::spawn(move || {
            pool.shutdown();
            assert_eq!(ran.load(Ordering::SeqCst), 1);
        });
        assert!(!common::comes_about(|| ended.is_finished()));
        yield_now();
        ended.join().unwrap();
    });
}

/// The job that is waited for needs the very worker that waits.
#[test]
fn shutdown_on_a_worker_of_another_pool_lets_that_worker_work() {
    watchdog(|| {
        let (pool, others) = (pool(1), Arc::new(common::pool(1)));
        let (gate, own) = (Gate::default(), others.clone());
        let wait = gate.clone();
        pool.spawn(move || {
            wait.pass();
            own.install(|| ());
        });
        let (tell, ended) = mpsc::channel();
        others.spawn(move || {
            gate.open();
            pool.shutdown();
            tell.send(()).unwrap();
        });
        ended.recv().unwrap();
    });
}

#[test]
fn a_scope_goes_on_after_its_thread_has_left_the_pool() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        let (mut pool, ran) = (Some(pool), AtomicUsize::new(0));
        scope(|s| {
            pool.take().unwrap().shutdown();
            for _ in 0..3 {
                s.spawn(|_| _ = ran.fetch_add(1, Ordering::SeqCst));
            }
        });
        assert_eq!(ran.load(Ordering::SeqCst), 3);
        assert_eq!(current_thread_index(), None);
    });
}

#[test]
fn an_adopted_thread_cannot_shut_its_pool_down_inside_of_a_job() {
    watchdog(|| {
        let pool = builder(1).use_current_thread().build().unwrap();
        let (sender, text) = mpsc::channel();
        spawn(move || sender.send(message_of(|| pool.shutdown())).unwrap());
        yield_now();
        assert!(text.recv().unwrap().contains("which would wait for itself"));
    });
}

#[test]
fn an_adopted_thread_that_ends_runs_what_nobody_else_will() {
    for workers in [1, 2] {
        watchdog(move || {
            let ran = Arc::new(AtomicUsize::new(0));
            let count = ran.clone();
            let adopt = move || {
                let pool = builder(workers).use_current_thread().build().unwrap();
                let errand = count.clone();
                spawn_broadcast(move |_| _ = errand.fetch_add(1, Ordering::SeqCst));
                spawn(move || _ = count.fetch_add(1, Ordering::SeqCst));
                pool
            };
            thread::spawn(adopt).join().unwrap().shutdown();
            assert_eq!(ran.load(Ordering::SeqCst), workers + 1);
        });
    }
}

/// The broadcast may come just before the pool's end, or be refused; it may not get stuck in between.
#[test]
fn a_broadcast_races_with_the_end_of_its_pool() {
    watchdog(|| {
        for _ in 0..100 {
            // Each time another thread, since one that was adopted stays in its pool.
            thread::spawn(|| {
                let pool = builder(2).use_current_thread().build().unwrap();
                let dropper = thread::spawn(move || drop(pool));
                while std::panic::catch_unwind(|| broadcast(|_| ())).is_ok() {}
                dropper.join().unwrap();
            })
            .join()
            .unwrap();
        }
    });
}
