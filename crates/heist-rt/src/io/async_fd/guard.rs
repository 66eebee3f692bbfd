//! The guards that waiting for an [`AsyncFd`] gives: it is ready, until one finds out that it is not.

use super::AsyncFd;
use crate::{io::Ready, readiness::Event};
use std::{error::Error, fmt, io, os::fd::AsRawFd};

/// An [`AsyncFd`] is ready for something.
///
/// Dropping it leaves it so. If it turned out not to be, say so, best by [`try_io`](Self::try_io): else the
/// next one does not wait but tries again, and again.
#[must_use = "who does not say whether it was ready finds it ready again"]
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    fd: &'a AsyncFd<T>,
    /// What is ready; nothing once it was cleared.
    event: Option<Event>,
}

/// As [`AsyncFdReadyGuard`], and may change what the [`AsyncFd`] holds.
#[must_use = "who does not say whether it was ready finds it ready again"]
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    fd: &'a mut AsyncFd<T>,
    event: Option<Event>,
}

/// What was tried would have blocked: it was not ready.
#[derive(Debug)]
pub struct TryIoError(());

impl fmt::Display for TryIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it would block: the descriptor was not ready after all")
    }
}

impl Error for TryIoError {}

/// What both guards have.
macro_rules! impl_guard {
    ($guard:ident, $fd:ty) => {
        impl<'a, T: AsRawFd> $guard<'a, T> {
            pub(super) fn new(fd: $fd, event: Event) -> Self {
                $guard { fd, event: Some(event) }
            }

            /// It was not ready, for anything that it seemed to be. What has happened since is kept.
            pub fn clear_ready(&mut self) {
                if let Some(event) = self.event.take() {
                    self.fd.registration.clear(event);
                }
            }

            /// It was not ready for these, of those that it seemed to be.
            pub fn clear_ready_matching(&mut self, ready: Ready) {
                let Some(event) = self.event else { return };
                self.fd.registration.clear(event.only(ready));
                self.event = Some(event.only(Ready::ALL - ready)).filter(|event| !event.ready().is_empty());
            }

            /// It was ready: nothing to do. That is what dropping the guard does, too.
            pub fn retain_ready(&mut self) {
                // Spelled out, for who reads it.
            }

            /// What it is ready for.
            pub fn ready(&self) -> Ready {
                self.event.map_or(Ready::EMPTY, Event::ready)
            }

            /// What is in the [`AsyncFd`].
            pub fn get_inner(&self) -> &T {
                self.fd.get_ref()
            }

            /// Notes that it was not ready if this is the error that says so.
            fn judge<R>(&mut self, result: io::Result<R>) -> Result<io::Result<R>, TryIoError> {
                match result {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.clear_ready();
                        Err(TryIoError(()))
                    }
                    result => Ok(result),
                }
            }
        }

        impl<T: AsRawFd + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($guard))
                    .field("fd", &self.fd)
                    .field("ready", &self.ready())
                    .finish()
            }
        }
    };
}

impl_guard!(AsyncFdReadyGuard, &'a AsyncFd<T>);
impl_guard!(AsyncFdReadyMutGuard, &'a mut AsyncFd<T>);

impl<'a, T: AsRawFd> AsyncFdReadyGuard<'a, T> {
    /// The [`AsyncFd`] itself.
    pub fn get_ref(&self) -> &'a AsyncFd<T> {
        self.fd
    }

    /// Tries something. If it fails with [`WouldBlock`](io::ErrorKind::WouldBlock), it was not ready.
    ///
    /// ```
    /// use heist_rt::io::AsyncFd;
    /// use std::{io::{Read, Write}, os::unix::net::UnixStream};
    ///
    /// async fn read(fd: &AsyncFd<UnixStream>, buf: &mut [u8]) -> std::io::Result<usize> {
    ///     loop {
    ///         let mut guard = fd.readable().await?;
    ///         match guard.try_io(|fd| fd.get_ref().read(buf)) {
    ///             Ok(result) => return result,
    ///             Err(_would_block) => continue,
    ///         }
    ///     }
    /// }
    /// # heist_rt::block_on(async {
    /// #     let (mut left, right) = UnixStream::pair().unwrap();
    /// #     right.set_nonblocking(true).unwrap();
    /// #     left.write_all(b"ping").unwrap();
    /// #     assert_eq!(read(&AsyncFd::new(right).unwrap(), &mut [0; 16]).await.unwrap(), 4);
    /// # });
    /// ```
    ///
    /// # Errors
    /// If it was not ready.
    pub fn try_io<R>(
        &mut self,
        f: impl FnOnce(&'a AsyncFd<T>) -> io::Result<R>,
    ) -> Result<io::Result<R>, TryIoError> {
        let result = f(self.fd);
        self.judge(result)
    }
}

impl<T: AsRawFd> AsyncFdReadyMutGuard<'_, T> {
    /// The [`AsyncFd`] itself.
    pub fn get_ref(&self) -> &AsyncFd<T> {
        self.fd
    }

    /// The [`AsyncFd`] itself.
    pub fn get_mut(&mut self) -> &mut AsyncFd<T> {
        self.fd
    }

    /// What is in the [`AsyncFd`].
    pub fn get_inner_mut(&mut self) -> &mut T {
        self.fd.get_mut()
    }

    /// Tries something. If it fails with [`WouldBlock`](io::ErrorKind::WouldBlock), it was not ready.
    ///
    /// # Errors
    /// If it was not ready.
    pub fn try_io<R>(
        &mut self,
        f: impl FnOnce(&mut AsyncFd<T>) -> io::Result<R>,
    ) -> Result<io::Result<R>, TryIoError> {
        let result = f(self.fd);
        self.judge(result)
    }
}
