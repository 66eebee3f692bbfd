//! Every constant of the scheduler that was chosen rather than derived.

/// Rounds of looking for work in which a worker only pauses in between.
///
/// Short, because a worker at the top of its loop that finds nothing is usually really out of work, and each
/// round costs power: a wake-up costs a pusher about as much as some dozens of rounds.
pub(crate) const SPIN_ROUNDS: u32 = 16;

/// Pauses per round of spinning.
pub(crate) const SPINS_PER_ROUND: u32 = 16;

/// Rounds, counted from the first, up to which it offers its core to other threads in between. After these it
/// announces itself as a sleeper, looks once more at everything, and blocks.
pub(crate) const YIELD_ROUNDS: u32 = 20;

/// The same for one who waits for a stolen half, which is usually about to be finished.
pub(crate) const WAIT_YIELD_ROUNDS: u32 = 64;

/// Every so many jobs and tasks a worker asks the injectors before its own queues, so that what comes from
/// outside starts whatever the own queues hold.
pub(crate) const INJECTOR_INTERVAL: u32 = 61;

/// So many tasks in a row may come from the slot for the newest one before the ring gets its turn: two tasks
/// that wake each other must not keep the others waiting.
pub(crate) const SLOT_STREAK: u32 = 3;

/// Most tasks taken from the injector at once.
pub(crate) const INJECTOR_BATCH: usize = 64;
