//! [`ThreadPoolBuilder`]: what a pool can be told before it is born, and what can go wrong.

use crate::{
    ThreadPool,
    registry::{self, CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn},
    team::Handlers,
};
use std::{any::Any, env, error::Error, fmt, io, thread};

/// A pool could not be built.
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    kind: ErrorKind,
}

#[derive(Debug)]
pub(crate) enum ErrorKind {
    GlobalPoolAlreadyInitialized,
    CurrentThreadAlreadyInPool,
    Io(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        ThreadPoolBuildError { kind }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::GlobalPoolAlreadyInitialized => {
                f.write_str("The global thread pool has already been initialized.")
            }
            ErrorKind::CurrentThreadAlreadyInPool => {
                f.write_str("The current thread is already part of another thread pool.")
            }
            ErrorKind::Io(error) => error.fmt(f),
        }
    }
}

impl Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Configures and builds a [`ThreadPool`], or the global one.
///
/// ```
/// # fn main() -> Result<(), heist_core::ThreadPoolBuildError> {
/// let pool = heist_core::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.install(|| heist_core::join(|| 1, || 2)), (1, 2));
/// # Ok(())
/// # }
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    pub(crate) use_current_thread: bool,
    pub(crate) stealing: bool,
    pub(crate) stack_size: Option<usize>,
    pub(crate) thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    pub(crate) handlers: Handlers,
    pub(crate) spawn: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ThreadPoolBuilder {
    /// A builder with the defaults.
    pub fn new() -> Self {
        ThreadPoolBuilder {
            num_threads: 0,
            use_current_thread: false,
            stealing: true,
            stack_size: None,
            thread_name: None,
            handlers: Handlers::default(),
            spawn: DefaultSpawn::default(),
        }
    }

    /// Builds a pool of scoped threads, which may borrow what outlives the call.
    ///
    /// Each thread is a call of `wrapper`, which should call [`ThreadBuilder::run`]; around it there is room
    /// for values of the thread's own. `with_pool` gets the pool; when it returns, the pool is told to end
    /// and its threads are joined.
    ///
    /// ```
    /// # fn main() -> Result<(), heist_core::ThreadPoolBuildError> {
    /// let words = vec!["borrowed"];
    /// let length = heist_core::ThreadPoolBuilder::new().num_threads(1).build_scoped(
    ///     |thread| {
    ///         assert_eq!(words.len(), 1);
    ///         thread.run();
    ///     },
    ///     |pool| pool.install(|| words[0].len()),
    /// )?;
    /// assert_eq!(length, 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let wrapper = &wrapper;
            let pool = self
                .spawn_handler(|thread| {
                    thread.for_std().spawn_scoped(scope, || wrapper(thread))?;
                    Ok(())
                })
                .build()?;
            Ok(with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds the pool.
    ///
    /// # Errors
    /// If a thread cannot be started; those that were are told to end, and joined, unless a
    /// [spawn handler](ThreadPoolBuilder::spawn_handler) started them. If
    /// [`use_current_thread`](Self::use_current_thread) was asked of a thread that is in a pool.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let (team, handles) = registry::build(self)?;
        Ok(ThreadPool::of(team, handles))
    }

    /// Makes it the global pool, which functions like [`join`](crate::join()) use outside of any pool.
    ///
    /// Without this call, the global pool is built with the defaults when it is first used.
    ///
    /// # Errors
    /// As [`build`](Self::build), and if there is a global pool already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        registry::build_global(self)
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Starts the pool's threads by a closure instead of [`std::thread`].
    ///
    /// The closure is called once per thread; the new thread must call [`ThreadBuilder::run`], which returns
    /// when the pool has ended. Name and stack size are then the closure's affair.
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            stealing: self.stealing,
            stack_size: self.stack_size,
            thread_name: self.thread_name,
            handlers: self.handlers,
            spawn: CustomSpawn(spawn),
        }
    }

    /// How many threads. Zero, the default, means: what the environment variable `HEIST_NUM_THREADS` says,
    /// else `RAYON_NUM_THREADS`, else as many as [`std::thread::available_parallelism`] finds, which knows of
    /// affinity masks and cgroup quotas.
    ///
    /// More than [`max_num_threads`](crate::max_num_threads) become that many.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// The current thread becomes worker 0, besides the threads that are started for the others.
    ///
    /// It has no loop of its own: it works for the pool only inside of calls such as [`join`](crate::join()),
    /// [`scope`](crate::scope()) and [`yield_now`](crate::yield_now). In particular a
    /// [`broadcast`](crate::broadcast()) from another thread waits until it makes such a call. It stays a
    /// member of the pool, even if the pool is dropped, until it calls [`ThreadPool::shutdown`].
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// The threads' names, by index.
    pub fn thread_name<F>(mut self, name: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(name));
        self
    }

    /// The size of each thread's stack, in bytes.
    ///
    /// A worker that waits works meanwhile, on top of the frames that wait; once half of the stack is used it
    /// takes only what somebody waits for and nobody else can be counted on to run. So a stack should be
    /// twice as large as what a job needs by itself.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Called with what a job panicked with, if nobody waits for that job. Without a handler such a panic
    /// ends the process, as does a panic in the handler.
    pub fn panic_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.handlers.panic = Some(Box::new(handler));
        self
    }

    /// Called in each thread when it starts, with its index. If it panics, that goes to the
    /// [panic handler](Self::panic_handler) and the thread goes on.
    pub fn start_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.start = Some(Box::new(handler));
        self
    }

    /// Called in each thread when it ends, with its index. If it panics, that goes to the
    /// [panic handler](Self::panic_handler).
    pub fn exit_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.exit = Some(Box::new(handler));
        self
    }

    /// Whether workers take work from each other; they do by default.
    ///
    /// Without stealing a worker runs what it pushed itself, what was [placed](ThreadPool::spawn_at) with it,
    /// and what is submitted from outside.
    pub fn stealing(mut self, enabled: bool) -> Self {
        self.stealing = enabled;
        self
    }

    pub(crate) fn threads_wanted(&self) -> usize {
        if self.num_threads > 0 {
            return self.num_threads;
        }
        let asked = |name| env::var(name).ok()?.parse().ok().filter(|&threads: &usize| threads > 0);
        asked("HEIST_NUM_THREADS")
            .or_else(|| asked("RAYON_NUM_THREADS"))
            // Rayon's old name for it.
            .or_else(|| asked("RAYON_RS_NUM_CPUS"))
            .or_else(|| thread::available_parallelism().ok().map(Into::into))
            .unwrap_or(1)
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = |is_set: bool| if is_set { "<set>" } else { "<none>" };
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("stealing", &self.stealing)
            .field("stack_size", &self.stack_size)
            .field("thread_name", &set(self.thread_name.is_some()))
            .field("panic_handler", &set(self.handlers.panic.is_some()))
            .field("start_handler", &set(self.handlers.start.is_some()))
            .field("exit_handler", &set(self.handlers.exit.is_some()))
            .finish_non_exhaustive()
    }
}
