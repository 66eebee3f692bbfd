//! A latch goes from unset to set, once. Setting it may free it.
//!
//! Latches live where their waiter put them, mostly on its stack. The moment a latch reads as set the waiter
//! may return and the memory be gone: so [`Latch::set`] takes a raw pointer, everything it needs afterwards
//! it reads before, and the store that sets is its last touch.
//!
//! | latch | who waits | for |
//! |---|---|---|
//! | [`CoreLatch`] | a worker | – (the others are made of it) |
//! | [`WorkerLatch`] | a worker of the pool that sets it | one job: the other half of a `join` |
//! | [`ForeignLatch`] | a worker of another pool | one job: an `install` from pool to pool |
//! | [`ThreadLatch`] | a thread of no pool | one job |
//! | [`CountLatch`] | any of them | many jobs: a scope, a broadcast |
//!
//! # A worker's latch
//! One word: `UNSET`, `WATCHED` once the waiter may block on it, `SET`. `WATCHED` stays, even while the
//! waiter is awake again: the setter then finds nobody to wake.

use crate::{
    sleep::{Seat, Sleep},
    sync::{Arc, AtomicU32, AtomicUsize, Ordering},
    sys::WaitWord,
};

const WATCHED: u32 = 1;
const SET: u32 = 2;

/// Something that a finished job sets.
pub(crate) trait Latch {
    /// Sets the latch and wakes who waits for it.
    ///
    /// # Safety
    /// `this` is valid until the waiter can see that the latch is set.
    unsafe fn set(this: *const Self);

    /// Whether the one who waits is this worker of the pool that the job runs in.
    fn is_awaited_by(&self, worker: usize) -> bool {
        let _ = worker;
        false
    }
}

/// The state of a latch on which a worker waits.
#[derive(Debug, Default)]
pub(crate) struct CoreLatch {
    state: AtomicU32,
}

impl CoreLatch {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        CoreLatch { state: AtomicU32::new(0) }
    }

    /// Whether it is set; if so, what the setter did before is visible.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.state.load(Ordering::Acquire) & SET != 0
    }

    /// By the waiter: as if it had never been set. Says whether it was.
    pub(crate) fn reset(&self) -> bool {
        self.state.swap(0, Ordering::AcqRel) & SET != 0
    }

    /// The waiter is about to block. Says whether the latch is set already.
    pub(crate) fn watch(&self) -> bool {
        self.state.fetch_or(WATCHED, Ordering::AcqRel) & SET != 0
    }

    /// Sets it; says whether the waiter must be woken.
    ///
    /// # Safety
    /// As [`Latch::set`].
    #[must_use]
    unsafe fn set(this: *const Self) -> bool {
        // ORDERING: release: what the job did is visible to the waiter. A swap, not a store: the waiter may
        // set WATCHED at the same time. Acquire for who may block: `Sleep::wake` continues with a fence.
        // SAFETY: valid until now; not touched afterwards.
        unsafe { (*this).state.swap(SET, Ordering::AcqRel) & WATCHED != 0 }
    }

    /// Sets it and wakes its waiter, worker `index`.
    ///
    /// # Safety
    /// As [`Latch::set`]; `sleep` lives on its own account.
    unsafe fn set_and_wake(this: *const Self, sleep: &Sleep, index: usize) {
        // SAFETY: passed on.
        if unsafe { Self::set(this) } {
            sleep.wake(index);
        }
    }

    /// Sets a latch that nobody frees, such as a worker's signal to end.
    pub(crate) fn set_for(&self, seat: &Seat) {
        // SAFETY: borrowed, so it outlives the call.
        unsafe { Self::set_and_wake(self, &seat.sleep, seat.index) };
    }
}

/// A worker waits for a job that runs in its own pool.
#[derive(Debug)]
pub(crate) struct WorkerLatch<'a> {
    core: CoreLatch,
    seat: &'a Seat,
}

impl<'a> WorkerLatch<'a> {
    #[inline(always)]
    pub(crate) fn new(seat: &'a Seat) -> Self {
        WorkerLatch { core: CoreLatch::new(), seat }
    }

    #[inline(always)]
    pub(crate) fn core(&self) -> &CoreLatch {
        &self.core
    }
}

impl Latch for WorkerLatch<'_> {
    unsafe fn set(this: *const Self) {
        // SAFETY: not set yet, so the waiter and its seat are there. The pool's `Sleep` stays, since the
        // setter is one of the pool's threads.
        unsafe {
            let seat = (*this).seat;
            let (sleep, index) = (Arc::as_ptr(&seat.sleep), seat.index);
            CoreLatch::set_and_wake(&raw const (*this).core, &*sleep, index);
        }
    }

    fn is_awaited_by(&self, worker: usize) -> bool {
        self.seat.index == worker
    }
}

/// A worker of one pool waits for a job that runs in another.
#[derive(Debug)]
pub(crate) struct ForeignLatch<'a> {
    core: CoreLatch,
    seat: &'a Seat,
}

impl<'a> ForeignLatch<'a> {
    pub(crate) fn new(seat: &'a Seat) -> Self {
        ForeignLatch { core: CoreLatch::new(), seat }
    }

    pub(crate) fn core(&self) -> &CoreLatch {
        &self.core
    }
}

impl Latch for ForeignLatch<'_> {
    unsafe fn set(this: *const Self) {
        // SAFETY: not set yet, so the waiter and its seat are there. Our own handle keeps the waiter's pool's
        // `Sleep` when the waiter has gone on and ended its pool.
        unsafe {
            let seat = (*this).seat.clone();
            CoreLatch::set_and_wake(&raw const (*this).core, &seat.sleep, seat.index);
        }
    }
}

/// A thread outside every pool waits, blocked.
#[derive(Debug)]
pub(crate) struct ThreadLatch {
    word: WaitWord,
}

impl ThreadLatch {
    const UNSET: u32 = 0;
    const SET: u32 = 1;

    pub(crate) fn new() -> Self {
        ThreadLatch { word: WaitWord::new(Self::UNSET) }
    }

    /// Blocks until it is set.
    pub(crate) fn wait(&self) {
        self.word.wait_while(Self::UNSET);
    }

    /// By the waiter: as if it had never been set.
    pub(crate) fn reset(&self) {
        self.word.swap(Self::UNSET);
    }

    /// Sets a latch that nobody frees.
    pub(crate) fn ring(&self) {
        // SAFETY: borrowed, so it outlives the call.
        unsafe { Self::set(self) };
    }
}

impl Latch for ThreadLatch {
    unsafe fn set(this: *const Self) {
        // SAFETY: the caller's promise is the callee's.
        unsafe { WaitWord::set_and_wake(&raw const (*this).word, Self::SET, Self::UNSET) };
    }
}

/// Set when as many jobs have ended as were begun, and one more: its owner's own.
#[derive(Debug)]
pub(crate) struct CountLatch {
    pending: AtomicUsize,
    waiter: Waiter,
}

#[derive(Debug)]
enum Waiter {
    Worker { core: CoreLatch, seat: Seat },
    Thread(ThreadLatch),
}

impl CountLatch {
    /// For a worker if there is a seat, else for a thread of no pool. Counts one.
    pub(crate) fn new(seat: Option<&Seat>) -> Self {
        let waiter = match seat {
            Some(seat) => Waiter::Worker { core: CoreLatch::new(), seat: seat.clone() },
            None => Waiter::Thread(ThreadLatch::new()),
        };
        CountLatch { pending: AtomicUsize::new(1), waiter }
    }

    /// One more must end. Only by who knows that the count is not zero yet.
    pub(crate) fn begin(&self, jobs: usize) {
        self.pending.fetch_add(jobs, Ordering::Relaxed);
    }

    /// What a worker waits on.
    pub(crate) fn core(&self) -> Option<&CoreLatch> {
        match &self.waiter {
            Waiter::Worker { core, .. } => Some(core),
            Waiter::Thread(_) => None,
        }
    }

    /// The worker that waits, if one does.
    pub(crate) fn seat(&self) -> Option<&Seat> {
        match &self.waiter {
            Waiter::Worker { seat, .. } => Some(seat),
            Waiter::Thread(_) => None,
        }
    }

    /// Blocks a thread of no pool until the latch is set.
    pub(crate) fn block(&self) {
        match &self.waiter {
            Waiter::Thread(latch) => latch.wait(),
            Waiter::Worker { .. } => unreachable!("a worker does not block, it works"),
        }
    }
}

impl CountLatch {
    /// The count is zero.
    ///
    /// # Safety
    /// As [`Latch::set`].
    #[cold]
    unsafe fn wake(this: *const Self) {
        // SAFETY: the waiter waits for its own part of the latch, not for the count: all of it is there until
        // we have set that.
        unsafe {
            match &(*this).waiter {
                Waiter::Worker { core, seat } => {
                    let seat = seat.clone();
                    CoreLatch::set_and_wake(core, &seat.sleep, seat.index);
                }
                Waiter::Thread(latch) => Latch::set(latch),
            }
        }
    }
}

impl Latch for CountLatch {
    #[inline]
    unsafe fn set(this: *const Self) {
        // SAFETY: still counted, and if we were the last one, the waiter waits for `wake`.
        unsafe {
            // ORDERING: release what this job did, acquire what the others did: the last one hands it all on.
            if (*this).pending.fetch_sub(1, Ordering::AcqRel) == 1 {
                Self::wake(this);
            }
        }
    }
}

#[cfg(all(test, heist_loom))]
mod model {
    use super::*;
    use crate::{
        sleep::Work,
        sync::{cell::UnsafeCell, model, thread},
    };

    /// What a stack job is made of, on the heap so that loom sees it freed.
    struct Shared {
        latch: CoreLatch,
        result: UnsafeCell<u32>,
    }

    #[test]
    fn a_latch_is_set_seen_and_freed_with_nothing_touched_afterwards() {
        model(|| {
            let sleep = Arc::new(Sleep::new(2));
            let shared =
                Box::into_raw(Box::new(Shared { latch: CoreLatch::new(), result: UnsafeCell::new(0) }));
            let address = shared as usize;
            let setter = {
                let sleep = sleep.clone();
                thread::spawn(move || {
                    let shared = address as *const Shared;
                    // SAFETY: the waiter frees it only once the latch is set.
                    unsafe {
                        (*shared).result.with_mut(|result| *result = 7);
                        CoreLatch::set_and_wake(&raw const (*shared).latch, &sleep, 0);
                    }
                })
            };
            // SAFETY: freed below, by us.
            let waited = unsafe { &*shared };
            while !waited.latch.is_set() {
                let _ = sleep.sleep(0, Work::Job, false, None, || waited.latch.watch());
            }
            // SAFETY: the setter is done with it.
            let shared = unsafe { Box::from_raw(shared) };
            // SAFETY: as above.
            shared.result.with(|result| assert_eq!(unsafe { *result }, 7));
            drop(shared);
            setter.join().unwrap();
        });
    }

    #[test]
    fn a_worker_that_takes_next_to_nothing_is_woken_by_its_latch() {
        model(|| {
            let sleep = Arc::new(Sleep::new(1));
            let latch = Arc::new(CoreLatch::new());
            let setter = {
                let seat = Seat { sleep: sleep.clone(), index: 0 };
                let latch = latch.clone();
                thread::spawn(move || latch.set_for(&seat))
            };
            while !latch.is_set() {
                let _ = sleep.sleep(0, Work::Call, false, None, || latch.watch());
            }
            setter.join().unwrap();
        });
    }
}
