//! What can go wrong with time.

use std::{error::Error, fmt, io};

/// The time of a [`timeout`](super::timeout()) was over before its future was ready.
///
/// ```
/// use heist_rt::time::{Duration, timeout};
/// use std::{future, io};
///
/// let timeout = timeout(Duration::from_millis(1), future::pending::<()>());
/// let elapsed = heist_rt::block_on(timeout).unwrap_err();
/// assert_eq!(io::Error::from(elapsed).kind(), io::ErrorKind::TimedOut);
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Elapsed(pub(super) ());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the deadline has passed")
    }
}

impl Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(_: Elapsed) -> Self {
        io::ErrorKind::TimedOut.into()
    }
}
