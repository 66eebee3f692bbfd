//! What happens in a runtime, in numbers.

use super::Handle;
use heist_core::PoolStats;

/// Numbers about a runtime, read when they are asked for; made by [`Handle::metrics`].
#[derive(Clone, Debug)]
pub struct RuntimeMetrics {
    handle: Handle,
}

impl RuntimeMetrics {
    pub(super) fn of(handle: Handle) -> Self {
        RuntimeMetrics { handle }
    }

    /// Threads that run tasks, apart from spare ones.
    pub fn num_workers(&self) -> usize {
        self.handle.num_workers()
    }

    /// Tasks that have not completed.
    pub fn num_alive_tasks(&self) -> usize {
        self.handle.num_alive_tasks()
    }

    /// Threads for blocking tasks.
    pub fn num_blocking_threads(&self) -> usize {
        self.handle.blocking().counts().0
    }

    /// Those of them that have nothing to do.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.handle.blocking().counts().1
    }

    /// Blocking tasks that wait for a thread.
    pub fn blocking_queue_depth(&self) -> usize {
        self.handle.blocking().counts().2
    }

    /// Tasks that wait in the injector, for any worker.
    pub fn global_queue_depth(&self) -> usize {
        self.handle.queued_from_outside()
    }

    /// Polls that took longer than [`Builder::slow_poll_threshold`](super::Builder::slow_poll_threshold).
    pub fn slow_poll_count(&self) -> usize {
        self.handle.slow_polls()
    }

    /// Times that a spare thread had to run tasks, because all workers were busy or blocked for long.
    pub fn relief_count(&self) -> u64 {
        self.handle.reliefs()
    }

    /// What each worker has done: jobs and tasks run, steals, parks.
    pub fn workers(&self) -> PoolStats {
        self.handle.pool_stats()
    }
}
