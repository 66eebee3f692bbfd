//! [`sleep`]: a future that is over at a given time.

use super::{
    FOR_EVER, Instant,
    clock::Ticks,
    driver_here,
    timers::{Key, Status},
};
use crate::{context, driver::Driver, sync::Arc};
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// Waits so long.
///
/// It belongs to the runtime that is current when this is called, the global one outside of any, and may be
/// awaited anywhere. It is over at the end of a millisecond, never early. A duration beyond the clock's range
/// means about thirty years.
///
/// ```
/// use heist_rt::time::{Duration, Instant, sleep};
///
/// let start = Instant::now();
/// heist_rt::block_on(sleep(Duration::from_millis(5)));
/// assert!(start.elapsed() >= Duration::from_millis(5));
/// ```
///
/// # Panics
/// If the runtime cannot get from the system what it takes to wait. When it is awaited: if the runtime has
/// ended and the time has not come.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    let now = Instant::now();
    let (duration, deadline) = match now.checked_add(duration) {
        Some(deadline) => (duration, deadline),
        None => (FOR_EVER, now + FOR_EVER),
    };
    let mut sleep = Sleep::new(deadline);
    if duration > LONG {
        let ticks = sleep.driver.timers().clock().ticks(now, duration);
        sleep.made = Some(Made { ticks, frame: context::frame() });
    }
    sleep
}

/// Longer than a poll should ever take.
const LONG: Duration = Duration::from_millis(50);

/// When a sleep of more than [`LONG`] was made, and in which frame of the thread. If it is first awaited
/// there as well, that was just now, and it is not over. Should it be, its timer fires at once.
#[derive(Clone, Copy)]
struct Made {
    ticks: Ticks,
    frame: u64,
}

/// Waits until a time has come; at once if it is over.
///
/// ```
/// use heist_rt::time::{Duration, Instant, sleep_until};
///
/// let deadline = Instant::now() + Duration::from_millis(5);
/// heist_rt::block_on(sleep_until(deadline));
/// assert!(Instant::now() >= deadline);
/// ```
///
/// # Panics
/// As [`sleep`].
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::new(deadline)
}

/// The future of [`sleep`] and [`sleep_until`].
///
/// Its timer is set when it is first polled. It may be moved even then, unlike Tokio's: it does not have to
/// be pinned.
///
/// ```
/// use heist_rt::time::{Duration, sleep};
///
/// heist_rt::block_on(async {
///     let mut sleep = sleep(Duration::from_millis(1));
///     (&mut sleep).await;
///     assert!(sleep.is_elapsed());
/// });
/// ```
#[must_use = "a sleep does nothing unless it is awaited"]
pub struct Sleep {
    driver: Arc<Driver>,
    deadline: Instant,
    made: Option<Made>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Not polled since it got its deadline.
    New,
    Waits(Key),
    Over,
}

impl Sleep {
    #[track_caller]
    fn new(deadline: Instant) -> Self {
        Sleep { driver: driver_here(), deadline, made: None, state: State::New }
    }

    /// When it is over.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether it is over: to await it would take no time.
    pub fn is_elapsed(&self) -> bool {
        match self.state {
            State::New => self.deadline <= self.driver.timers().now(),
            State::Waits(key) => self.driver.timers().has_fired(key),
            State::Over => true,
        }
    }

    /// Gives it another deadline, be it over or not. Whoever awaits it is woken at the new one.
    ///
    /// ```
    /// use heist_rt::time::{Duration, Instant, sleep};
    /// use std::pin::Pin;
    ///
    /// heist_rt::block_on(async {
    ///     let mut sleep = sleep(Duration::from_secs(3600));
    ///     let sooner = Instant::now() + Duration::from_millis(2);
    ///     Pin::new(&mut sleep).reset(sooner);
    ///     sleep.await;
    ///     assert!(Instant::now() >= sooner);
    /// });
    /// ```
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.get_mut().set_deadline(deadline);
    }

    pub(super) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
        self.made = None;
        match self.state {
            State::Waits(key) if self.driver.timers().reset(key, deadline, || self.driver.unpark()) => {}
            _ => self.forget_timer(),
        }
    }

    fn forget_timer(&mut self) {
        if let State::Waits(key) = self.state {
            self.driver.timers().remove(key);
        }
        self.state = State::New;
    }

    fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let timers = self.driver.timers();
        let status = match self.state {
            State::New => {
                let recently = self.made.filter(|made| made.frame == context::frame()).map(|made| made.ticks);
                timers.insert(self.deadline, recently, cx.waker(), || self.driver.unpark())
            }
            State::Waits(key) => timers.poll(key, cx.waker()),
            State::Over => Status::Over,
        };
        match status {
            Status::Waits(key) => {
                self.state = State::Waits(key);
                Poll::Pending
            }
            Status::Over => {
                self.state = State::Over;
                Poll::Ready(())
            }
            Status::Ended => {
                assert!(
                    self.deadline <= timers.now(),
                    "heist: a timer was awaited whose runtime has ended, so it would never fire"
                );
                Poll::Ready(())
            }
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        context::poll_with_budget(cx, |cx| self.poll_over(cx))
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget_timer();
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
