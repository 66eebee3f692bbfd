//! Collections out of iterators hold every item once, in order, and nothing leaks or dies twice.

mod iter_common;

use heist::{iter::Either, prelude::*};
use iter_common::{LENGTHS, Ledger, numbers, panic_of};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    ffi::{OsStr, OsString},
    rc::Rc,
    sync::Arc,
};

/// Collects in both ways, with the number of items known and unknown, and compares.
fn check<C>(numbers: &[u32])
where
    C: FromParallelIterator<u32> + FromIterator<u32> + ParallelExtend<u32> + Extend<u32>,
    C: PartialEq + std::fmt::Debug + Default,
{
    let mut expected: C = numbers.iter().copied().collect();
    let mut indexed: C = numbers.par_iter().copied().with_max_len(3).collect();
    let mut unindexed: C = numbers.par_iter().copied().with_max_len(3).filter(|_| true).collect();
    assert_eq!((&indexed, &unindexed), (&expected, &expected));
    expected.extend(numbers.iter().map(|n| n + 100));
    indexed.par_extend(numbers.par_iter().map(|n| n + 100));
    unindexed.par_extend(numbers.par_iter().map(|n| n + 100).filter(|_| true));
    assert_eq!((&indexed, &unindexed), (&expected, &expected));
}

#[test]
fn sequences_and_sets() {
    for len in LENGTHS {
        let numbers = numbers(len);
        check::<Vec<u32>>(&numbers);
        check::<VecDeque<u32>>(&numbers);
        check::<LinkedList<u32>>(&numbers);
        check::<BTreeSet<u32>>(&numbers);
        check::<HashSet<u32>>(&numbers);
        let heap: BinaryHeap<u32> = numbers.par_iter().copied().collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        assert_eq!(heap.into_sorted_vec(), sorted);
        let boxed: Box<[u32]> = numbers.par_iter().copied().collect();
        let counted: Rc<[u32]> = numbers.par_iter().copied().filter(|_| true).collect();
        let shared: Arc<[u32]> = numbers.par_iter().copied().collect();
        let cow: Cow<'_, [u32]> = numbers.par_iter().copied().collect();
        assert_eq!((&*boxed, &*counted, &*shared, &*cow), (&*numbers, &*numbers, &*numbers, &*numbers));
    }
}

#[test]
fn references_are_copied_into_collections() {
    let numbers = numbers(100);
    macro_rules! extended {
        ($($collection:ident)*) => {$(
            let mut collection = $collection::<u32>::new();
            collection.par_extend(&numbers);
            assert_eq!(collection, numbers.iter().copied().collect::<$collection<u32>>());
        )*};
    }
    extended!(Vec VecDeque LinkedList BTreeSet HashSet);
    let mut heap = BinaryHeap::<u32>::new();
    heap.par_extend(&numbers);
    assert_eq!(heap.len(), 100);
    let map: BTreeMap<u32, u32> = numbers.iter().map(|&n| (n, n)).collect();
    let (mut tree, mut hashed) = (BTreeMap::<u32, u32>::new(), HashMap::<u32, u32>::new());
    tree.par_extend(&map);
    hashed.par_extend(&map);
    assert_eq!(tree, map);
    assert_eq!(hashed.len(), map.len());
}

#[test]
fn of_equal_keys_the_last_stays() {
    for len in LENGTHS {
        let pairs = || (0..len).into_par_iter().with_max_len(1).map(|n| (n % 10, n));
        let expected: BTreeMap<usize, usize> = (0..len).map(|n| (n % 10, n)).collect();
        assert_eq!(pairs().collect::<BTreeMap<_, _>>(), expected);
        assert_eq!(pairs().filter(|_| true).collect::<BTreeMap<_, _>>(), expected);
        let hashed: HashMap<usize, usize> = pairs().collect();
        assert_eq!(hashed.into_iter().collect::<BTreeMap<_, _>>(), expected);
    }
}

#[test]
fn text() {
    let words = ["a", "bc", "", "déf", "g"];
    let expected = words.concat();
    let par = || words.par_iter().copied().with_max_len(1);
    assert_eq!(par().collect::<String>(), expected);
    assert_eq!(par().map(String::from).collect::<String>(), expected);
    assert_eq!(par().map(Box::<str>::from).collect::<String>(), expected);
    assert_eq!(par().map(Cow::Borrowed).collect::<Box<str>>(), expected.clone().into());
    assert_eq!(par().flat_map_iter(str::chars).collect::<String>(), expected);
    assert_eq!(expected.chars().collect::<Vec<char>>().par_iter().collect::<String>(), expected);
    assert_eq!(par().collect::<Cow<'_, str>>(), expected);
    assert_eq!(par().map(OsStr::new).collect::<OsString>(), *expected);
    assert_eq!(par().map(OsString::from).collect::<OsString>(), *expected);
    let mut text = String::from("x");
    text.par_extend(par());
    assert_eq!(text, format!("x{expected}"));
}

#[test]
fn nothing_collects_to_nothing() {
    let () = (0..10).into_par_iter().map(|_| ()).collect();
    ().par_extend((0..10).into_par_iter().map(|_| ()));
}

#[test]
fn collect_into_vec_uses_the_memory_again() {
    let mut vec: Vec<u32> = Vec::with_capacity(1000);
    vec.push(7);
    let pointer = vec.as_ptr();
    for len in LENGTHS {
        numbers(len).into_par_iter().with_max_len(1).collect_into_vec(&mut vec);
        assert_eq!(vec, numbers(len));
    }
    assert_eq!(vec.as_ptr(), pointer);
}

#[test]
fn unzip_in_every_way() {
    for len in LENGTHS {
        let pairs = || numbers(len).into_par_iter().with_max_len(1).map(|n| (n, n + 1));
        let left = numbers(len);
        let right: Vec<u32> = left.iter().map(|n| n + 1).collect();
        let expected = (left, right);
        assert_eq!(pairs().unzip(), expected);
        assert_eq!(pairs().filter(|_| true).unzip(), expected);
        assert_eq!(pairs().collect::<(Vec<u32>, Vec<u32>)>(), expected);
        assert_eq!(pairs().filter(|_| true).collect::<(Vec<u32>, Vec<u32>)>(), expected);
        let mut both = (vec![9], vec![]);
        pairs().unzip_into_vecs(&mut both.0, &mut both.1);
        assert_eq!(both, expected);
        both.par_extend(pairs());
        assert_eq!(both, (expected.0.repeat(2), expected.1.repeat(2)));
        let nested: (Vec<u32>, (Vec<u32>, LinkedList<u32>)) = pairs().map(|(a, b)| (a, (a, b))).unzip();
        assert_eq!((nested.0, nested.1.1.into_iter().collect()), (nested.1.0, expected.1.clone()));
    }
}

#[test]
fn partitions() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let (even, odd): (Vec<u32>, Vec<u32>) = numbers.iter().partition(|&n| n % 2 == 0);
        let par = || numbers.par_iter().copied().with_max_len(1);
        assert_eq!(par().partition::<Vec<_>, Vec<_>, _>(|n| n % 2 == 0), (even.clone(), odd.clone()));
        let side = |n| if n % 2 == 0 { Either::Left(n) } else { Either::Right(n) };
        assert_eq!(par().partition_map::<Vec<_>, Vec<_>, _, _, _>(side), (even.clone(), odd.clone()));
        assert_eq!(par().map(side).collect::<(Vec<_>, Vec<_>)>(), (even.clone(), odd.clone()));
        let mut both = (even.clone(), odd.clone());
        both.par_extend(par().map(side));
        assert_eq!(both, (even.repeat(2), odd.repeat(2)));
    }
}

#[test]
fn a_list_of_vectors_has_all_items_and_no_empty_vector() {
    for len in LENGTHS {
        let numbers = numbers(len);
        let indexed = numbers.par_iter().copied().collect_vec_list();
        let unindexed = numbers.par_iter().copied().with_max_len(1).filter(|n| n % 9 != 0).collect_vec_list();
        assert!(indexed.iter().chain(&unindexed).all(|vec| !vec.is_empty()));
        assert_eq!(indexed.into_iter().flatten().collect::<Vec<_>>(), numbers);
        let expected: Vec<u32> = numbers.into_iter().filter(|n| n % 9 != 0).collect();
        assert_eq!(unindexed.into_iter().flatten().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn items_without_a_size_are_counted() {
    for len in LENGTHS {
        assert_eq!(heist::iter::repeat_n((), len).with_max_len(1).collect::<Vec<()>>().len(), len);
    }
    let (mut left, mut right) = (vec![], vec![]);
    heist::iter::repeat_n(((), ()), 1 << 10).unzip_into_vecs(&mut left, &mut right);
    assert_eq!((left.len(), right.len()), (1 << 10, 1 << 10));
}

#[test]
fn every_item_dies_once() {
    let ledger = Ledger::default();
    for len in LENGTHS {
        let items = || ledger.items(len).into_par_iter().with_max_len(1);
        let collected: Vec<_> = items().collect();
        assert_eq!(ledger.alive(), len as isize);
        drop(collected);
        let filtered: Vec<_> = items().filter(|item| item.value % 2 == 0).collect();
        assert_eq!(ledger.alive(), len.div_ceil(2) as isize);
        drop(filtered);
        drop(items().take(3).collect::<Vec<_>>());
        drop(items().skip(3).collect::<Vec<_>>());
        drop(items().step_by(3).collect::<Vec<_>>());
        drop(items().chunks(3).collect::<Vec<_>>());
        drop(items().zip(0..3).collect::<Vec<_>>());
        drop(items().rev().interleave(items()).collect::<LinkedList<_>>());
        drop(items().chain(items()).take_any(5).collect::<Vec<_>>());
        drop(items().intersperse(ledger.item(0)).collect::<Vec<_>>());
        drop(items().find_first(|item| item.value == 3));
        drop(items().find_last(|item| item.value == 3));
        drop(items().find_any(|item| item.value == 3));
        drop(items().map(Some).while_some().max_by_key(|item| item.value));
        drop(items().partition::<Vec<_>, VecDeque<_>, _>(|item| item.value % 3 == 0));
        drop(items().map(|item| (item.clone(), item)).unzip::<_, _, Vec<_>, Vec<_>>());
        drop(items().by_exponential_blocks().find_any(|item| item.value == 3));
        drop(heist::iter::repeat_n(ledger.item(0), len).collect::<Vec<_>>());
        drop(items());
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn a_panic_leaves_no_item_behind() {
    let ledger = Ledger::default();
    for len in [1, 2, 3, 7, 64, 333] {
        for bad in [0, len / 2, len - 1] {
            let items = || {
                ledger.items(len).into_par_iter().with_max_len(1).map(|item| {
                    assert!(item.value as usize != bad, "bad item");
                    item
                })
            };
            let both = || items().map(|item| (item.clone(), item));
            assert_eq!(panic_of(|| items().collect::<Vec<_>>()), "bad item");
            assert_eq!(panic_of(|| items().filter(|_| true).collect::<Vec<_>>()), "bad item");
            assert_eq!(panic_of(|| items().collect_into_vec(&mut vec![])), "bad item");
            assert_eq!(panic_of(|| both().unzip::<_, _, Vec<_>, Vec<_>>()), "bad item");
            assert_eq!(panic_of(|| both().unzip_into_vecs(&mut vec![], &mut vec![])), "bad item");
            assert_eq!(panic_of(|| items().collect::<LinkedList<_>>()), "bad item");
            assert_eq!(panic_of(|| items().rev().chunks(3).collect::<Vec<_>>()), "bad item");
            assert_eq!(panic_of(|| items().panic_fuse().collect::<Vec<_>>()), "bad item");
            assert_eq!(panic_of(|| items().intersperse(ledger.item(0)).collect::<Vec<_>>()), "bad item");
            assert_eq!(ledger.alive(), 0);
        }
    }
}

#[test]
fn a_vector_keeps_what_it_had_when_an_extension_panics() {
    let ledger = Ledger::default();
    let mut vec = ledger.items(5);
    let bad = ledger.items(100);
    panic_of(|| vec.par_extend(bad.into_par_iter().inspect(|item| assert!(item.value != 50, "bad item"))));
    assert_eq!((vec.len(), ledger.alive()), (5, 5));
}

#[test]
fn an_iterator_that_lies_about_its_length_is_caught() {
    struct Liar;
    impl ParallelIterator for Liar {
        type Item = String;
        fn drive_unindexed<C: heist::iter::plumbing::UnindexedConsumer<String>>(
            self,
            consumer: C,
        ) -> C::Result {
            heist::iter::plumbing::bridge(heist::iter::repeat_n(String::from("x"), 9), consumer)
        }
        fn opt_len(&self) -> Option<usize> {
            Some(10)
        }
    }
    assert!(panic_of(|| Liar.collect::<Vec<_>>()).contains("promised 10 items"));
}
