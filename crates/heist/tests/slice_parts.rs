//! Parts of slices are those that the standard library finds.

mod kit;

use heist::prelude::*;
use kit::{LENGTHS, Random, in_pool};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const SIZES: [usize; 7] = [1, 2, 3, 10, 64, 1000, usize::MAX];

fn numbers(len: usize) -> Vec<u32> {
    let mut random = Random::new(len as u64);
    (0..len).map(|_| random.below(10) as u32).collect()
}

/// Calls the check with a slice of each length and each size of parts.
fn each(check: impl Fn(&[u32], usize) + Sync) {
    for len in LENGTHS {
        for size in SIZES {
            in_pool(|| check(&numbers(len), size));
        }
    }
}

/// Marks what each part consists of, so that two slices are equal if they were cut alike.
fn mark(part: usize, elements: &mut [u32]) {
    for (i, element) in elements.iter_mut().enumerate() {
        *element = (part * 100_000 + i) as u32;
    }
}

macro_rules! parts_agree {
    ($($name:ident: $par:ident is $seq:ident, $par_mut:ident is $seq_mut:ident;)*) => {$(
        #[test]
        fn $name() {
            each(|v, size| {
                let parts: Vec<&[u32]> = v.$par(size).collect();
                assert!(parts.into_iter().eq(v.$seq(size)));
                let backwards: Vec<&[u32]> = v.$par(size).rev().collect();
                assert!(backwards.into_iter().rev().eq(v.$seq(size)));
                assert_eq!(v.$par(size).len(), v.$seq(size).len());

                let (mut a, mut b) = (v.to_vec(), v.to_vec());
                a.$par_mut(size).enumerate().for_each(|(i, part)| mark(i, part));
                b.$seq_mut(size).enumerate().for_each(|(i, part)| mark(i, part));
                assert!(a == b);
            });
        }
    )*};
}

parts_agree! {
    chunks_are_those_of_std: par_chunks is chunks, par_chunks_mut is chunks_mut;
    exact_chunks_are_those_of_std:
        par_chunks_exact is chunks_exact, par_chunks_exact_mut is chunks_exact_mut;
    chunks_from_the_back_are_those_of_std: par_rchunks is rchunks, par_rchunks_mut is rchunks_mut;
    exact_chunks_from_the_back_are_those_of_std:
        par_rchunks_exact is rchunks_exact, par_rchunks_exact_mut is rchunks_exact_mut;
}

#[test]
fn remainders_are_those_of_std() {
    each(|v, size| {
        assert_eq!(v.par_chunks_exact(size).remainder(), v.chunks_exact(size).remainder());
        assert_eq!(v.par_rchunks_exact(size).remainder(), v.rchunks_exact(size).remainder());
        let (mut a, mut b) = (v.to_vec(), v.to_vec());
        let mut chunks = a.par_chunks_exact_mut(size);
        assert_eq!(chunks.remainder(), v.chunks_exact(size).remainder());
        assert_eq!(chunks.take_remainder(), v.chunks_exact(size).remainder());
        assert!(chunks.into_remainder().is_empty());
        assert_eq!(b.par_rchunks_exact_mut(size).into_remainder(), v.rchunks_exact(size).remainder());
    });
}

#[test]
fn windows_are_those_of_std() {
    each(|v, size| {
        let windows: Vec<&[u32]> = v.par_windows(size).collect();
        assert!(windows.into_iter().eq(v.windows(size)));
        assert_eq!(v.par_windows(size).len(), v.windows(size).len());
        let arrays: Vec<&[u32; 3]> = v.par_array_windows().collect();
        assert!(arrays.into_iter().map(|w| &w[..]).eq(v.windows(3)));
    });
}

#[test]
fn elements_are_those_of_std() {
    each(|v, _| {
        assert!(v.par_iter().collect::<Vec<_>>().into_iter().eq(v.iter()));
        let mut doubled = v.to_vec();
        doubled.par_iter_mut().for_each(|x| *x *= 2);
        assert!(doubled.iter().eq(v.iter().map(|x| x * 2).collect::<Vec<_>>().iter()));
        let boxed: Box<[u32]> = v.into();
        assert!(boxed.par_iter().copied().collect::<Vec<_>>() == v);
        assert!(boxed.into_par_iter().collect::<Vec<_>>() == v);
    });
}

#[test]
fn splits_are_those_of_std() {
    each(|v, _| {
        for is_separator in [|x: &u32| *x == 0, |x: &u32| *x < 9, |_: &u32| true, |_: &u32| false] {
            let parts: Vec<&[u32]> = v.par_split(is_separator).collect();
            assert!(parts.into_iter().eq(v.split(is_separator)));
            let parts: Vec<&[u32]> = v.par_split_inclusive(is_separator).collect();
            assert!(parts.into_iter().eq(v.split_inclusive(is_separator)));

            let (mut a, mut b) = (v.to_vec(), v.to_vec());
            a.par_split_mut(is_separator).for_each(|part| mark(part.len(), part));
            b.split_mut(is_separator).for_each(|part| mark(part.len(), part));
            assert!(a == b);
            a.par_split_inclusive_mut(is_separator).for_each(|part| mark(part.len(), part));
            b.split_inclusive_mut(is_separator).for_each(|part| mark(part.len(), part));
            assert!(a == b);
        }
    });
}

#[test]
fn a_separator_is_asked_about_each_element_once() {
    let v = numbers(10_007);
    let calls = AtomicUsize::new(0);
    let count = in_pool(|| {
        v.par_split(|x| {
            calls.fetch_add(1, Relaxed);
            *x == 0
        })
        .count()
    });
    assert_eq!(count, v.split(|x| *x == 0).count());
    assert_eq!(calls.into_inner(), v.len());
}

#[test]
fn chunks_by_neighbours_are_those_of_std() {
    each(|v, _| {
        for together in [|a: &u32, b: &u32| a == b, |a: &u32, b: &u32| a <= b, |_: &u32, _: &u32| true] {
            let calls = AtomicUsize::new(0);
            let count = |a: &u32, b: &u32| {
                calls.fetch_add(1, Relaxed);
                together(a, b)
            };
            let parts: Vec<&[u32]> = v.par_chunk_by(count).collect();
            assert!(parts.into_iter().eq(v.chunk_by(together)));
            assert_eq!(calls.load(Relaxed), v.len().saturating_sub(1));

            let (mut a, mut b) = (v.to_vec(), v.to_vec());
            a.par_chunk_by_mut(together).for_each(|part| mark(part.len(), part));
            b.chunk_by_mut(together).for_each(|part| mark(part.len(), part));
            assert!(a == b);
        }
    });
}

#[test]
#[should_panic(expected = "must not be 0")]
fn chunks_of_nothing_are_refused() {
    let _ = [1, 2, 3].par_chunks(0);
}

#[test]
#[should_panic(expected = "must not be 0")]
fn windows_of_nothing_are_refused() {
    let _ = [1, 2, 3].par_windows(0);
}
