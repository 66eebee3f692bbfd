//! When a worker may block, and who must wake it.
//!
//! # The problem
//! A worker that finds no work wants to block; somebody who pushes work must wake one, but only if nobody is
//! looking already, and without paying for it when everybody is busy. If the two miss each other, runnable
//! work and an idle worker stay apart for ever.
//!
//! # State
//! One word of [`Counts`]: how many workers sleep, how many search, and an event counter. Two bitmaps with a
//! bit per worker that can be woken to search: one for those who sleep at their post, one for those who wait
//! inside of a job and can be given a job, but not a task. A [`WaitWord`] per worker, on which it blocks.
//!
//! # The worker's side
//! 1. Out of work, it becomes a *searcher*, if less than half of the workers are ([`Sleep::start_search`]).
//! 2. If it finds work it stops being one ([`Sleep::stop_search`]). If it was the last, and there is more to
//!    see, it wakes the next one: pushers had relied on it. One who waits and was woken for something it may
//!    not take passes it on in the same way, but only to those at their posts.
//! 3. If it finds none it goes to sleep ([`Sleep::sleep`]): it counts itself among the sleepers, sets its
//!    bit, passes a *heavy barrier* and looks at every queue once more. Only then does it block. If that last
//!    look finds something it is a searcher again, with all that this entails.
//!
//! # The pusher's side
//! It pushes, passes a *light barrier* and reads the counts. Nobody sleeps: done, that is one load. Somebody
//! does: it adds an event and looks at the searchers in the same instruction. None: it takes a bit out of the
//! bitmap, counts that worker as a searcher and wakes it.
//!
//! # Why nothing is lost
//! - The barriers act as two `SeqCst` fences: either the pusher sees the sleeper counted, or the sleeper's
//!   last look sees the push. With `membarrier` the light one is free; the sleeper pays, once per sleep.
//! - A pusher that sees a searcher leaves it at that. Its event and the searcher's end are read-modify-writes
//!   of one word, hence ordered. Event first: the searcher looks for more *after* its end, sees the push and
//!   wakes the next. Search's end first: the pusher sees no searcher and wakes one itself. (That order is all
//!   the event counter is for; its value says nothing.)
//! - A pusher that sees sleepers counted but finds no bit: they are on their way to their last look, which
//!   will see the push, or have just been woken.
//!
//! There is no timed park anywhere: it would only hide a mistake in the above.
//!
//! # Invariants
//! I1 A worker has at most one bit set. Whoever clears it, and nobody else, takes it out of the count of
//!    sleepers and, unless that is the worker itself, gives it exactly one token (`SEARCH` or `DIRECT`).
//! I2 A worker is counted before its bit is set and until after it is cleared: never fewer counted than bits.
//! I3 A worker leaves [`Sleep::sleep`] with its bit clear and its token consumed.

mod bitmap;
mod counts;
#[cfg(all(test, heist_loom))]
mod model;

use crate::{
    sync::{Arc, Ordering, fence},
    sys::{WaitWord, barrier},
};
use bitmap::Bitmap;
use counts::{Counts, Tally};
use crossbeam_utils::CachePadded;

/// Most workers that one pool can have.
pub(crate) const MAX_WORKERS: usize = counts::MAX;

// What a worker's wait word says.
/// Awake, or about to look whether a token is there.
const AWAKE: u32 = 0;
/// Blocked, with its bit set until somebody claims it.
const ASLEEP: u32 = 1;
/// Blocked in [`Sleep::sleep_alone`]: it has no bit.
const ALONE: u32 = 2;
/// Token: woken to look for work, and counted as a searcher already.
const SEARCH: u32 = 3;
/// Token: woken for a reason of its own.
const DIRECT: u32 = 4;

/// How a sleep ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// It never blocked: the last look found something. A search that was to end here goes on.
    NotSlept,
    /// By a pusher; the worker is counted as a searcher.
    ToSearch,
    /// By somebody who meant this worker.
    Directly,
}

/// Where a sleeper sleeps, which says what it can be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bed {
    /// At its post: for anything.
    Post,
    /// Inside of a job, waiting: for a job.
    Wait,
}

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A half or a job: for everybody.
    Job,
    /// A task, or something that the one who found it may not take: for those at their posts.
    Task,
}

/// The sleepers and searchers of one pool.
#[derive(Debug)]
pub(crate) struct Sleep {
    counts: CachePadded<Counts>,
    at_post: Bitmap,
    waiting: Bitmap,
    words: Box<[CachePadded<WaitWord>]>,
}

/// A worker, as seen from those who may have to wake it.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) sleep: Arc<Sleep>,
    pub(crate) index: usize,
}

impl Sleep {
    pub(crate) fn new(workers: usize) -> Self {
        assert!(workers <= MAX_WORKERS);
        Sleep {
            // Without `membarrier` every push needs a fence of its own before it looks for sleepers.
            counts: CachePadded::new(Counts::new(!barrier::light_is_enough())),
            at_post: Bitmap::new(workers),
            waiting: Bitmap::new(workers),
            words: (0..workers).map(|_| CachePadded::default()).collect(),
        }
    }

    /// Whether the pusher of a half has to look closer: somebody sleeps, or attention is asked for.
    ///
    /// Right after the push, on the fast path of `join`: one load.
    #[inline(always)]
    pub(crate) fn asks_for_attention(&self) -> bool {
        barrier::light();
        self.counts.are_noteworthy()
    }

    /// After a push: wakes a sleeper if there is one and nobody searches.
    #[cold]
    pub(crate) fn notify(&self, work: Work) {
        // ORDERING: pairs with the heavy barrier in `sleep`, for the counts and for the bitmap.
        fence(Ordering::SeqCst);
        if !self.counts.somebody_sleeps() {
            return;
        }
        let tally = self.counts.add_event();
        if tally.searching == 0 && tally.sleeping > 0 {
            self.wake_any(work);
        }
    }

    /// Wakes `worker` if it sleeps, for a reason of its own: its latch is set, its inbox filled. Says whether
    /// it slept.
    pub(crate) fn wake(&self, worker: usize) -> bool {
        // ORDERING: pairs with the heavy barriers in `sleep` and `sleep_alone`: either we see it asleep, or
        // its last look sees why we came.
        fence(Ordering::SeqCst);
        if self.at_post.claim(worker) || self.waiting.claim(worker) {
            self.counts.wake_directly();
            self.give(worker, DIRECT);
            return true;
        }
        self.words[worker].replace_and_wake(ALONE, DIRECT)
    }

    /// Becomes a searcher, unless half of the workers are. Says whether it did.
    #[must_use]
    pub(crate) fn start_search(&self) -> bool {
        self.counts.start_search(self.words.len())
    }

    /// The search is over; `more` says what work there is to be seen that is not ours.
    pub(crate) fn stop_search(&self, more: impl FnOnce() -> Option<Work>) {
        let tally = self.counts.stop_search();
        if tally.searching == 1
            && tally.sleeping > 0
            && let Some(work) = more()
        {
            self.wake_any(work);
        }
    }

    /// Blocks `worker` until somebody wakes it, unless `last_look` sees a reason not to.
    ///
    /// If it was `searching`, that ends here.
    pub(crate) fn sleep(
        &self,
        worker: usize,
        bed: Bed,
        searching: bool,
        last_look: impl FnOnce() -> bool,
    ) -> Woken {
        self.counts.fall_asleep(searching);
        let bitmap = if bed == Bed::Post { &self.at_post } else { &self.waiting };
        bitmap.set(worker);
        // ORDERING: pairs with the light barrier and the fences of those who push or set, then look at counts
        // and bits. Without it both sides may miss each other (models `*_wakes_*`).
        barrier::heavy();
        let stays = last_look();
        // Pushers may have relied on a search that ended here, for more than what was seen now: whoever stays
        // takes it up again.
        if stays && bitmap.claim(worker) {
            if searching {
                self.counts.wake_to_search();
            } else {
                self.counts.wake_directly();
            }
            return Woken::NotSlept;
        }
        let own = &self.words[worker];
        if own.replace(AWAKE, ASLEEP) {
            own.wait_while(ASLEEP);
        }
        match own.swap(AWAKE) {
            SEARCH => Woken::ToSearch,
            _ if stays && searching => {
                self.counts.resume_search();
                Woken::ToSearch
            }
            _ => Woken::Directly,
        }
    }

    /// Blocks `worker` until [`wake`](Self::wake) names it, unless `last_look` sees a reason not to. Pushers
    /// cannot see it.
    pub(crate) fn sleep_alone(&self, worker: usize, last_look: impl FnOnce() -> bool) -> Woken {
        let own = &self.words[worker];
        own.swap(ALONE);
        // ORDERING: as in `sleep`.
        barrier::heavy();
        let stays = last_look();
        if !stays {
            own.wait_while(ALONE);
        }
        own.swap(AWAKE);
        if stays { Woken::NotSlept } else { Woken::Directly }
    }

    fn wake_any(&self, work: Work) {
        let claimed = self.at_post.claim_any();
        let claimed = if work == Work::Job { claimed.or_else(|| self.waiting.claim_any()) } else { claimed };
        if let Some(worker) = claimed {
            self.counts.wake_to_search();
            self.give(worker, SEARCH);
        }
    }

    fn give(&self, worker: usize, token: u32) {
        // SAFETY: the words live as long as we do.
        unsafe { WaitWord::set_and_wake(&raw const *self.words[worker], token, ASLEEP) };
    }

    /// What the counts say now.
    pub(crate) fn tally(&self) -> Tally {
        self.counts.read()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;
