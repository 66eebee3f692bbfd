//! [`JoinSet`]: tasks that are awaited together, in the order in which they complete.
//!
//! Every member's handle has a waker of its own, lent to the task once, when it joins the set. Called when
//! the task completes, it puts the member's key at the end of a queue and wakes who awaits the set. So a
//! completion costs the same however many members there are, and nobody polls those that have not completed.
//!
//! # Invariants
//! I1 A member's key is queued once, when its task has completed: by the task, through the waker, or when it
//!    joined the set.
//! I2 A key is given to another member only when it has been taken out of the queue.

use super::{AbortHandle, Id, JoinError, JoinHandle, LocalSet};
use crate::{context, runtime::Handle, sync::Arc};
use std::{
    collections::VecDeque,
    fmt,
    future::{Future, poll_fn},
    mem,
    panic::resume_unwind,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
};

/// Tasks whose outputs are given in the order in which they complete. To drop it aborts them all.
///
/// ```
/// # heist_rt::block_on(async {
/// let mut set = heist_rt::task::JoinSet::new();
/// for i in 0..10 {
///     set.spawn(async move { i });
/// }
/// let mut sum = 0;
/// while let Some(output) = set.join_next().await {
///     sum += output.unwrap();
/// }
/// assert_eq!(sum, 45);
/// # });
/// ```
pub struct JoinSet<T> {
    /// By key; what is free is linked.
    members: Vec<Place<T>>,
    first_free: Option<usize>,
    len: usize,
    completed: Arc<Completed>,
}

enum Place<T> {
    Member(JoinHandle<T>),
    Free { next: Option<usize> },
}

/// What a set shares with its members' tasks.
#[derive(Default)]
struct Completed {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Keys of members that have completed, in that order.
    keys: VecDeque<usize>,
    /// Of who awaits the set.
    waker: Option<Waker>,
}

/// Called when a member completes.
struct Entry {
    key: usize,
    completed: Arc<Completed>,
}

impl Completed {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Entry {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut inner = self.completed.lock();
        inner.keys.push_back(self.key);
        let waker = inner.waker.take();
        drop(inner);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> JoinSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        JoinSet { members: Vec::new(), first_free: None, len: 0, completed: Arc::default() }
    }

    /// How many tasks there are whose output has not been given.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Asks all tasks to end. They stay in the set until they have.
    pub fn abort_all(&mut self) {
        self.handles().for_each(JoinHandle::abort);
    }

    /// Takes all tasks out of the set, without ending them.
    pub fn detach_all(&mut self) {
        // A task that is just completing may still queue its key, where it harms nobody.
        drop(mem::take(self).into_detached());
    }

    /// The members, for their handles to be dropped; what is left is empty and aborts nothing.
    fn into_detached(mut self) -> Vec<Place<T>> {
        self.len = 0;
        mem::take(&mut self.members)
    }

    fn handles(&self) -> impl Iterator<Item = &JoinHandle<T>> {
        self.members.iter().filter_map(|place| match place {
            Place::Member(handle) => Some(handle),
            Place::Free { .. } => None,
        })
    }
}

impl<T: 'static> JoinSet<T> {
    /// Starts a task on the current runtime, as [`task::spawn`](super::spawn), and adds it.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(super::spawn(future))
    }

    /// Starts a task on a runtime, and adds it.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, runtime: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(runtime.spawn(future))
    }

    /// Starts a task on the current [`LocalSet`], as [`spawn_local`](super::spawn_local), and adds it.
    ///
    /// # Panics
    /// Outside of any.
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(super::spawn_local(future))
    }

    /// Starts a task on a [`LocalSet`], and adds it.
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(local_set.spawn_local(future))
    }

    /// Runs a closure that blocks, as [`task::spawn_blocking`](super::spawn_blocking), and adds it.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, f: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(super::spawn_blocking(f))
    }

    /// Runs a closure that blocks on a thread of a runtime, and adds it.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, f: F, runtime: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(runtime.spawn_blocking(f))
    }

    fn insert(&mut self, mut task: JoinHandle<T>) -> AbortHandle {
        let abort = task.abort_handle();
        let key = self.first_free.unwrap_or(self.members.len());
        let entry = Arc::new(Entry { key, completed: self.completed.clone() });
        if task.is_ready(&Waker::from(entry)) {
            self.completed.lock().keys.push_back(key);
        }
        let member = Place::Member(task);
        if key == self.members.len() {
            self.members.push(member);
        } else if let Place::Free { next } = mem::replace(&mut self.members[key], member) {
            self.first_free = next;
        }
        self.len += 1;
        abort
    }

    /// Waits for the next task that completes. Nothing if the set is empty.
    ///
    /// No output is lost if this is dropped before it completes.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// As [`join_next`](Self::join_next), with the task's id; an error has it anyway.
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// The next task that has completed, if there is one.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.try_join_next_with_id().map(without_id)
    }

    /// As [`try_join_next`](Self::try_join_next), with the task's id.
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        let key = self.completed.lock().keys.pop_front()?;
        Some(self.take(key))
    }

    /// As [`join_next`](Self::join_next), for a future written by hand. The last one to poll is woken.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_join_next_with_id(cx).map(|output| output.map(without_id))
    }

    /// As [`poll_join_next`](Self::poll_join_next), with the task's id.
    pub fn poll_join_next_with_id(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<(Id, T), JoinError>>> {
        if self.is_empty() {
            return Poll::Ready(None);
        }
        let next = |cx: &mut Context<'_>| match self.next_key(cx.waker()) {
            Some(key) => Poll::Ready(Some(self.take(key))),
            None => Poll::Pending,
        };
        context::poll_with_budget(cx, next)
    }

    /// The key of the next member that has completed; if there is none, `waker` is called when there is.
    fn next_key(&self, waker: &Waker) -> Option<usize> {
        // Neither cloned nor dropped under the lock: it is the user's.
        let new = waker.clone();
        let mut inner = self.completed.lock();
        let key = inner.keys.pop_front();
        let old = if key.is_none() { inner.waker.replace(new) } else { inner.waker.take() };
        drop(inner);
        drop(old);
        key
    }

    /// Takes out a member whose task has completed.
    fn take(&mut self, key: usize) -> Result<(Id, T), JoinError> {
        let free = Place::Free { next: self.first_free };
        let Place::Member(mut task) = mem::replace(&mut self.members[key], free) else {
            unreachable!("a key is queued once, and not given to others before it is taken out")
        };
        self.first_free = Some(key);
        self.len -= 1;
        let id = task.id();
        task.take_output().map(|output| (id, output))
    }

    /// Waits for all tasks. Gives their outputs, in the order in which they completed.
    ///
    /// # Panics
    /// If a task has panicked, with what that panicked with, or was aborted. The others are aborted then.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(output) = self.join_next().await {
            match output.map_err(JoinError::try_into_panic) {
                Ok(output) => outputs.push(output),
                Err(Ok(payload)) => resume_unwind(payload),
                Err(Err(cancelled)) => panic!("heist: {cancelled}"),
            }
        }
        outputs
    }

    /// Asks all tasks to end, and waits until they have. Their outputs are dropped.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }
}

fn without_id<T>(output: Result<(Id, T), JoinError>) -> Result<T, JoinError> {
    output.map(|(_, output)| output)
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        if self.len > 0 {
            self.abort_all();
        }
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len).finish()
    }
}

/// Starts a task for each future.
impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = Self::new();
        for future in futures {
            set.spawn(future);
        }
        set
    }
}
