//! [`AsyncFd`]: a descriptor that is none of [`net`](crate::net)'s sockets, to wait for.

mod guard;

pub use guard::{AsyncFdReadyGuard, AsyncFdReadyMutGuard, TryIoError};

use super::{Interest, Registration};
use crate::readiness::{Direction, Event, Kind};
use mio::unix::SourceFd;
use std::{
    error::Error,
    fmt, io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd},
    task::{Context, Poll, ready},
};

/// Something with a descriptor, to wait until it is ready: a pipe, a device, a socket of another library.
///
/// The descriptor must not block (`O_NONBLOCK`), must be one that the system can wait for (a file is not),
/// and must stay the same as long as it is in here.
///
/// Waiting gives a guard. What is then tried with [`try_io`](AsyncFdReadyGuard::try_io) and turns out to
/// block takes the readiness back, so that the next one waits. The `async_io` methods do both.
///
/// ```
/// use heist_rt::io::{AsyncFd, Interest};
/// use std::{io::{Read, Write}, os::unix::net::UnixStream};
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let (mut left, right) = UnixStream::pair()?;
///     right.set_nonblocking(true)?;
///     let right = AsyncFd::new(right)?;
///
///     left.write_all(b"ping")?;
///     let mut buf = [0; 16];
///     let bytes = right.async_io(Interest::READABLE, |mut stream| stream.read(&mut buf)).await?;
///     assert_eq!(&buf[..bytes], b"ping");
///     Ok(())
/// })
/// # }
/// ```
pub struct AsyncFd<T: AsRawFd> {
    registration: Registration,
    /// There until it is taken out or dropped.
    inner: Option<T>,
}

impl<T: AsRawFd> AsyncFd<T> {
    /// Registers it, for both directions.
    ///
    /// # Errors
    /// If the system cannot wait for it, or the runtime has ended. It is dropped then; see
    /// [`try_new`](Self::try_new).
    pub fn new(inner: T) -> io::Result<Self> {
        Self::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers it, for what is asked.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_interest(inner: T, interest: Interest) -> io::Result<Self> {
        Self::try_with_interest(inner, interest).map_err(Into::into)
    }

    /// Registers it, for both directions.
    ///
    /// # Errors
    /// As [`new`](Self::new), and gives it back.
    pub fn try_new(inner: T) -> Result<Self, AsyncFdTryNewError<T>> {
        Self::try_with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers it, for what is asked.
    ///
    /// # Errors
    /// As [`new`](Self::new), and gives it back.
    pub fn try_with_interest(inner: T, interest: Interest) -> Result<Self, AsyncFdTryNewError<T>> {
        match Registration::new(&mut SourceFd(&inner.as_raw_fd()), interest, Kind::Stream) {
            Ok(registration) => Ok(AsyncFd { registration, inner: Some(inner) }),
            Err(cause) => Err(AsyncFdTryNewError { inner, cause }),
        }
    }

    /// What is in here.
    pub fn get_ref(&self) -> &T {
        self.inner.as_ref().expect("there until it is taken out")
    }

    /// What is in here.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("there until it is taken out")
    }

    /// Deregisters it, and gives it back.
    pub fn into_inner(mut self) -> T {
        self.take_inner().expect("there until now")
    }

    fn take_inner(&mut self) -> Option<T> {
        let inner = self.inner.take()?;
        // If the system refuses, somebody has closed it: then it does not watch it any more.
        let _ = self.registration.end(&mut SourceFd(&inner.as_raw_fd()));
        Some(inner)
    }

    fn poll_event(&self, cx: &mut Context<'_>, direction: Direction) -> Poll<io::Result<Event>> {
        self.registration.poll_ready(cx, direction)
    }

    /// Polls until it is ready to be read. The last one who polled for that is woken.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_read_ready<'a>(&'a self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let event = ready!(self.poll_event(cx, Direction::Read))?;
        Poll::Ready(Ok(AsyncFdReadyGuard::new(self, event)))
    }

    /// As [`poll_read_ready`](Self::poll_read_ready), with a guard to change what is in here.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_read_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let event = ready!(self.poll_event(cx, Direction::Read))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard::new(self, event)))
    }

    /// Polls until it is ready to be written. The last one who polled for that is woken.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_write_ready<'a>(
        &'a self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let event = ready!(self.poll_event(cx, Direction::Write))?;
        Poll::Ready(Ok(AsyncFdReadyGuard::new(self, event)))
    }

    /// As [`poll_write_ready`](Self::poll_write_ready), with a guard to change what is in here.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub fn poll_write_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let event = ready!(self.poll_event(cx, Direction::Write))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard::new(self, event)))
    }

    /// Waits until it is ready for something of `interest`. For any number of tasks; nothing is lost if the
    /// future is dropped.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn ready(&self, interest: Interest) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        let event = self.registration.ready(interest).await?;
        Ok(AsyncFdReadyGuard::new(self, event))
    }

    /// As [`ready`](Self::ready), with a guard to change what is in here.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn ready_mut(&mut self, interest: Interest) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        let event = self.registration.ready(interest).await?;
        Ok(AsyncFdReadyMutGuard::new(self, event))
    }

    /// Waits until it is ready to be read.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn readable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::READABLE).await
    }

    /// As [`readable`](Self::readable), with a guard to change what is in here.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn readable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::READABLE).await
    }

    /// Waits until it is ready to be written.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn writable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::WRITABLE).await
    }

    /// As [`writable`](Self::writable), with a guard to change what is in here.
    ///
    /// # Errors
    /// If the runtime has ended.
    pub async fn writable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::WRITABLE).await
    }

    /// Tries something whenever it is ready, until that does not fail with
    /// [`WouldBlock`](io::ErrorKind::WouldBlock).
    ///
    /// # Errors
    /// That of `f`, or that the runtime has ended.
    pub async fn async_io<R>(
        &self,
        interest: Interest,
        mut f: impl FnMut(&T) -> io::Result<R>,
    ) -> io::Result<R> {
        self.registration.async_io(interest, || f(self.get_ref())).await
    }

    /// As [`async_io`](Self::async_io), and may change what is in here.
    ///
    /// # Errors
    /// As [`async_io`](Self::async_io).
    pub async fn async_io_mut<R>(
        &mut self,
        interest: Interest,
        mut f: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let inner = self.inner.as_mut().expect("there until it is taken out");
        self.registration.async_io(interest, || f(inner)).await
    }

    /// Tries something once, if it is ready.
    ///
    /// # Errors
    /// That of `f`; [`WouldBlock`](io::ErrorKind::WouldBlock) if it is not ready.
    pub fn try_io<R>(&self, interest: Interest, f: impl FnOnce(&T) -> io::Result<R>) -> io::Result<R> {
        self.registration.try_io(interest, || f(self.get_ref()))
    }

    /// As [`try_io`](Self::try_io), and may change what is in here.
    ///
    /// # Errors
    /// As [`try_io`](Self::try_io).
    pub fn try_io_mut<R>(
        &mut self,
        interest: Interest,
        f: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let inner = self.inner.as_mut().expect("there until it is taken out");
        self.registration.try_io(interest, || f(inner))
    }
}

impl<T: AsRawFd> AsRawFd for AsyncFd<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.get_ref().as_raw_fd()
    }
}

impl<T: AsRawFd + AsFd> AsFd for AsyncFd<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.get_ref().as_fd()
    }
}

impl<T: AsRawFd> Drop for AsyncFd<T> {
    fn drop(&mut self) {
        drop(self.take_inner());
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFd<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncFd").field(self.get_ref()).finish()
    }
}

/// A descriptor could not be registered. Gives it back.
pub struct AsyncFdTryNewError<T> {
    inner: T,
    cause: io::Error,
}

impl<T> AsyncFdTryNewError<T> {
    /// What was to be registered, and why it was not.
    pub fn into_parts(self) -> (T, io::Error) {
        (self.inner, self.cause)
    }
}

impl<T> From<AsyncFdTryNewError<T>> for io::Error {
    fn from(error: AsyncFdTryNewError<T>) -> io::Error {
        error.cause
    }
}

impl<T> fmt::Debug for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl<T> fmt::Display for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl<T> Error for AsyncFdTryNewError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}
