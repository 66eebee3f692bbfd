//! [`broadcast`]: the same closure on every worker of a pool.

use crate::{
    job::StackJob,
    latch::{CountLatch, Latch},
    registry::{current_team, here},
    spawn::detached,
    sync::Arc,
    team::{Team, User},
    trace::{Code, Entry},
    unwind,
    worker::Worker,
};
use std::{fmt, marker::PhantomData};

/// Calls `op` once on every worker of the current pool, the global one outside of any, and returns the
/// results by worker.
///
/// A worker gets to it when its own queue is empty, before it steals from others.
///
/// ```
/// let pool = heist_core::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
/// assert_eq!(pool.broadcast(|context| context.index() * 10), [0, 10, 20]);
/// ```
///
/// # Panics
/// If a call panics, `broadcast` does so once all calls have ended, with the panic of the lowest worker.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    broadcast_in(&current_team(), op)
}

/// As [`broadcast`], but waits for nothing. Panics are treated as those of [`spawn`](crate::spawn()).
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    spawn_broadcast_in(&current_team(), op);
}

/// Tells a closure of a [`broadcast`] where it runs.
pub struct BroadcastContext<'a> {
    worker: &'a Worker,
    /// It speaks of this thread.
    not_send: PhantomData<*mut ()>,
}

impl BroadcastContext<'_> {
    /// Calls `f` with the context of the worker that this thread is.
    pub(crate) fn with<R>(f: impl FnOnce(BroadcastContext<'_>) -> R) -> R {
        f(BroadcastContext { worker: here(), not_send: PhantomData })
    }

    /// The worker's index, from zero to the number of threads less one.
    #[inline]
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many workers the broadcast goes to.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.worker.team().size()
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .finish_non_exhaustive()
    }
}

/// Each part of a broadcast counts down the same latch.
struct Part<'a>(&'a CountLatch);

impl Latch for Part<'_> {
    unsafe fn set(this: *const Self) {
        // SAFETY: the common latch is as valid as this part, and the part is not touched after it was read.
        unsafe { Latch::set((*this).0) };
    }
}

pub(crate) fn broadcast_in<OP, R>(team: &Arc<Team>, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    // Until all parts have run, the threads must stay.
    let _user = User::new(team);
    let worker = Worker::able();
    let latch = CountLatch::new(worker.map(Worker::seat));
    let call = |_| BroadcastContext::with(&op);
    let parts: Vec<_> = (0..team.size()).map(|_| StackJob::new(call, Part(&latch))).collect();
    latch.begin(parts.len());
    // SAFETY: the parts stay until the latch is set, for which we wait below; nothing unwinds in between.
    let jobs = parts.iter().map(|part| unsafe { part.as_job() });
    team.trace(|| Entry::new(Code::Opened));
    team.place_parts(jobs);
    // SAFETY: the latch is ours.
    unsafe { wait_for_all(&latch, worker, team) };
    team.trace(|| Entry::new(Code::Closed));
    // SAFETY: every part has run, and is asked once.
    let results: Vec<_> = parts.iter().map(|part| unsafe { part.result() }).collect();
    let mut first_panic = None;
    let mut values = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(payload) if first_panic.is_none() => first_panic = Some(payload),
            Err(payload) => unwind::discard(payload),
        }
    }
    if let Some(payload) = first_panic {
        values.into_iter().for_each(unwind::discard);
        unwind::resume(payload);
    }
    values
}

/// Counts the waiter's own part and waits for all others, which are jobs of this team: working if it is a
/// worker, of whatever team, else blocked.
///
/// # Safety
/// The latch is valid until this returns, and the waiter's own part is counted only here.
pub(crate) unsafe fn wait_for_all(latch: &CountLatch, worker: Option<&Worker>, team: &Team) {
    // SAFETY: borrowed.
    unsafe { Latch::set(latch) };
    match (latch.core(), worker) {
        (Some(core), Some(worker)) if Worker::of(team).is_some() => worker.wait_for(core),
        (Some(core), Some(worker)) => team.trace_wait(|| worker.wait_for(core)),
        _ => team.trace_wait(|| latch.block()),
    }
}

pub(crate) fn spawn_broadcast_in<OP>(team: &Arc<Team>, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let op = Arc::new(op);
    let parts: Vec<_> = (0..team.size())
        .map(|_| {
            let op = op.clone();
            detached(team, move || BroadcastContext::with(&*op))
        })
        .collect();
    team.place_errands(parts.into_iter());
}
