//! [`UCred`]: who is at the other side.

use rustix::net::sockopt::socket_peercred;
use std::{io, os::fd::AsFd};

/// A process at the other side of a [`UnixStream`](super::UnixStream), as it was when that was connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UCred {
    pid: i32,
    uid: u32,
    gid: u32,
}

impl UCred {
    pub(super) fn of(socket: impl AsFd) -> io::Result<Self> {
        let cred = socket_peercred(socket)?;
        Ok(UCred { pid: cred.pid.as_raw_nonzero().get(), uid: cred.uid.as_raw(), gid: cred.gid.as_raw() })
    }

    /// Its number, if the system tells.
    pub fn pid(&self) -> Option<i32> {
        Some(self.pid)
    }

    /// The user that it runs as.
    pub fn uid(&self) -> u32 {
        self.uid
    }

    /// The group that it runs as.
    pub fn gid(&self) -> u32 {
        self.gid
    }
}
