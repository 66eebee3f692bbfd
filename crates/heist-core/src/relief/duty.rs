//! Who is on duty as the relief: one word, changed by the watch and by the one on duty.
//!
//! A thread on duty either *serves*, which includes sleeping on the relief's seat, or runs a task. While it
//! serves, the duty is its own. While it runs a task, which may take long, the watch may give the duty to
//! another one: then the first finds out when it comes back, and goes.
//!
//! ```text
//! | turn of duty: 61 | leave: 1 | runs: 1 | on: 1 |
//! ```
//!
//! # Invariants
//! D1 At most one thread serves: the one whose turn of duty is in the word, with `on` and without `runs`.
//!    Only the watch begins a turn, and only if nobody serves.

use crate::sync::{AtomicU64, Ordering};

const ON: u64 = 1;
const RUNS: u64 = 2;
const LEAVE: u64 = 4;
const TURN: u64 = 8;

#[derive(Debug, Default)]
pub(crate) struct Duty {
    word: AtomicU64,
}

/// A turn of duty, as the thread knows it that has it.
#[derive(Debug)]
#[must_use = "somebody has to serve now"]
pub(crate) struct Order(u64);

/// What the watch sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nobody is on duty.
    Off,
    /// Somebody is, and serves.
    Serves,
    /// Somebody is, and runs a task.
    Runs,
}

impl Duty {
    pub(crate) fn seen(&self) -> Seen {
        match self.word.load(Ordering::Acquire) & (ON | RUNS) {
            word if word & ON == 0 => Seen::Off,
            word if word & RUNS == 0 => Seen::Serves,
            _ => Seen::Runs,
        }
    }

    /// By the watch: a new turn of duty begins, unless somebody serves. One who runs a task has lost it.
    pub(crate) fn begin(&self) -> Option<Order> {
        let next = |word: u64| (word & (ON | RUNS) != ON).then_some((word & !(TURN - 1)) + TURN + ON);
        // ORDERING: acquires what the one before did on the seat, releases it to the next.
        let before = self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()?;
        Some(Order(before / TURN + 1))
    }

    /// By the watch: whoever is on duty may go.
    pub(crate) fn ask_to_leave(&self) {
        let ask = |word: u64| (word & ON != 0).then_some(word | LEAVE);
        // Nobody is on duty: nobody is asked.
        let _ = self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, ask);
    }

    /// By the one who serves: whether it was asked to leave.
    pub(crate) fn may_leave(&self) -> bool {
        self.word.load(Ordering::Acquire) & LEAVE != 0
    }

    /// By the one who serves: it runs a task now.
    pub(crate) fn run(&self) {
        // ORDERING: releases what it did on the seat, should the duty be another's next.
        self.word.fetch_or(RUNS, Ordering::AcqRel);
    }

    /// By one who ran a task: whether it is on duty still, and serves again.
    #[must_use]
    pub(crate) fn return_to(&self, order: &Order) -> bool {
        let serve = |word: u64| (word / TURN == order.0).then_some(word & !RUNS);
        self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, serve).is_ok()
    }

    /// By the one who serves: nobody is on duty any more.
    pub(crate) fn end(&self, order: Order) {
        let off = |word: u64| Some(word & !(TURN - 1));
        let ended = self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, off);
        debug_assert!(ended.is_ok_and(|word| word / TURN == order.0 && word & RUNS == 0));
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_when_nobody_serves_and_ends_when_its_thread_says_so() {
        let duty = Duty::default();
        let order = duty.begin().unwrap();
        assert!(duty.begin().is_none());
        assert_eq!(duty.seen(), Seen::Serves);
        duty.end(order);
        assert_eq!(duty.seen(), Seen::Off);
        assert!(duty.begin().is_some());
    }

    #[test]
    fn who_runs_a_task_can_be_replaced_and_finds_out() {
        let duty = Duty::default();
        let first = duty.begin().unwrap();
        duty.run();
        assert_eq!(duty.seen(), Seen::Runs);
        let second = duty.begin().unwrap();
        assert!(!duty.return_to(&first));
        duty.run();
        assert!(duty.return_to(&second));
        assert_eq!(duty.seen(), Seen::Serves);
    }

    #[test]
    fn who_is_on_duty_hears_that_it_may_leave_and_nobody_else() {
        let duty = Duty::default();
        duty.ask_to_leave();
        let order = duty.begin().unwrap();
        assert!(!duty.may_leave());
        duty.ask_to_leave();
        assert!(duty.may_leave());
        duty.end(order);
        assert!(!duty.may_leave());
    }
}
