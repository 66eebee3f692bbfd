//! A post: where a thread at the top of its loop takes tasks from.
//!
//! A thread owns its deque and its index for life, since stack frames of `join` point into that deque. Its
//! post is what can be left: a ring of tasks, a slot for the newest one, and the tick that says when it is
//! the injectors' turn. A thread that waits inside a job is not at its post, and never runs a task; others
//! rob the ring meanwhile, and the slot once they have found nothing else.

use crate::{
    deque::ring,
    job::Job,
    team::{Team, Thread},
    tuning::{INJECTOR_INTERVAL, SLOT_STREAK},
};
use std::cell::Cell;

#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) ring: ring::Owner<Job>,
    /// Jobs and tasks run from here.
    tick: Cell<u32>,
    /// Tasks in a row that came from the slot.
    streak: Cell<u32>,
    /// Which of the injectors is asked first, next time.
    next_injector: Cell<usize>,
}

impl Post {
    pub(crate) fn new(ring: ring::Owner<Job>) -> Self {
        Post { ring, tick: Cell::new(0), streak: Cell::new(0), next_injector: Cell::new(0) }
    }

    /// One more round; the number says whose turn it is.
    pub(crate) fn tick(&self) -> Turn {
        let tick = self.tick.get().wrapping_add(1);
        self.tick.set(tick);
        if tick.is_multiple_of(INJECTOR_INTERVAL) {
            Turn::Injectors
        } else if tick.is_multiple_of(2) {
            Turn::Tasks
        } else {
            Turn::Jobs
        }
    }

    /// Which of so many injectors is asked first: each in its turn.
    pub(crate) fn next_injector(&self, injectors: usize) -> usize {
        let first = self.next_injector.get();
        self.next_injector.set((first + 1) % injectors);
        first
    }

    /// A task that was spawned or woken on this thread. Says whether others may take another one now.
    pub(crate) fn push(&self, task: Job, thread: &Thread, team: &Team) -> bool {
        let Some(evicted) = thread.slot.put(task) else { return false };
        if let Err(overflow) = self.ring.push(evicted) {
            team.tasks.push_batch(overflow);
            return true;
        }
        team.stealing
    }

    /// The next task: the newest, unless that was so too often; else the oldest.
    pub(crate) fn pop(&self, thread: &Thread) -> Option<Job> {
        if self.streak.get() < SLOT_STREAK
            && let Some(newest) = thread.slot.take()
        {
            self.streak.set(self.streak.get() + 1);
            return Some(newest);
        }
        self.streak.set(0);
        self.ring.pop().or_else(|| thread.slot.take())
    }
}

/// Which queues are asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The own deque.
    Jobs,
    /// The post.
    Tasks,
    /// What comes from outside.
    Injectors,
}
