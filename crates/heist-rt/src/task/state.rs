//! One word that says all about a task: what happens to it, who may touch which part, who still knows it.
//!
//! ```text
//! | references | JOIN_WAKER | JOIN_INTEREST | CANCELLED | NOTIFIED | COMPLETE | RUNNING |
//! ```
//!
//! | bit | while it is set |
//! |---|---|
//! | `RUNNING` | whoever set it, and nobody else, touches the future: it polls it, or drops it |
//! | `COMPLETE` | the future is gone; the output is the handle's, or of who finds that there is none |
//! | `NOTIFIED` | the task is due: one reference to it is in a queue, or its runner will put one there |
//! | `CANCELLED` | whoever runs the task next drops its future instead |
//! | `JOIN_INTEREST` | there is a handle, a [`JoinHandle`](super::JoinHandle) |
//! | `JOIN_WAKER` | the waker of who awaits the task is the completer's to read; else the handle's to write |
//!
//! `RUNNING` and `COMPLETE` are never both set. A task is run, and its future dropped, only by who took it
//! out of a queue: also one that was cancelled goes through a queue. References are counted for: the list of
//! the runtime's tasks until completion, the `JoinHandle`, every waker, and the queue. Who runs a task has
//! the queue's reference. Who submits one keeps a reference of its own until that is done: as soon as the
//! task is in the queue it may be run, completed and freed elsewhere, and the scheduler is a part of it.
//!
//! Every legal transition is a method here, none of them unsafe, and each says what the caller has to do now.
//! Every one acquires and releases: what happened before a wake is seen by the poll that follows, also if the
//! wake found the task notified already.

use crate::sync::{AtomicUsize, Ordering};

const RUNNING: usize = 1;
const COMPLETE: usize = 1 << 1;
const NOTIFIED: usize = 1 << 2;
const CANCELLED: usize = 1 << 3;
const JOIN_INTEREST: usize = 1 << 4;
const JOIN_WAKER: usize = 1 << 5;
const REFERENCE: usize = 1 << 6;

/// A new task is in the list of its runtime, due to be run, and has a handle.
const NEW: usize = (3 * REFERENCE) | NOTIFIED | JOIN_INTEREST;

/// See the [module](self).
pub(super) struct State {
    word: AtomicUsize,
}

/// What to do with a task that came out of a queue.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Poll it.
    Poll,
    /// Drop its future, and complete it as cancelled.
    Cancel,
}

/// What to do after a poll that returned `Pending`.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Nothing. Our reference is gone.
    Wait,
    /// It was woken meanwhile: queue it again, with a reference that is counted already. Ours stays.
    Again,
    /// It was cancelled meanwhile: drop its future, and complete it as cancelled.
    Cancel,
}

/// What to do with a task that was woken or cancelled.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// Nothing.
    Nothing,
    /// Queue it, with a reference that is counted already. That of the caller keeps the scheduler until then.
    Submit,
    /// That was the last reference: free it.
    Free,
}

/// What a completed task still has to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Completion {
    /// There is no handle: the output is to be dropped.
    pub(super) nobody_joins: bool,
    /// Somebody awaits it: it is to be woken.
    pub(super) wake: bool,
}

/// What a dropped handle still has to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Detach {
    /// The task is complete: the output is to be dropped.
    pub(super) drop_output: bool,
    /// The waker is the handle's, and to be dropped.
    pub(super) drop_waker: bool,
}

/// Whether a handle may touch the waker.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waker {
    /// Yes.
    Ours,
    /// No: the task is complete.
    Complete,
}

impl State {
    pub(super) fn new() -> Self {
        State { word: AtomicUsize::new(NEW) }
    }

    /// Changes the word by `f`, which may be called several times. Returns what the last call returned.
    ///
    /// Always writes, since a wake must be released to the next poll even if it changes nothing.
    // ORDERING: acquire and release everywhere, see the module.
    #[inline(always)]
    fn update<R>(&self, mut f: impl FnMut(usize) -> (usize, R)) -> R {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let (new, result) = f(word);
            match self.word.compare_exchange_weak(word, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return result,
                Err(changed) => word = changed,
            }
        }
    }

    /// The task came out of a queue, with the reference that was there.
    pub(super) fn start(&self) -> Start {
        self.update(|word| {
            debug_assert!(word & NOTIFIED != 0 && word & (RUNNING | COMPLETE) == 0);
            let running = (word & !NOTIFIED) | RUNNING;
            (running, if word & CANCELLED != 0 { Start::Cancel } else { Start::Poll })
        })
    }

    /// A poll returned `Pending`.
    pub(super) fn pause(&self) -> Pause {
        self.update(|word| {
            debug_assert!(word & RUNNING != 0 && word & COMPLETE == 0);
            if word & CANCELLED != 0 {
                return (word, Pause::Cancel);
            }
            let idle = word & !RUNNING;
            if word & NOTIFIED != 0 {
                return (idle + REFERENCE, Pause::Again);
            }
            // Not the last one: the list of the runtime's tasks has another.
            (idle - REFERENCE, Pause::Wait)
        })
    }

    /// The future is gone, and the output in its place.
    pub(super) fn complete(&self) -> Completion {
        // One instruction, since both bits are known.
        let word = self.word.fetch_xor(RUNNING | COMPLETE, Ordering::AcqRel);
        debug_assert!(word & RUNNING != 0 && word & COMPLETE == 0);
        Completion { nobody_joins: word & JOIN_INTEREST == 0, wake: word & JOIN_WAKER != 0 }
    }

    /// The completer has woken the one who awaits. Says whether the waker is to be dropped by it: the handle
    /// is gone, and has left that to us.
    #[must_use]
    pub(super) fn give_waker_back(&self) -> bool {
        let word = self.word.fetch_and(!JOIN_WAKER, Ordering::AcqRel);
        debug_assert!(word & COMPLETE != 0 && word & JOIN_WAKER != 0);
        word & JOIN_INTEREST == 0
    }

    /// A waker was called that stays.
    pub(super) fn wake_by_ref(&self) -> Wake {
        self.update(|word| {
            if word & (COMPLETE | NOTIFIED) != 0 {
                (word, Wake::Nothing)
            } else if word & RUNNING != 0 {
                (word | NOTIFIED, Wake::Nothing)
            } else {
                ((word | NOTIFIED) + REFERENCE, Wake::Submit)
            }
        })
    }

    /// A waker was called that goes with it. Its reference is dropped, unless the task is to be submitted:
    /// then the caller drops it afterwards.
    pub(super) fn wake_by_value(&self) -> Wake {
        self.update(|word| {
            if word & (COMPLETE | NOTIFIED | RUNNING) == 0 {
                return ((word | NOTIFIED) + REFERENCE, Wake::Submit);
            }
            let notified = if word & COMPLETE == 0 { word | NOTIFIED } else { word };
            let less = notified - REFERENCE;
            (less, if less < REFERENCE { Wake::Free } else { Wake::Nothing })
        })
    }

    /// Somebody wants the task to end.
    pub(super) fn cancel(&self) -> Wake {
        self.update(|word| {
            if word & (COMPLETE | CANCELLED) != 0 {
                (word, Wake::Nothing)
            } else if word & (RUNNING | NOTIFIED) != 0 {
                // Who runs it, or takes it out of the queue, will see.
                (word | CANCELLED | NOTIFIED, Wake::Nothing)
            } else {
                ((word | CANCELLED | NOTIFIED) + REFERENCE, Wake::Submit)
            }
        })
    }

    /// Whether the output, or the reason why there is none, is there.
    pub(super) fn is_complete(&self) -> bool {
        self.word.load(Ordering::Acquire) & COMPLETE != 0
    }

    /// The handle wants to write the waker, perhaps another than the one it lent. If it may, it has to call
    /// [`lend_waker`](Self::lend_waker) afterwards.
    pub(super) fn take_waker_back(&self) -> Waker {
        self.update(|word| {
            debug_assert!(word & JOIN_INTEREST != 0);
            if word & COMPLETE != 0 { (word, Waker::Complete) } else { (word & !JOIN_WAKER, Waker::Ours) }
        })
    }

    /// The handle has written the waker. If the task is complete by now, nobody will call it, and it stays
    /// the handle's.
    pub(super) fn lend_waker(&self) -> Waker {
        self.update(|word| {
            debug_assert!(word & JOIN_INTEREST != 0 && word & JOIN_WAKER == 0);
            if word & COMPLETE != 0 { (word, Waker::Complete) } else { (word | JOIN_WAKER, Waker::Ours) }
        })
    }

    /// The handle goes; its reference is dropped separately.
    pub(super) fn detach(&self) -> Detach {
        self.update(|word| {
            debug_assert!(word & JOIN_INTEREST != 0);
            if word & COMPLETE != 0 {
                // The completer may be about to call the waker; if so it drops it.
                let drop_waker = word & JOIN_WAKER == 0;
                (word & !JOIN_INTEREST, Detach { drop_output: true, drop_waker })
            } else {
                // Nobody will call it any more.
                (word & !(JOIN_INTEREST | JOIN_WAKER), Detach { drop_output: false, drop_waker: true })
            }
        })
    }

    /// One reference more.
    pub(super) fn add_reference(&self) {
        // ORDERING: who clones a reference has one, so the task is there.
        let word = self.word.fetch_add(REFERENCE, Ordering::Relaxed);
        // More than half of what fits: references have been leaked, and the count must not wrap.
        if word > usize::MAX / 2 {
            std::process::abort();
        }
    }

    /// So many references less. Says whether those were the last: the task is to be freed.
    #[must_use]
    pub(super) fn drop_references(&self, count: usize) -> bool {
        let word = self.word.fetch_sub(count * REFERENCE, Ordering::AcqRel);
        debug_assert!(word / REFERENCE >= count);
        word / REFERENCE == count
    }
}
