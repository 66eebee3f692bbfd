//! Whatever a comparator does, a sort loses no element and doubles none.

mod kit;

use heist::prelude::*;
use kit::{Random, in_pool, patterns, quietly};
use std::{
    cmp::Ordering,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// An element that knows how often each number was dropped. It is small: such elements are moved the most.
struct Tracked<'a> {
    key: u32,
    number: u32,
    drops: &'a Vec<AtomicUsize>,
}

impl Drop for Tracked<'_> {
    fn drop(&mut self) {
        self.drops[self.number as usize].fetch_add(1, Relaxed);
    }
}

type Compare<'a> = &'a (dyn Fn(&Tracked<'_>, &Tracked<'_>) -> Ordering + Sync);
type Sort = fn(&mut [Tracked<'_>], Compare<'_>);

const SORTS: [(&str, Sort); 2] = [
    ("stable", |v, compare| v.par_sort_by(compare)),
    ("unstable", |v, compare| v.par_sort_unstable_by(compare)),
];

/// Sorts `keys`, and sees to it that each element is there once afterwards, whether the sort panics or not.
fn sort_and_count(name: &str, keys: &[u32], sort: Sort, compare: Compare<'_>) {
    let drops: Vec<AtomicUsize> = keys.iter().map(|_| AtomicUsize::new(0)).collect();
    let track = |(number, &key)| Tracked { key, number, drops: &drops };
    let mut v: Vec<Tracked<'_>> = (0..).zip(keys).map(track).collect();
    let _ = panic::catch_unwind(AssertUnwindSafe(|| in_pool(|| sort(&mut v, compare))));

    let mut seen = vec![false; keys.len()];
    for x in &v {
        assert!(
            !std::mem::replace(&mut seen[x.number as usize], true),
            "{name}: {} is there twice",
            x.number
        );
        assert_eq!(x.key, keys[x.number as usize]);
    }
    assert!(drops.iter().all(|count| count.load(Relaxed) == 0), "{name}: dropped within the sort");
    drop(v);
    assert!(drops.iter().all(|count| count.load(Relaxed) == 1), "{name}: not dropped once");
}

#[test]
fn a_panic_at_any_comparison_leaves_a_permutation() {
    quietly(|| {
        for len in [3, 50, 2100, 6000] {
            for (name, keys) in patterns(len) {
                for (how, sort) in SORTS {
                    let calls = AtomicUsize::new(0);
                    sort_and_count(name, &keys, sort, &|a, b| {
                        calls.fetch_add(1, Relaxed);
                        a.key.cmp(&b.key)
                    });
                    let calls = calls.into_inner();
                    for stop in (0..calls).step_by((calls / 25).max(1)) {
                        let left = AtomicUsize::new(stop);
                        sort_and_count(&format!("{how} sort of {name}, {stop}"), &keys, sort, &|a, b| {
                            // Wraps when it is over, so that it panics once; others go on meanwhile.
                            assert!(left.fetch_sub(1, Relaxed) != 0, "as planned");
                            a.key.cmp(&b.key)
                        });
                    }
                }
            }
        }
    });
}

/// An element whose order panics once a number of comparisons are done.
struct Fickle<'a>(Tracked<'a>, &'a AtomicUsize);

impl Ord for Fickle<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        assert!(self.1.fetch_sub(1, Relaxed) != 0, "as planned");
        self.0.key.cmp(&other.0.key)
    }
}

impl PartialOrd for Fickle<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fickle<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fickle<'_> {}

#[test]
fn an_ord_that_panics_leaves_a_permutation() {
    let len = 6000;
    let sorts: [fn(&mut [Fickle<'_>]); 2] = [|v| v.par_sort(), |v| v.par_sort_unstable()];
    for (name, keys) in patterns(len) {
        for sort in sorts {
            for stop in [0, 1, 100, 5000, 6000, 20_000, 50_000] {
                let drops: Vec<AtomicUsize> = keys.iter().map(|_| AtomicUsize::new(0)).collect();
                let left = AtomicUsize::new(stop);
                let track = |(number, &key)| Fickle(Tracked { key, number, drops: &drops }, &left);
                let mut v: Vec<Fickle<'_>> = (0..).zip(&keys).map(track).collect();
                quietly(|| {
                    let _ = panic::catch_unwind(AssertUnwindSafe(|| in_pool(|| sort(&mut v))));
                });
                assert!(
                    drops.iter().all(|count| count.load(Relaxed) == 0),
                    "{name}: dropped within the sort"
                );
                drop(v);
                assert!(drops.iter().all(|count| count.load(Relaxed) == 1), "{name}: not dropped once");
            }
        }
    }
}

#[test]
fn panics_on_several_workers_at_once_leave_a_permutation() {
    quietly(|| {
        for (name, keys) in patterns(20_000) {
            for (how, sort) in SORTS {
                for nth in [50, 5000, 100_000] {
                    let calls = AtomicUsize::new(0);
                    sort_and_count(&format!("{how} sort of {name}"), &keys, sort, &|a, b| {
                        assert!(calls.fetch_add(1, Relaxed) % nth != nth - 1, "as planned");
                        a.key.cmp(&b.key)
                    });
                }
            }
        }
    });
}

#[test]
fn an_order_that_is_none_leaves_a_permutation() {
    quietly(|| {
        let mut random = Random::new(17);
        for len in [10, 100, 3000, 20_000] {
            let keys: Vec<u32> = (0..len).map(|_| random.next() as u32).collect();
            for (how, sort) in SORTS {
                let random = AtomicUsize::new(12345);
                let dice = || {
                    let x = random.fetch_add(0x9E37_79B9, Relaxed).wrapping_mul(0x2545_F491_4F6C_DD1D);
                    [Ordering::Less, Ordering::Equal, Ordering::Greater][(x >> 40) % 3]
                };
                sort_and_count(how, &keys, sort, &|_, _| dice());
                sort_and_count(how, &keys, sort, &|_, _| Ordering::Less);
                sort_and_count(how, &keys, sort, &|_, _| Ordering::Greater);
                // Rock, paper, scissors.
                sort_and_count(how, &keys, sort, &|a, b| match (3 + a.key % 3 - b.key % 3) % 3 {
                    0 => Ordering::Equal,
                    1 => Ordering::Less,
                    _ => Ordering::Greater,
                });
            }
        }
    });
}

#[test]
fn an_order_that_is_none_is_no_reason_to_panic() {
    let mut random = Random::new(23);
    for len in (0..70).chain([100, 500, 3000, 20_000]) {
        let floats: Vec<f64> =
            (0..len).map(|_| f64::from_bits(random.next())).chain([f64::NAN, 1.0]).collect();
        let (mut stable, mut unstable) = (floats.clone(), floats);
        in_pool(|| stable.par_sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)));
        in_pool(|| unstable.par_sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)));

        let calls = AtomicUsize::new(len);
        let dice = || {
            let x = calls.fetch_add(1, Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            [Ordering::Less, Ordering::Equal, Ordering::Greater][(x >> 40) % 3]
        };
        for _ in 0..10 {
            let mut numbers: Vec<usize> = (0..len).collect();
            let mut strings: Vec<String> = numbers.iter().map(usize::to_string).collect();
            let mut large: Vec<[usize; 20]> = numbers.iter().map(|n| [*n; 20]).collect();
            in_pool(|| {
                numbers.par_sort_by(|_, _| dice());
                numbers.par_sort_unstable_by(|_, _| dice());
                strings.par_sort_by(|_, _| dice());
                strings.par_sort_unstable_by(|_, _| dice());
                large.par_sort_unstable_by(|_, _| dice());
                large.par_partition(|_| dice().is_lt());
            });
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..len));
        }
    }
}

#[test]
fn a_key_that_panics_leaves_the_slice_as_it_was() {
    quietly(|| {
        for stop in [0, 1, 500, 4999] {
            let mut v: Vec<u32> = (0..5000).rev().collect();
            let expected = v.clone();
            let sort = || {
                v.par_sort_by_cached_key(|x| {
                    assert!(*x != stop, "as planned");
                    x.to_string()
                });
            };
            assert!(panic::catch_unwind(AssertUnwindSafe(|| in_pool(sort))).is_err());
            assert_eq!(v, expected);
        }
    });
}
