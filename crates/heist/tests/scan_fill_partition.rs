//! What is done to a slice in place: prefix sums, fills, partitions.

mod kit;

use heist::prelude::*;
use kit::{LENGTHS, Random, in_pool, patterns, quietly};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

fn lengths() -> impl Iterator<Item = usize> {
    LENGTHS.into_iter().chain([255, 256, 257, 513, 30_000])
}

fn numbers(len: usize) -> Vec<u64> {
    let mut random = Random::new(len as u64 + 3);
    (0..len).map(|_| random.next()).collect()
}

#[test]
fn an_inclusive_scan_adds_up_all_so_far() {
    for len in lengths() {
        let mut v = numbers(len);
        let mut sum = 0u64;
        let expected: Vec<u64> = v
            .iter()
            .map(|x| {
                sum = sum.wrapping_add(*x);
                sum
            })
            .collect();
        in_pool(|| v.par_scan_inclusive(|a, b| a.wrapping_add(*b)));
        assert!(v == expected, "{len} elements");
    }
}

#[test]
fn an_exclusive_scan_adds_up_all_before_and_returns_the_rest() {
    for len in lengths() {
        let mut v = numbers(len);
        let mut sum = 100u64;
        let expected: Vec<u64> = v
            .iter()
            .map(|x| {
                let before = sum;
                sum = sum.wrapping_add(*x);
                before
            })
            .collect();
        let total = in_pool(|| v.par_scan_exclusive(100, |a, b| a.wrapping_add(*b)));
        assert_eq!(total, sum);
        assert!(v == expected, "{len} elements");
    }
}

#[test]
fn a_scan_keeps_the_order_of_an_operator_that_does_not_commute() {
    // The composition of x -> a x + b.
    let compose =
        |f: &(u64, u64), g: &(u64, u64)| (f.0.wrapping_mul(g.0), g.0.wrapping_mul(f.1).wrapping_add(g.1));
    for len in lengths() {
        let functions: Vec<(u64, u64)> = numbers(len).into_iter().map(|x| (x | 1, x >> 7)).collect();
        let mut expected = functions.clone();
        for i in 1..len {
            expected[i] = compose(&expected[i - 1], &expected[i]);
        }
        let mut v = functions;
        in_pool(|| v.par_scan_inclusive(compose));
        assert!(v == expected, "{len} elements");
    }
}

#[test]
fn a_scan_works_on_elements_that_own_memory() {
    let mut v: Vec<String> = (0..2000).map(|i| char::from(b'a' + (i % 26) as u8).to_string()).collect();
    let all = v.concat();
    in_pool(|| v.par_scan_inclusive(|a, b| format!("{a}{b}")));
    assert!(v.iter().enumerate().all(|(i, s)| *s == all[..=i]));
}

#[test]
fn a_scan_makes_about_two_calls_for_each_element_at_most() {
    let calls = AtomicUsize::new(0);
    let mut v = vec![1u64; 50_000];
    v.par_scan_inclusive(|a, b| {
        calls.fetch_add(1, Relaxed);
        a + b
    });
    assert!(v.iter().enumerate().all(|(i, x)| *x == i as u64 + 1));
    assert!(calls.into_inner() < 2 * v.len() + 1000);
}

#[test]
fn fills_set_every_element() {
    for len in lengths() {
        let mut v = vec![String::new(); len];
        in_pool(|| v.par_fill("x".to_string()));
        assert!(v.iter().all(|x| x == "x"));
        let calls = AtomicUsize::new(0);
        in_pool(|| v.par_fill_with(|| calls.fetch_add(1, Relaxed).to_string()));
        let mut all: Vec<usize> = v.iter().map(|x| x.parse().unwrap()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..len));
        in_pool(|| v.par_update(|x| x.push('!')));
        assert!(v.iter().all(|x| x.ends_with('!')));
    }
}

#[test]
fn partitions_agree_with_std() {
    for len in lengths() {
        for (name, input) in patterns(len) {
            let context = |pivot| format!("{name}, {len} elements, pivot {pivot}");
            for pivot in [0, 1, 7, 50, len as u32 / 2, u32::MAX] {
                partitions_agree(&input, pivot, &context(pivot));
            }
            // Of other sizes, which are moved in other ways.
            for pivot in [7, len as u32 / 2].into_iter().filter(|_| len < 10_000) {
                partitions_agree(&repeated::<6>(&input), [pivot; 6], &context(pivot));
                partitions_agree(&repeated::<40>(&input), [pivot; 40], &context(pivot));
            }
        }
    }
}

fn repeated<const TIMES: usize>(input: &[u32]) -> Vec<[u32; TIMES]> {
    input.iter().map(|x| [*x; TIMES]).collect()
}

fn partitions_agree<T: Ord + Copy + Send + Sync>(input: &[T], pivot: T, context: &str) {
    let holds = |x: &T| *x < pivot;
    let (left, right): (Vec<T>, Vec<T>) = input.iter().partition(|x| holds(x));

    let mut v = input.to_vec();
    let mid = in_pool(|| v.par_partition_stable(holds));
    assert!(mid == left.len() && v[..mid] == left && v[mid..] == right, "{context}");

    let mut v = input.to_vec();
    let mid = in_pool(|| v.par_partition(holds));
    assert!(mid == left.len() && v[..mid].iter().all(holds), "{context}");
    let (mut before, mut after) = (input.to_vec(), v);
    before.sort_unstable();
    after.sort_unstable();
    assert!(before == after, "{context}");
}

#[test]
fn partitions_of_elements_without_a_size_work() {
    let calls = AtomicUsize::new(0);
    let mut units = [(); 5000];
    let third = |_: &()| calls.fetch_add(1, Relaxed).is_multiple_of(3);
    assert_eq!(in_pool(|| units.par_partition(third)), 1667);
    calls.store(0, Relaxed);
    assert_eq!(in_pool(|| units.par_partition_stable(third)), 1667);
}

#[test]
fn a_panicking_predicate_leaves_all_elements() {
    let strings = numbers(6000).into_iter().map(|x| x.to_string());
    leaves_all(&strings.clone().collect::<Vec<_>>());
    leaves_all(&strings.clone().map(String::into_boxed_str).collect::<Vec<_>>());
    leaves_all(&strings.map(|x| [x.clone(), x.clone(), x.clone(), x.clone(), x]).collect::<Vec<_>>());
}

fn leaves_all<T: Ord + Clone + Send + Sync>(input: &[T]) {
    let mut expected = input.to_vec();
    expected.sort();
    let pivot = &expected[expected.len() / 10].clone();
    for stop in [0, 1, 100, 3000, 5999] {
        for stable in [false, true] {
            let mut v = input.to_vec();
            let left = AtomicUsize::new(stop);
            let pred = |x: &T| {
                assert!(left.fetch_sub(1, Relaxed) != 0, "as planned");
                x < pivot
            };
            let run = || if stable { v.par_partition_stable(pred) } else { v.par_partition(pred) };
            quietly(|| assert!(panic::catch_unwind(AssertUnwindSafe(|| in_pool(run))).is_err()));
            v.sort();
            assert!(v == expected);
        }
    }
}
