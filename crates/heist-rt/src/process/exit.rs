//! Waiting for a process to end.
//!
//! What is waited with is made for each wait, with the runtime that the thread is in then; nothing of it
//! outlives the future. The process is not reaped before, so its number is not that of another one.

use crate::signal::unix::{SignalKind, signal};
use std::{
    io,
    process::{Child, ExitStatus},
};

/// Waits until the process has ended. Nothing is lost if the future is dropped.
///
/// # Errors
/// If somebody else has reaped it, the system has nothing to wait with, or the runtime ends.
pub(super) async fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    if let Some(status) = child.try_wait()? {
        return Ok(status);
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(process) = linux::open(child)? {
        return linux::wait(child, process).await;
    }
    wait_for_signals(child).await
}

/// Looks whenever some child of the process has ended.
async fn wait_for_signals(child: &mut Child) -> io::Result<ExitStatus> {
    // From here on none is missed.
    let mut ends = signal(SignalKind::child())?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        ends.recv().await.ok_or_else(crate::driver::ended)?;
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use crate::io::{AsyncFd, Interest};
    use rustix::{
        io::Errno,
        process::{Pid, PidfdFlags, pidfd_open},
    };
    use std::{
        io,
        os::fd::OwnedFd,
        process::{Child, ExitStatus},
    };

    /// A descriptor of a process that has not been reaped. None if the kernel is too old, or a sandbox does
    /// not allow it.
    pub(super) fn open(child: &Child) -> io::Result<Option<OwnedFd>> {
        match pidfd_open(Pid::from_child(child), PidfdFlags::empty()) {
            Ok(process) => Ok(Some(process)),
            Err(Errno::NOSYS | Errno::PERM | Errno::NODEV) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// It is ready to be read when the process has ended.
    pub(super) async fn wait(child: &mut Child, process: OwnedFd) -> io::Result<ExitStatus> {
        let process = AsyncFd::with_interest(process, Interest::READABLE)?;
        let try_wait = |_: &OwnedFd| child.try_wait()?.ok_or_else(|| io::ErrorKind::WouldBlock.into());
        process.async_io(Interest::READABLE, try_wait).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn signals_are_enough_to_hear_of_the_end() {
        crate::block_on(async {
            for code in 0..20 {
                let mut child = Command::new("sh").arg("-c").arg(format!("exit {code}")).spawn().unwrap();
                assert_eq!(wait_for_signals(&mut child).await.unwrap().code(), Some(code));
            }
        });
    }

    #[test]
    fn signals_of_others_do_not_end_the_wait() {
        let start = || Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let (mut first, mut second) = (start(), start());
        crate::block_on(async {
            let waits = crate::task::spawn(async move { wait_for_signals(&mut second).await.unwrap() });
            drop(first.stdin.take());
            assert!(wait_for_signals(&mut first).await.unwrap().success());
            assert!(!waits.is_finished());
            waits.abort();
            assert!(waits.await.unwrap_err().is_cancelled());
        });
    }
}
