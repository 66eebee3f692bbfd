//! TCP as it should be: connecting, reading, writing, waiting, splitting.

mod common;

use common::{Count, watchdog, with_runtime};
use futures::{
    AsyncReadExt, AsyncWriteExt, FutureExt, StreamExt,
    future::{join, join_all, poll_fn},
};
use heist_rt::{
    io::{Interest, Ready},
    net::{TcpListener, TcpSocket, TcpStream, tcp},
    task,
};
use std::{
    future::Future,
    io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write},
    sync::Arc,
    task::Poll,
};

/// Runs a test as the future that a runtime of two workers blocks on.
fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (client, server) = join(TcpStream::connect(listener.local_addr()?), listener.accept()).await;
    Ok((client?, server?.0))
}

/// Polls once.
async fn is_pending(future: impl Future + Unpin) -> bool {
    let mut future = future;
    poll_fn(|cx| Poll::Ready(future.poll_unpin(cx).is_pending())).await
}

/// Sockets may be sent, and so may what awaits them.
const _: fn() = || {
    fn may_be_sent<T: Send + Sync>(_: impl FnOnce() -> T) {}
    fn future_may_be_sent<F: Future + Send>(_: impl FnOnce() -> F) {}

    may_be_sent(|| -> (TcpListener, TcpStream, TcpSocket, heist_rt::net::UdpSocket) { unreachable!() });
    may_be_sent(|| -> (tcp::OwnedReadHalf, tcp::OwnedWriteHalf) { unreachable!() });
    future_may_be_sent(|| TcpStream::connect("localhost:80"));
    future_may_be_sent(|| TcpListener::bind(("localhost".to_owned(), 80)));
    future_may_be_sent(pair);
};

#[test]
fn a_client_and_a_server_know_each_other() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (client, accepted) = join(TcpStream::connect(listener.local_addr()?), listener.accept()).await;
        let (client, (server, address)) = (client?, accepted?);
        assert_eq!(address, client.local_addr()?);
        assert_eq!(client.peer_addr()?, server.local_addr()?);
        assert_eq!(server.peer_addr()?, client.local_addr()?);
        assert!(client.take_error()?.is_none());
        Ok(())
    });
}

#[test]
fn what_is_echoed_comes_back() {
    run(|| async {
        let (mut client, server) = pair().await?;
        let echo = task::spawn(async move { futures::io::copy(&server, &mut &server).await });
        for size in [1, 10, 1_000, 100_000] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let mut back = vec![0; size];
            let (mut reader, mut writer) = TcpStream::split(&mut client);
            let (written, read) = join(writer.write_all(&bytes), reader.read_exact(&mut back)).await;
            written?;
            read?;
            assert_eq!(back, bytes);
        }
        client.close().await?;
        assert_eq!(client.read(&mut [0; 8]).await?, 0);
        assert_eq!(echo.await??, 101_011);
        Ok(())
    });
}

#[test]
fn the_first_address_that_answers_is_taken() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let open = listener.local_addr()?;
        let closed = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
        let stream = TcpStream::connect(&[closed, open][..]).await?;
        assert_eq!(stream.peer_addr()?, open);
        let error = TcpStream::connect(&[][..]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let stream = TcpStream::connect(("localhost".to_owned(), open.port())).await?;
        assert_eq!(stream.peer_addr()?, open);
        Ok(())
    });
}

#[test]
fn a_name_is_looked_up_and_an_address_taken_as_it_is() {
    run(|| async {
        let addresses: Vec<_> = heist_rt::net::lookup_host("localhost:8").await?.collect();
        assert!(addresses.iter().all(|address| address.ip().is_loopback() && address.port() == 8));
        assert!(!addresses.is_empty());
        let addresses: Vec<_> = heist_rt::net::lookup_host(("::1", 9)).await?.collect();
        assert_eq!(addresses, ["[::1]:9".parse().unwrap()]);
        assert!(heist_rt::net::lookup_host("no port").await.is_err());
        Ok(())
    });
}

#[test]
fn nothing_is_lost_by_an_accept_that_gives_up() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        for _ in 0..10 {
            assert!(is_pending(Box::pin(listener.accept())).await);
            let client = TcpStream::connect(listener.local_addr()?).await?;
            let (_, address) = listener.accept().await?;
            assert_eq!(address, client.local_addr()?);
        }
        Ok(())
    });
}

#[test]
fn several_tasks_accept_from_one_listener() {
    run(|| async {
        const ALL: usize = 50;
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await?);
        let address = listener.local_addr()?;
        let count = Count::default();
        let done = Arc::new(tokio::sync::Notify::new());
        let tasks: Vec<_> = (0..5)
            .map(|_| {
                let (listener, count, done) = (listener.clone(), count.clone(), done.clone());
                task::spawn(async move {
                    loop {
                        listener.accept().await.unwrap();
                        count.add();
                        done.notify_one();
                    }
                })
            })
            .collect();
        let clients = join_all((0..ALL).map(|_| TcpStream::connect(address))).await;
        assert!(clients.iter().all(Result::is_ok));
        while count.get() < ALL {
            done.notified().await;
        }
        tasks.iter().for_each(|task| task.abort());
        Ok(())
    });
}

#[test]
fn connections_are_a_stream() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let clients = task::spawn(async move {
            join_all(
                (0..3u8).map(|i| async move { TcpStream::connect(address).await?.write_all(&[i]).await }),
            )
            .await
        });
        let mut seen = Vec::new();
        let mut incoming = listener.incoming().take(3);
        while let Some(stream) = incoming.next().await {
            let mut byte = [0];
            stream?.read_exact(&mut byte).await?;
            seen.extend(byte);
        }
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2]);
        assert!(clients.await?.iter().all(Result::is_ok));
        Ok(())
    });
}

#[test]
fn peeking_takes_nothing_out() {
    run(|| async {
        let (mut client, mut server) = pair().await?;
        server.write_all(b"abc").await?;
        let mut buf = [0; 8];
        assert_eq!(client.peek(&mut buf).await?, 3);
        assert_eq!(poll_fn(|cx| client.poll_peek(cx, &mut buf[..2])).await?, 2);
        let (mut reader, _) = TcpStream::split(&mut client);
        assert_eq!(reader.peek(&mut buf).await?, 3);
        assert_eq!(client.read(&mut buf).await?, 3);
        assert_eq!(&buf[..3], b"abc");
        Ok(())
    });
}

#[test]
fn trying_does_not_wait() {
    run(|| async {
        let (client, server) = pair().await?;
        client.writable().await?;
        let error = client.try_read(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        server.writable().await?;
        assert_eq!(server.try_write(b"hello")?, 5);
        client.readable().await?;
        let mut buf = [0; 8];
        assert_eq!(client.try_read(&mut buf)?, 5);
        assert_eq!(client.try_read(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(server.try_write_vectored(&[IoSlice::new(b"ab"), IoSlice::new(b"cd")])?, 4);
        client.readable().await?;
        let (mut left, mut right) = ([0; 3], [0; 3]);
        let mut bufs = [IoSliceMut::new(&mut left), IoSliceMut::new(&mut right)];
        assert_eq!(client.try_read_vectored(&mut bufs)?, 4);
        assert_eq!((&left, &right), (b"abc", b"d\0\0"));
        Ok(())
    });
}

#[test]
fn trying_fills_the_buffers_and_then_waits_for_room() {
    run(|| async {
        let (client, server) = pair().await?;
        client.writable().await?;
        let (chunk, mut sent) = (vec![1; 64 << 10], 0);
        loop {
            match client.try_write(&chunk) {
                Ok(bytes) => sent += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        assert!(is_pending(Box::pin(client.writable())).await);
        let reads = task::spawn(async move {
            let mut received = 0;
            while received < sent {
                received += (&server).read(&mut vec![0; 64 << 10]).await?;
            }
            io::Result::Ok((received, server))
        });
        client.writable().await?;
        assert!(client.try_write(b"x")? == 1);
        let (received, _server) = reads.await??;
        assert!(received == sent || received == sent + 1);
        Ok(())
    });
}

#[test]
fn a_closure_can_be_tried() {
    run(|| async {
        let (client, mut server) = pair().await?;
        let not_ready = client.try_io(Interest::READABLE, || -> io::Result<()> { panic!("it is not ready") });
        assert_eq!(not_ready.unwrap_err().kind(), ErrorKind::WouldBlock);
        server.write_all(b"a").await?;
        client.readable().await?;
        // Whoever says that it would block is believed, until something new happens.
        let would_block = || -> io::Result<()> { Err(ErrorKind::WouldBlock.into()) };
        assert_eq!(client.try_io(Interest::READABLE, would_block).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert!(is_pending(Box::pin(client.readable())).await);
        server.write_all(b"b").await?;
        client.readable().await?;
        let socket = socket2::SockRef::from(&client).try_clone()?;
        let mut buf = [0; 8];
        let read = client.async_io(Interest::READABLE, || (&socket).read(&mut buf)).await?;
        assert_eq!(&buf[..read], b"ab");
        Ok(())
    });
}

#[test]
fn it_says_what_it_is_ready_for() {
    run(|| async {
        let (client, mut server) = pair().await?;
        assert_eq!(client.ready(Interest::WRITABLE).await?, Ready::WRITABLE);
        server.write_all(b"a").await?;
        assert_eq!(client.ready(Interest::READABLE).await?, Ready::READABLE);
        drop(server);
        client.try_read(&mut [0; 1])?;
        // There is more to come: the end. It stays, however often it is read.
        for _ in 0..3 {
            while !client.ready(Interest::READABLE).await?.is_read_closed() {
                task::yield_now().await;
            }
            assert_eq!(client.try_read(&mut [0; 1])?, 0);
        }
        Ok(())
    });
}

#[test]
fn options_are_kept() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        listener.set_ttl(99)?;
        assert_eq!(listener.ttl()?, 99);
        let stream = TcpStream::connect(listener.local_addr()?).await?;
        for on in [true, false] {
            stream.set_nodelay(on)?;
            assert_eq!(stream.nodelay()?, on);
        }
        stream.set_ttl(77)?;
        assert_eq!(stream.ttl()?, 77);
        assert_eq!(stream.linger()?, None);
        stream.set_zero_linger()?;
        assert_eq!(stream.linger()?, Some(std::time::Duration::ZERO));
        Ok(())
    });
}

#[test]
fn a_socket_is_set_up_before_it_listens_or_connects() {
    run(|| async {
        let server = TcpSocket::new_v4()?;
        server.set_reuseaddr(true)?;
        server.set_reuseport(true)?;
        server.set_keepalive(true)?;
        assert!(server.reuseaddr()? && server.reuseport()? && server.keepalive()?);
        server.bind("127.0.0.1:0".parse().unwrap())?;
        let address = server.local_addr()?;
        let second = TcpSocket::new_v4()?;
        second.set_reuseport(true)?;
        second.bind(address)?;
        let listener = server.listen(8)?;
        assert_eq!(listener.local_addr()?, address);

        let client = TcpSocket::new_v4()?;
        client.set_send_buffer_size(32 << 10)?;
        client.set_recv_buffer_size(32 << 10)?;
        assert!(client.send_buffer_size()? >= 32 << 10 && client.recv_buffer_size()? >= 32 << 10);
        client.set_nodelay(true)?;
        client.bind("127.0.0.1:0".parse().unwrap())?;
        let from = client.local_addr()?;
        let (stream, accepted) = join(client.connect(address), listener.accept()).await;
        assert!(stream?.nodelay()?);
        assert_eq!(accepted?.1, from);
        assert!(TcpSocket::new_v6()?.take_error()?.is_none());
        Ok(())
    });
}

#[test]
fn it_comes_from_the_standard_library_and_goes_back() {
    run(|| async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let client = std::net::TcpStream::connect(listener.local_addr()?)?;
        client.set_nonblocking(true)?;
        let mut client = TcpStream::try_from(client)?;
        let (server, _) = listener.accept().await?;
        client.write_all(b"hello").await?;
        server.readable().await?;

        let (mut client, mut server) = (client.into_std()?, server.into_std()?);
        let mut buf = [0; 8];
        assert_eq!(server.read(&mut buf)?, 5);
        server.set_nonblocking(false)?;
        client.write_all(b"again")?;
        assert_eq!(server.read(&mut buf)?, 5);
        // And once more: it was deregistered.
        server.set_nonblocking(true)?;
        let mut server = TcpStream::from_std(server)?;
        drop(client);
        assert_eq!(server.read(&mut buf).await?, 0);
        let listener = listener.into_std()?;
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        Ok(())
    });
}

#[test]
fn halves_are_used_by_two_tasks() {
    run(|| async {
        let (client, server) = pair().await?;
        let (mut client_reads, mut client_writes) = client.into_split();
        let (mut server_reads, mut server_writes) = server.into_split();
        assert_eq!(client_reads.peer_addr()?, server_writes.local_addr()?);
        const BYTES: usize = 3 << 20;
        let sends = task::spawn(async move {
            client_writes.write_all(&vec![7; BYTES]).await?;
            io::Result::Ok(client_writes)
        });
        let echoes = task::spawn(async move {
            let copied = futures::io::copy(&mut server_reads, &mut server_writes).await?;
            // The half that writes is dropped, and the client reads the end.
            io::Result::Ok((copied, server_reads))
        });
        let receives = task::spawn(async move {
            let mut all = Vec::new();
            client_reads.read_to_end(&mut all).await?;
            io::Result::Ok((all, client_reads))
        });
        let mut client_writes = sends.await??;
        client_writes.close().await?;
        let (copied, _server_reads) = echoes.await??;
        let (all, client_reads) = receives.await??;
        assert_eq!((copied, all.len()), (BYTES as u64, BYTES));
        assert!(all.iter().all(|&byte| byte == 7));
        client_reads.reunite(client_writes).unwrap();
        Ok(())
    });
}

#[test]
fn halves_are_put_together_only_if_they_belong_together() {
    run(|| async {
        let (first, mut peer) = pair().await?;
        let (second, _other) = pair().await?;
        let (first_reads, first_writes) = first.into_split();
        let (second_reads, second_writes) = second.into_split();
        let error = first_reads.reunite(second_writes).unwrap_err();
        assert!(error.to_string().contains("different"));
        let (first_reads, second_writes) = (error.0, error.1);
        second_writes.reunite(second_reads).unwrap();
        let mut first = first_reads.reunite(first_writes).unwrap();
        // Nothing was shut down on the way.
        first.write_all(b"still there").await?;
        let mut buf = [0; 11];
        peer.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"still there");
        // A half that is forgotten shuts nothing down either.
        let (mut reads, writes) = first.into_split();
        writes.forget();
        assert!(is_pending(peer.read(&mut buf)).await);
        peer.write_all(b"x").await?;
        assert_eq!(reads.read(&mut buf).await?, 1);
        drop(reads);
        assert_eq!(peer.read(&mut buf).await?, 0);
        Ok(())
    });
}

#[test]
fn buffers_of_a_list_are_read_and_written() {
    run(|| async {
        let (mut client, mut server) = pair().await?;
        let parts = [IoSlice::new(b"one"), IoSlice::new(b""), IoSlice::new(b"two")];
        assert_eq!(client.write_vectored(&parts).await?, 6);
        server.readable().await?;
        let (mut left, mut right) = ([0; 4], [0; 4]);
        let mut bufs = [IoSliceMut::new(&mut left), IoSliceMut::new(&mut right)];
        assert_eq!(server.read_vectored(&mut bufs).await?, 6);
        assert_eq!((&left, &right), (b"onet", b"wo\0\0"));
        // More buffers than the system takes at once.
        let many = vec![IoSlice::new(b"x"); 5_000];
        let mut sent = 0;
        while sent < many.len() {
            sent += client.write_vectored(&many[sent..]).await?;
        }
        server.read_exact(&mut vec![0; 5_000]).await?;
        Ok(())
    });
}

#[test]
fn an_empty_buffer_is_nothing_to_do() {
    run(|| async {
        let (mut client, mut server) = pair().await?;
        assert_eq!(client.write(&[]).await?, 0);
        server.write_all(b"a").await?;
        client.readable().await?;
        assert_eq!(client.read(&mut []).await?, 0);
        assert_eq!(client.read(&mut [0; 4]).await?, 1);
        Ok(())
    });
}

#[test]
fn sockets_of_the_global_runtime_work_from_a_thread_outside() {
    watchdog(|| {
        // Made on a thread that is in no runtime, and awaited by an executor that knows nothing of ours.
        futures::executor::block_on(async {
            let (mut client, mut server) = pair().await.unwrap();
            client.write_all(b"hello").await.unwrap();
            let mut buf = [0; 5];
            server.read_exact(&mut buf).await.unwrap();
            assert_eq!(&buf, b"hello");
        });
    });
}
