//! Reading from a socket into hyper's buffer as it is: hyper does not initialise it, and neither do we.

use crate::io::{Bytes, Evented};
use ::hyper::rt::ReadBufCursor;
use std::{
    io,
    task::{Context, Poll, ready},
};

/// Reads what there is, as much as the buffer has room for.
pub(crate) fn poll_read<S: Bytes>(
    stream: &Evented<S>,
    cx: &mut Context<'_>,
    mut cursor: ReadBufCursor<'_>,
) -> Poll<io::Result<()>> {
    // SAFETY: nothing is written to it but the bytes that the system received (`Bytes::read_uninit`), so what
    // was initialised stays so.
    let room = unsafe { cursor.as_mut() };
    let bytes = ready!(stream.poll_read_uninit(cx, room))?;
    // SAFETY: the system has written so many bytes, from the beginning of the room on (`Bytes::read_uninit`).
    unsafe { cursor.advance(bytes) };
    Poll::Ready(Ok(()))
}
