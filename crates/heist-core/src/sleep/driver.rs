//! A driver: where one of the sleepers waits for what comes from outside of the process.
//!
//! A runtime's sockets and timers need a thread that waits for them. There is none for that alone: whoever
//! goes to sleep at its post takes a turn at the driver, if nobody else has it, and waits there instead of
//! on its own word. The others sleep as ever.
//!
//! # Invariants
//! D1 At most one thread has the turn: it is there from [`Helm::take`] until the [`Turn`] is dropped.
//! D2 Nobody falls asleep at a post while the turn is free: its last look would see that. So if it is free,
//!    those at their posts are awake and look at the driver in their time; or they were asleep when the
//!    driver came, or when the turn was dropped by one that leaves its post. Then they are woken for it
//!    ([`Sleep::man_driver`](super::Sleep::man_driver)).

use crate::sync::{AtomicBool, Ordering};
use std::{fmt, ops::Deref, sync::OnceLock};

/// What a runtime gives the pool that it is attached to, to be told of sockets and timers.
///
/// One thread at a time calls [`park`](Self::park), [`poll`](Self::poll) and [`dispatch`](Self::dispatch).
pub trait Driver: Send + Sync + 'static {
    /// Blocks until something has happened, or somebody calls [`unpark`](Self::unpark), be it before. May
    /// return for no reason. What has happened is kept for [`dispatch`](Self::dispatch): the thread counts as
    /// asleep.
    fn park(&self);

    /// Looks what has happened, without blocking.
    fn poll(&self);

    /// Wakes the tasks that wait for what has happened. They are queued on the thread that calls this. It
    /// must not panic.
    fn dispatch(&self);

    /// Ends the current call of [`park`](Self::park), or else the next one. May come from any thread.
    fn unpark(&self);
}

/// Where the driver is, once there is one, and whether somebody has the turn at it.
#[derive(Default)]
pub(super) struct Helm {
    driver: OnceLock<Box<dyn Driver>>,
    taken: AtomicBool,
}

impl Helm {
    /// Puts a driver here. There can be one.
    pub(super) fn set(&self, driver: Box<dyn Driver>) {
        assert!(self.driver.set(driver).is_ok(), "heist: a pool can have one driver");
    }

    pub(super) fn driver(&self) -> Option<&dyn Driver> {
        self.driver.get().map(|driver| &**driver)
    }

    /// Whether there is a driver, and nobody at it.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.driver.get().is_some() && !self.taken.load(Ordering::Acquire)
    }

    /// The turn, if there is a driver and nobody at it.
    pub(super) fn take(&self) -> Option<Turn<'_>> {
        if !self.is_free() || self.taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(Turn(self))
    }
}

impl fmt::Debug for Helm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helm").field("is_free", &self.is_free()).finish_non_exhaustive()
    }
}

/// The turn at the driver; the next one's when dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Helm);

impl Deref for Turn<'_> {
    type Target = dyn Driver;

    fn deref(&self) -> &dyn Driver {
        self.0.driver().expect("there is no turn without a driver")
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // ORDERING: what the driver has done so far is seen by the next at it, who acquires.
        self.0.taken.swap(false, Ordering::AcqRel);
    }
}
