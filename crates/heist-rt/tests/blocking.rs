//! Tasks that block, on threads of their own.

mod common;

use common::{Count, Gate, Log, message_of, quiet_panic, wait_until, watchdog, with_runtime};
use heist_rt::{
    runtime::{Builder, Handle, Runtime},
    task::{self, JoinHandle},
};
use std::{
    collections::HashSet,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

fn limited(threads: usize, keep_alive: Duration) -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).max_blocking_threads(threads).thread_keep_alive(keep_alive).build().unwrap()
}

#[test]
fn a_blocking_task_runs_on_a_thread_that_is_no_worker() {
    with_runtime(1, |runtime| {
        let worker = runtime.block_on(runtime.spawn(async { thread::current().id() })).unwrap();
        let task = runtime.spawn(async {
            task::spawn_blocking(|| (thread::current().id(), heist_core::current_thread_index())).await
        });
        let (blocking, index) = runtime.block_on(task).unwrap().unwrap();
        assert!(blocking != worker && blocking != thread::current().id());
        assert_eq!(index, None);
    });
}

#[test]
fn as_many_block_at_once_as_there_are_threads() {
    watchdog(|| {
        let runtime = limited(20, Duration::from_secs(60));
        let barrier = Arc::new(Barrier::new(20));
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let barrier = barrier.clone();
                runtime.spawn_blocking(move || barrier.wait().is_leader())
            })
            .collect();
        let leaders = tasks.into_iter().map(|task| runtime.block_on(task).unwrap());
        assert_eq!(leaders.filter(|&leads| leads).count(), 1);
        assert_eq!(runtime.metrics().num_blocking_threads(), 20);
    });
}

#[test]
fn what_finds_no_thread_waits_for_one_in_order() {
    watchdog(|| {
        let runtime = limited(1, Duration::from_secs(60));
        let (gate, log) = (Gate::default(), Log::default());
        let wait = gate.clone();
        let first = runtime.spawn_blocking(move || wait.pass());
        let others: Vec<_> = (0..50)
            .map(|i| {
                let log = log.clone();
                runtime.spawn_blocking(move || log.add((i, thread::current().id())))
            })
            .collect();
        let metrics = runtime.metrics();
        wait_until(|| metrics.blocking_queue_depth() == 50);
        assert_eq!(metrics.num_blocking_threads(), 1);
        gate.open();
        runtime.block_on(first).unwrap();
        others.into_iter().for_each(|task| runtime.block_on(task).unwrap());
        let (order, threads): (Vec<_>, HashSet<_>) = log.take().into_iter().unzip();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
        assert_eq!(threads.len(), 1);
    });
}

#[test]
fn a_thread_that_idles_is_used_again() {
    watchdog(|| {
        let runtime = limited(512, Duration::from_secs(60));
        let metrics = runtime.metrics();
        for _ in 0..100 {
            runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
            wait_until(|| metrics.num_idle_blocking_threads() == 1);
        }
        assert_eq!(metrics.num_blocking_threads(), 1);
    });
}

#[test]
fn a_thread_that_is_about_to_leave_leaves_nothing_behind() {
    watchdog(|| {
        let runtime = limited(1, Duration::ZERO);
        for i in 0..5_000 {
            assert_eq!(runtime.block_on(runtime.spawn_blocking(move || i)).unwrap(), i);
        }
        let metrics = runtime.metrics();
        wait_until(|| metrics.num_blocking_threads() == 0);
    });
}

#[test]
fn a_panic_reaches_who_awaits_the_task_and_spares_the_thread() {
    watchdog(|| {
        let runtime = limited(1, Duration::from_secs(60));
        let here = runtime.block_on(runtime.spawn_blocking(|| thread::current().id())).unwrap();
        let task: JoinHandle<()> = runtime.spawn_blocking(|| quiet_panic("blocked"));
        let payload = runtime.block_on(task).unwrap_err().into_panic();
        assert_eq!(*payload.downcast::<&str>().unwrap(), "blocked");
        assert_eq!(runtime.block_on(runtime.spawn_blocking(|| thread::current().id())).unwrap(), here);
    });
}

#[test]
fn only_what_has_not_begun_can_be_aborted() {
    watchdog(|| {
        let runtime = limited(1, Duration::from_secs(60));
        let (arrived, gate, dropped) = (Gate::default(), Gate::default(), Count::default());
        let (there, wait) = (arrived.clone(), gate.clone());
        let begun = runtime.spawn_blocking(move || {
            there.open();
            wait.pass();
            1
        });
        let value = dropped.on_drop();
        let queued = runtime.spawn_blocking(move || {
            drop(value);
            unreachable!("it must not run")
        });
        arrived.pass();
        begun.abort();
        queued.abort();
        gate.open();
        assert_eq!(runtime.block_on(begun).unwrap(), 1);
        let result: Result<(), _> = runtime.block_on(queued);
        assert!(result.unwrap_err().is_cancelled());
        assert_eq!(dropped.get(), 1);
    });
}

#[test]
fn a_blocking_task_finds_its_runtime_and_may_block_on_it() {
    with_runtime(1, |runtime| {
        let task = runtime.spawn_blocking(|| Handle::current().block_on(task::spawn(async { 1 })).unwrap());
        assert_eq!(runtime.block_on(task).unwrap(), 1);
    });
}

#[test]
fn without_any_thread_what_is_queued_is_cancelled_and_the_runtime_lives_on() {
    watchdog(|| {
        let fails = Arc::new(AtomicBool::new(false));
        let asked = fails.clone();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name_fn(move || {
                if asked.load(Ordering::Relaxed) {
                    quiet_panic("no name")
                }
                "named".to_owned()
            })
            .build()
            .unwrap();
        fails.store(true, Ordering::Relaxed);
        let dropped = Count::default();
        let value = dropped.on_drop();
        assert_eq!(message_of(|| runtime.spawn_blocking(move || drop(value))), "no name");
        assert_eq!(dropped.get(), 1);
        assert_eq!(runtime.metrics().blocking_queue_depth(), 0);
        fails.store(false, Ordering::Relaxed);
        let name = || thread::current().name().map(str::to_owned);
        assert_eq!(runtime.block_on(runtime.spawn_blocking(name)).unwrap().unwrap(), "named");
    });
}

#[test]
fn every_thread_says_when_it_starts_and_when_it_stops() {
    watchdog(|| {
        let (starts, stops) = (Count::default(), Count::default());
        let (start, stop) = (starts.clone(), stops.clone());
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .slow_poll_threshold(Duration::from_secs(3600))
            .on_thread_start(move || start.add())
            .on_thread_stop(move || stop.add())
            .build()
            .unwrap();
        runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
        assert_eq!(stops.get(), 0);
        drop(runtime);
        assert_eq!((starts.get(), stops.get()), (3, 3));
    });
}

#[test]
fn a_builder_refuses_what_makes_no_sense() {
    let no_workers = message_of(|| Builder::new_multi_thread().worker_threads(0).build());
    assert!(no_workers.contains("at least one worker"));
    let no_threads = message_of(|| Builder::new_multi_thread().max_blocking_threads(0).build());
    assert!(no_threads.contains("at least one thread"));
}
