//! Every constant of the scheduler that was chosen rather than derived.

use std::{ops::RangeInclusive, time::Duration};

/// The least and the most rounds of looking for work, with a pause after each, before a worker at its post
/// blocks. Within that it depends on how long it has slept of late.
///
/// At the least about what it costs to wake somebody, at the most about what it takes until somebody has
/// woken up. It does not offer its core to others in between: on Linux a thread that yields stays with that
/// core, next to the very thread that it could help from another one; a thread that is woken goes to an idle
/// core.
pub(crate) const PATIENCE: RangeInclusive<u32> = 8..=128;

/// A sleep that is shorter was not worth it.
pub(crate) const SHORT_SLEEP: Duration = Duration::from_micros(100);

/// Rounds after which one who waits offers its core to others in between.
pub(crate) const SPIN_ROUNDS: u32 = 16;

/// Rounds, counted from the first, after which one who waits blocks: what it waits for is usually about to be
/// finished.
pub(crate) const WAIT_ROUNDS: u32 = 64;

/// Pauses per round of spinning.
pub(crate) const SPINS_PER_ROUND: u32 = 16;

/// About so often, in nanoseconds, a worker asks the injectors before its own queues, so that what comes from
/// outside starts whatever the own queues hold. Counted in jobs and tasks, by how long they took of late.
pub(crate) const INJECTOR_PERIOD: f64 = 1e6;

/// The least and the most jobs and tasks between two such turns.
pub(crate) const INJECTOR_INTERVAL: RangeInclusive<u32> = 8..=255;

/// What a job or task is taken to last, in nanoseconds, before anything is known.
pub(crate) const FIRST_GUESS: f64 = 50e3;

/// Where jobs and tasks take longer than this, in nanoseconds, a look at the driver costs little beside them:
/// then there is one after each.
pub(crate) const LONG_ROUND: f64 = 200e3;

/// The weight of one job or task in the moving average of how long they take.
pub(crate) const WEIGHT_OF_ONE: f64 = 0.1;

/// So many tasks in a row may come from the slot for the newest one before the ring gets its turn: two tasks
/// that wake each other must not keep the others waiting.
pub(crate) const SLOT_STREAK: u32 = 3;

/// How many tasks are taken from the injector at once, when it holds `queued` and the pool has so many
/// workers: a fair share, but enough to be worth the trip and not more than a quarter of a ring.
pub(crate) fn injector_batch(queued: usize, workers: usize) -> usize {
    (queued / workers).clamp(4, 64)
}
