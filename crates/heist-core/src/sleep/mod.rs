//! When a worker may block, and who must wake it.
//!
//! # The problem
//! A worker that finds no work wants to block; somebody who pushes work must wake one, but only if nobody is
//! looking already, and without paying for it when everybody is busy. If the two miss each other, runnable
//! work and an idle worker stay apart for ever.
//!
//! # State
//! One word of [`Counts`]: how many workers sleep, how many search, and an event counter. A bitmap of
//! sleepers for each kind of [`Work`]: a worker's bit is in the one that says what it takes at most, so
//! nobody is ever woken for something that it would have to leave alone. A [`WaitWord`] per worker, on which
//! it blocks.
//!
//! # The worker's side
//! 1. Out of work, it becomes a *searcher*, if less than half of the workers are ([`Sleep::start_search`]).
//! 2. If it finds work, or what it waited for has come, it stops being one ([`Sleep::stop_search`]). If it
//!    was the last, and there is more to see, it wakes the next one: pushers had relied on it.
//! 3. If it finds none it goes to sleep ([`Sleep::sleep`]): it counts itself among the sleepers, sets its
//!    bit, passes a fence and looks at every queue once more. Only then does it block. If that last look
//!    finds something it is a searcher again, with all that this entails.
//!
//! # The pusher's side
//! It pushes, passes a fence and reads the counts. Nobody sleeps: done, that is one load. Somebody does: it
//! adds an event and looks at the searchers in the same instruction. None: it takes a bit out of the bitmap,
//! counts that worker as a searcher and wakes it. Work that is meant for one worker calls that one in the
//! same way ([`Sleep::call`]): should it turn to something else first, it passes the search on.
//!
//! # Why nothing is lost
//! - Of two `SeqCst` fences one comes first: either the pusher sees the sleeper counted, or the sleeper's
//!   last look sees the push.
//! - Who pushes a half or a job onto its own deque passes a *light barrier* instead, which is free. For that
//!   the sleeper passes a *heavy* one (`membarrier`, which acts as a fence on every core), unless it sees
//!   that all deques are shut: then there is a fence to come before any push
//!   ([`Team::see_pushes`](crate::team::Team::see_pushes)). A pool that runs tasks alone never needs one.
//! - A pusher that sees a searcher leaves it at that. Its event and the searcher's end are read-modify-writes
//!   of one word, hence ordered. Event first: the searcher looks for more *after* its end, sees the push and
//!   wakes the next. Search's end first: the pusher sees no searcher and wakes one itself. (That order is all
//!   the event counter is for; its value says nothing.)
//! - A pusher that sees sleepers counted but finds no bit: they are on their way to their last look, which
//!   will see the push, or have just been woken.
//!
//! There is no timed park anywhere: it would only hide a mistake in the above.
//!
//! # The driver
//! One of those who sleep at their posts may do so at the runtime's [driver]. It is woken like everybody
//! else, but after everybody else, and there: by [`Driver::unpark`]. If it wakes up by itself, since
//! something has happened there, it takes its own bit out.
//!
//! # Invariants
//! I1 A worker has at most one bit set. Whoever clears it, and nobody else, takes it out of the count of
//!    sleepers and, unless that is the worker itself, gives it exactly one token (`SEARCH` or `DIRECT`).
//! I2 A worker is counted before its bit is set and until after it is cleared: never fewer counted than bits.
//! I3 A worker leaves [`Sleep::sleep`] with its bit clear and its token consumed.

mod bitmap;
mod counts;
pub(crate) mod driver;
#[cfg(all(test, heist_loom))]
pub(crate) mod model;

use crate::{
    sync::{Arc, Ordering, fence},
    sys::{WaitWord, barrier},
};
use bitmap::Bitmap;
use counts::{Counts, Tally};
use crossbeam_utils::CachePadded;
use driver::{Driver, Helm, Turn};

/// Most workers that one pool can have.
pub(crate) const MAX_WORKERS: usize = counts::MAX;

// What a worker's wait word says.
/// Awake, or about to look whether a token is there.
const AWAKE: u32 = 0;
/// Blocked, with its bit set until somebody claims it.
const ASLEEP: u32 = 1;
/// Token: woken to look for work, and counted as a searcher already.
const SEARCH: u32 = 2;
/// Token: woken for a reason of its own.
const DIRECT: u32 = 3;
/// Blocked at the driver, with its bit set until somebody claims it.
const AT_DRIVER: u32 = 4;

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

/// How a sleeper's bit came to be cleared.
enum Blocked {
    /// It did so itself, since the last look saw something.
    Not,
    /// It did so itself, having been at the driver.
    ByItself,
    /// Somebody else did, and gave it this; whether the last look saw something as well.
    UntilToken { token: u32, stays: bool },
}

/// What there is to do; and, of a sleeper, what it takes: that, and the kinds before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// Something that a worker waits for who cannot get at it: for everybody.
    Call,
    /// A closure that a task waits for: also for who waits for a task.
    Offload,
    /// A half or a job: for everybody who has the stack for it.
    Job,
    /// A task: for those at their posts.
    Task,
}

impl Work {
    const ALL: [Work; 4] = [Work::Call, Work::Offload, Work::Job, Work::Task];
}

/// The sleepers and searchers of one pool.
#[derive(Debug)]
pub(crate) struct Sleep {
    counts: CachePadded<Counts>,
    /// By what they take at most.
    sleepers: [Bitmap; Work::ALL.len()],
    /// The one who sleeps at the driver, and takes everything.
    at_driver: Bitmap,
    /// The relief, which takes tasks only, at the driver or not. It is in no count: those who push jobs have
    /// no use for it, and must not pay for it.
    relief: Bitmap,
    helm: Helm,
    /// Those of the workers, then that of the relief.
    words: Box<[CachePadded<WaitWord>]>,
}

/// A worker, as seen from those who may have to wake it.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) sleep: Arc<Sleep>,
    pub(crate) index: usize,
}

impl Seat {
    /// Whether they are the same worker's.
    pub(crate) fn is(&self, other: &Seat) -> bool {
        self.index == other.index && Arc::ptr_eq(&self.sleep, &other.sleep)
    }
}

impl Sleep {
    pub(crate) fn new(workers: usize) -> Self {
        assert!(workers <= MAX_WORKERS);
        Sleep {
            // Without `membarrier` every push needs a fence of its own before it looks for sleepers.
            counts: CachePadded::new(Counts::new(!barrier::light_is_enough())),
            sleepers: Work::ALL.map(|_| Bitmap::new(workers)),
            at_driver: Bitmap::new(workers),
            relief: Bitmap::new(workers + 1),
            helm: Helm::default(),
            words: (0..=workers).map(|_| CachePadded::default()).collect(),
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

    /// The same for the pusher of a task, who may have to wake the relief as well. With a fence: tasks come
    /// and go while workers fall asleep all the time, and it is cheap beside the heavy barrier that each of
    /// them would need.
    pub(crate) fn task_asks_for_attention(&self) -> bool {
        // ORDERING: pairs with the one in `block`.
        fence(Ordering::SeqCst);
        self.counts.are_noteworthy() || !self.relief.is_empty()
    }

    /// Whether the pool is recorded.
    #[inline(always)]
    pub(crate) fn is_traced(&self) -> bool {
        self.counts.are_traced()
    }

    /// Has every push look closer from now on, on behalf of a recording; or no longer.
    pub(crate) fn set_traced(&self, traced: bool) {
        self.counts.set_traced(traced);
    }

    /// After a push: wakes a sleeper if there is one and nobody searches.
    #[cold]
    pub(crate) fn notify(&self, work: Work) {
        // ORDERING: pairs with the fence in `block`, for the counts and for the bitmaps.
        fence(Ordering::SeqCst);
        if !self.counts.somebody_sleeps() && self.relief.is_empty() {
            return;
        }
        let tally = self.counts.add_event();
        if tally.searching == 0 {
            self.wake_any(work);
        }
    }

    /// Wakes `worker` if it sleeps, for a reason of its own: its latch is set, there is mail for it alone.
    pub(crate) fn wake(&self, worker: usize) {
        // ORDERING: pairs with the fence in `block`: either we see it asleep, or its last look sees why we
        // came.
        fence(Ordering::SeqCst);
        let mut anywhere = self.sleepers.iter().chain([&self.at_driver]);
        if anywhere.any(|sleepers| sleepers.claim(worker)) {
            self.counts.wake_directly();
            self.give(worker, DIRECT);
        }
    }

    /// Wakes the relief, if it sleeps. Says whether it did.
    pub(crate) fn wake_relief(&self) -> bool {
        // ORDERING: as above.
        fence(Ordering::SeqCst);
        let claimed = self.relief.claim(self.relief_seat());
        if claimed {
            self.give(self.relief_seat(), DIRECT);
        }
        claimed
    }

    /// Wakes `worker` to search, if it sleeps and takes such `work`. Says whether it did; if not, others have
    /// to be notified.
    #[must_use]
    pub(crate) fn call(&self, worker: usize, work: Work) -> bool {
        // ORDERING: as in `wake`.
        fence(Ordering::SeqCst);
        let claimed = self.takers(work).any(|sleepers| sleepers.claim(worker));
        if claimed {
            self.counts.wake_to_search();
            self.give(worker, SEARCH);
        }
        claimed
    }

    /// Becomes a searcher, unless half of the workers are. Says whether it did.
    #[must_use]
    pub(crate) fn start_search(&self) -> bool {
        self.counts.start_search(self.relief_seat())
    }

    /// The search is over; `more` says what work there is to be seen that is not ours.
    pub(crate) fn stop_search(&self, more: impl FnOnce() -> Option<Work>) {
        let tally = self.counts.stop_search();
        if tally.searching == 1
            && (tally.sleeping > 0 || !self.relief.is_empty())
            && let Some(work) = more()
        {
            self.wake_any(work);
        }
    }

    /// Blocks `worker` until somebody wakes it, unless `last_look` sees a reason not to. That one has a
    /// fence behind it, and to pass a heavy barrier by itself if it looks for what is pushed without one.
    ///
    /// It can be woken for everything up to `takes`. If it was `searching`, that ends here. If it has a turn
    /// at the driver, which is for those who take everything, it wakes also when something happens there.
    pub(crate) fn sleep(
        &self,
        worker: usize,
        takes: Work,
        searching: bool,
        turn: Option<&Turn<'_>>,
        last_look: impl FnOnce() -> bool,
    ) -> Woken {
        debug_assert!(turn.is_none() || takes == Work::Task);
        self.counts.fall_asleep(searching);
        let sleepers = if turn.is_some() { &self.at_driver } else { &self.sleepers[takes as usize] };
        let undo = || match searching {
            true => self.counts.wake_to_search(),
            false => self.counts.wake_directly(),
        };
        match self.block(worker, sleepers, turn, last_look) {
            // Pushers may have relied on a search that ended here, for more than what was seen now: whoever
            // stays takes it up again.
            Blocked::Not => {
                undo();
                Woken::NotSlept
            }
            Blocked::ByItself => {
                self.counts.wake_directly();
                Woken::Directly
            }
            Blocked::UntilToken { token: SEARCH, .. } => Woken::ToSearch,
            Blocked::UntilToken { stays: true, .. } if searching => {
                self.counts.resume_search();
                Woken::ToSearch
            }
            Blocked::UntilToken { .. } => Woken::Directly,
        }
    }

    /// Blocks the relief, until there is a task or something happens at the driver.
    pub(crate) fn sleep_as_relief(&self, turn: Option<&Turn<'_>>, last_look: impl FnOnce() -> bool) {
        let _how = self.block(self.relief_seat(), &self.relief, turn, last_look);
    }

    /// Sets the sleeper's bit and blocks until it is clear again.
    fn block(
        &self,
        worker: usize,
        sleepers: &Bitmap,
        turn: Option<&Turn<'_>>,
        last_look: impl FnOnce() -> bool,
    ) -> Blocked {
        sleepers.set(worker);
        // ORDERING: pairs with the fences of those who push or set, then look at counts and bits. Without it
        // both sides may miss each other (models `*_wakes_*`).
        fence(Ordering::SeqCst);
        let stays = last_look();
        if stays && sleepers.claim(worker) {
            return Blocked::Not;
        }
        let own = &self.words[worker];
        if let Some(driver) = turn.filter(|_| !stays)
            && own.replace(AWAKE, AT_DRIVER)
        {
            driver.park();
            if sleepers.claim(worker) {
                // Nobody else has had a reason to change it (I1).
                own.swap(AWAKE);
                return Blocked::ByItself;
            }
            // Somebody was quicker: the token is there, or on its way.
            if own.replace(AT_DRIVER, ASLEEP) {
                own.wait_while(ASLEEP);
            }
        } else if own.replace(AWAKE, ASLEEP) {
            own.wait_while(ASLEEP);
        }
        Blocked::UntilToken { token: own.swap(AWAKE), stays }
    }

    /// Puts a driver here, and somebody at it.
    pub(crate) fn attach(&self, driver: Box<dyn Driver>) {
        self.helm.set(driver);
        self.man_driver();
    }

    /// A turn at the driver, if there is one and nobody has it.
    pub(crate) fn take_turn(&self) -> Option<Turn<'_>> {
        self.helm.take()
    }

    /// Whether there is a driver.
    pub(crate) fn has_driver(&self) -> bool {
        self.helm.driver().is_some()
    }

    /// Whether somebody at a post should take a turn at the driver.
    #[inline]
    pub(crate) fn driver_is_free(&self) -> bool {
        self.helm.is_free()
    }

    /// Wakes somebody at a post to take a turn at the driver. By one who leaves it alone for longer.
    #[cold]
    pub(crate) fn man_driver(&self) {
        // ORDERING: pairs with the fence in `block`: either we see the bit, or the last look sees that the
        // turn is free.
        fence(Ordering::SeqCst);
        if let Some(worker) = self.sleepers[Work::Task as usize].claim_any() {
            self.counts.wake_directly();
            self.give(worker, DIRECT);
        } else {
            self.wake_relief();
        }
    }

    /// Where the relief sits: behind the workers.
    pub(crate) fn relief_seat(&self) -> usize {
        self.words.len() - 1
    }

    pub(crate) fn relief_sleeps(&self) -> bool {
        !self.relief.is_empty()
    }

    /// Whether a worker sleeps at its post, for which there may be a task.
    pub(crate) fn somebody_attends(&self) -> bool {
        self.at_posts().any(|sleepers| !sleepers.is_empty())
    }

    /// How many workers sleep at their posts.
    pub(crate) fn asleep_at_posts(&self) -> usize {
        self.at_posts().map(Bitmap::len).sum()
    }

    /// Whether this worker sleeps at its post.
    pub(crate) fn sleeps_at_post(&self, worker: usize) -> bool {
        self.at_posts().any(|sleepers| sleepers.contains(worker))
    }

    fn at_posts(&self) -> impl Iterator<Item = &Bitmap> {
        [&self.sleepers[Work::Task as usize], &self.at_driver].into_iter()
    }

    /// Those who take such work; first those who take most, since they wait for nothing else, but last of all
    /// the one at the driver, who would leave that alone.
    fn takers(&self, work: Work) -> impl Iterator<Item = &Bitmap> {
        self.sleepers[work as usize..].iter().rev().chain([&self.at_driver])
    }

    fn wake_any(&self, work: Work) {
        if let Some(worker) = self.takers(work).find_map(Bitmap::claim_any) {
            self.counts.wake_to_search();
            self.give(worker, SEARCH);
        } else if work == Work::Task {
            self.wake_relief();
        }
    }

    fn give(&self, worker: usize, token: u32) {
        // SAFETY: the words live as long as we do.
        let before = unsafe { WaitWord::set_and_wake(&raw const *self.words[worker], token, ASLEEP) };
        if before == AT_DRIVER
            && let Some(driver) = self.helm.driver()
        {
            driver.unpark();
        }
    }

    /// What the counts say now.
    pub(crate) fn tally(&self) -> Tally {
        self.counts.read()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;
