//! Timers: [`sleep()`], [`timeout()`], [`interval()`], and a clock that tests can [`pause`].
//!
//! Names and semantics are Tokio's. Timers have a resolution of one millisecond, and never fire early.
//! Outside of any runtime they belong to the [global](crate::runtime::Handle::global) one. There is nothing
//! to enable.
//!
//! ```
//! use heist_rt::time::{Duration, Instant, interval, sleep, timeout};
//!
//! heist_rt::block_on(async {
//!     let start = Instant::now();
//!     sleep(Duration::from_millis(3)).await;
//!     assert!(start.elapsed() >= Duration::from_millis(3));
//!
//!     let forever = std::future::pending::<()>();
//!     assert!(timeout(Duration::from_millis(3), forever).await.is_err());
//!
//!     let mut interval = interval(Duration::from_millis(3));
//!     interval.tick().await;
//!     interval.tick().await;
//!     assert!(start.elapsed() >= Duration::from_millis(9));
//! });
//! ```
//!
//! # How it works
//! A timer is an entry in a wheel; each worker has one, so that they do not wait for each other. There is no
//! thread for them: whoever waits at the runtime's driver wakes up in time, and a busy worker looks about
//! once in a millisecond.

mod alarm;
#[cfg(all(test, heist_loom))]
mod model;

#[cfg(not(heist_loom))]
mod clock;
#[cfg(not(heist_loom))]
pub mod error;
#[cfg(not(heist_loom))]
mod instant;
#[cfg(not(heist_loom))]
mod interval;
#[cfg(not(heist_loom))]
mod sleep;
#[cfg(not(heist_loom))]
mod timeout;
#[cfg(not(heist_loom))]
mod timers;
#[cfg(not(heist_loom))]
mod wheel;

#[doc(no_inline)]
pub use std::time::Duration;

#[cfg(not(heist_loom))]
pub(crate) use {clock::Activity, timers::Timers};
#[cfg(not(heist_loom))]
pub use {
    clock::{advance, pause, resume},
    instant::Instant,
    interval::{Interval, MissedTickBehavior, interval, interval_at},
    sleep::{Sleep, sleep, sleep_until},
    timeout::{Timeout, timeout, timeout_at},
};

#[cfg(not(heist_loom))]
use crate::{context, driver::Driver, runtime::Handle, sync::Arc};

/// So long that nobody waits for it, and short enough to reckon with: about thirty years.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Where timers wait that are made here.
#[cfg(not(heist_loom))]
#[track_caller]
fn driver_here() -> Arc<Driver> {
    match context::with_current(|runtime| driver_of(runtime).clone()) {
        Some(driver) => driver,
        None => driver_of(&Handle::current_or_global()).clone(),
    }
}

#[cfg(not(heist_loom))]
#[track_caller]
fn driver_of(runtime: &Handle) -> &Arc<Driver> {
    match runtime.driver() {
        Ok(driver) => driver,
        Err(error) => panic!("heist: the system does not let the runtime wait for timers: {error}"),
    }
}
