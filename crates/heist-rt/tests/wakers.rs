//! Wakers: kept, cloned, called and dropped anywhere and at any time.

mod common;

use common::{Count, Switch, panic_for_nobody, quiet_panic, runtime, wait_until, watchdog, with_runtime};
use heist_rt::task;
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker},
    thread,
};

#[test]
fn no_wake_is_lost_whichever_thread_it_comes_from() {
    const THREADS: usize = 4;
    with_runtime(2, |runtime| {
        for round in 1..=200 {
            // Relaxed: what the flags are ordered by is the wake, also one that finds the task woken already.
            let flags: Arc<[AtomicUsize; THREADS]> = Arc::default();
            let slot = Arc::new(Mutex::new(None));
            let (seen, put) = (flags.clone(), slot.clone());
            let task = runtime.spawn(poll_fn(move |cx| {
                put.lock().unwrap().get_or_insert_with(|| cx.waker().clone());
                let all = seen.iter().all(|flag| flag.load(Ordering::Relaxed) == round);
                if all { Poll::Ready(()) } else { Poll::Pending }
            }));
            wait_until(|| slot.lock().unwrap().is_some());
            let waker = slot.lock().unwrap().clone().unwrap();
            thread::scope(|scope| {
                for flag in flags.iter() {
                    let waker = waker.clone();
                    scope.spawn(move || {
                        flag.store(round, Ordering::Relaxed);
                        if round % 2 == 0 { waker.wake() } else { waker.wake_by_ref() }
                    });
                }
            });
            runtime.block_on(task).unwrap();
        }
    });
}

#[test]
fn a_task_is_polled_again_if_it_was_woken_during_the_poll() {
    with_runtime(1, |runtime| {
        let mut polls = 0;
        let task = runtime.spawn(poll_fn(move |cx| {
            polls += 1;
            let wake = |waker: Waker| waker.wake();
            // By value, by reference, and both at once.
            match polls {
                1 => cx.waker().wake_by_ref(),
                2 => wake(cx.waker().clone()),
                3 => (0..10).for_each(|_| wake(cx.waker().clone())),
                _ => return Poll::Ready(polls),
            }
            Poll::Pending
        }));
        assert_eq!(runtime.block_on(task).unwrap(), 4);
    });
}

#[test]
fn a_waker_may_be_called_after_its_task_and_its_runtime_are_gone() {
    watchdog(|| {
        let switch = Switch::default();
        let dropped = Count::default();
        let (ended, aborted) = {
            let runtime = runtime(2);
            let first = runtime.spawn(switch.wait());
            let ended = switch.waker();
            switch.turn_on();
            runtime.block_on(first).unwrap();
            ended.wake_by_ref();
            let (waits, value) = (Switch::default(), dropped.on_drop());
            let wait = waits.wait();
            runtime.spawn(async move {
                let _value = value;
                wait.await;
            });
            (ended, waits.waker())
        };
        assert_eq!(dropped.get(), 1);
        let threads: Vec<_> = [ended, aborted]
            .into_iter()
            .flat_map(|waker| [waker.clone(), waker])
            .map(|waker| {
                thread::spawn(move || {
                    waker.wake_by_ref();
                    let clone = waker.clone();
                    assert!(clone.will_wake(&waker));
                    waker.wake();
                    drop(clone);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_wake_by_value_meets_the_end_of_the_runtime() {
    watchdog(|| {
        for _ in 0..300 {
            let runtime = runtime(1);
            let switch = Switch::default();
            runtime.spawn(switch.wait());
            let waker = switch.waker();
            drop(switch);
            let thread = thread::spawn(move || waker.wake());
            drop(runtime);
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_waker_that_is_called_in_the_drop_of_its_future_is_harmless() {
    struct WakesInDrop(Option<Waker>);
    impl Drop for WakesInDrop {
        fn drop(&mut self) {
            if let Some(waker) = self.0.take() {
                waker.wake_by_ref();
                waker.wake();
            }
        }
    }
    impl Future for WakesInDrop {
        type Output = ();

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            self.0 = Some(cx.waker().clone());
            Poll::Pending
        }
    }
    with_runtime(1, |runtime| {
        let task = runtime.spawn(WakesInDrop(None));
        task.abort();
        assert!(runtime.block_on(task).unwrap_err().is_cancelled());
        runtime.spawn(WakesInDrop(None));
    });
}

#[test]
fn a_task_that_keeps_a_waker_to_itself_ends_with_its_runtime() {
    watchdog(|| {
        let dropped = Count::default();
        let value = dropped.on_drop();
        let runtime = runtime(1);
        let mut kept = Vec::new();
        let is_polled = Arc::new(AtomicBool::new(false));
        let polled = is_polled.clone();
        runtime.spawn(poll_fn(move |cx| {
            let _value = &value;
            kept.push(cx.waker().clone());
            polled.store(true, Ordering::Release);
            Poll::<()>::Pending
        }));
        wait_until(|| is_polled.load(Ordering::Acquire));
        drop(runtime);
        assert_eq!(dropped.get(), 1);
    });
}

#[test]
fn a_waker_of_one_runtime_is_called_by_a_task_of_another() {
    watchdog(|| {
        let (one, two) = (runtime(1), runtime(1));
        let switch = Switch::default();
        let waits = one.spawn(switch.wait());
        drop(switch.waker());
        two.spawn(async move { switch.turn_on() });
        one.block_on(waits).unwrap();
    });
}

/// Who awaits a handle with a waker that panics does harm to nobody but itself.
#[test]
fn a_foreign_waker_may_panic_when_it_is_called_or_dropped() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            quiet_panic("in wake")
        }
    }
    impl Drop for Panics {
        fn drop(&mut self) {
            panic_for_nobody()
        }
    }
    with_runtime(1, |runtime| {
        for complete in [true, false] {
            let switch = Switch::default();
            let mut task = runtime.spawn(switch.wait());
            let waker = std::mem::ManuallyDrop::new(Waker::from(Arc::new(Panics)));
            assert!(Pin::new(&mut task).poll(&mut Context::from_waker(&waker)).is_pending());
            // The handle's clone is now the last.
            // SAFETY: not used any more; the panic of its drop is that of the handle's clone.
            unsafe { Arc::decrement_strong_count(waker.data().cast::<Panics>()) };
            if complete {
                switch.turn_on();
                wait_until(|| task.is_finished());
            }
            drop(task);
            switch.turn_on();
        }
        assert_eq!(runtime.block_on(runtime.spawn(async { 1 })).unwrap(), 1);
    });
}

#[test]
fn a_foreign_waker_may_panic_when_it_is_cloned() {
    fn panics(_: *const ()) -> RawWaker {
        quiet_panic("in clone")
    }
    static VTABLE: RawWakerVTable = RawWakerVTable::new(panics, |_| (), |_| (), |_| ());
    with_runtime(1, |runtime| {
        let switch = Switch::default();
        let mut task = runtime.spawn(switch.wait());
        // SAFETY: it has no data.
        let waker = unsafe { Waker::new(std::ptr::null(), &VTABLE) };
        let text = common::message_of(|| Pin::new(&mut task).poll(&mut Context::from_waker(&waker)));
        assert_eq!(text, "in clone");
        switch.turn_on();
        runtime.block_on(task).unwrap();
    });
}

#[test]
fn a_task_that_wakes_itself_for_ever_ends_when_it_is_aborted_or_its_runtime_is() {
    watchdog(|| {
        let runtime = runtime(1);
        let forever = || async {
            loop {
                task::yield_now().await;
            }
        };
        let task = runtime.spawn(forever());
        task.abort();
        let error: task::JoinError = runtime.block_on(task).map(|(): ()| ()).unwrap_err();
        assert!(error.is_cancelled());
        drop(runtime.spawn(async move {
            forever().await;
        }));
        drop(runtime);
    });
}
