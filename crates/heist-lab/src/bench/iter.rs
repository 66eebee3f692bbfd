//! Parallel iterators, from ten items that are nothing to eight that take long.
//!
//! Both libraries run the same text, compiled once for each; the third contender is the standard library's
//! iterator. Everything is called inside of a pool of two workers, and short calls many times in a row.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Group;
use super::library::{self, keep_all_busy};
use super::measure::{Contender, Effort, Row, timed};

pub const GROUP: Group = Group {
    name: "iter",
    about: "parallel iterators over few and many items, light and heavy; against rayon and plain iterators",
    rows,
};

/// About so many items are gone through before the clock is looked at again.
const ITEMS_PER_ROUND: usize = 1 << 21;

/// Before the clock starts, calls are made for so long: threads that have just been woken may share a core
/// until the system has spread them.
const WARM_UP: Duration = Duration::from_millis(20);

/// What the workloads work on.
struct Data {
    numbers: Vec<u64>,
    others: Vec<u64>,
    text: String,
    /// What each item of a heavy-tailed workload costs, in rounds of a loop.
    costs: Vec<u32>,
}

impl Data {
    fn early(&self) -> u64 {
        self.numbers[100]
    }

    fn late(&self) -> u64 {
        self.numbers[self.numbers.len() / 10 * 9]
    }

    fn new(len: usize) -> Self {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let numbers: Vec<u64> = (0..len).map(|_| random.next() >> 20).collect();
        let others = numbers.iter().map(|n| n ^ 0x5555).collect();
        let text = (0..len).map(|_| if random.next().is_multiple_of(6) { ' ' } else { 'x' }).collect();
        // Pareto: most cost little, few cost nearly everything.
        let cost = |uniform: f64| (20.0 / uniform.powf(0.9)).min(2e6) as u32;
        let costs =
            (0..len.min(20_000)).map(|_| cost((random.next() >> 11) as f64 / (1_u64 << 53) as f64 + 1e-9));
        Data { costs: costs.collect(), numbers, others, text }
    }
}

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A chain of multiplications that cannot be cut short.
#[inline(never)]
fn spin(rounds: u32) -> u64 {
    (0..rounds).fold(1, |acc: u64, i| acc.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(u64::from(i)))
}

/// The workloads, written once for both libraries.
macro_rules! workloads {
    ($library:ident) => {
        mod $library {
            use super::{Data, LONG, busy_for, spin};
            use ::$library::prelude::*;

            pub fn sum(data: &Data) -> u64 {
                data.numbers.par_iter().sum()
            }

            pub fn map_collect(data: &Data) -> Vec<u64> {
                data.numbers.par_iter().map(|n| n * 3 + 1).collect()
            }

            pub fn filter_collect(data: &Data) -> Vec<u64> {
                data.numbers.par_iter().copied().filter(|n| n % 3 == 0).collect()
            }

            pub fn find_early(data: &Data) -> Option<u64> {
                let wanted = data.early();
                data.numbers.par_iter().copied().find_any(|&n| n == wanted)
            }

            pub fn find_late(data: &Data) -> Option<u64> {
                let wanted = data.late();
                data.numbers.par_iter().copied().find_any(|&n| n == wanted)
            }

            pub fn any_early(data: &Data) -> bool {
                let wanted = data.early();
                data.numbers.par_iter().any(|&n| n == wanted)
            }

            pub fn any_late(data: &Data) -> bool {
                let wanted = data.late();
                data.numbers.par_iter().any(|&n| n == wanted)
            }

            pub fn min_by_key(data: &Data) -> Option<u64> {
                data.numbers.par_iter().copied().min_by_key(|n| n.rotate_left(17))
            }

            pub fn dot(data: &Data) -> u64 {
                let products = data.numbers.par_iter().zip(&data.others).map(|(a, b)| a.wrapping_mul(*b));
                products.reduce(|| 0, u64::wrapping_add)
            }

            pub fn chunks(data: &Data) -> u64 {
                data.numbers.par_chunks(1000).map(|chunk| chunk.iter().copied().max().unwrap_or(0)).sum()
            }

            pub fn chain(data: &Data) -> u64 {
                data.numbers.par_iter().chain(&data.others).map(|n| n >> 2).sum()
            }

            pub fn flatten(data: &Data) -> u64 {
                data.numbers.par_chunks(1000).flatten().map(|n| n >> 2).sum()
            }

            pub fn enumerate(data: &Data) -> u64 {
                let mixed = data.numbers.par_iter().enumerate().map(|(i, n)| n ^ i as u64);
                mixed.reduce(|| 0, u64::wrapping_add)
            }

            pub fn bridge(data: &Data) -> u64 {
                data.numbers[..data.numbers.len() / 10].iter().par_bridge().map(|n| n >> 2).sum()
            }

            pub fn split(data: &Data) -> usize {
                data.text.par_split(' ').map(str::len).max().unwrap_or(0)
            }

            pub fn pareto(data: &Data) -> u64 {
                data.costs.par_iter().map(|&cost| spin(cost)).reduce(|| 0, u64::wrapping_add)
            }

            pub fn long(_: &Data) -> u64 {
                (0..8_u64).into_par_iter().map(|n| busy_for(LONG) + n).sum()
            }
        }
    };
}

workloads!(heist);
workloads!(rayon);

/// The same with the standard library's iterators.
#[expect(clippy::manual_contains, reason = "`any` is what is measured")]
mod sequential {
    use super::{Data, LONG, busy_for, spin};

    pub fn sum(data: &Data) -> u64 {
        data.numbers.iter().sum()
    }

    pub fn map_collect(data: &Data) -> Vec<u64> {
        data.numbers.iter().map(|n| n * 3 + 1).collect()
    }

    pub fn filter_collect(data: &Data) -> Vec<u64> {
        data.numbers.iter().copied().filter(|n| n % 3 == 0).collect()
    }

    pub fn find_early(data: &Data) -> Option<u64> {
        let wanted = data.early();
        data.numbers.iter().copied().find(|&n| n == wanted)
    }

    pub fn find_late(data: &Data) -> Option<u64> {
        let wanted = data.late();
        data.numbers.iter().copied().find(|&n| n == wanted)
    }

    pub fn any_early(data: &Data) -> bool {
        let wanted = data.early();
        data.numbers.iter().any(|&n| n == wanted)
    }

    pub fn any_late(data: &Data) -> bool {
        let wanted = data.late();
        data.numbers.iter().any(|&n| n == wanted)
    }

    pub fn min_by_key(data: &Data) -> Option<u64> {
        data.numbers.iter().copied().min_by_key(|n| n.rotate_left(17))
    }

    pub fn dot(data: &Data) -> u64 {
        data.numbers.iter().zip(&data.others).map(|(a, b)| a.wrapping_mul(*b)).fold(0, u64::wrapping_add)
    }

    pub fn chunks(data: &Data) -> u64 {
        data.numbers.chunks(1000).map(|chunk| chunk.iter().copied().max().unwrap_or(0)).sum()
    }

    pub fn chain(data: &Data) -> u64 {
        data.numbers.iter().chain(&data.others).map(|n| n >> 2).sum()
    }

    pub fn flatten(data: &Data) -> u64 {
        data.numbers.chunks(1000).flatten().map(|n| n >> 2).sum()
    }

    pub fn enumerate(data: &Data) -> u64 {
        data.numbers.iter().enumerate().map(|(i, n)| n ^ i as u64).fold(0, u64::wrapping_add)
    }

    pub fn bridge(data: &Data) -> u64 {
        data.numbers[..data.numbers.len() / 10].iter().map(|n| n >> 2).sum()
    }

    pub fn split(data: &Data) -> usize {
        data.text.split(' ').map(str::len).max().unwrap_or(0)
    }

    pub fn pareto(data: &Data) -> u64 {
        data.costs.iter().map(|&cost| spin(cost)).fold(0, u64::wrapping_add)
    }

    pub fn long(_: &Data) -> u64 {
        (0..8_u64).map(|n| busy_for(LONG) + n).sum()
    }
}

/// How long each of the eight items of `long` takes.
const LONG: Duration = Duration::from_millis(50);

/// Keeps a core busy for so long.
fn busy_for(time: Duration) -> u64 {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
    0
}

fn rows(effort: &Effort) -> Vec<Row> {
    let most = if effort.quick { 1_000_000 } else { 10_000_000 };
    let mut rows = Vec::new();
    for len in [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        if len <= most {
            rows.push(row(format!("sum of {len}"), len, heist::sum, rayon::sum, sequential::sum));
        }
    }
    for len in [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        if len <= most {
            let name = format!("map and collect {len}");
            rows.push(row(name, len, heist::map_collect, rayon::map_collect, sequential::map_collect));
        }
    }
    /// A row over a million items whose workload has this name.
    macro_rules! of_a_million {
        ($($name:literal $workload:ident)*) => {
            $(rows.push(row($name, 1_000_000, heist::$workload, rayon::$workload, sequential::$workload));)*
        };
    }
    of_a_million! {
        "filter and collect" filter_collect
        "find_any, early" find_early
        "find_any, late" find_late
        "any, early" any_early
        "any, late" any_late
        "min_by_key" min_by_key
        "zip, dot product" dot
        "chunks of 1,000" chunks
        "chain" chain
        "flatten" flatten
        "enumerate" enumerate
        "par_bridge of 100,000" bridge
        "split a string" split
        "heavy-tailed items" pareto
    }
    rows.push(row("8 items of 50 ms", ITEMS_PER_ROUND, heist::long, rayon::long, sequential::long).rounds(3));
    rows
}

fn row<R: PartialEq + Send + 'static>(
    name: impl Into<String>,
    len: usize,
    heist: fn(&Data) -> R,
    rayon: fn(&Data) -> R,
    sequential: fn(&Data) -> R,
) -> Row {
    Row::new(name, move || {
        let data = Arc::new(Data::new(len));
        let right = sequential(&data);
        assert!(heist(&data) == right, "heist is wrong");
        assert!(rayon(&data) == right, "rayon is wrong");
        let calls = (ITEMS_PER_ROUND / len).max(1);
        let contender = |who, workload: fn(&Data) -> R, pool: Pool| {
            let data = data.clone();
            Contender::new(who, move || {
                pool.run(|| {
                    let call = || drop(black_box(workload(black_box(&data))));
                    let begin = Instant::now();
                    while begin.elapsed() < WARM_UP {
                        call();
                    }
                    timed(|| (0..calls).for_each(|_| call())).1 / calls as f64
                })
            })
        };
        vec![
            contender("heist", heist, Pool::heist()),
            contender("rayon", rayon, Pool::rayon()),
            contender("sequential", sequential, Pool::Nothing),
        ]
    })
}

/// Where a workload is called.
pub(super) enum Pool {
    Heist(::heist::ThreadPool),
    Rayon(::rayon::ThreadPool),
    Nothing,
}

impl Pool {
    const WORKERS: usize = 2;

    pub(super) fn heist() -> Self {
        let builder = ::heist::ThreadPoolBuilder::new().num_threads(Self::WORKERS);
        Pool::Heist(builder.build().expect("a few threads can be started"))
    }

    pub(super) fn rayon() -> Self {
        let builder = ::rayon::ThreadPoolBuilder::new().num_threads(Self::WORKERS);
        Pool::Rayon(builder.build().expect("a few threads can be started"))
    }

    /// Runs `work` when all workers are awake and spread over the cores.
    pub(super) fn run_when_awake(&self, work: impl FnOnce() -> f64 + Send) -> f64 {
        self.run(|| {
            match self {
                Pool::Heist(_) => keep_all_busy::<library::Heist>(&mut ()),
                Pool::Rayon(_) => keep_all_busy::<library::Rayon>(&mut ()),
                Pool::Nothing => {}
            }
            work()
        })
    }

    pub(super) fn run(&self, work: impl FnOnce() -> f64 + Send) -> f64 {
        match self {
            Pool::Heist(pool) => pool.install(work),
            Pool::Rayon(pool) => pool.install(work),
            Pool::Nothing => work(),
        }
    }
}
