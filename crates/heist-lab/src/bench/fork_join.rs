//! Fork-join workloads, from halves of a nanosecond to halves of many milliseconds.
//!
//! Every contender runs the same code, see [`library`](super::library). Pools have one and two
//! workers; where a library counts the calling thread as a worker, it has that many threads in all.
//!
//! Before the clock starts the pool is kept busy for some milliseconds. Threads that have just been
//! woken may share a core until the system has spread them, and then two workers are no faster than
//! one, whoever they belong to. What a wake-up costs is for the groups `costs` and `idle`.

pub mod fib;
mod matmul;
pub mod nqueens;
pub mod skynet;
mod tree;

use std::sync::Arc;

use super::Group;
use super::library::{Chili, ForkJoin, Heist, Rayon, Sequential, keep_all_busy};
use super::measure::{Contender, Effort, Row, timed};
use crate::words::plural;

pub const GROUP: Group = Group {
    name: "fork-join",
    about: "divide and conquer on one and two workers; against rayon, chili and plain calls",
    rows,
};

fn rows(_: &Effort) -> Vec<Row> {
    [
        on_pools(|workers| row(workers, || fib::Fib(32))),
        on_pools(skynet::spawned),
        on_pools(|workers| row(workers, || skynet::Joined)),
        on_pools(|workers| row(workers, || nqueens::Queens(12))),
        on_pools(|workers| row(workers, || matmul::MatMul::new(512))),
        on_pools(|workers| row(workers, tree::Tree::new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn on_pools(row: impl Fn(usize) -> Row) -> [Row; 2] {
    [1, 2].map(row)
}

/// Something to compute by `join` without a cutoff.
pub trait Work: Send + Sync + 'static {
    const NAME: &'static str;
    type Output: Send;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> Self::Output;

    /// Speed is no use if the result is wrong.
    fn is_right(&self, output: &Self::Output) -> bool;
}

fn row<W: Work>(workers: usize, work: impl FnOnce() -> W + 'static) -> Row {
    Row::new(on_workers(W::NAME, workers), move || {
        let work = Arc::new(work());
        vec![
            contender::<Heist, W>(workers, &work),
            contender::<Rayon, W>(workers, &work),
            contender::<Chili, W>(workers, &work),
            contender::<Sequential, W>(workers, &work),
        ]
    })
}

fn contender<L: ForkJoin, W: Work>(workers: usize, work: &Arc<W>) -> Contender {
    let pool = L::new(workers);
    let work = work.clone();
    Contender::new(L::WHO, move || {
        let (output, ns) = pool.run(|place| {
            keep_all_busy::<L>(place);
            timed(|| work.run::<L>(place))
        });
        assert!(work.is_right(&output), "{}: {} is wrong", W::NAME, L::WHO);
        ns
    })
}

fn on_workers(name: &str, workers: usize) -> String {
    format!("{name}, {}", plural(workers, "worker"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn all_agree(work: impl Work) {
        assert!(work.is_right(&on::<Heist, _>(&work)), "heist");
        assert!(work.is_right(&on::<Rayon, _>(&work)), "rayon");
        assert!(work.is_right(&on::<Chili, _>(&work)), "chili");
        assert!(work.is_right(&on::<Sequential, _>(&work)), "sequential");
    }

    fn on<L: ForkJoin, W: Work>(work: &W) -> W::Output {
        L::new(2).run(|place| work.run::<L>(place))
    }

    #[test]
    fn every_library_computes_fib() {
        all_agree(fib::Fib(15));
    }

    #[test]
    fn every_library_places_queens() {
        all_agree(nqueens::Queens(6));
    }

    #[test]
    fn every_library_multiplies_matrices() {
        all_agree(matmul::MatMul::new(128));
    }

    #[test]
    fn workers_are_counted_in_english() {
        assert_eq!(on_workers("fib", 1), "fib, 1 worker");
        assert_eq!(on_workers("fib", 2), "fib, 2 workers");
    }
}
