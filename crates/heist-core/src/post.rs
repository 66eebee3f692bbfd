//! A post: where a thread at the top of its loop takes tasks from.
//!
//! A thread owns its deque and its index for life, since stack frames of `join` point into that deque. Its
//! post is what can be left: a ring of tasks, a slot for the newest one, and the tick that says when it is
//! the injectors' turn. A thread that waits inside a job is not at its post, and never runs a task; others
//! rob the ring meanwhile, and the slot once they have found nothing else.
//!
//! A batch of tasks from the injector goes to the ring too, and not to a buffer of its own: there others can
//! get at them.

use crate::{
    deque::ring,
    job::Job,
    team::{Team, Thread},
    tuning::{FIRST_GUESS, INJECTOR_INTERVAL, INJECTOR_PERIOD, LONG_ROUND, SLOT_STREAK, WEIGHT_OF_ONE},
};
use std::{cell::Cell, time::Instant};

#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) ring: ring::Owner<Job>,
    /// When it is the injectors' turn.
    pace: Pace,
    /// Tasks in a row that came from the slot.
    streak: Cell<u32>,
    /// Whether a job was the last to run.
    after_job: Cell<bool>,
    /// Which of the injectors is asked first, next time.
    next_injector: Cell<usize>,
}

impl Post {
    pub(crate) fn new(ring: ring::Owner<Job>) -> Self {
        Post {
            ring,
            pace: Pace::new(),
            streak: Cell::new(0),
            after_job: Cell::new(false),
            next_injector: Cell::new(0),
        }
    }

    /// One more round; says whose turn it is. If the pool's `interval` is not zero, it is the injectors'
    /// every so many rounds.
    ///
    /// After a job it is the tasks', if there is one: often the job has woken it, and the next job would have
    /// it wait. The two count as one round then.
    pub(crate) fn tick(&self, thread: &Thread, interval: u32) -> Turn {
        let rounds = &thread.counters.rounds;
        rounds.add(1);
        if self.after_job.take() && !(thread.slot.is_empty() && self.ring.is_empty()) {
            Turn::Tasks
        } else if self.pace.step(interval) {
            Turn::Injectors
        } else if rounds.get().is_multiple_of(2) {
            Turn::Tasks
        } else {
            Turn::Jobs
        }
    }

    /// A job is about to run.
    pub(crate) fn run_job(&self) {
        self.after_job.set(true);
    }

    /// Which of so many injectors is asked first: each in its turn.
    pub(crate) fn next_injector(&self, injectors: usize) -> usize {
        let first = self.next_injector.get();
        self.next_injector.set((first + 1) % injectors);
        first
    }

    /// Whether what is run from here takes long, so that the driver should not have to wait for its turn.
    pub(crate) fn is_slow(&self) -> bool {
        self.pace.mean.get() > LONG_ROUND
    }

    /// The worker has nothing to do: the time that passes now is nobody's.
    pub(crate) fn rest(&self) {
        self.pace.rest();
    }

    /// A task that was spawned or woken on this thread. Says whether others may take another one now.
    pub(crate) fn push(&self, task: Job, thread: &Thread, team: &Team) -> bool {
        match thread.slot.put(task) {
            Some(evicted) => self.push_behind(evicted, team) || team.stealing,
            None => false,
        }
    }

    /// A task that goes to the end of the ring. Says whether some went to the injector, as it was full.
    pub(crate) fn push_behind(&self, task: Job, team: &Team) -> bool {
        match self.ring.push(task) {
            Ok(()) => false,
            Err(overflow) => {
                team.tasks.push_batch(overflow);
                true
            }
        }
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

/// Counts rounds between the turns of the injectors: fewer of them, the longer they take.
///
/// A turn comes about once in [`INJECTOR_PERIOD`]. How long a round takes is a moving average, brought up to
/// date at each turn: that is one look at the clock for all the rounds in between.
#[derive(Debug)]
struct Pace {
    /// Rounds until the next turn.
    left: Cell<u32>,
    /// Rounds from the last turn to the next one.
    interval: Cell<u32>,
    /// Nanoseconds that a round takes.
    mean: Cell<f64>,
    /// The last turn, unless there was a rest since.
    since: Cell<Option<Instant>>,
}

impl Pace {
    fn new() -> Self {
        let interval = interval_for(FIRST_GUESS);
        Pace {
            left: Cell::new(interval),
            interval: Cell::new(interval),
            mean: Cell::new(FIRST_GUESS),
            since: Cell::new(None),
        }
    }

    /// One more round; says whether the injectors' turn has come.
    #[inline]
    fn step(&self, fixed: u32) -> bool {
        let left = self.left.get() - 1;
        self.left.set(left);
        if left == 0 {
            self.turn(fixed);
        }
        left == 0
    }

    fn turn(&self, fixed: u32) {
        let now = Instant::now();
        if let Some(since) = self.since.replace(Some(now)) {
            let rounds = self.interval.get();
            let latest = (now - since).as_nanos() as f64 / f64::from(rounds);
            self.mean.set(average(self.mean.get(), latest, rounds));
        }
        let interval = if fixed > 0 { fixed } else { interval_for(self.mean.get()) };
        self.interval.set(interval);
        self.left.set(interval);
    }

    fn rest(&self) {
        self.since.set(None);
    }
}

/// The moving average after so many rounds that took `latest` each.
fn average(mean: f64, latest: f64, rounds: u32) -> f64 {
    let weight = 1.0 - (1.0 - WEIGHT_OF_ONE).powi(rounds.cast_signed());
    mean + weight * (latest - mean)
}

/// How many rounds of this length lie between two turns.
fn interval_for(mean: f64) -> u32 {
    let rounds = (INJECTOR_PERIOD / mean) as u32;
    rounds.clamp(*INJECTOR_INTERVAL.start(), *INJECTOR_INTERVAL.end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::Handlers;
    use std::ptr::NonNull;

    #[test]
    fn the_longer_a_round_takes_the_sooner_comes_the_injectors_turn() {
        let table = [(1e3, 255), (10e3, 100), (50e3, 20), (100e3, 10), (1e6, 8), (1e9, 8), (0.0, 255)];
        for (mean, interval) in table {
            assert_eq!(interval_for(mean), interval, "{mean} ns");
        }
        assert_eq!(interval_for(FIRST_GUESS), 20);
    }

    #[test]
    fn many_rounds_weigh_more_than_few() {
        assert!((average(100.0, 200.0, 1) - 110.0).abs() < 1e-9);
        assert!((average(100.0, 200.0, 2) - 119.0).abs() < 1e-9);
        assert!((average(100.0, 200.0, 255) - 200.0).abs() < 1e-6);
    }

    #[test]
    fn a_turn_comes_every_so_many_rounds() {
        let pace = Pace::new();
        let until_turn = || (1..).find(|_| pace.step(5)).unwrap();
        assert_eq!(until_turn(), 20);
        assert_eq!(until_turn(), 5);
        assert_eq!(until_turn(), 5);
    }

    #[test]
    fn a_post_is_slow_once_its_rounds_take_long() {
        let (ring, _) = ring::new();
        let post = Post::new(ring);
        assert!(!post.is_slow());
        post.pace.mean.set(LONG_ROUND * 2.0);
        assert!(post.is_slow());
    }

    #[test]
    fn after_a_job_it_is_the_tasks_turn_if_there_is_one() {
        let (team, mut owned) = Team::new(1, true, false, Handlers::default());
        let (post, thread) = (Post::new(owned.pop().unwrap().ring), &team.threads[0]);
        // Otherwise it is the injectors' every time.
        let turn = || post.tick(thread, 1);
        (0..20).for_each(|_| _ = turn());
        post.run_job();
        assert_eq!(turn(), Turn::Injectors);
        // SAFETY: nobody runs it.
        thread.slot.put(unsafe { Job::new(NonNull::dangling()) });
        assert_eq!(turn(), Turn::Injectors);
        post.run_job();
        assert_eq!(turn(), Turn::Tasks);
        assert_eq!(turn(), Turn::Injectors);
        thread.slot.take();
    }

    #[test]
    fn rest_is_not_counted_as_work() {
        let pace = Pace::new();
        (0..20).for_each(|_| _ = pace.step(0));
        pace.rest();
        (0..20).for_each(|_| _ = pace.step(0));
        assert_eq!(pace.mean.get(), FIRST_GUESS);
    }
}
