//! TCP when something is in the way: ports in use, peers that vanish or stall, runtimes that end.

mod common;

use common::{Count, runtime, wait_until, watchdog, with_runtime};
use futures::{
    AsyncReadExt, AsyncWriteExt, FutureExt,
    future::{join, join_all, poll_fn, select},
};
use heist_rt::{
    net::{TcpListener, TcpStream},
    task,
};
use std::{
    future::Future,
    io::{self, ErrorKind},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (client, server) = join(TcpStream::connect(listener.local_addr()?), listener.accept()).await;
    Ok((client?, server?.0))
}

#[test]
fn a_port_in_use_is_an_error() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let error = TcpListener::bind(listener.local_addr()?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        let address = listener.local_addr()?;
        drop(listener);
        TcpListener::bind(address).await?;
        Ok(())
    });
}

#[test]
fn a_refused_connection_is_an_error() {
    run(|| async {
        let address = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
        for _ in 0..100 {
            let error = TcpStream::connect(address).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        }
        Ok(())
    });
}

#[test]
fn a_connection_that_is_reset_is_an_error_for_who_reads_and_for_who_writes() {
    run(|| async {
        let (client, server) = pair().await?;
        let reads = task::spawn(async move {
            let (mut reader, mut writer) = client.into_split();
            let error = reader.read(&mut [0; 8]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            // The error was reported; from now on nobody is there.
            let error = writer.write_all(&[0; 8]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        });
        server.set_zero_linger()?;
        drop(server);
        reads.await?;

        let (client, server) = pair().await?;
        let writes = task::spawn(async move {
            let error = (&client).write_all(&vec![0; 64 << 20]).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
        });
        (&server).read_exact(&mut [0; 100]).await?;
        server.set_zero_linger()?;
        drop(server);
        writes.await?;
        Ok(())
    });
}

#[test]
fn a_connection_that_is_reset_before_it_is_accepted_harms_nobody() {
    run(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let gone = TcpStream::connect(listener.local_addr()?).await?;
        gone.set_zero_linger()?;
        drop(gone);
        let mut client = TcpStream::connect(listener.local_addr()?).await?;
        client.write_all(b"a").await?;
        loop {
            // The one that was reset may be accepted, or be an error, or not be there.
            let Ok((mut server, address)) = listener.accept().await else { continue };
            if address == client.local_addr()? {
                server.read_exact(&mut [0]).await?;
                return Ok(());
            }
            assert!(server.read(&mut [0; 8]).await.is_err());
        }
    });
}

#[test]
fn one_direction_may_be_closed_and_the_other_stay_open() {
    run(|| async {
        let (mut client, mut server) = pair().await?;
        client.close().await?;
        client.close().await?;
        let error = client.write_all(b"x").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        assert_eq!(server.read(&mut [0; 8]).await?, 0);
        server.write_all(b"still open").await?;
        let mut buf = [0; 10];
        client.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"still open");
        // And the other way round.
        server.close().await?;
        assert_eq!(client.read(&mut buf).await?, 0);
        Ok(())
    });
}

#[test]
fn a_slow_reader_holds_up_its_writer_and_loses_nothing() {
    run(|| async {
        const BYTES: usize = 4 << 20;
        let (mut client, mut server) = pair().await?;
        let data: Vec<u8> = (0..BYTES).map(|i| (i % 253) as u8).collect();
        let expected = data.clone();
        let writes = task::spawn(async move {
            client.write_all(&data).await?;
            client.close().await?;
            io::Result::Ok(client)
        });
        let (mut all, mut sizes) = (Vec::<u8>::new(), [1, 7, 4096, 100_000].into_iter().cycle());
        loop {
            let mut buf = vec![0; sizes.next().unwrap()];
            let read = server.read(&mut buf).await?;
            if read == 0 {
                break;
            }
            all.extend(&buf[..read]);
            task::yield_now().await;
        }
        assert!(all == expected, "the bytes came in another order, or not at all");
        writes.await??;
        Ok(())
    });
}

#[test]
fn readiness_that_another_reader_has_used_up_is_not_trusted() {
    run(|| async {
        let (client, mut server) = pair().await?;
        // Another descriptor of the same socket, which the driver does not know of.
        let thief = socket2::SockRef::from(&client).try_clone()?;
        server.write_all(b"stolen").await?;
        client.readable().await?;
        let mut buf = [std::mem::MaybeUninit::uninit(); 8];
        assert_eq!(thief.recv(&mut buf)?, 6);
        // The bit is set still, and the read finds nothing: it waits.
        let mut buf = [0; 8];
        let mut reader = &client;
        let mut read = pin!(reader.read(&mut buf));
        assert!(poll_fn(|cx| Poll::Ready(read.poll_unpin(cx).is_pending())).await);
        server.write_all(b"mine").await?;
        assert_eq!(read.await?, 4);
        assert_eq!(&buf[..4], b"mine");
        Ok(())
    });
}

#[test]
fn many_wait_for_the_same_bytes_and_one_gets_them() {
    run(|| async {
        const READERS: usize = 20;
        let (client, mut server) = pair().await?;
        let (client, got) = (Arc::new(client), Count::default());
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                let (client, got) = (client.clone(), got.clone());
                task::spawn(async move {
                    loop {
                        client.readable().await?;
                        match client.try_read(&mut [0; 1]) {
                            Ok(0) => return io::Result::Ok(()),
                            Ok(_) => got.add(),
                            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                            Err(error) => return Err(error),
                        }
                    }
                })
            })
            .collect();
        for bytes in 1..100 {
            server.write_all(b"x").await?;
            while got.get() < bytes {
                task::yield_now().await;
            }
            assert_eq!(got.get(), bytes);
        }
        drop(server);
        for reader in join_all(readers).await {
            reader??;
        }
        Ok(())
    });
}

/// Remembers that it was woken.
#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn who_polls_last_is_woken_and_who_gave_up_is_forgotten() {
    run(|| async {
        let (client, mut server) = pair().await?;
        let flags = [Arc::new(Flag::default()), Arc::new(Flag::default())];
        for flag in &flags {
            let waker = Waker::from(flag.clone());
            assert!(client.poll_read_ready(&mut Context::from_waker(&waker)).is_pending());
        }
        // The first one's waker is not kept.
        assert_eq!((Arc::strong_count(&flags[0]), Arc::strong_count(&flags[1])), (1, 2));
        server.write_all(b"x").await?;
        wait_until(|| flags[1].0.load(Ordering::Acquire));
        assert!(!flags[0].0.load(Ordering::Acquire));

        let waker = Waker::from(flags[0].clone());
        client.try_read(&mut [0; 8])?;
        assert!(client.try_read(&mut [0; 8]).is_err());
        assert!(client.poll_read_ready(&mut Context::from_waker(&waker)).is_pending());
        let waits = async { client.readable().await };
        drop(waits);
        drop(waker);
        assert_eq!(Arc::strong_count(&flags[0]), 2);
        // Nor does a socket that is gone keep one.
        drop(client);
        assert_eq!(Arc::strong_count(&flags[0]), 1);
        Ok(())
    });
}

#[test]
fn a_socket_is_dropped_while_a_task_waits_on_it() {
    run(|| async {
        for _ in 0..200 {
            let (mut client, server) = pair().await?;
            let waits = task::spawn(async move { client.read(&mut [0; 8]).await });
            task::yield_now().await;
            waits.abort();
            drop(server);
            match waits.await {
                Ok(read) => assert_eq!(read?, 0),
                Err(error) => assert!(error.is_cancelled()),
            }
        }
        Ok(())
    });
}

#[test]
fn sockets_that_come_and_go_do_not_disturb_the_others() {
    run(|| async {
        // Events of one that is gone must not reach the one that has its place now.
        let (client, mut server) = pair().await?;
        let stays = task::spawn(async move {
            let (mut sum, mut byte) = (0usize, [0]);
            while (&client).read(&mut byte).await? == 1 {
                sum += usize::from(byte[0]);
            }
            io::Result::Ok(sum)
        });
        let churn: Vec<_> = (0..4)
            .map(|_| {
                task::spawn(async {
                    for _ in 0..100 {
                        let (mut client, mut server) = pair().await?;
                        server.write_all(b"x").await?;
                        server.close().await?;
                        let mut all = Vec::new();
                        client.read_to_end(&mut all).await?;
                        assert_eq!(all, b"x");
                    }
                    io::Result::Ok(())
                })
            })
            .collect();
        for _ in 0..100 {
            server.write_all(&[1]).await?;
            task::yield_now().await;
        }
        for task in churn {
            task.await??;
        }
        server.close().await?;
        assert_eq!(stays.await??, 100);
        Ok(())
    });
}

#[test]
fn a_task_that_is_never_short_of_bytes_lets_others_run() {
    // One worker: if the reader never let go of it, it would read all there is before the flag is set.
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            let (client, server) = pair().await?;
            server.writable().await?;
            let mut sent = 0;
            while let Ok(bytes) = server.try_write(&[0; 4096]) {
                sent += bytes;
            }
            let stop = Arc::new(AtomicBool::new(false));
            let seen = stop.clone();
            let reader = task::spawn(async move {
                let mut bytes = 0;
                while !seen.load(Ordering::Acquire) {
                    bytes += (&client).read(&mut [0; 1]).await?;
                }
                io::Result::Ok(bytes)
            });
            let others = task::spawn(async move {
                for _ in 0..10 {
                    task::yield_now().await;
                }
                stop.store(true, Ordering::Release);
                drop(server);
            });
            others.await?;
            let read = reader.await??;
            assert!(read < sent, "all of the {sent} bytes were read before anybody else ran");
            io::Result::Ok(())
        })
    })
    .unwrap();
}

#[test]
fn a_loop_of_readable_and_try_read_lets_others_run() {
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            let (client, mut server) = pair().await?;
            server.write_all(b"never read").await?;
            let stop = Arc::new(AtomicBool::new(false));
            let seen = stop.clone();
            let waits = task::spawn(async move {
                while !seen.load(Ordering::Acquire) {
                    client.readable().await?;
                }
                io::Result::Ok(())
            });
            task::spawn(async move { stop.store(true, Ordering::Release) }).await?;
            waits.await?
        })
    })
    .unwrap();
}

#[test]
fn what_waits_when_its_runtime_ends_is_told() {
    watchdog(|| {
        let (first, second) = (runtime(1), runtime(1));
        let (client, server) = first.block_on(pair()).unwrap();
        let listener = first.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let (client, arrived) = (Arc::new(client), Count::default());
        // Tasks of another runtime, which goes on.
        let (stream, count) = (client.clone(), arrived.clone());
        let reads = second.spawn(async move {
            let (mut stream, mut buf) = (&*stream, [0; 8]);
            let mut read = pin!(stream.read(&mut buf));
            assert!(poll_fn(|cx| Poll::Ready(read.poll_unpin(cx).is_pending())).await);
            count.add();
            read.await
        });
        let (stream, count) = (client.clone(), arrived.clone());
        let waits = second.spawn(async move {
            let mut readable = pin!(stream.readable());
            assert!(poll_fn(|cx| Poll::Ready(readable.poll_unpin(cx).is_pending())).await);
            count.add();
            readable.await
        });
        wait_until(|| arrived.get() == 2);
        drop(first);
        second.block_on(async {
            for error in [reads.await.unwrap().map(drop), waits.await.unwrap()] {
                assert!(error.unwrap_err().to_string().contains("has ended"));
            }
            assert!(listener.accept().await.unwrap_err().to_string().contains("has ended"));
            assert!((&*client).write(b"x").await.unwrap_err().to_string().contains("has ended"));
            assert!(client.try_read(&mut [0; 8]).unwrap_err().to_string().contains("has ended"));
            assert!(client.writable().await.unwrap_err().to_string().contains("has ended"));
        });
        // It is a socket still: the other runtime may have it.
        let server = server.into_std().unwrap();
        let _entered = second.enter();
        TcpStream::from_std(server).unwrap();
    });
}

#[test]
fn nothing_is_registered_with_a_runtime_that_has_ended() {
    watchdog(|| {
        for had_sockets in [true, false] {
            let ended = runtime(1);
            let handle = ended.handle().clone();
            if had_sockets {
                ended.block_on(async { TcpListener::bind("127.0.0.1:0").await.unwrap() });
            }
            drop(ended);
            let _entered = handle.enter();
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            let error = TcpListener::from_std(listener).unwrap_err();
            assert!(error.to_string().contains("has ended"), "{error}");
        }
    });
}

#[test]
fn a_runtime_ends_while_sockets_are_made() {
    watchdog(|| {
        for _ in 0..50 {
            let ends = runtime(1);
            let handle = ends.handle().clone();
            let makes = std::thread::spawn(move || {
                let _entered = handle.enter();
                // Either it fails, or whoever waits for it is told.
                futures::executor::block_on(async {
                    loop {
                        let listener = TcpListener::bind("127.0.0.1:0").await?;
                        listener.accept().await?;
                    }
                })
            });
            drop(ends);
            let result: io::Result<()> = makes.join().unwrap();
            assert!(result.unwrap_err().to_string().contains("has ended"));
        }
    });
}

#[test]
fn reading_and_writing_wait_side_by_side() {
    run(|| async {
        // Both sides write more than the buffers hold before they read: only if both directions go on at the
        // same time does this end.
        const BYTES: usize = 8 << 20;
        let (client, server) = pair().await?;
        let both = |stream: TcpStream| async move {
            let (mut reader, mut writer) = (&stream, &stream);
            let mut all = Vec::new();
            let writes = async {
                writer.write_all(&vec![1; BYTES]).await?;
                writer.close().await
            };
            let (written, read) = join(writes, reader.read_to_end(&mut all)).await;
            written?;
            read
        };
        let (client, server) = join(task::spawn(both(client)), task::spawn(both(server))).await;
        assert_eq!((client??, server??), (BYTES, BYTES));
        Ok(())
    });
}

#[test]
fn the_first_of_two_reads_is_taken_and_the_other_one_given_up() {
    run(|| async {
        let (mut first, _first_server) = pair().await?;
        let (mut second, mut second_server) = pair().await?;
        second_server.write_all(b"x").await?;
        let (mut left, mut right) = ([0; 8], [0; 8]);
        let read = select(first.read(&mut left), second.read(&mut right)).await;
        assert_eq!(read.factor_first().0?, 1);
        Ok(())
    });
}

/// A read ends early where urgent data was, although there is more.
#[cfg(target_os = "linux")]
#[test]
fn urgent_data_does_not_hide_what_comes_after_it() {
    run(|| async {
        for _ in 0..20 {
            let (mut client, server) = pair().await?;
            let socket = socket2::SockRef::from(&server);
            socket.send(b"before")?;
            socket.send_out_of_band(b"!")?;
            socket.send(b"after")?;
            let mut all = Vec::<u8>::new();
            let mut buf = [0; 64];
            while all.len() < 11 {
                let read = client.read(&mut buf).await?;
                all.extend(&buf[..read]);
            }
            assert_eq!(all, b"beforeafter");
        }
        Ok(())
    });
}
