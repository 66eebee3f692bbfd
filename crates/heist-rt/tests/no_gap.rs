//! A timer and a connection are served all the time, whatever keeps the workers.
//!
//! Of what is measured here the longest gap should be about 20 milliseconds: the time until the relief comes.
//! The machine may stall any thread, so the bound is ten times what a user would accept.

mod common;

use common::watchdog;
use futures::{AsyncReadExt, AsyncWriteExt};
use heist_rt::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    task,
    time::{self, Duration, Instant},
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

const BUSY: Duration = Duration::from_secs(1);
const BOUND: Duration = Duration::from_millis(500);

/// The longest time between two calls of [`note`](Self::note).
#[derive(Clone)]
struct Gaps(Arc<Mutex<(Instant, Duration, usize)>>);

impl Gaps {
    fn new() -> Self {
        Gaps(Arc::new(Mutex::new((Instant::now(), Duration::ZERO, 0))))
    }

    fn note(&self) {
        let (last, longest, count) = &mut *self.0.lock().unwrap();
        *longest = (*longest).max(last.elapsed());
        (*last, *count) = (Instant::now(), *count + 1);
    }

    fn check(&self, what: &str) {
        self.note();
        let (_, longest, count) = *self.0.lock().unwrap();
        eprintln!("{what}: {count} times, {longest:?} without at most");
        assert!(longest < BOUND, "nothing of the {what} for {longest:?}");
    }
}

/// Ticks and talks, while `keep_busy` keeps all workers busy until it is told that it is over.
fn without_gap(workers: usize, keep_busy: impl FnOnce(&Runtime, Arc<AtomicBool>) + Send + 'static) {
    watchdog(move || {
        let runtime = Builder::new_multi_thread().worker_threads(workers).build().unwrap();
        let (over, ticks, echoes) = (Arc::new(AtomicBool::new(false)), Gaps::new(), Gaps::new());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut byte = [0];
            while stream.read_exact(&mut byte).await.is_ok() {
                stream.write_all(&byte).await.unwrap();
            }
        });
        let (gaps, end) = (echoes.clone(), over.clone());
        let talk = runtime.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let mut byte = [0];
            while !end.load(Ordering::Acquire) {
                stream.write_all(&[7]).await.unwrap();
                stream.read_exact(&mut byte).await.unwrap();
                gaps.note();
                time::sleep(Duration::from_millis(5)).await;
            }
        });
        let (gaps, end) = (ticks.clone(), over.clone());
        let tick = runtime.spawn(async move {
            let mut interval = time::interval(Duration::from_millis(10));
            while !end.load(Ordering::Acquire) {
                interval.tick().await;
                gaps.note();
            }
        });
        keep_busy(&runtime, over.clone());
        thread::sleep(BUSY);
        ticks.check("ticks");
        echoes.check("echoes");
        over.store(true, Ordering::Release);
        runtime.block_on(async {
            talk.await.unwrap();
            tick.await.unwrap();
        });
        assert!(runtime.metrics().relief_count() > 0);
    });
}

fn spin(over: &AtomicBool) {
    while !over.load(Ordering::Acquire) {
        std::hint::spin_loop();
    }
}

fn join_all(over: &AtomicBool, workers: usize) {
    if workers > 1 {
        heist_core::join(|| spin(over), || join_all(over, workers - 1));
    } else {
        spin(over);
    }
}

#[test]
fn while_all_workers_are_inside_a_join() {
    for workers in [1, 2] {
        without_gap(workers, move |runtime, over| runtime.pool().spawn(move || join_all(&over, workers)));
    }
}

#[test]
fn while_all_workers_block() {
    for in_place in [true, false] {
        without_gap(2, move |runtime, over| {
            for _ in 0..2 {
                let over = over.clone();
                runtime.spawn(async move {
                    let wait = || {
                        while !over.load(Ordering::Acquire) {
                            thread::sleep(Duration::from_millis(1));
                        }
                    };
                    if in_place { task::block_in_place(wait) } else { wait() }
                });
            }
        });
    }
}

#[test]
fn while_all_workers_block_on_a_future_inside_of_a_scope() {
    for workers in [1, 2] {
        without_gap(workers, move |runtime, over| {
            let handle = runtime.handle().clone();
            runtime.pool().spawn(move || {
                heist_core::scope(|scope| {
                    for _ in 0..workers {
                        scope.spawn(|_| {
                            handle.block_on(async {
                                while !over.load(Ordering::Acquire) {
                                    time::sleep(Duration::from_millis(1)).await;
                                }
                            });
                        });
                    }
                });
            });
        });
    }
}
