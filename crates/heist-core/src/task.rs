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
    sync::Arc,
    team::{Team, User},
    worker::Worker,
};

pub use crate::job::Header;

/// A reference to a queued task.
pub type Task = crate::job::Job;

/// A runtime's hold on a pool, which does not end while there is one.
#[derive(Debug)]
pub struct Attachment {
    user: User,
}

impl Attachment {
    pub(crate) fn new(team: &Arc<Team>) -> Self {
        Attachment { user: User::new(team) }
    }

    /// Queues a task: as the next one at the post of the worker that this is, if it is one of the pool's;
    /// else for whoever comes first. An attachment must stay until the task has run.
    ///
    /// # Safety
    /// A task is queued at most once at a time: who runs it relies on being alone.
    pub unsafe fn submit(&self, task: Task) {
        let team = self.user.team();
        match Worker::of(team) {
            Some(worker) => worker.push_task(task),
            None => team.inject_task(task),
        }
    }
}

impl Clone for Attachment {
    fn clone(&self) -> Self {
        Self::new(self.user.team())
    }
}
