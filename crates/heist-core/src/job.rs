//! A job is one word: a pointer to a header whose first field runs it.
//!
//! Where the rest of a job lives is its own affair: on the stack of the one who waits for it ([`StackJob`]),
//! on the heap ([`HeapJob`]), or inside something larger ([`Fifo`], and the tasks of a runtime). Whoever
//! takes a job out of a queue runs it, once.

use crate::{
    deque::{Element, injector::Injector, insist},
    latch::Latch,
    sync::Arc,
    unwind::{self, Payload},
};
use std::{
    cell::UnsafeCell,
    mem::{ManuallyDrop, MaybeUninit},
    ptr::NonNull,
};

/// The first field of everything that can be queued.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    run: unsafe fn(Job, usize),
}

impl Header {
    /// A header whose job is run by `run`, which is given the very `Job` that was queued and the index of
    /// the worker that runs it.
    #[inline(always)]
    pub const fn new(run: unsafe fn(Job, usize)) -> Self {
        Header { run }
    }
}

/// A pointer to a [`Header`], due to be run exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job(NonNull<Header>);

// SAFETY: what it points to may run on another thread, as `new` demands.
unsafe impl Send for Job {}

// SAFETY: a copy of the pointer.
unsafe impl Element for Job {
    #[inline(always)]
    fn into_word(self) -> NonNull<()> {
        self.0.cast()
    }

    #[inline(always)]
    unsafe fn from_word(word: NonNull<()>) -> Self {
        Job(word.cast())
    }
}

impl Job {
    /// The job whose header this is.
    ///
    /// # Safety
    /// The header stays valid until it is run; running it there, on any thread, is sound and does not unwind.
    #[inline(always)]
    pub unsafe fn new(header: NonNull<Header>) -> Self {
        Job(header)
    }

    /// Where its header is.
    #[inline(always)]
    pub fn header(self) -> NonNull<Header> {
        self.0
    }

    /// Runs it on the worker with this index.
    ///
    /// # Safety
    /// It came out of a queue, or was never put into one, and has not been run since.
    #[inline]
    pub unsafe fn run(self, worker: usize) {
        // SAFETY: valid until it is run, and run only here.
        unsafe { (self.0.as_ref().run)(self, worker) }
    }
}

/// A job on the stack of the one who waits for it. Nothing is allocated.
#[repr(C)]
pub(crate) struct StackJob<L, F, R> {
    header: Header,
    pub(crate) latch: L,
    f: UnsafeCell<ManuallyDrop<F>>,
    /// Written before the latch is set.
    result: UnsafeCell<MaybeUninit<Result<R, Payload>>>,
}

impl<L, F, R> StackJob<L, F, R>
where
    L: Latch,
    F: FnOnce(Run) -> R + Send,
    R: Send,
{
    #[inline(always)]
    pub(crate) fn new(f: F, latch: L) -> Self {
        StackJob {
            header: Header::new(Self::run),
            latch,
            f: UnsafeCell::new(ManuallyDrop::new(f)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// # Safety
    /// The caller keeps the job in place until the latch is set, or until it has taken the job back out of
    /// its queue.
    #[inline(always)]
    pub(crate) unsafe fn as_job(&self) -> Job {
        // Not from `&self.header`: the pointer must be good for the whole job.
        // SAFETY: not null; the rest is the caller's promise.
        unsafe { Job::new(NonNull::new_unchecked((&raw const *self).cast_mut().cast())) }
    }

    /// Calls the closure on the spot, for who got its own job back.
    ///
    /// # Safety
    /// The job is in no queue and has not been run.
    #[inline(always)]
    pub(crate) unsafe fn run_here(&self) -> R {
        // SAFETY: nobody else runs it.
        let f = unsafe { ManuallyDrop::take(&mut *self.f.get()) };
        f(Run::Here)
    }

    /// What came of it.
    ///
    /// # Safety
    /// The latch is set, and this is called once.
    pub(crate) unsafe fn result(&self) -> Result<R, Payload> {
        // SAFETY: written before the latch was set.
        unsafe { (*self.result.get()).assume_init_read() }
    }

    /// Called through the header.
    unsafe fn run(job: Job, worker: usize) {
        let this = job.header().cast::<Self>().as_ptr().cast_const();
        // SAFETY: the waiter keeps the job until the latch is set, which is the last thing done here.
        unsafe {
            let run = if (*this).latch.is_awaited_by(worker) { Run::Here } else { Run::Elsewhere };
            let f = ManuallyDrop::take(&mut *(*this).f.get());
            let result = unwind::catch(|| f(run));
            (*(*this).result.get()).write(result);
            Latch::set(&raw const (*this).latch);
        }
    }
}

/// Where the second half of a `join` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// On the thread of the one who waits for it.
    Here,
    /// On another one.
    Elsewhere,
}

/// A job in a box of its own. Nobody waits for its result; who waits for its end is told by the closure.
#[repr(C)]
pub(crate) struct HeapJob<F> {
    header: Header,
    f: F,
}

impl<F: FnOnce() + Send> HeapJob<F> {
    /// Makes the job.
    ///
    /// # Safety
    /// `f` does not unwind, and what it borrows lives until it has run, which it must.
    pub(crate) unsafe fn job(f: F) -> Job {
        let this = Box::new(HeapJob { header: Header::new(Self::run), f });
        // SAFETY: a leaked box is valid, until `run` takes it back.
        unsafe { Job::new(NonNull::from(Box::leak(this)).cast()) }
    }

    unsafe fn run(job: Job, _worker: usize) {
        // SAFETY: leaked in `job`, and run once.
        let this = unsafe { Box::from_raw(job.header().cast::<Self>().as_ptr()) };
        (this.f)();
    }
}

/// Jobs that are to be run in the order they came, whatever the order of the queue they are in.
///
/// For each job pushed here that queue gets a *ticket*; whoever takes a ticket runs the job that is oldest
/// then. A ticket keeps the queue, and does nothing if somebody else has taken its job.
#[repr(C)]
pub(crate) struct Fifo {
    header: Header,
    queue: Injector<Job>,
}

impl Fifo {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Fifo { header: Header::new(Self::run), queue: Injector::new() })
    }

    /// Queues `job`; the ticket that is returned goes elsewhere in its place.
    pub(crate) fn push(self: &Arc<Self>, job: Job) -> Job {
        self.queue.push(job);
        // SAFETY: `run` takes the reference back, so it is valid until then; the queue may be shared.
        unsafe { Job::new(NonNull::new_unchecked(Arc::into_raw(self.clone()).cast_mut()).cast()) }
    }

    /// Takes the oldest job.
    pub(crate) fn pop(&self) -> Option<Job> {
        insist(|| self.queue.steal())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    unsafe fn run(ticket: Job, worker: usize) {
        // SAFETY: the reference that `push` gave away, and a ticket is run once.
        let this = unsafe { Arc::from_raw(ticket.header().cast::<Self>().as_ptr()) };
        if let Some(oldest) = this.pop() {
            // SAFETY: out of its queue.
            unsafe { oldest.run(worker) };
        }
    }
}
