//! The end of a runtime: what is dropped, what is waited for, and what comes too late.

mod common;

use common::{Count, Gate, Switch, occupy, runtime, wait_until, watchdog};
use heist_rt::{
    runtime::{Builder, Handle},
    task::{self, JoinHandle},
};
use std::{
    future::{self, pending},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

#[test]
fn dropping_a_runtime_drops_its_tasks_and_waits_for_that() {
    watchdog(|| {
        let runtime = runtime(2);
        let dropped = Count::default();
        let tasks: Vec<JoinHandle<()>> = (0..1_000)
            .map(|i| {
                let value = dropped.on_drop();
                runtime.spawn(async move {
                    let _value = value;
                    if i % 2 == 0 {
                        task::yield_now().await;
                    }
                    pending().await
                })
            })
            .collect();
        drop(runtime);
        assert_eq!(dropped.get(), 1_000);
        for task in tasks {
            assert!(task.is_finished());
            assert!(heist_rt::block_on(task).unwrap_err().is_cancelled());
        }
    });
}

#[test]
fn a_task_that_is_being_polled_is_dropped_when_the_poll_returns() {
    watchdog(|| {
        let runtime = runtime(1);
        let (arrived, gate, after) = (Gate::default(), Gate::default(), Count::default());
        let (there, wait, counts) = (arrived.clone(), gate.clone(), after.clone());
        let task = runtime.spawn(async move {
            there.open();
            wait.pass();
            counts.add();
            task::yield_now().await;
            counts.add();
        });
        arrived.pass();
        runtime.shutdown_background();
        gate.open();
        assert!(heist_rt::block_on(task).unwrap_err().is_cancelled());
        assert_eq!(after.get(), 1);
    });
}

#[test]
fn a_runtime_may_be_dropped_in_one_of_its_own_tasks() {
    watchdog(|| {
        for blocking in [false, true] {
            let runtime = runtime(2);
            let (dropped, done) = (Count::default(), Gate::default());
            let value = dropped.on_drop();
            let other: JoinHandle<()> = runtime.spawn(async move {
                let _value = value;
                pending().await
            });
            let handle = runtime.handle().clone();
            let open = done.clone();
            if blocking {
                handle.spawn_blocking(move || {
                    drop(runtime);
                    open.open();
                });
            } else {
                handle.spawn(async move {
                    drop(runtime);
                    open.open();
                    // It is cancelled itself.
                    pending::<()>().await;
                });
            }
            done.pass();
            assert!(heist_rt::block_on(other).unwrap_err().is_cancelled());
            assert_eq!(dropped.get(), 1);
            wait_until(|| handle.metrics().num_alive_tasks() == 0);
        }
    });
}

#[test]
fn what_is_spawned_after_the_end_is_cancelled_at_once() {
    watchdog(|| {
        let handle = runtime(1).handle().clone();
        let dropped = Count::default();
        let value = dropped.on_drop();
        let task = handle.spawn(async move {
            let _value = value;
            unreachable!("it must not run")
        });
        assert!(task.is_finished());
        assert_eq!(dropped.get(), 1);
        let result: Result<(), _> = heist_rt::block_on(task);
        assert!(result.unwrap_err().is_cancelled());

        let value = dropped.on_drop();
        let task = handle.spawn_blocking(move || drop(value));
        assert!(heist_rt::block_on(task).unwrap_err().is_cancelled());
        assert_eq!(dropped.get(), 2);
        assert_eq!(handle.block_on(async { 1 }), 1);
        assert_eq!(handle.metrics().num_alive_tasks(), 0);
    });
}

#[test]
fn a_future_may_spawn_while_it_is_dropped_with_its_runtime() {
    struct SpawnsInDrop(mpsc::Sender<JoinHandle<()>>);
    impl Drop for SpawnsInDrop {
        fn drop(&mut self) {
            self.0.send(task::spawn(pending())).unwrap();
            self.0.send(task::spawn_blocking(|| ())).unwrap();
        }
    }
    watchdog(|| {
        let (sender, spawned) = mpsc::channel();
        let runtime = runtime(1);
        let spawns = SpawnsInDrop(sender);
        runtime.spawn(async move {
            let _spawns = spawns;
            pending::<()>().await;
        });
        drop(runtime);
        let spawned: Vec<_> = spawned.iter().collect();
        assert_eq!(spawned.len(), 2);
        for task in spawned {
            assert!(heist_rt::block_on(task).unwrap_err().is_cancelled());
        }
    });
}

#[test]
fn tasks_that_know_each_other_are_dropped_all_the_same() {
    watchdog(|| {
        let runtime = runtime(2);
        let dropped = Count::default();
        let handles: Arc<Mutex<Vec<JoinHandle<()>>>> = Arc::default();
        for _ in 0..10 {
            let (value, others) = (dropped.on_drop(), handles.clone());
            let task = runtime.spawn(async move {
                let _value = value;
                let _others = others;
                pending().await
            });
            handles.lock().unwrap().push(task);
        }
        drop(handles);
        drop(runtime);
        assert_eq!(dropped.get(), 10);
    });
}

#[test]
fn dropping_waits_for_a_blocking_task_that_has_begun_and_cancels_one_that_has_not() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
        let (arrived, gate) = (Gate::default(), Gate::default());
        let (there, wait) = (arrived.clone(), gate.clone());
        let begun = runtime.spawn_blocking(move || {
            there.open();
            wait.pass();
            1
        });
        let queued = runtime.spawn_blocking(|| unreachable!("it must not run"));
        arrived.pass();
        let handle = runtime.handle().clone();
        let ends = thread::spawn(move || drop(runtime));
        assert!(handle.block_on(queued).map(|(): ()| ()).unwrap_err().is_cancelled());
        assert!(!ends.is_finished());
        gate.open();
        ends.join().unwrap();
        assert!(begun.is_finished());
        assert_eq!(heist_rt::block_on(begun).unwrap(), 1);
    });
}

#[test]
fn shutting_down_in_the_background_or_with_a_time_out_waits_for_no_blocking_task() {
    watchdog(|| {
        for background in [true, false] {
            let runtime = runtime(1);
            let (arrived, gate) = (Gate::default(), Gate::default());
            let (there, wait) = (arrived.clone(), gate.clone());
            let task = runtime.spawn_blocking(move || {
                there.open();
                wait.pass();
            });
            arrived.pass();
            if background {
                runtime.shutdown_background();
            } else {
                runtime.shutdown_timeout(Duration::from_millis(1));
            }
            assert!(!task.is_finished());
            gate.open();
            heist_rt::block_on(task).unwrap();
        }
    });
}

#[test]
fn jobs_of_the_pool_finish_before_the_runtime_is_gone() {
    watchdog(|| {
        let runtime = runtime(2);
        let count = Count::default();
        for _ in 0..100 {
            let count = count.clone();
            runtime.pool().spawn(move || count.add());
        }
        drop(runtime);
        assert_eq!(count.get(), 100);
    });
}

#[test]
fn a_runtime_ends_while_others_spawn_and_wake() {
    watchdog(|| {
        for _ in 0..50 {
            let runtime = runtime(2);
            let (dropped, made) = (Count::default(), Count::default());
            let over = Gate::default();
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let (handle, over) = (runtime.handle().clone(), over.clone());
                    let (dropped, made) = (dropped.clone(), made.clone());
                    thread::spawn(move || {
                        let mut last = false;
                        while !last {
                            last = over.is_open();
                            let (value, switch) = (dropped.on_drop(), Switch::default());
                            made.add();
                            let wait = switch.wait();
                            drop(handle.spawn(async move {
                                let _value = value;
                                wait.await;
                                pending::<()>().await;
                            }));
                            switch.turn_on();
                        }
                    })
                })
                .collect();
            wait_until(|| made.get() > 20);
            drop(runtime);
            over.open();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(dropped.get(), made.get());
        }
    });
}

#[test]
fn a_runtime_may_be_dropped_inside_of_another() {
    watchdog(|| {
        let outer = runtime(1);
        let inner = runtime(1);
        inner.spawn(pending::<()>());
        outer.block_on(async move { drop(inner) });
        let inner = runtime(1);
        inner.spawn(pending::<()>());
        outer.block_on(outer.spawn(async move { drop(inner) })).unwrap();
    });
}

#[test]
fn runtimes_come_and_go() {
    watchdog(|| {
        for i in 0..200 {
            let runtime = runtime(1 + i % 3);
            let task = runtime.spawn(future::ready(i));
            if i % 2 == 0 {
                assert_eq!(runtime.block_on(task).unwrap(), i);
            }
        }
    });
}

#[test]
fn who_awaits_a_task_from_outside_learns_that_its_runtime_ended() {
    watchdog(|| {
        let runtime = runtime(1);
        let task: JoinHandle<()> = runtime.spawn(pending());
        let waits = thread::spawn(move || heist_rt::block_on(task));
        runtime.shutdown_background();
        assert!(waits.join().unwrap().unwrap_err().is_cancelled());
    });
}

#[test]
fn a_handle_that_is_dropped_last_frees_what_is_left() {
    watchdog(|| {
        let runtime = runtime(1);
        let gate = occupy(&runtime);
        let handle: Handle = runtime.handle().clone();
        let output = runtime.spawn(async { Handle::current() });
        gate.open();
        wait_until(|| output.is_finished());
        drop(runtime);
        drop(handle);
        drop(heist_rt::block_on(output).unwrap());
    });
}

#[test]
fn futures_that_wake_each_other_while_they_are_dropped_do_no_harm() {
    struct TurnsOnInDrop(Switch);
    impl Drop for TurnsOnInDrop {
        fn drop(&mut self) {
            self.0.turn_on();
        }
    }
    watchdog(|| {
        for workers in [1, 3] {
            let runtime = runtime(workers);
            let switches: Vec<_> = (0..50).map(|_| Switch::default()).collect();
            for i in 0..50 {
                let (wait, other) = (switches[i].wait(), TurnsOnInDrop(switches[(i + 1) % 50].clone()));
                runtime.spawn(async move {
                    let _other = other;
                    wait.await;
                });
            }
            wait_until(|| switches.iter().all(Switch::is_awaited));
            drop(runtime);
        }
    });
}

#[test]
fn nothing_of_the_users_is_dropped_under_a_lock() {
    struct UsesTheRuntimeInDrop(Arc<Mutex<()>>);
    impl Drop for UsesTheRuntimeInDrop {
        fn drop(&mut self) {
            let handle = Handle::current();
            let _lock = self.0.lock().unwrap();
            handle.metrics().num_alive_tasks();
            handle.spawn(async {}).abort();
            handle.spawn_blocking(|| ()).abort();
        }
    }
    watchdog(|| {
        let lock = Arc::default();
        let runtime = Builder::new_multi_thread().worker_threads(2).max_blocking_threads(1).build().unwrap();
        let gate = Gate::default();
        let wait = gate.clone();
        runtime.spawn_blocking(move || wait.pass());
        for _ in 0..50 {
            let (one, two) = (UsesTheRuntimeInDrop(Arc::clone(&lock)), UsesTheRuntimeInDrop(lock.clone()));
            runtime.spawn_blocking(move || drop(one));
            let task = runtime.spawn(async move {
                let _two = two;
                pending::<()>().await;
            });
            task.abort();
        }
        let ends = thread::spawn(move || drop(runtime));
        gate.open();
        ends.join().unwrap();
    });
}
