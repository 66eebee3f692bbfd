//! Sockets of Unix: streams, listeners and datagrams.

#![cfg(unix)]

mod common;

use common::{Count, with_runtime};
use futures::{
    AsyncReadExt, AsyncWriteExt, StreamExt,
    future::{join, poll_fn},
};
use heist_rt::{
    io::{Interest, Ready},
    net::{UnixDatagram, UnixListener, UnixStream},
    task,
};
use std::{
    env, fs,
    future::Future,
    io::{self, ErrorKind, IoSlice, IoSliceMut},
    net::Shutdown,
    path::{Path, PathBuf},
    process,
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

/// A directory for sockets, removed in the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("heist-uds-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Directory(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

async fn connected(path: &Path) -> io::Result<(UnixStream, UnixStream)> {
    let listener = UnixListener::bind(path)?;
    let (client, server) = join(UnixStream::connect(path), listener.accept()).await;
    Ok((client?, server?.0))
}

#[test]
fn a_client_and_a_server_meet_at_a_path() {
    run(|| async {
        let directory = Directory::new("meet");
        let path = directory.path("socket");
        let (mut client, mut server) = connected(&path).await?;
        assert_eq!(client.peer_addr()?.as_pathname(), Some(&*path));
        assert_eq!(server.local_addr()?.as_pathname(), Some(&*path));
        assert!(client.local_addr()?.is_unnamed());
        client.write_all(b"hello").await?;
        client.close().await?;
        let mut text = String::new();
        server.read_to_string(&mut text).await?;
        assert_eq!(text, "hello");
        assert!(client.take_error()?.is_none());
        Ok(())
    });
}

#[test]
fn nobody_at_the_path_is_an_error() {
    run(|| async {
        let directory = Directory::new("nobody");
        let path = directory.path("socket");
        assert_eq!(UnixStream::connect(&path).await.unwrap_err().kind(), ErrorKind::NotFound);
        let listener = UnixListener::bind(&path)?;
        assert_eq!(UnixListener::bind(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
        assert!(listener.take_error()?.is_none());
        drop(listener);
        // The path is there still, but nobody listens.
        assert_eq!(UnixStream::connect(&path).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
        Ok(())
    });
}

#[test]
fn connections_are_a_stream() {
    run(|| async {
        let directory = Directory::new("stream");
        let path = directory.path("socket");
        let listener = UnixListener::bind(&path)?;
        let clients = task::spawn(async move {
            let mut clients = Vec::new();
            for _ in 0..5 {
                clients.push(UnixStream::connect(&path).await?);
            }
            io::Result::Ok(clients)
        });
        let servers: Vec<_> = listener.incoming().take(5).collect().await;
        assert!(servers.iter().all(Result::is_ok));
        assert_eq!(clients.await??.len(), 5);
        let (accepted, listener) = (listener.accept(), &listener);
        drop(accepted);
        assert_eq!(listener.local_addr()?.as_pathname(), Some(&*directory.path("socket")));
        Ok(())
    });
}

#[test]
fn a_pair_is_connected() {
    run(|| async {
        let (mut left, mut right) = UnixStream::pair()?;
        let (written, read) = join(left.write_all(b"to the right"), async {
            let mut buf = [0; 12];
            right.read_exact(&mut buf).await?;
            io::Result::Ok(buf)
        })
        .await;
        written?;
        assert_eq!(&read?, b"to the right");
        drop(left);
        assert_eq!(right.read(&mut [0; 8]).await?, 0);
        assert_eq!(right.write(b"x").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        while !right.ready(Interest::READABLE).await?.is_read_closed() {
            task::yield_now().await;
        }
        Ok(())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn it_is_known_who_is_at_the_other_side() {
    run(|| async {
        let (left, _right) = UnixStream::pair()?;
        let cred = left.peer_cred()?;
        assert_eq!(cred.pid(), Some(process::id() as i32));
        assert_eq!(cred.uid(), rustix::process::geteuid().as_raw());
        assert_eq!(cred.gid(), rustix::process::getegid().as_raw());
        Ok(())
    });
}

#[test]
fn trying_does_not_wait() {
    run(|| async {
        let (left, right) = UnixStream::pair()?;
        assert_eq!(left.ready(Interest::READABLE | Interest::WRITABLE).await?, Ready::WRITABLE);
        let mut buf = [0; 8];
        assert_eq!(left.try_read(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        right.writable().await?;
        assert_eq!(right.try_write_vectored(&[IoSlice::new(b"ab"), IoSlice::new(b"c")])?, 3);
        left.readable().await?;
        let mut bufs = [IoSliceMut::new(&mut buf)];
        assert_eq!(left.try_read_vectored(&mut bufs)?, 3);
        // Until it is full; then until there is room.
        let mut sent = 0;
        while let Ok(bytes) = right.try_write(&[0; 4096]) {
            sent += bytes;
        }
        assert_eq!(right.try_write(&[0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        let reads = task::spawn(async move {
            (&left).read_exact(&mut vec![0; sent]).await?;
            io::Result::Ok(left)
        });
        right.writable().await?;
        reads.await??;
        Ok(())
    });
}

#[test]
fn halves_are_used_by_two_tasks() {
    run(|| async {
        const BYTES: usize = 1 << 20;
        let (left, right) = UnixStream::pair()?;
        let echo = task::spawn(async move { futures::io::copy(&right, &mut &right).await });
        let (mut reader, mut writer) = left.into_split();
        let writes = task::spawn(async move {
            writer.write_all(&vec![3; BYTES]).await?;
            writer.close().await?;
            io::Result::Ok(writer)
        });
        let mut all = Vec::new();
        reader.read_to_end(&mut all).await?;
        assert_eq!(all.len(), BYTES);
        assert_eq!(echo.await??, BYTES as u64);
        let mut left = reader.reunite(writes.await??).unwrap();
        let (reader, writer) = UnixStream::split(&mut left);
        assert!(reader.local_addr()?.is_unnamed() && writer.peer_addr()?.is_unnamed());
        let (_, foreign) = UnixStream::pair()?.0.into_split();
        assert!(left.into_split().0.reunite(foreign).is_err());
        Ok(())
    });
}

/// Where a descriptor was sent along a read ends early, although there is more.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_that_is_sent_along_does_not_hide_what_comes_after_it() {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::os::fd::AsFd;

    run(|| async {
        for _ in 0..20 {
            let (left, mut right) = UnixStream::pair()?;
            let descriptors = [left.as_fd()];
            let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
            sendmsg(&left, &[IoSlice::new(b"with")], &mut ancillary, SendFlags::empty())?;
            sendmsg(&left, &[IoSlice::new(b"out")], &mut Default::default(), SendFlags::empty())?;
            let mut all = Vec::new();
            while all.len() < 7 {
                let mut buf = [0; 64];
                let read = right.read(&mut buf).await?;
                all.extend_from_slice(&buf[..read]);
            }
            assert_eq!(all, b"without");
        }
        Ok(())
    });
}

#[test]
fn it_comes_from_the_standard_library_and_goes_back() {
    run(|| async {
        let (left, right) = std::os::unix::net::UnixStream::pair()?;
        left.set_nonblocking(true)?;
        right.set_nonblocking(true)?;
        let (mut left, right) = (UnixStream::from_std(left)?, UnixStream::try_from(right)?);
        left.write_all(b"hello").await?;
        let mut right = right.into_std()?;
        assert_eq!(io::Read::read(&mut right, &mut [0; 8])?, 5);

        let directory = Directory::new("std");
        let listener = UnixListener::bind(directory.path("socket"))?.into_std()?;
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        let listener = UnixListener::from_std(listener)?;
        let client = UnixStream::connect(directory.path("socket")).await?;
        poll_fn(|cx| listener.poll_accept(cx)).await?;
        drop(client);
        let datagram = UnixDatagram::from_std(UnixDatagram::unbound()?.into_std()?)?;
        assert!(datagram.local_addr()?.is_unnamed());
        Ok(())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_without_a_path_works() {
    use std::os::{linux::net::SocketAddrExt, unix::net::SocketAddr};

    run(|| async {
        let address = SocketAddr::from_abstract_name(format!("heist-{}", process::id()))?;
        let listener = UnixListener::bind_addr(&address)?;
        let (client, server) = join(UnixStream::connect_addr(&address), listener.accept()).await;
        assert_eq!(client?.peer_addr()?.as_abstract_name(), address.as_abstract_name());
        server?;
        Ok(())
    });
}

#[test]
fn datagrams_go_to_a_path_and_say_from_whom() {
    run(|| async {
        let directory = Directory::new("datagrams");
        let (here, there) = (directory.path("here"), directory.path("there"));
        let (left, right) = (UnixDatagram::bind(&here)?, UnixDatagram::bind(&there)?);
        left.send_to(b"hello", &there).await?;
        let mut buf = [0; 8];
        let (bytes, from) = right.recv_from(&mut buf).await?;
        assert_eq!((bytes, from.as_pathname()), (5, Some(&*here)));
        right.connect(&here)?;
        assert_eq!(right.peer_addr()?.as_pathname(), Some(&*here));
        right.send(b"answer").await?;
        assert_eq!(left.recv(&mut buf).await?, 6);
        let nowhere = left.send_to(b"x", directory.path("nowhere")).await.unwrap_err();
        assert_eq!(nowhere.kind(), ErrorKind::NotFound);
        left.writable().await?;
        assert_eq!(left.try_send_to(b"x", &there)?, 1);
        let (bytes, _) = poll_fn(|cx| right.poll_recv_from(cx, &mut buf)).await?;
        assert_eq!(bytes, 1);
        assert_eq!(right.try_recv_from(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(poll_fn(|cx| left.poll_send_to(cx, b"xy", &there)).await?, 2);
        Ok(())
    });
}

#[test]
fn a_slow_receiver_holds_up_its_sender_and_loses_nothing() {
    run(|| async {
        const ALL: usize = 5_000;
        let (left, right) = UnixDatagram::pair()?;
        let sent = Count::default();
        let count = sent.clone();
        let sends = task::spawn(async move {
            for i in 0..ALL {
                left.send(&i.to_le_bytes()).await?;
                count.add();
            }
            io::Result::Ok(left)
        });
        let mut buf = [0; 8];
        for i in 0..ALL {
            assert_eq!(right.recv(&mut buf).await?, 8);
            assert_eq!(usize::from_le_bytes(buf), i);
        }
        assert_eq!(sent.get(), ALL);
        sends.await??;
        Ok(())
    });
}

#[test]
fn a_datagram_socket_is_tried_polled_and_shut_down() {
    run(|| async {
        let (left, right) = UnixDatagram::pair()?;
        poll_fn(|cx| left.poll_send_ready(cx)).await?;
        assert_eq!(left.try_send(b"a")?, 1);
        poll_fn(|cx| right.poll_recv_ready(cx)).await?;
        let mut buf = [0; 8];
        assert_eq!(right.try_recv(&mut buf)?, 1);
        assert_eq!(right.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(poll_fn(|cx| left.poll_send(cx, b"bc")).await?, 2);
        assert_eq!(poll_fn(|cx| right.poll_recv(cx, &mut buf)).await?, 2);
        assert!(left.take_error()?.is_none());
        right.shutdown(Shutdown::Read)?;
        assert_eq!(left.send(b"x").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        Ok(())
    });
}
