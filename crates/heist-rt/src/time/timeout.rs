//! [`timeout`]: a future that gets so much time, and no more.

use super::{Instant, Sleep, error::Elapsed, sleep_until};
use crate::context;
use pin_project_lite::pin_project;
use std::{
    future::{Future, IntoFuture},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// Gives a future so much time, from now on. If it is not ready by then it is dropped with the [`Timeout`].
///
/// The future is always polled first: one that is ready is never too late.
///
/// ```
/// use heist_rt::time::{Duration, timeout};
/// use std::future;
///
/// heist_rt::block_on(async {
///     assert_eq!(timeout(Duration::from_secs(60), async { 7 }).await, Ok(7));
///     assert!(timeout(Duration::from_millis(1), future::pending::<()>()).await.is_err());
/// });
/// ```
///
/// # Panics
/// As [`sleep`](super::sleep()).
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    let deadline = Instant::now().checked_add(duration).unwrap_or_else(Instant::far_future);
    timeout_at(deadline, future)
}

/// Gives a future time until a deadline.
///
/// ```
/// use heist_rt::time::{Duration, Instant, timeout_at};
///
/// let deadline = Instant::now() + Duration::from_secs(60);
/// assert_eq!(heist_rt::block_on(timeout_at(deadline, async { 7 })), Ok(7));
/// ```
///
/// # Panics
/// As [`sleep`](super::sleep()).
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout { future: future.into_future(), sleep: sleep_until(deadline) }
}

pin_project! {
    /// The future of [`timeout`] and [`timeout_at`].
    ///
    /// ```
    /// use heist_rt::time::{Duration, timeout};
    /// use std::future;
    ///
    /// let mut timeout = timeout(Duration::from_secs(60), future::ready(7));
    /// *timeout.get_mut() = future::ready(8);
    /// assert_eq!(heist_rt::block_on(timeout), Ok(8));
    /// ```
    #[must_use = "a timeout does nothing unless it is awaited"]
    #[derive(Debug)]
    pub struct Timeout<T> {
        #[pin]
        future: T,
        sleep: Sleep,
    }
}

impl<T> Timeout<T> {
    /// The future.
    pub fn get_ref(&self) -> &T {
        &self.future
    }

    /// The future.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.future
    }

    /// The future, without a limit from now on.
    pub fn into_inner(self) -> T {
        self.future
    }
}

impl<T: Future> Future for Timeout<T> {
    type Output = Result<T::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let had_budget = context::has_budget();
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        poll_sleep(this.sleep, cx, had_budget).map(|()| Err(Elapsed(())))
    }
}

/// A future that uses up the whole budget in each poll must not get around its deadline by that.
fn poll_sleep(sleep: &mut Sleep, cx: &mut Context<'_>, had_budget: bool) -> Poll<()> {
    let mut poll = || Pin::new(&mut *sleep).poll(cx);
    if had_budget && !context::has_budget() { context::with_budget(false, poll) } else { poll() }
}
