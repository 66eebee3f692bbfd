//! [`Runtime`]: a pool of workers with tasks on it.

mod builder;
mod handle;
mod metrics;
mod slow;

pub use {
    builder::Builder,
    handle::{EnterGuard, Handle, TryCurrentError},
    metrics::RuntimeMetrics,
    slow::SlowPoll,
};

pub(crate) use handle::WeakHandle;

use crate::task::{JoinHandle, Offload};
use heist_core::ThreadPool;
use std::{
    fmt,
    future::Future,
    io,
    time::{Duration, Instant},
};

/// A [`ThreadPool`] whose workers also run tasks.
///
/// Dropping it ends its tasks: each is dropped where it would be polled next. It waits for that, and for
/// blocking tasks that have begun, and for the pool's jobs; use [`shutdown_timeout`](Self::shutdown_timeout)
/// or [`shutdown_background`](Self::shutdown_background) to wait less. Dropped on one of its own threads, a
/// task's for example, it waits for nothing.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let runtime = heist_rt::runtime::Runtime::new()?;
/// let answer = runtime.block_on(async {
///     let task = heist_rt::task::spawn(async { 6 * 7 });
///     task.await.unwrap()
/// });
/// assert_eq!(answer, 42);
/// # Ok(())
/// # }
/// ```
pub struct Runtime {
    handle: Handle,
    /// There until it is shut down.
    pool: Option<ThreadPool>,
}

impl Runtime {
    /// A runtime with a worker per core, as [`Builder::new_multi_thread`] makes it.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new() -> io::Result<Self> {
        Builder::new_multi_thread().enable_all().build()
    }

    fn of(pool: ThreadPool, handle: Handle) -> Self {
        Runtime { handle, pool: Some(pool) }
    }

    /// Starts a task; see [`task::spawn`](crate::task::spawn).
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs a closure that computes for long as a job; see [`task::offload`](crate::task::offload).
    #[track_caller]
    pub fn offload<F, R>(&self, f: F) -> Offload<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.offload(f)
    }

    /// Runs a closure that blocks; see [`Handle::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(f)
    }

    /// Runs a future on the current thread until it completes; see [`Handle::block_on`].
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    /// Makes this the current runtime of the thread, until the guard is dropped.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// A handle to it.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// The pool that its tasks run on, for jobs beside them.
    pub fn pool(&self) -> &ThreadPool {
        self.pool.as_ref().expect("there until it is shut down")
    }

    /// What happens in it.
    pub fn metrics(&self) -> RuntimeMetrics {
        self.handle.metrics()
    }

    /// Ends the runtime, and waits for that at most so long.
    pub fn shutdown_timeout(mut self, duration: Duration) {
        self.shut_down(Instant::now().checked_add(duration));
    }

    /// Ends the runtime, and waits for nothing.
    pub fn shutdown_background(self) {
        self.shutdown_timeout(Duration::ZERO);
    }

    fn shut_down(&mut self, deadline: Option<Instant>) {
        let Some(pool) = self.pool.take() else { return };
        self.handle.close();
        if self.handle.is_here() {
            // We would wait for ourselves.
            return;
        }
        self.handle.wait(deadline);
        if deadline.is_none() {
            pool.shutdown();
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.shut_down(None);
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("handle", &self.handle).finish_non_exhaustive()
    }
}
