//! Signals of the system: [`ctrl_c`], and on Unix [any other](unix). There are none yet on other systems.
//!
//! Names and meaning are Tokio's. A listener belongs to the runtime that the thread is in when it is made,
//! the global one outside of any, and hears of signals as long as that is there.

pub mod unix;

use crate::driver;
use std::io;
use unix::{SignalKind, signal};

/// Waits until somebody presses Ctrl-C, or sends `SIGINT` in another way.
///
/// From the first poll on the signal does not end the process any more, also not after this future is done or
/// dropped: whoever calls this once has to go on doing so, or to end the process.
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     println!("press Ctrl-C");
///     heist_rt::signal::ctrl_c().await?;
///     println!("good bye");
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If the system refuses to be listened to, or the runtime ends meanwhile.
pub async fn ctrl_c() -> io::Result<()> {
    signal(SignalKind::interrupt())?.recv().await.ok_or_else(driver::ended)
}
