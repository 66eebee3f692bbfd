//! The tasks of one runtime that have not completed: what has to be ended with it.
//!
//! Every spawn and every completion comes by here, on whichever thread, so the list is in shards, each behind
//! a lock of its own, by the task's id. Nothing of the user's is called while one is held.
//!
//! # Invariants
//! I1 A task is in its shard from its spawn to its completion, unless the shard was closed before.
//! I2 A shard that is closed takes no more tasks. The shards that are open or not empty are counted: at zero
//!    no task is left, and none will come.

use super::cell::{Head, Links, Ref};
use crate::sync::{AtomicUsize, Ordering};
use heist_core::task::Header;
use std::{
    ptr::NonNull,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// See the [module](self).
pub(crate) struct Owned {
    shards: Box<[Mutex<Shard>]>,
    /// Those that are open or not empty.
    left: AtomicUsize,
    /// Goes with `over`.
    none_left: Condvar,
    over: Mutex<bool>,
}

#[derive(Default)]
struct Shard {
    first: Option<NonNull<Head>>,
    count: usize,
    closed: bool,
}

// SAFETY: the tasks in it are counted references, which may be sent.
unsafe impl Send for Shard {}

impl Owned {
    /// For a runtime with so many workers.
    pub(crate) fn new(workers: usize) -> Self {
        let shards = (4 * workers).next_power_of_two().min(1 << 12);
        Owned {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            left: AtomicUsize::new(shards),
            none_left: Condvar::new(),
            over: Mutex::new(false),
        }
    }

    fn shard_of(&self, task: &Ref) -> MutexGuard<'_, Shard> {
        let index = task.id().number() as usize & (self.shards.len() - 1);
        lock(&self.shards[index])
    }

    /// Adds a new task; the list's reference has been counted. Says whether it did: not if the runtime ends.
    pub(crate) fn add(&self, task: &Ref) -> bool {
        let mut shard = self.shard_of(task);
        if shard.closed {
            return false;
        }
        shard.push(task.as_ptr());
        true
    }

    /// Takes out a task that has completed. Says whether none is left, and none will come.
    pub(crate) fn remove(&self, task: &Ref) -> bool {
        let mut shard = self.shard_of(task);
        let was_there = shard.unlink(task.as_ptr());
        let last = was_there && shard.closed && shard.first.is_none();
        drop(shard);
        last && self.one_shard_less()
    }

    /// Takes no more tasks, and asks all that are there to end. Says whether none was there.
    pub(crate) fn close(&self) -> bool {
        let mut none = false;
        for shard in &self.shards {
            let mut tasks = Vec::new();
            {
                let mut shard = lock(shard);
                if shard.closed {
                    continue;
                }
                shard.closed = true;
                let mut next = shard.first;
                while let Some(head) = next {
                    // SAFETY: in the list, whose lock we hold.
                    unsafe {
                        tasks.push(Ref::clone_from_list(head));
                        next = (*Ref::links(head)).with(|links| (*links).next);
                    }
                }
            }
            if tasks.is_empty() {
                none |= self.one_shard_less();
            }
            tasks.iter().for_each(Ref::cancel);
        }
        none
    }

    fn one_shard_less(&self) -> bool {
        let last = self.left.fetch_sub(1, Ordering::AcqRel) == 1;
        if last {
            *lock(&self.over) = true;
            self.none_left.notify_all();
        }
        last
    }

    /// Blocks until no task is left, after [`close`](Self::close), or until the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) {
        let mut over = lock(&self.over);
        while !*over {
            let left =
                deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            over = match deadline {
                None => self.none_left.wait(over).unwrap_or_else(PoisonError::into_inner),
                Some(_) => self.none_left.wait_timeout(over, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }

    /// The task whose header is there, if it is one of these.
    pub(crate) fn find(&self, header: NonNull<Header>) -> Option<Ref> {
        self.shards.iter().find_map(|shard| {
            let shard = lock(shard);
            let mut next = shard.first;
            while let Some(head) = next {
                // SAFETY: in the list, whose lock we hold.
                unsafe {
                    if head.cast() == header {
                        return Some(Ref::clone_from_list(head));
                    }
                    next = (*Ref::links(head)).with(|links| (*links).next);
                }
            }
            None
        })
    }

    /// How many tasks there are.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).count).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn links<R>(head: NonNull<Head>, f: impl FnOnce(&mut Links) -> R) -> R {
        // SAFETY: links belong to the list (`cell`'s I4), and we have it.
        unsafe { (*Ref::links(head)).with_mut(|links| f(&mut *links)) }
    }

    fn push(&mut self, head: NonNull<Head>) {
        Self::links(head, |links| *links = Links { previous: None, next: self.first });
        if let Some(next) = self.first {
            Self::links(next, |links| links.previous = Some(head));
        }
        self.first = Some(head);
        self.count += 1;
    }

    /// Says whether it was there.
    fn unlink(&mut self, head: NonNull<Head>) -> bool {
        let (previous, next) = Self::links(head, |links| (links.previous.take(), links.next.take()));
        match previous {
            Some(previous) => Self::links(previous, |links| links.next = next),
            None if self.first == Some(head) => self.first = next,
            // A task that came too late.
            None => return false,
        }
        if let Some(next) = next {
            Self::links(next, |links| links.previous = previous);
        }
        self.count -= 1;
        true
    }
}
