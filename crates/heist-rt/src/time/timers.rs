//! All timers of a runtime, in several wheels so that threads do not wait for each other.
//!
//! A thread adds its timers to the wheel of its own number. The thread at the driver turns all of them.
//! Beside each wheel stands when it has to be turned next, for one who has no lock.
//!
//! # Invariants
//! I1 What stands beside a wheel is written under its lock, and never later than the first timer in it is
//!    due. It may be sooner, after a timer was removed: that costs a look in vain.
//! I2 Who makes it sooner looks at the alarm afterwards. Who does not has a timer that another one's alarm is
//!    good for.
//! I3 No waker is cloned, woken or dropped under a lock: it is the user's.

use super::{
    Instant,
    alarm::{Alarm, NEVER},
    clock::{Clock, Ticks},
    wheel::Wheel,
};
use crate::{
    driver::Due,
    sync::{AtomicU64, AtomicUsize, Ordering},
};
use crossbeam_utils::CachePadded;
use std::{
    cell::Cell,
    sync::{Mutex, MutexGuard, PoisonError},
    task::Waker,
    time::Duration,
};

/// Timers that fire while a lock is held.
const BATCH: usize = 256;

/// How soon one who waits with a paused clock looks again whether all are idle.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct Timers {
    clock: Clock,
    alarm: CachePadded<Alarm>,
    shards: Box<[CachePadded<Shard>]>,
}

#[derive(Debug)]
struct Shard {
    /// The tick at which the wheel has to be turned next (I1).
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    wheel: Wheel,
    /// The wheel will not be turned any more.
    ended: bool,
}

/// Where a timer is, until it is taken out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    shard: u32,
    timer: u32,
}

/// How a timer stands.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub(super) enum Status {
    /// It will wake whom it was told to.
    Waits(Key),
    /// Its time has come; it has been taken out.
    Over,
    /// Nobody will look at it, for the runtime has ended.
    Ended,
}

impl Timers {
    pub(crate) fn new(threads: usize) -> Self {
        let shard = || Shard {
            next: AtomicU64::new(NEVER),
            state: Mutex::new(State { wheel: Wheel::new(), ended: false }),
        };
        Timers {
            clock: Clock::new(),
            alarm: CachePadded::new(Alarm::new()),
            shards: (0..threads.max(1)).map(|_| CachePadded::new(shard())).collect(),
        }
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Adds a timer, unless it is over. `unpark` is called if the thread at the driver sleeps for too long.
    ///
    /// The caller may know what the time was `recently`, and that it is not over, so that there is no need to
    /// look at the system's clock again.
    pub(super) fn insert(
        &self,
        deadline: Instant,
        recently: Option<Ticks>,
        waker: &Waker,
        unpark: impl FnOnce(),
    ) -> Status {
        let ticks =
            recently.filter(|_| self.clock.is_the_systems()).or_else(|| self.clock.ticks_to(deadline));
        let Some(Ticks { now, due }) = ticks else { return Status::Over };
        let waker = waker.clone();
        let index = number_of_thread() % self.shards.len();
        let shard = &self.shards[index];
        let mut state = shard.lock();
        if state.ended {
            return Status::Ended;
        }
        match state.wheel.insert(due, now, waker) {
            Ok(timer) => {
                self.announce(shard, state, due, unpark);
                Status::Waits(Key { shard: index as u32, timer })
            }
            Err(waker) => {
                // Somebody has looked at the clock after us.
                drop(state);
                drop(waker);
                Status::Over
            }
        }
    }

    /// How a timer stands. If it waits it is `waker` that it will wake.
    pub(super) fn poll(&self, key: Key, waker: &Waker) -> Status {
        let shard = &self.shards[key.shard as usize];
        if let Some(status) = shard.lock().status(key, Some(waker)) {
            return status;
        }
        let waker = waker.clone();
        let mut state = shard.lock();
        if let Some(status) = state.status(key, None) {
            drop(state);
            return status;
        }
        let old = state.wheel.replace_waker(key.timer, waker);
        drop(state);
        drop(old);
        Status::Waits(key)
    }

    pub(super) fn has_fired(&self, key: Key) -> bool {
        self.shards[key.shard as usize].lock().wheel.has_fired(key.timer)
    }

    /// Gives a timer another deadline; if that is over it fires. Says whether it had not fired before.
    #[must_use]
    pub(super) fn reset(&self, key: Key, deadline: Instant, unpark: impl FnOnce()) -> bool {
        let now = self.now();
        let due = if deadline <= now { 0 } else { self.clock.tick_after(deadline) };
        let shard = &self.shards[key.shard as usize];
        let mut state = shard.lock();
        if state.wheel.has_fired(key.timer) {
            return false;
        }
        let fired = state.wheel.reset(key.timer, due, self.clock.tick_at(now));
        self.announce(shard, state, due, unpark);
        if let Some(waker) = fired {
            waker.wake();
        }
        true
    }

    /// Takes a timer out.
    pub(super) fn remove(&self, key: Key) {
        let waker = self.shards[key.shard as usize].lock().wheel.remove(key.timer);
        drop(waker);
    }

    /// After a timer was added to a shard that is due then (I2).
    fn announce(&self, shard: &Shard, state: MutexGuard<'_, State>, due: u64, unpark: impl FnOnce()) {
        if due >= shard.next.load(Ordering::Relaxed) {
            return;
        }
        let next = state.wheel.next_expiry().unwrap_or(NEVER);
        shard.next.store(next, Ordering::Relaxed);
        drop(state);
        if self.alarm.must_ring(next) {
            unpark();
        }
    }

    /// The tick at which some wheel has to be turned.
    fn earliest(&self) -> u64 {
        let next = self.shards.iter().map(|shard| shard.next.load(Ordering::Relaxed));
        next.min().unwrap_or(NEVER)
    }

    /// The caller is about to wait at the driver, until [`end_wait`](Self::end_wait). Says for how long at
    /// most.
    ///
    /// A paused clock moves to the next timer if the runtime `is_idle`; see [`clock`](super::clock).
    pub(crate) fn begin_wait(&self, is_idle: impl FnOnce() -> bool) -> Option<Duration> {
        let paused = self.clock.is_paused();
        if paused {
            // No look in vain: the clock would jump to where there is no timer.
            self.shards.iter().for_each(|shard| shard.publish(&shard.lock()));
        }
        let until = self.alarm.set(|| self.earliest());
        if until == NEVER {
            None
        } else if !paused {
            Some(self.clock.until(until))
        } else if is_idle() {
            if let Some(due) = self.shards.iter().filter_map(|shard| shard.lock().wheel.next_due()).min() {
                self.clock.advance_to(due);
            }
            Some(Duration::ZERO)
        } else {
            Some(LOOK_AGAIN)
        }
    }

    pub(crate) fn end_wait(&self) {
        self.alarm.clear();
    }

    /// Fires what is due. One load per wheel if there is nothing to wait for.
    pub(crate) fn fire(&self, due: &mut Due) {
        if self.earliest() == NEVER {
            return;
        }
        let now = self.clock.tick_at(self.now());
        for shard in &self.shards {
            while shard.next.load(Ordering::Relaxed) <= now && shard.fire(now, due) {}
        }
    }

    /// Nobody will fire timers any more. Wakes all who wait for one, to find out.
    pub(crate) fn end(&self, due: &mut Due) {
        for shard in &self.shards {
            let mut state = shard.lock();
            state.ended = true;
            state.wheel.take_wakers().for_each(|waker| due.add(Some(waker)));
        }
    }
}

impl Shard {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, state: &State) {
        self.next.store(state.wheel.next_expiry().unwrap_or(NEVER), Ordering::Relaxed);
    }

    /// Fires a batch. Says whether there is more.
    fn fire(&self, now: u64, due: &mut Due) -> bool {
        let mut state = self.lock();
        let more = state.wheel.turn(now, BATCH, |waker| due.add(waker));
        self.publish(&state);
        more
    }
}

impl State {
    /// How a timer stands, unless it waits to wake somebody else than `waker`.
    fn status(&mut self, key: Key, waker: Option<&Waker>) -> Option<Status> {
        if self.wheel.has_fired(key.timer) {
            // It has no waker any more, so nothing of the user's is dropped here.
            self.wheel.remove(key.timer);
            Some(Status::Over)
        } else if self.ended {
            Some(Status::Ended)
        } else {
            waker.is_some_and(|waker| self.wheel.would_wake(key.timer, waker)).then_some(Status::Waits(key))
        }
    }
}

/// A worker's is its index; of others each has its own.
fn number_of_thread() -> usize {
    static OUTSIDE: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
    }
    heist_core::current_thread_index().unwrap_or_else(|| {
        NUMBER.with(|number| {
            let own = number.get().unwrap_or_else(|| OUTSIDE.fetch_add(1, Ordering::Relaxed));
            number.set(Some(own));
            own
        })
    })
}
