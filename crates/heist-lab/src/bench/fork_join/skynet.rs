//! A tree with ten children per node and a million leaves, each of which only says its number.
//!
//! By `spawn` every node is a job on the heap, which is what this benchmark usually measures. By
//! `join` the ten children are halved until one is left.

use std::hint::black_box;
use std::ops::Range;

use super::{Work, on_workers};
use crate::bench::library::{ForkJoin, Heist, Rayon, Sequential, Spawn, keep_all_busy};
use crate::bench::measure::{Contender, Row, timed};

const CHILDREN: u64 = 10;
const LEAVES: u64 = 1_000_000;

/// The sum of all leaves' numbers.
const SUM: u64 = LEAVES * (LEAVES - 1) / 2;

pub struct Joined;

impl Work for Joined {
    const NAME: &'static str = "skynet by join";
    type Output = u64;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> u64 {
        node_by_join::<L>(place, 0, black_box(LEAVES))
    }

    fn is_right(&self, output: &u64) -> bool {
        *output == SUM
    }
}

fn node_by_join<L: ForkJoin>(place: &mut L::Place<'_>, first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    children_by_join::<L>(place, first, leaves / CHILDREN, 0..CHILDREN)
}

fn children_by_join<L: ForkJoin>(
    place: &mut L::Place<'_>,
    first: u64,
    leaves: u64,
    children: Range<u64>,
) -> u64 {
    let Range { start, end } = children;
    if end - start == 1 {
        return node_by_join::<L>(place, first + start * leaves, leaves);
    }
    let middle = start.midpoint(end);
    let (a, b) = L::join(
        place,
        |place| children_by_join::<L>(place, first, leaves, start..middle),
        |place| children_by_join::<L>(place, first, leaves, middle..end),
    );
    a + b
}

/// The row of the contenders that have `scope` and `spawn`.
pub fn spawned(workers: usize) -> Row {
    Row::new(on_workers("skynet by spawn", workers), move || {
        vec![spawning::<Heist>(workers), spawning::<Rayon>(workers), spawning::<Sequential>(workers)]
    })
}

fn spawning<L: Spawn>(workers: usize) -> Contender {
    let pool = L::new(workers);
    Contender::new(L::WHO, move || {
        let (sum, ns) = pool.run(|place| {
            keep_all_busy::<L>(place);
            timed(|| node_by_spawn::<L>(0, black_box(LEAVES)))
        });
        assert_eq!(sum, SUM, "{}", L::WHO);
        ns
    })
}

/// The sum of the numbers of the leaves from `first` on, each of whose ancestors is a job.
pub fn node_by_spawn<L: Spawn>(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let leaves = leaves / CHILDREN;
    let mut sums = [0; CHILDREN as usize];
    L::spawn_all(
        (0..)
            .zip(&mut sums)
            .map(|(child, sum)| move || *sum = node_by_spawn::<L>(first + child * leaves, leaves)),
    );
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_tree_has_the_sum_of_its_leaves_either_way() {
        let sum = 1000 * 999 / 2;
        let pool = Heist::new(2);
        assert_eq!(pool.run(|_| node_by_spawn::<Heist>(0, 1000)), sum);
        assert_eq!(pool.run(|place| node_by_join::<Heist>(place, 0, 1000)), sum);
        assert_eq!(node_by_spawn::<Sequential>(0, 1000), sum);
    }
}
