//! The queues alone, without workers: what a push, a pop and a steal cost.
//!
//! Two kinds are compared, each with its like: deques that are robbed one item at a time, and
//! first-in-first-out queues that are robbed by halves. All times are per item.

mod queues;

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Group;
use super::measure::{Contender, Effort, Row, nanos, timed};
use queues::{CrossbeamFifo, CrossbeamLifo, Deque, Fifo, HeistDeque, HeistRing, St3Fifo, St3Lifo};

pub const GROUP: Group = Group {
    name: "deque",
    about: "push, pop and steal, time per item; against crossbeam-deque and st3",
    rows,
};

/// Items in a deque when it is full enough.
const MANY: usize = 1000;
/// As many as a ring holds.
const RING: usize = 256;
/// How often a round repeats what takes only microseconds.
const REPEAT: usize = 200;
/// Items that go through a queue while an owner and a thief work on it.
const CONTESTED: usize = 200_000;

fn rows(_: &Effort) -> Vec<Row> {
    vec![
        Row::new("deque: push 1000, then pop them", || {
            vec![fill_and_pop::<HeistDeque>(), fill_and_pop::<CrossbeamLifo>(), fill_and_pop::<St3Lifo>()]
        }),
        Row::new("deque: push and pop in turns", || {
            vec![push_and_pop::<HeistDeque>(), push_and_pop::<CrossbeamLifo>(), push_and_pop::<St3Lifo>()]
        }),
        Row::new("deque: steal 1000 one by one", || {
            vec![steal_each::<HeistDeque>(), steal_each::<CrossbeamLifo>(), steal_each::<St3Lifo>()]
        }),
        Row::new("deque: one owner, one thief", || {
            vec![
                contested_deque::<HeistDeque>(),
                contested_deque::<CrossbeamLifo>(),
                contested_deque::<St3Lifo>(),
            ]
        }),
        Row::new("ring: push 256, then pop them", || {
            vec![
                fill_and_pop_fifo::<HeistRing>(),
                fill_and_pop_fifo::<CrossbeamFifo>(),
                fill_and_pop_fifo::<St3Fifo>(),
            ]
        }),
        Row::new("ring: steal 256 by halves", || {
            vec![steal_halves::<HeistRing>(), steal_halves::<CrossbeamFifo>(), steal_halves::<St3Fifo>()]
        }),
        Row::new("ring: one owner, one thief", || {
            vec![
                contested_fifo::<HeistRing>(),
                contested_fifo::<CrossbeamFifo>(),
                contested_fifo::<St3Fifo>(),
            ]
        }),
    ]
}

fn fill_and_pop<D: Deque>() -> Contender {
    let (deque, _thief) = D::new();
    Contender::new(D::WHO, move || {
        let ((), ns) = timed(|| {
            for _ in 0..REPEAT {
                (1..=MANY).for_each(|item| deque.push(black_box(item)));
                drain(|| deque.pop(), MANY);
            }
        });
        ns / (REPEAT * MANY) as f64
    })
}

fn push_and_pop<D: Deque>() -> Contender {
    let (deque, _thief) = D::new();
    Contender::new(D::WHO, move || {
        let ((), ns) = timed(|| {
            for item in 1..=REPEAT * MANY {
                deque.push(black_box(item));
                black_box(deque.pop());
            }
        });
        ns / (REPEAT * MANY) as f64
    })
}

/// Only the steals are timed.
fn steal_each<D: Deque>() -> Contender {
    let (deque, thief) = D::new();
    Contender::new(D::WHO, move || {
        let once = || {
            (1..=MANY).for_each(|item| deque.push(item));
            timed(|| drain(|| D::steal(&thief), MANY)).1
        };
        (0..REPEAT).map(|_| once()).sum::<f64>() / (REPEAT * MANY) as f64
    })
}

fn fill_and_pop_fifo<F: Fifo>() -> Contender {
    let (fifo, _thief) = F::new();
    Contender::new(F::WHO, move || {
        let ((), ns) = timed(|| {
            for _ in 0..REPEAT {
                fill(&fifo);
                drain(|| fifo.pop(), RING);
            }
        });
        ns / (REPEAT * RING) as f64
    })
}

/// Only the steals are timed, together with the pops of what was stolen.
fn steal_halves<F: Fifo>() -> Contender {
    let (fifo, thief) = F::new();
    let (own, _) = F::new();
    Contender::new(F::WHO, move || {
        let once = || {
            fill(&fifo);
            timed(|| drain(|| own.pop().or_else(|| F::steal_half(&thief, &own)), RING)).1
        };
        (0..REPEAT).map(|_| once()).sum::<f64>() / (REPEAT * RING) as f64
    })
}

fn fill(fifo: &impl Fifo) {
    let spill = |_| panic!("it was empty and holds {RING}");
    (1..=RING).for_each(|item| fifo.push(black_box(item), spill));
}

/// Takes items until there are none, which must be after `expected` ones.
fn drain(mut take: impl FnMut() -> Option<usize>, expected: usize) {
    let mut taken = 0;
    while let Some(item) = take() {
        black_box(item);
        taken += 1;
    }
    assert_eq!(taken, expected);
}

fn contested_deque<D: Deque>() -> Contender {
    let (deque, mut thief) = D::new();
    Contender::new(D::WHO, move || {
        let thief = &mut thief;
        contest(
            |ledger| {
                for item in 1..=CONTESTED {
                    deque.push(item);
                    // Half of the items are left for the thief, if it is quick enough.
                    if item % 2 == 0 {
                        ledger.extend(deque.pop());
                    }
                }
                ledger.extend(std::iter::from_fn(|| deque.pop()));
            },
            move || D::steal(thief),
        )
    })
}

fn contested_fifo<F: Fifo>() -> Contender {
    let (fifo, mut thief) = F::new();
    let (mut own, _) = F::new();
    Contender::new(F::WHO, move || {
        let (thief, own) = (&mut thief, &mut own);
        contest(
            |ledger| {
                for item in 1..=CONTESTED {
                    fifo.push(item, |item| ledger.extend([item]));
                    if item % 2 == 0 {
                        ledger.extend(fifo.pop());
                    }
                }
                ledger.extend(std::iter::from_fn(|| fifo.pop()));
            },
            move || own.pop().or_else(|| F::steal_half(thief, own)),
        )
    })
}

/// Lets an owner put all items through its queue while a thief steals, until each has been taken.
fn contest(own: impl FnOnce(&mut Ledger), mut steal: impl FnMut() -> Option<usize> + Send) -> f64 {
    let lined_up = AtomicUsize::new(0);
    let owner_is_done = AtomicBool::new(false);
    let (mut ledger, stolen, elapsed) = std::thread::scope(|scope| {
        let thief = scope.spawn(|| {
            let mut ledger = Ledger::default();
            line_up(&lined_up);
            loop {
                // Asked before the last attempt: nothing is pushed after it.
                let last = owner_is_done.load(Ordering::Acquire);
                match steal() {
                    Some(item) => ledger.extend([item]),
                    None if last => return ledger,
                    None => spin_loop(),
                }
            }
        });
        let mut ledger = Ledger::default();
        line_up(&lined_up);
        let begin = Instant::now();
        own(&mut ledger);
        owner_is_done.store(true, Ordering::Release);
        let stolen = thief.join().expect("a thief does not panic");
        (ledger, stolen, begin.elapsed())
    });
    ledger.add(&stolen);
    ledger.assert_complete();
    nanos(elapsed) / CONTESTED as f64
}

/// Both threads spin until the system has given each its own core, and leave at the same time.
fn line_up(lined_up: &AtomicUsize) {
    const SPREAD: Duration = Duration::from_millis(5);
    let begin = Instant::now();
    while begin.elapsed() < SPREAD {
        spin_loop();
    }
    lined_up.fetch_add(1, Ordering::AcqRel);
    while lined_up.load(Ordering::Acquire) < 2 {
        spin_loop();
    }
}

/// Counts the items that were taken, to see that each was taken once.
#[derive(Default)]
struct Ledger {
    count: usize,
    sum: usize,
}

impl Ledger {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
    }

    fn assert_complete(&self) {
        assert_eq!(self.count, CONTESTED);
        assert_eq!(self.sum, CONTESTED * (CONTESTED + 1) / 2);
    }
}

impl Extend<usize> for Ledger {
    #[inline]
    fn extend<I: IntoIterator<Item = usize>>(&mut self, items: I) {
        for item in items {
            self.count += 1;
            self.sum += item;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes_items_from_both_ends<D: Deque>() {
        let (deque, thief) = D::new();
        (1..=3).for_each(|item| deque.push(item));
        assert_eq!(deque.pop(), Some(3), "{}", D::WHO);
        assert_eq!(D::steal(&thief), Some(1), "{}", D::WHO);
        assert_eq!(deque.pop(), Some(2), "{}", D::WHO);
        assert_eq!(D::steal(&thief), None, "{}", D::WHO);
    }

    #[test]
    fn every_deque_is_lifo_for_its_owner_and_fifo_for_thieves() {
        takes_items_from_both_ends::<HeistDeque>();
        takes_items_from_both_ends::<CrossbeamLifo>();
        takes_items_from_both_ends::<St3Lifo>();
    }

    fn moves_up_to_half<F: Fifo>() {
        let (fifo, thief) = F::new();
        let (own, _) = F::new();
        (1..=8).for_each(|item| fifo.push(item, |_| unreachable!("there is room")));
        let first = F::steal_half(&thief, &own);
        let stolen: Vec<_> = first.into_iter().chain(std::iter::from_fn(|| own.pop())).collect();
        let left: Vec<_> = std::iter::from_fn(|| fifo.pop()).collect();
        assert!(!stolen.is_empty() && !left.is_empty(), "{}", F::WHO);
        let mut all = [stolen, left].concat();
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8], "{}", F::WHO);
    }

    #[test]
    fn every_fifo_lets_thieves_take_a_part() {
        moves_up_to_half::<HeistRing>();
        moves_up_to_half::<CrossbeamFifo>();
        moves_up_to_half::<St3Fifo>();
    }

    #[test]
    #[should_panic(expected = "left: 1")]
    fn a_contest_in_which_items_get_lost_is_not_counted() {
        contest(|ledger| ledger.extend([1]), || None);
    }
}
