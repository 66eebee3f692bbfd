//! The driver: where one of the pool's sleeping workers waits for sockets and timers.
//!
//! It has no thread of its own: a worker that goes to sleep takes a turn at it, a busy one looks at it now
//! and then; both by `heist_core::task::Driver`. Whoever has the turn gathers what has happened, wakes up,
//! and hands it to the tasks that wait, which are then in its own queue.
//!
//! It is made when it is first needed, and attached to the pool then: a runtime without sockets and timers
//! never asks the system for anything.

mod reactor;

pub(crate) use reactor::{Entry, ended};

use crate::{runtime::WeakHandle, sync::Arc, time::Timers};
use crossbeam_utils::CachePadded;
use reactor::Reactor;
use std::{io, task::Waker};

/// What a runtime's sockets and timers wait at.
#[derive(Debug)]
pub(crate) struct Driver {
    reactor: Reactor,
    /// Apart from the count of those who hold the driver, which each of its timers changes.
    timers: CachePadded<Timers>,
}

impl Driver {
    /// # Errors
    /// If the system refuses what it takes, descriptors for example.
    pub(crate) fn new(threads: usize) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Driver { reactor: Reactor::new()?, timers: CachePadded::new(Timers::new(threads)) }))
    }

    pub(crate) fn timers(&self) -> &Timers {
        &self.timers
    }

    /// Wakes the tasks whose timers are due, from any thread.
    pub(crate) fn fire_timers(&self) {
        let mut due = Due::default();
        self.timers.fire(&mut due);
        due.wake();
    }

    /// Wakes the thread that waits, or else the next one that wants to.
    pub(crate) fn unpark(&self) {
        self.reactor.unpark();
    }

    /// Where sockets are registered.
    pub(crate) fn reactor(&self) -> &Reactor {
        &self.reactor
    }

    /// The runtime has ended: nobody will be at the driver any more. Wakes all who wait, to find out.
    pub(crate) fn end(&self) {
        self.reactor.end();
        let mut due = Due::default();
        self.timers.end(&mut due);
        due.wake();
    }
}

/// The driver, as the pool knows it.
pub(crate) struct ForPool {
    pub(crate) driver: Arc<Driver>,
    /// To know whether the runtime is idle. The pool must not keep what keeps the pool.
    pub(crate) runtime: WeakHandle,
}

impl heist_core::task::Driver for ForPool {
    fn park(&self) {
        let Driver { reactor, timers } = &*self.driver;
        reactor.wait(timers.begin_wait(|| self.runtime.is_idle()));
        timers.end_wait();
    }

    fn poll(&self) {
        // Whether a timer is due is seen when it is dispatched.
        self.driver.reactor.wait(Some(std::time::Duration::ZERO));
    }

    fn dispatch(&self) {
        let mut due = Due::default();
        self.driver.reactor.dispatch(&mut due);
        self.driver.timers.fire(&mut due);
        due.wake();
    }

    fn unpark(&self) {
        self.driver.unpark();
    }
}

/// Those to be woken, once no lock is held.
#[derive(Debug, Default)]
pub(crate) struct Due(Vec<Waker>);

impl Due {
    pub(crate) fn add(&mut self, waker: Option<Waker>) {
        self.0.extend(waker);
    }

    /// Wakes them all. A waker is the user's: should it panic, the others are woken all the same.
    pub(crate) fn wake(self) {
        for waker in self.0 {
            if let Err(payload) = heist_core::task::catch(|| waker.wake()) {
                heist_core::task::discard(payload);
            }
        }
    }
}
