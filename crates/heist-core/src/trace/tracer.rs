//! Where events go while a pool is recorded: one buffer per thread, which others read when all is over.
//!
//! A recording is a box that the recorder makes, shows to everybody by one pointer, and takes back. Whoever
//! has an event to note *pins* the recording for that moment: it says so in a word of its own, then looks at
//! the pointer. The recorder hides the pointer, then waits until nobody has a pin: what it holds then is its
//! own again, and complete. A pin lasts for a few instructions, with no call to anything that could block.
//!
//! A buffer is filled from the front, and what comes when it is full is counted. So the oldest events are
//! kept: those from which the rest of a recording can be understood.
//!
//! # Invariants
//! I1 `recording` is null or came from a box that only [`Tracer::take`] gives back.
//! I2 Between the two changes of its pin a thread may read `recording`, and what it points to. Elsewhere it
//!    does not.
//! I3 A recording is taken back after the pointer was hidden, and then every pin was seen to be zero.

use super::event::Entry;
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence, yield_now};
use crossbeam_utils::CachePadded;
use std::{
    ptr,
    thread::{self, ThreadId},
    time::Instant,
};

/// Whether a pool is recorded, and by what.
#[derive(Debug)]
pub(crate) struct Tracer {
    recording: AtomicPtr<Recording>,
    /// How many threads are at the recording: one word per worker, and the last for all others.
    pins: Box<[CachePadded<AtomicUsize>]>,
}

impl Tracer {
    pub(crate) fn new(workers: usize) -> Self {
        Tracer {
            recording: AtomicPtr::new(ptr::null_mut()),
            pins: (0..=workers).map(|_| CachePadded::default()).collect(),
        }
    }

    /// Shows a recording to everybody, unless there is one; then it comes back.
    pub(crate) fn show(&self, recording: Box<Recording>) -> Result<(), Box<Recording>> {
        let recording = Box::into_raw(recording);
        // ORDERING: release the buffers to those who note something in them.
        self.recording
            .compare_exchange(ptr::null_mut(), recording, Ordering::Release, Ordering::Relaxed)
            .map(drop)
            // SAFETY: nobody has seen it.
            .map_err(|_| unsafe { Box::from_raw(recording) })
    }

    /// Hides the recording and waits until nobody writes to it any more. For the one who has shown it.
    pub(crate) fn take(&self) -> Box<Recording> {
        let recording = self.hide();
        for pin in &self.pins {
            // ORDERING: acquires what was noted under the pin, from the release at its end.
            while pin.load(Ordering::Acquire) != 0 {
                yield_now();
            }
        }
        // SAFETY: from a box, and hidden once (I1). Who pinned before it was hidden has let go, and who pins
        // later does not see it (I3).
        unsafe { Box::from_raw(recording) }
    }

    /// Hides the recording and gives it up, in the child of a fork, where nobody lets go of a pin.
    pub(crate) fn abandon(&self) {
        self.hide();
    }

    fn hide(&self) -> *mut Recording {
        let recording = self.recording.swap(ptr::null_mut(), Ordering::Relaxed);
        debug_assert!(!recording.is_null(), "it is hidden by the one who has shown it");
        // ORDERING: pairs with the fence in `note`: either who notes something sees null, or we see its pin
        // (model `nobody_writes_to_what_was_taken`).
        fence(Ordering::SeqCst);
        recording
    }

    /// Notes an event of a worker, or, if `None`, of another thread; the time is put in here.
    pub(crate) fn note(&self, worker: Option<usize>, entry: Entry) {
        let pin = &self.pins[worker.unwrap_or(self.pins.len() - 1)];
        pin.fetch_add(1, Ordering::Relaxed);
        // ORDERING: pairs with the fence in `hide`.
        fence(Ordering::SeqCst);
        let recording = self.recording.load(Ordering::Acquire);
        // SAFETY: null, or valid while it is pinned (I2, I3).
        if let Some(recording) = unsafe { recording.as_ref() } {
            recording.note(worker, entry);
        }
        // ORDERING: releases what was noted to the one who sees that the pin is gone.
        pin.fetch_sub(1, Ordering::Release);
    }
}

/// The buffers of one recording.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(super) began: Instant,
    /// By worker.
    pub(super) workers: Box<[CachePadded<Buffer>]>,
    /// Of the thread that records, if it is no worker of the pool.
    pub(super) caller: Buffer,
    caller_id: ThreadId,
    /// Of all other threads.
    pub(super) outside: Buffer,
}

impl Recording {
    /// One that begins now, called for by this thread.
    pub(crate) fn new(workers: usize, events: usize) -> Box<Self> {
        let workers = (0..workers).map(|_| CachePadded::new(Buffer::new(events))).collect();
        let (caller, outside) = (Buffer::new(events), Buffer::new(events));
        Box::new(Recording {
            workers,
            caller,
            caller_id: thread::current().id(),
            outside,
            began: Instant::now(),
        })
    }

    fn note(&self, worker: Option<usize>, entry: Entry) {
        let buffer = match worker {
            Some(index) => &*self.workers[index],
            None if thread::current().id() == self.caller_id => &self.caller,
            None => &self.outside,
        };
        buffer.push(Entry { nanos: self.began.elapsed().as_nanos() as u64, ..entry });
    }
}

/// Events in the order they came, up to a number.
#[derive(Debug)]
pub(crate) struct Buffer {
    slots: Box<[Slot]>,
    /// How many came.
    came: AtomicU64,
}

type Slot = [AtomicU64; 3];

impl Buffer {
    fn new(events: usize) -> Self {
        Buffer { slots: (0..events).map(|_| Slot::default()).collect(), came: AtomicU64::new(0) }
    }

    fn push(&self, entry: Entry) {
        // ORDERING: relaxed, here and below: the end of the pin releases it all.
        let place = self.came.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = usize::try_from(place).ok().and_then(|place| self.slots.get(place)) else {
            return;
        };
        for (place, word) in slot.iter().zip(entry.to_words()) {
            place.store(word, Ordering::Relaxed);
        }
    }

    /// What it holds, when nobody writes any more; and how many events did not fit.
    pub(super) fn read(&self) -> (Vec<Entry>, u64) {
        let came = self.came.load(Ordering::Relaxed);
        let kept = self.slots.len().min(usize::try_from(came).unwrap_or(usize::MAX));
        let read = |slot: &Slot| Entry::from_words([0, 1, 2].map(|word| slot[word].load(Ordering::Relaxed)));
        (self.slots[..kept].iter().map(read).collect(), came - kept as u64)
    }
}
