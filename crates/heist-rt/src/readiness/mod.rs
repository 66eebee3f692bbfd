//! What is known about a registered thing, a socket for example, and who waits for it.
//!
//! The driver hears of events and sets bits in a [`Source`]'s word. Whoever wants to read or write looks at
//! the bits, tries, and if the system says that it would have to wait, clears the bits that it had relied on
//! and leaves a waker. The system reports an event once, so a bit must never be cleared that stands for a
//! newer event than the one whose trial has failed: that is what the tick in the word is for.
//!
//! ```text
//! | tick: + 1 per event | ENDED | ERROR | PRIORITY | WRITE_CLOSED | READ_CLOSED | WRITABLE | READABLE |
//! ```
//!
//! This is a module of its own, beside the driver, because its models are compiled without the rest: it knows
//! nothing of the system.
//!
//! # Invariants
//! I1 A bit is set before the waiters are looked through for it, by whoever sets it.
//! I2 A waker is stored before the bits are looked at for the last time. With I1 and the waiters' lock:
//!    either the waiter sees the bit, or the one who set it sees the waker.
//! I3 Bits are cleared only if the tick is that of the event which they were seen with.
//! I4 What is closed stays closed, and what has ended stays so: such bits are never cleared.
//! I5 Nothing of the user's is called while the lock is held: wakers are cloned before, and woken or dropped
//!    after.

mod bits;
#[cfg(all(test, heist_loom))]
mod model;

pub use bits::{Interest, Ready};

use crate::sync::{AtomicUsize, Mutex, MutexGuard, Ordering};
use bits::{CLOSED, ENDED, TICK};
use slab::Slab;
use std::{
    fmt, mem,
    sync::PoisonError,
    task::{Context, Poll, Waker},
};

/// See the [module](self).
pub(crate) struct Source {
    /// The bits that mean something.
    bits: usize,
    word: AtomicUsize,
    waiters: Mutex<Waiters>,
}

#[derive(Default)]
struct Waiters {
    /// Who polls for reading, and for writing: one each, the last one who came.
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// Futures that wait, any number of them.
    others: Slab<Other>,
}

struct Other {
    /// The bits that it waits for.
    bits: usize,
    waker: Option<Waker>,
}

/// Bits that were seen, and the tick that they were seen with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    tick: usize,
    bits: usize,
}

impl Event {
    pub(crate) fn ready(self) -> Ready {
        Ready::from_bits(self.bits)
    }

    /// The same, but it stands for these bits only.
    #[must_use]
    pub(crate) fn only(self, ready: Ready) -> Self {
        Event { bits: self.bits & ready.bits(), ..self }
    }

    /// Whether clearing it would change nothing.
    pub(crate) fn is_closed(self) -> bool {
        self.bits & !CLOSED == 0
    }
}

/// The runtime has ended: there will be no events any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended;

/// What is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What has an end, as most things have.
    Stream,
    /// What has none. The system says that it is closed whenever something went wrong, and that it is not so
    /// any more it never says.
    Datagrams,
}

/// What one waits for who polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

impl Direction {
    fn bits(self) -> usize {
        match self {
            Direction::Read => Interest::READABLE.bits(),
            Direction::Write => Interest::WRITABLE.bits(),
        }
    }
}

impl Source {
    pub(crate) fn new(kind: Kind) -> Self {
        let bits = match kind {
            Kind::Stream => Ready::ALL.bits(),
            Kind::Datagrams => Ready::ALL.bits() & !CLOSED,
        };
        Source { bits: bits | ENDED, word: AtomicUsize::new(0), waiters: Mutex::new(Waiters::default()) }
    }

    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something has happened. Hands those who wait for it to `due`, which must not wake them here and now.
    pub(crate) fn set(&self, ready: Ready, due: impl FnMut(Waker)) {
        self.set_bits(ready.bits(), due);
    }

    /// Nothing will happen any more. Hands all who wait to `due`.
    pub(crate) fn end(&self, due: impl FnMut(Waker)) {
        self.set_bits(ENDED, due);
    }

    fn set_bits(&self, bits: usize, due: impl FnMut(Waker)) {
        let bits = bits & self.bits;
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let new = (word | bits).wrapping_add(TICK);
            // ORDERING: releases what has happened to who acquires the bits in `look`, on its way past the
            // lock; acquires nothing. The lock orders it with those who wait (I1).
            match self.word.compare_exchange_weak(word, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => break,
                Err(actual) => word = actual,
            }
        }
        self.waiters().take(bits, due);
    }

    /// What is ready of these bits.
    fn look(&self, bits: usize) -> Result<Option<Event>, Ended> {
        // ORDERING: pairs with the release in `set_bits`.
        let word = self.word.load(Ordering::Acquire);
        if word & ENDED != 0 {
            return Err(Ended);
        }
        let event = Event { tick: word & !(TICK - 1), bits: word & bits };
        Ok((event.bits != 0).then_some(event))
    }

    /// What is ready of that which somebody is interested in.
    pub(crate) fn event(&self, interest: Interest) -> Result<Option<Event>, Ended> {
        self.look(interest.bits())
    }

    /// Clears what was seen, unless something has happened since (I3), and never what is closed (I4).
    pub(crate) fn clear(&self, event: Event) {
        let bits = event.bits & !CLOSED;
        let mut word = self.word.load(Ordering::Relaxed);
        while word & !(TICK - 1) == event.tick && word & bits != 0 {
            // ORDERING: it hands on nothing. That the tick is still the same is all that counts, and a
            // read-modify-write sees the newest.
            match self.word.compare_exchange_weak(word, word & !bits, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(actual) => word = actual,
            }
        }
    }

    /// Waits in the place of a direction; who waited there before is not woken any more.
    pub(crate) fn poll(&self, cx: &mut Context<'_>, direction: Direction) -> Poll<Result<Event, Ended>> {
        self.poll_at(cx, direction.bits(), |waiters| match direction {
            Direction::Read => &mut waiters.reader,
            Direction::Write => &mut waiters.writer,
        })
    }

    fn poll_at(
        &self,
        cx: &mut Context<'_>,
        bits: usize,
        place: impl Fn(&mut Waiters) -> &mut Option<Waker>,
    ) -> Poll<Result<Event, Ended>> {
        if let Some(seen) = self.look(bits).transpose() {
            return Poll::Ready(seen);
        }
        if place(&mut self.waiters()).as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            // Whoever sets a bit finds it there.
            return Poll::Pending;
        }
        let new = cx.waker().clone();
        let old = place(&mut self.waiters()).replace(new);
        drop(old);
        self.look(bits).transpose().map_or(Poll::Pending, Poll::Ready)
    }

    /// Nobody will ask for it any more: drops the wakers of who polled last, and of futures that were leaked.
    pub(crate) fn forget(&self) {
        let waiters = mem::take(&mut *self.waiters());
        drop(waiters);
    }

    /// A place among the others who wait.
    pub(crate) fn waiter(&self, interest: Interest) -> Waiter<'_> {
        Waiter { source: self, bits: interest.bits(), key: None }
    }
}

impl Waiters {
    /// Takes out the wakers of those who wait for one of these bits.
    fn take(&mut self, bits: usize, mut due: impl FnMut(Waker)) {
        let ended = bits & ENDED != 0;
        let mut look = |wanted: usize, waker: &mut Option<Waker>| {
            if ended || bits & wanted != 0 {
                waker.take().into_iter().for_each(&mut due);
            }
        };
        look(Direction::Read.bits(), &mut self.reader);
        look(Direction::Write.bits(), &mut self.writer);
        for (_, other) in &mut self.others {
            look(other.bits, &mut other.waker);
        }
    }
}

/// A future's place among those who wait for a source.
pub(crate) struct Waiter<'a> {
    source: &'a Source,
    bits: usize,
    /// In `others`, once it has waited.
    key: Option<usize>,
}

impl Waiter<'_> {
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Event, Ended>> {
        let (source, bits) = (self.source, self.bits);
        if let Some(seen) = source.look(bits).transpose() {
            return Poll::Ready(seen);
        }
        let key =
            *self.key.get_or_insert_with(|| source.waiters().others.insert(Other { bits, waker: None }));
        source.poll_at(cx, bits, |waiters| &mut waiters.others[key].waker)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let mut waiters = self.source.waiters();
        let other = waiters.others.remove(key);
        if waiters.others.is_empty() && waiters.others.capacity() > 64 {
            // Many have waited once; most sources have a few at most.
            mem::take(&mut waiters.others);
        }
        drop(waiters);
        drop(other);
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word.load(Ordering::Relaxed);
        f.debug_struct("Source")
            .field("ready", &Ready::from_bits(word))
            .field("ended", &(word & ENDED != 0))
            .finish_non_exhaustive()
    }
}
