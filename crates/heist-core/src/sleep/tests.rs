//! The sleepers' set and the counts agree, for any number of workers.

use super::*;
use crate::sync::{Arc, yield_now};
use std::thread;

/// Bits that are set.
fn bits(sleep: &Sleep) -> usize {
    sleep.sleepers.iter().map(Bitmap::len).sum()
}

/// A pool's worth of threads that do nothing but sleep, each `times` times. Worker 0 takes tasks, worker 1
/// calls, worker 2 jobs, and so on.
fn sleepers(sleep: &Arc<Sleep>, workers: usize, times: usize) -> Vec<thread::JoinHandle<()>> {
    (0..workers)
        .map(|worker| {
            let sleep = sleep.clone();
            thread::spawn(move || {
                for _ in 0..times {
                    let takes = [Work::Task, Work::Call, Work::Job][worker % 3];
                    if sleep.sleep(worker, takes, false, None, || false) == Woken::ToSearch {
                        sleep.stop_search(|| None);
                    }
                }
            })
        })
        .collect()
}

fn wait_until_asleep(sleep: &Sleep, workers: usize) {
    while bits(sleep) != workers {
        yield_now();
    }
    assert_eq!(sleep.tally().sleeping, workers);
}

#[test]
fn each_notification_wakes_one_and_every_worker_is_found() {
    for workers in [1, 2, 64, 65, 200] {
        let sleep = Arc::new(Sleep::new(workers));
        let threads = sleepers(&sleep, workers, 1);
        wait_until_asleep(&sleep, workers);
        for left in (0..workers).rev() {
            sleep.notify(Work::Call);
            // One has been claimed; it stops searching before the next is woken.
            while sleep.tally().searching > 0 {
                yield_now();
            }
            assert_eq!((bits(&sleep), sleep.tally().sleeping), (left, left), "of {workers}");
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn the_named_worker_wakes_and_nobody_else() {
    for workers in [1, 65, 200] {
        let sleep = Arc::new(Sleep::new(workers));
        let mut threads = sleepers(&sleep, workers, 1);
        wait_until_asleep(&sleep, workers);
        let named = workers - 1;
        sleep.wake(named);
        threads.pop().unwrap().join().unwrap();
        assert_eq!((bits(&sleep), sleep.tally().sleeping), (workers - 1, workers - 1));
        // Awake, so there is nothing to do.
        sleep.wake(named);
        assert_eq!(bits(&sleep), workers - 1);
        (0..named).for_each(|worker| sleep.wake(worker));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(sleep.tally(), Tally { sleeping: 0, searching: 0 });
    }
}

#[test]
fn while_somebody_searches_nobody_is_woken() {
    let sleep = Arc::new(Sleep::new(3));
    let threads = sleepers(&sleep, 2, 1);
    wait_until_asleep(&sleep, 2);
    assert!(sleep.start_search());
    sleep.notify(Work::Call);
    sleep.notify(Work::Call);
    assert_eq!(bits(&sleep), 2);
    // There is more than the last searcher takes: it passes the rest on.
    sleep.stop_search(|| Some(Work::Call));
    while bits(&sleep) != 1 {
        yield_now();
    }
    while sleep.tally().searching > 0 {
        yield_now();
    }
    sleep.notify(Work::Call);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn nobody_is_woken_for_what_it_would_leave_alone() {
    let sleep = Arc::new(Sleep::new(3));
    let threads = sleepers(&sleep, 3, 1);
    wait_until_asleep(&sleep, 3);
    let settle = |left| {
        while sleep.tally() != (Tally { sleeping: left, searching: 0 }) {
            yield_now();
        }
        [Work::Call, Work::Job, Work::Task].map(|work| sleep.sleepers[work as usize].len())
    };
    assert!(!sleep.call(1, Work::Job) && !sleep.call(2, Work::Task));
    sleep.notify(Work::Task);
    assert_eq!(settle(2), [1, 1, 0]);
    sleep.notify(Work::Task);
    assert_eq!(settle(2), [1, 1, 0]);
    sleep.notify(Work::Job);
    assert_eq!(settle(1), [1, 0, 0]);
    sleep.notify(Work::Job);
    assert_eq!(settle(1), [1, 0, 0]);
    assert!(sleep.call(1, Work::Call));
    assert_eq!(settle(0), [0, 0, 0]);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_last_look_that_finds_something_undoes_the_sleep() {
    let sleep = Sleep::new(65);
    assert!(sleep.start_search());
    assert_eq!(sleep.sleep(64, Work::Task, true, None, || true), Woken::NotSlept);
    assert_eq!((bits(&sleep), sleep.tally()), (0, Tally { sleeping: 0, searching: 1 }));
    sleep.stop_search(|| None);
    assert_eq!(sleep.sleep(3, Work::Job, false, None, || true), Woken::NotSlept);
    assert_eq!((bits(&sleep), sleep.tally()), (0, Tally { sleeping: 0, searching: 0 }));
}

#[test]
fn wakers_that_race_leave_counts_and_set_in_agreement() {
    const TIMES: usize = 2_000;
    let sleep = Arc::new(Sleep::new(2));
    let threads = sleepers(&sleep, 2, TIMES);
    let wakers = [0, 1].map(|worker| {
        let (sleep, thread) = (sleep.clone(), worker);
        thread::spawn(move || {
            for n in 0.. {
                if Arc::strong_count(&sleep) <= 3 {
                    return;
                }
                match n % 3 {
                    0 => sleep.notify(Work::Call),
                    1 => sleep.wake(thread),
                    _ => _ = sleep.call(thread, Work::Call),
                }
                assert!(bits(&sleep) <= 2);
                yield_now();
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    wakers.into_iter().for_each(|waker| waker.join().unwrap());
    assert_eq!((bits(&sleep), sleep.tally().sleeping, sleep.tally().searching), (0, 0, 0));
}
