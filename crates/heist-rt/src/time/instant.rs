//! [`Instant`]: a time that the runtime's clock can show.

use super::clock;
use std::{
    fmt,
    ops::{Add, AddAssign, Sub, SubAssign},
    time::{self, Duration},
};

/// A time of a clock that never goes back: the standard library's, unless the current runtime's clock was
/// [paused](super::pause()).
///
/// ```
/// use heist_rt::time::{Duration, Instant};
///
/// let start = Instant::now();
/// let later = start + Duration::from_millis(3);
/// assert_eq!(later - start, Duration::from_millis(3));
/// assert_eq!(start - later, Duration::ZERO);
/// assert!(start.elapsed() < Duration::from_secs(3600));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(time::Instant);

impl Instant {
    /// What the clock shows: that of the current runtime, the system's outside of any.
    #[inline]
    pub fn now() -> Self {
        clock::now()
    }

    /// The same time, as this type has it.
    #[inline]
    pub fn from_std(std: time::Instant) -> Self {
        Instant(std)
    }

    /// The same time, as the standard library has it.
    #[inline]
    pub fn into_std(self) -> time::Instant {
        self.0
    }

    /// For ever, practically: so late that nobody waits for it, and early enough to reckon with.
    pub(super) fn far_future() -> Self {
        Instant::now() + super::FOR_EVER
    }

    /// How long it is since `earlier`; nothing if that is later.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// How long it is since `earlier`, unless that is later.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// As [`duration_since`](Self::duration_since).
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// How long it is ago.
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// So much later, if there is such a time.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }

    /// So much earlier, if there is such a time.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

impl From<time::Instant> for Instant {
    fn from(std: time::Instant) -> Self {
        Instant(std)
    }
}

impl From<Instant> for time::Instant {
    fn from(instant: Instant) -> Self {
        instant.0
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    /// # Panics
    /// If there is no such time.
    fn add(self, duration: Duration) -> Instant {
        Instant(self.0 + duration)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// Nothing if the other one is later.
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    /// # Panics
    /// If there is no such time.
    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0 - duration)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
