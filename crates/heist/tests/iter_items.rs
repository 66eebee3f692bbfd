//! Adaptors that look at one item after another give what their sequential namesakes give.

mod iter_common;

use heist::prelude::*;
use iter_common::{LENGTHS, numbers};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Compares two chains over the same numbers: in pieces as they come, in pieces of one, and as a producer.
macro_rules! same {
    (|$items:ident| $parallel:expr, |$sequential_items:ident| $sequential:expr) => {
        for len in LENGTHS {
            let numbers = numbers(len);
            let expected: Vec<_> = {
                let $sequential_items = numbers.iter();
                $sequential.collect()
            };
            let coarse: Vec<_> = {
                let $items = numbers.par_iter();
                $parallel.collect()
            };
            assert_eq!(coarse, expected, "{len} items");
            let fine: Vec<_> = {
                let $items = numbers.par_iter().with_max_len(1);
                $parallel.collect()
            };
            assert_eq!(fine, expected, "{len} items in pieces of one");
        }
    };
}

/// The same for chains that stay indexed, also backwards and beside others.
macro_rules! same_indexed {
    (|$items:ident| $parallel:expr, |$sequential_items:ident| $sequential:expr) => {
        same!(|$items| $parallel, |$sequential_items| $sequential);
        same!(|$items| $parallel.rev(), |$sequential_items| $sequential.rev());
        same!(|$items| $parallel.zip(0..1000), |$sequential_items| $sequential.zip(0..1000));
        same!(|$items| $parallel.enumerate(), |$sequential_items| $sequential.enumerate());
    };
}

#[test]
fn map() {
    same_indexed!(|items| items.map(|n| n + 1), |items| items.map(|n| n + 1));
}

#[test]
fn map_with_and_map_init_keep_state_within_a_piece() {
    same_indexed!(
        |items| items.map_with(7, |seven, n| {
            assert!(*seven >= 7);
            *seven += 1;
            n + 1
        }),
        |items| items.map(|n| n + 1)
    );
    same_indexed!(
        |items| items.map_init(
            || 7,
            |seven, n| {
                assert!(*seven >= 7);
                *seven += 1;
                n + 1
            }
        ),
        |items| items.map(|n| n + 1)
    );
}

#[test]
fn map_init_is_called_once_for_each_piece() {
    let inits = AtomicUsize::new(0);
    let init = || inits.fetch_add(1, Relaxed);
    (0..100).into_par_iter().with_max_len(10).map_init(init, |_, n| n).for_each(drop);
    assert!((10..=100).contains(&inits.into_inner()));
}

#[test]
fn map_init_needs_no_send() {
    let sum: usize = (0..100usize).into_par_iter().map_init(|| std::rc::Rc::new(1), |one, n| n * **one).sum();
    assert_eq!(sum, 4950);
}

#[test]
fn cloned_and_copied() {
    same_indexed!(|items| items.cloned(), |items| items.cloned());
    same_indexed!(|items| items.copied(), |items| items.copied());
}

#[test]
fn inspect_sees_every_item_once() {
    same_indexed!(|items| items.inspect(|_| ()), |items| items.inspect(|_| ()));
    let sum = AtomicUsize::new(0);
    let add = |&n: &usize| {
        sum.fetch_add(n, Relaxed);
    };
    (0..1000).into_par_iter().inspect(add).for_each(drop);
    assert_eq!(sum.into_inner(), 499_500);
}

#[test]
fn update() {
    same_indexed!(|items| items.copied().update(|n| *n *= 2), |items| items.map(|n| n * 2));
}

#[test]
fn filter_and_filter_map() {
    same!(|items| items.filter(|&n| n % 3 == 0), |items| items.filter(|&n| n % 3 == 0));
    same!(|items| items.filter_map(|n| (n % 3 == 0).then_some(n / 3)), |items| items
        .filter_map(|n| (n % 3 == 0).then_some(n / 3)));
}

#[test]
fn flat_map_and_flatten() {
    same!(|items| items.flat_map(|&n| 0..n % 5), |items| items.flat_map(|&n| 0..n % 5));
    same!(|items| items.flat_map_iter(|&n| 0..n % 5), |items| items.flat_map(|&n| 0..n % 5));
    same!(|items| items.map(|&n| 0..n % 5).flatten(), |items| items.flat_map(|&n| 0..n % 5));
    same!(|items| items.map(|&n| 0..n % 5).flatten_iter(), |items| items.flat_map(|&n| 0..n % 5));
}

#[test]
fn while_some_lets_everything_through_if_there_is_no_none() {
    same!(|items| items.map(Some).while_some(), |items| items);
}

#[test]
fn while_some_ends_an_endless_iterator() {
    let left = AtomicUsize::new(1000);
    let countdown = |()| left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).ok();
    assert_eq!(heist::iter::repeat(()).map(countdown).while_some().count(), 1000);
}

#[test]
fn panic_fuse_changes_nothing_without_a_panic() {
    same_indexed!(|items| items.panic_fuse(), |items| items);
    same!(|items| items.filter(|&n| n % 2 == 0).panic_fuse(), |items| items.filter(|&n| n % 2 == 0));
}

#[test]
fn fold_covers_every_item_in_order() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let push = |mut list: Vec<u32>, &n: &u32| {
            list.push(n);
            list
        };
        let folded: Vec<Vec<u32>> = numbers.par_iter().fold(Vec::new, push).collect();
        assert_eq!(folded.concat(), numbers);
        let folded: Vec<Vec<u32>> = numbers.par_iter().with_max_len(3).fold_with(Vec::new(), push).collect();
        assert_eq!(folded.concat(), numbers);
    }
}

#[test]
fn try_fold_stops_a_piece_at_its_first_failure() {
    let add = |sum: u8, &n: &u32| sum.checked_add(u8::try_from(n).ok()?);
    for len in LENGTHS {
        let numbers = numbers(len);
        let expected = numbers.iter().try_fold(0, add).is_some();
        let with_fold = numbers.par_iter().try_fold(|| 0, add).try_reduce(|| 0, u8::checked_add);
        let with_clone = numbers.par_iter().try_fold_with(0, add).try_reduce(|| 0, u8::checked_add);
        assert_eq!((with_fold.is_some(), with_clone.is_some()), (expected, expected));
    }
    let calls = AtomicUsize::new(0);
    let fail = |_: (), _| {
        calls.fetch_add(1, Relaxed);
        Err::<(), _>("no")
    };
    let failures: Vec<_> = (0..1000).into_par_iter().with_min_len(1000).try_fold(|| (), fail).collect();
    assert_eq!(failures, [Err("no")]);
    assert_eq!(calls.into_inner(), 1);
}

#[test]
fn take_any_and_skip_any_split_the_items() {
    for len in LENGTHS {
        for count in [0, 1, len / 2, len, len + 1] {
            let taken: Vec<usize> = (0..len).into_par_iter().with_max_len(2).take_any(count).collect();
            assert_eq!(taken.len(), count.min(len));
            assert!(taken.is_sorted());
            let kept: Vec<usize> = (0..len).into_par_iter().with_max_len(2).skip_any(count).collect();
            assert_eq!(kept.len(), len - count.min(len));
            assert!(kept.is_sorted());
        }
    }
}

#[test]
fn take_any_while_and_skip_any_while_depend_on_somebodys_find() {
    for len in LENGTHS {
        let all = (0..len).into_par_iter();
        assert_eq!(all.clone().take_any_while(|_| true).count(), len);
        assert_eq!(all.clone().take_any_while(|_| false).count(), 0);
        assert_eq!(all.clone().skip_any_while(|_| true).count(), 0);
        assert_eq!(all.clone().skip_any_while(|_| false).count(), len);
        let middle = len / 2;
        assert!(all.clone().take_any_while(|&n| n != middle).all(|n| n != middle));
        assert!(len == 0 || all.skip_any_while(|&n| n != middle).any(|n| n == middle));
    }
}

#[test]
fn intersperse_indexed() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let mut expected: Vec<u32> = numbers.iter().flat_map(|&n| [n, 1000]).collect();
        expected.pop();
        let items = || numbers.par_iter().copied().intersperse(1000);
        assert_eq!(items().len(), expected.len());
        assert_eq!(items().collect::<Vec<_>>(), expected);
        assert_eq!(items().with_max_len(1).collect::<Vec<_>>(), expected);
        assert_eq!(
            numbers.par_iter().copied().with_max_len(1).intersperse(1000).collect::<Vec<_>>(),
            expected
        );
        assert_eq!(items().with_max_len(1).filter(|_| true).collect::<Vec<_>>(), expected);
        expected.reverse();
        assert_eq!(items().rev().collect::<Vec<_>>(), expected);
        assert_eq!(items().rev().with_max_len(1).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn intersperse_puts_no_separator_beside_pieces_without_items() {
    for len in LENGTHS {
        for keep in [1, 2, 10, 100, 1001] {
            let kept = (0..len).filter(|n| n % keep == keep / 2);
            let mut expected: Vec<usize> = kept.flat_map(|n| [n, 5000]).collect();
            expected.pop();
            let items = (0..len).into_par_iter().with_max_len(1).filter(|n| n % keep == keep / 2);
            assert_eq!(items.clone().intersperse(5000).collect::<Vec<_>>(), expected);
            let first = items.clone().intersperse(5000).find_first(|&n| n == 5000);
            assert_eq!(first, expected.iter().copied().find(|&n| n == 5000));
            let chained: Vec<usize> = items.chain(0..0).intersperse(5000).collect();
            assert_eq!(chained, expected);
        }
    }
}

#[test]
fn a_chain_of_unknown_length_keeps_its_order() {
    same!(|items| items.chain(&[1, 2, 3]).filter(|&n| n % 2 == 1).chain(&[4]), |items| items
        .chain(&[1, 2, 3])
        .filter(|&n| n % 2 == 1)
        .chain(&[4]));
}
