//! Where frames, deques and waits meet: a half that its own `join` no longer finds where it left it, a thread
//! that is a worker only now and then, a job sent to somebody who is busy.

mod common;

use common::{Gate, Log, builder, message_of, occupy, pool, sleeping, submit_task, wait_until, watchdog};
use heist_core::{
    broadcast, current_thread_has_pending_tasks, current_thread_index, join, join_context, scope, spawn,
    yield_local, yield_now,
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

/// A stack of which [`deep`] uses more than half.
const STACK: usize = 256 << 10;

#[inline(never)]
fn deep<R>(f: impl FnOnce() -> R) -> R {
    let ballast = [1_u8; STACK / 8 * 5];
    let result = f();
    std::hint::black_box(&ballast);
    result
}

/// Says where it runs.
fn place_where() -> (impl FnOnce() + Send + 'static, impl FnOnce() -> usize) {
    let (sender, receiver) = mpsc::channel();
    (move || sender.send(current_thread_index().unwrap()).unwrap(), move || receiver.recv().unwrap())
}

#[test]
fn a_job_placed_with_one_who_waits_deep_is_stolen_by_a_sleeper() {
    watchdog(|| {
        let pool = builder(3).stack_size(STACK).build().unwrap();
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
        let pool = builder(3).stack_size(STACK).build().unwrap();
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
        let [a, b] = [(), ()].map(|()| Arc::new(builder(1).stack_size(STACK).build().unwrap()));
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
        let pool = builder(1).stack_size(STACK).build().unwrap();
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
        let pool = builder(1).stack_size(STACK).build().unwrap();
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
        let (opened, ran) = (Gate::default(), Gate::default());
        let (open, tell) = (opened.clone(), ran.clone());
        pool.spawn_at(1, move || {
            deep(|| {
                scope(|s| {
                    s.spawn(|s| {
                        assert_eq!(current_thread_index(), Some(0));
                        s.spawn(|_| tell.open());
                    });
                    open.open();
                    wait_until(|| current_thread_has_pending_tasks() == Some(false));
                });
            });
        });
        opened.pass();
        yield_now();
        ran.pass();
        pool.shutdown();
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
