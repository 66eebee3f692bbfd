//! Tasks go on while all workers compute, block, or are stuck in a poll; and offloaded closures.

mod common;

use common::{Gate, message_of, quiet_panic, wait_until, watchdog};
use heist_rt::{
    runtime::{Builder, Handle, Runtime},
    task,
};
use std::{
    future::Future,
    panic::Location,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// A runtime as users have it.
fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

fn with_runtime(workers: usize, test: impl FnOnce(&Runtime) + Send + 'static) {
    watchdog(move || test(&runtime(workers)));
}

/// Waits for an event without letting go of the worker.
fn spin_until(event: &AtomicBool) {
    wait_until(|| event.load(Ordering::Acquire));
}

/// Something that only a task can make true.
fn event() -> (Arc<AtomicBool>, impl Future<Output = ()> + Send + 'static) {
    let event = Arc::new(AtomicBool::new(false));
    let setter = event.clone();
    (event, async move { setter.store(true, Ordering::Release) })
}

#[test]
fn tasks_go_on_while_every_worker_computes() {
    for workers in [1, 2, 3] {
        with_runtime(workers, move |runtime| {
            let (done, set_done) = event();
            let inside = Arc::new(AtomicUsize::new(0));
            for _ in 0..workers {
                let (done, inside) = (done.clone(), inside.clone());
                runtime.pool().spawn(move || {
                    inside.fetch_add(1, Ordering::AcqRel);
                    spin_until(&done);
                });
            }
            wait_until(|| inside.load(Ordering::Acquire) == workers);
            runtime.spawn(set_done);
            spin_until(&done);
            assert!(runtime.metrics().relief_count() > 0);
        });
    }
}

#[test]
fn tasks_go_on_while_every_worker_is_inside_a_join() {
    with_runtime(2, |runtime| {
        let (done, set_done) = event();
        let both = Arc::new(AtomicUsize::new(0));
        let half = |done: Arc<AtomicBool>, both: Arc<AtomicUsize>| {
            move || {
                both.fetch_add(1, Ordering::AcqRel);
                spin_until(&done);
            }
        };
        let (a, b) = (half(done.clone(), both.clone()), half(done.clone(), both.clone()));
        runtime.pool().spawn(move || _ = heist_core::join(a, b));
        wait_until(|| both.load(Ordering::Acquire) == 2);
        runtime.spawn(set_done);
        spin_until(&done);
    });
}

#[test]
fn tasks_go_on_while_every_worker_is_stuck_in_a_poll() {
    with_runtime(2, |runtime| {
        let (done, set_done) = event();
        let inside = Arc::new(AtomicUsize::new(0));
        let stuck: Vec<_> = (0..2)
            .map(|_| {
                let (done, inside) = (done.clone(), inside.clone());
                runtime.spawn(async move {
                    inside.fetch_add(1, Ordering::AcqRel);
                    spin_until(&done);
                })
            })
            .collect();
        wait_until(|| inside.load(Ordering::Acquire) == 2);
        runtime.spawn(set_done);
        stuck.into_iter().for_each(|task| runtime.block_on(task).unwrap());
    });
}

#[test]
fn a_task_in_the_slot_of_a_stuck_worker_is_run_by_others() {
    for workers in [1, 2] {
        with_runtime(workers, |runtime| {
            let task = runtime.spawn(async {
                let (done, set_done) = event();
                // Goes to the slot of this very worker, which will not come to it.
                task::spawn(set_done);
                spin_until(&done);
            });
            runtime.block_on(task).unwrap();
        });
    }
}

#[test]
fn what_a_worker_has_queued_is_run_by_others_while_it_blocks_in_place() {
    for workers in [1, 2] {
        with_runtime(workers, |runtime| {
            let task = runtime.spawn(async {
                let (sender, results) = mpsc::channel();
                for n in 0..100 {
                    let sender = sender.clone();
                    task::spawn(async move { sender.send(n).unwrap() });
                }
                task::block_in_place(|| results.iter().take(100).sum::<i32>())
            });
            assert_eq!(runtime.block_on(task).unwrap(), 4950);
        });
    }
}

#[test]
fn a_spare_thread_that_is_held_up_itself_is_replaced() {
    const TASKS: usize = 6;
    for in_place in [false, true] {
        with_runtime(1, move |runtime| {
            // Each holds its thread until the last one runs.
            let running = Arc::new(AtomicUsize::new(0));
            let tasks: Vec<_> = (0..TASKS)
                .map(|_| {
                    let running = running.clone();
                    runtime.spawn(async move {
                        running.fetch_add(1, Ordering::AcqRel);
                        let wait = || wait_until(|| running.load(Ordering::Acquire) == TASKS);
                        if in_place { task::block_in_place(wait) } else { wait() }
                    })
                })
                .collect();
            tasks.into_iter().for_each(|task| runtime.block_on(task).unwrap());
        });
    }
}

#[test]
fn a_task_on_a_spare_thread_joins_alone_and_has_a_worker_open_its_scopes() {
    with_runtime(2, |runtime| {
        let (free, set_free) = event();
        let inside = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let (free, inside) = (free.clone(), inside.clone());
            runtime.pool().spawn(move || {
                inside.fetch_add(1, Ordering::AcqRel);
                spin_until(&free);
            });
        }
        wait_until(|| inside.load(Ordering::Acquire) == 2);
        let joined = Gate::default();
        let opener = joined.clone();
        let task = runtime.spawn(async move {
            let index = heist_core::current_thread_index;
            assert_eq!((index(), heist_core::current_num_threads()), (None, 2));
            assert_eq!(heist_core::join(index, index), (None, None));
            let text = message_of(|| heist_core::join(|| quiet_panic("first"), || quiet_panic("second")));
            assert_eq!(text, "first");
            opener.open();
            heist_core::scope(|_| index()).is_some()
        });
        joined.pass();
        runtime.spawn(set_free);
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn block_on_may_be_called_inside_of_a_scope_on_the_only_worker() {
    with_runtime(1, |runtime| {
        let sum = AtomicUsize::new(0);
        runtime.pool().scope(|scope| {
            for n in 0..10 {
                let (handle, sum) = (runtime.handle(), &sum);
                scope.spawn(move |_| {
                    sum.fetch_add(handle.block_on(handle.spawn(async move { n })).unwrap(), Ordering::AcqRel);
                });
            }
        });
        assert_eq!(sum.load(Ordering::Acquire), 45);
    });
}

#[test]
fn a_spare_thread_comes_and_goes_many_times() {
    with_runtime(2, |runtime| {
        for _ in 0..100 {
            let (done, set_done) = event();
            let waits: Vec<_> = (0..2)
                .map(|_| {
                    let done = done.clone();
                    runtime.spawn(async move { task::block_in_place(|| spin_until(&done)) })
                })
                .collect();
            runtime.spawn(set_done);
            waits.into_iter().for_each(|task| runtime.block_on(task).unwrap());
        }
    });
}

#[test]
fn a_runtime_ends_while_a_spare_thread_is_on_duty() {
    for _ in 0..20 {
        watchdog(|| {
            let runtime = runtime(1);
            let (done, set_done) = event();
            let inside = done.clone();
            runtime.pool().spawn(move || spin_until(&inside));
            runtime.block_on(runtime.spawn(set_done)).unwrap();
            for _ in 0..10 {
                runtime.spawn(std::future::pending::<()>());
            }
            drop(runtime);
        });
    }
}

#[test]
fn a_slow_poll_is_counted_and_the_hook_hears_which_task_it_was() {
    watchdog(|| {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink = reports.clone();
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .slow_poll_threshold(Duration::from_millis(2))
            .on_slow_poll(move |poll| sink.lock().unwrap().push(*poll))
            .build()
            .unwrap();
        let (over, set_over) = event();
        // One that is on a spare thread may never be reported.
        let (task, line) = loop {
            let (sender, on_worker) = mpsc::channel();
            let over = over.clone();
            let line = Location::caller().line() + 1;
            let task = runtime.spawn(async move {
                let on_worker = heist_core::current_thread_index().is_some();
                sender.send(on_worker).unwrap();
                if on_worker {
                    spin_until(&over);
                }
            });
            if on_worker.recv().unwrap() {
                break (task, line);
            }
        };
        let find = |is_over| {
            let reports = reports.lock().unwrap();
            reports.iter().find(|poll| poll.task == task.id() && poll.is_over == is_over).copied()
        };
        wait_until(|| find(false).is_some());
        let first = find(false).unwrap();
        assert_eq!((first.spawned_at.file(), first.spawned_at.line()), (file!(), line));
        assert!(first.time >= Duration::from_millis(2));
        assert!(runtime.metrics().slow_poll_count() > 0);
        runtime.block_on(async { task::spawn(set_over).await.unwrap() });
        wait_until(|| find(true).is_some());
        assert!(find(true).unwrap().time >= first.time);
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn a_long_job_is_no_slow_poll() {
    with_runtime(1, |runtime| {
        let (done, set_done) = event();
        let inside = done.clone();
        runtime.pool().spawn(move || {
            thread::sleep(Duration::from_millis(50));
            spin_until(&inside);
        });
        runtime.block_on(runtime.spawn(set_done)).unwrap();
        assert_eq!(runtime.metrics().slow_poll_count(), 0);
    });
}

#[test]
fn an_offloaded_closure_runs_on_a_worker_as_a_job() {
    with_runtime(2, |runtime| {
        let task = runtime.spawn(async {
            task::offload(|| {
                let index = heist_core::current_thread_index();
                // A job may use the pool, and knows its runtime.
                let (a, b) = heist_core::join(|| 20, || 22);
                Handle::current();
                (index.is_some(), a + b)
            })
            .await
        });
        assert_eq!(runtime.block_on(task).unwrap(), (true, 42));
    });
}

#[test]
fn the_polling_worker_goes_on_while_an_offloaded_closure_runs() {
    with_runtime(1, |runtime| {
        let task = runtime.spawn(async {
            let (done, set_done) = event();
            let offloaded = task::offload(move || spin_until(&done));
            let other = task::spawn(set_done);
            offloaded.await;
            other.await.unwrap();
        });
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn a_panic_in_an_offloaded_closure_reaches_who_awaits_it() {
    with_runtime(1, |runtime| {
        let text =
            message_of(|| runtime.block_on(async { task::offload(|| quiet_panic("offloaded")).await }));
        assert_eq!(text, "offloaded");
    });
}

#[test]
fn an_offloaded_closure_that_is_dropped_before_it_has_begun_is_never_called() {
    with_runtime(1, |runtime| {
        let (busy, set_busy) = event();
        let blocked = busy.clone();
        let first = runtime.offload(move || spin_until(&blocked));
        let called = Arc::new(AtomicBool::new(false));
        let (setter, dropped) = (called.clone(), Arc::new(()));
        let kept = dropped.clone();
        drop(runtime.offload(move || {
            setter.store(true, Ordering::Release);
            drop(kept);
        }));
        runtime.spawn(set_busy);
        runtime.block_on(first);
        wait_until(|| Arc::strong_count(&dropped) == 1);
        assert!(!called.load(Ordering::Acquire));
    });
}

#[test]
fn an_offloaded_closure_that_is_dropped_while_it_runs_ends_and_its_result_is_dropped() {
    with_runtime(1, |runtime| {
        let (begun, end) = (Gate::default(), Gate::default());
        let (open, wait, result) = (begun.clone(), end.clone(), Arc::new(()));
        let kept = result.clone();
        let offloaded = runtime.offload(move || {
            open.open();
            wait.pass();
            kept
        });
        begun.pass();
        drop(offloaded);
        assert_eq!(Arc::strong_count(&result), 2);
        end.open();
        wait_until(|| Arc::strong_count(&result) == 1);
    });
}

#[test]
fn an_offloaded_closure_that_never_began_is_dropped_with_its_runtime() {
    watchdog(|| {
        let runtime = common::runtime(1);
        let (begun, end) = (Gate::default(), Gate::default());
        let (open, wait) = (begun.clone(), end.clone());
        let first = runtime.offload(move || {
            open.open();
            wait.pass();
        });
        begun.pass();
        let captured = Arc::new(());
        let kept = captured.clone();
        let second = runtime.offload(move || drop(kept));
        let handle = runtime.handle().clone();
        let ender = thread::spawn(move || drop(runtime));
        // The only worker is busy: what is spawned ends at once only if the runtime does.
        wait_until(|| handle.spawn(async {}).is_finished());
        end.open();
        ender.join().unwrap();
        futures::executor::block_on(first);
        assert_eq!(Arc::strong_count(&captured), 1);
        let text = message_of(|| futures::executor::block_on(second));
        assert!(text.contains("the runtime has ended"));
    });
}
