//! What a task is: where it runs, how often, and what its handle says about it.

mod common;

use common::{Count, Gate, Log, Switch, message_of, quiet_panic, runtime, watchdog, with_runtime};
use heist_rt::{
    runtime::{Builder, Handle, Runtime},
    task::{self, JoinHandle},
};
use std::{
    collections::HashSet,
    future::{self, Future, poll_fn},
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
};

#[test]
fn a_task_runs_whether_its_handle_is_awaited_or_not() {
    with_runtime(1, |runtime| {
        let (sender, results) = mpsc::channel();
        drop(runtime.spawn(async move { sender.send(1).unwrap() }));
        assert_eq!(results.recv().unwrap(), 1);
    });
}

#[test]
fn ten_thousand_tasks_run_once_each_and_none_is_left() {
    with_runtime(2, |runtime| {
        let count = Count::default();
        let counted = count.clone();
        runtime.block_on(async move {
            let task = || {
                let count = counted.clone();
                task::spawn(async move {
                    task::yield_now().await;
                    count.add();
                })
            };
            for task in (0..10_000).map(|_| task()).collect::<Vec<_>>() {
                task.await.unwrap();
            }
        });
        assert_eq!(count.get(), 10_000);
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
    });
}

#[test]
fn each_task_may_start_the_next_one() {
    fn chain(left: usize, done: mpsc::Sender<()>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match left {
                0 => done.send(()).unwrap(),
                _ => drop(task::spawn(chain(left - 1, done))),
            }
        })
    }
    with_runtime(2, |runtime| {
        let (sender, done) = mpsc::channel();
        runtime.spawn(chain(1_000, sender));
        done.recv().unwrap();
    });
}

#[test]
fn threads_outside_of_the_runtime_start_tasks_through_a_handle() {
    with_runtime(2, |runtime| {
        let threads: Vec<_> = (0..4)
            .map(|i| {
                let handle = runtime.handle().clone();
                thread::spawn(move || (0..250).map(|j| handle.spawn(async move { 250 * i + j })).collect())
            })
            .collect();
        let tasks: Vec<Vec<JoinHandle<usize>>> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        let sum = runtime.block_on(async {
            let mut sum = 0;
            for task in tasks.into_iter().flatten() {
                sum += task.await.unwrap();
            }
            sum
        });
        assert_eq!(sum, 1000 * 999 / 2);
    });
}

#[test]
fn a_job_of_the_pool_finds_the_runtime_and_a_task_finds_the_pool() {
    with_runtime(2, |runtime| {
        let pool = runtime.pool();
        let task = pool.install(|| task::spawn(async { heist_core::join(|| 1, || 2) }));
        assert_eq!(runtime.block_on(task).unwrap(), (1, 2));
    });
}

#[test]
fn block_on_polls_on_the_calling_thread_what_need_not_be_sent_nor_be_static() {
    with_runtime(1, |runtime| {
        let local = std::rc::Rc::new(std::cell::Cell::new(0));
        let here = thread::current().id();
        runtime.block_on(async {
            local.set(1);
            task::yield_now().await;
            assert_eq!(thread::current().id(), here);
            task::spawn(async move { assert_ne!(thread::current().id(), here) }).await.unwrap();
            local.set(local.get() + 1);
        });
        assert_eq!(local.get(), 2);
    });
}

#[test]
fn block_on_may_nest_on_a_thread_that_is_no_worker() {
    with_runtime(1, |runtime| {
        let handle = runtime.handle().clone();
        let nested = runtime.block_on(async { handle.block_on(task::spawn(async { 1 })).unwrap() });
        assert_eq!(nested, 1);
    });
}

#[test]
fn block_on_works_on_a_worker_of_the_same_runtime() {
    with_runtime(1, |runtime| {
        // The task that it waits for runs on a spare thread: there is no other worker.
        let task = runtime.spawn(async { Handle::current().block_on(task::spawn(async { 7 })).unwrap() });
        assert_eq!(runtime.block_on(task).unwrap(), 7);
    });
}

#[test]
fn a_panic_in_block_on_surfaces_there_and_leaves_the_runtime() {
    with_runtime(1, |runtime| {
        let text = message_of(|| runtime.block_on(async { quiet_panic("in block_on") }));
        assert_eq!(text, "in block_on");
        assert!(Handle::try_current().is_err());
        assert_eq!(runtime.block_on(async { 1 }), 1);
    });
}

#[test]
fn a_task_may_be_awaited_in_another_runtime_and_without_one() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(1));
        let task = one.spawn(async { 1 });
        assert_eq!(two.block_on(two.spawn(async move { task.await.unwrap() + 1 })).unwrap(), 2);
        assert_eq!(futures::executor::block_on(one.spawn(async { 3 })).unwrap(), 3);
    });
}

#[test]
fn outside_of_any_runtime_tasks_run_in_the_global_one() {
    watchdog(|| {
        assert!(Handle::try_current().is_err());
        let task = task::spawn(async { Handle::current().metrics().num_workers() });
        assert_eq!(heist_rt::block_on(task).unwrap(), Handle::global().metrics().num_workers());
    });
}

#[test]
fn a_runtime_for_the_current_thread_runs_tasks_also_while_nobody_blocks() {
    watchdog(|| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(runtime.metrics().num_workers(), 1);
        let (sender, results) = mpsc::channel();
        runtime.spawn(async move { sender.send(()).unwrap() });
        results.recv().unwrap();
    });
}

#[test]
fn a_task_is_never_polled_by_two_threads_at_once_nor_after_its_end() {
    with_runtime(3, |runtime| {
        let (polling, polls) = (AtomicBool::new(false), Arc::new(AtomicUsize::new(0)));
        let (waker, left) = (Switch::default(), polls.clone());
        let kept = waker.clone();
        let task = runtime.spawn(poll_fn(move |cx| {
            assert!(!polling.swap(true, Ordering::SeqCst), "two polls at once");
            // Keeps the waker for those below.
            let _ = Pin::new(&mut kept.wait()).poll(cx);
            thread::yield_now();
            let polls = left.fetch_add(1, Ordering::SeqCst);
            assert!(polls <= 50, "polled after its end");
            polling.store(false, Ordering::SeqCst);
            if polls == 50 { Poll::Ready(()) } else { Poll::Pending }
        }));
        let waker = waker.waker();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !task.is_finished() {
                        waker.wake_by_ref();
                    }
                });
            }
        });
        runtime.block_on(task).unwrap();
        assert_eq!(polls.load(Ordering::SeqCst), 51);
    });
}

#[test]
fn futures_and_outputs_of_any_size_and_alignment_work() {
    #[repr(align(128))]
    #[derive(Debug, PartialEq)]
    struct Aligned(u8);

    with_runtime(1, |runtime| {
        let big = [7u8; 10_000];
        let task = runtime.spawn(async move {
            let (a, b) = (Aligned(1), big);
            task::yield_now().await;
            assert_eq!((&raw const a).addr() % 128, 0);
            (a, b)
        });
        assert_eq!(runtime.block_on(task).unwrap(), (Aligned(1), big));
        runtime.block_on(runtime.spawn(future::ready(()))).unwrap();
    });
}

#[test]
fn every_task_has_an_id_of_its_own_which_its_code_can_ask_for() {
    with_runtime(2, |runtime| {
        assert_eq!(task::try_id(), None);
        assert!(message_of(task::id).contains("outside of a task"));
        let mut ids = HashSet::new();
        for i in 0..200 {
            let task = if i % 2 == 0 {
                runtime.spawn(async {
                    task::yield_now().await;
                    task::id()
                })
            } else {
                runtime.spawn_blocking(task::id)
            };
            let id = task.id();
            assert_eq!(task.abort_handle().id(), id);
            assert_eq!(runtime.block_on(task).unwrap(), id);
            assert!(ids.insert(id));
        }
        runtime.block_on(async { assert_eq!(task::try_id(), None) });
    });
}

#[test]
fn a_handle_says_whether_its_task_has_finished() {
    with_runtime(1, |runtime| {
        let switch = Switch::default();
        let task = runtime.spawn(switch.wait());
        let abort = task.abort_handle();
        assert!(!task.is_finished() && !abort.is_finished());
        switch.turn_on();
        common::wait_until(|| task.is_finished());
        assert!(abort.is_finished());
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn who_awaits_a_handle_may_change() {
    struct Bell(Count);
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.add();
        }
    }
    with_runtime(1, |runtime| {
        let (switch, first, last) = (Switch::default(), Count::default(), Count::default());
        let mut task = runtime.spawn(switch.wait());
        for bell in [&first, &first, &last] {
            let waker = Waker::from(Arc::new(Bell(bell.clone())));
            assert!(Pin::new(&mut task).poll(&mut Context::from_waker(&waker)).is_pending());
        }
        switch.turn_on();
        common::wait_until(|| last.get() == 1);
        assert_eq!(first.get(), 0);
        assert!(Pin::new(&mut task).poll(&mut Context::from_waker(Waker::noop())).is_ready());
        assert_eq!(last.get(), 1);
    });
}

#[test]
fn a_handle_that_has_given_the_output_panics_when_polled_again() {
    with_runtime(1, |runtime| {
        let mut task = runtime.spawn(async {});
        runtime.block_on(&mut task).unwrap();
        let text = message_of(|| runtime.block_on(&mut task));
        assert!(text.contains("polled after it had completed"), "{text}");
    });
}

#[test]
fn errors_tell_what_happened() {
    with_runtime(1, |runtime| {
        let task = runtime.spawn(async { quiet_panic("oh") });
        let id = task.id();
        let error: task::JoinError = runtime.block_on(task).unwrap_err();
        assert!(error.is_panic() && !error.is_cancelled());
        assert_eq!(error.id(), id);
        assert_eq!(error.to_string(), format!("task {id} panicked with message \"oh\""));
        assert!(format!("{error:?}").contains("oh"));
        assert_eq!(*error.into_panic().downcast::<&str>().unwrap(), "oh");

        let task = runtime.spawn(future::pending::<()>());
        let id = task.id();
        task.abort();
        let error = runtime.block_on(task).unwrap_err();
        assert!(error.is_cancelled() && !error.is_panic());
        assert_eq!(error.to_string(), format!("task {id} was cancelled"));
        let error = error.try_into_panic().unwrap_err();
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::Other);
    });
}

#[test]
fn handles_may_be_sent_and_shared_and_survive_an_unwinding() {
    fn is_all<T: Send + Sync + Unpin + std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    is_all::<JoinHandle<std::cell::Cell<u8>>>();
    is_all::<task::AbortHandle>();
    fn is_thread_safe<T: Send + Sync>() {}
    is_thread_safe::<task::JoinError>();
    is_thread_safe::<Handle>();
    is_thread_safe::<heist_rt::runtime::Runtime>();
}

#[test]
fn tasks_that_yield_take_turns() {
    with_runtime(1, |runtime| {
        let log = Log::default();
        let inner = log.clone();
        let both = runtime.spawn(async move {
            let turns = |name: char| {
                let log = inner.clone();
                task::spawn(async move {
                    for _ in 0..50 {
                        log.add(name);
                        task::yield_now().await;
                    }
                })
            };
            [turns('a'), turns('b')]
        });
        runtime.block_on(async {
            for task in both.await.unwrap() {
                task.await.unwrap();
            }
        });
        let log = log.take();
        assert_eq!(log.len(), 100);
        assert!(log.windows(2).all(|pair| pair[0] != pair[1]), "{log:?}");
    });
}

#[test]
fn a_task_computes_on_several_workers_while_others_go_on() {
    with_runtime(2, |runtime| {
        fn fib(n: u64) -> u64 {
            if n < 2 {
                return n;
            }
            let (a, b) = heist_core::join(|| fib(n - 1), || fib(n - 2));
            a + b
        }
        let gate = Gate::default();
        let open = gate.clone();
        let computes = runtime.spawn(async { fib(20) });
        let other = runtime.spawn(async move { open.open() });
        gate.pass();
        assert_eq!(runtime.block_on(computes).unwrap(), 6765);
        runtime.block_on(other).unwrap();
    });
}

#[test]
fn a_task_that_yields_alone_does_not_wake_the_other_worker() {
    const YIELDS: u64 = 100_000;
    with_runtime(2, |runtime| {
        let wakes = |runtime: &Runtime| runtime.metrics().workers().total().wakes;
        let before = wakes(runtime);
        let yields = runtime.spawn(async {
            for _ in 0..YIELDS {
                task::yield_now().await;
            }
        });
        runtime.block_on(yields).unwrap();
        let woken = wakes(runtime) - before;
        // Should the machine take its time over one of them, the watch tells the others.
        assert!(woken < YIELDS / 200, "{woken} times");
    });
}
