//! A set of workers, any number of them: the first one is found by counting zeros.

use crate::sync::{AtomicU64, Ordering};
use crossbeam_utils::CachePadded;

#[derive(Debug)]
pub(super) struct Bitmap {
    words: Box<[CachePadded<AtomicU64>]>,
}

impl Bitmap {
    pub(super) fn new(workers: usize) -> Self {
        Bitmap { words: (0..workers.div_ceil(64)).map(|_| CachePadded::default()).collect() }
    }

    fn bit(&self, worker: usize) -> (&AtomicU64, u64) {
        (&self.words[worker / 64], 1 << (worker % 64))
    }

    pub(super) fn set(&self, worker: usize) {
        let (word, bit) = self.bit(worker);
        word.fetch_or(bit, Ordering::AcqRel);
    }

    /// Clears the worker's bit; says whether it was set: of several who try, one hears so.
    pub(super) fn claim(&self, worker: usize) -> bool {
        let (word, bit) = self.bit(worker);
        word.load(Ordering::Acquire) & bit != 0 && word.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// Clears the first bit that it can get.
    pub(super) fn claim_any(&self) -> Option<usize> {
        for (i, word) in self.words.iter().enumerate() {
            let mut bits = word.load(Ordering::Acquire);
            while bits != 0 {
                let worker = i * 64 + bits.trailing_zeros() as usize;
                if self.claim(worker) {
                    return Some(worker);
                }
                bits &= bits - 1;
            }
        }
        None
    }

    pub(super) fn contains(&self, worker: usize) -> bool {
        let (word, bit) = self.bit(worker);
        word.load(Ordering::Acquire) & bit != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| word.load(Ordering::Acquire) == 0)
    }

    /// How many bits are set.
    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.load(Ordering::Acquire).count_ones() as usize).sum()
    }
}
