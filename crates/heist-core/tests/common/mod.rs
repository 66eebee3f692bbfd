//! What the tests have in common: pools, a watchdog, events to wait for, and a minimal class of tasks.

#![allow(dead_code, reason = "every test file uses a part of it")]

use heist_core::{
    ThreadPool, ThreadPoolBuilder,
    task::{Header, Task},
};
use std::{
    any::Any,
    env,
    panic::{self, AssertUnwindSafe},
    process::{Command, Output},
    ptr::NonNull,
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// Numbers of workers for which the words of a bitmap are empty, full and not quite.
pub const SIZES: [usize; 5] = [1, 2, 64, 65, 200];

pub fn builder(workers: usize) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new().num_threads(workers)
}

pub fn pool(workers: usize) -> ThreadPool {
    builder(workers).build().unwrap()
}

/// Runs a test on a thread of its own, and fails if it hangs.
pub fn watchdog<R: Send + 'static>(test: impl FnOnce() -> R + Send + 'static) -> R {
    watchdog_for(Duration::from_secs(60), test)
}

pub fn watchdog_for<R: Send + 'static>(limit: Duration, test: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, result) = mpsc::channel();
    let thread = thread::spawn(move || {
        let result = test();
        sender.send(result).expect("somebody waits for it");
    });
    match result.recv_timeout(limit) {
        Err(RecvTimeoutError::Timeout) => panic!("the test hangs: it has not ended within {limit:?}"),
        Err(RecvTimeoutError::Disconnected) => panic::resume_unwind(thread.join().unwrap_err()),
        Ok(result) => {
            thread.join().unwrap();
            result
        }
    }
}

/// Lets other threads run until `event` has come about.
pub fn wait_until(event: impl Fn() -> bool) {
    while !event() {
        thread::yield_now();
    }
}

/// Lets other threads run until `event` has come about, or often enough to say that it does not.
pub fn comes_about(event: impl Fn() -> bool) -> bool {
    (0..2_000).any(|_| {
        thread::yield_now();
        event()
    })
}

/// How many workers of the pool sleep.
pub fn sleeping(pool: &ThreadPool) -> usize {
    pool.stats().workers.iter().filter(|worker| worker.parks > worker.wakes).count()
}

/// Waits until every worker of the pool sleeps.
pub fn wait_until_asleep(pool: &ThreadPool) {
    wait_until(|| sleeping(pool) == pool.current_num_threads());
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

/// What happened, in order.
#[derive(Clone, Debug, Default)]
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

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

/// Keeps the workers with these indices busy until the gate is opened; returns when they are.
pub fn occupy(pool: &ThreadPool, workers: impl Fn(usize) -> bool + Send + Sync + 'static) -> Gate {
    let gate = Gate::default();
    let (arrived, arrivals) = mpsc::channel();
    let wait_here = gate.clone();
    pool.spawn_broadcast(move |context| {
        arrived.send(()).unwrap();
        if workers(context.index()) {
            wait_here.pass();
        }
    });
    arrivals.iter().take(pool.current_num_threads()).for_each(drop);
    gate
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

/// Runs `body` in a process of its own, and returns what became of that; `None` in that process itself, from
/// which `test` should then return. `test` is the name of the test that calls.
pub fn in_subprocess(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) -> Option<Output> {
    const MARK: &str = "HEIST_TEST_SUBPROCESS";
    if env::var_os(MARK).is_some() {
        body();
        return None;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads=1"]);
    for variable in ["HEIST_NUM_THREADS", "RAYON_NUM_THREADS", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    Some(command.env(MARK, "1").envs(variables.iter().copied()).output().unwrap())
}

/// Runs a test in a process of its own, where it is the only one. `name` is the name of the test that calls.
pub fn alone(name: &str, test: impl FnOnce() + Send + 'static) {
    if let Some(output) = in_subprocess(name, &[], || watchdog(test)) {
        assert_success(&output);
    }
}

/// Fails unless the process ended well, and ran a test at all.
pub fn assert_success(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

/// Fails unless the process was aborted, after it said `text`.
pub fn assert_aborted(output: &Output, text: &str) {
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(6), "{output:?}");
    assert!(!output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(text), "{output:?}");
}

/// A task that calls a closure once and frees itself.
pub fn task<F: FnOnce() + Send + 'static>(f: F) -> Task {
    #[repr(C)]
    struct Closure<F> {
        header: Header,
        f: F,
    }

    unsafe fn run<F: FnOnce()>(task: Task, _worker: usize) {
        // SAFETY: leaked below, and a task is run once.
        let this = unsafe { Box::from_raw(task.header().cast::<Closure<F>>().as_ptr()) };
        (this.f)();
    }

    let this = Box::leak(Box::new(Closure { header: Header::new(run::<F>), f }));
    // SAFETY: leaked, so valid until `run` takes it back; the closure may be sent. If it panics, a test has
    // failed, and the pool's guard against unwinding ends the process.
    unsafe { Task::new(NonNull::from(this).cast()) }
}

/// Makes such a task and queues it.
pub fn submit_task(pool: &ThreadPool, f: impl FnOnce() + Send + 'static) {
    let attachment = pool.attach();
    let until_run = attachment.clone();
    let task = task(move || {
        f();
        drop(until_run);
    });
    // SAFETY: queued once.
    unsafe { attachment.submit(task) };
}
