//! The ends of pipes to and from a child: [`ChildStdin`], [`ChildStdout`], [`ChildStderr`].
//!
//! They do not block, and are registered with a runtime as sockets are. The child's ends are as it expects
//! them: whether one blocks is not shared between the two ends of a pipe.

use crate::io::{Evented, Interest};
use mio::unix::pipe;
use std::{
    fmt,
    io::{self, IoSlice, IoSliceMut, Read, Write},
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
};

/// The end of a pipe that a child reads from.
///
/// The child reads its end when this is closed or dropped.
///
/// ```
/// use futures::AsyncWriteExt;
/// use heist_rt::process::Command;
/// use std::process::Stdio;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
///     let mut stdin = child.stdin.take().unwrap();
///     stdin.write_all(b"meow").await?;
///     stdin.close().await?;
///     assert_eq!(child.wait_with_output().await?.stdout, b"meow");
///     Ok(())
/// })
/// # }
/// ```
pub struct ChildStdin {
    /// There until it is closed.
    pipe: Option<Evented<pipe::Sender>>,
}

impl ChildStdin {
    /// From that of the standard library.
    ///
    /// ```
    /// use heist_rt::process::ChildStdin;
    /// use std::process::{Command, Stdio};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let mut child = Command::new("cat").stdin(Stdio::piped()).spawn()?;
    /// drop(ChildStdin::from_std(child.stdin.take().unwrap())?);
    /// assert!(child.wait()?.success());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the system refuses, or the runtime has ended.
    pub fn from_std(inner: std::process::ChildStdin) -> io::Result<Self> {
        let pipe = pipe::Sender::from(inner);
        pipe.set_nonblocking(true)?;
        Ok(ChildStdin { pipe: Some(Evented::with_interest(pipe, Interest::WRITABLE)?) })
    }

    /// The descriptor, which blocks again.
    ///
    /// # Errors
    /// If it is closed, or the system refuses.
    pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
        let pipe = self.pipe.ok_or_else(closed)?.into_inner()?;
        pipe.set_nonblocking(false)?;
        Ok(pipe.into())
    }

    fn poll_with(
        &self,
        cx: &mut Context<'_>,
        write: impl FnMut(&pipe::Sender) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        match &self.pipe {
            Some(pipe) => pipe.poll_out(cx, write),
            None => Poll::Ready(Err(closed())),
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the pipe to the child is closed")
}

impl futures_io::AsyncWrite for ChildStdin {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_with(cx, |mut pipe| pipe.write(buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_with(cx, |mut pipe| pipe.write_vectored(bufs))
    }

    /// There is nothing to flush.
    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closes the pipe: the child will read the end.
    fn poll_close(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pipe = None;
        Poll::Ready(Ok(()))
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncWrite for ChildStdin {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        futures_io::AsyncWrite::poll_write(self, cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        futures_io::AsyncWrite::poll_write_vectored(self, cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// There is nothing to flush.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_flush(self, cx)
    }

    /// Closes the pipe: the child will read the end.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_close(self, cx)
    }
}

impl fmt::Debug for ChildStdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildStdin").finish_non_exhaustive()
    }
}

impl TryFrom<ChildStdin> for Stdio {
    type Error = io::Error;

    fn try_from(pipe: ChildStdin) -> io::Result<Stdio> {
        pipe.into_owned_fd().map(Into::into)
    }
}

/// The end of a pipe that a child writes its output to.
///
/// ```
/// use futures::AsyncReadExt;
/// use heist_rt::process::Command;
/// use std::process::Stdio;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut child = Command::new("echo").arg("hello").stdout(Stdio::piped()).spawn()?;
///     let mut text = String::new();
///     child.stdout.take().unwrap().read_to_string(&mut text).await?;
///     assert_eq!(text, "hello\n");
///     child.wait().await?;
///     Ok(())
/// })
/// # }
/// ```
pub struct ChildStdout {
    pipe: Evented<pipe::Receiver>,
}

/// The end of a pipe that a child writes its errors to.
///
/// ```
/// use futures::AsyncReadExt;
/// use heist_rt::process::Command;
/// use std::process::Stdio;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut child = Command::new("sh").args(["-c", "echo oh >&2"]).stderr(Stdio::piped()).spawn()?;
///     let mut text = String::new();
///     child.stderr.take().unwrap().read_to_string(&mut text).await?;
///     assert_eq!(text, "oh\n");
///     child.wait().await?;
///     Ok(())
/// })
/// # }
/// ```
pub struct ChildStderr {
    pipe: Evented<pipe::Receiver>,
}

/// Registers the end of a pipe that is read from.
fn reading(pipe: pipe::Receiver) -> io::Result<Evented<pipe::Receiver>> {
    pipe.set_nonblocking(true)?;
    Evented::with_interest(pipe, Interest::READABLE)
}

/// What the two ends that are read from have in common.
macro_rules! impl_reading {
    ($type:ident) => {
        impl $type {
            /// From that of the standard library.
            ///
            /// # Errors
            /// If the system refuses, or the runtime has ended.
            pub fn from_std(inner: std::process::$type) -> io::Result<Self> {
                Ok($type { pipe: reading(inner.into())? })
            }

            /// The descriptor, which blocks again: to be the input of another program, for example.
            ///
            /// # Errors
            /// If the system refuses.
            pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
                let pipe = self.pipe.into_inner()?;
                pipe.set_nonblocking(false)?;
                Ok(pipe.into())
            }
        }

        impl futures_io::AsyncRead for $type {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &mut [u8],
            ) -> Poll<io::Result<usize>> {
                self.pipe.poll_in(cx, |mut pipe| pipe.read(buf))
            }

            fn poll_read_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &mut [IoSliceMut<'_>],
            ) -> Poll<io::Result<usize>> {
                self.pipe.poll_in(cx, |mut pipe| pipe.read_vectored(bufs))
            }
        }

        #[cfg(feature = "tokio-io")]
        impl tokio::io::AsyncRead for $type {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                let read = futures_io::AsyncRead::poll_read(self, cx, buf.initialize_unfilled());
                read.map_ok(|bytes| buf.advance(bytes))
            }
        }

        impl AsFd for $type {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.pipe.as_fd()
            }
        }

        impl AsRawFd for $type {
            fn as_raw_fd(&self) -> RawFd {
                self.pipe.as_raw_fd()
            }
        }

        impl TryFrom<$type> for Stdio {
            type Error = io::Error;

            fn try_from(pipe: $type) -> io::Result<Stdio> {
                pipe.into_owned_fd().map(Into::into)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    };
}

impl_reading!(ChildStdout);
impl_reading!(ChildStderr);
