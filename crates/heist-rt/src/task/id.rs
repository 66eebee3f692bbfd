//! [`Id`]: which task.

use crate::sync::{Ordering, StaticCounter};
use std::{cell::Cell, fmt};

/// Names a task. No two tasks of a process have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

impl Id {
    /// A new one. Threads take them in blocks, so as not to meet at one counter with every task.
    pub(crate) fn next() -> Self {
        const BLOCK: u64 = 64;
        static NEXT_BLOCK: StaticCounter = StaticCounter::new(1);
        thread_local! {
            /// The last one given, and how many are left.
            static BLOCK_HERE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
        }
        let (last, left) = BLOCK_HERE.get();
        let (number, left) = match left.checked_sub(1) {
            Some(left) => (last + 1, left),
            None => (NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * BLOCK, BLOCK - 1),
        };
        BLOCK_HERE.set((number, left));
        Id(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
