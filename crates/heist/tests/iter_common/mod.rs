//! What the tests of iterators share.
#![allow(dead_code)]

use std::sync::atomic::{AtomicIsize, Ordering::SeqCst};

/// Lengths at which something may go wrong.
pub const LENGTHS: [usize; 12] = [0, 1, 2, 3, 4, 7, 8, 31, 64, 65, 333, 1000];

/// Marsaglia's xorshift: numbers that look random and are the same in every run.
pub struct XorShift(u64);

impl XorShift {
    pub fn new(seed: u64) -> Self {
        XorShift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// So many numbers below 100.
pub fn numbers(len: usize) -> Vec<u32> {
    let mut random = XorShift::new(len as u64 + 1);
    (0..len).map(|_| random.below(100) as u32).collect()
}

/// Counts how many values made from it are alive.
#[derive(Default)]
pub struct Ledger(AtomicIsize);

impl Ledger {
    pub fn item(&self, value: u32) -> Item<'_> {
        self.0.fetch_add(1, SeqCst);
        Item { value, ledger: self }
    }

    pub fn items(&self, len: usize) -> Vec<Item<'_>> {
        (0..len as u32).map(|value| self.item(value)).collect()
    }

    pub fn alive(&self) -> isize {
        self.0.load(SeqCst)
    }
}

/// A value whose birth and death are on record.
pub struct Item<'a> {
    pub value: u32,
    ledger: &'a Ledger,
}

impl Clone for Item<'_> {
    fn clone(&self) -> Self {
        self.ledger.item(self.value)
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        let before = self.ledger.0.fetch_sub(1, SeqCst);
        assert!(before > 0, "an item was dropped twice");
    }
}

/// Runs `f` with panics kept quiet, and returns what it panicked with.
pub fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).err().expect("it should panic");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => {
            payload.downcast::<&str>().map_or_else(|_| String::new(), |message| message.to_string())
        }
    }
}
