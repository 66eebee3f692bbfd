//! UDP: datagrams arrive whole, from whom they say, and nobody waits for ever.

mod common;

use common::with_runtime;
use futures::future::{join, join_all, poll_fn};
use heist_rt::{
    io::{Interest, Ready},
    net::UdpSocket,
    task,
};
use std::{
    future::Future,
    io::{self, ErrorKind},
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

async fn socket() -> io::Result<UdpSocket> {
    UdpSocket::bind("127.0.0.1:0").await
}

/// Two that are connected to each other.
async fn pair() -> io::Result<(UdpSocket, UdpSocket)> {
    let (left, right) = (socket().await?, socket().await?);
    left.connect(right.local_addr()?).await?;
    right.connect(left.local_addr()?).await?;
    Ok((left, right))
}

#[test]
fn datagrams_arrive_whole_and_say_from_whom() {
    run(|| async {
        let (left, right) = (socket().await?, socket().await?);
        let (from, to) = (left.local_addr()?, right.local_addr()?);
        assert_eq!(left.send_to(b"first", to).await?, 5);
        assert_eq!(left.send_to(b"second", to.to_string()).await?, 6);
        let mut buf = [0; 32];
        assert_eq!(right.recv_from(&mut buf).await?, (5, from));
        assert_eq!(right.recv_from(&mut buf).await?, (6, from));
        assert_eq!(&buf[..6], b"second");
        // What does not fit is lost; the next one is whole again.
        left.send_to(b"long", to).await?;
        left.send_to(b"x", to).await?;
        assert_eq!(right.recv_from(&mut buf[..2]).await?.0, 2);
        assert_eq!(right.recv_from(&mut buf).await?.0, 1);
        Ok(())
    });
}

#[test]
fn one_without_bytes_is_a_datagram_too() {
    run(|| async {
        let (left, right) = pair().await?;
        assert_eq!(left.send(&[]).await?, 0);
        left.send(b"x").await?;
        let mut buf = [0; 8];
        assert_eq!(right.recv(&mut buf).await?, 0);
        assert_eq!(right.recv(&mut buf).await?, 1);
        Ok(())
    });
}

#[test]
fn connected_sockets_hear_only_each_other() {
    run(|| async {
        let (left, right) = pair().await?;
        assert_eq!(left.peer_addr()?, right.local_addr()?);
        let stranger = socket().await?;
        stranger.send_to(b"psst", right.local_addr()?).await?;
        left.send(b"hello").await?;
        let mut buf = [0; 8];
        assert_eq!(right.recv(&mut buf).await?, 5);
        assert_eq!(&buf[..5], b"hello");
        assert!(stranger.peer_addr().is_err());
        Ok(())
    });
}

#[test]
fn peeking_takes_nothing_out() {
    run(|| async {
        let (left, right) = pair().await?;
        let from = left.local_addr()?;
        left.send(b"hello").await?;
        let mut buf = [0; 8];
        assert_eq!(right.peek(&mut buf).await?, 5);
        assert_eq!(right.peek_from(&mut buf).await?, (5, from));
        assert_eq!(right.try_peek(&mut buf)?, 5);
        assert_eq!(right.try_peek_from(&mut buf)?, (5, from));
        assert_eq!(poll_fn(|cx| right.poll_peek(cx, &mut buf)).await?, 5);
        assert_eq!(poll_fn(|cx| right.poll_peek_from(cx, &mut buf)).await?, (5, from));
        assert_eq!(right.recv(&mut buf).await?, 5);
        assert_eq!(right.try_peek(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        Ok(())
    });
}

#[test]
fn polling_sends_and_receives() {
    run(|| async {
        let (left, right) = pair().await?;
        let (from, to) = (left.local_addr()?, right.local_addr()?);
        let mut buf = [0; 8];
        poll_fn(|cx| left.poll_send_ready(cx)).await?;
        assert_eq!(poll_fn(|cx| left.poll_send(cx, b"ab")).await?, 2);
        poll_fn(|cx| right.poll_recv_ready(cx)).await?;
        assert_eq!(poll_fn(|cx| right.poll_recv(cx, &mut buf)).await?, 2);
        let (left, right) = (socket().await?, socket().await?);
        assert_ne!((left.local_addr()?, right.local_addr()?), (from, to));
        let (from, to) = (left.local_addr()?, right.local_addr()?);
        assert_eq!(poll_fn(|cx| left.poll_send_to(cx, b"abc", to)).await?, 3);
        assert_eq!(poll_fn(|cx| right.poll_recv_from(cx, &mut buf)).await?, (3, from));
        Ok(())
    });
}

#[test]
fn trying_does_not_wait() {
    run(|| async {
        let (left, right) = pair().await?;
        let mut buf = [0; 8];
        assert_eq!(right.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        left.writable().await?;
        assert_eq!(left.try_send(b"abc")?, 3);
        right.readable().await?;
        assert_eq!(right.try_recv(&mut buf)?, 3);
        assert_eq!(right.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);

        let (left, right) = (socket().await?, socket().await?);
        left.writable().await?;
        assert_eq!(left.try_send_to(b"abcd", right.local_addr()?)?, 4);
        assert_eq!(right.ready(Interest::READABLE).await?, Ready::READABLE);
        assert_eq!(right.try_recv_from(&mut buf)?, (4, left.local_addr()?));
        assert_eq!(right.try_recv_from(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        Ok(())
    });
}

#[test]
fn a_closure_can_be_tried() {
    run(|| async {
        let (left, right) = pair().await?;
        let other = socket2::SockRef::from(&right).try_clone()?;
        let read = || io::Read::read(&mut &other, &mut [0; 8]);
        assert_eq!(right.try_io(Interest::READABLE, read).unwrap_err().kind(), ErrorKind::WouldBlock);
        left.send(b"abc").await?;
        assert_eq!(right.async_io(Interest::READABLE, read).await?, 3);
        assert_eq!(right.try_io(Interest::READABLE, read).unwrap_err().kind(), ErrorKind::WouldBlock);
        Ok(())
    });
}

#[test]
fn several_tasks_share_a_socket() {
    run(|| async {
        const TASKS: usize = 10;
        const EACH: usize = 20;
        let server = Arc::new(socket().await?);
        let address = server.local_addr()?;
        // Each one answers some, whoever it is that asks.
        let answers: Vec<_> = (0..TASKS)
            .map(|_| {
                let server = server.clone();
                task::spawn(async move {
                    loop {
                        let mut buf = [0; 8];
                        let (bytes, from) = server.recv_from(&mut buf).await?;
                        server.send_to(&buf[..bytes], from).await?;
                    }
                })
            })
            .collect::<Vec<task::JoinHandle<io::Result<()>>>>();
        let clients = join_all((0..TASKS).map(|client| async move {
            let socket = socket().await?;
            socket.connect(address).await?;
            for i in 0..EACH {
                let question = [client as u8, i as u8];
                socket.send(&question).await?;
                let mut answer = [0; 8];
                assert_eq!(socket.recv(&mut answer).await?, 2);
                assert_eq!(answer[..2], question);
            }
            io::Result::Ok(())
        }))
        .await;
        assert!(clients.iter().all(Result::is_ok));
        answers.iter().for_each(|task| task.abort());
        Ok(())
    });
}

#[test]
fn a_socket_sends_and_receives_at_the_same_time() {
    run(|| async {
        let (left, right) = pair().await?;
        let echo = task::spawn(async move {
            let mut buf = [0; 8];
            for _ in 0..100 {
                let bytes = right.recv(&mut buf).await?;
                right.send(&buf[..bytes]).await?;
            }
            io::Result::Ok(())
        });
        let left = Arc::new(left);
        let receiver = left.clone();
        let receives = task::spawn(async move {
            let mut buf = [0; 8];
            for i in 0..100u8 {
                assert_eq!(receiver.recv(&mut buf).await?, 1);
                assert_eq!(buf[0], i);
            }
            io::Result::Ok(())
        });
        for i in 0..100 {
            left.send(&[i]).await?;
        }
        let (echo, receives) = join(echo, receives).await;
        echo??;
        receives?
    });
}

#[test]
fn nobody_at_the_other_side_is_an_error_and_the_socket_goes_on() {
    run(|| async {
        let gone = socket().await?.local_addr()?;
        let left = socket().await?;
        left.connect(gone).await?;
        left.send(b"hello").await?;
        assert_eq!(left.recv(&mut [0; 8]).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
        assert!(left.take_error()?.is_none());
        let right = socket().await?;
        right.connect(left.local_addr()?).await?;
        left.connect(right.local_addr()?).await?;
        right.send(b"here").await?;
        assert_eq!(left.recv(&mut [0; 8]).await?, 4);
        Ok(())
    });
}

#[test]
fn what_cannot_be_is_an_error() {
    run(|| async {
        let left = socket().await?;
        let taken = left.local_addr()?;
        assert_eq!(UdpSocket::bind(taken).await.unwrap_err().kind(), ErrorKind::AddrInUse);
        assert_eq!(left.send_to(b"x", &[][..]).await.unwrap_err().kind(), ErrorKind::InvalidInput);
        assert!(left.send_to(&vec![0; 1 << 20], taken).await.is_err());
        assert!(left.send(b"x").await.is_err());
        Ok(())
    });
}

#[test]
fn options_are_kept() {
    run(|| async {
        let socket = socket().await?;
        socket.set_broadcast(true)?;
        assert!(socket.broadcast()?);
        socket.set_ttl(33)?;
        assert_eq!(socket.ttl()?, 33);
        socket.set_multicast_loop_v4(false)?;
        assert!(!socket.multicast_loop_v4()?);
        socket.set_multicast_ttl_v4(3)?;
        assert_eq!(socket.multicast_ttl_v4()?, 3);
        let group = Ipv4Addr::new(224, 0, 0, 200);
        socket.join_multicast_v4(group, Ipv4Addr::LOCALHOST)?;
        socket.leave_multicast_v4(group, Ipv4Addr::LOCALHOST)?;
        assert!(socket.leave_multicast_v4(group, Ipv4Addr::LOCALHOST).is_err());
        Ok(())
    });
}

#[test]
fn it_comes_from_the_standard_library_and_goes_back() {
    run(|| async {
        let left = std::net::UdpSocket::bind("127.0.0.1:0")?;
        left.set_nonblocking(true)?;
        let left = UdpSocket::try_from(left)?;
        let right = socket().await?;
        right.send_to(b"hello", left.local_addr()?).await?;
        left.readable().await?;
        let left = left.into_std()?;
        let (bytes, from): (usize, SocketAddr) = left.recv_from(&mut [0; 8])?;
        assert_eq!((bytes, from), (5, right.local_addr()?));
        Ok(())
    });
}

#[test]
fn a_task_that_is_never_short_of_datagrams_lets_others_run() {
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            // It sends to itself, so there is always one.
            let socket = socket().await?;
            socket.connect(socket.local_addr()?).await?;
            let endless = task::spawn(async move {
                loop {
                    socket.send(b"x").await.unwrap();
                    socket.recv(&mut [0; 1]).await.unwrap();
                }
            });
            for _ in 0..10 {
                task::spawn(async {}).await?;
            }
            endless.abort();
            assert!(endless.await.unwrap_err().is_cancelled());
            io::Result::Ok(())
        })
    })
    .unwrap();
}
