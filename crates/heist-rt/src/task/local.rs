//! [`LocalSet`]: tasks that stay on one thread, whose futures need not be `Send`.
//!
//! They are tasks like others, in the same cells, whose scheduler is a queue that only the set's own thread
//! takes from: while somebody polls the set, or a future in it. Everybody may put a task there, by calling
//! its waker or by aborting it, and wakes the one who polls.
//!
//! # Invariants
//! I1 A set stays on one thread, and only there its tasks are run: its futures are polled and dropped there.
//!    So is an output that may not be sent, since its handle may not either.
//! I2 When a set is gone, its tasks are complete. What is left of them may be freed on any thread.

use super::{Id, JoinHandle, Owned, Ref, Scheduler};
use crate::{context, runtime::Runtime, sync::Arc};
use std::{
    cell::RefCell,
    collections::VecDeque,
    fmt,
    future::{Future, poll_fn},
    marker::PhantomData,
    mem,
    pin::{Pin, pin},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// Tasks that are run before whoever polls the set gets its turn again.
const TASKS_PER_TURN: usize = 61;

thread_local! {
    /// The set that this thread is in.
    static CURRENT: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

/// Tasks that stay on the thread that the set is on, so that their futures need not be `Send`.
///
/// They run while somebody awaits [`run_until`](Self::run_until), or the set itself, which is a future that
/// completes when no task is left. To drop the set ends its tasks.
///
/// ```
/// use heist_rt::{runtime::Runtime, task};
/// use std::rc::Rc;
///
/// # fn main() -> std::io::Result<()> {
/// let runtime = Runtime::new()?;
/// let local = task::LocalSet::new();
/// let shared = Rc::new(42);
/// let answer = local.block_on(&runtime, async move {
///     task::spawn_local(async move { *shared }).await.unwrap()
/// });
/// assert_eq!(answer, 42);
/// # Ok(())
/// # }
/// ```
pub struct LocalSet {
    shared: Arc<Shared>,
    not_send: PhantomData<*mut ()>,
}

struct Shared {
    tasks: Owned,
    queue: Mutex<Queue>,
    /// Something came.
    came: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Ref>,
    /// Of who polls the set.
    waker: Option<Waker>,
}

/// Where the tasks of a set are queued.
struct Local(Arc<Shared>);

impl Scheduler for Local {
    fn submit(&self, task: Ref) {
        let mut queue = self.0.lock();
        queue.tasks.push_back(task);
        let waker = queue.waker.take();
        drop(queue);
        self.0.came.notify_one();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn forget(&self, task: &Ref) {
        self.0.tasks.remove(task);
    }

    fn enter(&self, task: Id) -> impl Sized {
        context::run_here(task)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// On the set's own thread only.
    #[track_caller]
    fn spawn<F: Future + 'static>(self: &Arc<Self>, future: F) -> JoinHandle<F::Output> {
        // SAFETY: the future is run on this thread only (I1), and borrows nothing. Its output is given to
        // whoever has the handle, which may be sent only if the output may.
        let (task, joiner) = unsafe { Ref::new(future, Id::next(), Local(self.clone())) };
        if self.tasks.add(&task) {
            Local(self.clone()).submit(task);
        } else {
            task.cancel();
            // SAFETY: never queued, so the reference in hand is the queue's; and this is its thread.
            unsafe { task.run() };
        }
        JoinHandle::new(joiner)
    }

    /// Runs some of the tasks that are due. Says whether there are more.
    ///
    /// # Safety
    /// On the set's own thread.
    unsafe fn take_turn(&self) -> bool {
        for _ in 0..TASKS_PER_TURN {
            let Some(task) = self.lock().tasks.pop_front() else { return false };
            // SAFETY: out of the queue, and on its thread.
            unsafe { task.run() };
        }
        !self.lock().tasks.is_empty()
    }

    /// Who polls the set is woken when a task is due.
    fn register(&self, waker: &Waker) {
        // Neither cloned nor dropped under the lock: it is the user's.
        let new = waker.clone();
        let old = self.lock().waker.replace(new);
        drop(old);
    }
}

impl LocalSet {
    /// An empty set.
    pub fn new() -> Self {
        let shared = Shared { tasks: Owned::new(1), queue: Mutex::default(), came: Condvar::new() };
        LocalSet { shared: Arc::new(shared), not_send: PhantomData }
    }

    /// Starts a task in the set. It runs when the set is polled next.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.shared.spawn(future)
    }

    /// Runs a future on the current thread until it completes, and meanwhile the set's tasks; see
    /// [`Runtime::block_on`].
    ///
    /// What is left of them goes on when the set is polled again.
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        runtime.block_on(self.run_until(future))
    }

    /// Runs a future until it completes, and meanwhile the set's tasks. It may call [`spawn_local`].
    pub async fn run_until<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let _entered = self.enter();
            // First, so that a task that comes meanwhile calls it.
            self.shared.register(cx.waker());
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(output);
            }
            self.run_tasks(cx);
            Poll::Pending
        })
        .await
    }

    fn run_tasks(&self, cx: &mut Context<'_>) {
        // SAFETY: a set stays on its thread.
        if unsafe { self.shared.take_turn() } {
            cx.waker().wake_by_ref();
        }
    }

    /// Makes this the current set of the thread, until the guard is dropped: [`spawn_local`] starts tasks in
    /// it. They run when the set is polled.
    pub fn enter(&self) -> LocalEnterGuard {
        // Where the thread ends, nobody asks any more.
        let former = CURRENT.try_with(|current| current.replace(Some(self.shared.clone())));
        LocalEnterGuard { former: former.ok().flatten(), not_send: PhantomData }
    }
}

/// Completes when no task is left.
impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let _entered = self.enter();
        self.shared.register(cx.waker());
        self.run_tasks(cx);
        if self.shared.tasks.count() == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for LocalSet {
    /// Drops all futures, here. Waits for who is just calling a waker on another thread.
    fn drop(&mut self) {
        let _entered = self.enter();
        let over = |shared: &Shared| shared.tasks.count() == 0;
        self.shared.tasks.close();
        while !over(&self.shared) {
            let queue = self.shared.lock();
            // A task that was woken elsewhere a moment ago may not be in the queue yet.
            let came = self.shared.came.wait_while(queue, |queue| queue.tasks.is_empty());
            let tasks = mem::take(&mut came.unwrap_or_else(PoisonError::into_inner).tasks);
            for task in tasks {
                // SAFETY: out of the queue, and on its thread.
                unsafe { task.run() };
            }
        }
        let waker = self.shared.lock().waker.take();
        heist_core::task::discard(waker);
    }
}

impl Default for LocalSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").field("tasks", &self.shared.tasks.count()).finish_non_exhaustive()
    }
}

/// The thread is in a [`LocalSet`] while this is there; made by [`LocalSet::enter`].
#[must_use = "the set is left when the guard is dropped"]
pub struct LocalEnterGuard {
    former: Option<Arc<Shared>>,
    not_send: PhantomData<*mut ()>,
}

impl Drop for LocalEnterGuard {
    fn drop(&mut self) {
        let former = self.former.take();
        // Where the thread ends, nobody asks any more.
        let left = CURRENT.try_with(|current| current.replace(former));
        drop(left);
    }
}

impl fmt::Debug for LocalEnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEnterGuard").finish_non_exhaustive()
    }
}

/// Starts a task in the [`LocalSet`] that the thread is in. Its future need not be `Send`.
///
/// # Panics
/// If the thread is in none. A task of the runtime's own ([`spawn`](super::spawn)) is in none either.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let current = CURRENT.try_with(|current| current.borrow().clone()).ok().flatten();
    match current {
        Some(shared) => shared.spawn(future),
        None => panic!("heist: spawn_local was called outside of a LocalSet"),
    }
}
