//! The queues behind two traits, so that each bench is written once.
//!
//! Items are numbers from one up. A steal that has to be retried is retried here: what is measured
//! is what it takes to get an item.

use std::num::NonZeroUsize;

use crossbeam_deque as crossbeam;
use heist_core::deque::{Steal, chase_lev, ring};

/// Never reached by a [`Deque`] in these benches; st3 has to know it beforehand.
const PLENTY: usize = 1 << 18;

/// A deque whose thieves take one item at a time.
pub trait Deque: Sized + Send + 'static {
    const WHO: &'static str;
    type Thief: Send;

    fn new() -> (Self, Self::Thief);
    fn push(&self, item: usize);
    /// Takes the newest.
    fn pop(&self) -> Option<usize>;
    /// Takes the oldest.
    fn steal(thief: &Self::Thief) -> Option<usize>;
}

/// A first-in-first-out queue whose thieves take many items at a time into a queue of their own.
pub trait Fifo: Sized + Send + 'static {
    const WHO: &'static str;
    type Thief: Send;

    fn new() -> (Self, Self::Thief);
    /// If the queue is full, some items go to `spill`.
    fn push(&self, item: usize, spill: impl FnMut(usize));
    fn pop(&self) -> Option<usize>;
    /// Takes up to half: returns one item, the others go to `own`.
    fn steal_half(thief: &Self::Thief, own: &Self) -> Option<usize>;
}

fn number(item: usize) -> NonZeroUsize {
    NonZeroUsize::new(item).expect("items count from one")
}

/// Until it is a success or there is nothing to steal.
#[inline]
fn persist(mut steal: impl FnMut() -> Steal<NonZeroUsize>) -> Option<usize> {
    loop {
        match steal() {
            Steal::Success(item) => return Some(item.get()),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

#[inline]
fn persist_crossbeam(mut steal: impl FnMut() -> crossbeam::Steal<usize>) -> Option<usize> {
    loop {
        match steal() {
            crossbeam::Steal::Success(item) => return Some(item),
            crossbeam::Steal::Empty => return None,
            crossbeam::Steal::Retry => std::hint::spin_loop(),
        }
    }
}

#[inline]
fn persist_st3(mut steal: impl FnMut() -> Result<(usize, usize), st3::StealError>) -> Option<usize> {
    loop {
        match steal() {
            Ok((item, _)) => return Some(item),
            Err(st3::StealError::Empty) => return None,
            Err(st3::StealError::Busy) => std::hint::spin_loop(),
        }
    }
}

pub struct HeistDeque(chase_lev::Owner<NonZeroUsize>);

impl Deque for HeistDeque {
    const WHO: &'static str = "heist";
    type Thief = chase_lev::Stealer<NonZeroUsize>;

    fn new() -> (Self, Self::Thief) {
        let (owner, thief) = chase_lev::new();
        (Self(owner), thief)
    }

    #[inline]
    fn push(&self, item: usize) {
        self.0.push(number(item));
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop().map(NonZeroUsize::get)
    }

    #[inline]
    fn steal(thief: &Self::Thief) -> Option<usize> {
        persist(|| thief.steal())
    }
}

pub struct CrossbeamLifo(crossbeam::Worker<usize>);

impl Deque for CrossbeamLifo {
    const WHO: &'static str = "crossbeam";
    type Thief = crossbeam::Stealer<usize>;

    fn new() -> (Self, Self::Thief) {
        let worker = crossbeam::Worker::new_lifo();
        let thief = worker.stealer();
        (Self(worker), thief)
    }

    #[inline]
    fn push(&self, item: usize) {
        self.0.push(item);
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop()
    }

    #[inline]
    fn steal(thief: &Self::Thief) -> Option<usize> {
        persist_crossbeam(|| thief.steal())
    }
}

/// Made for batches; asked for one item it needs a destination all the same, which stays empty.
pub struct St3Lifo(st3::lifo::Worker<usize>);

impl Deque for St3Lifo {
    const WHO: &'static str = "st3";
    type Thief = (st3::lifo::Stealer<usize>, st3::lifo::Worker<usize>);

    fn new() -> (Self, Self::Thief) {
        let worker = st3::lifo::Worker::new(PLENTY);
        let thief = (worker.stealer(), st3::lifo::Worker::new(1));
        (Self(worker), thief)
    }

    #[inline]
    fn push(&self, item: usize) {
        self.0.push(item).expect("there is plenty of room");
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop()
    }

    #[inline]
    fn steal((thief, own): &Self::Thief) -> Option<usize> {
        persist_st3(|| thief.steal_and_pop(own, |_| 1))
    }
}

pub struct HeistRing(ring::Owner<NonZeroUsize>);

impl Fifo for HeistRing {
    const WHO: &'static str = "heist";
    type Thief = ring::Stealer<NonZeroUsize>;

    fn new() -> (Self, Self::Thief) {
        let (owner, thief) = ring::new();
        (Self(owner), thief)
    }

    #[inline]
    fn push(&self, item: usize, mut spill: impl FnMut(usize)) {
        if let Err(overflow) = self.0.push(number(item)) {
            overflow.for_each(|item| spill(item.get()));
        }
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop().map(NonZeroUsize::get)
    }

    #[inline]
    fn steal_half(thief: &Self::Thief, own: &Self) -> Option<usize> {
        persist(|| thief.steal_into(&own.0))
    }
}

/// Takes half, but never more than 32.
pub struct CrossbeamFifo(crossbeam::Worker<usize>);

impl Fifo for CrossbeamFifo {
    const WHO: &'static str = "crossbeam";
    type Thief = crossbeam::Stealer<usize>;

    fn new() -> (Self, Self::Thief) {
        let worker = crossbeam::Worker::new_fifo();
        let thief = worker.stealer();
        (Self(worker), thief)
    }

    #[inline]
    fn push(&self, item: usize, _: impl FnMut(usize)) {
        self.0.push(item);
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop()
    }

    #[inline]
    fn steal_half(thief: &Self::Thief, own: &Self) -> Option<usize> {
        persist_crossbeam(|| thief.steal_batch_and_pop(&own.0))
    }
}

pub struct St3Fifo(st3::fifo::Worker<usize>);

impl Fifo for St3Fifo {
    const WHO: &'static str = "st3";
    type Thief = st3::fifo::Stealer<usize>;

    fn new() -> (Self, Self::Thief) {
        let worker = st3::fifo::Worker::new(ring::CAPACITY as usize);
        let thief = worker.stealer();
        (Self(worker), thief)
    }

    #[inline]
    fn push(&self, item: usize, mut spill: impl FnMut(usize)) {
        if let Err(item) = self.0.push(item) {
            spill(item);
        }
    }

    #[inline]
    fn pop(&self) -> Option<usize> {
        self.0.pop()
    }

    #[inline]
    fn steal_half(thief: &Self::Thief, own: &Self) -> Option<usize> {
        persist_st3(|| thief.steal_and_pop(&own.0, |available| available - available / 2))
    }
}
