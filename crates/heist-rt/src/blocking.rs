//! Threads for what blocks: as many as there is to do at once, up to a limit, and gone when they idle.
//!
//! A blocking task is a task like others, whose future calls a closure when it is polled. It is queued here
//! instead of at a post, and never waits for anything.

use crate::{
    runtime::Handle,
    sync::Arc,
    task::{Ref, Scheduler},
};
use std::{
    collections::VecDeque,
    future::Future,
    io,
    pin::Pin,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

/// What a builder says about the threads.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) most_threads: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) stack_size: Option<usize>,
    pub(crate) name: Arc<dyn Fn() -> String + Send + Sync>,
    pub(crate) start: Option<Arc<dyn Fn() + Send + Sync>>,
    pub(crate) stop: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// The queue and the threads of one runtime.
pub(crate) struct Pool {
    config: Config,
    state: Mutex<State>,
    /// There is something in the queue, or the end has come.
    wake: Condvar,
    /// The last thread has gone.
    empty: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Ref>,
    threads: usize,
    idle: usize,
    /// Idle threads that have been woken and have not taken anything yet.
    woken: usize,
    closed: bool,
}

impl Pool {
    pub(crate) fn new(config: Config) -> Arc<Self> {
        Arc::new(Pool { config, state: Mutex::default(), wake: Condvar::new(), empty: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a task, and sees to it that a thread takes it. After the end, the task is cancelled here and now.
    ///
    /// # Panics
    /// If there is no thread at all and none can be started.
    pub(crate) fn submit(self: &Arc<Self>, task: Ref) {
        let mut state = self.lock();
        if state.closed {
            drop(state);
            task.cancel();
            // SAFETY: never queued, so the reference in hand is the queue's.
            unsafe { task.run() };
            return;
        }
        state.queue.push_back(task);
        if state.idle > state.woken {
            state.woken += 1;
            drop(state);
            self.wake.notify_one();
        } else if state.threads < self.config.most_threads {
            state.threads += 1;
            drop(state);
            if let Err(error) = self.start_thread() {
                let mut state = self.lock();
                state.threads -= 1;
                // Those that run will get to it.
                assert!(state.threads > 0, "heist: no thread could be started for a blocking task: {error}");
            }
        }
    }

    fn start_thread(self: &Arc<Self>) -> io::Result<()> {
        let mut builder = thread::Builder::new().name((self.config.name)());
        if let Some(size) = self.config.stack_size {
            builder = builder.stack_size(size);
        }
        let pool = self.clone();
        builder.spawn(move || pool.work()).map(drop)
    }

    fn work(&self) {
        if let Some(start) = &self.config.start {
            start();
        }
        while let Some(task) = self.next() {
            // SAFETY: out of the queue.
            unsafe { task.run() };
        }
        if let Some(stop) = &self.config.stop {
            stop();
        }
        let mut state = self.lock();
        state.threads -= 1;
        if state.threads == 0 {
            self.empty.notify_all();
        }
    }

    /// The next task; none if there was nothing to do for too long, or the end has come.
    fn next(&self) -> Option<Ref> {
        let mut state = self.lock();
        let tired_at = Instant::now().checked_add(self.config.keep_alive);
        loop {
            if let Some(task) = state.queue.pop_front() {
                return Some(task);
            }
            let left = tired_at.map(|at| at.saturating_duration_since(Instant::now()));
            if state.closed || left.is_some_and(|left| left.is_zero()) {
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
        let queue = std::mem::take(&mut state.queue);
        drop(state);
        self.wake.notify_all();
        for task in queue {
            task.cancel();
            // SAFETY: out of the queue.
            unsafe { task.run() };
        }
    }

    /// Blocks until every thread has gone, after [`close`](Self::close), or until the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) {
        let mut state = self.lock();
        while state.threads > 0 {
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

/// Where blocking tasks are queued.
pub(crate) struct Blocking(pub(crate) Handle);

impl Scheduler for Blocking {
    fn submit(&self, task: Ref) {
        // It waits for nothing, so it is woken by nobody but who cancels it; and that one finds it queued.
        self.0.blocking().submit(task);
    }

    fn runtime(&self) -> &Handle {
        &self.0
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
        Poll::Ready(crate::context::with_budget(false, f))
    }
}
