//! What can be recorded: small programs, each of which has something to show.
//!
//! Sizes are such that there is room for all events, and that a recording takes a second at most.

use std::future::Future;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::pin::Pin;

use heist::prelude::*;
use heist::runtime::{Builder, Runtime};
use heist::trace::{Recorder, Trace};
use heist::{ThreadPoolBuilder, task};
use tokio::sync::mpsc;

use super::Error;
use crate::bench::fork_join::{self, fib::Fib, nqueens::Queens, skynet};
use crate::bench::library::Heist;

pub struct Workload {
    pub name: &'static str,
    about: &'static str,
    /// What the size is the number of.
    unit: &'static str,
    /// The size, unless another one is asked for.
    pub size: u32,
    pub sizes: RangeInclusive<u32>,
    pub work: Work,
}

impl Workload {
    pub fn help(&self) -> String {
        let (min, max) = (self.sizes.start(), self.sizes.end());
        format!("{}; size: {} ({min} to {max}, else {})", self.about, self.unit, self.size)
    }
}

/// The first one is run if none is named.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: "fib",
        about: "a Fibonacci number by recursion: nothing but joins",
        unit: "which number",
        size: 16,
        sizes: 1..=25,
        work: Work::Jobs(|size| check(&Fib(size))),
    },
    Workload {
        name: "nqueens",
        about: "a search tree of many short branches, by join",
        unit: "side of the board",
        size: 8,
        sizes: 1..=11,
        work: Work::Jobs(|size| check(&Queens(size))),
    },
    Workload {
        name: "skynet",
        about: "a tree of spawned jobs, ten from each",
        unit: "levels",
        size: 4,
        sizes: 1..=5,
        work: Work::Jobs(spawn_tree),
    },
    Workload {
        name: "sum",
        about: "a parallel iterator over items of some 0.1 µs",
        unit: "items",
        size: 200_000,
        sizes: 1..=10_000_000,
        work: Work::Jobs(sum),
    },
    Workload {
        name: "sort",
        about: "a parallel sort of random numbers",
        unit: "numbers",
        size: 500_000,
        sizes: 1..=20_000_000,
        work: Work::Jobs(sort),
    },
    Workload {
        name: "uneven",
        about: "a parallel loop whose last round takes as long as all others",
        unit: "rounds",
        size: 1_000,
        sizes: 2..=20_000,
        work: Work::Jobs(uneven),
    },
    Workload {
        name: "chain",
        about: "joins of which each waits for the one before: no use of workers",
        unit: "links",
        size: 200,
        sizes: 1..=20_000,
        work: Work::Jobs(chain),
    },
    Workload {
        name: "ping-pong",
        about: "two async tasks that hand each other a ball",
        unit: "rounds",
        size: 500,
        sizes: 1..=20_000,
        work: Work::Tasks(ping_pong),
    },
    Workload {
        name: "spawn-storm",
        about: "an async task that starts many others and awaits them",
        unit: "tasks",
        size: 2_000,
        sizes: 1..=50_000,
        work: Work::Tasks(spawn_storm),
    },
];

/// What a workload does, and where.
#[derive(Clone, Copy)]
pub enum Work {
    /// On a pool.
    Jobs(fn(u32)),
    /// In a runtime.
    Tasks(fn(u32) -> Root),
}

/// The task that starts the others.
type Root = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Work {
    /// Runs it twice: when it is recorded the workers are awake and the memory is there.
    pub fn record(self, recorder: &Recorder, size: u32, workers: usize) -> Result<Trace, Error> {
        match self {
            Work::Jobs(work) => {
                let pool = ThreadPoolBuilder::new().num_threads(workers).build();
                let pool = pool.map_err(|source| Error::Pool { source })?;
                let ((), trace) = pool.install(|| {
                    work(size);
                    recorder.record(|| work(size))
                });
                Ok(trace)
            }
            Work::Tasks(work) => {
                let runtime = Builder::new_multi_thread().worker_threads(workers).enable_all().build();
                let runtime = runtime.map_err(|source| Error::Runtime { source })?;
                run_tasks(&runtime, work(size));
                let recorded = recorder.try_record_in(runtime.pool(), || run_tasks(&runtime, work(size)));
                let ((), trace) = recorded.expect("nobody else records");
                Ok(trace)
            }
        }
    }
}

/// Has a worker start the task, and waits for it. Were it started from here, the worker that this wakes might
/// take over the core, and the trace would show a recording thread that is busy for no reason.
fn run_tasks(runtime: &Runtime, root: Root) {
    let root = runtime.pool().install(|| task::spawn(root));
    runtime.block_on(root).expect("it does not panic");
}

/// A chain of multiplications, of some nanoseconds each.
#[inline(never)]
fn compute(steps: u64) -> u64 {
    (0..steps).fold(1, |acc: u64, step| acc.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(black_box(step)))
}

fn check(work: &impl fork_join::Work) {
    let output = work.run::<Heist>(&mut ());
    assert!(work.is_right(&output), "the result is wrong");
}

fn spawn_tree(levels: u32) {
    let leaves = 10_u64.pow(levels);
    assert_eq!(skynet::node_by_spawn::<Heist>(0, leaves), leaves * (leaves - 1) / 2);
}

fn sum(items: u32) {
    black_box((0..items).into_par_iter().map(|_| compute(50)).reduce(|| 0, u64::wrapping_add));
}

fn sort(numbers: u32) {
    // Every number once: the factor is odd.
    let mut numbers: Vec<u32> = (0..numbers).map(|n| n.wrapping_mul(0x9E37_79B1)).collect();
    numbers.par_sort_unstable();
    assert!(numbers.is_sorted());
}

fn uneven(rounds: u32) {
    const STEPS: u64 = 5_000;
    let last = rounds - 1;
    let steps = |round| if round == last { STEPS * u64::from(last) } else { STEPS };
    (0..rounds).into_par_iter().for_each(|round| _ = black_box(compute(steps(round))));
}

fn chain(links: u32) {
    for _ in 0..links {
        black_box(heist::join(|| compute(20_000), || ()));
    }
}

fn ping_pong(rounds: u32) -> Root {
    Box::pin(async move {
        let (there, mut arrives) = mpsc::channel(1);
        let (back, mut returns) = mpsc::channel(1);
        let echo = task::spawn(async move {
            while let Some(ball) = arrives.recv().await {
                back.send(ball).await.expect("somebody waits for it");
            }
        });
        for round in 0..rounds {
            there.send(round).await.expect("somebody waits for it");
            assert_eq!(returns.recv().await, Some(round));
        }
        drop(there);
        echo.await.expect("it does not panic");
    })
}

fn spawn_storm(tasks: u32) -> Root {
    Box::pin(async move {
        let tasks: Vec<_> = (0..tasks).map(|_| task::spawn(async { black_box(compute(2_000)) })).collect();
        for task in tasks {
            task.await.expect("it does not panic");
        }
    })
}
