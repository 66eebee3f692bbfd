//! Other programs: a [`Command`] starts one, as that of the standard library does, and its [`Child`] can be
//! awaited, written to and read from. On Unix only, so far.
//!
//! Names and meaning are Tokio's.
//!
//! ```
//! use heist_rt::process::Command;
//!
//! # fn main() -> std::io::Result<()> {
//! heist_rt::block_on(async {
//!     let output = Command::new("echo").arg("hello").output().await?;
//!     assert!(output.status.success());
//!     assert_eq!(output.stdout, b"hello\n");
//!     Ok(())
//! })
//! # }
//! ```
//!
//! # How it waits
//! On Linux a process that is waited for has a descriptor (`pidfd`), which is registered with the runtime as
//! a socket is. Where there is none (other systems, Linux before 5.3) whoever waits listens for `SIGCHLD`
//! and then asks for its own child. No thread waits for processes, and nobody else's children are touched.
//!
//! # What is not waited for
//! A process that has ended stays in the system's table until its parent asks how. If a [`Child`] is dropped
//! before that, a task of the current runtime asks, the global one's outside of any, or if that runtime
//! ends. The process itself goes on, unless [`kill_on_drop`](Command::kill_on_drop) says otherwise.

mod child;
mod command;
mod exit;
mod orphan;
mod pipes;

pub use {
    child::Child,
    command::Command,
    pipes::{ChildStderr, ChildStdin, ChildStdout},
};
