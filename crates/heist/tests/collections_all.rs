//! Collections, ranges, options and results yield what their sequential iterators do.

mod kit;

use heist::prelude::*;
use kit::{LENGTHS, in_pool};
use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    ops::RangeBounds,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

#[test]
fn maps_and_sets_yield_their_entries() {
    for len in LENGTHS {
        in_pool(|| {
            let entries = || (0..len).map(|i| (i, i.to_string()));

            let mut hash: HashMap<usize, String> = entries().collect();
            hash.par_iter_mut().for_each(|(_, v)| v.push('!'));
            assert_eq!(sorted(hash.par_iter().collect::<Vec<_>>()), sorted(&hash));
            let copy = hash.clone();
            let drained: Vec<_> = hash.par_drain().collect();
            assert!(hash.is_empty());
            assert_eq!(sorted(drained), sorted(copy.clone()));
            assert_eq!(sorted(copy.clone().into_par_iter().collect::<Vec<_>>()), sorted(copy));

            let mut tree: BTreeMap<usize, String> = entries().collect();
            tree.par_iter_mut().for_each(|(_, v)| v.push('!'));
            assert!(tree.par_iter().collect::<Vec<_>>().into_iter().eq(&tree));
            assert!(tree.clone().into_par_iter().collect::<Vec<_>>().into_iter().eq(tree));

            let mut set: HashSet<usize> = (0..len).collect();
            assert_eq!(sorted(set.par_iter().copied().collect::<Vec<_>>()), sorted(0..len));
            assert_eq!(sorted(set.clone().into_par_iter().collect::<Vec<_>>()), sorted(0..len));
            assert_eq!(sorted(set.par_drain().collect::<Vec<_>>()), sorted(0..len));
            assert!(set.is_empty());

            let set: BTreeSet<usize> = (0..len).collect();
            assert!(set.par_iter().copied().collect::<Vec<_>>().into_iter().eq(0..len));
            assert!(set.into_par_iter().collect::<Vec<_>>().into_iter().eq(0..len));
        });
    }
}

#[test]
fn lists_deques_and_heaps_yield_their_elements() {
    for len in LENGTHS {
        in_pool(|| {
            let mut list: LinkedList<usize> = (0..len).collect();
            list.par_iter_mut().for_each(|x| *x += 1);
            assert!(list.par_iter().copied().collect::<Vec<_>>().into_iter().eq(1..=len));
            assert!(list.into_par_iter().collect::<Vec<_>>().into_iter().eq(1..=len));

            // Rotated, so that it wraps round in memory.
            let mut deque: VecDeque<usize> = (0..len).collect();
            for _ in 0..len / 3 {
                let front = deque.pop_front().unwrap();
                deque.push_back(front);
            }
            deque.par_iter_mut().for_each(|x| *x += 1);
            assert!(deque.par_iter().collect::<Vec<_>>().into_iter().eq(&deque));
            assert!(deque.par_iter().rev().collect::<Vec<_>>().into_iter().eq(deque.iter().rev()));
            assert!(deque.clone().into_par_iter().collect::<Vec<_>>().into_iter().eq(deque));

            let mut heap: BinaryHeap<usize> = (0..len).collect();
            assert_eq!(sorted(heap.par_iter().copied().collect::<Vec<_>>()), sorted(0..len));
            assert_eq!(sorted(heap.clone().into_par_iter().collect::<Vec<_>>()), sorted(0..len));
            let capacity = heap.capacity();
            assert_eq!(sorted(heap.par_drain().collect::<Vec<_>>()), sorted(0..len));
            assert!(heap.is_empty() && heap.capacity() == capacity);
            heap.extend(0..len);
            drop(heap.par_drain());
            assert!(heap.is_empty());
        });
    }
}

/// Counts the ones that are alive.
#[derive(Clone)]
struct Alive(usize, Arc<AtomicUsize>);

impl Alive {
    fn some(len: usize, count: &Arc<AtomicUsize>) -> Vec<Alive> {
        count.fetch_add(len, Relaxed);
        (0..len).map(|i| Alive(i, count.clone())).collect()
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Relaxed);
    }
}

fn check_drains(len: usize, range: impl RangeBounds<usize> + Clone + Send + Sync) {
    let count = Arc::new(AtomicUsize::new(0));
    check_what_is_left(len, range, &count);
    assert_eq!(count.load(Relaxed), 0);
}

fn check_what_is_left(
    len: usize,
    range: impl RangeBounds<usize> + Clone + Send + Sync,
    count: &Arc<AtomicUsize>,
) {
    let numbers = |v: &[Alive]| v.iter().map(|x| x.0).collect::<Vec<_>>();
    let mut expected: Vec<usize> = (0..len).collect();
    let taken: Vec<usize> = expected.drain(range.clone()).collect();

    let mut v = Alive::some(len, count);
    let drained: Vec<Alive> = in_pool(|| v.par_drain(range.clone()).collect());
    assert_eq!((numbers(&drained), numbers(&v)), (taken.clone(), expected.clone()));

    let mut deque = VecDeque::from(Alive::some(len, count));
    let drained: Vec<Alive> = in_pool(|| deque.par_drain(range.clone()).collect());
    assert_eq!((numbers(&drained), numbers(deque.make_contiguous())), (taken, expected.clone()));

    // One that is never used drops what it would have taken; so does one that ends early.
    let mut v = Alive::some(len, count);
    drop(v.par_drain(range.clone()));
    assert_eq!(numbers(&v), expected);
    let mut v = Alive::some(len, count);
    let _ = in_pool(|| v.par_drain(range.clone()).find_any(|x| x.0 % 5 == 0));
    assert_eq!(numbers(&v), expected);
    let mut deque = VecDeque::from(Alive::some(len, count));
    drop(deque.par_drain(range.clone()));
    assert_eq!(numbers(deque.make_contiguous()), expected);

    let mut v = Alive::some(len, count);
    kit::quietly(|| {
        let run = || in_pool(|| v.par_drain(range).for_each(|_| panic!("as planned")));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
        assert_eq!(panicked, len > expected.len());
    });
    assert_eq!(numbers(&v), expected);
}

#[test]
fn drains_take_the_range_and_drop_each_element_once() {
    for len in LENGTHS {
        check_drains(len, ..);
        check_drains(len, ..len / 2);
        check_drains(len, len / 2..);
        check_drains(len, len / 3..len / 2);
        check_drains(len, len..);
        if len > 1 {
            check_drains(len, 1..=len - 1);
            check_drains(len, (std::ops::Bound::Excluded(0), std::ops::Bound::Unbounded));
        }
    }
}

#[test]
#[should_panic(expected = "past the length 3")]
fn a_range_past_the_end_is_refused() {
    let _ = vec![1, 2, 3].par_drain(2..5);
}

#[test]
fn vectors_and_arrays_give_their_elements_away() {
    let count = Arc::new(AtomicUsize::new(0));
    for len in LENGTHS {
        let v = Alive::some(len, &count);
        let all: Vec<Alive> = in_pool(|| v.into_par_iter().collect());
        assert!(all.iter().map(|x| x.0).eq(0..len));
        let odd = in_pool(|| all.into_par_iter().filter(|x| x.0 % 2 == 1).count());
        assert_eq!(odd, len / 2);
        drop(Alive::some(len, &count).into_par_iter());
    }
    let array: [Alive; 100] = Alive::some(100, &count).try_into().ok().unwrap();
    assert_eq!(in_pool(|| array.par_iter().map(|x| x.0).sum::<usize>()), 4950);
    let some: Vec<Alive> = in_pool(|| array.into_par_iter().filter(|x| x.0 < 10).collect());
    assert_eq!(some.len(), 10);
    drop(some);
    assert_eq!(count.load(Relaxed), 0);
    assert_eq!(vec![(); 1000].into_par_iter().count(), 1000);
}

macro_rules! check_ranges {
    ($($integer:ident),*) => {{$(
        for (start, end) in [
            (0, 0), (0, 1), (5, 3), (0, 100), (10, 120),
            ($integer::MIN, $integer::MIN + 50), ($integer::MAX - 50, $integer::MAX), (3, 4),
        ] {
            let all: Vec<$integer> = (start..end).into_par_iter().collect();
            assert!(all.into_iter().eq(start..end));
            let all: Vec<$integer> = (start..=end).into_par_iter().collect();
            assert!(all.into_iter().eq(start..=end));
            assert_eq!((start..end).into_par_iter().opt_len(), Some((start..end).count()));
            assert_eq!((start..=end).into_par_iter().opt_len(), Some((start..=end).count()));
            let odd: Vec<$integer> = (start..=end).into_par_iter().filter(|x| x % 2 != 0).collect();
            assert!(odd.into_iter().eq((start..=end).filter(|x| x % 2 != 0)));
        }
    )*}};
}

#[test]
fn ranges_of_all_integers_yield_what_std_does() {
    in_pool(|| check_ranges!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, usize, isize));
}

#[test]
fn ranges_may_be_longer_than_a_usize_can_say() {
    let far = 1u128 << 100;
    assert_eq!((0..far).into_par_iter().opt_len(), None);
    assert_eq!((i128::MIN..=i128::MAX).into_par_iter().opt_len(), None);
    assert_eq!((0..=u64::MAX).into_par_iter().opt_len(), None);
    assert_eq!(in_pool(|| (0..far).into_par_iter().find_any(|x| x % 2 == 0).map(|x| x % 2)), Some(0));
    assert_eq!(in_pool(|| (0..far).into_par_iter().find_first(|x| *x > 70)), Some(71));
    assert_eq!(in_pool(|| (i128::MIN..=i128::MAX).into_par_iter().find_last(|_| true)), Some(i128::MAX));
}

#[test]
fn indexed_ranges_know_their_length_and_direction() {
    assert_eq!((3..10u32).into_par_iter().len(), 7);
    assert_eq!((i32::MIN..i32::MAX).into_par_iter().len(), u32::MAX as usize);
    assert_eq!((0..=255u8).into_par_iter().len(), 256);
    assert!((0..=255u8).into_par_iter().rev().collect::<Vec<_>>().into_iter().eq((0..=255).rev()));
    let (start, end) = (10i16, 3);
    assert_eq!((start..end).into_par_iter().rev().collect::<Vec<_>>(), []);
}

#[test]
fn ranges_of_characters_leave_out_the_surrogates() {
    in_pool(|| {
        for (start, end) in
            [('a', 'z'), ('\u{D000}', '\u{F000}'), ('\0', char::MAX), ('b', 'a'), ('\u{E000}', '\u{E001}')]
        {
            assert!((start..end).into_par_iter().collect::<Vec<_>>().into_iter().eq(start..end));
            assert!((start..=end).into_par_iter().collect::<Vec<_>>().into_iter().eq(start..=end));
            assert_eq!((start..=end).into_par_iter().len(), (start..=end).count());
        }
    });
}

#[test]
fn an_exhausted_range_is_empty() {
    let mut range = 0..=3u16;
    range.by_ref().for_each(drop);
    assert_eq!(range.into_par_iter().len(), 0);
}

#[test]
fn options_and_results_yield_one_item_or_none() {
    assert_eq!(Some(3).into_par_iter().collect::<Vec<_>>(), [3]);
    assert_eq!(None::<i32>.into_par_iter().collect::<Vec<_>>(), []);
    assert_eq!(Ok::<_, ()>(3).par_iter().collect::<Vec<_>>(), [&3]);
    assert_eq!(Err::<i32, _>(()).into_par_iter().len(), 0);
    let (mut option, mut result) = (Some(1), Ok::<_, ()>(1));
    option.par_iter_mut().for_each(|x| *x = 2);
    result.par_iter_mut().for_each(|x| *x = 2);
    assert_eq!((option, result), (Some(2), Ok(2)));
    let long = Some(0).into_par_iter().chain(1..1000).chain(Some(1000)).collect::<Vec<_>>();
    assert!(long.into_iter().eq(0..=1000));
}

#[test]
fn options_and_results_of_items_collect_all_or_nothing() {
    for len in LENGTHS {
        let all: Option<Vec<usize>> = (0..len).into_par_iter().map(Some).collect();
        assert_eq!(all, Some((0..len).collect()));
        let all: Result<Vec<usize>, ()> = (0..len).into_par_iter().map(Ok).collect();
        assert_eq!(all, Ok((0..len).collect()));
        if len > 0 {
            let none: Option<Vec<usize>> =
                (0..len).into_par_iter().map(|i| (i != len / 2).then_some(i)).collect();
            assert_eq!(none, None);
            let check = |i| if i == len / 2 { Err(i) } else { Ok(i) };
            let error: Result<Vec<usize>, usize> = (0..len).into_par_iter().map(check).collect();
            assert_eq!(error, Err(len / 2));
        }
    }
}
