//! Tasks that are awaited together.

mod common;

use common::{Count, Gate, Switch, message_of, quiet_panic, runtime, wait_until, watchdog, with_runtime};
use heist_rt::task::{self, Id, JoinSet};
use std::{
    collections::HashSet,
    future::{Future, pending, poll_fn},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

#[test]
fn every_output_is_given_once() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            assert!(set.is_empty());
            (0..1_000).for_each(|i| drop(set.spawn(async move { i })));
            assert_eq!(set.len(), 1_000);
            let mut seen = HashSet::new();
            while let Some(output) = set.join_next().await {
                assert!(seen.insert(output.unwrap()));
                assert_eq!(set.len(), 1_000 - seen.len());
            }
            assert_eq!(seen.len(), 1_000);
            assert!(set.join_next().await.is_none());
            assert!(set.try_join_next().is_none());
        });
    });
}

#[test]
fn outputs_come_in_the_order_in_which_the_tasks_complete() {
    with_runtime(1, |runtime| {
        let switches: Vec<_> = (0..20).map(|_| Switch::default()).collect();
        let mut set = JoinSet::new();
        for (i, switch) in switches.iter().enumerate() {
            let wait = switch.wait();
            let waits = async move {
                wait.await;
                i
            };
            set.spawn_on(waits, runtime.handle());
        }
        let order: Vec<_> = (0..20).map(|i| i * 7 % 20).collect();
        for &i in &order {
            switches[i].turn_on();
            let next = runtime.block_on(set.join_next());
            assert_eq!(next.unwrap().unwrap(), i);
        }
    });
}

#[test]
fn a_key_is_used_again_while_others_wait() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.spawn(pending::<usize>());
            for i in 0..1_000 {
                set.spawn(async move { i });
                assert_eq!(set.join_next().await.unwrap().unwrap(), i);
            }
            assert_eq!(set.len(), 1);
            set.shutdown().await;
            assert!(set.is_empty());
        });
    });
}

#[test]
fn a_completion_polls_nobody_else() {
    struct Bell(Count);
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.add();
        }
    }
    with_runtime(1, |runtime| {
        let _entered = runtime.enter();
        let (wakes, switches) = (Count::default(), [Switch::default(), Switch::default()]);
        let mut set: JoinSet<()> = switches.iter().map(Switch::wait).collect();
        let waker = Waker::from(Arc::new(Bell(wakes.clone())));
        let cx = &mut Context::from_waker(&waker);
        assert!(set.poll_join_next(cx).is_pending());
        assert!(set.poll_join_next(cx).is_pending());
        switches[1].turn_on();
        wait_until(|| wakes.get() == 1);
        assert!(set.poll_join_next(cx).is_ready());
        assert!(set.poll_join_next(cx).is_pending());
        switches[0].turn_on();
        wait_until(|| wakes.get() == 2);
        assert!(matches!(set.poll_join_next(cx), Poll::Ready(Some(Ok(())))));
        assert!(matches!(set.poll_join_next(cx), Poll::Ready(None)));
    });
}

#[test]
fn ids_and_abort_handles_belong_to_their_tasks() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            let ends: Id = set.spawn(async { 1 }).id();
            assert_eq!(set.join_next_with_id().await.unwrap().unwrap(), (ends, 1));
            let panics = set.spawn(async { quiet_panic("in a set") }).id();
            let error = set.join_next_with_id().await.unwrap().unwrap_err();
            assert!(error.is_panic());
            assert_eq!(error.id(), panics);
            let aborted = set.spawn(pending());
            set.spawn(pending());
            aborted.abort();
            let error = set.join_next().await.unwrap().unwrap_err();
            assert!(error.is_cancelled());
            assert_eq!(error.id(), aborted.id());
            assert_eq!(set.len(), 1);
            set.abort_all();
            assert!(set.join_next().await.unwrap().unwrap_err().is_cancelled());
        });
    });
}

#[test]
fn trying_gives_only_what_has_completed() {
    with_runtime(1, |runtime| {
        let mut set = JoinSet::new();
        let switch = Switch::default();
        let task = set.spawn_on(switch.wait(), runtime.handle());
        assert!(set.try_join_next().is_none());
        switch.turn_on();
        wait_until(|| task.is_finished());
        let mut next = None;
        while next.is_none() {
            next = set.try_join_next_with_id();
        }
        assert_eq!(next.unwrap().unwrap(), (task.id(), ()));
        assert!(set.is_empty());
    });
}

#[test]
fn dropping_a_set_aborts_its_tasks_and_detaching_does_not() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let (dropped, ended, gate) = (Count::default(), Count::default(), Switch::default());
        let mut set = JoinSet::new();
        for _ in 0..10 {
            let value = dropped.on_drop();
            set.spawn(async move {
                let _value = value;
                pending::<()>().await
            });
        }
        drop(set);
        wait_until(|| dropped.get() == 10);

        let mut set = JoinSet::new();
        let (wait, value, ends) = (gate.wait(), dropped.on_drop(), ended.clone());
        set.spawn(async move {
            let _value = value;
            wait.await;
            ends.add();
        });
        set.detach_all();
        assert!(set.is_empty());
        set.spawn(async {});
        drop(set);
        gate.turn_on();
        wait_until(|| ended.get() == 1 && dropped.get() == 11);
    });
}

#[test]
fn a_set_is_detached_while_its_tasks_complete() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let outputs = Count::default();
        let mut set = JoinSet::new();
        for round in 0..300 {
            for _ in 0..4 {
                let output = outputs.on_drop();
                set.spawn(async move { output });
            }
            set.detach_all();
            set.spawn(async move { Count::default().on_drop() });
            assert_eq!(set.len(), 1);
            assert!(runtime.block_on(set.join_next()).unwrap().is_ok());
            assert!(set.is_empty());
            wait_until(|| outputs.get() == 4 * (round + 1));
        }
    });
}

#[test]
fn dropping_what_awaits_the_next_one_loses_nothing() {
    with_runtime(1, |runtime| {
        let switch = Switch::default();
        let mut set = JoinSet::new();
        set.spawn_on(switch.wait(), runtime.handle());
        runtime.block_on(async {
            {
                let mut next = pin!(set.join_next());
                poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx).is_pending())).await;
            }
            switch.turn_on();
            set.join_next().await.unwrap().unwrap();
        });
    });
}

#[test]
fn all_outputs_at_once_or_the_first_panic() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let mut outputs =
            runtime.block_on((0..10).map(|i| async move { i }).collect::<JoinSet<_>>().join_all());
        outputs.sort_unstable();
        assert_eq!(outputs, (0..10).collect::<Vec<_>>());

        let dropped = Count::default();
        let mut set = JoinSet::new();
        let value = dropped.on_drop();
        set.spawn(async move {
            let _value = value;
            pending().await
        });
        set.spawn(async { quiet_panic("the first") });
        assert_eq!(message_of(|| -> Vec<()> { runtime.block_on(set.join_all()) }), "the first");
        wait_until(|| dropped.get() == 1);

        let mut set: JoinSet<()> = JoinSet::new();
        set.spawn(pending()).abort();
        assert!(message_of(|| runtime.block_on(set.join_all())).contains("was cancelled"));
    });
}

#[test]
fn shutting_down_waits_until_all_are_gone() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let dropped = Count::default();
        let mut set = JoinSet::new();
        for _ in 0..100 {
            let value = dropped.on_drop();
            set.spawn(async move {
                let _value = value;
                pending::<()>().await
            });
        }
        runtime.block_on(set.shutdown());
        assert_eq!(dropped.get(), 100);
        assert!(set.is_empty());
    });
}

#[test]
fn blocking_tasks_may_be_members() {
    with_runtime(1, |runtime| {
        let _entered = runtime.enter();
        let mut set = JoinSet::new();
        let gate = Gate::default();
        let wait = gate.clone();
        set.spawn_blocking(move || {
            wait.pass();
            1
        });
        set.spawn_blocking_on(|| 2, runtime.handle());
        assert_eq!(runtime.block_on(set.join_next()).unwrap().unwrap(), 2);
        gate.open();
        assert_eq!(runtime.block_on(set.join_next()).unwrap().unwrap(), 1);
    });
}

#[test]
fn a_set_may_outlive_its_runtime() {
    watchdog(|| {
        let mut set = JoinSet::new();
        let runtime = runtime(1);
        set.spawn_on(pending::<()>(), runtime.handle());
        let id = set.spawn_on(async {}, runtime.handle());
        wait_until(|| id.is_finished());
        drop(runtime);
        assert!(heist_rt::block_on(set.join_next()).unwrap().is_ok());
        assert!(heist_rt::block_on(set.join_next()).unwrap().unwrap_err().is_cancelled());
        assert!(heist_rt::block_on(set.join_next()).is_none());
    });
}

#[test]
fn emptying_a_large_set_lets_others_run() {
    with_runtime(1, |runtime| {
        let _entered = runtime.enter();
        let mut set: JoinSet<()> = (0..1_000).map(|_| async {}).collect();
        let metrics = runtime.metrics();
        wait_until(|| metrics.num_alive_tasks() == 0);
        let polls = Count::default();
        let counted = polls.clone();
        let mut all = Box::pin(async move { while set.join_next().await.is_some() {} });
        let task = task::spawn(poll_fn(move |cx| {
            counted.add();
            all.as_mut().poll(cx)
        }));
        runtime.block_on(task).unwrap();
        assert!(polls.get() >= 8, "{polls:?}");
    });
}

#[test]
fn a_set_says_how_many_it_has() {
    assert_eq!(format!("{:?}", JoinSet::<()>::default()), "JoinSet { len: 0 }");
    fn is_thread_safe<T: Send + Sync>() {}
    is_thread_safe::<JoinSet<u8>>();
}
