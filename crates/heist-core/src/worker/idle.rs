//! What a worker does that has found nothing: it looks on for a while, then sleeps.

use super::{Role, Worker};
use crate::{
    latch::CoreLatch,
    sleep::Woken,
    sync::{spin_loop, yield_now},
    trace::{Code, Entry},
    tuning::{PATIENCE, SPIN_ROUNDS, SPINS_PER_ROUND, WAIT_ROUNDS},
};
use std::{mem, time::Instant};

/// How long the worker has found nothing, and what the sleepers' counts know of it.
#[derive(Debug, Default)]
pub(super) struct Idle {
    pub(super) rounds: u32,
    pub(super) searching: bool,
    /// The last look before sleeping saw something: search, whoever else does.
    pub(super) called_back: bool,
    /// Rounds without work since it began to wait, whatever it has found in between.
    looked: u32,
}

impl Idle {
    /// Whether one who waits has just begun to, and nobody has called it.
    pub(super) fn is_fresh(&self) -> bool {
        self.looked < WAIT_ROUNDS && !self.searching && !self.called_back
    }

    /// It has found something, or slept.
    pub(super) fn over(&self) -> Self {
        Idle { looked: self.looked, ..Idle::default() }
    }
}

impl Worker {
    /// After a round without work: a pause, and after some of them sleep.
    pub(super) fn rest(&self, latch: &CoreLatch, role: Role, idle: &mut Idle) {
        idle.rounds += 1;
        idle.looked = idle.looked.saturating_add(1);
        let (spins, rounds) = match role {
            Role::Post => (self.rounds_at_post(), 0),
            Role::Wait | Role::Blocked | Role::Deep => (SPIN_ROUNDS, WAIT_ROUNDS),
        };
        if role == Role::Post && self.team.sleep.driver_is_free() {
            // What comes next may come from there, and it is no use to look on here meanwhile.
            self.sleep(latch, role, idle);
        } else if idle.rounds <= spins {
            (0..SPINS_PER_ROUND).for_each(|_| spin_loop());
        } else if idle.rounds <= rounds {
            yield_now();
        } else {
            self.sleep(latch, role, idle);
        }
    }

    /// Rounds of looking for work at its post before it sleeps. Where there is a driver, what comes next
    /// mostly comes from there, and to look on would only take the core from those who send it.
    pub(super) fn rounds_at_post(&self) -> u32 {
        if self.team.sleep.has_driver() { *PATIENCE.start() } else { self.patience.rounds() }
    }

    fn sleep(&self, latch: &CoreLatch, role: Role, idle: &mut Idle) {
        self.team.assert_not_forked();
        let (sleep, counters) = (&self.team.sleep, &self.thread().counters);
        let turn = if role == Role::Post { sleep.take_turn() } else { None };
        if role == Role::Post {
            self.deque.shut();
        }
        let mut parked = None;
        let last_look = || {
            self.team.see_pushes(self.index());
            let driver_is_alone = role == Role::Post && sleep.driver_is_free();
            let stays = latch.watch() || self.could_find(role) || driver_is_alone;
            if !stays {
                parked = Some(Instant::now());
                counters.parks.add(1);
                self.trace(|| Entry::new(Code::Parked));
            }
            stays
        };
        let woken = sleep.sleep(self.index(), role.takes(), idle.searching, turn.as_ref(), last_look);
        if parked.is_some() {
            self.trace(|| Entry::new(Code::Woken));
        }
        if role == Role::Post {
            if let Some(watch) = self.team.watch.get() {
                watch.see_that_it_is_awake();
            }
            self.post.rest();
            if let Some(since) = parked {
                self.patience.slept(since.elapsed());
            }
        }
        if let Some(turn) = turn {
            self.dispatch(turn);
        }
        *idle = match woken {
            Woken::NotSlept => Idle { searching: idle.searching, called_back: true, ..idle.over() },
            Woken::ToSearch => Idle { searching: true, ..idle.over() },
            Woken::Directly => idle.over(),
        };
        counters.wakes.add(u64::from(parked.is_some()));
    }

    /// Not a searcher any more; somebody else takes over if there is more to find.
    pub(super) fn stop_search(&self, idle: &mut Idle) {
        if mem::take(&mut idle.searching) {
            self.team.sleep.stop_search(|| self.team.sees_work());
        }
    }
}
