//! The workers of one pool, their birth and death; and the way of a closure onto one of them.

use crate::{
    builder::{ErrorKind, ThreadPoolBuildError, ThreadPoolBuilder},
    job::StackJob,
    latch::{ForeignLatch, ThreadLatch},
    sleep::MAX_WORKERS,
    sync::Arc,
    team::{Owned, Team},
    unwind::{self, AbortOnUnwind},
    worker::{Role, Worker},
};
use std::{
    cell::RefCell,
    fmt, io, mem, ptr,
    sync::OnceLock,
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
        worker.work_until(&worker.thread().ended, Role::Post);
        worker.drain();
        if let Some(exit) = &team.handlers.exit {
            team.shield(|| exit(index));
        }
        Worker::leave();
        drop(worker);
        team.report_stopped(index);
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
        if Worker::current().is_some_and(|worker| ptr::eq(worker, self.0)) {
            Worker::leave();
        }
        // SAFETY: from `adopt`; the thread ends, so nothing runs on it that could know it.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

static GLOBAL: OnceLock<Arc<Team>> = OnceLock::new();

/// Builds the global pool, if there is none.
pub(crate) fn build_global<S: ThreadSpawn>(
    builder: ThreadPoolBuilder<S>,
) -> Result<(), ThreadPoolBuildError> {
    let already = || ThreadPoolBuildError::new(ErrorKind::GlobalPoolAlreadyInitialized);
    if GLOBAL.get().is_some() {
        return Err(already());
    }
    let (team, _detached) = build(builder)?;
    GLOBAL.set(team).map_err(|too_late| {
        // Somebody else built one meanwhile; ours has accepted nothing yet.
        too_late.remove_user();
        already()
    })
}

/// The global pool, built on first use.
pub(crate) fn global() -> &'static Arc<Team> {
    GLOBAL.get_or_init(|| match build(default_builder()) {
        Ok((team, _detached)) => team,
        Err(error) => panic!("heist: the global thread pool could not be built: {error}"),
    })
}

fn default_builder() -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new();
    // Where there are no threads at all, this one has to do.
    if cfg!(all(target_family = "wasm", not(target_feature = "atomics"))) {
        return builder.num_threads(1).use_current_thread();
    }
    builder
}

/// The team of the worker that this thread is, else the global one.
pub(crate) fn current_team() -> Arc<Team> {
    Worker::current().map_or_else(global, Worker::team).clone()
}

/// Calls `op` on a worker: this thread if it is one, else one of the global pool. `true` if it had to move.
#[inline]
pub(crate) fn in_worker<R: Send>(op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => op(worker, false),
        None => in_worker_from_outside(global(), op),
    }
}

/// Calls `op` on a worker of this team.
pub(crate) fn in_worker_of<R: Send>(team: &Arc<Team>, op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) if worker.belongs_to(team) => op(worker, false),
        Some(worker) => in_worker_from(worker, team, op),
        None => in_worker_from_outside(team, op),
    }
}

/// From a thread of no pool: it blocks meanwhile.
#[cold]
fn in_worker_from_outside<R: Send>(team: &Arc<Team>, op: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    let job = StackJob::new(|_| op(here(), true), ThreadLatch::new());
    // SAFETY: we stay until the latch is set, and read the result then.
    let result = unsafe {
        team.inject(job.as_job());
        job.latch.wait();
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
        team.inject(job.as_job());
        worker.work_until(job.latch.core(), Role::Wait);
        job.result()
    };
    result.unwrap_or_else(|payload| unwind::resume(payload))
}

/// The worker that runs this job.
pub(crate) fn here<'a>() -> &'a Worker {
    Worker::current().expect("jobs run on workers")
}
