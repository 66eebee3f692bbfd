//! However a task ends: it completes, panics or waits for ever; its future and its output panic in their
//! destructors or do not; its handle awaits, aborts, or goes. Everything is dropped once, what panicked
//! reaches who waits, and the runtime lives on.

mod common;

use common::{
    Count, Gate, OnDrop, message, occupy, panic_for_nobody, payload_of, quiet_panic, runtime, wait_until,
    watchdog,
};
use heist_rt::{runtime::Runtime, task::JoinHandle};
use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Completes,
    Panics,
    Waits,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Await,
    /// While the only worker does something else.
    AbortQueued,
    /// When the task has ended, or waits.
    AbortLater,
    /// While the only worker does something else.
    DetachQueued,
    /// When the task has ended, or waits.
    DetachLater,
    /// Both, in this order.
    AbortAndDetach,
    EndTheRuntime,
}

/// Panics in its destructor if it is to.
struct Fragile {
    panics: bool,
    /// None if nobody gets it.
    text: Option<&'static str>,
    _count: OnDrop,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        match self.text {
            _ if !self.panics => {}
            Some(text) => quiet_panic(text),
            None => panic_for_nobody(),
        }
    }
}

struct Fate {
    end: End,
    output: Option<Fragile>,
    polled: Gate,
    _itself: Fragile,
}

impl Future for Fate {
    type Output = Fragile;

    fn poll(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Fragile> {
        let this = self.get_mut();
        this.polled.open();
        match this.end {
            End::Completes => Poll::Ready(this.output.take().unwrap()),
            End::Panics => quiet_panic("in poll"),
            End::Waits => Poll::Pending,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Output,
    Cancelled,
    Panic(String),
}

/// Awaits the task, and drops its output.
fn outcome(runtime: &Runtime, task: JoinHandle<Fragile>) -> Outcome {
    match runtime.block_on(task) {
        Ok(output) => {
            let _ = catch_unwind(AssertUnwindSafe(|| drop(output)));
            Outcome::Output
        }
        Err(error) if error.is_cancelled() => Outcome::Cancelled,
        Err(error) => Outcome::Panic(message(&*error.into_panic()).to_owned()),
    }
}

fn play(end: End, future_panics: bool, output_panics: bool, act: Act) {
    let case = (end, future_panics, output_panics, act);
    let runtime = runtime(1);
    let (futures, outputs, polled) = (Count::default(), Count::default(), Gate::default());
    let fragile = |panics, text, count: &Count| Fragile { panics, text, _count: count.on_drop() };
    let fate = Fate {
        end,
        output: Some(fragile(output_panics, None, &outputs)),
        polled: polled.clone(),
        _itself: fragile(future_panics, Some("in the future's drop"), &futures),
    };
    let queued = matches!(act, Act::AbortQueued | Act::DetachQueued).then(|| occupy(&runtime));
    let task = runtime.spawn(fate);
    if queued.is_none() && end == End::Waits {
        polled.pass();
    } else if queued.is_none() {
        wait_until(|| task.is_finished());
    }
    let go_on = || queued.iter().for_each(Gate::open);
    let result = match act {
        Act::Await => Some(outcome(&runtime, task)),
        Act::AbortQueued | Act::AbortLater => {
            task.abort();
            go_on();
            Some(outcome(&runtime, task))
        }
        Act::AbortAndDetach => {
            task.abort();
            drop(task);
            None
        }
        Act::DetachQueued | Act::DetachLater => {
            drop(task);
            go_on();
            None
        }
        Act::EndTheRuntime => {
            runtime.shutdown_timeout(std::time::Duration::from_secs(60));
            wait_until(|| task.is_finished());
            let other = common::runtime(1);
            assert!(outcome(&other, task) != Outcome::Output || end == End::Completes);
            assert_eq!((futures.get(), outputs.get()), (1, 1), "{case:?}");
            return;
        }
    };

    let in_drop = || Outcome::Panic("in the future's drop".to_owned());
    let undisturbed = match end {
        End::Panics => Outcome::Panic("in poll".to_owned()),
        _ if future_panics => in_drop(),
        End::Completes => Outcome::Output,
        End::Waits => Outcome::Cancelled,
    };
    match act {
        Act::AbortQueued if future_panics => assert_eq!(result, Some(in_drop()), "{case:?}"),
        Act::AbortQueued => assert_eq!(result, Some(Outcome::Cancelled), "{case:?}"),
        Act::Await | Act::AbortLater => assert_eq!(result, Some(undisturbed), "{case:?}"),
        _ => assert_eq!(result, None),
    }

    let after = runtime.block_on(runtime.spawn(async { 1 })).unwrap();
    assert_eq!(after, 1, "{case:?}");
    drop(runtime);
    assert_eq!((futures.get(), outputs.get()), (1, 1), "{case:?}");
}

#[test]
fn whatever_panics_is_aborted_or_detached_all_is_dropped_once_and_the_runtime_lives_on() {
    use Act::*;
    watchdog(|| {
        let acts = [Await, AbortQueued, AbortLater, DetachQueued, DetachLater, AbortAndDetach, EndTheRuntime];
        for act in acts {
            for end in [End::Completes, End::Panics, End::Waits] {
                if end == End::Waits && act == Await {
                    continue;
                }
                for (future_panics, output_panics) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    // An output that was not made is dropped with the future, and panics as that.
                    if output_panics && (end != End::Completes || act == AbortQueued) {
                        continue;
                    }
                    play(end, future_panics, output_panics, act);
                }
            }
        }
    });
}

#[test]
fn a_payload_that_panics_in_its_drop_harms_nobody() {
    struct Payload(Count);
    impl Drop for Payload {
        fn drop(&mut self) {
            self.0.add();
            panic_for_nobody();
        }
    }
    watchdog(|| {
        let runtime = runtime(1);
        let count = Count::default();
        let task = || {
            let payload = Payload(count.clone());
            runtime.spawn(async move { std::panic::resume_unwind(Box::new(payload)) })
        };
        let detached: JoinHandle<()> = task();
        let abort = detached.abort_handle();
        drop(detached);
        wait_until(|| abort.is_finished());
        let kept: JoinHandle<()> = task();
        let error = runtime.block_on(kept).unwrap_err();
        payload_of(|| drop(error));
        wait_until(|| count.get() == 2);
        assert_eq!(runtime.block_on(runtime.spawn(async { 1 })).unwrap(), 1);
    });
}

#[test]
fn an_abort_meets_the_completion() {
    watchdog(|| {
        let runtime = runtime(2);
        let (futures, outputs) = (Count::default(), Count::default());
        for _ in 0..2_000 {
            let (future, output) = (futures.on_drop(), outputs.on_drop());
            let task = runtime.spawn(async move {
                let _future = future;
                heist_rt::task::yield_now().await;
                output
            });
            let abort = task.abort_handle();
            let aborts = runtime.spawn(async move { abort.abort() });
            match runtime.block_on(task) {
                Ok(output) => drop(output),
                Err(error) => assert!(error.is_cancelled()),
            }
            runtime.block_on(aborts).unwrap();
        }
        assert_eq!((futures.get(), outputs.get()), (2_000, 2_000));
    });
}

#[test]
fn a_handle_goes_before_during_and_after_the_completion() {
    watchdog(|| {
        let runtime = runtime(2);
        let outputs = Count::default();
        for round in 0..3_000 {
            let output = outputs.on_drop();
            let task = runtime.spawn(async move { output });
            if round % 3 == 0 {
                wait_until(|| task.is_finished());
            } else if round % 3 == 1 {
                std::thread::yield_now();
            }
            drop(task);
        }
        drop(runtime);
        assert_eq!(outputs.get(), 3_000);
    });
}
