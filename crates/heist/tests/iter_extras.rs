//! What goes beyond Rayon: reductions that give the same bits everywhere, and iterations that can be stopped.

use heist::{ThreadPoolBuilder, iter::CancelToken, prelude::*};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Floats whose sum depends on the order of the additions.
fn floats(len: usize) -> Vec<f64> {
    (0..len).map(|n| (n as f64 * 0.37).sin() * 10_f64.powi(n as i32 % 30 - 15)).collect()
}

/// What `f` returns in pools of several sizes, several times in each.
fn everywhere<R: Send>(f: impl Fn() -> R + Sync) -> Vec<R> {
    let pools = [1, 2, 3, 8].map(|workers| ThreadPoolBuilder::new().num_threads(workers).build().unwrap());
    pools.iter().flat_map(|pool| (0..5).map(|_| pool.install(&f))).collect()
}

#[test]
fn a_deterministic_sum_has_the_same_bits_for_any_number_of_workers() {
    for len in [0, 1, 2, 3, 255, 256, 257, 1000, 10_001, 100_000] {
        let numbers = floats(len);
        let sums = everywhere(|| numbers.par_iter().deterministic().sum::<f64>().to_bits());
        assert!(sums.iter().all(|sum| *sum == sums[0]), "of {len}: {sums:?}");
    }
}

#[test]
fn deterministic_reductions_and_folds_have_the_same_bits_too() {
    let numbers = floats(12_345);
    let mixed = everywhere(|| {
        let reduced = numbers.par_iter().copied().deterministic().reduce(|| 0.5, |a, b| a * 0.999 + b);
        let folded = numbers.par_iter().deterministic().fold(|| 0.0, |a, b| a + b).sum::<f64>();
        let filtered =
            numbers.par_iter().deterministic().filter(|n| **n > 0.0).map(|n| n.sqrt()).sum::<f64>();
        let zipped = numbers.par_iter().zip(&numbers).deterministic().map(|(a, b)| a * b).sum::<f64>();
        [reduced, folded, filtered, zipped].map(f64::to_bits)
    });
    assert!(mixed.iter().all(|bits| *bits == mixed[0]), "{mixed:?}");
}

#[test]
fn a_deterministic_iteration_loses_nothing_and_keeps_the_order() {
    for len in [0, 1, 7, 256, 300, 5000] {
        let all: Vec<usize> = (0..len).into_par_iter().deterministic().collect();
        assert_eq!(all, (0..len).collect::<Vec<_>>());
    }
}

#[test]
fn a_few_long_items_of_a_deterministic_iteration_run_side_by_side() {
    let pool = ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let all_here = std::sync::Barrier::new(4);
    pool.install(|| (0..4).into_par_iter().deterministic().for_each(|_| _ = all_here.wait()));
}

#[test]
fn nothing_is_done_after_a_token_was_cancelled() {
    let token = CancelToken::new();
    token.cancel();
    (0..1000).into_par_iter().cancel_on(&token).for_each(|n| panic!("{n} was not to be seen"));
    assert_eq!((0..1000).into_par_iter().cancel_on(&token).collect::<Vec<_>>(), []);
}

#[test]
fn a_token_that_is_not_cancelled_changes_nothing() {
    let token = CancelToken::new();
    let all: Vec<_> = (0..1000).into_par_iter().cancel_on(&token).map(|n| n * 2).collect();
    assert_eq!(all, (0..1000).map(|n| n * 2).collect::<Vec<_>>());
    assert!(!token.is_cancelled());
}

#[test]
fn a_running_iteration_stops_between_items() {
    let (token, seen) = (CancelToken::new(), AtomicUsize::new(0));
    // Without an end that it would reach, were it not stopped.
    heist::iter::repeat(1).cancel_on(&token).for_each(|_| {
        if seen.fetch_add(1, Ordering::Relaxed) == 10_000 {
            token.cancel();
        }
    });
    assert!(seen.load(Ordering::Relaxed) > 10_000);
}

#[test]
fn an_iteration_can_be_stopped_from_another_thread() {
    let token = CancelToken::new();
    let begun = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while begun.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            token.cancel();
        });
        heist::iter::repeat(1).cancel_on(&token).for_each(|_| begun.store(1, Ordering::Relaxed));
    });
}

#[test]
fn what_was_produced_before_a_cancellation_is_dropped_once_or_returned() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let token = CancelToken::new();
    let items: Vec<Counted> = (0..100_000).map(|_| Counted).collect();
    ALIVE.store(items.len(), Ordering::Relaxed);
    let kept: Vec<Counted> = items
        .into_par_iter()
        .enumerate()
        .cancel_on(&token)
        .map(|(n, item)| {
            if n == 500 {
                token.cancel();
            }
            item
        })
        .collect();
    assert_eq!(ALIVE.load(Ordering::Relaxed), kept.len());
    drop(kept);
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
}
