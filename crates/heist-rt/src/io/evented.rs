//! [`Evented`]: a socket together with its registration, which all types of [`net`](crate::net) are made of.

use super::{Interest, Ready, Registration};
use crate::readiness::{Direction, Event, Kind};
use std::{
    fmt,
    io::{self, IoSlice, IoSliceMut},
    net::Shutdown,
    ops::Deref,
    task::{Context, Poll},
};

/// What a transfer that got or gave less than it could says about the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    /// Nothing.
    Nothing,
    /// That it would block, so there is no need to try. For this the system has to report changes, not
    /// states, and a read must end early for no other reason.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
    WouldBlock,
}

/// A stream of bytes in both directions.
pub trait Bytes: mio::event::Source {
    /// Where a side of it is.
    type Address;

    #[doc(hidden)]
    fn read(&self, buf: &mut [u8]) -> io::Result<usize>;

    #[doc(hidden)]
    fn read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize>;

    /// Reads into a buffer that may not be initialised. Writes only bytes that were received to it, and as
    /// many as it says, from its beginning on: unsafe code relies on it.
    #[cfg(feature = "hyper")]
    #[doc(hidden)]
    fn read_uninit(&self, buf: &mut [std::mem::MaybeUninit<u8>]) -> io::Result<usize>;

    #[doc(hidden)]
    fn write(&self, buf: &[u8]) -> io::Result<usize>;

    #[doc(hidden)]
    fn write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize>;

    #[doc(hidden)]
    fn shutdown(&self, how: Shutdown) -> io::Result<()>;

    #[doc(hidden)]
    fn local_addr(&self) -> io::Result<Self::Address>;

    #[doc(hidden)]
    fn peer_addr(&self) -> io::Result<Self::Address>;
}

/// See the [module](self). Public in name only, for traits that nobody outside can name.
pub struct Evented<S: mio::event::Source> {
    /// There until it is taken out or dropped.
    io: Option<S>,
    registration: Registration,
    short: Short,
}

impl<S: mio::event::Source> Evented<S> {
    /// Registers a socket, for both directions.
    ///
    /// # Errors
    /// If the system refuses, or the runtime has ended.
    pub(crate) fn new(io: S) -> io::Result<Self> {
        Self::with_interest(io, Interest::READABLE | Interest::WRITABLE)
    }

    pub(crate) fn with_interest(io: S, interest: Interest) -> io::Result<Self> {
        Self::of(io, interest, Kind::Stream)
    }

    /// As [`new`](Self::new), for a socket that sends and receives datagrams.
    pub(crate) fn of_datagrams(io: S) -> io::Result<Self> {
        Self::of(io, Interest::READABLE | Interest::WRITABLE, Kind::Datagrams)
    }

    fn of(mut io: S, interest: Interest, kind: Kind) -> io::Result<Self> {
        let registration = Registration::new(&mut io, interest, kind)?;
        Ok(Evented { io: Some(io), registration, short: Short::Nothing })
    }

    /// As [`new`](Self::new), for a stream that a read takes all from that there is. Of a Unix socket it does
    /// not: it ends early where a descriptor was sent along. A TCP socket's ends early where something urgent
    /// was; that is why it is asked for that, too.
    pub(crate) fn draining(io: S) -> io::Result<Self> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let all = Interest::READABLE | Interest::WRITABLE | Interest::PRIORITY;
            let mut evented = Self::with_interest(io, all)?;
            evented.short = Short::WouldBlock;
            Ok(evented)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        Self::new(io)
    }

    /// Deregisters it.
    pub(crate) fn into_inner(mut self) -> io::Result<S> {
        let mut io = self.io.take().expect("there until now");
        self.registration.end(&mut io)?;
        Ok(io)
    }

    /// What is ready of `interest`, when something is.
    pub(crate) async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        Ok(self.registration.ready(interest).await?.ready())
    }

    pub(crate) async fn readable(&self) -> io::Result<()> {
        self.ready(Interest::READABLE).await.map(drop)
    }

    pub(crate) async fn writable(&self) -> io::Result<()> {
        self.ready(Interest::WRITABLE).await.map(drop)
    }

    pub(crate) fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registration.poll_ready(cx, Direction::Read).map_ok(drop)
    }

    pub(crate) fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registration.poll_ready(cx, Direction::Write).map_ok(drop)
    }

    /// Reads, or something like that, when it is ready for it.
    pub(crate) fn poll_in<R>(
        &self,
        cx: &mut Context<'_>,
        mut trial: impl FnMut(&S) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.registration.poll_io(cx, Direction::Read, |_| trial(self))
    }

    /// Writes, or something like that, when it is ready for it.
    pub(crate) fn poll_out<R>(
        &self,
        cx: &mut Context<'_>,
        mut trial: impl FnMut(&S) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.registration.poll_io(cx, Direction::Write, |_| trial(self))
    }

    pub(crate) async fn async_io<R>(
        &self,
        interest: Interest,
        mut trial: impl FnMut(&S) -> io::Result<R>,
    ) -> io::Result<R> {
        self.registration.async_io(interest, || trial(self)).await
    }

    pub(crate) async fn read_with<R>(&self, trial: impl FnMut(&S) -> io::Result<R>) -> io::Result<R> {
        self.async_io(Interest::READABLE, trial).await
    }

    pub(crate) async fn write_with<R>(&self, trial: impl FnMut(&S) -> io::Result<R>) -> io::Result<R> {
        self.async_io(Interest::WRITABLE, trial).await
    }

    pub(crate) fn try_io<R>(
        &self,
        interest: Interest,
        trial: impl FnOnce(&S) -> io::Result<R>,
    ) -> io::Result<R> {
        self.registration.try_io(interest, || trial(self))
    }

    pub(crate) fn try_in<R>(&self, trial: impl FnOnce(&S) -> io::Result<R>) -> io::Result<R> {
        self.try_io(Interest::READABLE, trial)
    }

    pub(crate) fn try_out<R>(&self, trial: impl FnOnce(&S) -> io::Result<R>) -> io::Result<R> {
        self.try_io(Interest::WRITABLE, trial)
    }

    /// A transfer of at most `most` bytes, some of them at least, is over: if it was less, so is readiness.
    fn note(&self, event: Event, most: usize, result: &io::Result<usize>) {
        let is_short = result.as_ref().is_ok_and(|&bytes| 0 < bytes && bytes < most);
        if self.short == Short::WouldBlock && is_short && !self.has_urgent() {
            self.registration.clear(event);
        }
    }

    /// Whether something urgent has ever come.
    fn has_urgent(&self) -> bool {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return self.registration.ready_now(Interest::PRIORITY).is_ok_and(Ready::is_priority);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        true
    }

    fn poll_transfer(
        &self,
        cx: &mut Context<'_>,
        direction: Direction,
        most: usize,
        mut trial: impl FnMut(&S) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        self.registration.poll_io(cx, direction, |event| {
            let result = trial(self);
            self.note(event, most, &result);
            result
        })
    }
}

/// How many bytes buffers hold. Zero if there are more buffers than the system looks at: then a transfer that
/// was less says nothing.
fn total(buffers: impl ExactSizeIterator<Item = usize>) -> usize {
    const MOST: usize = 1024;
    if buffers.len() > MOST { 0 } else { buffers.sum() }
}

impl<S: Bytes> Evented<S> {
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_transfer(cx, Direction::Read, buf.len(), |io| io.read(buf))
    }

    /// As [`Bytes::read_uninit`].
    #[cfg(feature = "hyper")]
    pub(crate) fn poll_read_uninit(
        &self,
        cx: &mut Context<'_>,
        buf: &mut [std::mem::MaybeUninit<u8>],
    ) -> Poll<io::Result<usize>> {
        self.poll_transfer(cx, Direction::Read, buf.len(), |io| io.read_uninit(buf))
    }

    pub(crate) fn poll_read_vectored(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
    ) -> Poll<io::Result<usize>> {
        let most = total(bufs.iter().map(|buf| buf.len()));
        self.poll_transfer(cx, Direction::Read, most, |io| io.read_vectored(bufs))
    }

    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_transfer(cx, Direction::Write, buf.len(), |io| io.write(buf))
    }

    pub(crate) fn poll_write_vectored(
        &self,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let most = total(bufs.iter().map(|buf| buf.len()));
        self.poll_transfer(cx, Direction::Write, most, |io| io.write_vectored(bufs))
    }

    /// Shuts down the way out. The other side may have closed it all: then there is nothing to do.
    pub(crate) fn close(&self) -> io::Result<()> {
        match self.shutdown(Shutdown::Write) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            result => result,
        }
    }

    pub(crate) fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.try_in(|io| io.read(buf))
    }

    pub(crate) fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.try_in(|io| io.read_vectored(bufs))
    }

    pub(crate) fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.try_out(|io| io.write(buf))
    }

    pub(crate) fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.try_out(|io| io.write_vectored(bufs))
    }
}

impl<S: mio::event::Source> Deref for Evented<S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.io.as_ref().expect("there until it is taken out")
    }
}

impl<S: mio::event::Source> Drop for Evented<S> {
    fn drop(&mut self) {
        if let Some(mut io) = self.io.take() {
            // If the system refuses: it forgets the socket anyway when that is closed, right now.
            let _ = self.registration.end(&mut io);
        }
    }
}

impl<S: mio::event::Source + fmt::Debug> fmt::Debug for Evented<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}
