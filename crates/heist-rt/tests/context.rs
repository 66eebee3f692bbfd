//! Which runtime a thread is in.

mod common;

use common::{message_of, runtime, watchdog, with_runtime};
use heist_rt::{
    runtime::{Builder, EnterGuard, Handle, Runtime},
    task,
};
use std::{cell::RefCell, thread};

/// Runtimes are told apart by how many workers they have.
fn current() -> usize {
    Handle::try_current().map_or(0, |handle| handle.metrics().num_workers())
}

#[test]
fn a_thread_is_in_the_runtime_that_it_entered_last() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(2));
        assert_eq!(current(), 0);
        let outer = one.enter();
        assert_eq!(current(), 1);
        {
            let _inner = two.handle().enter();
            assert_eq!(current(), 2);
            let _again = one.enter();
            assert_eq!(current(), 1);
        }
        assert_eq!(current(), 1);
        assert_eq!(two.block_on(async { current() }), 2);
        assert_eq!(two.block_on(task::spawn(async { current() })).unwrap(), 1);
        drop(outer);
        assert_eq!(current(), 0);
    });
}

#[test]
fn outside_of_any_runtime_asking_for_it_is_an_error() {
    assert!(Handle::try_current().unwrap_err().to_string().contains("no current runtime"));
    assert!(message_of(Handle::current).contains("no current runtime"));
    assert_eq!(thread::spawn(current).join().unwrap(), 0);
}

#[test]
fn a_task_may_enter_another_runtime() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(2));
        let handle = two.handle().clone();
        let task = one.spawn(async move {
            let before = current();
            let inside = {
                let _guard = handle.enter();
                (current(), task::spawn(async { current() }))
            };
            task::yield_now().await;
            (before, inside.0, inside.1.await.unwrap(), current())
        });
        assert_eq!(one.block_on(task).unwrap(), (1, 2, 2, 1));
    });
}

#[test]
fn leaving_in_another_order_panics_and_changes_nothing() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(2));
        let outer = one.enter();
        let inner = two.enter();
        assert!(message_of(|| drop(outer)).contains("reverse"));
        assert_eq!(current(), 2);
        drop(inner);
        assert_eq!(current(), 1);
    });
}

#[test]
fn a_guard_that_outlives_the_task_it_was_made_in_is_no_guard_any_more() {
    thread_local! {
        static KEPT: RefCell<Option<EnterGuard<'static>>> = const { RefCell::new(None) };
    }
    with_runtime(1, |runtime| {
        let other: &'static Runtime =
            Box::leak(Box::new(Builder::new_multi_thread().worker_threads(2).build().unwrap()));
        let keeps = runtime.spawn(async {
            KEPT.set(Some(other.enter()));
            assert_eq!(current(), 2);
        });
        runtime.block_on(keeps).unwrap();
        let drops = runtime.spawn(async {
            let before = current();
            let text = message_of(|| drop(KEPT.take()));
            (before, text, current())
        });
        let (before, text, after) = runtime.block_on(drops).unwrap();
        assert_eq!((before, after), (1, 1));
        assert!(text.contains("the same poll"));
        other.handle().spawn(async {});
    });
}

#[test]
fn a_guard_that_is_dropped_by_a_panic_leaves_its_runtime() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(2));
        let _outer = one.enter();
        common::payload_of(|| {
            let _inner = two.enter();
            common::quiet_panic("inside");
        });
        assert_eq!(current(), 1);
    });
}
