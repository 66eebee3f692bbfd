//! [`HeistIo`]: from the traits of `futures-io` to those of hyper, and back.

use ::hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use futures_io::{AsyncRead, AsyncWrite};
use pin_project_lite::pin_project;
use std::{
    fmt,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

/// How much is read at once: a record of TLS.
const SCRATCH: usize = 16 * 1024;

pin_project! {
    /// Gives hyper's `Read` and `Write` to what has `AsyncRead` and `AsyncWrite` of `futures-io`; and the
    /// other way round, for a connection that was upgraded.
    ///
    /// The streams of [`net`](crate::net) do not need it.
    ///
    /// ```
    /// use futures::{AsyncReadExt, io::Cursor};
    /// use heist_rt::hyper::HeistIo;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     // From `futures-io` to hyper, and back.
    ///     let mut there_and_back = HeistIo::new(HeistIo::new(Cursor::new("loot")));
    ///     let mut text = String::new();
    ///     there_and_back.read_to_string(&mut text).await?;
    ///     assert_eq!(text, "loot");
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # How it works
    /// `futures-io` reads into bytes that are initialised, and hyper's are not. So it is read into a buffer
    /// of 16 KiB, which is allocated with the first read, and copied. To hyper it says that it does not write
    /// several buffers at once, since it cannot know: hyper puts them together.
    pub struct HeistIo<T> {
        #[pin]
        io: T,
        scratch: Box<[u8]>,
    }
}

impl<T> HeistIo<T> {
    /// Wraps it.
    pub fn new(io: T) -> Self {
        HeistIo { io, scratch: Box::default() }
    }

    /// What is inside.
    pub fn inner(&self) -> &T {
        &self.io
    }

    /// What is inside.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.io
    }

    /// What is inside. Nothing that was read is lost.
    pub fn into_inner(self) -> T {
        self.io
    }
}

impl<T: fmt::Debug> fmt::Debug for HeistIo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HeistIo").field(&self.io).finish()
    }
}

impl<T: AsyncRead> Read for HeistIo<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        if this.scratch.is_empty() {
            *this.scratch = vec![0; SCRATCH].into();
        }
        let most = cursor.remaining().min(SCRATCH);
        let bytes = ready!(this.io.poll_read(cx, &mut this.scratch[..most]))?;
        cursor.put_slice(&this.scratch[..bytes]);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite> Write for HeistIo<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.project().io.poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().io.poll_write_vectored(cx, bufs)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_close(cx)
    }
}

impl<T: Read> AsyncRead for HeistIo<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(buf);
        ready!(self.project().io.poll_read(cx, buf.unfilled()))?;
        Poll::Ready(Ok(buf.filled().len()))
    }
}

impl<T: Write> AsyncWrite for HeistIo<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.project().io.poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().io.poll_write_vectored(cx, bufs)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_flush(cx)
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_shutdown(cx)
    }
}
