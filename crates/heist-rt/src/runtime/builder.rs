//! [`Builder`]: what a runtime can be told before it is born.

use super::{Handle, Runtime, SlowPoll, slow};
use crate::{blocking, sync::Arc};
use heist_core::ThreadPoolBuilder;
use std::{fmt, io, num::NonZeroU32, time::Duration};

type Callback = Arc<dyn Fn() + Send + Sync>;

/// Configures and builds a [`Runtime`].
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let runtime = heist_rt::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
/// assert_eq!(runtime.metrics().num_workers(), 2);
/// # Ok(())
/// # }
/// ```
pub struct Builder {
    worker_threads: usize,
    max_blocking_threads: usize,
    thread_keep_alive: Duration,
    thread_stack_size: Option<usize>,
    thread_name: Arc<dyn Fn() -> String + Send + Sync>,
    global_queue_interval: Option<NonZeroU32>,
    on_thread_start: Option<Callback>,
    on_thread_stop: Option<Callback>,
    slow_polls: slow::Config,
}

impl Builder {
    /// A runtime with several workers, one per core unless told otherwise.
    pub fn new_multi_thread() -> Self {
        Builder {
            worker_threads: 0,
            max_blocking_threads: 512,
            thread_keep_alive: Duration::from_secs(10),
            thread_stack_size: None,
            thread_name: Arc::new(|| "heist-worker".to_owned()),
            global_queue_interval: None,
            on_thread_start: None,
            on_thread_stop: None,
            slow_polls: slow::Config { threshold: Duration::from_millis(10), hook: None },
        }
    }

    /// A runtime with one worker. Unlike Tokio's, that is a thread of its own: tasks run also while nobody
    /// blocks on one; and while that thread is held up by one of them, others run elsewhere.
    pub fn new_current_thread() -> Self {
        let mut builder = Self::new_multi_thread();
        builder.worker_threads(1);
        builder
    }

    /// There is nothing to enable: what a runtime has costs nothing until it is used.
    pub fn enable_all(&mut self) -> &mut Self {
        self
    }

    /// As [`enable_all`](Self::enable_all).
    pub fn enable_io(&mut self) -> &mut Self {
        self
    }

    /// As [`enable_all`](Self::enable_all).
    pub fn enable_time(&mut self) -> &mut Self {
        self
    }

    /// How many workers. Without this call: what `HEIST_NUM_THREADS` says, else one per core.
    ///
    /// # Panics
    /// If it is zero.
    #[track_caller]
    pub fn worker_threads(&mut self, threads: usize) -> &mut Self {
        assert!(threads > 0, "heist: a runtime needs at least one worker thread");
        self.worker_threads = threads;
        self
    }

    /// The most threads for blocking tasks at a time; 512 without this call.
    ///
    /// # Panics
    /// If it is zero.
    #[track_caller]
    pub fn max_blocking_threads(&mut self, threads: usize) -> &mut Self {
        assert!(threads > 0, "heist: a runtime needs at least one thread for blocking tasks");
        self.max_blocking_threads = threads;
        self
    }

    /// How long a thread for blocking tasks stays idle before it ends; 10 seconds without this call.
    pub fn thread_keep_alive(&mut self, duration: Duration) -> &mut Self {
        self.thread_keep_alive = duration;
        self
    }

    /// The size of each thread's stack, in bytes.
    pub fn thread_stack_size(&mut self, bytes: usize) -> &mut Self {
        self.thread_stack_size = Some(bytes);
        self
    }

    /// The name of every thread.
    pub fn thread_name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Called for the name of each thread.
    pub fn thread_name_fn<F>(&mut self, name: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.thread_name = Arc::new(name);
        self
    }

    /// How many tasks a worker runs before it asks for those from outside first. Without this call it finds
    /// out by itself: about once in a millisecond, between every 8 and every 255 tasks.
    ///
    /// # Panics
    /// If it is zero.
    #[track_caller]
    pub fn global_queue_interval(&mut self, tasks: u32) -> &mut Self {
        let tasks = NonZeroU32::new(tasks).expect("heist: the interval of the global queue cannot be zero");
        self.global_queue_interval = Some(tasks);
        self
    }

    /// Called in each thread when it starts, also those for blocking tasks. A panic in it ends the process.
    pub fn on_thread_start<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_start = Some(Arc::new(f));
        self
    }

    /// Called in each thread when it ends. A panic in it ends the process.
    pub fn on_thread_stop<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_stop = Some(Arc::new(f));
        self
    }

    /// A poll of a task that takes longer is slow: it is counted, the
    /// [hook](Self::on_slow_poll) is called, and if no worker is at its post a spare thread runs the other
    /// tasks. 10 milliseconds without this call, and one at least.
    ///
    /// Twice in that time, while anything happens at all, a thread looks at what the workers do.
    pub fn slow_poll_threshold(&mut self, threshold: Duration) -> &mut Self {
        self.slow_polls.threshold = threshold.max(Duration::from_millis(1));
        self
    }

    /// Called when a poll turns out to be slow, and again when it is over; says which task it is. While it
    /// runs nobody looks for other slow polls: it should not block. A panic in it ends the process.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let runtime = heist_rt::runtime::Builder::new_multi_thread()
    ///     .on_slow_poll(|poll| eprintln!("{poll:?}"))
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_slow_poll<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&SlowPoll) + Send + Sync + 'static,
    {
        self.slow_polls.hook = Some(Arc::new(f));
        self
    }

    pub(super) fn slow_polls(&self) -> slow::Config {
        self.slow_polls.clone()
    }

    pub(super) fn blocking(&self) -> blocking::Config {
        blocking::Config {
            most_threads: self.max_blocking_threads,
            keep_alive: self.thread_keep_alive,
            stack_size: self.thread_stack_size,
            name: self.thread_name.clone(),
            start: self.on_thread_start.clone(),
            stop: self.on_thread_stop.clone(),
        }
    }

    /// Builds the runtime, and its pool.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn build(&mut self) -> io::Result<Runtime> {
        let name = self.thread_name.clone();
        let mut pool = ThreadPoolBuilder::new().num_threads(self.worker_threads).thread_name(move |_| name());
        if let Some(size) = self.thread_stack_size {
            pool = pool.stack_size(size);
        }
        if let Some(start) = self.on_thread_start.clone() {
            pool = pool.start_handler(move |_| start());
        }
        if let Some(stop) = self.on_thread_stop.clone() {
            pool = pool.exit_handler(move |_| stop());
        }
        let pool = pool.build().map_err(io::Error::other)?;
        let attachment = pool.attach();
        if let Some(interval) = self.global_queue_interval {
            attachment.set_interval(interval);
        }
        let handle = Handle::new(attachment, self.blocking(), self.slow_polls())?;
        Ok(Runtime::of(pool, handle))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("worker_threads", &self.worker_threads)
            .field("max_blocking_threads", &self.max_blocking_threads)
            .field("thread_keep_alive", &self.thread_keep_alive)
            .field("thread_stack_size", &self.thread_stack_size)
            .finish_non_exhaustive()
    }
}
