//! Which runtime a thread is in.

mod common;

use common::{message_of, runtime, watchdog, with_runtime};
use heist_rt::{
    runtime::{EnterGuard, Handle, Runtime},
    task,
};
use std::{cell::RefCell, sync::OnceLock, thread};

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
fn leaving_in_another_order_panics_leaks_a_handle_and_changes_nothing() {
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
fn a_guard_that_outlives_its_task_panics_leaks_a_handle_and_changes_nothing() {
    thread_local! {
        static KEPT: RefCell<Option<EnterGuard<'static>>> = const { RefCell::new(None) };
    }
    with_runtime(1, |runtime| {
        static OTHER: OnceLock<Runtime> = OnceLock::new();
        let other = OTHER.get_or_init(|| common::runtime(2));
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

#[test]
fn a_runtime_may_end_with_a_thread() {
    thread_local! {
        static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    }
    watchdog(|| {
        let (dropped, output) = thread::spawn(|| {
            let dropped = common::Count::default();
            let value = dropped.on_drop();
            RUNTIME.set(Some(runtime(1)));
            let output = RUNTIME.with_borrow(|runtime| {
                let runtime = runtime.as_ref().unwrap();
                runtime.spawn(async move {
                    let _value = value;
                    std::future::pending::<()>().await;
                });
                runtime.block_on(async { task::spawn(async { 1 }).await.unwrap() })
            });
            (dropped, output)
        })
        .join()
        .unwrap();
        assert_eq!(output, 1);
        assert_eq!(dropped.get(), 1);
    });
}
