//! [`spawn`]: jobs that nobody waits for.

use crate::{
    job::{HeapJob, Job},
    registry::current_team,
    sync::Arc,
    team::{Team, User},
    worker::Worker,
};

/// Starts a job in the current pool, the global one outside of any, and does not wait for it.
///
/// The newest job that a worker spawned is the first that it runs, while others steal the oldest. A pool
/// finishes its accepted jobs before its threads end, also if it is dropped; the end of the process does not
/// wait.
///
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// heist_core::spawn(move || sender.send(6 * 7).unwrap());
/// assert_eq!(receiver.recv(), Ok(42));
/// ```
///
/// # Panics
/// A panic in the job goes to the pool's [panic handler](crate::ThreadPoolBuilder::panic_handler); without
/// one it ends the process.
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn_in(&current_team(), func);
}

/// As [`spawn`], but the jobs that one worker spawned this way start in the order they were spawned.
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn_fifo_in(&current_team(), func);
}

pub(crate) fn spawn_in(team: &Arc<Team>, func: impl FnOnce() + Send + 'static) {
    let job = detached(team, func);
    match Worker::of(team) {
        Some(worker) => worker.push(job),
        None => team.inject(job),
    }
}

pub(crate) fn spawn_fifo_in(team: &Arc<Team>, func: impl FnOnce() + Send + 'static) {
    let job = detached(team, func);
    match Worker::of(team) {
        Some(worker) => worker.push_fifo(job),
        None => team.inject(job),
    }
}

pub(crate) fn spawn_at(team: &Arc<Team>, index: usize, func: impl FnOnce() + Send + 'static) {
    let size = team.size();
    assert!(index < size, "heist: there is no worker {index} in a pool of {size}");
    team.place(index, detached(team, func));
}

/// A job that keeps its pool until it has run.
pub(crate) fn detached(team: &Arc<Team>, func: impl FnOnce() + Send + 'static) -> Job {
    let user = User::new(team);
    // SAFETY: it borrows nothing, and `shield` lets no panic out.
    unsafe { HeapJob::job(move || user.team().shield(func)) }
}
