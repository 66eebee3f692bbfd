//! Signals of Unix: [`signal`] makes a listener for one of a [kind](SignalKind).
//!
//! Each listener has a pipe. The handler of the signal writes a byte into the pipe of everyone who listens;
//! the other end is registered with a runtime, as a socket is. No thread waits for signals, listeners know
//! nothing of each other, and it does not matter which runtimes they belong to.
//!
//! # Invariants
//! I1 In a handler there is nothing but a call to the system: no lock, no memory, no panic.
//! I2 Neither end of a pipe ever blocks. A pipe that is full says already that there was a signal.
//! I3 The end that is written to is closed only when no handler will use it any more.

use crate::io::{Evented, Interest};
use futures_core::Stream;
use mio::unix::pipe;
use rustix::process::Signal as Number;
use signal_hook_registry::{FORBIDDEN, SigId};
use std::{
    fmt,
    future::poll_fn,
    io::{self, Read},
    pin::Pin,
    task::{Context, Poll},
};

/// A kind of signal.
///
/// ```
/// use heist_rt::signal::unix::SignalKind;
///
/// assert_eq!(SignalKind::from_raw(2), SignalKind::interrupt());
/// assert_eq!(SignalKind::terminate().as_raw_value(), 15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignalKind(i32);

impl SignalKind {
    /// That with this number.
    pub const fn from_raw(number: i32) -> Self {
        SignalKind(number)
    }

    /// Its number.
    pub const fn as_raw_value(&self) -> i32 {
        self.0
    }

    const fn of(signal: Number) -> Self {
        SignalKind(signal.as_raw())
    }

    /// `SIGALRM`: a timer of the process. Ends it unless somebody listens.
    pub const fn alarm() -> Self {
        Self::of(Number::ALARM)
    }

    /// `SIGCHLD`: a child has ended, or was stopped.
    pub const fn child() -> Self {
        Self::of(Number::CHILD)
    }

    /// `SIGHUP`: the terminal is gone; or, by custom, read your configuration again. Ends the process unless
    /// somebody listens.
    pub const fn hangup() -> Self {
        Self::of(Number::HUP)
    }

    /// `SIGINFO`: somebody asks at the terminal how far it is.
    #[cfg(any(
        target_os = "dragonfly",
        target_os = "freebsd",
        target_os = "macos",
        target_os = "netbsd",
        target_os = "openbsd"
    ))]
    pub const fn info() -> Self {
        Self::of(Number::INFO)
    }

    /// `SIGINT`: Ctrl-C. Ends the process unless somebody listens.
    pub const fn interrupt() -> Self {
        Self::of(Number::INT)
    }

    /// `SIGIO`: a descriptor is ready that was told to say so.
    pub const fn io() -> Self {
        Self::of(Number::IO)
    }

    /// `SIGPIPE`: a write to what nobody reads. Rust programs ignore it unless somebody listens.
    pub const fn pipe() -> Self {
        Self::of(Number::PIPE)
    }

    /// `SIGQUIT`: end, and leave a core behind. Does that unless somebody listens.
    pub const fn quit() -> Self {
        Self::of(Number::QUIT)
    }

    /// `SIGTERM`: please end. Ends the process unless somebody listens.
    pub const fn terminate() -> Self {
        Self::of(Number::TERM)
    }

    /// `SIGUSR1`: whatever the program says. Ends the process unless somebody listens.
    pub const fn user_defined1() -> Self {
        Self::of(Number::USR1)
    }

    /// `SIGUSR2`: whatever the program says. Ends the process unless somebody listens.
    pub const fn user_defined2() -> Self {
        Self::of(Number::USR2)
    }

    /// `SIGWINCH`: the terminal's window has another size.
    pub const fn window_change() -> Self {
        Self::of(Number::WINCH)
    }
}

impl From<i32> for SignalKind {
    fn from(number: i32) -> Self {
        Self::from_raw(number)
    }
}

impl From<SignalKind> for i32 {
    fn from(kind: SignalKind) -> i32 {
        kind.0
    }
}

/// Listens for signals of a kind, from now on.
///
/// What the system would do by itself at such a signal, end the process for example, it does not do any more
/// from the first call on, not even after the last listener is dropped.
///
/// ```no_run
/// use heist_rt::signal::unix::{SignalKind, signal};
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut hangups = signal(SignalKind::hangup())?;
///     while hangups.recv().await.is_some() {
///         println!("reading the configuration again");
///     }
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is no such signal, or one cannot listen for it (`SIGKILL`, `SIGSTOP`, `SIGILL`, `SIGFPE`,
/// `SIGSEGV`); if the system refuses; or if the runtime has ended.
pub fn signal(kind: SignalKind) -> io::Result<Signal> {
    let SignalKind(number) = kind;
    if number <= 0 || FORBIDDEN.contains(&number) {
        let text = format!("one cannot listen for signal {number}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let (notes, heard) = pipe::new()?;
    let heard = Evented::with_interest(heard, Interest::READABLE)?;
    let note = move || {
        // If it is full the listener has enough to read (I2); and nobody reads what has no listener.
        let _ = rustix::io::write(&notes, &[0]);
    };
    // SAFETY: all that it does is to write to a descriptor that is open (I3), which is allowed in a handler
    // (I1). The registry keeps the thread's error number as it was.
    let handler = unsafe { signal_hook_registry::register(number, note)? };
    Ok(Signal { kind, heard, handler })
}

/// Listens for signals of one kind; made by [`signal()`].
///
/// It hears of every signal that comes after it was made, at least once. Several that come before it is asked
/// may be heard as one, as in the system itself: a signal says that something happened, not how often.
///
/// ```
/// use heist_rt::signal::unix::{SignalKind, signal};
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let mut listener = signal(SignalKind::user_defined1())?;
///     rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::USR1)?;
///     assert_eq!(listener.recv().await, Some(()));
///     Ok(())
/// })
/// # }
/// ```
#[must_use = "who does not ask hears nothing"]
pub struct Signal {
    kind: SignalKind,
    heard: Evented<pipe::Receiver>,
    handler: SigId,
}

impl Signal {
    /// Waits for the next signal. `None` when the runtime that it belongs to has ended.
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn recv(&mut self) -> Option<()> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// As [`recv`](Self::recv). The last one who polled is woken.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        // Nobody closes the other end, so it fails only if the runtime has ended.
        self.heard.poll_in(cx, empty).map(Result::ok)
    }
}

/// Takes all that is in a pipe. Fails with [`WouldBlock`](io::ErrorKind::WouldBlock) if there is nothing.
fn empty(mut pipe: &pipe::Receiver) -> io::Result<()> {
    let mut buf = [0; 256];
    let mut read = pipe.read(&mut buf)?;
    while read == buf.len() {
        read = pipe.read(&mut buf).unwrap_or(0);
    }
    Ok(())
}

impl Stream for Signal {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.poll_recv(cx)
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // Waits for handlers that are running, and drops ours with its end of the pipe (I3).
        signal_hook_registry::unregister(self.handler);
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signal").field(&self.kind).finish()
    }
}
