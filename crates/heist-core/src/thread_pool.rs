//! [`ThreadPool`]: a pool of one's own, and where the current thread stands.

use crate::{
    broadcast::{BroadcastContext, broadcast_in, spawn_broadcast_in},
    job::StackJob,
    join::join,
    latch::{ForeignLatch, Latch, ThreadLatch},
    registry::{current_team, in_worker_of},
    scope::{Scope, ScopeFifo, scope_fifo_in, scope_in},
    sleep::MAX_WORKERS,
    spawn::{spawn_at, spawn_fifo_in, spawn_in},
    stats::PoolStats,
    sync::Arc,
    task::Attachment,
    team::Team,
    worker::Worker,
};
use std::{fmt, mem, thread::JoinHandle};

/// A pool of worker threads, made by a [`ThreadPoolBuilder`](crate::ThreadPoolBuilder).
///
/// Inside of [`install`](Self::install) functions like [`join`](crate::join()) and [`scope`](crate::scope())
/// use this pool.
///
/// Dropping it does not block: jobs that were accepted are finished, then its threads end.
/// [`shutdown`](Self::shutdown) waits for that.
pub struct ThreadPool {
    team: Arc<Team>,
    handles: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    pub(crate) fn of(team: Arc<Team>, handles: Vec<JoinHandle<()>>) -> Self {
        ThreadPool { team, handles }
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.team
    }

    /// Calls `op` on a worker of this pool and returns its result.
    ///
    /// A thread of no pool blocks meanwhile. A worker of another pool works on for that one, so the caller
    /// may find that unrelated jobs have run on its thread.
    ///
    /// # Panics
    /// If `op` does.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        in_worker_of(&self.team, |_, _| op())
    }

    /// As [`join`](crate::join()), in this pool.
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| join(oper_a, oper_b))
    }

    /// As [`scope`](crate::scope()), in this pool.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        scope_in(&self.team, op)
    }

    /// As [`scope_fifo`](crate::scope_fifo), in this pool.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        scope_fifo_in(&self.team, op)
    }

    /// As [`in_place_scope`](crate::in_place_scope), with jobs in this pool.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        Scope::open(self.team.clone(), Worker::able(), op)
    }

    /// As [`in_place_scope_fifo`](crate::in_place_scope_fifo), with jobs in this pool.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        ScopeFifo::open(self.team.clone(), Worker::able(), op)
    }

    /// As [`spawn`](crate::spawn()), in this pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn_in(&self.team, op);
    }

    /// As [`spawn_fifo`](crate::spawn_fifo), in this pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn_fifo_in(&self.team, op);
    }

    /// As [`spawn`](Self::spawn), but the job is sent to one worker. That worker gets to it when its own
    /// queue is empty; if it is busy, another one may steal it.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn spawn_at<OP>(&self, worker: usize, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn_at(&self.team, worker, op);
    }

    /// As [`broadcast`](crate::broadcast()), in this pool.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_in(&self.team, op)
    }

    /// As [`spawn_broadcast`](crate::spawn_broadcast), in this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_broadcast_in(&self.team, op);
    }

    /// Lets a runtime queue tasks here; see [`task`](crate::task).
    #[doc(hidden)]
    pub fn attach(&self) -> Attachment {
        Attachment::new(&self.team)
    }

    /// How many threads the pool has.
    pub fn current_num_threads(&self) -> usize {
        self.team.size()
    }

    /// The index of the current thread, if it is one of this pool's. A thread keeps its index for life.
    pub fn current_thread_index(&self) -> Option<usize> {
        self.worker().map(Worker::index)
    }

    /// Whether the current thread has jobs in its own queue, if it is one of this pool's.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.worker().map(Worker::has_local_jobs)
    }

    /// Runs one waiting job from anywhere, if the current thread is one of this pool's.
    pub fn yield_now(&self) -> Option<Yield> {
        self.worker().map(|worker| worker.yield_now().into())
    }

    /// Runs one job from the current thread's own queue, if it is one of this pool's.
    pub fn yield_local(&self) -> Option<Yield> {
        self.worker().map(|worker| worker.yield_local().into())
    }

    /// What the workers have done since the pool was built.
    ///
    /// ```
    /// let pool = heist_core::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    /// pool.install(|| ());
    /// assert_eq!(pool.stats().workers.len(), 2);
    /// ```
    pub fn stats(&self) -> PoolStats {
        self.team.stats()
    }

    /// Ends the pool: waits until every job that it accepted has run, and joins its threads.
    ///
    /// A thread that [joined the pool](crate::ThreadPoolBuilder::use_current_thread) when it was built works
    /// for it until then, and leaves it; called elsewhere, `shutdown` may have to wait for what such a thread
    /// has yet to do. A worker of another pool works on for that one meanwhile.
    ///
    /// # Panics
    /// If called inside of one of the pool's own jobs, which would wait for itself.
    pub fn shutdown(mut self) {
        self.team.assert_not_forked();
        let own = self.worker();
        assert!(
            own.is_none_or(|worker| !worker.loops() && !worker.is_in_job()),
            "heist: ThreadPool::shutdown was called on one of the pool's own threads, \
             which would wait for itself"
        );
        let handles = mem::take(&mut self.handles);
        if let Some(worker) = own {
            self.end(ThreadLatch::new(), |latch| {
                worker.wait_for_all(&worker.thread().ended);
                worker.drain();
                Worker::leave();
                latch.wait();
            });
        } else if let Some(worker) = Worker::able() {
            self.end(ForeignLatch::new(worker.seat()), |latch| worker.wait_for_all(latch.core()));
        } else {
            self.end(ThreadLatch::new(), ThreadLatch::wait);
        }
        for handle in handles {
            // A worker does not unwind.
            let _ = handle.join();
        }
    }

    /// Drops the pool, with a latch that is set when its last thread has left its loop.
    fn end<L: Latch>(self, latch: L, wait: impl FnOnce(&L)) {
        let farewell = StackJob::new(|_| (), latch);
        // SAFETY: it stays until the latch is set.
        self.team.bid_farewell_with(unsafe { farewell.as_job() });
        drop(self);
        wait(&farewell.latch);
    }

    fn worker(&self) -> Option<&'static Worker> {
        Worker::of(&self.team)
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if self.team.is_forked() {
            // To detach them would mean to name threads that are not there; perhaps, by now, others.
            mem::take(&mut self.handles).into_iter().for_each(mem::forget);
        }
        self.team.remove_user();
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool").field("num_threads", &self.current_num_threads()).finish_non_exhaustive()
    }
}

/// What [`yield_now`] and [`yield_local`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// They ran a job.
    Executed,
    /// There was none.
    Idle,
}

impl From<bool> for Yield {
    fn from(ran: bool) -> Self {
        if ran { Yield::Executed } else { Yield::Idle }
    }
}

/// Most threads that a pool can have; a builder that asks for more gets this many.
pub fn max_num_threads() -> usize {
    MAX_WORKERS
}

/// How many threads the current pool has: the one of the current thread, else the global one.
pub fn current_num_threads() -> usize {
    current_team().size()
}

/// The index of the current thread in its pool, if it is in one. A thread keeps its index for life.
pub fn current_thread_index() -> Option<usize> {
    Worker::current().map(Worker::index)
}

/// Whether the current thread has jobs in its own queue, if it is in a pool.
///
/// A hint for when it is worth while to split work further.
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    Worker::current().map(Worker::has_local_jobs)
}

/// Runs one waiting job from anywhere in the current thread's pool; `None` outside of one.
pub fn yield_now() -> Option<Yield> {
    Worker::current().map(|worker| worker.yield_now().into())
}

/// Runs one job from the current thread's own queue; `None` outside of a pool.
pub fn yield_local() -> Option<Yield> {
    Worker::current().map(|worker| worker.yield_local().into())
}
