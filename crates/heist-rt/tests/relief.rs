//! The corners of the relief: who may end a runtime, what counts as slow, how many threads there can be.
#![cfg(target_os = "linux")]

mod common;

use common::{Gate, wait_until, watchdog};
use heist_rt::{
    runtime::{Builder, Runtime, SlowPoll},
    task,
};
use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

/// Long enough for the machine not to stall a thread for that time.
const PATIENCE: Duration = Duration::from_millis(300);

/// A runtime for which a poll of less than that is not slow.
fn patient_runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).slow_poll_threshold(PATIENCE).build().unwrap()
}

/// Keeps all workers in jobs until the gate is opened.
fn keep_busy(runtime: &Runtime) -> Gate {
    let gate = Gate::default();
    let inside = Arc::new(AtomicUsize::new(0));
    let workers = runtime.metrics().num_workers();
    for _ in 0..workers {
        let (gate, inside) = (gate.clone(), inside.clone());
        runtime.pool().spawn(move || {
            inside.fetch_add(1, Ordering::AcqRel);
            task::block_in_place(|| gate.pass());
        });
    }
    wait_until(|| inside.load(Ordering::Acquire) == workers);
    gate
}

fn reports(builder: &mut Builder) -> Arc<Mutex<Vec<SlowPoll>>> {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = reports.clone();
    builder.on_slow_poll(move |poll| sink.lock().unwrap().push(*poll));
    reports
}

#[test]
fn a_runtime_may_be_dropped_by_a_task_on_the_relief() {
    watchdog(|| {
        let runtime = runtime(1);
        let gate = keep_busy(&runtime);
        let handle = runtime.handle().clone();
        let (dropped, done) = mpsc::channel();
        handle.spawn(async move {
            assert_eq!(heist_core::current_thread_index(), None);
            gate.open();
            drop(runtime);
            _ = dropped.send(());
        });
        done.recv().unwrap();
    });
}

#[test]
fn a_runtime_may_be_dropped_by_the_hook() {
    watchdog(|| {
        let place: Arc<Mutex<Option<Runtime>>> = Arc::default();
        let (dropped, done) = mpsc::channel();
        let taken = place.clone();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .on_slow_poll(move |_| {
                let runtime = taken.lock().unwrap().take();
                if let Some(runtime) = runtime {
                    drop(runtime);
                    _ = dropped.send(());
                }
            })
            .build()
            .unwrap();
        let handle = runtime.handle().clone();
        *place.lock().unwrap() = Some(runtime);
        handle.spawn(async { thread::sleep(Duration::from_millis(100)) });
        done.recv().unwrap();
    });
}

#[test]
fn an_offloaded_closure_is_no_slow_poll() {
    watchdog(|| {
        let runtime = patient_runtime();
        runtime.block_on(runtime.offload(|| thread::sleep(2 * PATIENCE)));
        assert_eq!(runtime.metrics().slow_poll_count(), 0);
    });
}

#[test]
fn the_hook_hears_that_a_slow_poll_is_over_that_completes_its_task() {
    watchdog(|| {
        let mut builder = Builder::new_multi_thread();
        let reports = reports(&mut builder);
        let runtime = builder.worker_threads(2).build().unwrap();
        let reports_of_one = || {
            let task = runtime.spawn(async { thread::sleep(Duration::from_millis(100)) });
            let id = task.id();
            runtime.block_on(task).unwrap();
            thread::sleep(Duration::from_millis(100));
            let reports = reports.lock().unwrap();
            reports.iter().filter(|poll| poll.task == id).map(|poll| poll.is_over).collect::<Vec<_>>()
        };
        // Where the machine stalls the watch may come too late, or the task be on a spare thread.
        assert!((0..20).any(|_| reports_of_one() == [false, true]));
    });
}

/// The task's memory may be another's by the time that the poll is over.
#[test]
fn the_end_of_a_slow_poll_is_reported_of_the_same_task() {
    type Boxed = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
    watchdog(|| {
        let mut builder = Builder::new_multi_thread();
        let reports = reports(&mut builder);
        let runtime = builder.worker_threads(2).build().unwrap();
        for _ in 0..5 {
            let slow: Boxed = Box::pin(async {
                thread::sleep(Duration::from_millis(50));
                // Runs next, on the same worker, when the memory of this one is free.
                task::spawn(async {
                    let other: Boxed = Box::pin(std::future::pending());
                    task::spawn(other);
                });
            });
            runtime.spawn(slow);
            thread::sleep(Duration::from_millis(100));
        }
        let reports = reports.lock().unwrap();
        for over in reports.iter().filter(|poll| poll.is_over) {
            let began = reports.iter().any(|poll| poll.task == over.task && !poll.is_over);
            assert!(began, "{over:?} never began; of {reports:#?}");
        }
    });
}

#[test]
fn a_slow_poll_on_the_relief_is_counted() {
    watchdog(|| {
        let runtime = runtime(1);
        let gate = keep_busy(&runtime);
        runtime.block_on(runtime.spawn(async { thread::sleep(Duration::from_millis(100)) })).unwrap();
        gate.open();
        assert_eq!(runtime.metrics().slow_poll_count(), 1);
    });
}

#[test]
fn blocking_in_place_is_no_slow_poll() {
    watchdog(|| {
        let runtime = patient_runtime();
        let task = runtime.spawn(async { task::block_in_place(|| thread::sleep(2 * PATIENCE)) });
        runtime.block_on(task).unwrap();
        assert_eq!(runtime.metrics().slow_poll_count(), 0);
    });
}

#[test]
fn what_is_spawned_while_a_worker_blocks_in_place_does_not_depend_on_the_watch() {
    watchdog(|| {
        let runtime = common::runtime(2);
        let handle = runtime.handle().clone();
        let task = runtime.spawn(async move {
            handle.block_on(async {
                // Until the other worker sleeps.
                thread::sleep(Duration::from_millis(100));
                task::spawn(async {}).await.unwrap();
            });
        });
        runtime.block_on(task).unwrap();
    });
}

/// A runtime with one worker, whose threads have this name.
fn named(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).thread_name(name).build().unwrap()
}

/// How many threads have this name.
fn threads(name: &str) -> usize {
    let has_name = |thread: &std::path::Path| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim_end() == name)
    };
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    threads.filter(|thread| thread.as_ref().is_ok_and(|thread| has_name(&thread.path()))).count()
}

#[test]
fn there_is_a_limit_to_the_number_of_spare_threads() {
    watchdog(|| {
        let runtime = named("limited");
        let over = Gate::default();
        let tasks: Vec<_> = (0..2000)
            .map(|_| {
                let over = over.clone();
                runtime.spawn(async move { task::block_in_place(|| over.pass()) })
            })
            .collect();
        let mut most = 0;
        for _ in 0..200 {
            most = most.max(threads("limited"));
            thread::sleep(Duration::from_millis(10));
        }
        over.open();
        tasks.into_iter().for_each(|task| runtime.block_on(task).unwrap());
        assert!(most < 600, "{most} threads");
    });
}

/// One long job, and tasks that use `join` each for a moment.
#[test]
fn tasks_that_join_do_not_take_a_thread_each_while_a_job_runs() {
    watchdog(|| {
        let runtime = named("joiner");
        let gate = keep_busy(&runtime);
        let tasks: Vec<_> =
            (0..1000).map(|_| runtime.spawn(async { _ = heist_core::join(|| (), || ()) })).collect();
        thread::sleep(Duration::from_secs(2));
        let most = threads("joiner");
        gate.open();
        tasks.into_iter().for_each(|task| runtime.block_on(task).unwrap());
        assert!(most < 100, "{most} threads");
    });
}

#[test]
fn a_spare_thread_has_called_its_last_hook_when_the_runtime_is_gone() {
    watchdog(|| {
        let (started, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (start, stop) = (started.clone(), stopped.clone());
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            // One spare thread is put on duty, when the worker says that it blocks; none takes its place.
            .slow_poll_threshold(Duration::from_secs(3600))
            .on_thread_start(move || _ = start.fetch_add(1, Ordering::AcqRel))
            .on_thread_stop(move || {
                thread::sleep(Duration::from_millis(100));
                stop.fetch_add(1, Ordering::AcqRel);
            })
            .build()
            .unwrap();
        let gate = keep_busy(&runtime);
        runtime.block_on(runtime.spawn(async {})).unwrap();
        gate.open();
        drop(runtime);
        assert_eq!(started.load(Ordering::Acquire), 2);
        assert_eq!(stopped.load(Ordering::Acquire), 2);
    });
}

#[test]
fn the_hooks_are_gone_when_the_runtime_is() {
    watchdog(|| {
        for n in 0..2000 {
            let captured = Arc::new(());
            let kept = captured.clone();
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .on_slow_poll(move |_| _ = &kept)
                .build()
                .unwrap();
            drop(runtime);
            assert_eq!(Arc::strong_count(&captured), 1, "runtime {n}");
        }
    });
}

/// All workers wait in `block_on`, for tasks that the relief runs, whose `join` waits for a worker.
#[test]
fn every_worker_may_block_on_a_task_that_joins() {
    watchdog(|| {
        let runtime = runtime(2);
        let (handle, both) = (runtime.handle(), std::sync::Barrier::new(2));
        let half = || {
            both.wait();
            handle.block_on(handle.spawn(async { heist_core::join(|| 1, || 2) })).unwrap()
        };
        assert_eq!(runtime.pool().join(half, half), ((1, 2), (1, 2)));
    });
}

/// As above; the worker itself could run it.
#[test]
fn the_only_worker_may_block_on_a_task_that_offloads() {
    watchdog(|| {
        let runtime = runtime(1);
        let handle = runtime.handle();
        let task = async { task::offload(|| 1).await };
        assert_eq!(runtime.pool().install(|| handle.block_on(handle.spawn(task)).unwrap()), 1);
    });
}

/// Although it is called on a thread that runs none of its tasks.
#[test]
fn the_hook_may_spawn_into_its_runtime() {
    watchdog(|| {
        let (sender, current) = mpsc::channel();
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .on_slow_poll(move |_| _ = sender.send(heist_rt::runtime::Handle::try_current().is_ok()))
            .build()
            .unwrap();
        runtime.spawn(async { thread::sleep(Duration::from_millis(100)) });
        assert!(current.recv().unwrap());
    });
}

#[test]
fn a_runtime_of_64_workers_can_be_dropped() {
    watchdog(|| {
        let runtime = runtime(64);
        runtime.block_on(runtime.spawn(async {})).unwrap();
        drop(runtime);
    });
}
