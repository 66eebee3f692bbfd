//! Threads for what blocks: as many as there is to do at once, up to a limit, and gone when they idle.
//!
//! A blocking task is a task like others, whose future calls a closure when it is polled. It is queued here
//! instead of at a post, and never waits for anything.
//!
//! # Invariants
//! I1 While something is queued there is a thread that will look into the queue before it leaves: the
//!    decision to leave is made under the lock, with the queue empty, and takes the thread off the count.
//! I2 Nothing of the user's is called, or dropped, under the lock.

use crate::{
    context,
    runtime::Handle,
    sync::Arc,
    task::{Id, Ref, Scheduler},
    time::Activity,
};
use heist_core::task::catch;
use std::{
    cell::Cell,
    collections::VecDeque,
    future::Future,
    io, mem,
    panic::resume_unwind,
    pin::Pin,
    process, ptr,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

thread_local! {
    /// The pool that this thread was started for.
    static HERE: Cell<*const Pool> = const { Cell::new(ptr::null()) };
}

type Callback = Arc<dyn Fn() + Send + Sync>;

/// What a builder says about the threads.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) most_threads: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) stack_size: Option<usize>,
    pub(crate) name: Arc<dyn Fn() -> String + Send + Sync>,
    pub(crate) start: Option<Callback>,
    pub(crate) stop: Option<Callback>,
}

/// The queue and the threads of one runtime.
pub(crate) struct Pool {
    config: Config,
    /// Counts what is queued, and what runs.
    activity: Arc<Activity>,
    state: Mutex<State>,
    /// There is something in the queue, or the end has come.
    wake: Condvar,
    /// The last thread has gone.
    empty: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Ref>,
    /// Those that look for work, or will again.
    threads: usize,
    /// Those, and those that are about to end.
    present: usize,
    idle: usize,
    /// Idle threads that have been woken and have not taken anything yet.
    woken: usize,
    closed: bool,
}

impl Pool {
    pub(crate) fn new(config: Config, activity: Arc<Activity>) -> Arc<Self> {
        let (wake, empty) = (Condvar::new(), Condvar::new());
        Arc::new(Pool { config, activity, state: Mutex::default(), wake, empty })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn most_threads(&self) -> usize {
        self.config.most_threads
    }

    /// Whether this is one of its threads.
    pub(crate) fn is_here(&self) -> bool {
        ptr::eq(HERE.get(), self)
    }

    /// Queues a task, and sees to it that a thread takes it. After the end, the task is cancelled here and
    /// now.
    ///
    /// # Panics
    /// If there is no thread at all and none can be started. What is queued is cancelled.
    pub(crate) fn submit(self: &Arc<Self>, task: Ref) {
        let mut state = self.lock();
        if state.closed {
            drop(state);
            return cancel(task);
        }
        self.activity.begin();
        state.queue.push_back(task);
        if state.idle > state.woken {
            state.woken += 1;
            drop(state);
            self.wake.notify_one();
        } else if state.threads < self.config.most_threads {
            state.threads += 1;
            state.present += 1;
            drop(state);
            let pool = self.clone();
            match catch(|| self.start_thread(move |ends| pool.work(ends))) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    let others = self.no_thread_came();
                    assert!(others, "heist: no thread could be started for a blocking task: {error}");
                }
                Err(payload) => {
                    self.no_thread_came();
                    resume_unwind(payload);
                }
            }
        }
    }

    /// Starts a thread such as the builder wants them, which calls `f`. What that is given says that the
    /// thread ends; it may do so before it tells others.
    pub(crate) fn start_thread(&self, f: impl FnOnce(Ends) + Send + 'static) -> io::Result<()> {
        let mut builder = thread::Builder::new().name((self.config.name)());
        if let Some(size) = self.config.stack_size {
            builder = builder.stack_size(size);
        }
        let (start, stop) = (self.config.start.clone(), self.config.stop.clone());
        let life = move || {
            call(start.as_ref());
            f(Ends(stop));
        };
        builder.spawn(life).map(drop)
    }

    /// A thread that was counted could not be started. Says whether there are others, which will get to what
    /// is queued; else nobody would, and it is cancelled.
    fn no_thread_came(&self) -> bool {
        let mut state = self.lock();
        state.threads -= 1;
        self.one_less(&mut state);
        let others = state.threads > 0;
        let stranded = if others { VecDeque::new() } else { mem::take(&mut state.queue) };
        drop(state);
        self.cancel_all(stranded);
        others
    }

    fn one_less(&self, state: &mut State) {
        state.present -= 1;
        if state.present == 0 {
            self.empty.notify_all();
        }
    }

    fn work(&self, ends: Ends) {
        HERE.set(self);
        while let Some(task) = self.next() {
            // SAFETY: out of the queue.
            unsafe { task.run() };
            self.activity.end();
        }
        drop(ends);
        self.one_less(&mut self.lock());
    }

    /// The next task; none if there was nothing to do for too long, or the end has come: then the thread is
    /// not counted any more, and has to leave.
    fn next(&self) -> Option<Ref> {
        let mut state = self.lock();
        let tired_at = Instant::now().checked_add(self.config.keep_alive);
        loop {
            if let Some(task) = state.queue.pop_front() {
                return Some(task);
            }
            let left = tired_at.map(|at| at.saturating_duration_since(Instant::now()));
            if state.closed || left.is_some_and(|left| left.is_zero()) {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            state = match left {
                Some(left) => self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
            state.idle -= 1;
            // Who is tired may have been woken as well; then it is counted here, and looks once more.
            state.woken = state.woken.saturating_sub(1);
        }
    }

    /// Cancels what has not begun, and takes no more.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let queue = mem::take(&mut state.queue);
        drop(state);
        self.wake.notify_all();
        self.cancel_all(queue);
    }

    fn cancel_all(&self, queue: VecDeque<Ref>) {
        for task in queue {
            cancel(task);
            self.activity.end();
        }
    }

    /// Blocks until every thread has gone, after [`close`](Self::close), or until the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) {
        let mut state = self.lock();
        while state.present > 0 {
            state = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return,
                Some(left) => self.empty.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.empty.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Threads, idle ones among them, and tasks that wait for one.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let state = self.lock();
        (state.threads, state.idle, state.queue.len())
    }
}

/// Cancels a task that is in no queue, here and now.
fn cancel(task: Ref) {
    task.cancel();
    // SAFETY: in no queue, so the reference in hand is the queue's. A blocking task may be run on any thread.
    unsafe { task.run() };
}

/// Calls what is to be called when a thread ends, when dropped.
pub(crate) struct Ends(Option<Callback>);

impl Drop for Ends {
    fn drop(&mut self) {
        call(self.0.as_ref());
    }
}

/// Calls what a builder was told to call. A panic ends the process, as in a worker.
fn call(callback: Option<&Callback>) {
    if callback.is_some_and(|callback| catch(|| callback()).is_err()) {
        // The panic's message has been printed by its hook.
        process::abort();
    }
}

/// Where blocking tasks are queued.
pub(crate) struct Blocking(pub(crate) Handle);

impl Scheduler for Blocking {
    fn submit(&self, task: Ref) {
        // It waits for nothing, so it is woken by nobody but who cancels it; and that one finds it queued.
        self.0.blocking().submit(task);
    }

    fn enter(&self, task: Id) -> impl Sized {
        context::run(task, &self.0)
    }
}

/// Calls the closure when it is polled.
pub(crate) struct Call<F>(pub(crate) Option<F>);

impl<F> Unpin for Call<F> {}

impl<R, F: FnOnce() -> R> Future for Call<F> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<R> {
        let f = self.0.take().expect("a blocking task is polled once");
        // It is at no post, so nobody waits behind it.
        Poll::Ready(context::with_budget(false, f))
    }
}
