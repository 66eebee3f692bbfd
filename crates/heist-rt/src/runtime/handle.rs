//! [`Handle`]: a runtime, as everybody but its owner sees it.

use super::{RuntimeMetrics, slow};
use crate::{
    block_on::block_on,
    blocking::{self, Blocking, Call},
    context,
    driver::{self, Driver},
    sync::{Arc, AtomicUsize, Ordering},
    task::{Id, JoinHandle, Offload, Offloaded, Owned, Ref, Scheduler},
    time::Activity,
};
use heist_core::{
    PoolStats,
    task::{Attachment, Life, WatchConfig, catch, discard},
};
use std::{
    error::Error,
    fmt,
    future::Future,
    io,
    marker::PhantomData,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Instant,
};

/// A runtime, to start tasks in it from anywhere. It does not keep the runtime: what is spawned after the
/// runtime has ended is cancelled at once.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    attachment: Attachment,
    pub(super) tasks: Owned,
    blocking: Arc<blocking::Pool>,
    pub(super) slow_polls: AtomicUsize,
    /// Those at work who are no workers.
    activity: Arc<Activity>,
    /// Where sockets and timers wait, once there are any.
    driver: OnceLock<Arc<Driver>>,
    /// Whether the runtime ends. Locked also while a driver is made: one that comes too late is ended, too.
    closed: Mutex<bool>,
}

/// What a pool knows about its runtime.
struct Home(Weak<Shared>);

/// A runtime, as what belongs to its pool may know it.
pub(crate) struct WeakHandle(Weak<Shared>);

impl Handle {
    /// # Errors
    /// If the thread that watches over the workers cannot be started.
    pub(super) fn new(
        attachment: Attachment,
        blocking: blocking::Config,
        slow: slow::Config,
    ) -> io::Result<Self> {
        let tasks = Owned::new(attachment.num_threads());
        let activity = Arc::new(Activity::new());
        let shared = Arc::new(Shared {
            blocking: blocking::Pool::new(blocking, activity.clone()),
            attachment,
            tasks,
            slow_polls: AtomicUsize::new(0),
            activity,
            driver: OnceLock::new(),
            closed: Mutex::new(false),
        });
        // Not a handle: the pool would keep what keeps the pool.
        shared.attachment.set_home(Home(Arc::downgrade(&shared)));
        let (threads, runtime) = (shared.blocking.clone(), Arc::downgrade(&shared));
        shared.attachment.watch(WatchConfig {
            slow_poll: slow.threshold,
            most_threads: threads.most_threads(),
            start_thread: Box::new(move |life| start_relief(&threads, life)),
            on_slow_poll: slow.reporter(runtime),
        })?;
        Ok(Handle { shared })
    }

    /// The runtime that the thread is in: that of the task it runs, the one it has [entered](Self::enter), or
    /// that of the pool it works for.
    ///
    /// # Panics
    /// If it is in none.
    #[track_caller]
    pub fn current() -> Self {
        match Self::try_current() {
            Ok(handle) => handle,
            Err(error) => panic!("heist: {error}"),
        }
    }

    /// The runtime that the thread is in, if it is in one.
    ///
    /// # Errors
    /// If it is in none.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        Self::of_thread().ok_or(TryCurrentError(()))
    }

    /// That of the task or the guard, else that of the pool that the thread works for.
    fn of_thread() -> Option<Self> {
        let of_pool = || heist_core::task::with_home(|Home(shared)| shared.upgrade()).flatten();
        context::current().or_else(|| Some(Handle { shared: of_pool()? }))
    }

    /// The runtime of the global pool, made on first use. It never ends.
    ///
    /// It is what [`task::spawn`](crate::task::spawn) and [`block_on`](crate::block_on()) use outside of any
    /// runtime.
    pub fn global() -> &'static Handle {
        static GLOBAL: OnceLock<Handle> = OnceLock::new();
        GLOBAL.get_or_init(|| {
            let builder = super::Builder::new_multi_thread();
            let (blocking, slow) = (builder.blocking(), builder.slow_polls());
            Handle::new(Attachment::to_global(), blocking, slow)
                .unwrap_or_else(|error| panic!("heist: the global runtime could not be made: {error}"))
        })
    }

    pub(crate) fn current_or_global() -> Self {
        Self::of_thread().unwrap_or_else(|| Self::global().clone())
    }

    /// Starts a task; see [`task::spawn`](crate::task::spawn).
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        // SAFETY: both may be sent, and borrow nothing.
        let (task, joiner) = unsafe { Ref::new(future, Id::next(), self.clone()) };
        self.begin(task, |task| self.submit(task));
        JoinHandle::new(joiner)
    }

    /// Runs a closure that computes for long as a job; see [`task::offload`](crate::task::offload).
    #[track_caller]
    pub fn offload<F, R>(&self, f: F) -> Offload<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        // SAFETY: both may be sent, and borrow nothing.
        let (task, joiner) = unsafe { Ref::new(Call(Some(f)), Id::next(), Offloaded(self.clone())) };
        self.begin(task, |task| self.submit_offload(task));
        Offload::new(JoinHandle::new(joiner))
    }

    /// Lists a new task and has it queued, or cancels it if the runtime has ended.
    fn begin(&self, task: Ref, submit: impl FnOnce(Ref)) {
        if self.shared.tasks.add(&task) {
            submit(task);
        } else {
            task.cancel();
            // SAFETY: never queued, so the reference in hand is the queue's.
            unsafe { task.run() };
        }
    }

    pub(crate) fn submit_offload(&self, task: Ref) {
        // SAFETY: as in `submit`.
        unsafe { self.shared.attachment.submit_offload(task.into_task()) };
    }

    /// Runs a closure that blocks, on a thread made for that.
    ///
    /// Such threads are started when they are needed, up to
    /// [`max_blocking_threads`](super::Builder::max_blocking_threads), and end when they have been idle for a
    /// while. A closure that has begun cannot be aborted.
    ///
    /// # Panics
    /// If there is no such thread and none can be started.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        // SAFETY: both may be sent, and borrow nothing.
        let (task, joiner) = unsafe { Ref::new(Call(Some(f)), Id::next(), Blocking(self.clone())) };
        self.shared.blocking.submit(task);
        JoinHandle::new(joiner)
    }

    /// Runs a future on the current thread until it completes, in this runtime: what it spawns runs there.
    ///
    /// It may be called anywhere, also on a worker, inside of a task or a parallel iterator. Other tasks go
    /// on meanwhile, as with [`block_in_place`](crate::task::block_in_place); but jobs have to wait if all
    /// workers do this at once, except for [offloaded](crate::task::offload) ones, which a worker takes while
    /// it waits.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _entered = self.enter();
        block_on(future, &self.shared.activity, &self.shared.attachment)
    }

    /// Makes this the current runtime of the thread, until the guard is dropped.
    ///
    /// # Panics
    /// Guards must be dropped in the reverse of the order in which they were made; to drop one too early
    /// panics.
    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard { _entered: context::enter(self.clone()), handle: PhantomData }
    }

    /// What happens in the runtime.
    pub fn metrics(&self) -> RuntimeMetrics {
        RuntimeMetrics::of(self.clone())
    }

    /// Where the runtime's sockets and timers wait. Made and attached to the pool when it is first asked for.
    ///
    /// # Errors
    /// If the system refuses what it takes.
    pub(crate) fn driver(&self) -> io::Result<&Arc<Driver>> {
        if let Some(driver) = self.shared.driver.get() {
            return Ok(driver);
        }
        let closed = self.closed();
        if self.shared.driver.get().is_none() {
            let new = Driver::new(self.num_workers())?;
            if *closed {
                new.end();
            } else {
                let runtime = WeakHandle(Arc::downgrade(&self.shared));
                self.shared.attachment.set_driver(Box::new(driver::ForPool { driver: new.clone(), runtime }));
            }
            // We have the lock.
            let _ = self.shared.driver.set(new);
        }
        Ok(self.shared.driver.get().expect("set above, or by somebody else before"))
    }

    fn closed(&self) -> MutexGuard<'_, bool> {
        self.shared.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That, if it has been asked for.
    pub(crate) fn driver_if_made(&self) -> Option<&Arc<Driver>> {
        self.shared.driver.get()
    }

    pub(crate) fn blocking(&self) -> &Arc<blocking::Pool> {
        &self.shared.blocking
    }

    /// Whether this thread is one of the runtime's.
    pub(super) fn is_here(&self) -> bool {
        self.shared.attachment.is_here() || self.shared.blocking.is_here()
    }

    pub(super) fn num_workers(&self) -> usize {
        self.shared.attachment.num_threads()
    }

    pub(super) fn num_alive_tasks(&self) -> usize {
        self.shared.tasks.count()
    }

    pub(super) fn queued_from_outside(&self) -> usize {
        self.shared.attachment.queued_from_outside()
    }

    /// Polls that were slow, so far.
    pub(super) fn slow_polls(&self) -> usize {
        self.shared.slow_polls.load(Ordering::Relaxed)
    }

    /// Times a spare thread had to run tasks.
    pub(super) fn reliefs(&self) -> u64 {
        self.shared.attachment.reliefs()
    }

    pub(super) fn pool_stats(&self) -> PoolStats {
        self.shared.attachment.stats()
    }

    /// Takes no more tasks, and asks those that there are to end.
    pub(super) fn close(&self) {
        self.shared.blocking.close();
        if self.shared.tasks.close() {
            self.let_go();
        }
    }

    /// No task is left. Until now the pool was kept and with it the driver: what the last ones awaited still
    /// went on.
    fn let_go(&self) {
        *self.closed() = true;
        if let Some(driver) = self.shared.driver.get() {
            driver.end();
        }
        self.shared.attachment.let_go();
    }

    /// Blocks until no task is left, or until the deadline.
    pub(super) fn wait(&self, deadline: Option<Instant>) {
        self.shared.tasks.wait(deadline);
        self.shared.blocking.wait(deadline);
    }
}

/// Starts a thread that runs tasks in place of the workers. What the builder wants its name from is the
/// user's, and may panic.
fn start_relief(threads: &blocking::Pool, life: Life) -> io::Result<()> {
    catch(|| threads.start_thread(|ends| life(Box::new(|| drop(ends))))).unwrap_or_else(|payload| {
        discard(payload);
        Err(io::Error::other("the name of a thread could not be made up"))
    })
}

impl WeakHandle {
    /// Whether nothing will happen in the runtime by itself: see `time`'s clock.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.upgrade().is_some_and(|shared| shared.activity.is_quiet_while(|| shared.attachment.is_idle()))
    }
}

impl Scheduler for Handle {
    #[inline]
    fn submit(&self, task: Ref) {
        // SAFETY: a task has one reference in a queue at most: `NOTIFIED` says whether. As long as it is not
        // complete the attachment holds the pool.
        unsafe { self.shared.attachment.submit(task.into_task()) };
    }

    fn submit_again(&self, task: Ref) {
        // SAFETY: as above.
        unsafe { self.shared.attachment.submit_behind(task.into_task()) };
    }

    fn forget(&self, task: &Ref) {
        if self.shared.tasks.remove(task) {
            self.let_go();
        }
    }

    #[inline]
    fn enter(&self, task: Id) -> impl Sized {
        context::run(task, self)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("workers", &self.num_workers())
            .field("alive_tasks", &self.num_alive_tasks())
            .finish_non_exhaustive()
    }
}

/// The thread is in a runtime while this is there; made by [`Handle::enter`].
#[derive(Debug)]
#[must_use = "the runtime is left when the guard is dropped"]
pub struct EnterGuard<'a> {
    _entered: context::Entered,
    handle: PhantomData<&'a Handle>,
}

/// The thread is in no runtime.
pub struct TryCurrentError(());

impl fmt::Display for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no current runtime here; call this from inside of a task, or enter a runtime")
    }
}

impl fmt::Debug for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TryCurrentError")
    }
}

impl Error for TryCurrentError {}
