//! The workers of one pool, their birth and death; and the way of a closure onto one of them.

use crate::{
    builder::{ErrorKind, ThreadPoolBuildError, ThreadPoolBuilder},
    job::StackJob,
    latch::{ForeignLatch, ThreadLatch},
    relief,
    sleep::MAX_WORKERS,
    sync::{Arc, AtomicPtr, AtomicU32, Ordering, yield_now},
    sys::fork,
    team::{Owned, Team},
    trace::{Code, Entry, Kind},
    unwind::{self, AbortOnUnwind},
    worker::Worker,
};
use std::{
    cell::RefCell,
    fmt, io, mem, ptr,
    thread::{self, JoinHandle},
};

/// A thread of a pool, about to be started by a [spawn handler](ThreadPoolBuilder::spawn_handler).
pub struct ThreadBuilder {
    name: Option<String>,
    stack_size: Option<usize>,
    index: usize,
    owned: Owned,
    team: Arc<Team>,
}

impl ThreadBuilder {
    /// The worker's index in its pool, from zero to the number of threads less one.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that was [asked for](ThreadPoolBuilder::thread_name).
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The size of the stack that was [asked for](ThreadPoolBuilder::stack_size).
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// A builder of the standard library's with the same name and stack size.
    pub(crate) fn for_std(&self) -> thread::Builder {
        let mut builder = thread::Builder::new();
        if let Some(name) = self.name() {
            builder = builder.name(name.to_owned());
        }
        if let Some(size) = self.stack_size() {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Is the worker: returns when its pool has ended.
    ///
    /// # Panics
    /// If this thread is a worker already.
    pub fn run(self) {
        assert!(Worker::current().is_none(), "heist: a thread can be a worker of one pool only");
        let ThreadBuilder { stack_size, index, owned, team, .. } = self;
        let worker = Worker::new(team, index, owned, true, stack_size);
        let team = worker.team().clone();
        // Whatever unwinds from here on would leave a team without the worker that others count on.
        let guard = AbortOnUnwind;
        // SAFETY: `leave` comes before the worker goes.
        unsafe { Worker::enter(&worker) };
        if let Some(start) = &team.handlers.start {
            team.shield(|| start(index));
        }
        worker.work_at_post(&worker.thread().ended);
        worker.drain();
        if let Some(exit) = &team.handlers.exit {
            team.shield(|| exit(index));
        }
        Worker::leave();
        drop(worker);
        team.leave();
        mem::forget(guard);
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index)
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}

/// How a pool's threads are started.
pub trait ThreadSpawn {
    /// Starts one, which must call [`ThreadBuilder::run`].
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;

    /// The handles of those that were started, where there are any.
    fn handles(&mut self) -> Vec<JoinHandle<()>> {
        Vec::new()
    }
}

/// Threads of the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn {
    handles: Vec<JoinHandle<()>>,
}

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        self.handles.push(thread.for_std().spawn(|| thread.run())?);
        Ok(())
    }

    fn handles(&mut self) -> Vec<JoinHandle<()>> {
        mem::take(&mut self.handles)
    }
}

/// Threads by a closure of the user's, see [`ThreadPoolBuilder::spawn_handler`].
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F: FnMut(ThreadBuilder) -> io::Result<()>> ThreadSpawn for CustomSpawn<F> {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}

/// The threads of a pool under construction. Unless the pool is finished, they are told to end, and waited
/// for as far as there are handles.
struct Births<S: ThreadSpawn> {
    team: Arc<Team>,
    spawn: S,
    finished: bool,
}

impl<S: ThreadSpawn> Drop for Births<S> {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.team.remove_user();
        for handle in self.spawn.handles() {
            // A worker does not unwind.
            let _ = handle.join();
        }
    }
}

/// Builds a pool: all of its threads, or none.
pub(crate) fn build<S: ThreadSpawn>(
    mut builder: ThreadPoolBuilder<S>,
) -> Result<(Arc<Team>, Vec<JoinHandle<()>>), ThreadPoolBuildError> {
    let size = builder.threads_wanted().min(MAX_WORKERS);
    let adopts = builder.use_current_thread;
    let already_taken = || ThreadPoolBuildError::new(ErrorKind::CurrentThreadAlreadyInPool);
    if adopts && Worker::current().is_some() {
        return Err(already_taken());
    }
    let (team, owned) = Team::new(size, builder.stealing, adopts, mem::take(&mut builder.handlers));
    let mut name = builder.thread_name.take();
    let mut births = Births { team: team.clone(), spawn: builder.spawn, finished: false };
    let mut own = None;
    for (index, owned) in owned.into_iter().enumerate() {
        if index == 0 && adopts {
            own = Some(owned);
            continue;
        }
        let thread = ThreadBuilder {
            name: name.as_mut().map(|name| name(index)),
            stack_size: builder.stack_size,
            index,
            owned,
            team: team.clone(),
        };
        births.spawn.spawn(thread).map_err(|error| ThreadPoolBuildError::new(ErrorKind::Io(error)))?;
    }
    if let Some(owned) = own {
        // Only now, since a thread that could not be born must leave this one as it was. Asked once more,
        // since the user's code that was called meanwhile may have built a pool here.
        if Worker::current().is_some() {
            return Err(already_taken());
        }
        Adopted::adopt(Worker::new(team.clone(), 0, owned, false, None));
    }
    births.finished = true;
    Ok((team, births.spawn.handles()))
}

/// The worker of a thread that joined a pool when it was built. Freed when the thread ends, not before:
/// frames of calls into the pool may be anywhere on its stack.
struct Adopted(*mut Worker);

impl Adopted {
    fn adopt(worker: Worker) {
        thread_local! {
            static ADOPTED: RefCell<Vec<Adopted>> = const { RefCell::new(Vec::new()) };
        }
        let worker = Box::into_raw(Box::new(worker));
        ADOPTED.with_borrow_mut(|adopted| adopted.push(Adopted(worker)));
        // SAFETY: it stays until the thread ends, and `drop` leaves then.
        unsafe { Worker::enter(worker) };
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        if let Some(worker) = Worker::current().filter(|worker| ptr::eq(*worker, self.0)) {
            worker.run_what_nobody_else_will();
            Worker::leave();
        }
        // SAFETY: from `adopt`; the thread ends, so nothing runs on it that could know it.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Null until there is a global pool. It is never freed.
static GLOBAL: AtomicPtr<Arc<Team>> = AtomicPtr::new(ptr::null_mut());

/// The global pool, if there is one.
fn get_global() -> Option<&'static Arc<Team>> {
    // SAFETY: null, or leaked by `set_global`.
    unsafe { GLOBAL.load(Ordering::Acquire).as_ref() }
}

/// Makes a new pool the global one; ends it if there is one by now. Says which.
fn set_global(team: Arc<Team>) -> bool {
    let team = Box::into_raw(Box::new(team));
    let set = GLOBAL.compare_exchange(ptr::null_mut(), team, Ordering::AcqRel, Ordering::Acquire).is_ok();
    if !set {
        // SAFETY: it stayed ours.
        let team = unsafe { Box::from_raw(team) };
        team.remove_user();
        if Worker::of(&team).is_some() {
            Worker::leave();
        }
    }
    set
}

/// Builds the global pool, if there is none.
pub(crate) fn build_global<S: ThreadSpawn>(
    builder: ThreadPoolBuilder<S>,
) -> Result<(), ThreadPoolBuildError> {
    let already = || ThreadPoolBuildError::new(ErrorKind::GlobalPoolAlreadyInitialized);
    if get_global().is_some() {
        return Err(already());
    }
    let (team, _detached) = build(builder)?;
    if set_global(team) { Ok(()) } else { Err(already()) }
}

/// The global pool, built on first use.
#[inline]
pub(crate) fn global() -> &'static Arc<Team> {
    get_global().unwrap_or_else(build_default)
}

#[cold]
fn build_default() -> &'static Arc<Team> {
    /// Who builds: the process, as it was numbered then. Not a lock of the standard library: in the child of
    /// a fork, nobody would ever open it.
    static BUILT_BY: AtomicU32 = AtomicU32::new(NOBODY);
    const NOBODY: u32 = u32::MAX;
    let process = fork::generation();
    loop {
        if let Some(team) = get_global() {
            return team;
        }
        let builder = BUILT_BY.load(Ordering::Acquire);
        let take_over = || BUILT_BY.compare_exchange(builder, process, Ordering::AcqRel, Ordering::Acquire);
        if builder == process || take_over().is_err() {
            yield_now();
            continue;
        }
        let built = build(default_builder());
        BUILT_BY.store(NOBODY, Ordering::Release);
        match built {
            // Too late, if `build_global` was called meanwhile; then that one will do.
            Ok((team, _detached)) => _ = set_global(team),
            Err(error) => panic!("heist: the global thread pool could not be built: {error}"),
        }
    }
}

fn default_builder() -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new();
    // Where there are no threads at all, this one has to do.
    if cfg!(all(target_family = "wasm", not(target_feature = "atomics"))) {
        return builder.num_threads(1).use_current_thread();
    }
    builder
}

/// The team that this thread works for, if it does.
pub(crate) fn outer_team<'a>() -> Option<&'a Arc<Team>> {
    Worker::current().map(Worker::team).or_else(relief::team)
}

/// The team that this thread works for, else the global one.
pub(crate) fn current_team() -> Arc<Team> {
    outer_team().unwrap_or_else(global).clone()
}

/// Calls `op` on a worker: this thread if it is one, else one of the global pool. `true` if it had to move.
#[inline]
pub(crate) fn in_worker<R: Send>(op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => op(worker, false),
        None => in_worker_elsewhere(op),
    }
}

/// On a worker of the pool that this thread relieves, else of the global one.
#[cold]
fn in_worker_elsewhere<R: Send>(op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    let Some(team) = relief::team() else { return in_worker_from_outside(global(), op) };
    team.hurry_watch();
    in_worker_from_outside(team, op)
}

/// Calls `op` on a worker of this team.
pub(crate) fn in_worker_of<R: Send>(team: &Arc<Team>, op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match (Worker::of(team), Worker::able()) {
        (Some(worker), _) => op(worker, false),
        (None, Some(worker)) => in_worker_from(worker, team, op),
        (None, None) => in_worker_from_outside(team, op),
    }
}

/// From a thread of no pool: it blocks meanwhile.
#[cold]
fn in_worker_from_outside<R: Send>(team: &Arc<Team>, op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    let job = StackJob::new(|_| op(here(), true), ThreadLatch::new());
    // SAFETY: we stay until the latch is set, and read the result then.
    let result = unsafe {
        // It waits from before the call on: whoever that wakes may well take its core.
        team.trace_wait(|| {
            team.call(job.as_job());
            job.latch.wait();
        });
        team.trace(|| Entry::about_job(Code::Joined, job.as_job(), Kind::Call));
        job.result()
    };
    result.unwrap_or_else(|payload| unwind::resume(payload))
}

/// From a worker of another pool: it works for its own one meanwhile.
#[cold]
fn in_worker_from<R: Send>(
    worker: &Worker,
    team: &Arc<Team>,
    op: impl FnOnce(&Worker, bool) -> R + Send,
) -> R {
    let job = StackJob::new(|_| op(here(), true), ForeignLatch::new(worker.seat()));
    // SAFETY: as above.
    let result = unsafe {
        team.trace_wait(|| {
            team.call(job.as_job());
            worker.wait_for(job.latch.core());
        });
        team.trace(|| Entry::about_job(Code::Joined, job.as_job(), Kind::Call));
        job.result()
    };
    result.unwrap_or_else(|payload| unwind::resume(payload))
}

/// The worker that runs this job.
pub(crate) fn here<'a>() -> &'a Worker {
    Worker::current().expect("jobs run on workers")
}
