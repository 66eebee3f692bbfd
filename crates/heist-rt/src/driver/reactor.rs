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
    io::Error::other("the runtime that this belongs to has ended")
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

#[cfg(all(test, unix, not(heist_loom)))]
mod tests {
    use super::*;
    use mio::net::UnixStream;

    const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

    /// Waits for an event.
    fn wait(reactor: &Reactor) {
        reactor.wait(Some(Duration::from_secs(60)));
        assert!(!reactor.turn().events.is_empty(), "nothing has happened");
    }

    fn dispatch(reactor: &Reactor) {
        let mut due = Due::default();
        reactor.dispatch(&mut due);
        due.wake();
    }

    fn is_closed(entry: &Entry) -> bool {
        let event = entry.source.event(Interest::READABLE).unwrap();
        event.is_some_and(|event| event.ready().is_read_closed())
    }

    #[test]
    fn an_event_in_flight_does_not_reach_who_is_registered_next() {
        let reactor = Reactor::new().unwrap();
        let (mut closed, peer) = UnixStream::pair().unwrap();
        let entry = reactor.register(&mut closed, BOTH, Kind::Stream).unwrap();
        drop(peer);
        wait(&reactor);
        // The event is there and not dispatched.
        reactor.deregister(&mut closed, &entry).unwrap();
        let (mut open, _peer) = UnixStream::pair().unwrap();
        let next = reactor.register(&mut open, BOTH, Kind::Stream).unwrap();
        dispatch(&reactor);
        assert!(!is_closed(&next));
        // From now on its place is free.
        let (mut third, _peer) = UnixStream::pair().unwrap();
        assert_eq!(reactor.register(&mut third, BOTH, Kind::Stream).unwrap().key, entry.key);
    }

    #[test]
    fn what_cannot_be_registered_takes_no_place() {
        let reactor = Reactor::new().unwrap();
        let (mut twice, _peer) = UnixStream::pair().unwrap();
        let first = reactor.register(&mut twice, BOTH, Kind::Stream).unwrap();
        assert!(reactor.register(&mut twice, BOTH, Kind::Stream).is_err());
        assert_eq!(reactor.sources().live.len(), 1);
        reactor.deregister(&mut twice, &first).unwrap();
        dispatch(&reactor);
        assert!(reactor.sources().live.is_empty());
    }

    #[test]
    fn many_that_are_gone_wake_who_waits_to_put_them_away() {
        let reactor = Reactor::new().unwrap();
        for _ in 0..MANY_GONE {
            // A listener is ready for nothing, so there are no events.
            let mut listener = mio::net::TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let entry = reactor.register(&mut listener, Interest::READABLE, Kind::Stream).unwrap();
            reactor.deregister(&mut listener, &entry).unwrap();
        }
        wait(&reactor);
        dispatch(&reactor);
        assert!(reactor.sources().live.is_empty());
    }

    #[test]
    fn nothing_is_registered_after_the_end() {
        let reactor = Reactor::new().unwrap();
        let (mut before, mut after) = UnixStream::pair().unwrap();
        let entry = reactor.register(&mut before, BOTH, Kind::Stream).unwrap();
        reactor.end();
        reactor.end();
        assert!(entry.source.event(BOTH).is_err());
        let error = reactor.register(&mut after, BOTH, Kind::Stream).unwrap_err();
        assert_eq!(error.to_string(), ended().to_string());
        reactor.deregister(&mut before, &entry).unwrap();
    }
}
