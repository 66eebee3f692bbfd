//! Blocking on a future inside of workers: what may run on top of it, and what it costs the others.

mod common;

use common::watchdog;
use futures::channel::oneshot;
use heist_core::trace::{Event, Recorder, What};
use heist_rt::{runtime::Builder, task};
use std::{sync::mpsc, thread, time::Duration};

#[test]
fn two_jobs_that_block_on_each_other_end_if_there_are_two_workers() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let (to_second, from_first) = oneshot::channel();
        let (to_first, from_second) = oneshot::channel();
        let (done, all_done) = mpsc::channel();
        // Soon free again.
        runtime.pool().spawn(|| thread::sleep(Duration::from_millis(100)));
        thread::sleep(Duration::from_millis(20));
        let (handle, first_done) = (runtime.handle().clone(), done.clone());
        runtime.pool().spawn(move || {
            handle.block_on(async {
                from_second.await.unwrap();
                to_second.send(()).unwrap();
            });
            first_done.send(()).unwrap();
        });
        thread::sleep(Duration::from_millis(20));
        let handle = runtime.handle().clone();
        runtime.pool().spawn(move || {
            to_first.send(()).unwrap();
            handle.block_on(from_first).unwrap();
            done.send(()).unwrap();
        });
        assert_eq!(all_done.iter().take(2).count(), 2);
    });
}

/// A lock that is held across `block_on`, and taken by a job that lands on top of it.
#[test]
fn a_job_does_not_run_on_top_of_a_task_that_blocks_in_a_poll() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let lock = std::sync::Arc::new(std::sync::Mutex::new(()));
        let held = lock.clone();
        let handle = runtime.handle().clone();
        let (begun, has_begun) = mpsc::channel();
        let task = runtime.spawn(async move {
            let _guard = held.lock().unwrap();
            begun.send(()).unwrap();
            handle.block_on(async {
                task::spawn(async { thread::sleep(Duration::from_millis(200)) }).await.unwrap();
            });
        });
        has_begun.recv().unwrap();
        let (done, is_done) = mpsc::channel();
        runtime.pool().spawn(move || {
            drop(lock.lock().unwrap());
            done.send(()).unwrap();
        });
        is_done.recv().unwrap();
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn a_task_on_the_relief_uses_the_workers_when_they_are_back() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (free, wait) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        runtime.pool().spawn(move || {
            begun.send(()).unwrap();
            _ = wait.recv();
        });
        has_begun.recv().unwrap();
        let task = runtime.spawn(async move {
            assert_eq!(heist_core::current_thread_index(), None);
            drop(free);
            thread::sleep(Duration::from_millis(200));
            // The only worker is idle by now.
            let index = heist_core::current_thread_index;
            (0..1000).any(|_| heist_core::join(index, index).1.is_some())
        });
        assert!(runtime.block_on(task).unwrap(), "a thousand joins, and the idle worker got none");
    });
}

/// The thread is a worker when it begins to block, and none when it waits.
#[test]
fn a_future_may_shut_down_the_pool_that_its_thread_has_joined() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let pool = heist_core::ThreadPoolBuilder::new().num_threads(2).use_current_thread().build().unwrap();
        runtime.block_on(async {
            pool.shutdown();
            task::spawn(async { thread::sleep(Duration::from_millis(50)) }).await.unwrap();
        });
    });
}

/// Else a recording would take the time for work.
#[test]
fn a_recording_sees_that_its_thread_blocks_on_a_future() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let waits = |events: &[Event]| -> Vec<What> {
            let waits = events.iter().map(|event| event.what);
            waits.filter(|what| matches!(what, What::Waiting | What::Resumed)).collect()
        };
        let block = || runtime.block_on(task::yield_now());
        let ((), trace) = Recorder::new().try_record_in(runtime.pool(), block).unwrap();
        assert_eq!(waits(trace.caller()), [What::Waiting, What::Resumed]);
        // A worker says so itself, when it has to wait; here it has been woken before.
        let inside = || runtime.pool().install(block);
        let ((), trace) = Recorder::new().try_record_in(runtime.pool(), inside).unwrap();
        assert_eq!(trace.workers().flat_map(waits).collect::<Vec<_>>(), []);
    });
}
