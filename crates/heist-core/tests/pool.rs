//! `ThreadPool` and its builder: how pools are born, what they know of their threads, how they end.

mod common;

use common::{
    Gate, Log, alone, assert_success, builder, comes_about, in_subprocess, message_of, occupy, pool,
    sleeping, wait_until, wait_until_asleep, watchdog,
};
use heist_core::{
    ThreadPool, ThreadPoolBuilder, Yield, current_num_threads, current_thread_has_pending_tasks,
    current_thread_index, join, join_context, max_num_threads, scope, spawn, yield_local, yield_now,
};
use std::{
    cell::Cell,
    collections::HashMap,
    env,
    error::Error,
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Counts calls, for handlers.
fn counter() -> (Arc<AtomicUsize>, impl Fn(usize) + Send + Sync + 'static) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    (count, move |_| _ = counted.fetch_add(1, Ordering::SeqCst))
}

#[test]
fn threads_have_the_names_that_were_asked_for() {
    watchdog(|| {
        let pool = builder(3).thread_name(|index| format!("robber {index}")).build().unwrap();
        let name = || thread::current().name().map(str::to_owned);
        let names: Vec<_> = pool.broadcast(|_| name()).into_iter().flatten().collect();
        assert_eq!(names, ["robber 0", "robber 1", "robber 2"]);
    });
}

#[test]
fn threads_have_the_stack_that_was_asked_for() {
    fn sum(n: u64) -> u64 {
        // Half a kilobyte per level.
        let ballast = [n; 64];
        if n == 0 { 0 } else { std::hint::black_box(ballast)[63] + sum(n - 1) }
    }
    watchdog(|| {
        // More than the usual two megabytes.
        let levels = 20_000;
        let pool = builder(2).stack_size(256 << 20).build().unwrap();
        assert_eq!(pool.install(|| sum(levels)), levels * (levels + 1) / 2);
    });
}

#[test]
fn a_pool_has_as_many_threads_as_were_asked_for() {
    watchdog(|| {
        for workers in [1, 2, 7] {
            let (started, start) = counter();
            let pool = builder(workers).start_handler(start).build().unwrap();
            assert_eq!(pool.current_num_threads(), workers);
            assert_eq!(pool.install(current_num_threads), workers);
            pool.shutdown();
            assert_eq!(started.load(Ordering::SeqCst), workers);
        }
        assert!(ThreadPoolBuilder::new().build().unwrap().current_num_threads() > 0);
    });
}

#[test]
fn the_environment_says_how_many_threads_unless_the_builder_does() {
    let test = "the_environment_says_how_many_threads_unless_the_builder_does";
    let usual = thread::available_parallelism().unwrap().to_string();
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[("HEIST_NUM_THREADS", "3")], "3"),
        (&[("RAYON_NUM_THREADS", "5")], "5"),
        (&[("HEIST_NUM_THREADS", "3"), ("RAYON_NUM_THREADS", "5")], "3"),
        (&[("HEIST_NUM_THREADS", "0"), ("RAYON_NUM_THREADS", "5")], "5"),
        (&[("HEIST_NUM_THREADS", "many")], &usual),
        (&[], &usual),
    ];
    for (variables, expected) in cases {
        let variables = [variables, &[("EXPECTED", expected)]].concat();
        let outcome = in_subprocess(test, &variables, || {
            watchdog(|| {
                let expected: usize = env::var("EXPECTED").unwrap().parse().unwrap();
                assert_eq!(ThreadPoolBuilder::new().build().unwrap().current_num_threads(), expected);
                assert_eq!(current_num_threads(), expected, "in the global pool");
                assert_eq!(pool(4).current_num_threads(), 4);
            });
        });
        let Some(output) = outcome else { return };
        assert_success(&output);
    }
}

#[test]
fn more_threads_than_a_pool_can_have_become_the_most_it_can() {
    watchdog(|| {
        let mut asked = 0;
        let refuse = |thread: heist_core::ThreadBuilder| {
            asked = thread.index() + 1;
            Ok(())
        };
        // The threads are never born: nobody gives them work.
        let pool = builder(usize::MAX).spawn_handler(refuse).build().unwrap();
        assert_eq!(pool.current_num_threads(), max_num_threads());
        drop(pool);
        assert_eq!(asked, max_num_threads());
    });
}

#[test]
fn a_spawn_handler_starts_the_threads_and_hears_what_was_asked_for() {
    watchdog(|| {
        let mut threads = Vec::new();
        let ended = Arc::new(AtomicUsize::new(0));
        let pool = builder(3)
            .thread_name(|index| format!("asked {index}"))
            .stack_size(1 << 20)
            .spawn_handler(|thread| {
                assert_eq!(thread.name(), Some(&*format!("asked {}", threads.len())));
                assert_eq!((thread.index(), thread.stack_size()), (threads.len(), Some(1 << 20)));
                let ended = ended.clone();
                let own = thread::Builder::new().name(format!("given {}", thread.index()));
                threads.push(own.spawn(move || {
                    thread.run();
                    ended.fetch_add(1, Ordering::SeqCst);
                })?);
                Ok(())
            })
            .build()
            .unwrap();
        let names = pool.broadcast(|_| thread::current().name().map(str::to_owned));
        assert_eq!(names, ["given 0", "given 1", "given 2"].map(|name| Some(name.to_owned())));
        drop(pool);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(ended.load(Ordering::SeqCst), 3);
    });
}

thread_local! {
    static LOCAL: Cell<usize> = const { Cell::new(0) };
}

#[test]
fn scoped_threads_may_borrow_and_have_ended_when_the_call_returns() {
    watchdog(|| {
        let numbers = [10, 20, 30];
        let ended = AtomicUsize::new(0);
        let locals = builder(3).build_scoped(
            |thread| {
                LOCAL.set(numbers[thread.index()]);
                thread.run();
                ended.fetch_add(1, Ordering::SeqCst);
            },
            |pool| pool.broadcast(|_| LOCAL.get()),
        );
        assert_eq!(locals.unwrap(), numbers);
        assert_eq!(ended.load(Ordering::SeqCst), 3);

        let panicked = message_of(|| {
            builder(2).build_scoped(
                |thread| {
                    thread.run();
                    ended.fetch_add(1, Ordering::SeqCst);
                },
                |pool| pool.install(|| -> () { panic!("inside") }),
            )
        });
        assert_eq!(panicked, "inside");
        assert_eq!(ended.load(Ordering::SeqCst), 5);
    });
}

#[test]
fn the_current_thread_may_be_a_worker_and_works_when_it_calls() {
    watchdog(|| {
        let pool = builder(1).use_current_thread().build().unwrap();
        assert_eq!((pool.current_thread_index(), current_thread_index()), (Some(0), Some(0)));
        assert_eq!(current_num_threads(), 1);
        assert_eq!(join_context(|a| a.migrated(), |b| b.migrated()), (false, false));
        let mut ran_on = None;
        scope(|s| s.spawn(|_| ran_on = Some(thread::current().id())));
        assert_eq!(ran_on, Some(thread::current().id()));
        assert_eq!(pool.install(|| thread::current().id()), thread::current().id());
        assert_eq!(pool.broadcast(|_| thread::current().id()), [thread::current().id()]);

        let (count, ran) = counter();
        let ran = Arc::new(ran);
        let job = || {
            let ran = ran.clone();
            move || ran(0)
        };
        spawn(job());
        assert_eq!(current_thread_has_pending_tasks(), Some(true));
        assert_eq!((yield_local(), yield_local()), (Some(Yield::Executed), Some(Yield::Idle)));
        thread::scope(|threads| _ = threads.spawn(|| pool.spawn(job())));
        assert_eq!((yield_now(), yield_now()), (Some(Yield::Executed), Some(Yield::Idle)));
        pool.spawn_at(0, job());
        assert_eq!((pool.yield_now(), pool.yield_local()), (Some(Yield::Executed), Some(Yield::Idle)));
        assert_eq!(count.load(Ordering::SeqCst), 3);
        pool.shutdown();
        assert_eq!((current_thread_index(), yield_now()), (None, None));
    });
}

#[test]
fn the_current_thread_and_the_started_ones_steal_from_each_other() {
    watchdog(|| {
        let pool = builder(2).use_current_thread().build().unwrap();
        let stolen = Gate::default();
        let b = join(
            || stolen.pass(),
            || {
                stolen.open();
                current_thread_index()
            },
        )
        .1;
        assert_eq!(b, Some(1));
        let (done, stolen) = (Gate::default(), Gate::default());
        let finished = done.clone();
        pool.spawn(move || {
            let place = |gate: fn(&Gate)| (gate(&stolen), current_thread_index()).1;
            let (a, b) = join(|| place(Gate::pass), || place(Gate::open));
            assert_ne!(a, b);
            finished.open();
        });
        // Whoever got the job, the half of its join is for the other one.
        wait_until(|| {
            yield_now();
            done.is_open()
        });
        pool.shutdown();
    });
}

#[test]
fn a_thread_is_in_one_pool_at_a_time_and_leaves_it_by_shutdown() {
    watchdog(|| {
        let refused = || builder(2).use_current_thread().build().unwrap_err().to_string();
        let text = "The current thread is already part of another thread pool.";
        let first = builder(2).use_current_thread().build().unwrap();
        assert_eq!(refused(), text);
        assert_eq!(pool(1).install(refused), text);
        let (count, ran) = counter();
        spawn(move || ran(0));
        first.shutdown();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert_eq!(current_thread_index(), None);
        let second = builder(3).use_current_thread().build().unwrap();
        assert_eq!((current_thread_index(), current_num_threads()), (Some(0), 3));
        second.shutdown();
    });
}

#[test]
fn a_thread_that_cannot_be_born_is_an_error_and_its_siblings_end() {
    watchdog(|| {
        for born in [0, 1, 3] {
            for use_current in [false, true] {
                let ((started, start), (ended, exit)) = (counter(), counter());
                let mut builder = builder(5).start_handler(start).exit_handler(exit);
                if use_current {
                    builder = builder.use_current_thread();
                }
                let mut left = born;
                let error = builder
                    .spawn_handler(move |thread| {
                        if left == 0 {
                            return Err(io::Error::other("no room"));
                        }
                        left -= 1;
                        thread::spawn(|| thread.run());
                        Ok(())
                    })
                    .build()
                    .unwrap_err();
                assert_eq!(error.to_string(), "no room");
                assert!(error.source().is_some_and(|source| source.is::<io::Error>()));
                assert_eq!(current_thread_index(), None);
                wait_until(|| ended.load(Ordering::SeqCst) == born);
                assert_eq!(started.load(Ordering::SeqCst), born);
            }
        }
    });
}

#[test]
fn a_stack_that_nobody_has_is_an_error() {
    watchdog(|| {
        let (absurd, (started, start)) = (usize::MAX / 2, counter());
        let error = builder(2).stack_size(absurd).start_handler(start).build().unwrap_err();
        assert!(error.source().is_some_and(|source| source.is::<io::Error>()));
        assert_eq!(started.load(Ordering::SeqCst), 0);
        assert!(builder(2).stack_size(absurd).build_scoped(|thread| thread.run(), |_| ()).is_err());
    });
}

#[test]
fn there_is_one_global_pool() {
    watchdog(|| {
        let text = "The global thread pool has already been initialized.";
        let errors: Vec<_> = (0..3).filter_map(|_| builder(2).build_global().err()).collect();
        assert!(errors.len() >= 2);
        assert!(errors.iter().all(|error| error.to_string() == text && error.source().is_none()));
    });
}

#[test]
fn the_builder_of_the_global_pool_is_obeyed() {
    alone("the_builder_of_the_global_pool_is_obeyed", || {
        builder(3).thread_name(|index| format!("global {index}")).build_global().unwrap();
        let name = || thread::current().name().map(str::to_owned);
        assert_eq!(join(current_num_threads, || ()).0, 3);
        assert!(join(name, || ()).0.unwrap().starts_with("global "));
    });
}

#[test]
fn pools_of_one_worker_may_call_each_other_in_turn() {
    watchdog(|| {
        let (a, b) = (pool(1), pool(1));
        let place = || (a.current_thread_index(), b.current_thread_index());
        for _ in 0..1000 {
            a.install(|| {
                assert_eq!(b.install(|| a.install(|| b.install(place))), (None, Some(0)));
                assert_eq!(place(), (Some(0), None));
            });
        }
        // And both at once.
        thread::scope(|threads| {
            threads.spawn(|| (0..1000).for_each(|_| a.install(|| b.install(|| ()))));
            threads.spawn(|| (0..1000).for_each(|_| b.install(|| a.install(|| ()))));
        });
    });
}

#[test]
fn a_thread_keeps_its_index() {
    watchdog(|| {
        let pool = pool(4);
        let indices = Mutex::new(HashMap::new());
        let note = || {
            let index = current_thread_index().unwrap();
            let mut indices = indices.lock().unwrap();
            assert_eq!(*indices.entry(thread::current().id()).or_insert(index), index);
        };
        for _ in 0..100 {
            pool.broadcast(|_| note());
            pool.scope(|s| (0..20).for_each(|_| s.spawn(|_| _ = join(note, note))));
        }
        assert_eq!(indices.lock().unwrap().len(), 4);
    });
}

#[test]
fn dropping_a_pool_does_not_wait_for_its_jobs() {
    watchdog(|| {
        let (ended, exit) = counter();
        let pool = builder(2).exit_handler(exit).build().unwrap();
        let gate = occupy(&pool, |_| true);
        let (sender, receiver) = mpsc::channel();
        pool.spawn(move || sender.send("ran").unwrap());
        drop(pool);
        assert_eq!(ended.load(Ordering::SeqCst), 0);
        gate.open();
        assert_eq!(receiver.recv(), Ok("ran"));
        wait_until(|| ended.load(Ordering::SeqCst) == 2);
    });
}

#[test]
fn a_pool_may_be_dropped_by_one_of_its_own_jobs() {
    watchdog(|| {
        let (ended, exit) = counter();
        let pool = Arc::new(builder(2).exit_handler(exit).build().unwrap());
        let (gate, own) = (Gate::default(), pool.clone());
        let dropped = gate.clone();
        pool.spawn(move || {
            dropped.pass();
            drop(own);
        });
        drop(pool);
        gate.open();
        wait_until(|| ended.load(Ordering::SeqCst) == 2);
    });
}

#[test]
fn shutdown_waits_for_accepted_jobs_and_for_the_threads() {
    fn chain(links: usize, ran: Arc<AtomicUsize>) {
        ran.fetch_add(1, Ordering::SeqCst);
        if links > 1 {
            spawn(move || chain(links - 1, ran));
        }
    }
    watchdog(|| {
        for workers in [1, 2, 65] {
            let (ended, exit) = counter();
            let pool = builder(workers).exit_handler(exit).build().unwrap();
            let ran = Arc::new(AtomicUsize::new(0));
            for _ in 0..50 {
                let ran = ran.clone();
                pool.spawn(move || chain(20, ran));
            }
            pool.shutdown();
            assert_eq!(ran.load(Ordering::SeqCst), 1000);
            assert_eq!(ended.load(Ordering::SeqCst), workers);
        }
    });
}

#[test]
fn shutdown_waits_for_threads_that_a_spawn_handler_started() {
    watchdog(|| {
        let (ended, exit) = counter();
        let own = builder(3).exit_handler(exit).spawn_handler(|thread| {
            thread::spawn(|| thread.run());
            Ok(())
        });
        let pool = own.build().unwrap();
        pool.spawn(|| ());
        pool.shutdown();
        assert_eq!(ended.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn a_pools_own_thread_cannot_shut_it_down() {
    watchdog(|| {
        let (ended, exit) = counter();
        let pool = Arc::new(Mutex::new(Some(builder(2).exit_handler(exit).build().unwrap())));
        let (sender, receiver) = mpsc::channel();
        let own = pool.clone();
        let attempt = move || {
            let pool = own.lock().unwrap().take().unwrap();
            sender.send(message_of(|| pool.shutdown())).unwrap();
        };
        pool.lock().unwrap().as_ref().unwrap().spawn(attempt);
        let text = "heist: ThreadPool::shutdown was called on one of the pool's own threads";
        assert!(receiver.recv().unwrap().starts_with(text));
        // The handle is gone all the same, so the pool ends.
        wait_until(|| ended.load(Ordering::SeqCst) == 2);
    });
}

#[test]
fn every_job_is_counted_by_the_worker_that_ran_it() {
    watchdog(|| {
        let pool = Arc::new(pool(3));
        assert_eq!(pool.stats().workers.len(), 3);
        let ran: Arc<[AtomicUsize; 3]> = Arc::default();
        pool.scope(|s| {
            let job = || _ = ran[current_thread_index().unwrap()].fetch_add(1, Ordering::SeqCst);
            // The scope itself.
            job();
            for _ in 0..1000 {
                s.spawn(move |_| job());
            }
            s.spawn_broadcast(move |_, _| job());
        });
        let stats = pool.stats();
        for (worker, ran) in stats.workers.iter().zip(&*ran) {
            assert_eq!(worker.jobs, ran.load(Ordering::SeqCst) as u64);
        }
        assert_eq!(stats.total().jobs, 1004);
    });
}

#[test]
fn a_half_counts_as_a_job_and_a_steal_if_it_was_stolen_only() {
    watchdog(|| {
        let pool = pool(2);
        pool.install(|| (0..100).for_each(|_| _ = join(|| (), || ())));
        let before = pool.stats().total();
        pool.install(|| {
            for _ in 0..100 {
                let stolen = Gate::default();
                join(|| stolen.pass(), || stolen.open());
            }
        });
        let after = pool.stats().total();
        assert_eq!(after.jobs - before.jobs, 101, "the closure and the halves");
        assert_eq!(after.steals - before.steals, 100);
        assert!(after.steals <= after.steals_tried);
        assert!((1..=101).contains(&before.jobs));
    });
}

#[test]
fn every_sleeper_has_parked_once_more_than_it_was_woken() {
    watchdog(|| {
        let pool = pool(4);
        let mut wakes = 0;
        while wakes < 40 {
            wait_until_asleep(&pool);
            for worker in pool.stats().workers {
                assert_eq!(worker.parks, worker.wakes + 1);
            }
            pool.broadcast(|_| ());
            wakes = pool.stats().total().wakes;
        }
    });
}

fn honest(workers: usize) -> ThreadPool {
    builder(workers).stealing(false).build().unwrap()
}

#[test]
fn without_stealing_a_worker_runs_what_it_pushed_and_what_was_placed_with_it() {
    watchdog(|| {
        let pool = honest(2);
        let gate = occupy(&pool, |index| index == 0);
        let log = Log::default();
        let note = |name| {
            let log = log.clone();
            move || log.add((name, current_thread_index()))
        };
        let (spawned, fifo) = (note("spawned"), note("fifo"));
        pool.spawn_at(0, move || {
            spawn(spawned);
            heist_core::spawn_fifo(fifo);
        });
        pool.spawn_at(0, note("placed"));
        // The other worker had its chance.
        wait_until(|| sleeping(&pool) == 1);
        assert!(!comes_about(|| sleeping(&pool) != 1));
        gate.open();
        pool.shutdown();
        let mut log = log.take();
        log.sort_unstable();
        assert_eq!(log, ["fifo", "placed", "spawned"].map(|name| (name, Some(0))));
    });
}

#[test]
fn without_stealing_halves_stay_where_they_are() {
    fn tree(depth: u32) -> usize {
        if depth == 0 {
            return 1;
        }
        let half = |context: heist_core::FnContext| {
            assert!(!context.migrated());
            tree(depth - 1)
        };
        let (a, b) = join_context(half, half);
        a + b
    }
    watchdog(|| {
        let pool = honest(3);
        assert_eq!(pool.broadcast(|_| tree(8)), [1 << 8; 3]);
        assert_eq!(pool.stats().total().steals_tried, 0);
    });
}

#[test]
fn without_stealing_work_from_outside_still_reaches_everybody() {
    watchdog(|| {
        let pool = honest(3);
        let rounds = 50;
        for _ in 0..rounds {
            wait_until_asleep(&pool);
            assert_eq!(pool.install(|| 5), 5);
            wait_until_asleep(&pool);
            assert_eq!(pool.broadcast(|context| context.index()), [0, 1, 2]);
            for index in 0..3 {
                let (sender, receiver) = mpsc::channel();
                pool.spawn_at(index, move || sender.send(current_thread_index()).unwrap());
                assert_eq!(receiver.recv(), Ok(Some(index)));
            }
        }
        // A worker that is busy leaves what comes from outside to the others.
        let gate = occupy(&pool, |index| index != 2);
        assert_eq!(pool.install(current_thread_index), Some(2));
        gate.open();
    });
}
