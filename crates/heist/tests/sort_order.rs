//! Sorts give the same result as those of the standard library.

mod kit;

use heist::prelude::*;
use kit::{LENGTHS, Random, in_pool, patterns};
use std::{cell::Cell, cmp::Ordering};

/// A key, and what tells equal keys apart.
type Pair = (u32, usize);

fn lengths() -> impl Iterator<Item = usize> {
    LENGTHS.into_iter().chain([2047, 2048, 4096, 8191, 40_000])
}

#[test]
fn stable_sorts_agree_with_std_on_all_patterns() {
    for len in lengths() {
        for (name, input) in patterns(len) {
            let input: Vec<Pair> = input.into_iter().enumerate().map(|(i, x)| (x, i)).collect();
            let mut expected = input.clone();
            expected.sort_by_key(|x| x.0);

            let check = |how: &str, sort: &(dyn Fn(&mut [Pair]) + Sync)| {
                let mut v = input.clone();
                in_pool(|| sort(&mut v));
                assert!(v == expected, "{how} of {name}, {len} elements");
            };
            check("par_sort_by", &|v| v.par_sort_by(|a, b| a.0.cmp(&b.0)));
            check("par_sort_by_key", &|v| v.par_sort_by_key(|x| x.0));
            check("par_sort_by_cached_key", &|v| v.par_sort_by_cached_key(|x| x.0));
            check("par_sort", &|v| v.par_sort());
        }
    }
}

#[test]
fn unstable_sorts_agree_with_std_on_all_patterns() {
    for len in lengths() {
        for (name, input) in patterns(len) {
            let mut expected = input.clone();
            expected.sort_unstable();
            let check = |how: &str, sort: &(dyn Fn(&mut [u32]) + Sync)| {
                let mut v = input.clone();
                in_pool(|| sort(&mut v));
                assert!(v == expected, "{how} of {name}, {len} elements");
            };
            check("par_sort_unstable", &|v| v.par_sort_unstable());
            check("par_sort_unstable_by", &|v| v.par_sort_unstable_by(|a, b| a.cmp(b)));
            check("par_sort_unstable_by_key", &|v| v.par_sort_unstable_by_key(|x| *x));
            check("descending", &|v| {
                v.par_sort_unstable_by(|a, b| b.cmp(a));
                v.reverse();
            });
        }
    }
}

#[test]
fn sorts_called_outside_of_a_pool_work_too() {
    let mut random = Random::new(5);
    let input: Vec<u64> = (0..10_000).map(|_| random.next()).collect();
    let (mut stable, mut unstable, mut expected) = (input.clone(), input.clone(), input);
    stable.par_sort();
    unstable.par_sort_unstable();
    expected.sort();
    assert!(stable == expected && unstable == expected);
}

#[test]
fn strings_and_large_elements_are_sorted() {
    let mut random = Random::new(9);
    let numbers: Vec<u64> = (0..20_000).map(|_| random.next() % 5000).collect();
    let mut strings: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let mut expected = strings.clone();
    expected.sort();
    let mut unstable = strings.clone();
    in_pool(|| {
        strings.par_sort();
        unstable.par_sort_unstable();
    });
    assert!(strings == expected && unstable == expected);

    let mut large: Vec<[u64; 20]> = numbers.iter().map(|n| [*n; 20]).collect();
    let mut expected = large.clone();
    expected.sort();
    let mut unstable = large.clone();
    in_pool(|| {
        large.par_sort();
        unstable.par_sort_unstable();
    });
    assert!(large == expected && unstable == expected);
}

#[test]
fn elements_without_a_size_are_left_alone() {
    let mut v = [(); 100_000];
    in_pool(|| {
        v.par_sort();
        v.par_sort_unstable();
        v.par_sort_by(|_, _| Ordering::Greater);
        v.par_sort_by_cached_key(|_| 1);
    });
    assert_eq!(v.len(), 100_000);
}

#[test]
fn a_cached_key_is_computed_once_for_each_element() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    for len in [0, 1, 2, 3000, 20_000] {
        let calls = AtomicUsize::new(0);
        let mut random = Random::new(3);
        let mut v: Vec<u64> = (0..len).map(|_| random.next() % 100).collect();
        let key = |x: &u64| {
            calls.fetch_add(1, Relaxed);
            x.to_string()
        };
        in_pool(|| v.par_sort_by_cached_key(key));
        assert!(v.is_sorted_by_key(|x| x.to_string()));
        assert!(calls.into_inner() <= len as usize);
    }
}

/// Counts how often it was looked at; two threads that looked at once would be a data race.
struct Counter {
    key: u64,
    looks: Cell<u32>,
}

#[test]
fn comparators_may_change_cells_in_elements() {
    let mut random = Random::new(11);
    for modulus in [3, 1000, u64::MAX] {
        let make = |_| Counter { key: random.next() % modulus, looks: Cell::new(0) };
        let mut v: Vec<Counter> = (0..20_000).map(make).collect();
        let looks = std::sync::atomic::AtomicU64::new(0);
        let compare = |a: &Counter, b: &Counter| {
            for x in [a, b] {
                x.looks.set(x.looks.get() + 1);
            }
            looks.fetch_add(2, std::sync::atomic::Ordering::Relaxed);
            a.key.cmp(&b.key)
        };
        in_pool(|| v.par_sort_by(compare));
        in_pool(|| v.par_sort_unstable_by(|a, b| compare(b, a)));
        in_pool(|| v.par_sort_by(compare));
        assert!(v.is_sorted_by_key(|x| x.key));
        assert_eq!(v.iter().map(|x| u64::from(x.looks.get())).sum::<u64>(), looks.into_inner());
    }
}

#[test]
fn sorts_need_no_more_comparisons_than_n_log_n() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let len = 50_000;
    for (name, input) in patterns(len) {
        let calls = AtomicUsize::new(0);
        let compare = |a: &u32, b: &u32| {
            calls.fetch_add(1, Relaxed);
            a.cmp(b)
        };
        let (mut stable, mut unstable) = (input.clone(), input);
        in_pool(|| stable.par_sort_by(compare));
        let for_stable = calls.swap(0, Relaxed);
        in_pool(|| unstable.par_sort_unstable_by(compare));
        let for_unstable = calls.into_inner();
        assert!(for_stable < 25 * len && for_unstable < 40 * len, "{name}: {for_stable}, {for_unstable}");
        if ["sorted", "reversed", "equal"].contains(&name) {
            assert!(for_stable < 2 * len && for_unstable < 2 * len, "{name}: {for_stable}, {for_unstable}");
        }
        if name == "few" {
            assert!(for_stable < 12 * len && for_unstable < 12 * len, "{name}: {for_stable}, {for_unstable}");
        }
    }
}
