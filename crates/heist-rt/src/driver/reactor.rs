//! Where a thread waits for what the system has to say, and who is to be told.
//!
//! Everything that is registered has a [`Source`] here. Its key is the token that the system's events come
//! with. An event in flight may be for something that has just been deregistered, so a key is given to
//! another one only when what had happened until then has been dispatched: its closed bits would stick to a
//! socket that they are not about.
//!
//! # Invariants
//! I1 A source is in `live` from before it is registered with the system until an end of
//!    [`dispatch`](Reactor::dispatch) after it was deregistered. No event comes with a token of another one.
//! I2 The locks of `sources` and of a source's waiters are taken in that order, and nothing of the user's is
//!    called while one is held.
//! I3 After [`end`](Reactor::end) nothing is registered, and everything that is there has been told.

use super::Due;
use crate::{
    readiness::{Interest, Kind, Ready, Source},
    sync::Arc,
};
use mio::{Events, Poll, Registry, Token, Waker};
use slab::Slab;
use std::{
    fmt, io, mem, process,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Events that are taken from the system at once.
const EVENTS: usize = 1024;

/// That of the waker.
const UNPARK: Token = Token(usize::MAX);

/// So many sources that are gone call for somebody to put them away, even if nothing happens.
const MANY_GONE: usize = 64;

pub(crate) struct Reactor {
    /// Of the thread whose turn it is; nobody else asks for it.
    wait: Mutex<Wait>,
    registry: Registry,
    waker: Waker,
    sources: Mutex<Sources>,
}

struct Wait {
    poll: Poll,
    /// What has happened and was not dispatched.
    events: Events,
}

#[derive(Default)]
struct Sources {
    live: Slab<Arc<Source>>,
    /// Keys of those that were deregistered, and are in `live` still.
    gone: Vec<usize>,
    ended: bool,
}

/// A source, and what it is known by.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) source: Arc<Source>,
    key: usize,
}

/// What an operation fails with whose runtime has ended.
pub(crate) fn ended() -> io::Error {
    io::Error::other("the runtime that this socket belongs to has ended")
}

impl Reactor {
    pub(super) fn new() -> io::Result<Self> {
        let poll = Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = Waker::new(&registry, UNPARK)?;
        let wait = Mutex::new(Wait { poll, events: Events::with_capacity(EVENTS) });
        Ok(Reactor { wait, registry, waker, sources: Mutex::default() })
    }

    fn turn(&self) -> MutexGuard<'_, Wait> {
        self.wait.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sources(&self) -> MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub(super) fn dispatch(&self, due: &mut Due) {
        let wait = &mut *self.turn();
        let Sources { live, gone, .. } = &mut *self.sources();
        for event in &wait.events {
            if let Some(source) = live.get(event.token().0) {
                source.set(Ready::of(event), |waker| due.add(Some(waker)));
            }
        }
        wait.events.clear();
        // Whatever happens from now on, the system does not name these any more (I1). They keep no wakers.
        for key in gone.drain(..) {
            live.remove(key);
        }
    }

    /// Has the system watch something.
    ///
    /// # Errors
    /// If the system refuses, or the runtime has ended.
    pub(crate) fn register(
        &self,
        io: &mut (impl mio::event::Source + ?Sized),
        interest: Interest,
        kind: Kind,
    ) -> io::Result<Entry> {
        let source = Arc::new(Source::new(kind));
        let key = {
            let mut sources = self.sources();
            if sources.ended {
                return Err(ended());
            }
            sources.live.insert(source.clone())
        };
        match self.registry.register(io, Token(key), interest.to_mio()) {
            Ok(()) => Ok(Entry { source, key }),
            Err(error) => {
                // Never registered, so there is no event in flight.
                self.sources().live.remove(key);
                Err(error)
            }
        }
    }

    /// Has the system watch it no more.
    ///
    /// # Errors
    /// If the system refuses. It is forgotten here all the same.
    pub(crate) fn deregister(
        &self,
        io: &mut (impl mio::event::Source + ?Sized),
        entry: &Entry,
    ) -> io::Result<()> {
        let result = self.registry.deregister(io);
        entry.source.forget();
        let many_gone = {
            let mut sources = self.sources();
            sources.gone.push(entry.key);
            sources.gone.len().is_multiple_of(MANY_GONE)
        };
        if many_gone {
            self.unpark();
        }
        result
    }

    pub(super) fn unpark(&self) {
        // It can fail only if the counter behind it is full: then it is awake.
        let _ = self.waker.wake();
    }

    /// Registers nothing any more, and wakes all who wait.
    pub(super) fn end(&self) {
        let mut due = Due::default();
        {
            let sources = &mut *self.sources();
            if mem::replace(&mut sources.ended, true) {
                return;
            }
            for (_, source) in &sources.live {
                source.end(|waker| due.add(Some(waker)));
            }
        }
        due.wake();
    }
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor").finish_non_exhaustive()
    }
}
