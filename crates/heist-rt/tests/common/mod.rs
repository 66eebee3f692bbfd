//! What the tests have in common: runtimes, a watchdog, events to wait for, values that count their end.

#![allow(dead_code, reason = "every test file uses a part of it")]

use heist_rt::runtime::{Builder, Runtime};
use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    task::{Poll, Waker},
    thread,
    time::Duration,
};

/// A runtime in which a worker that is kept busy stays the only one: nobody relieves it.
pub fn runtime(workers: usize) -> Runtime {
    const NEVER: Duration = Duration::from_secs(3600);
    Builder::new_multi_thread().worker_threads(workers).slow_poll_threshold(NEVER).build().unwrap()
}

/// Runs a test on a thread of its own, and fails if it hangs.
pub fn watchdog<R: Send + 'static>(test: impl FnOnce() -> R + Send + 'static) -> R {
    const LIMIT: Duration = Duration::from_secs(60);
    let (sender, result) = mpsc::channel();
    let thread = thread::spawn(move || {
        let result = test();
        sender.send(result).expect("somebody waits for it");
    });
    match result.recv_timeout(LIMIT) {
        Err(RecvTimeoutError::Timeout) => panic!("the test hangs: it has not ended within {LIMIT:?}"),
        Err(RecvTimeoutError::Disconnected) => panic::resume_unwind(thread.join().unwrap_err()),
        Ok(result) => {
            thread.join().unwrap();
            result
        }
    }
}

/// Runs a test with a runtime of so many workers, and ends the runtime.
pub fn with_runtime<R: Send + 'static>(
    workers: usize,
    test: impl FnOnce(&Runtime) -> R + Send + 'static,
) -> R {
    watchdog(move || test(&runtime(workers)))
}

/// Lets other threads run until `event` has come about.
pub fn wait_until(event: impl Fn() -> bool) {
    while !event() {
        thread::yield_now();
    }
}

/// Closed at first; who comes before it is opened waits, blocked.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub fn is_open(&self) -> bool {
        *self.0.0.lock().unwrap()
    }

    pub fn pass(&self) {
        let (lock, opened) = &*self.0;
        drop(opened.wait_while(lock.lock().unwrap(), |open| !*open).unwrap());
    }
}

/// Keeps a worker busy, in a poll, until the gate is opened; returns when it is.
pub fn occupy(runtime: &Runtime) -> Gate {
    let (arrived, gate) = (Gate::default(), Gate::default());
    let (there, wait) = (arrived.clone(), gate.clone());
    drop(runtime.spawn(async move {
        there.open();
        wait.pass();
    }));
    arrived.pass();
    gate
}

/// Off at first; a future can wait for it to be turned on.
#[derive(Clone, Default)]
pub struct Switch(Arc<(AtomicBool, Mutex<Option<Waker>>)>);

impl Switch {
    pub fn turn_on(&self) {
        self.0.0.store(true, Ordering::Release);
        let waker = self.0.1.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub fn wait(&self) -> impl Future<Output = ()> + Send + Unpin + use<> {
        let this = self.clone();
        poll_fn(move |cx| {
            *this.0.1.lock().unwrap() = Some(cx.waker().clone());
            if this.0.0.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    pub fn is_awaited(&self) -> bool {
        self.0.1.lock().unwrap().is_some()
    }

    /// The waker of the one who waits, as soon as there is one.
    pub fn waker(&self) -> Waker {
        wait_until(|| self.is_awaited());
        self.0.1.lock().unwrap().clone().unwrap()
    }
}

/// What happened, in order.
#[derive(Debug)]
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log(Arc::default())
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Log(self.0.clone())
    }
}

impl<T> Log<T> {
    pub fn add(&self, entry: T) {
        self.0.lock().unwrap().push(entry);
    }

    pub fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Counts something.
#[derive(Clone, Debug, Default)]
pub struct Count(Arc<AtomicUsize>);

impl Count {
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// A value that is counted when it is dropped.
    pub fn on_drop(&self) -> OnDrop {
        OnDrop(self.clone())
    }
}

#[derive(Debug)]
pub struct OnDrop(Count);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.add();
    }
}

/// Panics, without a message on the terminal.
pub fn quiet_panic(text: &'static str) -> ! {
    panic::resume_unwind(Box::new(text))
}

/// Panics with what allocates nothing: for a panic that nobody gets, whose payload is leaked on purpose.
pub fn panic_for_nobody() -> ! {
    panic::resume_unwind(Box::new(()))
}

/// Calls `f`, which panics, and returns what it panicked with.
pub fn payload_of<R>(f: impl FnOnce() -> R) -> Box<dyn Any + Send> {
    match panic::catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("a panic was expected"),
        Err(payload) => payload,
    }
}

/// The text of a panic.
pub fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).expect("a panic with a text")
}

/// Calls `f`, which panics, and returns the text of the panic.
pub fn message_of<R>(f: impl FnOnce() -> R) -> String {
    message(&*payload_of(f)).to_owned()
}
