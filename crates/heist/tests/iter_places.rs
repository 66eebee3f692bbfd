//! Adaptors that depend on places give what their sequential namesakes give, and can be cut anywhere.

mod iter_common;

use heist::{
    iter::plumbing::{Producer, ProducerCallback},
    prelude::*,
};
use iter_common::{LENGTHS, numbers, panic_of};

/// Checks an iterator against what it should yield: whole, in pieces of one, and its producer cut anywhere.
fn check<I>(make: impl Fn() -> I, expected: &[I::Item])
where
    I: IndexedParallelIterator<Item: PartialEq + std::fmt::Debug + Clone>,
{
    assert_eq!(make().len(), expected.len());
    assert_eq!(make().opt_len(), Some(expected.len()));
    assert_eq!(make().collect::<Vec<_>>(), expected);
    assert_eq!(make().with_max_len(1).collect::<Vec<_>>(), expected);
    assert_eq!(make().filter(|_| true).collect::<Vec<_>>(), expected);
    let mut vec = vec![];
    make().with_max_len(1).rev().collect_into_vec(&mut vec);
    vec.reverse();
    assert_eq!(vec, expected);
    for index in 0..=expected.len().min(40) {
        make().with_producer(CutAt { index, expected });
    }
}

/// Cuts a producer, and walks both pieces from both ends.
struct CutAt<'a, T> {
    index: usize,
    expected: &'a [T],
}

impl<T: PartialEq + std::fmt::Debug + Clone> ProducerCallback<T> for CutAt<'_, T> {
    type Output = ();

    fn callback<P: Producer<Item = T>>(self, producer: P) {
        let (left, right) = producer.split_at(self.index);
        for (piece, expected) in [(left, &self.expected[..self.index]), (right, &self.expected[self.index..])]
        {
            let mut items = piece.into_iter();
            assert_eq!(items.len(), expected.len());
            let mut expected = expected.iter().cloned();
            while let Some(item) = expected.next() {
                assert_eq!(items.next(), Some(item));
                assert_eq!(items.next_back(), expected.next_back());
                assert_eq!(items.len(), expected.len());
            }
            assert_eq!(items.next(), None);
        }
    }
}

#[test]
fn enumerate_and_rev() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let pairs: Vec<_> = numbers.iter().copied().enumerate().collect();
        check(|| numbers.par_iter().copied().enumerate(), &pairs);
        let backwards: Vec<_> = pairs.into_iter().rev().collect();
        check(|| numbers.par_iter().copied().enumerate().rev(), &backwards);
    }
}

#[test]
fn skip_and_take() {
    for len in LENGTHS {
        let numbers = numbers(len);
        for count in [0, 1, len / 3, len, len + 1, usize::MAX] {
            let at = count.min(len);
            check(|| numbers.par_iter().copied().skip(count), &numbers[at..]);
            check(|| numbers.par_iter().copied().take(count), &numbers[..at]);
        }
    }
}

#[test]
fn skipped_items_still_pass_what_precedes_the_skip() {
    let seen = std::sync::atomic::AtomicUsize::new(0);
    let count = |n| {
        seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        n
    };
    assert_eq!((0..100).into_par_iter().map(count).skip(60).count(), 40);
    assert_eq!(seen.into_inner(), 100);
}

#[test]
fn step_by() {
    for len in LENGTHS {
        let numbers = numbers(len);
        for step in [1, 2, 3, 64, 1000, usize::MAX] {
            let expected: Vec<_> = numbers.iter().copied().step_by(step).collect();
            check(|| numbers.par_iter().copied().step_by(step), &expected);
        }
    }
    assert!(panic_of(|| (0..10).into_par_iter().step_by(0)).contains("zero"));
}

#[test]
fn zip_ends_with_the_shorter() {
    for len in LENGTHS {
        let numbers = numbers(len);
        for other in [0, 1, len / 2, len, len + 1] {
            let expected: Vec<_> = numbers.iter().copied().zip(0..other).collect();
            check(|| numbers.par_iter().copied().zip(0..other), &expected);
            let expected: Vec<_> = (0..other).zip(numbers.iter().copied()).collect();
            check(|| (0..other).into_par_iter().zip(numbers.par_iter().copied()), &expected);
        }
        let expected: Vec<_> = numbers.iter().copied().zip(0..len).collect();
        check(|| numbers.par_iter().copied().zip_eq(0..len), &expected);
    }
    assert!(panic_of(|| (0..10).into_par_iter().zip_eq(0..9)).contains("same length"));
}

#[test]
fn tuples_walk_in_step() {
    for len in LENGTHS {
        let expected: Vec<_> = (0..len).map(|n| (n, n, n, n, n)).collect();
        check(|| (0..len, 0..len + 1, 0..len, 0..len + 9, 0..len).into_par_iter(), &expected);
    }
    let (mut a, b) = (vec![1, 2, 3], [10, 20]);
    (&mut a, &b).into_par_iter().for_each(|(a, b)| *a += b);
    assert_eq!(a, [11, 22, 3]);
    let mut pair = (vec![1, 2, 3], vec![4, 5, 6]);
    pair.par_iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
    assert_eq!(pair.par_iter().map(|(a, b)| a * b).collect::<Vec<_>>(), [4, 10, 18]);
    assert_eq!((0..3,).into_par_iter().collect::<Vec<_>>(), [(0,), (1,), (2,)]);
}

#[test]
fn chain() {
    for len in LENGTHS {
        let numbers = numbers(len);
        for other in [0, 1, len / 2, len + 3] {
            let expected: Vec<u32> = numbers.iter().copied().chain(0..other as u32).collect();
            check(|| numbers.par_iter().copied().chain(0..other as u32), &expected);
        }
    }
}

#[test]
fn interleave() {
    for len in LENGTHS {
        for other in [0, 1, len / 2, len, len + 1, 2 * len] {
            let (mut a, mut b) = (0..len, 1000..1000 + other);
            let mut expected = vec![];
            while a.len() + b.len() > 0 {
                expected.extend(a.next());
                expected.extend(b.next());
            }
            check(|| (0..len).into_par_iter().interleave(1000..1000 + other), &expected);

            let mut b = 1000..1000 + other;
            let mut expected = vec![];
            for item in 0..len {
                expected.push(item);
                let Some(item) = b.next() else { break };
                expected.push(item);
            }
            check(|| (0..len).into_par_iter().interleave_shortest(1000..1000 + other), &expected);
        }
    }
}

#[test]
fn chunks_and_folded_chunks() {
    for len in LENGTHS {
        let numbers = numbers(len);
        for size in [1, 2, 3, 64, 1000, usize::MAX] {
            let expected: Vec<Vec<u32>> = numbers.chunks(size).map(<[u32]>::to_vec).collect();
            check(|| numbers.par_iter().copied().chunks(size), &expected);
            let sums: Vec<u32> = numbers.chunks(size).map(|chunk| chunk.iter().sum()).collect();
            check(|| numbers.par_iter().fold_chunks(size, || 0, |sum, n| sum + n), &sums);
            check(|| numbers.par_iter().fold_chunks_with(size, 0, |sum, n| sum + n), &sums);
        }
    }
    assert!(panic_of(|| (0..10).into_par_iter().chunks(0)).contains("zero"));
    assert!(panic_of(|| (0..10).into_par_iter().fold_chunks(0, || 0, |a, b| a + b)).contains("zero"));
    assert!(panic_of(|| (0..10).into_par_iter().fold_chunks_with(0, 0, |a, b| a + b)).contains("zero"));
}

#[test]
fn adaptors_of_one_item_can_be_cut_too() {
    let numbers = numbers(20);
    let plus: Vec<u32> = numbers.iter().map(|n| n + 1).collect();
    check(|| numbers.par_iter().map(|n| n + 1), &plus);
    check(|| numbers.par_iter().map_with(1, |one, n| n + *one), &plus);
    check(|| numbers.par_iter().map_init(|| 1, |one, n| n + *one), &plus);
    check(|| numbers.par_iter().copied().update(|n| *n += 1), &plus);
    check(|| numbers.par_iter().copied().inspect(|_| ()), &numbers);
    check(|| numbers.par_iter().cloned().panic_fuse(), &numbers);
    check(|| numbers.par_iter().cloned().with_min_len(7), &numbers);
    let separated: Vec<u32> = plus.iter().flat_map(|&n| [n, 0]).take(39).collect();
    check(|| numbers.par_iter().map(|n| n + 1).intersperse(0), &separated);
    check(|| heist::iter::repeat_n(3, 7), &[3; 7]);
    check(|| heist::iter::repeat_n(3, 0), &[]);
    check(|| heist::iter::once(3), &[3]);
    check(heist::iter::empty::<u8>, &[]);
}

#[test]
fn positions() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let expected: Vec<usize> = (0..len).filter(|&i| numbers[i].is_multiple_of(7)).collect();
        let found: Vec<usize> =
            numbers.par_iter().with_max_len(1).positions(|n| n.is_multiple_of(7)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn blocks_run_one_after_another() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let items: Vec<u32> = numbers.par_iter().copied().by_exponential_blocks().collect();
        assert_eq!(items, numbers);
        for size in [1, 2, 100, usize::MAX] {
            let items: Vec<u32> = numbers.par_iter().copied().by_uniform_blocks(size).collect();
            assert_eq!(items, numbers);
        }
    }
    let done = std::sync::atomic::AtomicUsize::new(0);
    (0..100).into_par_iter().by_uniform_blocks(10).for_each(|n| {
        assert!(done.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= n / 10 * 10);
    });
    assert!(panic_of(|| (0..10).into_par_iter().by_uniform_blocks(0)).contains("zero"));
}

#[test]
fn a_search_in_blocks_leaves_later_blocks_alone() {
    let seen = std::sync::atomic::AtomicUsize::new(0);
    let look = |n: &usize| {
        seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        *n == 5
    };
    assert_eq!((0..1_000_000).into_par_iter().by_uniform_blocks(10).find_any(look), Some(5));
    assert!(seen.into_inner() <= 10);
}

#[test]
fn pieces_are_as_long_as_asked() {
    for len in LENGTHS {
        let count = |items: &usize| *items;
        let lens = |items: heist::iter::MaxLen<heist::range::Iter<usize>>| {
            items.fold(|| 0, |sum, _| sum + 1).collect::<Vec<usize>>()
        };
        let fine = lens((0..len).into_par_iter().with_max_len(4));
        assert!(fine.iter().all(|&piece| piece <= 4));
        assert_eq!(fine.iter().map(count).sum::<usize>(), len);
        let coarse: Vec<usize> =
            (0..len).into_par_iter().with_min_len(100).fold(|| 0, |sum, _| sum + 1).collect();
        assert!(coarse.iter().all(|&piece| piece >= 100.min(len)));
    }
}

#[test]
fn pieces_are_as_long_as_asked_however_short_the_last_times_were() {
    let lens = |len: usize, min: usize, max: usize| -> Vec<usize> {
        let items = heist::iter::repeat_n((), len).with_min_len(min).with_max_len(max);
        items.fold(|| 0, |sum, ()| sum + 1).collect()
    };
    for _ in 0..200 {
        for len in LENGTHS {
            assert!(lens(len, 50, usize::MAX).iter().all(|&piece| piece >= 50.min(len)));
            assert!(lens(len, 1, 50).iter().all(|&piece| piece <= 50));
        }
    }
}
