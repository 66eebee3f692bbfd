//! Who gets a turn, whatever the others do. With one worker, so that a turn that is not given is a hang.

mod common;

use common::{Count, Gate, Log, Switch, occupy, wait_until, watchdog, with_runtime};
use heist_rt::{runtime::Builder, task};
use std::{
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll, Waker},
};

/// Goes on for as long as it takes somebody else to set the flag.
async fn until(flag: Arc<AtomicBool>, step: impl AsyncFn()) {
    while !flag.load(Ordering::Acquire) {
        step().await;
    }
}

fn sets(flag: &Arc<AtomicBool>) -> impl Future<Output = ()> + Send + 'static {
    let flag = flag.clone();
    async move { flag.store(true, Ordering::Release) }
}

#[test]
fn a_task_that_wakes_itself_for_ever_lets_others_run() {
    with_runtime(1, |runtime| {
        let flag = Arc::new(AtomicBool::new(false));
        let spins = runtime.spawn(until(flag.clone(), async || task::yield_now().await));
        // From outside, and from a task beside it.
        let setter = sets(&flag);
        runtime.spawn(async move { drop(task::spawn(setter)) });
        runtime.block_on(spins).unwrap();
    });
}

#[test]
fn tasks_that_wake_each_other_for_ever_let_a_third_run() {
    with_runtime(1, |runtime| {
        let flag = Arc::new(AtomicBool::new(false));
        let ((to_one, one), (to_two, two)) = (async_channel::bounded(1), async_channel::bounded(1));
        let player = |to: async_channel::Sender<()>, from: async_channel::Receiver<()>| {
            let flag = flag.clone();
            async move {
                while !flag.load(Ordering::Acquire) && from.recv().await.is_ok() {
                    let _ = to.send(()).await;
                }
            }
        };
        to_one.try_send(()).unwrap();
        let players = [player(to_two, one), player(to_one, two)];
        let setter = sets(&flag);
        let players = runtime.spawn(async move {
            // Behind the players in the queue, who always put each other before it.
            task::spawn(setter);
            players.map(task::spawn)
        });
        runtime.block_on(async {
            for player in players.await.unwrap() {
                player.await.unwrap();
            }
        });
    });
}

#[test]
fn tasks_from_outside_get_their_turn_whatever_those_inside_do() {
    for interval in [None, Some(1), Some(61)] {
        watchdog(move || {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(1);
            if let Some(interval) = interval {
                builder.global_queue_interval(interval);
            }
            let runtime = builder.build().unwrap();
            let flag = Arc::new(AtomicBool::new(false));
            let spins: Vec<_> = (0..10)
                .map(|_| runtime.spawn(until(flag.clone(), async || task::yield_now().await)))
                .collect();
            runtime.spawn(sets(&flag));
            for spin in spins {
                runtime.block_on(spin).unwrap();
            }
        });
    }
}

#[test]
fn an_aborted_task_is_dropped_whatever_others_do() {
    with_runtime(1, |runtime| {
        let flag = Arc::new(AtomicBool::new(false));
        let waits = runtime.spawn(pending::<()>());
        let spins = runtime.spawn(until(flag.clone(), async || task::yield_now().await));
        waits.abort();
        assert!(runtime.block_on(waits).unwrap_err().is_cancelled());
        flag.store(true, Ordering::Release);
        runtime.block_on(spins).unwrap();
    });
}

#[test]
fn a_task_that_makes_progress_without_end_lets_others_run() {
    with_runtime(1, |runtime| {
        let flag = Arc::new(AtomicBool::new(false));
        let spins = runtime.spawn(until(flag.clone(), async || task::consume_budget().await));
        runtime.spawn(sets(&flag));
        runtime.block_on(spins).unwrap();
    });
}

#[test]
fn awaiting_tasks_that_have_completed_uses_up_the_budget() {
    with_runtime(1, |runtime| {
        let count = |n: usize| {
            let ready: Vec<_> = (0..n).map(|_| runtime.spawn(async {})).collect();
            wait_until(|| ready.iter().all(task::JoinHandle::is_finished));
            let polls = Arc::new(AtomicUsize::new(0));
            let counted = polls.clone();
            let mut all = Box::pin(async move {
                for task in ready {
                    task.await.unwrap();
                }
            });
            let task = runtime.spawn(poll_fn(move |cx| {
                counted.fetch_add(1, Ordering::Relaxed);
                all.as_mut().poll(cx)
            }));
            runtime.block_on(task).unwrap();
            polls.load(Ordering::Relaxed)
        };
        assert_eq!(count(100), 1);
        assert_eq!(count(129), 2);
        assert_eq!(count(1_000), 8);
    });
}

#[test]
fn waiting_uses_up_nothing_of_the_budget() {
    with_runtime(1, |runtime| {
        let (switch, ready) = (Switch::default(), runtime.spawn(async { 7 }));
        wait_until(|| ready.is_finished());
        let mut waits = runtime.spawn(switch.wait());
        let mut ready = Some(ready);
        let task = runtime.spawn(poll_fn(move |cx| {
            for _ in 0..1_000 {
                assert!(Pin::new(&mut waits).poll(cx).is_pending());
            }
            Pin::new(ready.as_mut().unwrap()).poll(cx)
        }));
        assert_eq!(runtime.block_on(task).unwrap().unwrap(), 7);
        switch.turn_on();
    });
}

#[test]
fn without_a_budget_a_task_goes_on_in_one_poll() {
    with_runtime(1, |runtime| {
        let polls = Count::default();
        let counted = polls.clone();
        let mut steps = Box::pin(task::unconstrained(async {
            for _ in 0..1_000 {
                task::consume_budget().await;
            }
        }));
        let task = runtime.spawn(poll_fn(move |cx| {
            counted.add();
            steps.as_mut().poll(cx)
        }));
        runtime.block_on(task).unwrap();
        assert_eq!(polls.get(), 1);
        // What is in no task has no budget either.
        let mut steps = std::pin::pin!(task::consume_budget());
        assert!(steps.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    });
}

#[test]
fn tasks_that_were_just_spawned_are_run_elsewhere_while_their_parent_computes() {
    with_runtime(2, |runtime| {
        let gates = [Gate::default(), Gate::default()];
        let parent = runtime.spawn(async move {
            let children = gates.clone().map(|gate| task::spawn(async move { gate.open() }));
            // Blocks this worker until the other one has taken both: the older one, which calls for it, and
            // then the newer one out of the slot.
            gates.iter().for_each(Gate::pass);
            for child in children {
                child.await.unwrap();
            }
        });
        runtime.block_on(parent).unwrap();
    });
}

#[test]
fn tasks_and_jobs_on_one_worker_take_turns() {
    with_runtime(1, |runtime| {
        let flag = Arc::new(AtomicBool::new(false));
        let spins = runtime.spawn(until(flag.clone(), async || task::yield_now().await));
        runtime.pool().spawn(move || flag.store(true, Ordering::Release));
        runtime.block_on(spins).unwrap();

        fn again(flag: Arc<AtomicBool>) {
            if !flag.load(Ordering::Acquire) {
                heist_core::spawn(move || again(flag));
            }
        }
        let flag = Arc::new(AtomicBool::new(false));
        let jobs = flag.clone();
        runtime.pool().spawn(move || again(jobs));
        runtime.block_on(runtime.spawn(sets(&flag))).unwrap();
    });
}

#[test]
fn tasks_from_outside_run_in_the_order_in_which_they_came() {
    watchdog(|| {
        // It is their turn to come before those at the post so rarely that they do not here; after a while,
        // since a worker begins with a guess.
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).global_queue_interval(100_000).build().unwrap();
        (0..300).for_each(|_| runtime.block_on(runtime.spawn(async {})).unwrap());
        let (gate, log) = (occupy(&runtime), Log::default());
        let (sender, done) = mpsc::channel();
        for i in 0..100 {
            let (log, sender) = (log.clone(), sender.clone());
            runtime.spawn(async move {
                log.add(i);
                sender.send(()).unwrap();
            });
        }
        gate.open();
        done.iter().take(100).for_each(drop);
        assert_eq!(log.take(), (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn the_budget_is_full_again_in_the_next_poll() {
    with_runtime(1, |runtime| {
        let mut left = 10;
        let task = runtime.spawn(poll_fn(move |cx| {
            let mut steps = 0;
            while std::pin::pin!(task::consume_budget()).poll(cx).is_ready() {
                steps += 1;
            }
            assert_eq!(steps, 128);
            left -= 1;
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        }));
        runtime.block_on(task).unwrap();
    });
}
