//! Async tasks: what it costs to start them, to switch between them and to keep them.
//!
//! The workloads are those by which Tokio measures itself. Every contender has two workers and runs the same
//! code, see [`executor`](super::executor); times are per task, yield or round trip.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::Group;
use super::executor::{Executor, Heist, Smol, Tokio, WORKERS};
use super::measure::{Contender, Effort, Row, timed};

pub const GROUP: Group = Group {
    name: "async",
    about: "starting, switching and keeping async tasks on two workers; against tokio and smol's executor",
    rows,
};

/// Tasks that are started in a round.
const TASKS: usize = 10_000;

fn rows(effort: &Effort) -> Vec<Row> {
    let mut rows = vec![
        row("spawn, from block_on", spawn_local::<Heist>, spawn_local::<Tokio>, spawn_local::<Smol>),
        row(
            "spawn, from outside, idle",
            spawn_remote_idle::<Heist>,
            spawn_remote_idle::<Tokio>,
            spawn_remote_idle::<Smol>,
        ),
        row(
            "spawn, from outside, workers yield",
            spawn_remote_busy::<Heist, false>,
            spawn_remote_busy::<Tokio, false>,
            spawn_remote_busy::<Smol, false>,
        ),
        row(
            "spawn, from outside, workers spawn",
            spawn_remote_busy::<Heist, true>,
            spawn_remote_busy::<Tokio, true>,
            spawn_remote_busy::<Smol, true>,
        ),
        row("yield, 200 tasks", yield_many::<Heist>, yield_many::<Tokio>, yield_many::<Smol>),
        row("ping-pong", ping_pong::<Heist>, ping_pong::<Tokio>, ping_pong::<Smol>),
        row("chained spawn", chained_spawn::<Heist>, chained_spawn::<Tokio>, chained_spawn::<Smol>),
        row(
            "spawn and await in a task",
            spawn_and_await::<Heist>,
            spawn_and_await::<Tokio>,
            spawn_and_await::<Smol>,
        ),
    ];
    for threads in [1, 2, 4, 8] {
        rows.push(Row::new(format!("spawn, from {threads} threads"), move || {
            vec![
                from_threads::<Heist>(threads),
                from_threads::<Tokio>(threads),
                from_threads::<Smol>(threads),
            ]
        }));
    }
    #[cfg(unix)]
    {
        let (span, rounds) =
            if effort.quick { (Duration::from_millis(100), 3) } else { (Duration::from_secs(1), 1) };
        rows.push(
            Row::new(format!("CPU time in {} s of a spawn per 500 µs", span.as_secs_f64()), move || {
                vec![now_and_then::<Heist>(span), now_and_then::<Tokio>(span), now_and_then::<Smol>(span)]
            })
            .rounds(rounds),
        );
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let bytes = row(
            "bytes per idle task",
            bytes_per_task::<Heist>,
            bytes_per_task::<Tokio>,
            bytes_per_task::<Smol>,
        );
        rows.push(bytes.rounds(1));
    }
    let _ = effort;
    rows
}

fn row(name: &str, heist: fn(&Heist) -> f64, tokio: fn(&Tokio) -> f64, smol: fn(&Smol) -> f64) -> Row {
    fn contender<E: Executor>(round: fn(&E) -> f64) -> Contender {
        let executor = E::new();
        Contender::new(E::WHO, move || round(&executor))
    }
    Row::new(name, move || vec![contender(heist), contender(tokio), contender(smol)])
}

/// Counts down; whoever reaches zero says so.
struct Countdown {
    left: AtomicUsize,
    done: std::sync::Mutex<Option<oneshot::Sender<()>>>,
}

impl Countdown {
    fn new(count: usize) -> (Arc<Self>, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        (
            Arc::new(Self { left: AtomicUsize::new(count), done: std::sync::Mutex::new(Some(sender)) }),
            receiver,
        )
    }

    fn count(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let done = self.done.lock().expect("nobody panics").take();
            done.expect("zero is reached once").send(()).expect("somebody waits");
        }
    }
}

fn spawn_local<E: Executor>(executor: &E) -> f64 {
    let (countdown, done) = Countdown::new(TASKS);
    let ((), ns) = timed(|| {
        executor.block_on(async {
            for _ in 0..TASKS {
                let countdown = countdown.clone();
                drop(executor.spawn(async move { countdown.count() }));
            }
            done.await.expect("it is sent");
        });
    });
    ns / TASKS as f64
}

fn spawn_remote_idle<E: Executor>(executor: &E) -> f64 {
    let (mut tasks, ns) = timed(|| (0..TASKS).map(|_| executor.spawn(async {})).collect::<Vec<_>>());
    executor.block_on(async {
        for task in tasks.drain(..) {
            task.await;
        }
    });
    ns / TASKS as f64
}

/// Some work of ten microseconds.
fn stall() {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_micros(10) {
        std::hint::spin_loop();
    }
}

/// Tasks keep both workers busy: each yields, or is followed by another.
fn spawn_remote_busy<E: Executor, const SPAWN: bool>(executor: &E) -> f64 {
    fn follow<E: Executor>(go_on: Arc<AtomicBool>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            if go_on.load(Ordering::Relaxed) {
                stall();
                drop(E::spawn_inside(follow::<E>(go_on)));
            }
        })
    }
    let go_on = Arc::new(AtomicBool::new(true));
    for _ in 0..2 * WORKERS {
        let go_on = go_on.clone();
        if SPAWN {
            drop(executor.spawn(follow::<E>(go_on)));
        } else {
            drop(executor.spawn(async move {
                while go_on.load(Ordering::Relaxed) {
                    E::yield_now().await;
                    stall();
                }
            }));
        }
    }
    let ns = spawn_remote_idle(executor);
    go_on.store(false, Ordering::Relaxed);
    ns
}

fn yield_many<E: Executor>(executor: &E) -> f64 {
    const YIELDERS: usize = 200;
    const YIELDS: usize = 200;
    let ((), ns) = timed(|| {
        let tasks: Vec<_> = (0..YIELDERS)
            .map(|_| {
                executor.spawn(async {
                    for _ in 0..YIELDS {
                        E::yield_now().await;
                    }
                })
            })
            .collect();
        executor.block_on(async {
            for task in tasks {
                task.await;
            }
        });
    });
    ns / (YIELDERS * YIELDS) as f64
}

/// A task starts another for each ball, which sends it back.
fn ping_pong<E: Executor>(executor: &E) -> f64 {
    const BALLS: usize = 1000;
    let (countdown, done) = Countdown::new(BALLS);
    let ((), ns) = timed(|| {
        let game = executor.spawn(async move {
            for _ in 0..BALLS {
                let countdown = countdown.clone();
                drop(E::spawn_inside(async move {
                    let (there, arrives) = oneshot::channel();
                    let (back, returns) = oneshot::channel();
                    drop(E::spawn_inside(async move {
                        arrives.await.expect("it is sent");
                        back.send(()).expect("somebody waits");
                    }));
                    there.send(()).expect("somebody waits");
                    returns.await.expect("it is sent");
                    countdown.count();
                }));
            }
            done.await.expect("it is sent");
        });
        executor.block_on(game);
    });
    ns / BALLS as f64
}

fn chained_spawn<E: Executor>(executor: &E) -> f64 {
    const LINKS: usize = 1000;
    fn link<E: Executor>(countdown: Arc<Countdown>, left: usize) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            countdown.count();
            if left > 1 {
                drop(E::spawn_inside(link::<E>(countdown, left - 1)));
            }
        })
    }
    let (countdown, done) = Countdown::new(LINKS);
    let ((), ns) = timed(|| {
        executor.block_on(async {
            drop(executor.spawn(link::<E>(countdown, LINKS)));
            done.await.expect("it is sent");
        });
    });
    ns / LINKS as f64
}

fn spawn_and_await<E: Executor>(executor: &E) -> f64 {
    const TIMES: usize = 1000;
    let ((), ns) = timed(|| {
        executor.block_on(executor.spawn(async {
            for _ in 0..TIMES {
                E::spawn_inside(async {}).await;
            }
        }));
    });
    ns / TIMES as f64
}

fn from_threads<E: Executor>(threads: usize) -> Contender {
    let executor = E::new();
    Contender::new(E::WHO, move || {
        let (countdown, done) = Countdown::new(TASKS / threads * threads);
        let ((), ns) = timed(|| {
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        for _ in 0..TASKS / threads {
                            let countdown = countdown.clone();
                            drop(executor.spawn(async move { countdown.count() }));
                        }
                    });
                }
            });
            executor.block_on(done).expect("it is sent");
        });
        ns / TASKS as f64
    })
}

/// The processor time of a runtime that gets a task every 500 µs.
#[cfg(unix)]
fn now_and_then<E: Executor>(span: Duration) -> Contender {
    Contender::new(E::WHO, move || {
        let executor = E::new();
        let before = super::cpu::time_used();
        let begin = Instant::now();
        while begin.elapsed() < span {
            drop(executor.spawn(async {}));
            thread::sleep(Duration::from_micros(500));
        }
        super::measure::nanos(super::cpu::time_used() - before)
    })
}

/// What a task that waits for ever takes on the heap, with the allocator's share, a future of a word and a
/// handle.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn bytes_per_task<E: Executor>(executor: &E) -> f64 {
    const IDLE: usize = 1000;
    let polled = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::with_capacity(IDLE);
    let before = super::cpu::bytes_in_use();
    tasks.extend((0..IDLE).map(|_| {
        let polled = polled.clone();
        executor.spawn(async move {
            polled.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<()>().await;
        })
    }));
    while polled.load(Ordering::Relaxed) < IDLE {
        thread::yield_now();
    }
    (super::cpu::bytes_in_use() - before) as f64 / IDLE as f64
}
