//! [`scope`]: jobs that may borrow from the caller's stack, because the caller waits for them.
//!
//! A scope counts its jobs, and the closure that opened it. Whatever panics, in whatever destructor, the
//! count goes down only when a job is really over, and nobody leaves the scope before it is zero.
//!
//! A job that a worker of the pool spawns goes to that worker's deque. One that comes from elsewhere, or from
//! a worker that has used half of its stack, goes to the scope's [`Backlog`].

use crate::{
    broadcast::{BroadcastContext, wait_for_all},
    job::{Fifo, HeapJob, Job},
    latch::{CountLatch, Latch},
    registry::{current_team, in_worker, in_worker_of},
    sync::{Arc, AtomicBool, AtomicPtr, Ordering},
    team::{Team, User},
    trace::{Code, Entry},
    unwind::{self, Payload, Quiet},
    worker::Worker,
};
use std::{
    fmt,
    marker::PhantomData,
    ptr,
    sync::{OnceLock, Weak},
};

/// A place to spawn jobs that end before the scope does; see [`scope`].
pub struct Scope<'scope> {
    base: Base<'scope>,
}

/// As [`Scope`], with jobs that start in the order they were spawned; see [`scope_fifo`].
pub struct ScopeFifo<'scope> {
    base: Base<'scope>,
    /// By worker.
    fifos: Box<[Arc<Fifo>]>,
}

/// Opens a scope: jobs spawned in it may borrow what outlives it, and it returns when all of them have ended.
///
/// The closure runs on a worker of the current pool, of the global one outside of any.
///
/// ```
/// let mut counts = [0; 3];
/// heist_core::scope(|s| {
///     for (i, count) in counts.iter_mut().enumerate() {
///         s.spawn(move |_| *count = i * i);
///     }
/// });
/// assert_eq!(counts, [0, 1, 4]);
/// ```
///
/// # Panics
/// If the closure or a job panics, `scope` does so too, when all jobs have ended; with the first panic, if
/// there are several.
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    in_worker(|worker, _| Scope::open(worker.team().clone(), Some(worker), op))
}

/// As [`scope`], but the jobs that one worker spawns in it start in the order they were spawned.
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    in_worker(|worker, _| ScopeFifo::open(worker.team().clone(), Some(worker), op))
}

/// As [`scope`], but the closure runs on the current thread, whatever that is; only the jobs go to a pool.
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    Scope::open(current_team(), Worker::able(), op)
}

/// As [`scope_fifo`], but the closure runs on the current thread, whatever that is.
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    ScopeFifo::open(current_team(), Worker::able(), op)
}

pub(crate) fn scope_in<'scope, R: Send>(team: &Arc<Team>, op: impl FnOnce(&Scope<'scope>) -> R + Send) -> R {
    in_worker_of(team, |worker, _| Scope::open(team.clone(), Some(worker), op))
}

pub(crate) fn scope_fifo_in<'scope, R: Send>(
    team: &Arc<Team>,
    op: impl FnOnce(&ScopeFifo<'scope>) -> R + Send,
) -> R {
    in_worker_of(team, |worker, _| ScopeFifo::open(team.clone(), Some(worker), op))
}

impl<'scope> Scope<'scope> {
    pub(crate) fn open<R>(team: Arc<Team>, worker: Option<&Worker>, op: impl FnOnce(&Self) -> R) -> R {
        let scope = Scope { base: Base::new(team, worker) };
        scope.base.complete(worker, || op(&scope))
    }

    /// Spawns a job that may borrow what outlives the scope, and may spawn more into it.
    ///
    /// A job spawned by a worker of the scope's pool goes to that worker's own queue, which runs the newest
    /// first while others steal the oldest.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let scope = ScopePtr(self);
        self.base.spawn(move || body(scope.get()), |_, job| job);
    }

    /// Spawns a job on every worker of the scope's pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = ScopePtr(self);
        let body = Arc::new(body);
        self.base.broadcast(|| {
            let body = body.clone();
            move || BroadcastContext::with(|context| body(scope.get(), context))
        });
    }
}

impl<'scope> ScopeFifo<'scope> {
    pub(crate) fn open<R>(team: Arc<Team>, worker: Option<&Worker>, op: impl FnOnce(&Self) -> R) -> R {
        let fifos = team.threads.iter().map(|_| Fifo::new()).collect();
        let scope = ScopeFifo { base: Base::new(team, worker), fifos };
        scope.base.complete(worker, || op(&scope))
    }

    /// As [`Scope::spawn`], but of the jobs that a worker spawned here, the oldest starts first.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        let scope = ScopePtr(self);
        let in_order = |worker: &Worker, job| self.fifos[worker.index()].push(job);
        self.base.spawn(move || body(scope.get()), in_order);
    }

    /// As [`Scope::spawn_broadcast`].
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = ScopePtr(self);
        let body = Arc::new(body);
        self.base.broadcast(|| {
            let body = body.clone();
            move || BroadcastContext::with(|context| body(scope.get(), context))
        });
    }
}

/// A scope, from inside of its jobs: not a reference, since the job may still be on its way out while the one
/// who waits for the scope leaves it.
struct ScopePtr<T>(*const T);

impl<T> Clone for ScopePtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScopePtr<T> {}

// SAFETY: scopes are shared between threads.
unsafe impl<T: Sync> Send for ScopePtr<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ScopePtr<T> {}

impl<T> ScopePtr<T> {
    fn as_ptr(self) -> *const T {
        self.0
    }

    fn get<'a>(self) -> &'a T {
        // SAFETY: asked for only inside a job that the scope still counts, or inside the scope's closure.
        unsafe { &*self.0 }
    }
}

/// What both kinds of scope are made of.
struct Base<'scope> {
    team: Arc<Team>,
    /// The first panic, in a box of its own so that it fits into a word.
    panic: AtomicPtr<Payload>,
    pending: CountLatch,
    /// Jobs from elsewhere.
    backlog: OnceLock<Arc<Backlog>>,
    /// Invariant in `'scope`, as if it held the jobs.
    jobs: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> Base<'scope> {
    fn new(team: Arc<Team>, worker: Option<&Worker>) -> Self {
        Base {
            team,
            panic: AtomicPtr::new(ptr::null_mut()),
            pending: CountLatch::new(worker.map(Worker::seat)),
            backlog: OnceLock::new(),
            jobs: PhantomData,
        }
    }

    /// Spawns a job: on the current worker, if it is one of the scope's pool, whose deque gets what `wrap`
    /// makes of it; else from outside.
    fn spawn(&self, f: impl FnOnce() + Send + 'scope, wrap: impl FnOnce(&Worker, Job) -> Job) {
        match Worker::of(&self.team).filter(|worker| self.is_served_by(worker)) {
            Some(worker) => {
                self.pending.begin(1);
                worker.push_here(wrap(worker, self.counted(f)));
            }
            None => {
                // Before it is counted, since it may panic.
                self.team.assert_not_forked();
                self.pending.begin(1);
                self.backlog.get_or_init(|| Backlog::new(&self.team)).push(self.counted(f), &self.team);
            }
        }
    }

    /// Whether this worker will run, in time, what it has in its deque for the scope.
    fn is_served_by(&self, worker: &Worker) -> bool {
        let waits = || self.pending.seat().is_some_and(|seat| seat.is(worker.seat()));
        !worker.is_deep() && (worker.loops() || waits())
    }

    /// A job that has been counted already.
    fn counted(&self, f: impl FnOnce() + Send + 'scope) -> Job {
        let base = ScopePtr(self);
        // SAFETY: `run` lets no panic out, and the scope outlives what it counts.
        unsafe { HeapJob::job(move || Base::run(base.as_ptr(), f)) }
    }

    /// One job for every worker, made by `part`.
    fn broadcast<F: FnOnce() + Send + 'scope>(&self, part: impl Fn() -> F) {
        // Until a part has run, its thread must stay.
        let users: Vec<_> = self.team.threads.iter().map(|_| User::new(&self.team)).collect();
        self.pending.begin(users.len());
        let parts: Vec<_> = users
            .into_iter()
            .map(|user| {
                let part = part();
                self.counted(move || {
                    let _user = user;
                    part();
                })
            })
            .collect();
        self.team.place_parts(parts.into_iter());
    }

    /// Runs `f` as the last act that the scope counts on.
    ///
    /// # Safety
    /// `this` is valid until the count is zero, and counts this call.
    unsafe fn run(this: *const Self, f: impl FnOnce()) {
        if let Err(payload) = unwind::catch(f) {
            // SAFETY: still counted.
            unsafe { (*this).keep_panic(payload) };
        }
        // SAFETY: the last touch.
        unsafe { Latch::set(&raw const (*this).pending) };
    }

    /// Keeps the first panic; others are dropped, here and now, while we are still counted.
    fn keep_panic(&self, payload: Payload) {
        let payload = Box::into_raw(Box::new(payload));
        let first =
            self.panic.compare_exchange(ptr::null_mut(), payload, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err() {
            // SAFETY: it stayed ours.
            unwind::discard(*unsafe { Box::from_raw(payload) });
        }
    }

    /// Runs the closure that opened the scope, waits for all jobs, and returns its result or panics.
    fn complete<R>(&self, worker: Option<&Worker>, op: impl FnOnce() -> R) -> R {
        self.team.trace(|| Entry::new(Code::Opened));
        let result = unwind::catch(op).map(Quiet::new).map_err(|payload| self.keep_panic(payload));
        // SAFETY: our own part, counted by `CountLatch::new`.
        unsafe { wait_for_all(&self.pending, worker, &self.team) };
        self.team.trace(|| Entry::new(Code::Closed));
        let panic = self.panic.swap(ptr::null_mut(), Ordering::AcqRel);
        if !panic.is_null() {
            drop(result);
            // SAFETY: from `keep_panic`, and taken out once.
            unwind::resume(*unsafe { Box::from_raw(panic) });
        }
        match result {
            Ok(result) => result.into_inner(),
            Err(()) => unreachable!("a panic is kept"),
        }
    }
}

/// Jobs of one scope that were spawned from outside of its pool, while a worker waits for it.
///
/// Each has a ticket in the injector, for those who take jobs. Besides, one *call* at a time is with those
/// who take next to nothing any more, among them perhaps the one who waits: it runs one of the jobs, and when
/// that has ended makes the next call. However many jobs there are, they cannot sit on top of each other that
/// way.
struct Backlog {
    jobs: Arc<Fifo>,
    /// Whether a call is queued or runs.
    called: AtomicBool,
    /// Weak, since the calls are in the team's queue.
    team: Weak<Team>,
}

impl Backlog {
    fn new(team: &Arc<Team>) -> Arc<Self> {
        Arc::new(Backlog { jobs: Fifo::new(), called: AtomicBool::new(false), team: Arc::downgrade(team) })
    }

    fn push(self: &Arc<Self>, job: Job, team: &Team) {
        team.inject(self.jobs.push(job));
        self.call(team);
    }

    /// Calls, unless a call is under way.
    fn call(self: &Arc<Self>, team: &Team) {
        // ORDERING: a swap on both sides: either we see that there is no call, or the one there is sees, when
        // it ends, the job we pushed.
        if !self.called.swap(true, Ordering::AcqRel) {
            let this = self.clone();
            // SAFETY: it borrows nothing, and the jobs let no panic out.
            team.call(unsafe { HeapJob::job(move || this.answer()) });
        }
    }

    fn answer(self: &Arc<Self>) {
        if let Some(job) = self.jobs.pop() {
            // SAFETY: out of its queue. It has no use for the worker's index.
            unsafe { job.run(usize::MAX) };
        }
        self.called.swap(false, Ordering::AcqRel);
        // If jobs are left, somebody waits for them, and has the team.
        if let (false, Some(team)) = (self.jobs.is_empty(), self.team.upgrade()) {
            self.call(&team);
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.describe(f, "Scope")
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.describe(f, "ScopeFifo")
    }
}

impl Base<'_> {
    fn describe(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        f.debug_struct(name).field("team", &self.team).field("pending", &self.pending).finish_non_exhaustive()
    }
}
