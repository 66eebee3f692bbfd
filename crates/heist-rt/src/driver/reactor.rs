//! Where a thread waits for what the system has to say.

use super::Due;
use mio::{Events, Poll, Token, Waker};
use std::{
    fmt, io, process,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Events that are taken from the system at once.
const EVENTS: usize = 1024;

/// That of the waker.
const UNPARK: Token = Token(usize::MAX);

pub(crate) struct Reactor {
    /// Of the thread whose turn it is; nobody else asks for it.
    wait: Mutex<Wait>,
    waker: Waker,
}

struct Wait {
    poll: Poll,
    /// What has happened and was not dispatched.
    events: Events,
}

impl Reactor {
    pub(super) fn new() -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), UNPARK)?;
        Ok(Reactor { wait: Mutex::new(Wait { poll, events: Events::with_capacity(EVENTS) }), waker })
    }

    fn turn(&self) -> MutexGuard<'_, Wait> {
        self.wait.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something happens, or at most so long.
    pub(super) fn wait(&self, timeout: Option<Duration>) {
        let Wait { poll, events } = &mut *self.turn();
        match poll.poll(events, timeout) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => events.clear(),
            Err(error) => {
                // The descriptor is ours and open: somebody has closed it who had no business to.
                eprintln!("heist: cannot wait for sockets and timers any more: {error}");
                process::abort();
            }
        }
    }

    /// Says who waits for what has happened.
    pub(super) fn dispatch(&self, _due: &mut Due) {
        let wait = &mut *self.turn();
        wait.events.clear();
    }

    pub(super) fn unpark(&self) {
        // It can fail only if the counter behind it is full: then it is awake.
        let _ = self.waker.wake();
    }

    pub(super) fn end(&self) {}
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor").finish_non_exhaustive()
    }
}
