//! Who adds a timer, and who sleeps until the next: loom tries every interleaving.
//!
//! A lost wake-up is a deadlock, which loom reports: nothing here ends a sleep but being unparked.

use super::alarm::{Alarm, NEVER};
use crate::sync::{Arc, AtomicU64, ModelBuilder, Ordering, fence, model, thread};

/// An alarm, and when each of two wheels has to be turned.
struct Shared {
    alarm: Alarm,
    next: [AtomicU64; 2],
}

impl Shared {
    fn new(next: [u64; 2]) -> Arc<Self> {
        Arc::new(Shared { alarm: Alarm::new(), next: next.map(AtomicU64::new) })
    }

    fn earliest(&self) -> u64 {
        self.next.iter().map(|next| next.load(Ordering::Relaxed)).min().unwrap()
    }

    /// Sleeps, as often as it is woken, until the earliest expiry is at most this. Says how often.
    fn sleep_until_told_of(&self, expiry: u64) -> usize {
        let mut sleeps = 0;
        while self.alarm.set(|| self.earliest()) > expiry {
            sleeps += 1;
            thread::park();
            self.alarm.clear();
        }
        self.alarm.clear();
        sleeps
    }

    fn add(&self, wheel: usize, expiry: u64, sleeper: &thread::Thread) {
        self.next[wheel].store(expiry, Ordering::Relaxed);
        if self.alarm.must_ring(expiry) {
            sleeper.unpark();
        }
    }
}

fn add_from_another_thread(shared: &Arc<Shared>, wheel: usize, expiry: u64) -> thread::JoinHandle<()> {
    let (shared, sleeper) = (shared.clone(), thread::current());
    thread::spawn(move || shared.add(wheel, expiry, &sleeper))
}

#[test]
fn a_sooner_timer_wakes_the_sleeper() {
    model(|| {
        let shared = Shared::new([NEVER, 20]);
        let adding = add_from_another_thread(&shared, 0, 10);
        assert!(shared.sleep_until_told_of(10) <= 1);
        adding.join().unwrap();
    });
}

#[test]
fn the_first_timer_wakes_a_sleeper_without_limit() {
    model(|| {
        let shared = Shared::new([NEVER, NEVER]);
        let adding = add_from_another_thread(&shared, 0, 10);
        assert!(shared.sleep_until_told_of(10) <= 1);
        adding.join().unwrap();
    });
}

#[test]
fn the_sooner_one_of_two_that_come_at_the_same_time_is_seen() {
    model(|| {
        let shared = Shared::new([NEVER, NEVER]);
        let later = add_from_another_thread(&shared, 0, 20);
        let sooner = add_from_another_thread(&shared, 1, 10);
        assert!(shared.sleep_until_told_of(10) <= 2);
        later.join().unwrap();
        sooner.join().unwrap();
    });
}

#[test]
fn a_later_timer_does_not_wake_the_sleeper() {
    model(|| {
        let shared = Shared::new([10, NEVER]);
        let until = shared.alarm.set(|| shared.earliest());
        assert_eq!(until, 10);
        shared.next[1].store(20, Ordering::Relaxed);
        assert!(!shared.alarm.must_ring(20));
        shared.alarm.clear();
        assert!(!shared.alarm.must_ring(5), "nobody sleeps");
    });
}

#[test]
fn a_sleeper_that_has_just_woken_up_sees_what_came_meanwhile() {
    model(|| {
        let shared = Shared::new([NEVER, 20]);
        let adding = add_from_another_thread(&shared, 0, 10);
        // It has slept and wakes up for another reason.
        shared.alarm.set(|| shared.earliest());
        shared.alarm.clear();
        shared.sleep_until_told_of(10);
        adding.join().unwrap();
    });
}

/// Without the fences the two miss each other: if this passes, loom checks nothing.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_a_flag_without_fences_loses_a_wake_up() {
    ModelBuilder::new().check(|| {
        let (asleep, next) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(NEVER)));
        let sleeper = thread::current();
        let adding = thread::spawn({
            let (asleep, next) = (asleep.clone(), next.clone());
            move || {
                next.store(10, Ordering::Relaxed);
                if asleep.load(Ordering::Relaxed) == 1 {
                    sleeper.unpark();
                }
            }
        });
        asleep.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if next.load(Ordering::Relaxed) == NEVER {
            thread::park();
        }
        adding.join().unwrap();
    });
}
