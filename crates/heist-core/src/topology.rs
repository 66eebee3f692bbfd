//! Whom to rob first: workers in groups, near ones before far ones.
//!
//! In this version every worker is in one flat group. What depends on the machine's caches and nodes belongs
//! here; the search in [`worker`](crate::worker) only goes through the groups in order.

use std::ops::Range;

/// The workers of one pool, as neighbours.
#[derive(Debug)]
pub(crate) struct Topology {
    workers: usize,
}

impl Topology {
    /// Everybody is equally near.
    pub(crate) fn flat(workers: usize) -> Self {
        Topology { workers }
    }

    /// The groups of victims for one worker, nearest first. It may be in one of them itself.
    pub(crate) fn victims(&self, _worker: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        std::iter::once(0..self.workers)
    }
}
