//! Sorts of a million elements in several states of order.

use std::hint::black_box;
use std::sync::Arc;

use super::Group;
use super::iter::{Pool, Random};
use super::measure::{Contender, Effort, Row, timed};

pub const GROUP: Group = Group {
    name: "sort",
    about: "stable and unstable sorts of a million numbers or strings; against rayon and std",
    rows,
};

const LEN: u64 = 1_000_000;

fn rows(_: &Effort) -> Vec<Row> {
    fn random() -> impl Iterator<Item = u64> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        (0..LEN).map(move |_| random.next())
    }
    let mut rows = Vec::new();
    type Input = fn() -> Vec<u64>;
    let inputs: [(&str, Input); 6] = [
        ("random", || random().collect()),
        ("sorted", || (0..LEN).collect()),
        ("reversed", || (0..LEN).rev().collect()),
        ("equal", || vec![7; LEN as usize]),
        ("sawtooth", || (0..LEN).map(|n| n % 1000).collect()),
        ("few distinct", || random().map(|n| n % 8).collect()),
    ];
    for (name, input) in inputs {
        rows.extend(both(name, input));
    }
    rows.extend(both("strings", || random().map(|n| format!("{:06}", n % 1_000_000)).collect()));
    rows
}

fn both<T: Ord + Clone + Send + Sync + 'static>(name: &str, input: fn() -> Vec<T>) -> [Row; 2] {
    let stable: [fn(&mut Vec<T>); 3] = [
        |items| heist::slice::ParallelSliceMut::par_sort(&mut **items),
        |items| rayon::slice::ParallelSliceMut::par_sort(&mut **items),
        |items| items.sort(),
    ];
    let unstable: [fn(&mut Vec<T>); 3] = [
        |items| heist::slice::ParallelSliceMut::par_sort_unstable(&mut **items),
        |items| rayon::slice::ParallelSliceMut::par_sort_unstable(&mut **items),
        |items| items.sort_unstable(),
    ];
    [row(format!("stable, {name}"), input, stable), row(format!("unstable, {name}"), input, unstable)]
}

fn row<T: Ord + Clone + Send + Sync + 'static>(
    name: String,
    input: fn() -> Vec<T>,
    [heist, rayon, std]: [fn(&mut Vec<T>); 3],
) -> Row {
    Row::new(name, move || {
        let input = Arc::new(input());
        let contender = |who, sort: fn(&mut Vec<T>), pool: Pool| {
            let input = input.clone();
            Contender::new(who, move || {
                let mut items = input.to_vec();
                let ns = pool.run_when_awake(|| timed(|| sort(black_box(&mut items))).1);
                assert!(items.is_sorted(), "{who} is wrong");
                ns
            })
        };
        vec![
            contender("heist", heist, Pool::heist()),
            contender("rayon", rayon, Pool::rayon()),
            contender("std", std, Pool::Nothing),
        ]
    })
}
