//! `par_bridge`: items of a sequential iterator, handed out to whoever asks next.
//!
//! The iterator is behind a lock; each leaf takes one item at a time and processes it after the lock is free.
//! Nothing is cut but the number of leaves.
//!
//! Items that take next to no time make the leaves meet at the lock all the time. To pass it from core to
//! core costs more than such an item. So one who finds it taken stays away for a while, a longer one each
//! time, and the other goes on undisturbed. Only if it is taken still, because `next` takes long, does it
//! block.
//!
//! `next` may itself use the pool. A worker that waits there may take up another leaf of the very same
//! iterator, and would then wait for a lock that it holds. So a worker enters at most one leaf at a time: it
//! leaves a second one alone, as the first will take what there is to take.
//!
//! That leaves one way to a deadlock, which is the user's to avoid: `next` waits for a job on another worker,
//! that job waits in turn, and its worker takes up a leaf meanwhile, hence waits for the lock.

use super::{
    ParallelIterator,
    plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed},
};
use crate::{current_num_threads, current_thread_index};
use std::{
    hint,
    iter::Fuse,
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

/// How often one stays away from a lock that is taken: a pause, then two, four, and so on. All together that
/// is about what it costs to block.
const ROUNDS_AWAY: u32 = 8;

/// Sequential iterators as parallel ones.
pub trait ParallelBridge: Sized {
    /// Hands the items of this iterator out to the pool, in no particular order.
    ///
    /// That is slower than a parallel iterator of its own, since the items come from one place; use it where
    /// processing an item takes long compared to a lock, or where nothing else exists.
    ///
    /// ```
    /// use heist::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// for n in 0..10 {
    ///     sender.send(n).unwrap();
    /// }
    /// drop(sender);
    /// assert_eq!(receiver.into_iter().par_bridge().map(|n| n * n).sum::<u32>(), 285);
    /// ```
    ///
    /// # Blocking
    /// The iterator is behind a lock while it looks for its next item. It may block, and it may call
    /// [`join`](crate::join()) and the like; but what it starts must not wait for jobs of its own, or it may
    /// come to wait for itself.
    fn par_bridge(self) -> IterBridge<Self>;
}

impl<T> ParallelBridge for T
where
    T: Iterator<Item: Send> + Send,
{
    fn par_bridge(self) -> IterBridge<Self> {
        IterBridge { iter: self }
    }
}

/// The items of a sequential iterator; made by [`ParallelBridge::par_bridge`].
#[derive(Debug, Clone)]
pub struct IterBridge<Iter> {
    iter: Iter,
}

impl<Iter> ParallelIterator for IterBridge<Iter>
where
    Iter: Iterator<Item: Send> + Send,
{
    type Item = Iter::Item;

    fn drive_unindexed<C: UnindexedConsumer<Iter::Item>>(self, consumer: C) -> C::Result {
        let threads = current_num_threads();
        let shared = Shared {
            iter: Mutex::new(self.iter.fuse()),
            leaves_left: AtomicUsize::new(threads),
            inside: (0..threads).map(|_| AtomicBool::new(false)).collect(),
        };
        bridge_unindexed(&shared, consumer)
    }
}

struct Shared<Iter> {
    iter: Mutex<Fuse<Iter>>,
    /// How many more leaves may be made.
    leaves_left: AtomicUsize,
    /// Which workers are in a leaf; each looks only at its own.
    inside: Vec<AtomicBool>,
}

impl<Iter: Iterator> Shared<Iter> {
    /// The next item, none if the iterator is at its end or has panicked.
    fn next(&self) -> Option<Iter::Item> {
        self.lock()?.next()
    }

    fn lock(&self) -> Option<MutexGuard<'_, Fuse<Iter>>> {
        for round in 0..ROUNDS_AWAY {
            match self.iter.try_lock() {
                Ok(iter) => return Some(iter),
                Err(TryLockError::Poisoned(_)) => return None,
                Err(TryLockError::WouldBlock) => (0..1 << round).for_each(|_| hint::spin_loop()),
            }
        }
        self.iter.lock().ok()
    }
}

impl<Iter: Iterator + Send> UnindexedProducer for &Shared<Iter> {
    type Item = Iter::Item;

    fn split(self) -> (Self, Option<Self>) {
        let more = self.leaves_left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        (self, more.then_some(self))
    }

    fn fold_with<F: Folder<Iter::Item>>(self, mut folder: F) -> F {
        // Outside of the pool nobody takes up a second leaf.
        let inside = current_thread_index().and_then(|index| self.inside.get(index));
        let Some(_entered) = Entered::once(inside) else { return folder };
        while !folder.full()
            && let Some(item) = self.next()
        {
            folder = folder.consume(item);
        }
        folder
    }
}

/// Marks that a worker is in a leaf for as long as it lives.
struct Entered<'a>(Option<&'a AtomicBool>);

impl<'a> Entered<'a> {
    fn once(inside: Option<&'a AtomicBool>) -> Option<Self> {
        // ORDERING: only this thread looks at it.
        let twice = inside.is_some_and(|inside| inside.swap(true, Relaxed));
        (!twice).then_some(Entered(inside))
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let Some(inside) = self.0 {
            inside.store(false, Relaxed);
        }
    }
}
