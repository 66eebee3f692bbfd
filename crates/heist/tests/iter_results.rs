//! Operations that end a chain give what their sequential namesakes give.

mod iter_common;

use heist::prelude::*;
use iter_common::{LENGTHS, XorShift, numbers};
use std::{
    cmp::{Ordering, Reverse},
    ops::ControlFlow,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    task::Poll,
};

#[test]
fn for_each_calls_with_every_item_once() {
    for len in LENGTHS {
        let seen = Mutex::new(vec![0; len]);
        (0..len).into_par_iter().for_each(|n| seen.lock().unwrap()[n] += 1);
        (0..len).into_par_iter().for_each_with(&seen, |seen, n| seen.lock().unwrap()[n] += 1);
        (0..len).into_par_iter().for_each_init(|| &seen, |seen, n| seen.lock().unwrap()[n] += 1);
        assert_eq!(seen.into_inner().unwrap(), vec![3; len]);
    }
}

#[test]
fn for_each_with_passes_clones_on() {
    let (sender, receiver) = mpsc::channel();
    (0..100).into_par_iter().for_each_with(sender, |sender, n| sender.send(n).unwrap());
    let mut received: Vec<i32> = receiver.iter().collect();
    received.sort_unstable();
    assert_eq!(received, (0..100).collect::<Vec<_>>());
}

#[test]
fn count_sum_and_product() {
    for len in LENGTHS {
        let numbers = numbers(len);
        assert_eq!(numbers.par_iter().count(), len);
        assert_eq!(
            numbers.par_iter().filter(|&n| n % 2 == 0).count(),
            numbers.iter().filter(|&n| n % 2 == 0).count()
        );
        assert_eq!(numbers.par_iter().sum::<u32>(), numbers.iter().sum::<u32>());
        let factors = || numbers.iter().map(|n| u64::from(n % 2 + 1));
        let product = numbers.par_iter().take(60).map(|n| u64::from(n % 2 + 1)).product::<u64>();
        assert_eq!(product, factors().take(60).product::<u64>());
    }
}

#[test]
fn reduce_keeps_the_order_of_items() {
    for len in LENGTHS {
        let text = |n: &u32| n.to_string();
        let expected: String = numbers(len).iter().map(text).collect();
        let numbers = numbers(len);
        let concat = |a: String, b: String| a + &b;
        assert_eq!(numbers.par_iter().map(text).reduce(String::new, concat), expected);
        let reduced = numbers.par_iter().with_max_len(1).map(text).reduce_with(concat);
        assert_eq!(reduced, (len > 0).then_some(expected));
    }
}

#[test]
fn min_takes_the_first_and_max_the_last_of_equals() {
    for len in LENGTHS {
        let items: Vec<(u32, usize)> = numbers(len).into_iter().map(|n| n % 10).zip(0..).collect();
        let by_number = |a: &(u32, usize), b: &(u32, usize)| a.0.cmp(&b.0);
        let par = || items.par_iter().copied().with_max_len(1);
        let seq = || items.iter().copied();
        assert_eq!(par().min(), seq().min());
        assert_eq!(par().max(), seq().max());
        assert_eq!(par().min_by(by_number), seq().min_by(by_number));
        assert_eq!(par().max_by(by_number), seq().max_by(by_number));
        assert_eq!(par().min_by_key(|item| item.0), seq().min_by_key(|item| item.0));
        assert_eq!(par().max_by_key(|item| item.0), seq().max_by_key(|item| item.0));
        assert_eq!(par().min_by_key(|item| Reverse(item.0)), seq().min_by_key(|item| Reverse(item.0)));
    }
}

#[test]
fn try_operations_report_a_failure_or_the_value() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let sum = numbers.par_iter().map(|&n| Some(n)).try_reduce(|| 0, u32::checked_add);
        assert_eq!(sum, Some(numbers.iter().sum()));
        let sum = numbers.par_iter().map(|&n| Ok::<_, ()>(n)).try_reduce_with(|a, b| Ok(a + b));
        assert_eq!(sum, numbers.iter().copied().reduce(|a, b| a + b).map(Ok));
        let found = numbers.par_iter().try_for_each(|&n| if n == 42 { Err(n) } else { Ok(()) });
        assert_eq!(found, if numbers.contains(&42) { Err(42) } else { Ok(()) });
        let broken = numbers.par_iter().try_for_each_with((), |(), &n| match n {
            42 => ControlFlow::Break("found"),
            _ => ControlFlow::Continue(()),
        });
        assert_eq!(broken.is_break(), numbers.contains(&42));
        let none = numbers.par_iter().try_for_each_init(|| (), |(), &n| (n != 42).then_some(()));
        assert_eq!(none.is_none(), numbers.contains(&42));
        let failed =
            numbers.par_iter().map(|&n| if n == 42 { None } else { Some(n) }).try_reduce_with(|_, b| Some(b));
        assert_eq!(failed == Some(None), numbers.contains(&42));
    }
}

#[test]
fn try_reduce_fails_where_the_operation_does() {
    let sum = |n: u8| heist::iter::repeat_n(Some(n), 100).with_max_len(1).try_reduce(|| 0, u8::checked_add);
    assert_eq!((sum(2), sum(3)), (Some(200), None));
    let sum = |n: u8| heist::iter::repeat_n(Some(n), 100).with_max_len(1).try_reduce_with(u8::checked_add);
    assert_eq!((sum(2), sum(3)), (Some(Some(200)), Some(None)));
}

#[test]
fn a_poll_goes_on_when_it_is_pending() {
    let polls = [Poll::Ready(Ok(1)), Poll::Pending, Poll::Ready(Ok(2))];
    let add = |a: Poll<i32>, b: Poll<i32>| match (a, b) {
        (Poll::Ready(a), Poll::Ready(b)) => Poll::Ready(Ok::<_, ()>(a + b)),
        _ => Poll::Pending,
    };
    assert!(polls.into_par_iter().try_reduce(|| Poll::Ready(0), add).is_pending());
    let failed = [Poll::Ready(Some(Ok(1))), Poll::Ready(Some(Err("no"))), Poll::Ready(None)];
    let last = |_, b: Poll<Option<i32>>| b.map(|b| b.map(Ok));
    assert_eq!(failed.into_par_iter().try_reduce(|| Poll::Pending, last), Poll::Ready(Some(Err("no"))));
}

#[test]
fn a_failure_stops_the_others() {
    let calls = AtomicUsize::new(0);
    let fail = |_| {
        calls.fetch_add(1, Relaxed);
        None::<()>
    };
    assert_eq!((0..usize::MAX).into_par_iter().try_for_each(fail), None);
    assert!(calls.into_inner() > 0);
}

#[test]
fn finds() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let items: Vec<(u32, usize)> = numbers.iter().copied().zip(0..).collect();
        for wanted in [0, 1, 42, 99] {
            let par = || items.par_iter().copied().with_max_len(1);
            let hit = |item: &(u32, usize)| item.0 == wanted;
            let first = items.iter().copied().find(hit);
            let last = items.iter().copied().rfind(hit);
            assert_eq!(par().find_first(hit), first);
            assert_eq!(items.par_iter().copied().find_first(hit), first);
            assert_eq!(par().find_last(hit), last);
            assert_eq!(items.par_iter().copied().find_last(hit), last);
            assert_eq!(par().filter(|_| true).find_first(hit), first);
            assert_eq!(par().find_any(hit).map(|item| item.0), first.map(|item| item.0));
            let index = |item: (u32, usize)| hit(&item).then_some(item.1);
            assert_eq!(par().find_map_first(index), first.map(|item| item.1));
            assert_eq!(par().find_map_last(index), last.map(|item| item.1));
            assert_eq!(par().find_map_any(index).is_some(), first.is_some());
            assert_eq!(par().position_first(|item| hit(&item)), first.map(|item| item.1));
            assert_eq!(par().position_last(|item| hit(&item)), last.map(|item| item.1));
            assert_eq!(par().position_any(|item| hit(&item)).is_some(), first.is_some());
            assert_eq!(par().any(|item| hit(&item)), first.is_some());
            assert_eq!(par().all(|item| !hit(&item)), first.is_none());
        }
    }
}

#[test]
fn searches_end_in_endless_iterators() {
    assert_eq!(heist::iter::repeat(7).find_any(|&n| n == 7), Some(7));
    assert!(heist::iter::repeat(7).any(|n| n == 7));
    assert!(!heist::iter::repeat(7).all(|n| n != 7));
}

#[test]
fn find_first_stops_behind_a_find_in_many_small_parts() {
    let looked = AtomicUsize::new(0);
    let look = |&n: &usize| {
        looked.fetch_add(1, Relaxed);
        n == 200
    };
    let parts = (0..100_000usize).into_par_iter().with_min_len(100_000).flat_map(heist::iter::once);
    assert_eq!(parts.find_first(look), Some(200));
    assert_eq!(looked.swap(0, Relaxed), 201);
    let blocks = (0..100_000usize).into_par_iter().by_uniform_blocks(1);
    assert_eq!(blocks.find_first(look), Some(200));
    assert_eq!(looked.into_inner(), 201);
}

#[test]
fn comparisons_are_those_of_slices() {
    let mut random = XorShift::new(3);
    for len in LENGTHS {
        for _ in 0..8 {
            let a = numbers(len);
            let mut b = a.clone();
            b.truncate(random.below(len as u64 + 1).max(len as u64 / 2) as usize);
            if !b.is_empty() && random.below(2) == 0 {
                let at = random.below(b.len() as u64) as usize;
                b[at] = random.below(100) as u32;
            }
            for (a, b) in [(&a, &b), (&b, &a), (&a, &a)] {
                assert_eq!(a.par_iter().cmp(b), a.cmp(b));
                assert_eq!(a.par_iter().partial_cmp(b), a.partial_cmp(b));
                assert_eq!(a.par_iter().eq(b), a == b);
                assert_eq!(a.par_iter().ne(b), a != b);
                assert_eq!(a.par_iter().lt(b), a < b);
                assert_eq!(a.par_iter().le(b), a <= b);
                assert_eq!(a.par_iter().gt(b), a > b);
                assert_eq!(a.par_iter().ge(b), a >= b);
            }
        }
    }
}

#[test]
fn what_cannot_be_compared_is_neither_less_nor_greater() {
    let (a, b) = ([1.0, f64::NAN, 0.0], [1.0, f64::NAN, 1.0]);
    assert_eq!(a.par_iter().partial_cmp(&b), None);
    assert!(!a.par_iter().lt(&b) && !a.par_iter().ge(&b) && !a.par_iter().eq(&b));
    assert_eq!([0.0, f64::NAN].par_iter().partial_cmp(&b), Some(Ordering::Less));
}

#[test]
fn huge_lengths_do_not_overflow() {
    assert_eq!((0..usize::MAX).into_par_iter().find_first(|&n| n == 1000), Some(1000));
    assert_eq!((0..usize::MAX).into_par_iter().step_by(usize::MAX / 2).count(), 3);
    assert_eq!((0..usize::MAX).into_par_iter().chain(0..0).opt_len(), Some(usize::MAX));
    assert_eq!((0..usize::MAX).into_par_iter().chain(0..1).opt_len(), None);
    assert_eq!(heist::iter::repeat_n((), usize::MAX).rev().take(5).count(), 5);
    assert!(heist::iter::repeat_n(1, usize::MAX).intersperse(2).any(|n| n == 1));
}
