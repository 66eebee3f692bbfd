//! [`Child`]: a program that was started.

use super::{ChildStderr, ChildStdin, ChildStdout, exit, orphan};
use futures_io::AsyncRead;
use std::{
    fmt,
    future::poll_fn,
    io,
    pin::Pin,
    process::{self, ExitStatus, Output},
    task::{Context, Poll, ready},
};

/// A program that was started, by [`Command::spawn`](super::Command::spawn).
///
/// To drop it does not end it, unless [`kill_on_drop`](super::Command::kill_on_drop) says so; it is
/// [reaped](super#what-is-not-waited-for) when it ends.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut child = heist_rt::process::Command::new("true").spawn()?;
///     assert!(child.wait().await?.success());
///     Ok(())
/// })
/// # }
/// ```
pub struct Child {
    /// There until it is dropped.
    inner: Option<process::Child>,
    /// How it ended, once it is known.
    status: Option<ExitStatus>,
    kill_on_drop: bool,
    /// What it reads from, if that is a pipe.
    pub stdin: Option<ChildStdin>,
    /// What it writes its output to, if that is a pipe.
    pub stdout: Option<ChildStdout>,
    /// What it writes its errors to, if that is a pipe.
    pub stderr: Option<ChildStderr>,
}

impl Child {
    /// If the pipes cannot be registered the process is killed: nobody could talk to it.
    pub(super) fn new(inner: process::Child, kill_on_drop: bool) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (None, None, None);
        let mut child = Child { inner: Some(inner), status: None, kill_on_drop: true, stdin, stdout, stderr };
        child.register_pipes()?;
        child.kill_on_drop = kill_on_drop;
        Ok(child)
    }

    fn register_pipes(&mut self) -> io::Result<()> {
        let inner = self.inner();
        let (stdin, stdout, stderr) = (inner.stdin.take(), inner.stdout.take(), inner.stderr.take());
        self.stdin = stdin.map(ChildStdin::from_std).transpose()?;
        self.stdout = stdout.map(ChildStdout::from_std).transpose()?;
        self.stderr = stderr.map(ChildStderr::from_std).transpose()?;
        Ok(())
    }

    fn inner(&mut self) -> &mut process::Child {
        self.inner.as_mut().expect("there until it is dropped")
    }

    /// The number of the process. None once it is known how that ended: the number may be another one's then.
    pub fn id(&self) -> Option<u32> {
        match self.status {
            Some(_) => None,
            None => self.inner.as_ref().map(process::Child::id),
        }
    }

    /// Kills the process, and does not wait for its end.
    ///
    /// # Errors
    /// If it is known already that it has ended, or the system refuses.
    pub fn start_kill(&mut self) -> io::Result<()> {
        if self.status.is_some() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the process has ended already"));
        }
        self.inner().kill()
    }

    /// Kills the process, and waits for its end.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let mut child = heist_rt::process::Command::new("sleep").arg("3600").spawn()?;
    ///     child.kill().await?;
    ///     assert_eq!(child.id(), None);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`start_kill`](Self::start_kill) and [`wait`](Self::wait).
    pub async fn kill(&mut self) -> io::Result<()> {
        self.start_kill()?;
        self.wait().await.map(drop)
    }

    /// Waits until the process has ended, and says how it did.
    ///
    /// Its pipe to [`stdin`](Self::stdin) is closed first, if it is still here: it may wait for that. What it
    /// writes is not read: it waits for who reads its pipes, see
    /// [`wait_with_output`](Self::wait_with_output). Nothing is lost if the future is dropped, and it may be
    /// called again.
    ///
    /// # Errors
    /// If somebody else has asked how it ended, the system refuses, or the runtime ends meanwhile.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = exit::wait(self.inner()).await?;
        self.status = Some(status);
        Ok(status)
    }

    /// How the process ended, if it has.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.inner().try_wait()?;
        }
        Ok(self.status)
    }

    /// Reads what it writes to its pipes, both at once and to their ends, then waits for its end.
    ///
    /// What is no pipe, or has been taken out, is empty. Its pipe to [`stdin`](Self::stdin) is closed first.
    ///
    /// ```
    /// use heist_rt::process::Command;
    /// use std::process::Stdio;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let child = Command::new("echo").arg("hello").stdout(Stdio::piped()).spawn()?;
    ///     assert_eq!(child.wait_with_output().await?.stdout, b"hello\n");
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`wait`](Self::wait); or if a pipe cannot be read.
    pub async fn wait_with_output(mut self) -> io::Result<Output> {
        drop(self.stdin.take());
        let (mut stdout, mut stderr) = (Rest::of(self.stdout.take()), Rest::of(self.stderr.take()));
        poll_fn(|cx| {
            let (stdout, stderr) = (stdout.poll_end(cx)?, stderr.poll_end(cx)?);
            if stdout.is_ready() && stderr.is_ready() {
                Poll::Ready(io::Result::Ok(()))
            } else {
                Poll::Pending
            }
        })
        .await?;
        let status = self.wait().await?;
        Ok(Output { status, stdout: stdout.bytes, stderr: stderr.bytes })
    }
}

/// What is read from a pipe until its end.
struct Rest<P> {
    /// There until its end.
    pipe: Option<P>,
    bytes: Vec<u8>,
}

impl<P: AsyncRead + Unpin> Rest<P> {
    /// Room that there is at least for a read.
    const ROOM: usize = 4096;

    fn of(pipe: Option<P>) -> Self {
        Rest { pipe, bytes: Vec::new() }
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut filled = self.bytes.len();
        while let Some(pipe) = &mut self.pipe {
            // As much again as there is, so that long outputs take few reads.
            self.bytes.resize(filled + filled.max(Self::ROOM), 0);
            let read = Pin::new(pipe).poll_read(cx, &mut self.bytes[filled..]);
            self.bytes.truncate(filled + if let Poll::Ready(Ok(bytes)) = read { bytes } else { 0 });
            if ready!(read)? == 0 {
                self.pipe = None;
            }
            filled = self.bytes.len();
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        if self.status.is_some() {
            return;
        }
        if self.kill_on_drop {
            // If it has ended meanwhile there is nothing to kill.
            let _ = inner.kill();
        }
        orphan::adopt(inner);
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("id", &self.id()).field("status", &self.status).finish_non_exhaustive()
    }
}
