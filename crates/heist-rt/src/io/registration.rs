//! [`Registration`]: something that a runtime's driver watches, and how to try and wait for it.
//!
//! All ways to do something follow one pattern: see whether it is ready, try it, and if the system says that
//! it would have to wait after all, clear what was seen and look again. A trial that succeeds or fails takes
//! a step of the task's budget; waiting takes none.

use crate::{
    context,
    driver::{self, Driver},
    readiness::{Direction, Ended, Event, Interest, Kind, Ready},
    runtime::Handle,
    sync::Arc,
};
use std::{
    future::poll_fn,
    io,
    task::{Context, Poll, ready},
};

/// See the [module](self). It does not deregister by itself: it does not have what was registered.
#[derive(Debug)]
pub(crate) struct Registration {
    driver: Arc<Driver>,
    entry: driver::Entry,
}

fn ended(_: Ended) -> io::Error {
    driver::ended()
}

fn would_block<R>(result: &io::Result<R>) -> bool {
    result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

impl Registration {
    /// Registers something with the runtime that the thread is in.
    ///
    /// # Errors
    /// If the system refuses, or the runtime has ended.
    pub(crate) fn new(
        io: &mut (impl mio::event::Source + ?Sized),
        interest: Interest,
        kind: Kind,
    ) -> io::Result<Registration> {
        let runtime = Handle::current_or_global();
        let driver = runtime.driver()?.clone();
        let entry = driver.reactor().register(io, interest, kind)?;
        Ok(Registration { driver, entry })
    }

    /// Deregisters it. There are no events for it any more.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn end(&self, io: &mut (impl mio::event::Source + ?Sized)) -> io::Result<()> {
        self.driver.reactor().deregister(io, &self.entry)
    }

    /// What is ready of `interest`, when something is.
    pub(crate) async fn ready(&self, interest: Interest) -> io::Result<Event> {
        let mut waiter = self.entry.source.waiter(interest);
        poll_fn(|cx| context::poll_with_budget(cx, |cx| waiter.poll(cx).map_err(ended))).await
    }

    /// As [`ready`](Self::ready), in the place of a direction.
    pub(crate) fn poll_ready(&self, cx: &mut Context<'_>, direction: Direction) -> Poll<io::Result<Event>> {
        context::poll_with_budget(cx, |cx| self.entry.source.poll(cx, direction).map_err(ended))
    }

    /// What is ready now.
    pub(crate) fn ready_now(&self, interest: Interest) -> io::Result<Ready> {
        let event = self.entry.source.event(interest).map_err(ended)?;
        Ok(event.map_or(Ready::EMPTY, Event::ready))
    }

    /// Not so: it would block.
    pub(crate) fn clear(&self, event: Event) {
        self.entry.source.clear(event);
    }

    /// Tries until it is done, when it is ready for that; waits in the place of a direction.
    pub(crate) fn poll_io<R>(
        &self,
        cx: &mut Context<'_>,
        direction: Direction,
        mut trial: impl FnMut(Event) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_trial(cx, |cx| self.entry.source.poll(cx, direction), &mut trial)
    }

    /// Tries until it is done, when it is ready for that; one of any number that wait.
    pub(crate) async fn async_io<R>(
        &self,
        interest: Interest,
        mut trial: impl FnMut() -> io::Result<R>,
    ) -> io::Result<R> {
        let mut waiter = self.entry.source.waiter(interest);
        poll_fn(|cx| self.poll_trial(cx, |cx| waiter.poll(cx), &mut |_| trial())).await
    }

    fn poll_trial<R>(
        &self,
        cx: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<Result<Event, Ended>>,
        trial: &mut dyn FnMut(Event) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        context::poll_with_budget(cx, |cx| {
            loop {
                let event = ready!(poll(cx)).map_err(ended)?;
                let result = trial(event);
                if !would_block(&result) {
                    return Poll::Ready(result);
                }
                self.clear(event);
                if event.is_closed() {
                    // Closed, but there may be more: a named pipe is like that between two writers. There is
                    // no event to wait for; at least others can run.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        })
    }

    /// Tries it once, if it is ready for that.
    ///
    /// # Errors
    /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if it is not.
    pub(crate) fn try_io<R>(
        &self,
        interest: Interest,
        trial: impl FnOnce() -> io::Result<R>,
    ) -> io::Result<R> {
        let Some(event) = self.entry.source.event(interest).map_err(ended)? else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        let result = trial();
        if would_block(&result) {
            self.clear(event);
        }
        result
    }
}
