//! Iterators out of thin air, out of sequential ones, out of trees.

mod iter_common;

use heist::{
    iter::{self, Either},
    prelude::*,
};
use iter_common::{LENGTHS, panic_of};
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

#[test]
fn empty_once_and_repeat() {
    assert_eq!(iter::empty::<u8>().collect::<Vec<_>>(), []);
    assert_eq!(iter::once(3).chain(iter::empty()).collect::<Vec<_>>(), [3]);
    for len in LENGTHS {
        assert_eq!(iter::repeat_n('x', len).collect::<String>(), "x".repeat(len));
        assert_eq!(iter::repeat('x').take(len).collect::<String>(), "x".repeat(len));
        assert_eq!(iter::repeat('x').zip(0..len).count(), len);
        assert_eq!(iter::repeat('x').take_any(len).count(), len);
    }
    #[allow(deprecated)]
    let old = iter::repeatn('x', 3);
    assert_eq!(old.collect::<String>(), "xxx");
}

#[test]
fn split_covers_everything_in_order() {
    for len in LENGTHS {
        let halves = |range: std::ops::Range<usize>| {
            let middle = range.start + range.len() / 2;
            if range.len() < 2 { (range, None) } else { (range.start..middle, Some(middle..range.end)) }
        };
        let all: Vec<usize> = iter::split(0..len, halves).flat_map_iter(|range| range).collect();
        assert_eq!(all, (0..len).collect::<Vec<_>>());
    }
}

/// The children of a node of a tree that is thin in places and wide in others.
fn children(node: &usize) -> Vec<usize> {
    let count = [2, 0, 3, 1, 7, 1][node % 6];
    (0..count).map(|child| 7 * node + child + 1).filter(|&child| child < 20_000).collect()
}

#[test]
fn walks_are_in_order() {
    fn walk(node: usize, prefix: &mut Vec<usize>, postfix: &mut Vec<usize>) {
        prefix.push(node);
        children(&node).into_iter().for_each(|child| walk(child, prefix, postfix));
        postfix.push(node);
    }
    for root in 0..12 {
        let (mut prefix, mut postfix) = (vec![], vec![]);
        walk(root, &mut prefix, &mut postfix);
        assert_eq!(iter::walk_tree_prefix(root, children).collect::<Vec<_>>(), prefix);
        assert_eq!(iter::walk_tree_postfix(root, children).collect::<Vec<_>>(), postfix);
        let any: BTreeSet<usize> = iter::walk_tree(root, children).collect();
        assert_eq!(any, prefix.iter().copied().collect());
        assert_eq!(
            iter::walk_tree_prefix(root, children).find_first(|n| n % 5 == 4),
            prefix.iter().copied().find(|n| n % 5 == 4)
        );
    }
}

#[test]
fn a_tree_that_is_a_list_is_walked_too() {
    let next = |&n: &u32| (n < 5000).then_some(n + 1);
    assert_eq!(iter::walk_tree_prefix(0, next).collect::<Vec<_>>(), (0..=5000).collect::<Vec<_>>());
    assert_eq!(iter::walk_tree_postfix(0, next).collect::<Vec<_>>(), (0..=5000).rev().collect::<Vec<_>>());
}

#[test]
fn a_bridge_yields_every_item_once() {
    for len in LENGTHS {
        let mut items: Vec<usize> = (0..len).par_bridge().collect();
        items.sort_unstable();
        assert_eq!(items, (0..len).collect::<Vec<_>>());
    }
}

#[test]
fn a_bridge_is_not_asked_again_after_its_end_or_a_panic() {
    let calls = AtomicUsize::new(0);
    let once = std::iter::from_fn(|| {
        assert!(calls.fetch_add(1, SeqCst) == 0);
        None::<()>
    });
    assert_eq!(once.par_bridge().count(), 0);

    let calls = AtomicUsize::new(0);
    let bad = std::iter::from_fn(|| {
        assert!(calls.fetch_add(1, SeqCst) < 5, "enough");
        Some(())
    });
    assert_eq!(panic_of(|| bad.par_bridge().count()), "enough");
    assert_eq!(calls.into_inner(), 6);
}

#[test]
fn a_bridge_whose_source_uses_the_pool_does_not_wait_for_itself() {
    let source = (0..2000usize).map(|n| heist::join(|| n, || n + 1).0);
    assert_eq!(source.par_bridge().map(|n| heist::join(|| n, || n).1).sum::<usize>(), 1_999_000);
}

#[test]
fn a_bridge_stops_with_its_consumer() {
    assert_eq!((0..).par_bridge().find_any(|&n| n > 100).map(|n| n > 100), Some(true));
    assert_eq!((0..).par_bridge().take_any(10).count(), 10);
}

#[test]
fn either_of_two_is_an_iterator() {
    for forward in [true, false] {
        let items = (0..100).into_par_iter();
        let either = if forward { Either::Left(items) } else { Either::Right(items.rev()) };
        assert_eq!(either.len(), 100);
        let mut collected: Vec<i32> = either.clone().collect();
        assert_eq!(collected[0], if forward { 0 } else { 99 });
        assert_eq!(either.zip(0..10).count(), 10);
        collected.sort_unstable();
        let mut target = Either::<Vec<i32>, BTreeSet<i32>>::Left(vec![]);
        target.par_extend(collected.par_iter().copied());
        assert_eq!(target.left(), Some(collected));
    }
}
