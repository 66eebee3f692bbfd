//! [`interval`]: something that ticks.

use super::{FOR_EVER, Instant, Sleep, sleep_until};
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

/// A tick that comes later than this was missed.
const TOLERANCE: Duration = Duration::from_millis(5);

/// Ticks at once, and then in every period.
///
/// ```
/// use heist_rt::time::{Duration, Instant, interval};
///
/// heist_rt::block_on(async {
///     let start = Instant::now();
///     let mut interval = interval(Duration::from_millis(2));
///     for _ in 0..3 {
///         interval.tick().await;
///     }
///     assert!(start.elapsed() >= Duration::from_millis(4));
/// });
/// ```
///
/// # Panics
/// If the period is zero; and as [`sleep`](super::sleep()).
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    interval_at(Instant::now(), period)
}

/// Ticks at `start`, and then in every period.
///
/// ```
/// use heist_rt::time::{Duration, Instant, interval_at};
///
/// heist_rt::block_on(async {
///     let start = Instant::now() + Duration::from_millis(3);
///     let mut interval = interval_at(start, Duration::from_millis(2));
///     assert_eq!(interval.tick().await, start);
///     assert_eq!(interval.tick().await, start + Duration::from_millis(2));
/// });
/// ```
///
/// # Panics
/// As [`interval`].
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "heist: the period of an interval cannot be zero");
    Interval {
        sleep: sleep_until(start),
        period: period.min(FOR_EVER),
        missed_tick_behavior: MissedTickBehavior::default(),
    }
}

/// What an [`Interval`] does if a tick was awaited too late, by more than five milliseconds.
///
/// ```
/// use heist_rt::time::{Duration, MissedTickBehavior, interval};
///
/// let mut interval = interval(Duration::from_secs(1));
/// assert_eq!(interval.missed_tick_behavior(), MissedTickBehavior::Burst);
/// interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissedTickBehavior {
    /// Ticks as fast as it can until it has caught up.
    #[default]
    Burst,
    /// Counts the periods from the late tick on.
    Delay,
    /// Leaves out what was missed, and goes on at a whole number of periods since the start.
    Skip,
}

impl MissedTickBehavior {
    /// The tick after one that was due at `due`, and comes `now`, too late.
    fn next(self, due: Instant, now: Instant, period: Duration) -> Instant {
        match self {
            MissedTickBehavior::Burst => due + period,
            MissedTickBehavior::Delay => now + period,
            MissedTickBehavior::Skip => {
                let into_period = (now - due).as_nanos() % period.as_nanos();
                // Less than the period.
                let secs = (into_period / 1_000_000_000) as u64;
                let nanos = (into_period % 1_000_000_000) as u32;
                now + (period - Duration::new(secs, nanos))
            }
        }
    }
}

/// Ticks; made by [`interval`] and [`interval_at`].
///
/// ```
/// use heist_rt::time::{Duration, Instant, interval};
///
/// heist_rt::block_on(async {
///     let mut interval = interval(Duration::from_secs(3600));
///     interval.tick().await;
///     let soon = Instant::now() + Duration::from_millis(2);
///     interval.reset_at(soon);
///     assert_eq!(interval.tick().await, soon);
/// });
/// ```
#[derive(Debug)]
pub struct Interval {
    /// Until the next tick.
    sleep: Sleep,
    period: Duration,
    missed_tick_behavior: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick. Returns when it was due. No tick is lost if this is dropped.
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// Whether the next tick has come, and when it was due. If not, the task is woken for it.
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        ready!(Pin::new(&mut self.sleep).poll(cx));
        let (due, now) = (self.sleep.deadline(), Instant::now());
        let missed = now.duration_since(due) > TOLERANCE;
        let behavior = if missed { self.missed_tick_behavior } else { MissedTickBehavior::Burst };
        self.sleep.set_deadline(behavior.next(due, now, self.period));
        Poll::Ready(due)
    }

    /// The next tick comes a period from now.
    ///
    /// ```
    /// use heist_rt::time::{Duration, Instant, interval};
    ///
    /// heist_rt::block_on(async {
    ///     let mut interval = interval(Duration::from_millis(2));
    ///     let now = Instant::now();
    ///     interval.reset();
    ///     assert!(interval.tick().await >= now + Duration::from_millis(2));
    /// });
    /// ```
    pub fn reset(&mut self) {
        self.reset_after(self.period);
    }

    /// The next tick comes at once.
    pub fn reset_immediately(&mut self) {
        self.reset_at(Instant::now());
    }

    /// The next tick comes after so long.
    pub fn reset_after(&mut self, after: Duration) {
        let now = Instant::now();
        self.reset_at(now.checked_add(after).unwrap_or_else(|| now + FOR_EVER));
    }

    /// The next tick comes then.
    pub fn reset_at(&mut self, deadline: Instant) {
        self.sleep.set_deadline(deadline);
    }

    /// What is done about ticks that were awaited too late.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed_tick_behavior
    }

    /// Says what to do about ticks that are awaited too late.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed_tick_behavior = behavior;
    }

    /// How long it is from tick to tick.
    pub fn period(&self) -> Duration {
        self.period
    }
}
