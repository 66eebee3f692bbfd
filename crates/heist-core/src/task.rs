//! The seam for an async runtime: tasks, which a thread polls at its post only.
//!
//! A task is queued like a job: a pointer to a header that knows how to run it. It differs in who may take
//! it: a thread at the top of its loop, never one that waits inside a `join` or a scope, since polling is
//! bound to take locks that the waiting frame may hold. Every queued reference is run once. A pool does not
//! end while a runtime is attached to it: the runtime lets go when none of its tasks is left, having made
//! those that are queued drop themselves when they are run.
//!
//! Not for applications, and without a promise of stability.

use crate::{
    latch::{CoreLatch, ThreadLatch},
    registry::{global, outer_team},
    relief::watch::Watch,
    sleep::Seat,
    stats::PoolStats,
    sync::{Arc, AtomicBool, Ordering},
    team::Team,
    worker::Worker,
};
use std::{any::Any, io, num::NonZeroU32};

pub use crate::{
    job::Header,
    relief::watch::{Life, SlowPoll, WatchConfig},
    sleep::driver::Driver,
    unwind::{catch, discard},
};

/// A reference to a queued task.
pub type Task = crate::job::Job;

/// A runtime's hold on a pool, which does not end while there is one.
#[derive(Debug)]
pub struct Attachment {
    team: Arc<Team>,
    holds: AtomicBool,
}

impl Attachment {
    pub(crate) fn new(team: &Arc<Team>) -> Self {
        team.add_user();
        Attachment { team: team.clone(), holds: AtomicBool::new(true) }
    }

    /// To the global pool.
    pub fn to_global() -> Self {
        Self::new(global())
    }

    /// How many threads the pool has.
    pub fn num_threads(&self) -> usize {
        self.team.size()
    }

    /// Calls `block`, in which this thread waits for a future of the runtime. If the pool is recorded that is
    /// noted; a worker does so by itself.
    pub fn wait(&self, block: impl FnOnce()) {
        match Worker::of(&self.team) {
            Some(_) => block(),
            None => self.team.trace_wait(block),
        }
    }

    /// Whether this thread is one of the pool's, be it a spare one.
    pub fn is_here(&self) -> bool {
        outer_team().is_some_and(|team| Arc::ptr_eq(team, &self.team))
    }

    /// What the pool's workers have done.
    pub fn stats(&self) -> PoolStats {
        self.team.stats()
    }

    /// How many tasks wait in the injector, about.
    pub fn queued_from_outside(&self) -> usize {
        self.team.tasks.len()
    }

    /// Fixes how many jobs and tasks a worker runs before it asks the injectors first; otherwise it follows
    /// from how long they take.
    pub fn set_interval(&self, interval: NonZeroU32) {
        self.team.set_interval(interval.get());
    }

    /// Has the pool's threads take turns at a driver, from now on. There can be one per pool.
    pub fn set_driver(&self, driver: Box<dyn Driver>) {
        self.team.sleep.attach(driver);
    }

    /// Has a thread see to it that tasks, and the driver, are served while the workers are busy or blocked.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn watch(&self, config: WatchConfig) -> io::Result<()> {
        Watch::start(&self.team, config)
    }

    /// How often a spare thread had to serve the tasks.
    pub fn reliefs(&self) -> u64 {
        self.team.watch.get().map_or(0, |watch| watch.reliefs.get())
    }

    /// Whether all threads of the pool sleep, and nothing is in their queues that could keep one of them from
    /// it. To be asked by one of them, from inside of its driver.
    pub fn is_idle(&self) -> bool {
        let team = &self.team;
        // The second look is for one that was on its way to sleep, found something and took it.
        let asleep = || team.sleep.tally().sleeping == team.size() && !team.relief_runs();
        asleep() && team.sees_work().is_none() && !team.sees_task_in_slot() && asleep()
    }

    /// Leaves something with the pool for [`with_home`], unless somebody has.
    pub fn set_home(&self, home: impl Any + Send + Sync) {
        // The first one stays.
        let _ = self.team.home.set(Box::new(home));
    }

    /// Lets the pool end, without waiting for this value to be dropped. No task is left, and none is
    /// submitted any more.
    pub fn let_go(&self) {
        if self.holds.swap(false, Ordering::AcqRel) {
            self.team.remove_user();
        }
    }

    /// Queues a task: as the next one at the post of the worker that this is, if it is one of the pool's;
    /// else for whoever comes first. An attachment must stay until the task has run.
    ///
    /// # Safety
    /// A task is queued at most once at a time: who runs it relies on being alone.
    pub unsafe fn submit(&self, task: Task) {
        match Worker::of(&self.team) {
            Some(worker) => worker.push_task(task),
            None => self.team.inject_task(task),
        }
    }

    /// Queues a task that may last, and that another one waits for: as a job, for whoever comes first.
    ///
    /// # Safety
    /// As [`submit`](Self::submit).
    pub unsafe fn submit_offload(&self, task: Task) {
        self.team.inject_offload(task);
    }

    /// Queues a task behind those that are at its post.
    ///
    /// # Safety
    /// As [`submit`](Self::submit).
    pub unsafe fn submit_behind(&self, task: Task) {
        match Worker::of(&self.team) {
            Some(worker) => worker.push_task_behind(task),
            None => self.team.inject_task(task),
        }
    }
}

impl Clone for Attachment {
    fn clone(&self) -> Self {
        Self::new(&self.team)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        self.let_go();
    }
}

/// Calls `f` with what a runtime has left with the pool that this thread works for.
pub fn with_home<T: Any, R>(f: impl FnOnce(&T) -> R) -> Option<R> {
    outer_team()?.home.get()?.downcast_ref().map(f)
}

/// Calls `f`, which may block. If this is one of a pool's threads, the others are told, or a spare thread, so
/// that tasks go on meanwhile.
pub fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    if let Some(worker) = Worker::current() {
        return worker.block_in_place(f);
    }
    if let Some(team) = outer_team() {
        team.hurry_watch();
    }
    f()
}

/// What runs here as a job is about to end: what it wakes from now on may wait until the worker is back at
/// its post, instead of waking another one.
pub fn about_to_end() {
    if let Some(worker) = Worker::current() {
        worker.about_to_end();
    }
}

/// What a thread waits for that blocks until a future is ready.
#[derive(Debug)]
pub struct Bell {
    /// For the worker that the thread was when it made this.
    worker: Option<(CoreLatch, Seat)>,
    thread: ThreadLatch,
}

impl Bell {
    /// One that this thread will wait for.
    pub fn for_this_thread() -> Self {
        let worker = Worker::able().map(|worker| (CoreLatch::new(), worker.seat().clone()));
        Bell { worker, thread: ThreadLatch::new() }
    }

    /// Ends the current call of [`wait`](Self::wait), or else the next one.
    pub fn ring(&self) {
        self.thread.ring();
        if let Some((latch, seat)) = &self.worker {
            latch.set_for(seat);
        }
    }

    /// Waits until it rings, on the thread that it was made by. May return for no reason. A worker runs some
    /// of what others wait for meanwhile; other threads of a pool are not kept waiting.
    pub fn wait(&self) {
        block_in_place(|| {
            if let Some((latch, seat)) = &self.worker
                // The thread may have left its pool since.
                && let Some(worker) = Worker::current().filter(|worker| worker.seat().is(seat))
            {
                worker.wait_for_future(latch);
                latch.reset();
            } else {
                self.thread.wait();
                self.thread.reset();
            }
        });
    }
}
