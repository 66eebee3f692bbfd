//! Tasks that stay on one thread.

mod common;

use common::{
    Count, Gate, Log, Switch, message_of, quiet_panic, runtime, wait_until, watchdog, with_runtime,
};
use heist_rt::{
    runtime::Handle,
    task::{self, JoinSet, LocalSet, spawn_local},
};
use std::{
    cell::{Cell, RefCell},
    future::{Future, pending},
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll, Waker},
    thread,
};

#[test]
fn local_tasks_share_what_cannot_be_sent_and_stay_on_their_thread() {
    with_runtime(2, |runtime| {
        let local = LocalSet::new();
        let (here, sum) = (thread::current().id(), Rc::new(Cell::new(0)));
        let total = sum.clone();
        local.block_on(runtime, async move {
            let tasks: Vec<_> = (0..100)
                .map(|i| {
                    let sum = sum.clone();
                    spawn_local(async move {
                        task::yield_now().await;
                        task::spawn(async {}).await.unwrap();
                        assert_eq!(thread::current().id(), here);
                        sum.set(sum.get() + i);
                        Rc::new(i)
                    })
                })
                .collect();
            for (i, task) in tasks.into_iter().enumerate() {
                assert_eq!(*task.await.unwrap(), i);
            }
        });
        assert_eq!(total.get(), 100 * 99 / 2);
    });
}

#[test]
fn outside_of_a_set_there_is_no_local_task() {
    with_runtime(1, |runtime| {
        assert!(message_of(|| spawn_local(async {})).contains("outside of a LocalSet"));
        let task = runtime.spawn(async { message_of(|| spawn_local(async {})) });
        let text = LocalSet::new().block_on(runtime, task).unwrap();
        assert!(text.contains("outside of a LocalSet"));
    });
}

#[test]
fn the_set_itself_completes_when_no_task_is_left() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let log = Log::default();
        let entries = log.clone();
        local.spawn_local(async move {
            let inner = entries.clone();
            spawn_local(async move {
                task::yield_now().await;
                inner.add("inner");
            });
            entries.add("outer");
        });
        runtime.block_on(local);
        assert_eq!(log.take(), ["outer", "inner"]);
    });
}

#[test]
fn what_a_set_is_told_while_nobody_polls_it_is_done_later() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let count = Rc::new(Cell::new(0));
        {
            let _entered = local.enter();
            let counts = count.clone();
            spawn_local(async move { counts.set(1) });
        }
        assert!(message_of(|| spawn_local(async {})).contains("outside of a LocalSet"));
        assert_eq!(count.get(), 0);
        runtime.block_on(local);
        assert_eq!(count.get(), 1);
    });
}

#[test]
fn sets_nest() {
    with_runtime(1, |runtime| {
        let (outer, inner) = (LocalSet::new(), LocalSet::new());
        let log = Rc::new(RefCell::new(Vec::new()));
        let entries = log.clone();
        outer.block_on(runtime, async move {
            let (one, two, three) = (entries.clone(), entries.clone(), entries);
            inner
                .run_until(async move {
                    spawn_local(async move { one.borrow_mut().push("inner") }).await.unwrap();
                })
                .await;
            spawn_local(async move { two.borrow_mut().push("outer") }).await.unwrap();
            three.borrow_mut().push("end");
        });
        assert_eq!(*log.borrow(), ["inner", "outer", "end"]);
    });
}

#[test]
fn other_threads_wake_a_local_task() {
    with_runtime(2, |runtime| {
        let local = LocalSet::new();
        for _ in 0..200 {
            let switch = Switch::default();
            let task = local.spawn_local(switch.wait());
            let thread = thread::spawn(move || {
                drop(switch.waker());
                switch.turn_on();
            });
            local.block_on(runtime, task).unwrap();
            thread.join().unwrap();
        }
    });
}

#[test]
fn any_executor_can_drive_a_set() {
    watchdog(|| {
        let local = LocalSet::new();
        let value = Rc::new(1);
        let task = local.spawn_local(async move { *value + 1 });
        assert_eq!(futures::executor::block_on(local.run_until(task)).unwrap(), 2);
    });
}

#[test]
fn local_tasks_are_in_the_runtime_that_drives_them() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(2));
        let local = LocalSet::new();
        let workers =
            || async { spawn_local(async { Handle::current().metrics().num_workers() }).await.unwrap() };
        assert_eq!(local.block_on(&one, workers()), 1);
        assert_eq!(local.block_on(&two, workers()), 2);
    });
}

#[test]
fn a_local_task_has_an_id_a_budget_and_panics_of_its_own() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        local.block_on(runtime, async {
            let task = spawn_local(async { task::id() });
            let id = task.id();
            assert_eq!(task.await.unwrap(), id);
            let panics = spawn_local(async { quiet_panic("local") });
            let error: task::JoinError = panics.await.map(|(): ()| ()).unwrap_err();
            assert_eq!(*error.into_panic().downcast::<&str>().unwrap(), "local");
            spawn_local(async {
                for _ in 0..1_000 {
                    task::consume_budget().await;
                }
            })
            .await
            .unwrap();
        });
    });
}

#[test]
fn a_local_task_that_wakes_itself_for_ever_lets_others_run() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let flag = Rc::new(Cell::new(false));
        let seen = flag.clone();
        let spins = local.spawn_local(async move {
            while !seen.get() {
                task::yield_now().await;
            }
        });
        let sets = local.spawn_local(async move { flag.set(true) });
        local.block_on(runtime, async move {
            spins.await.unwrap();
            sets.await.unwrap();
        });
        // And the future that drives the set.
        local.spawn_local(async {
            loop {
                task::yield_now().await;
            }
        });
        local.block_on(runtime, async {
            for _ in 0..10 {
                task::yield_now().await;
            }
        });
    });
}

#[test]
fn a_local_task_is_aborted_from_another_thread_and_dropped_on_its_own() {
    struct Here(thread::ThreadId, Count);
    impl Drop for Here {
        fn drop(&mut self) {
            assert_eq!(thread::current().id(), self.0);
            self.1.add();
        }
    }
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let (here, dropped) = (thread::current().id(), Count::default());
        for polled in [false, true] {
            let value = Here(here, dropped.clone());
            let task = local.spawn_local(async move {
                let _value = (value, Rc::new(()));
                pending::<()>().await
            });
            if polled {
                local.block_on(runtime, task::yield_now());
            }
            let abort = task.abort_handle();
            thread::spawn(move || abort.abort()).join().unwrap();
            assert_eq!(dropped.get(), usize::from(polled));
            assert!(local.block_on(runtime, task).unwrap_err().is_cancelled());
            assert_eq!(dropped.get(), 1 + usize::from(polled));
        }
    });
}

#[test]
fn dropping_a_set_drops_its_tasks_there_whatever_they_do() {
    struct Spawns(Count);
    impl Drop for Spawns {
        fn drop(&mut self) {
            self.0.add();
            let task = spawn_local(async { unreachable!("it must not run") });
            assert!(task.is_finished());
            quiet_panic("in the drop of a local future");
        }
    }
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let dropped = Count::default();
        let mut tasks = Vec::new();
        for i in 0..10 {
            let value = (Spawns(dropped.clone()), Rc::new(i));
            tasks.push(local.spawn_local(async move {
                let _value = value;
                if i % 2 == 0 {
                    task::yield_now().await;
                }
                pending::<()>().await
            }));
        }
        local.block_on(runtime, task::yield_now());
        drop(local);
        assert_eq!(dropped.get(), 10);
        for task in tasks {
            assert!(runtime.block_on(task).unwrap_err().is_panic());
        }
    });
}

#[test]
fn wakers_of_local_tasks_outlive_their_set_on_other_threads() {
    with_runtime(1, |runtime| {
        for round in 0..300 {
            let local = LocalSet::new();
            let (switch, value) = (Switch::default(), Count::default());
            let (wait, kept) = (switch.wait(), value.on_drop());
            local.spawn_local(async move {
                let _kept = (kept, Rc::new(()));
                wait.await;
            });
            local.block_on(runtime, task::yield_now());
            let waker = switch.waker();
            drop(switch);
            let start = Gate::default();
            let wait = start.clone();
            let thread = thread::spawn(move || {
                wait.pass();
                if round % 2 == 0 {
                    waker.wake_by_ref();
                }
                waker.wake();
            });
            start.open();
            // Meets the wake, or not.
            drop(local);
            assert_eq!(value.get(), 1);
            thread.join().unwrap();
        }
    });
}

#[test]
fn an_output_that_may_be_sent_may_be_awaited_on_another_thread() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let value = Rc::new(5);
        let task = local.spawn_local(async move { *value });
        let other = runtime.spawn(task);
        assert_eq!(local.block_on(runtime, other).unwrap().unwrap(), 5);
    });
}

#[test]
fn a_join_set_takes_local_tasks() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let mut set = JoinSet::new();
        set.spawn_local_on(async { Rc::new(1) }, &local);
        let sum = local.block_on(runtime, async move {
            set.spawn_local(async { Rc::new(2) });
            let mut sum = 0;
            while let Some(output) = set.join_next().await {
                sum += *output.unwrap();
            }
            sum
        });
        assert_eq!(sum, 3);
    });
}

#[test]
fn a_set_that_is_polled_by_hand_wakes_who_polled_last() {
    watchdog(|| {
        let mut local = LocalSet::new();
        let switch = Switch::default();
        local.spawn_local(switch.wait());
        let cx = &mut Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut local).poll(cx).is_pending());
        switch.turn_on();
        assert!(matches!(Pin::new(&mut local).poll(cx), Poll::Ready(())));
        let mut empty = pin!(LocalSet::default());
        assert!(empty.as_mut().poll(cx).is_ready());
        assert!(format!("{empty:?}").starts_with("LocalSet { tasks: 0"));
        wait_until(|| true);
    });
}

#[test]
fn a_task_that_is_started_beside_the_one_who_drives_the_set_wakes_it() {
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        runtime.block_on(async {
            let drives = pin!(local.run_until(pending::<()>()));
            let spawns = pin!(async {
                task::yield_now().await;
                local.spawn_local(async { Rc::new(1) }).await.unwrap()
            });
            match futures::future::select(drives, spawns).await {
                futures::future::Either::Right((output, _)) => assert_eq!(*output, 1),
                futures::future::Either::Left(_) => unreachable!(),
            }
        });
    });
}

#[test]
fn a_set_may_end_with_a_thread() {
    thread_local! {
        static LOCAL: LocalSet = LocalSet::new();
    }
    with_runtime(1, |runtime| {
        let dropped = Count::default();
        let (value, handle) = (dropped.on_drop(), runtime.handle().clone());
        thread::spawn(move || {
            LOCAL.with(|local| {
                local.spawn_local(async move {
                    let _value = (value, Rc::new(()));
                    pending::<()>().await;
                });
                handle.block_on(local.run_until(task::yield_now()));
            });
        })
        .join()
        .unwrap();
        assert_eq!(dropped.get(), 1);
    });
}

#[test]
fn a_local_future_may_wake_others_and_take_their_locks_while_it_is_dropped() {
    struct Locks(Rc<RefCell<u32>>, Switch);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.borrow_mut() += 1;
            self.1.turn_on();
        }
    }
    with_runtime(1, |runtime| {
        let local = LocalSet::new();
        let (count, switch) = (Rc::new(RefCell::new(0)), Switch::default());
        for _ in 0..10 {
            let (locks, wait) = (Locks(count.clone(), switch.clone()), switch.wait());
            local.spawn_local(async move {
                let _locks = locks;
                wait.await;
                pending::<()>().await;
            });
        }
        local.block_on(runtime, task::yield_now());
        drop(local);
        assert_eq!(*count.borrow(), 10);
    });
}
