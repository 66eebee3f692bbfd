//! What the tests of slices, sorts and collections share: numbers without a pattern, and a pool of four.
#![allow(dead_code)]

use heist::{ThreadPool, ThreadPoolBuilder};
use std::{
    panic,
    sync::{Once, OnceLock},
};

/// Lengths around the edges of everything that is cut.
pub const LENGTHS: [usize; 14] = [0, 1, 2, 3, 4, 7, 31, 64, 65, 1000, 1023, 2049, 4097, 10_007];

/// Runs `f` in a pool of four workers, however few cores there are.
pub fn in_pool<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| ThreadPoolBuilder::new().num_threads(4).build().expect("a pool of four"));
    pool.install(f)
}

/// The xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Inputs of `len` numbers, most of them with a pattern.
pub fn patterns(len: usize) -> Vec<(&'static str, Vec<u32>)> {
    let mut random = Random::new(len as u64 + 1);
    let numbers = |f: &mut dyn FnMut(usize) -> usize| (0..len).map(|i| f(i) as u32).collect::<Vec<_>>();
    let mut nearly = numbers(&mut |i| i);
    for _ in 0..len / 50 {
        let (a, b) = (random.below(len), random.below(len));
        nearly.swap(a, b);
    }
    vec![
        ("random", numbers(&mut |_| random.next() as u32 as usize)),
        ("few", numbers(&mut |_| random.below(4))),
        ("sorted", numbers(&mut |i| i)),
        ("reversed", numbers(&mut |i| len - i)),
        ("equal", numbers(&mut |_| 7)),
        ("sawtooth", numbers(&mut |i| i % 100)),
        ("reversed sawtooth", numbers(&mut |i| 100 - i % 100)),
        ("two runs", numbers(&mut |i| i % (len / 2 + 1))),
        ("organ pipe", numbers(&mut |i| i.min(len - i))),
        ("one late", numbers(&mut |i| if i + 1 == len { 0 } else { i })),
        ("one early", numbers(&mut |i| if i == 0 { len } else { i })),
        ("nearly reversed", nearly.iter().rev().copied().collect()),
        (
            "nearly, then not",
            nearly.iter().map(|x| if *x as usize > len / 2 { x ^ 0x5555 } else { *x }).collect(),
        ),
        ("nearly", nearly),
    ]
}

/// So that expected panics do not fill the output. A panic of a test itself is still shown.
pub fn quietly(f: impl FnOnce()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let message = info.payload().downcast_ref::<&str>().copied();
            let expected = message.is_some_and(|s| s == "as planned" || s.contains("total order"));
            if !expected {
                usual(info);
            }
        }));
    });
    f();
}
