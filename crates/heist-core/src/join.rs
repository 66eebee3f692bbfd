//! [`join`]: two closures, perhaps at the same time.
//!
//! The caller pushes a pointer to the second closure, which stays on its stack, runs the first, and takes the
//! pointer back: in the common case nobody wanted it, and the second closure is a plain call. If it was
//! stolen, the caller works on something else until the thief is done. Nothing is allocated and no lock is
//! taken.

use crate::{
    job::{Job, Run, StackJob},
    latch::WorkerLatch,
    registry::in_worker,
    relief,
    trace::{Code, Entry, Kind},
    unwind::{self, Payload, Quiet},
    worker::Worker,
};
use std::marker::PhantomData;

/// Tells a closure of [`join_context`] how it came to run.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// It speaks of this call on this thread.
    not_send: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline]
    fn new(migrated: bool) -> Self {
        FnContext { migrated, not_send: PhantomData }
    }

    /// Whether the closure runs on another thread than the one that called [`join_context`].
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs two closures, perhaps at the same time, and returns both results.
///
/// The first runs right here. The second does too, after the first, unless an idle worker takes it meanwhile.
/// Outside of a pool the call moves to the global one.
///
/// ```
/// fn sum(numbers: &[u64]) -> u64 {
///     if numbers.len() <= 1024 {
///         return numbers.iter().sum();
///     }
///     let (left, right) = numbers.split_at(numbers.len() / 2);
///     let (left, right) = heist_core::join(|| sum(left), || sum(right));
///     left + right
/// }
///
/// let numbers: Vec<u64> = (0..100_000).collect();
/// assert_eq!(sum(&numbers), 4_999_950_000);
/// ```
///
/// # Panics
/// Both closures always run, whatever the other one does. If one panics, so does `join`, with the same
/// payload, after both have ended; if both do, with the first one's.
///
/// # Blocking
/// A closure that blocks keeps its worker from other work. In particular, a lock that is held across `join`
/// may be wanted by an unrelated job that this worker takes while it waits: a deadlock.
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    match Worker::current() {
        Some(worker) => join_on(worker, oper_a, |_| oper_b()),
        None => join_elsewhere(|_| oper_a(), |_| oper_b()),
    }
}

/// As [`join`]; each closure is told whether it runs on another thread than the caller.
///
/// When called from outside of any pool both count as migrated, since the whole call moved to a worker.
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match Worker::current() {
        Some(worker) => {
            let oper_a = || oper_a(FnContext::new(false));
            join_on(worker, oper_a, |run| oper_b(FnContext::new(run == Run::Elsewhere)))
        }
        None => join_elsewhere(oper_a, oper_b),
    }
}

/// Called by a thread that is no worker.
#[cold]
fn join_elsewhere<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    if relief::team().is_some_and(|team| !team.sleep.somebody_attends()) {
        return join_alone(|| oper_a(FnContext::new(false)), || oper_b(FnContext::new(false)));
    }
    in_worker(|worker, _| join_on(worker, || oper_a(FnContext::new(true)), |_| oper_b(FnContext::new(true))))
}

/// One after the other: the workers are busy, and this thread, which relieves them, has no deque.
fn join_alone<RA, RB>(oper_a: impl FnOnce() -> RA, oper_b: impl FnOnce() -> RB) -> (RA, RB) {
    match (unwind::catch(oper_a).map(Quiet::new), unwind::catch(oper_b).map(Quiet::new)) {
        (Ok(a), Ok(b)) => (a.into_inner(), b.into_inner()),
        (Err(payload), other) => {
            unwind::discard(other);
            unwind::resume(payload)
        }
        (Ok(_), Err(payload)) => unwind::resume(payload),
    }
}

#[inline(always)]
fn join_on<RA, RB: Send>(
    worker: &Worker,
    oper_a: impl FnOnce() -> RA,
    oper_b: impl FnOnce(Run) -> RB + Send,
) -> (RA, RB) {
    let job_b = StackJob::new(oper_b, WorkerLatch::new(worker.seat()));
    // SAFETY: below, we either take the job back or wait for its latch, also if `oper_a` panics.
    let index = worker.push_half(unsafe { job_b.as_job() });
    let result_a = match unwind::catch(oper_a) {
        Ok(result) => Quiet::new(result),
        Err(payload) => after_panic(worker, &job_b, payload),
    };
    // A wait inside of `oper_a` may have run it; then the place it had may be another job's now.
    let result_b = if !job_b.latch.core().is_set() && worker.take_back(index) {
        // SAFETY: just taken from the queue.
        unsafe { job_b.run_here() }
    } else {
        wait_for(worker, &job_b)
    };
    (result_a.into_inner(), result_b)
}

/// The second half was stolen, or the first left jobs above it on the deque; then they run first.
#[cold]
fn wait_for<F, RB>(worker: &Worker, job_b: &StackJob<WorkerLatch<'_>, F, RB>) -> RB
where
    F: FnOnce(Run) -> RB + Send,
    RB: Send,
{
    // SAFETY: to compare it, and for its address.
    let half = unsafe { job_b.as_job() };
    if reclaim(worker, job_b, half) {
        let _told = Inline::start(worker, half);
        // SAFETY: just taken from the queue.
        return unsafe { job_b.run_here() };
    }
    worker.wait_for(job_b.latch.core());
    tell(worker, Code::Joined, half);
    // SAFETY: set, and asked once.
    let result = unsafe { job_b.result() };
    result.unwrap_or_else(|payload| unwind::resume(payload))
}

/// Tells a recording, if there is one, what becomes of a second half.
fn tell(worker: &Worker, code: Code, half: Job) {
    worker.trace(|| Entry::about_job(code, half, Kind::Half));
}

/// Tells a recording that a second half runs right here, and when it is over, in whatever way.
struct Inline<'a> {
    worker: &'a Worker,
    half: Job,
}

impl<'a> Inline<'a> {
    fn start(worker: &'a Worker, half: Job) -> Self {
        tell(worker, Code::Started, half);
        Inline { worker, half }
    }
}

impl Drop for Inline<'_> {
    fn drop(&mut self) {
        tell(self.worker, Code::Ended, self.half);
        tell(self.worker, Code::Joined, self.half);
    }
}

/// Takes the second half from the own deque, after what is above it. Says whether it was there.
fn reclaim<F, RB>(worker: &Worker, job_b: &StackJob<WorkerLatch<'_>, F, RB>, half: Job) -> bool
where
    F: FnOnce(Run) -> RB + Send,
    RB: Send,
{
    while !job_b.latch.core().is_set()
        && let Some(job) = worker.pop()
    {
        if job == half {
            return true;
        }
        worker.run(job);
    }
    false
}

/// The first closure panicked: the second must have ended before its frame goes.
#[cold]
fn after_panic<F, RB>(worker: &Worker, job_b: &StackJob<WorkerLatch<'_>, F, RB>, payload: Payload) -> !
where
    F: FnOnce(Run) -> RB + Send,
    RB: Send,
{
    // SAFETY: to compare it, and to run it once it is taken from the queue.
    let half = unsafe { job_b.as_job() };
    if reclaim(worker, job_b, half) {
        worker.run(half);
    }
    worker.wait_for(job_b.latch.core());
    tell(worker, Code::Joined, half);
    // SAFETY: set, and asked once.
    unwind::discard(unsafe { job_b.result() });
    unwind::resume(payload)
}
