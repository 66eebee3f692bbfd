//! Timers in real time. Never early is what is asserted; how late depends on the machine.

mod common;

use common::{Count, Gate, Switch, message, payload_of, runtime, wait_until, watchdog, with_runtime};
use heist_rt::{
    block_on,
    runtime::{Builder, Runtime},
    task,
    time::{
        Duration, Instant, MissedTickBehavior, Sleep, interval, interval_at, sleep, sleep_until, timeout,
        timeout_at,
    },
};
use std::{
    future::{self, Future, poll_fn},
    io,
    pin::Pin,
    sync::{Arc, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread,
};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// So long that a test which has to wait for it fails.
const HOUR: Duration = Duration::from_secs(3600);

/// Generous: a machine may stall for long.
const SOON: Duration = Duration::from_secs(20);

impl Wake for CountWakes {
    fn wake(self: Arc<Self>) {
        self.0.add();
    }
}

struct CountWakes(Count);

/// A waker that counts how often it is woken.
fn counting_waker() -> (Waker, Count) {
    let count = Count::default();
    (Waker::from(Arc::new(CountWakes(count.clone()))), count)
}

/// One that belongs to this runtime.
fn sleep_of(runtime: &Runtime, duration: Duration) -> Sleep {
    let _entered = runtime.enter();
    sleep(duration)
}

fn poll_once(sleep: &mut Sleep, waker: &Waker) -> Poll<()> {
    Pin::new(sleep).poll(&mut Context::from_waker(waker))
}

#[test]
fn a_sleep_is_never_early() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            for micros in [0, 1, 500, 999, 1000, 1001, 2500, 7300, 70_000] {
                let (start, duration) = (Instant::now(), Duration::from_micros(micros));
                sleep(duration).await;
                assert!(start.elapsed() >= duration, "{duration:?}");
                assert!(start.elapsed() < SOON);
            }
        });
    });
}

#[test]
fn sleeps_of_tasks_are_never_early() {
    with_runtime(2, |runtime| {
        let tasks: Vec<_> = (0..200)
            .map(|n| {
                runtime.spawn(async move {
                    let (start, duration) = (Instant::now(), Duration::from_micros(n * 211));
                    sleep(duration).await;
                    assert!(start.elapsed() >= duration, "{duration:?}");
                })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    });
}

#[test]
fn a_deadline_in_the_past_is_over_at_the_first_poll() {
    with_runtime(1, |runtime| {
        let _entered = runtime.enter();
        let mut past = sleep_until(Instant::now());
        assert!(past.is_elapsed());
        assert!(poll_once(&mut past, Waker::noop()).is_ready());
        assert!(poll_once(&mut past, Waker::noop()).is_ready(), "it stays over");
        let mut none = sleep(Duration::ZERO);
        assert!(poll_once(&mut none, Waker::noop()).is_ready());
    });
}

#[test]
fn a_hundred_thousand_sleeps_are_over_in_their_time() {
    with_runtime(2, |runtime| {
        let (woken, start) = (Count::default(), Instant::now());
        let tasks: Vec<_> = (0..100_000)
            .map(|n| {
                let woken = woken.clone();
                let deadline = start + ms(n % 300);
                runtime.spawn(async move {
                    sleep_until(deadline).await;
                    assert!(Instant::now() >= deadline);
                    woken.add();
                })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!(woken.get(), 100_000);
    });
}

#[test]
fn a_timer_from_outside_fires_while_all_workers_sleep() {
    with_runtime(2, |runtime| {
        // The driver is there, and somebody at it.
        runtime.block_on(async { sleep(ms(1)).await });
        let (waker, woken) = counting_waker();
        let _entered = runtime.enter();
        for _ in 0..20 {
            let before = woken.get();
            let mut sleep = sleep(ms(3));
            if poll_once(&mut sleep, &waker).is_pending() {
                wait_until(|| woken.get() > before);
            }
            assert!(sleep.is_elapsed());
            assert!(poll_once(&mut sleep, &waker).is_ready());
        }
    });
}

#[test]
fn a_shorter_timer_does_not_wait_for_a_longer_one() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let mut long = sleep(HOUR);
        assert!(poll_once(&mut long, Waker::noop()).is_pending());
        for pause in 0..20 {
            // Time enough for somebody to sleep at the driver, for an hour: not always, but mostly.
            thread::sleep(ms(pause % 5));
            let start = Instant::now();
            runtime.block_on(sleep(ms(3)));
            assert!(start.elapsed() >= ms(3));
            assert!(start.elapsed() < SOON);
        }
        assert!(!long.is_elapsed());
    });
}

#[test]
fn timers_work_on_a_pool_that_has_run_before() {
    with_runtime(2, |runtime| {
        // All of its threads have slept already, without a driver.
        assert_eq!(runtime.pool().install(|| 6 * 7), 42);
        runtime.block_on(async { task::spawn(async {}).await.unwrap() });
        wait_until(|| runtime.metrics().workers().total().parks > 0);
        let start = Instant::now();
        runtime.block_on(async { task::spawn(sleep(ms(5))).await.unwrap() });
        assert!(start.elapsed() >= ms(5));
    });
}

#[test]
fn a_timer_fires_while_all_workers_are_busy_with_tasks() {
    with_runtime(2, |runtime| {
        let over = Switch::default();
        let busy: Vec<_> = (0..4)
            .map(|_| {
                let over = over.clone();
                runtime.spawn(async move {
                    while !over_now(&over).await {
                        task::yield_now().await;
                    }
                })
            })
            .collect();
        runtime.block_on(async { task::spawn(sleep(ms(5))).await.unwrap() });
        over.turn_on();
        runtime.block_on(async {
            for task in busy {
                task.await.unwrap();
            }
        });
    });
}

/// Whether it is on, without waiting for it.
async fn over_now(switch: &Switch) -> bool {
    let mut wait = switch.wait();
    poll_fn(|cx| Poll::Ready(Pin::new(&mut wait).poll(cx).is_ready())).await
}

#[test]
fn outside_of_any_runtime_timers_belong_to_the_global_one() {
    watchdog(|| {
        let start = Instant::now();
        let mut sleep = sleep(ms(5));
        let (waker, woken) = counting_waker();
        if poll_once(&mut sleep, &waker).is_pending() {
            wait_until(|| woken.get() == 1);
        }
        assert!(start.elapsed() >= ms(5));
        block_on(sleep);
    });
}

#[test]
fn idle_with_a_far_timer_takes_no_cpu() {
    with_runtime(2, |runtime| {
        let parks = || runtime.metrics().workers().total().parks;
        let far = runtime.spawn(async { sleep(HOUR).await });
        runtime.block_on(async { sleep(ms(10)).await });
        let before = parks();
        // Real time has to pass, in which nothing happens.
        thread::sleep(ms(300));
        let looked = parks() - before;
        assert!(looked < 30, "{looked} times, with nothing to do");
        far.abort();
    });
}

#[test]
fn a_sleep_can_be_reset_to_an_earlier_time() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut sleep = sleep(HOUR);
            assert!(timeout(ms(5), &mut sleep).await.is_err());
            let deadline = Instant::now() + ms(5);
            Pin::new(&mut sleep).reset(deadline);
            assert_eq!(sleep.deadline(), deadline);
            sleep.await;
            assert!(Instant::now() >= deadline);
        });
    });
}

#[test]
fn who_awaits_a_sleep_that_is_reset_is_woken_at_the_new_time() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        let (waker, woken) = counting_waker();
        let mut later = sleep(HOUR);
        assert!(poll_once(&mut later, &waker).is_pending());
        Pin::new(&mut later).reset(Instant::now() + ms(5));
        wait_until(|| woken.get() == 1);
        assert!(later.is_elapsed());
        // To the past: at once.
        let mut past = sleep(HOUR);
        assert!(poll_once(&mut past, &waker).is_pending());
        Pin::new(&mut past).reset(Instant::now());
        assert_eq!(woken.get(), 2);
        assert!(poll_once(&mut past, &waker).is_ready());
    });
}

#[test]
fn the_longest_durations_do_not_overflow() {
    with_runtime(2, |runtime| {
        let _entered = runtime.enter();
        for duration in [Duration::MAX, Duration::from_secs(1_000_000_000), Duration::from_secs(u64::MAX)] {
            assert!(poll_once(&mut sleep(duration), Waker::noop()).is_pending());
            assert_eq!(runtime.block_on(async { timeout(duration, async { 7 }).await }), Ok(7));
            let mut interval = interval(duration);
            runtime.block_on(interval.tick());
            interval.reset_after(duration);
            interval.reset();
        }
        // The one who waits at the driver has to live with them, too.
        let far = runtime.spawn(async { sleep(Duration::MAX).await });
        runtime.block_on(async { sleep(ms(5)).await });
        assert!(!far.is_finished());
    });
}

#[test]
fn a_runtime_with_pending_timers_can_be_dropped() {
    watchdog(|| {
        let dropped = Count::default();
        let runtime = runtime(2);
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let guard = dropped.on_drop();
                runtime.spawn(async move {
                    let _guard = guard;
                    sleep(HOUR).await;
                })
            })
            .collect();
        runtime.block_on(async { sleep(ms(1)).await });
        drop(runtime);
        assert_eq!(dropped.get(), 100);
        for task in tasks {
            assert!(block_on(task).unwrap_err().is_cancelled());
        }
    });
}

#[test]
fn the_end_of_its_runtime_wakes_a_sleep_that_is_awaited_elsewhere_and_it_panics() {
    watchdog(|| {
        let runtime = runtime(2);
        let (waker, woken) = counting_waker();
        let mut sleep = sleep_of(&runtime, HOUR);
        assert!(poll_once(&mut sleep, &waker).is_pending());
        let mut soon = sleep_of(&runtime, ms(1));
        let mut new = sleep_of(&runtime, HOUR);
        drop(runtime);
        assert_eq!(woken.get(), 1);
        let payload = payload_of(|| poll_once(&mut sleep, &waker));
        assert!(message(&*payload).contains("runtime has ended"), "{}", message(&*payload));
        let payload = payload_of(|| poll_once(&mut new, &waker));
        assert!(message(&*payload).contains("runtime has ended"));
        // What is over is over.
        wait_until(|| Instant::now() >= soon.deadline());
        assert!(poll_once(&mut soon, &waker).is_ready());
    });
}

#[test]
fn a_loop_of_ready_sleeps_lets_others_run() {
    with_runtime(1, |runtime| {
        let stop = Switch::default();
        let other = stop.clone();
        runtime.block_on(async move {
            let past = Instant::now();
            let (started, go) = (Gate::default(), stop.clone());
            let opened = started.clone();
            let task = task::spawn(async move {
                opened.open();
                while !over_now(&go).await {
                    sleep_until(past).await;
                }
            });
            started.pass();
            task::spawn(async move { other.turn_on() }).await.unwrap();
            task.await.unwrap();
        });
    });
}

#[test]
fn a_future_that_is_ready_in_time_is_not_timed_out() {
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            assert_eq!(timeout(HOUR, async { 1 }).await, Ok(1));
            // Also if the time is over: the future comes first.
            assert_eq!(timeout(Duration::ZERO, async { 2 }).await, Ok(2));
            assert_eq!(timeout_at(Instant::now(), future::ready(3)).await, Ok(3));
            let later = async {
                sleep(ms(3)).await;
                4
            };
            assert_eq!(timeout(HOUR, later).await, Ok(4));
        });
    });
}

#[test]
fn a_future_that_is_never_ready_is_timed_out_and_dropped() {
    with_runtime(1, |runtime| {
        let dropped = Count::default();
        let guard = dropped.on_drop();
        let start = Instant::now();
        let never = async move {
            let _guard = guard;
            future::pending::<()>().await;
        };
        let error = runtime.block_on(async { timeout(ms(10), never).await }).unwrap_err();
        assert!(start.elapsed() >= ms(10));
        assert_eq!(dropped.get(), 1);
        assert!(!error.to_string().is_empty());
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::TimedOut);
    });
}

#[test]
fn a_future_that_uses_up_its_budget_is_timed_out_all_the_same() {
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            let greedy = async {
                loop {
                    task::consume_budget().await;
                }
            };
            assert!(task::spawn(timeout(ms(5), greedy)).await.unwrap().is_err());
        });
    });
}

#[test]
fn the_future_of_a_timeout_can_be_had_back() {
    let mut timeout = timeout(HOUR, future::ready(1));
    assert_eq!(block_on(timeout.get_ref().clone()), 1);
    *timeout.get_mut() = future::ready(2);
    assert_eq!(block_on(timeout.into_inner()), 2);
}

#[test]
fn ticks_of_an_interval_are_due_at_whole_periods() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let start = Instant::now() + ms(3);
            let mut interval = interval_at(start, ms(2));
            assert_eq!(
                (interval.period(), interval.missed_tick_behavior()),
                (ms(2), MissedTickBehavior::Burst)
            );
            for n in 0..10 {
                assert_eq!(interval.tick().await, start + ms(2) * n);
                assert!(Instant::now() >= start + ms(2) * n);
            }
        });
    });
}

#[test]
#[should_panic(expected = "the period of an interval cannot be zero")]
fn an_interval_has_a_period() {
    drop(interval(Duration::ZERO));
}

#[test]
fn timers_may_be_sent_shared_and_moved() {
    fn check<T: Send + Sync + Unpin>(_: &T) {}
    check(&sleep(HOUR));
    check(&interval(HOUR));
    check(&timeout(HOUR, future::ready(())));
}

#[test]
fn an_instant_reckons_like_that_of_the_standard_library() {
    let std = std::time::Instant::now();
    let now = Instant::from_std(std);
    assert_eq!((now.into_std(), Instant::from(std), std::time::Instant::from(now)), (std, now, std));
    let mut later = now + ms(5);
    assert!(later > now);
    assert_eq!((later - now, now - later), (ms(5), Duration::ZERO));
    assert_eq!(now.duration_since(later), Duration::ZERO);
    assert_eq!(now.saturating_duration_since(later), Duration::ZERO);
    assert_eq!((later.checked_duration_since(now), now.checked_duration_since(later)), (Some(ms(5)), None));
    assert_eq!((now.checked_add(ms(5)), later.checked_sub(ms(5))), (Some(later), Some(now)));
    assert_eq!((now.checked_add(Duration::MAX), now.checked_sub(Duration::MAX)), (None, None));
    later += ms(1);
    later -= ms(2);
    assert_eq!(later - ms(4), now);
    assert!(now.elapsed() < HOUR);
    assert_eq!(format!("{now:?}"), format!("{std:?}"));
}

#[test]
fn many_threads_set_and_drop_timers_at_the_same_time() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(3).build().unwrap();
        let (sender, done) = mpsc::channel();
        let threads: Vec<_> = (0..4)
            .map(|seed: u64| {
                let (handle, sender) = (runtime.handle().clone(), sender.clone());
                thread::spawn(move || {
                    handle.block_on(async {
                        for n in 0..300 {
                            let short = ms((n * 7 + seed) % 3);
                            drop(timeout(short, sleep(HOUR)).await);
                            let task = task::spawn(timeout(HOUR, sleep(short)));
                            task.await.unwrap().unwrap();
                        }
                    });
                    sender.send(seed).unwrap();
                })
            })
            .collect();
        drop(sender);
        assert_eq!(done.iter().sum::<u64>(), 6);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
