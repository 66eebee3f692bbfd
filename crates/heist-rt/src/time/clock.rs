//! A runtime's clock, which tests can stop.
//!
//! It shows the system's time until somebody pauses it. A paused clock is moved by [`advance`], and by
//! itself: when the runtime has nothing to do but wait for timers, the clock jumps to the next of them. After
//! [`resume`] it goes on from what it showed.
//!
//! # When it moves by itself
//! The worker that waits at the driver moves it, if at that moment
//! - all workers sleep, itself included, and there is nothing in their queues;
//! - no thread polls in a `block_on` of the runtime, or has been woken to do so;
//! - no blocking task of the runtime is queued or runs.
//!
//! The second and the third are what [`Activity`] counts. What wakes somebody is itself one of the three as
//! long as it does so, so that at no moment they all seem quiet while there is something on its way from one
//! to the other: see [`Activity`]. Else the worker looks again after a millisecond; that is no loss, with a
//! clock that is for tests. What the runtime does not know of does not count: other threads, other pools, and
//! sockets, whose other end is mostly a task of the same runtime.

use crate::{
    runtime::Handle,
    sync::{AtomicU64, Ordering},
    task::yield_now,
    time::Instant,
};
use std::{
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time,
    time::Duration,
};

/// Whether any clock of the process was ever paused. While none was, all show the system's time.
static EVER_PAUSED: AtomicBool = AtomicBool::new(false);

const TICK: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Clock {
    /// Ticks are counted from here.
    start: time::Instant,
    shows: Mutex<Shows>,
    /// Whether it was ever paused: else it shows the system's time.
    own_time: AtomicBool,
}

/// The present, and when something is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// The tick that is over.
    pub(super) now: u64,
    /// The first tick that is not too early.
    pub(super) due: u64,
}

#[derive(Clone, Copy, Debug)]
struct Shows {
    time: time::Instant,
    /// When it showed that, if it goes.
    at: Option<time::Instant>,
}

impl Shows {
    fn now(&self) -> time::Instant {
        self.at.map_or(self.time, |at| self.time + at.elapsed())
    }
}

impl Clock {
    pub(super) fn new() -> Self {
        let start = time::Instant::now();
        let shows = Mutex::new(Shows { time: start, at: Some(start) });
        Clock { start, shows, own_time: AtomicBool::new(false) }
    }

    fn shows(&self) -> MutexGuard<'_, Shows> {
        self.shows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it shows the system's time.
    pub(super) fn is_the_systems(&self) -> bool {
        // ORDERING: who has paused it, or was told so, sees it paused.
        !self.own_time.load(Ordering::Acquire)
    }

    pub(super) fn now(&self) -> Instant {
        if self.is_the_systems() {
            Instant::from_std(time::Instant::now())
        } else {
            Instant::from_std(self.shows().now())
        }
    }

    /// The tick that is over at this time.
    pub(super) fn tick_at(&self, time: Instant) -> u64 {
        ticks(time.into_std().saturating_duration_since(self.start))
    }

    /// The first tick that is not before this time: a timer never fires early.
    pub(super) fn tick_after(&self, time: Instant) -> u64 {
        ticks_up(time.into_std().saturating_duration_since(self.start))
    }

    /// The ticks of a time and of one so much later.
    pub(super) fn ticks(&self, now: Instant, later: Duration) -> Ticks {
        let since = now.into_std().saturating_duration_since(self.start);
        Ticks { now: ticks(since), due: ticks_up(since.saturating_add(later)) }
    }

    /// The ticks of the present and of a deadline, if that is not over.
    pub(super) fn ticks_to(&self, deadline: Instant) -> Option<Ticks> {
        let now = self.now();
        (deadline > now).then(|| Ticks { now: self.tick_at(now), due: self.tick_after(deadline) })
    }

    /// How long it is from now to a tick.
    pub(super) fn until(&self, tick: u64) -> Duration {
        let since = self.now().into_std().saturating_duration_since(self.start);
        Duration::from_millis(tick).saturating_sub(since)
    }

    pub(super) fn is_paused(&self) -> bool {
        !self.is_the_systems() && self.shows().at.is_none()
    }

    /// Stops it at the end of the current tick, so that whole milliseconds stay whole ones. Says whether it
    /// went before.
    #[must_use]
    fn pause(&self) -> bool {
        EVER_PAUSED.store(true, Ordering::Relaxed);
        let mut shows = self.shows();
        if shows.at.is_none() {
            return false;
        }
        let tick = self.tick_after(Instant::from_std(shows.now()));
        *shows = Shows { time: self.start + Duration::from_millis(tick), at: None };
        self.own_time.store(true, Ordering::Release);
        true
    }

    /// Lets it go on. Says whether it was paused.
    #[must_use]
    fn resume(&self) -> bool {
        let mut shows = self.shows();
        let paused = shows.at.is_none();
        if paused {
            shows.at = Some(time::Instant::now());
        }
        paused
    }

    /// Moves it, if it is paused. Says whether it is.
    #[must_use]
    fn advance(&self, duration: Duration) -> bool {
        let mut shows = self.shows();
        let paused = shows.at.is_none();
        if paused {
            shows.time += duration;
        }
        paused
    }

    /// Moves it to a tick that is to come, if it is paused.
    pub(super) fn advance_to(&self, tick: u64) {
        let mut shows = self.shows();
        let time = self.start.checked_add(Duration::from_millis(tick));
        if let Some(time) = time.filter(|time| shows.at.is_none() && *time > shows.time) {
            shows.time = time;
        }
    }
}

fn ticks(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1000).saturating_add(u64::from(duration.subsec_millis()))
}

fn ticks_up(duration: Duration) -> u64 {
    let begun = !duration.subsec_nanos().is_multiple_of(TICK.subsec_nanos());
    ticks(duration).saturating_add(u64::from(begun))
}

/// What the clock of the current runtime shows, the system's outside of any.
#[inline]
pub(super) fn now() -> Instant {
    // ORDERING: who has paused a clock, or was told so, sees this too; others see the system's time.
    if EVER_PAUSED.load(Ordering::Relaxed) { own_now() } else { Instant::from_std(time::Instant::now()) }
}

#[cold]
fn own_now() -> Instant {
    let handle = Handle::try_current().ok();
    let driver = handle.as_ref().and_then(Handle::driver_if_made);
    driver.map_or_else(|| Instant::from_std(time::Instant::now()), |driver| driver.timers().now())
}

/// Calls `f` with the clock of the current runtime, which `f` says was in the state that is `required`. Then
/// whoever waits at the driver finds out what has changed.
#[track_caller]
fn change(required: &str, f: impl FnOnce(&Clock) -> bool) {
    let handle = Handle::current();
    let driver = super::driver_of(&handle);
    let changed = f(driver.timers().clock());
    assert!(changed, "heist: the clock of the runtime {required}");
    driver.fire_timers();
    driver.unpark();
}

/// Stops the clock of the current runtime: [`Instant::now`] and timers no longer follow the system's time.
///
/// The clock moves when [`advance`] is called, and by itself when the runtime has nothing left to do: then it
/// jumps to the next timer. So a test with long sleeps takes no time, and they end in their order. That
/// waits for tasks, for `block_on`s of the runtime while they are polled, and for blocking tasks; not for
/// threads that the runtime does not know. The clock stops at the end of the current millisecond.
///
/// Unlike Tokio's it can be stopped in a runtime with several workers as well.
///
/// ```
/// use heist_rt::time::{self, Duration, Instant};
///
/// heist_rt::runtime::Runtime::new().unwrap().block_on(async {
///     time::pause();
///     let start = Instant::now();
///     time::sleep(Duration::from_secs(3600)).await;
///     assert_eq!(start.elapsed(), Duration::from_secs(3600));
/// });
/// ```
///
/// # Panics
/// If the clock is paused already, or if there is no current runtime.
#[track_caller]
pub fn pause() {
    change("is paused already", Clock::pause);
}

/// Lets the clock of the current runtime go on, from what it shows.
///
/// ```
/// use heist_rt::time::{self, Duration, Instant};
///
/// heist_rt::runtime::Runtime::new().unwrap().block_on(async {
///     time::pause();
///     let start = Instant::now();
///     time::resume();
///     while start.elapsed() < Duration::from_micros(10) {}
/// });
/// ```
///
/// # Panics
/// If the clock is not paused, or if there is no current runtime.
#[track_caller]
pub fn resume() {
    change("is not paused", Clock::resume);
}

/// Moves the paused clock of the current runtime in one jump, and wakes the tasks whose timers are over by
/// that, without waiting for them to run.
///
/// To see timers end one after the other, in their order, rather [`sleep`](super::sleep()).
///
/// ```
/// use heist_rt::time::{self, Duration, Instant};
///
/// heist_rt::runtime::Runtime::new().unwrap().block_on(async {
///     time::pause();
///     let start = Instant::now();
///     time::advance(Duration::from_secs(7)).await;
///     assert_eq!(start.elapsed(), Duration::from_secs(7));
/// });
/// ```
///
/// # Panics
/// If the clock is not paused, if there is no current runtime, or if there is no such time.
pub async fn advance(duration: Duration) {
    change("is not paused", |clock| clock.advance(duration));
    yield_now().await;
}

/// How many are at work in a runtime who are no workers: polls of `block_on`, and blocking tasks.
///
/// One word: in the low half how many there are, in the high half how many there have been. Two looks that
/// see nobody, and the same number of former ones, mean that there was nobody at any time in between.
///
/// # Invariants
/// I1 Who wakes a `block_on` counts it, before it does anything else. So whoever is counted, or a worker that
///    is awake, goes on to be so until what it has woken is.
#[derive(Debug)]
pub(crate) struct Activity(AtomicU64);

impl Activity {
    const ONE: u64 = 1;
    const FORMER: u64 = 1 << 32;

    pub(crate) fn new() -> Self {
        Activity(AtomicU64::new(0))
    }

    pub(crate) fn begin(&self) {
        self.0.fetch_add(Self::ONE + Self::FORMER, Ordering::SeqCst);
    }

    /// May come before the `begin` that it belongs to: the low half is not zero in between.
    pub(crate) fn end(&self) {
        self.0.fetch_sub(Self::ONE, Ordering::SeqCst);
    }

    /// Whether nobody is at work, and neither was while `workers_rest` said yes.
    pub(crate) fn is_quiet_while(&self, workers_rest: impl FnOnce() -> bool) -> bool {
        let before = self.0.load(Ordering::SeqCst);
        before as u32 == 0 && workers_rest() && self.0.load(Ordering::SeqCst) == before
    }
}
