//! Timers with a clock that stands still: what comes when, and in which order.

mod common;

use common::{Count, Gate, Log, Switch, message, payload_of, runtime, wait_until, watchdog};
use heist_rt::{
    runtime::Runtime,
    task,
    time::{self, Duration, Instant, MissedTickBehavior, Sleep, interval, interval_at, sleep, timeout},
};
use std::{
    future::{self, Future},
    pin::Pin,
    sync::{Arc, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread,
};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const HOUR: Duration = Duration::from_secs(3600);

/// Runs a test with a paused clock: with one worker, and with three.
fn paused<F: Future<Output = ()>>(test: impl Fn() -> F + Send + Copy + 'static) {
    for workers in [1, 3] {
        watchdog(move || {
            runtime(workers).block_on(async {
                time::pause();
                test().await;
            });
        });
    }
}

fn poll_with(sleep: &mut Sleep, waker: &Waker) -> Poll<()> {
    Pin::new(sleep).poll(&mut Context::from_waker(waker))
}

fn poll_once(sleep: &mut Sleep) -> Poll<()> {
    poll_with(sleep, Waker::noop())
}

/// Counts how often it is woken.
#[derive(Default)]
struct CountWakes(Count);

impl Wake for CountWakes {
    fn wake(self: Arc<Self>) {
        self.0.add();
    }
}

#[test]
fn the_clock_stands_still() {
    watchdog(|| {
        runtime(1).block_on(async {
            time::pause();
            let now = Instant::now();
            thread::sleep(ms(5));
            assert_eq!(Instant::now(), now);
            assert_eq!(now.elapsed(), Duration::ZERO);
        });
    });
}

#[test]
fn an_idle_runtime_goes_to_the_next_timer_at_once() {
    paused(|| async {
        let (start, really) = (Instant::now(), std::time::Instant::now());
        for n in 1..50 {
            sleep(HOUR).await;
            assert_eq!(start.elapsed(), HOUR * n);
        }
        assert!(really.elapsed() < HOUR);
        // In a task as well.
        let before = Instant::now();
        task::spawn(sleep(ms(1))).await.unwrap();
        assert_eq!(before.elapsed(), ms(1));
    });
}

#[test]
fn tasks_wake_in_the_order_of_their_deadlines() {
    paused(|| async {
        let (log, start) = (Log::default(), Instant::now());
        let tasks: Vec<_> = (0..100)
            .map(|n: u64| {
                let (log, late) = (log.clone(), (n * 37) % 100);
                task::spawn(async move {
                    time::sleep_until(start + ms(1 + late * late)).await;
                    log.add(late);
                    assert_eq!(start.elapsed(), ms(1 + late * late));
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(log.take().into_iter().eq(0..100));
    });
}

#[test]
fn the_clock_waits_for_a_task_that_works() {
    paused(|| async {
        let start = Instant::now();
        let far = task::spawn(sleep(HOUR));
        task::spawn(async move {
            // It takes real time, in many polls.
            for _ in 0..50 {
                thread::sleep(Duration::from_micros(100));
                task::yield_now().await;
                assert_eq!(start.elapsed(), Duration::ZERO);
            }
        })
        .await
        .unwrap();
        assert!(!far.is_finished());
    });
}

#[test]
fn the_clock_waits_for_a_blocking_task() {
    paused(|| async {
        let start = Instant::now();
        let far = task::spawn(sleep(HOUR));
        task::spawn_blocking(move || {
            thread::sleep(ms(20));
            assert_eq!(start.elapsed(), Duration::ZERO);
        })
        .await
        .unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
        far.await.unwrap();
        assert_eq!(start.elapsed(), HOUR);
    });
}

#[test]
fn the_clock_waits_for_a_block_on_that_polls() {
    paused(|| async {
        let start = Instant::now();
        let far = task::spawn(sleep(HOUR));
        for _ in 0..20 {
            // Workers have time to fall asleep.
            thread::sleep(ms(1));
            task::yield_now().await;
            assert_eq!(start.elapsed(), Duration::ZERO);
        }
        far.await.unwrap();
    });
}

#[test]
fn messages_between_tasks_and_block_on_take_no_time() {
    paused(|| async {
        let start = Instant::now();
        let far = task::spawn(sleep(HOUR));
        let (to_task, from_main) = async_channel::bounded(1);
        let (to_main, from_task) = async_channel::bounded(1);
        let echo = task::spawn(async move {
            while let Ok(n) = from_main.recv().await {
                to_main.send(n).await.unwrap();
            }
        });
        for n in 0..500 {
            to_task.send(n).await.unwrap();
            assert_eq!(from_task.recv().await, Ok(n));
            assert_eq!(start.elapsed(), Duration::ZERO, "after {n} messages");
        }
        drop(to_task);
        echo.await.unwrap();
        far.await.unwrap();
    });
}

#[test]
fn advancing_fires_what_is_due_and_nothing_else() {
    watchdog(|| {
        runtime(2).block_on(async {
            time::pause();
            let start = Instant::now();
            let (mut sooner, mut later) = (sleep(ms(50)), sleep(ms(200)));
            assert!(poll_once(&mut sooner).is_pending());
            assert!(poll_once(&mut later).is_pending());
            time::advance(ms(49)).await;
            assert!(poll_once(&mut sooner).is_pending());
            time::advance(ms(1)).await;
            assert_eq!(start.elapsed(), ms(50));
            assert!(sooner.is_elapsed());
            assert!(poll_once(&mut sooner).is_ready());
            assert!(poll_once(&mut later).is_pending());
            time::advance(HOUR).await;
            assert!(poll_once(&mut later).is_ready());
        });
    });
}

#[test]
fn advancing_by_less_than_a_tick_adds_up() {
    watchdog(|| {
        runtime(1).block_on(async {
            time::pause();
            let mut sleep = sleep(ms(1));
            assert!(poll_once(&mut sleep).is_pending());
            for _ in 0..9 {
                time::advance(Duration::from_micros(100)).await;
                assert!(poll_once(&mut sleep).is_pending());
            }
            time::advance(Duration::from_micros(100)).await;
            assert!(poll_once(&mut sleep).is_ready());
        });
    });
}

#[test]
fn years_pass_in_no_time() {
    paused(|| async {
        let start = Instant::now();
        let years = Duration::from_secs(10 * 365 * 24 * 3600);
        sleep(years).await;
        assert_eq!(start.elapsed(), years);
        sleep(Duration::MAX).await;
        assert!(start.elapsed() > 3 * years);
    });
}

#[test]
fn a_dropped_timer_does_not_move_the_clock() {
    paused(|| async {
        let start = Instant::now();
        for _ in 0..10 {
            let mut dropped = sleep(ms(10));
            assert!(poll_once(&mut dropped).is_pending());
            drop(dropped);
        }
        sleep(ms(100)).await;
        assert_eq!(start.elapsed(), ms(100));
    });
}

#[test]
fn a_sleep_can_be_reset_to_a_later_time_also_once_it_is_over() {
    paused(|| async {
        let start = Instant::now();
        let mut sleep = sleep(ms(5));
        assert!(poll_once(&mut sleep).is_pending());
        Pin::new(&mut sleep).reset(start + ms(60));
        (&mut sleep).await;
        assert_eq!(start.elapsed(), ms(60));
        assert!(sleep.is_elapsed());
        Pin::new(&mut sleep).reset(start + ms(100));
        assert!(!sleep.is_elapsed());
        (&mut sleep).await;
        assert_eq!(start.elapsed(), ms(100));
        Pin::new(&mut sleep).reset(start);
        assert!(sleep.is_elapsed());
        sleep.await;
        assert_eq!(start.elapsed(), ms(100));
    });
}

#[test]
fn the_last_waker_is_the_one_that_is_woken() {
    paused(|| async {
        let (first, second) = (Arc::<CountWakes>::default(), Arc::<CountWakes>::default());
        let mut sleep = sleep(ms(10));
        assert!(poll_with(&mut sleep, &first.clone().into()).is_pending());
        assert!(poll_with(&mut sleep, &second.clone().into()).is_pending());
        time::advance(ms(10)).await;
        assert_eq!((first.0.get(), second.0.get()), (0, 1));
        assert!(poll_with(&mut sleep, &first.into()).is_ready());
    });
}

#[test]
fn a_dropped_sleep_wakes_nobody_and_keeps_no_waker() {
    paused(|| async {
        let woken = Arc::<CountWakes>::default();
        let mut sleep = sleep(ms(10));
        assert!(poll_with(&mut sleep, &woken.clone().into()).is_pending());
        assert_eq!(Arc::strong_count(&woken), 2);
        drop(sleep);
        assert_eq!(Arc::strong_count(&woken), 1);
        time::advance(ms(10)).await;
        assert_eq!(woken.0.get(), 0);
    });
}

#[test]
fn a_panicking_waker_does_not_keep_others_from_being_woken() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            common::panic_for_nobody();
        }
    }
    paused(|| async {
        let woken = Arc::<CountWakes>::default();
        let (mut first, mut second, mut third) = (sleep(ms(10)), sleep(ms(10)), sleep(ms(20)));
        for (sleep, waker) in [(&mut first, Arc::new(Panics).into()), (&mut second, woken.clone().into())] {
            assert!(poll_with(sleep, &waker).is_pending());
        }
        time::advance(ms(10)).await;
        assert_eq!((woken.0.get(), first.is_elapsed()), (1, true));
        // And where a worker calls it.
        assert!(poll_with(&mut third, &Arc::new(Panics).into()).is_pending());
        sleep(ms(50)).await;
        assert!(third.is_elapsed());
    });
}

#[test]
fn a_sleep_can_move_between_tasks_and_runtimes() {
    paused(|| async {
        let start = Instant::now();
        let mut sleep = sleep(ms(60));
        let (sender, moved) = mpsc::channel();
        let task = task::spawn(async move {
            assert!(timeout(ms(5), &mut sleep).await.is_err());
            sender.send(sleep).unwrap();
        });
        task.await.unwrap();
        let other = runtime(1);
        let elsewhere = other.spawn(moved.recv().unwrap());
        elsewhere.await.unwrap();
        assert_eq!(start.elapsed(), ms(60));
    });
}

#[test]
fn the_clock_goes_on_from_what_it_showed() {
    watchdog(|| {
        runtime(2).block_on(async {
            time::pause();
            let start = Instant::now();
            time::advance(HOUR).await;
            time::resume();
            assert!(start.elapsed() >= HOUR);
            let resumed = Instant::now();
            sleep(ms(10)).await;
            assert!(resumed.elapsed() >= ms(10));
            time::pause();
            let again = Instant::now();
            assert!(again >= resumed + ms(10));
            sleep(HOUR).await;
            assert_eq!(again.elapsed(), HOUR);
        });
    });
}

#[test]
fn a_timer_that_waits_already_follows_a_pause() {
    watchdog(|| {
        let runtime = runtime(2);
        let far = runtime.spawn(async { sleep(HOUR).await });
        // Somebody sleeps at the driver for an hour, when the clock is stopped.
        runtime.block_on(async {
            sleep(ms(5)).await;
            time::pause();
            far.await.unwrap();
        });
    });
}

#[test]
fn each_runtime_has_its_own_clock() {
    watchdog(|| {
        let (first, second) = (runtime(1), runtime(1));
        let start = first.block_on(async {
            time::pause();
            Instant::now()
        });
        first.block_on(async {
            time::advance(HOUR).await;
            assert_eq!(start.elapsed(), HOUR);
        });
        second.block_on(async {
            assert!(start.elapsed() < HOUR);
            let now = Instant::now();
            sleep(ms(5)).await;
            assert!(now.elapsed() >= ms(5));
        });
        assert!(Instant::now() < start + HOUR, "outside of any runtime it is the system's");
    });
}

/// The text of the panic of what is done in a runtime.
fn panic_in(runtime: &Runtime, f: impl FnOnce()) -> String {
    let _entered = runtime.enter();
    message(&*payload_of(f)).to_owned()
}

#[test]
fn a_clock_is_paused_once_and_resumed_once() {
    watchdog(|| {
        let runtime = runtime(1);
        assert!(panic_in(&runtime, time::resume).contains("is not paused"));
        let advance = || runtime.block_on(time::advance(ms(1)));
        assert!(message(&*payload_of(advance)).contains("is not paused"));
        runtime.block_on(async { time::pause() });
        assert!(panic_in(&runtime, time::pause).contains("is paused already"));
        runtime.block_on(async { time::resume() });
        assert!(panic_in(&runtime, time::resume).contains("is not paused"));
    });
}

#[test]
fn there_is_no_clock_to_pause_outside_of_any_runtime() {
    for f in [time::pause, time::resume] {
        let payload = payload_of(f);
        assert!(message(&*payload).contains("no current runtime"), "{}", message(&*payload));
    }
}

#[test]
fn an_outside_event_ends_the_wait_of_a_runtime_without_timers() {
    paused(|| async {
        let (gate, switch) = (Gate::default(), Switch::default());
        let outside = thread::spawn({
            let (gate, switch) = (gate.clone(), switch.clone());
            move || {
                gate.pass();
                wait_until(|| switch.is_awaited());
                switch.turn_on();
            }
        });
        let start = Instant::now();
        gate.open();
        switch.wait().await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        outside.join().unwrap();
    });
}

#[test]
fn a_timeout_comes_exactly_at_its_time() {
    paused(|| async {
        let start = Instant::now();
        assert!(timeout(ms(100), future::pending::<()>()).await.is_err());
        assert_eq!(start.elapsed(), ms(100));
        // A sleep that is over in the same tick is in time.
        assert!(timeout(ms(100), sleep(ms(100))).await.is_ok());
        assert!(timeout(ms(99), sleep(ms(100))).await.is_err());
        assert!(timeout(Duration::MAX, sleep(ms(100))).await.is_ok());
    });
}

#[test]
fn an_interval_ticks_at_once_and_then_in_every_period() {
    paused(|| async {
        let start = Instant::now();
        let mut interval = interval(ms(300));
        for n in 0..5 {
            assert_eq!(interval.tick().await, start + ms(300) * n);
            assert_eq!(start.elapsed(), ms(300) * n);
        }
    });
}

/// When the ticks were due, and when they came, of an interval of 100 ms whose second tick is awaited after
/// 250 ms.
async fn ticks_after_a_pause(behavior: MissedTickBehavior) -> Vec<(u128, u128)> {
    let start = Instant::now();
    let mut interval = interval(ms(100));
    interval.set_missed_tick_behavior(behavior);
    assert_eq!(interval.missed_tick_behavior(), behavior);
    interval.tick().await;
    sleep(ms(250)).await;
    let mut ticks = Vec::new();
    for _ in 0..4 {
        let due = interval.tick().await;
        ticks.push(((due - start).as_millis(), start.elapsed().as_millis()));
    }
    ticks
}

#[test]
fn an_interval_in_bursts_catches_up() {
    paused(|| async {
        let ticks = ticks_after_a_pause(MissedTickBehavior::Burst).await;
        assert_eq!(ticks, [(100, 250), (200, 250), (300, 300), (400, 400)]);
    });
}

#[test]
fn an_interval_with_delay_counts_from_the_late_tick_on() {
    paused(|| async {
        let ticks = ticks_after_a_pause(MissedTickBehavior::Delay).await;
        assert_eq!(ticks, [(100, 250), (350, 350), (450, 450), (550, 550)]);
    });
}

#[test]
fn an_interval_that_skips_goes_on_at_whole_periods() {
    paused(|| async {
        let ticks = ticks_after_a_pause(MissedTickBehavior::Skip).await;
        assert_eq!(ticks, [(100, 250), (300, 300), (400, 400), (500, 500)]);
    });
}

#[test]
fn a_tick_that_is_a_little_late_is_not_missed() {
    paused(|| async {
        let start = Instant::now();
        let mut interval = interval(ms(100));
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        interval.tick().await;
        sleep(ms(104)).await;
        interval.tick().await;
        assert_eq!(interval.tick().await - start, ms(200));
    });
}

#[test]
fn an_interval_can_be_reset() {
    paused(|| async {
        let start = Instant::now();
        let since = move || start.elapsed().as_millis();
        let mut interval = interval_at(start, ms(100));
        interval.tick().await;
        sleep(ms(50)).await;
        interval.reset();
        interval.tick().await;
        assert_eq!(since(), 150);
        interval.reset_immediately();
        interval.tick().await;
        assert_eq!(since(), 150);
        interval.reset_after(ms(20));
        interval.tick().await;
        assert_eq!(since(), 170);
        interval.tick().await;
        assert_eq!(since(), 270);
        interval.reset_at(start + ms(1000));
        interval.tick().await;
        assert_eq!(since(), 1000);
    });
}

#[test]
fn no_tick_is_lost_if_nobody_waits_for_it_to_the_end() {
    paused(|| async {
        let start = Instant::now();
        let mut interval = interval(ms(100));
        interval.tick().await;
        assert!(timeout(ms(30), interval.tick()).await.is_err());
        assert_eq!(interval.tick().await - start, ms(100));
    });
}
