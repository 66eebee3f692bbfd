//! The relief and a driver: one of those who sleep is at it.

mod common;

use common::{Gate, pool, submit_task, watchdog_for};
use heist_core::{
    ThreadPool, current_thread_index,
    task::{Driver, WatchConfig, block_in_place},
};
use std::{
    mem,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

#[derive(Default)]
struct Inner {
    rung: bool,
    /// Who is in `park`, if somebody is: the index of a worker, or none.
    parked: Option<Option<usize>>,
    /// What an event calls, when it is dispatched.
    event: Option<Box<dyn FnOnce() + Send>>,
}

#[derive(Clone, Default)]
struct Bell(Arc<(Mutex<Inner>, Condvar)>);

impl Bell {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn happen(&self, event: impl FnOnce() + Send + 'static) {
        self.lock().event = Some(Box::new(event));
        self.0.1.notify_all();
    }

    /// Whether this one parks within some seconds.
    fn is_manned_by(&self, who: Option<usize>) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(8) {
            if self.lock().parked == Some(who) {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Driver for Bell {
    fn park(&self) {
        let mut inner = self.lock();
        inner.parked = Some(current_thread_index());
        while !mem::take(&mut inner.rung) && inner.event.is_none() {
            inner = self.0.1.wait(inner).unwrap();
        }
        inner.parked = None;
    }

    fn poll(&self) {}

    fn dispatch(&self) {
        let event = self.lock().event.take();
        if let Some(event) = event {
            event();
        }
    }

    fn unpark(&self) {
        self.lock().rung = true;
        self.0.1.notify_all();
    }
}

fn watched(bell: &Bell, slow_poll: Duration) -> Arc<ThreadPool> {
    let pool = Arc::new(pool(1));
    let attachment = pool.attach();
    attachment.set_driver(Box::new(bell.clone()));
    attachment
        .watch(WatchConfig {
            slow_poll,
            most_threads: 512,
            start_thread: Box::new(|life| thread::Builder::new().spawn(|| life(Box::new(|| ()))).map(drop)),
            on_slow_poll: Box::new(|_| ()),
        })
        .unwrap();
    pool
}

#[test]
fn the_relief_takes_over_the_driver_when_the_worker_that_has_it_is_held_up() {
    watchdog_for(Duration::from_secs(30), || {
        let bell = Bell::default();
        // A long time, so that the relief is not dismissed meanwhile.
        let pool = watched(&bell, Duration::from_secs(4));
        let [job, first, begun, second] = [(); 4].map(|()| Gate::default());
        // The worker is away; the relief comes, and waits at the driver.
        let wait = job.clone();
        pool.spawn(move || block_in_place(|| wait.pass()));
        assert!(bell.is_manned_by(None));
        // The relief runs a task; the worker is back, and takes the driver.
        let (open, wait) = (begun.clone(), first.clone());
        submit_task(&pool, move || {
            assert_eq!(current_thread_index(), None);
            open.open();
            wait.pass();
        });
        begun.pass();
        job.open();
        assert!(bell.is_manned_by(Some(0)));
        // The relief is back, too: it sleeps, and not at the driver.
        first.open();
        thread::sleep(Duration::from_millis(100));
        // Something happens; the task that waits for it blocks the worker.
        let (event, wait) = (pool.clone(), second.clone());
        bell.happen(move || submit_task(&event, move || block_in_place(|| wait.pass())));
        let manned = bell.is_manned_by(None);
        second.open();
        assert!(manned, "the relief sleeps while nobody is at the driver");
    });
}
