//! Processes that nobody waits for any more, and which must be reaped all the same.
//!
//! Each has a task that waits for it. If that ends with its runtime, another one takes over in the global
//! runtime, which does not end.

use super::exit;
use crate::{runtime::Handle, time::sleep};
use std::{process::Child, time::Duration};

/// How long until the next look at a process if the system has nothing to wait with, descriptors for example.
const PATIENCE: Duration = Duration::from_millis(100);

/// Sees to it that a process is reaped.
pub(super) fn adopt(child: Child) {
    let mut orphan = Orphan(Some(child));
    if orphan.is_running() {
        Handle::current_or_global().spawn(orphan.reap());
    }
}

struct Orphan(
    /// There until it is reaped.
    Option<Child>,
);

impl Orphan {
    fn is_running(&mut self) -> bool {
        // An error means that somebody else has reaped it.
        let is_running = self.0.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        if !is_running {
            self.0 = None;
        }
        is_running
    }

    async fn reap(mut self) {
        while let Some(child) = &mut self.0 {
            let is_reaped = exit::wait(child).await.is_ok();
            if !is_reaped && self.is_running() {
                sleep(PATIENCE).await;
            } else {
                self.0 = None;
            }
        }
    }
}

impl Drop for Orphan {
    fn drop(&mut self) {
        if self.is_running() {
            let orphan = Orphan(self.0.take());
            Handle::global().spawn(orphan.reap());
        }
    }
}
