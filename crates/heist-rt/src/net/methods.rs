//! The methods that sockets of different families have in common, once for streams and once for datagrams.
//!
//! For an `impl` whose type has its socket in a field `io`, an [`Evented`](crate::io::Evented), in a file
//! where `SocketAddr` is the address of its family.

/// Of every socket.
macro_rules! io_methods {
    () => {
        /// Tries something with the socket, if it is ready for it. If `f` fails with
        /// [`WouldBlock`](io::ErrorKind::WouldBlock), it is not ready any more.
        ///
        /// # Errors
        /// That of `f`; [`WouldBlock`](io::ErrorKind::WouldBlock) if it is not ready.
        pub fn try_io<R>(&self, interest: Interest, f: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
            self.io.try_io(interest, |io| io.try_io(f))
        }

        /// Tries something with the socket whenever it is ready for it, until that does not fail with
        /// [`WouldBlock`](io::ErrorKind::WouldBlock).
        ///
        /// # Errors
        /// That of `f`.
        pub async fn async_io<R>(
            &self,
            interest: Interest,
            mut f: impl FnMut() -> io::Result<R>,
        ) -> io::Result<R> {
            self.io.async_io(interest, |io| io.try_io(&mut f)).await
        }
    };
}

/// An example for `ready` comes with it, or not.
macro_rules! stream_methods {
    ($(#[$example:meta])*) => {
        /// Where it is bound to.
        ///
        /// # Errors
        /// If the system says so.
        pub fn local_addr(&self) -> io::Result<SocketAddr> {
            self.io.local_addr()
        }

        /// Where it is connected to.
        ///
        /// # Errors
        /// If it is not any more.
        pub fn peer_addr(&self) -> io::Result<SocketAddr> {
            self.io.peer_addr()
        }

        /// What has gone wrong since the last call.
        ///
        /// # Errors
        /// If the system cannot say.
        pub fn take_error(&self) -> io::Result<Option<io::Error>> {
            self.io.take_error()
        }

        /// Waits until it is ready for something of `interest`, and says for what.
        ///
        /// It may turn out not to be so. Nothing is lost if the future is dropped.
        ///
        $(#[$example])*
        /// # Errors
        /// If the runtime has ended.
        pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
            self.io.ready(interest).await
        }

        /// Waits until there is something to read, or the end of it. For any number of tasks.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub async fn readable(&self) -> io::Result<()> {
            self.io.readable().await
        }

        /// As [`readable`](Self::readable). The last one who polled for reading is woken.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.io.poll_read_ready(cx)
        }

        /// Waits until there is room to write, or the other side takes no more. For any number of tasks.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub async fn writable(&self) -> io::Result<()> {
            self.io.writable().await
        }

        /// As [`writable`](Self::writable). The last one who polled for writing is woken.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.io.poll_write_ready(cx)
        }

        /// Reads what there is. Zero is the end.
        ///
        /// # Errors
        /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is nothing; or if the system says so.
        pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
            self.io.try_read(buf)
        }

        /// Reads what there is, into several buffers.
        ///
        /// # Errors
        /// As [`try_read`](Self::try_read).
        pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
            self.io.try_read_vectored(bufs)
        }

        /// Writes as much as there is room for.
        ///
        /// # Errors
        /// With [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none; or if the system says so.
        pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
            self.io.try_write(buf)
        }

        /// Writes as much as there is room for, out of several buffers.
        ///
        /// # Errors
        /// As [`try_write`](Self::try_write).
        pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
            self.io.try_write_vectored(bufs)
        }

        $crate::net::methods::io_methods! {}
    };
}

macro_rules! datagram_methods {
    () => {
        /// Waits until it is ready for something of `interest`, and says for what. It may turn out not to be
        /// so.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
            self.io.ready(interest).await
        }

        /// Waits until there is something to receive. For any number of tasks.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub async fn readable(&self) -> io::Result<()> {
            self.io.readable().await
        }

        /// Waits until there is room to send. For any number of tasks.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub async fn writable(&self) -> io::Result<()> {
            self.io.writable().await
        }

        /// As [`readable`](Self::readable). The last one who polled for receiving is woken.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub fn poll_recv_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.io.poll_read_ready(cx)
        }

        /// As [`writable`](Self::writable). The last one who polled for sending is woken.
        ///
        /// # Errors
        /// If the runtime has ended.
        pub fn poll_send_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.io.poll_write_ready(cx)
        }

        $crate::net::methods::io_methods! {}

        /// What has gone wrong since the last call.
        ///
        /// # Errors
        /// If the system cannot say.
        pub fn take_error(&self) -> io::Result<Option<io::Error>> {
            self.io.take_error()
        }

        /// Sends a datagram to the one that it is connected to.
        ///
        /// # Errors
        /// If it is not connected, or the system says so.
        pub async fn send(&self, buf: &[u8]) -> io::Result<usize> {
            self.io.write_with(|io| io.send(buf)).await
        }

        /// As [`send`](Self::send). The last one who polled for sending is woken.
        ///
        /// # Errors
        /// As [`send`](Self::send).
        pub fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            self.io.poll_out(cx, |io| io.send(buf))
        }

        /// As [`send`](Self::send), if there is room.
        ///
        /// # Errors
        /// As [`send`](Self::send); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is no room.
        pub fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
            self.io.try_out(|io| io.send(buf))
        }

        /// Receives a datagram. What does not fit into the buffer is lost.
        ///
        /// # Errors
        /// If the system says so.
        pub async fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
            self.io.read_with(|io| io.recv(buf)).await
        }

        /// As [`recv`](Self::recv). The last one who polled for receiving is woken.
        ///
        /// # Errors
        /// As [`recv`](Self::recv).
        pub fn poll_recv(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
            self.io.poll_in(cx, |io| io.recv(buf))
        }

        /// As [`recv`](Self::recv), if there is one.
        ///
        /// # Errors
        /// As [`recv`](Self::recv); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none.
        pub fn try_recv(&self, buf: &mut [u8]) -> io::Result<usize> {
            self.io.try_in(|io| io.recv(buf))
        }

        /// Receives a datagram, and says from whom. What does not fit into the buffer is lost.
        ///
        /// # Errors
        /// If the system says so.
        pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
            self.io.read_with(|io| io.recv_from(buf)).await
        }

        /// As [`recv_from`](Self::recv_from). The last one who polled for receiving is woken.
        ///
        /// # Errors
        /// As [`recv_from`](Self::recv_from).
        pub fn poll_recv_from(
            &self,
            cx: &mut Context<'_>,
            buf: &mut [u8],
        ) -> Poll<io::Result<(usize, SocketAddr)>> {
            self.io.poll_in(cx, |io| io.recv_from(buf))
        }

        /// As [`recv_from`](Self::recv_from), if there is one.
        ///
        /// # Errors
        /// As [`recv_from`](Self::recv_from); [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none.
        pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
            self.io.try_in(|io| io.recv_from(buf))
        }
    };
}

pub(in crate::net) use {datagram_methods, io_methods, stream_methods};
