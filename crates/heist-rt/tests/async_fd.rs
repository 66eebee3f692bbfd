//! Descriptors of one's own: guards, readiness that is taken back, many who wait.

#![cfg(unix)]

mod common;

use common::{Count, runtime, watchdog, with_runtime};
use futures::{
    FutureExt,
    future::{join_all, poll_fn},
};
use heist_rt::{
    io::{AsyncFd, Interest, Ready},
    task,
};
use std::{
    fs,
    future::Future,
    io::{self, ErrorKind, Read, Write},
    mem,
    os::{
        fd::{AsRawFd, RawFd},
        unix::net::UnixStream,
    },
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

fn pair() -> io::Result<(UnixStream, UnixStream)> {
    let (left, right) = UnixStream::pair()?;
    left.set_nonblocking(true)?;
    right.set_nonblocking(true)?;
    Ok((left, right))
}

/// Whether it waits when it is polled once.
async fn waits(future: impl Future) -> bool {
    let mut future = pin!(future);
    poll_fn(|cx| Poll::Ready(future.poll_unpin(cx).is_pending())).await
}

#[test]
fn it_is_writable_at_once_and_readable_when_something_comes() {
    run(|| async {
        let (left, right) = pair()?;
        let (left, right) = (AsyncFd::new(left)?, AsyncFd::new(right)?);
        assert!(left.writable().await?.ready().is_writable());
        assert!(waits(left.readable()).await);
        right.async_io(Interest::WRITABLE, |mut stream| stream.write_all(b"abc")).await?;
        let guard = left.readable().await?;
        assert_eq!(guard.ready(), Ready::READABLE);
        assert_eq!(guard.get_inner().as_raw_fd(), left.as_raw_fd());
        assert_eq!(guard.get_ref().as_raw_fd(), left.get_ref().as_raw_fd());
        Ok(())
    });
}

#[test]
fn readiness_stays_until_it_is_taken_back() {
    run(|| async {
        let (left, mut right) = pair()?;
        let left = AsyncFd::new(left)?;
        right.write_all(b"a")?;
        drop(left.readable().await?);
        left.readable().await?.retain_ready();
        let mut guard = left.readable().await?;
        guard.clear_ready();
        assert_eq!(guard.ready(), Ready::EMPTY);
        drop(guard);
        // Nothing new has happened, though there is a byte.
        assert!(waits(left.readable()).await);
        right.write_all(b"b")?;
        drop(left.readable().await?);
        // What is not of interest stays as it was.
        let mut guard = left.ready(Interest::READABLE | Interest::WRITABLE).await?;
        while !guard.ready().is_writable() {
            guard = left.ready(Interest::READABLE | Interest::WRITABLE).await?;
        }
        guard.clear_ready_matching(Ready::READABLE);
        assert_eq!(guard.ready(), Ready::WRITABLE);
        assert!(waits(left.readable()).await);
        assert!(!waits(left.writable()).await);
        Ok(())
    });
}

#[test]
fn a_guard_takes_back_only_what_it_has_seen() {
    run(|| async {
        let (left, mut right) = pair()?;
        let left = AsyncFd::new(left)?;
        right.write_all(b"a")?;
        let mut old = left.readable().await?;
        assert_eq!(left.get_ref().read(&mut [0; 8])?, 1);
        // Somebody else finds that there is no more, and then there is.
        left.readable().await?.clear_ready();
        right.write_all(b"b")?;
        let new = left.readable().await?;
        old.clear_ready();
        assert!(!waits(left.readable()).await, "a newer event was lost");
        drop(new);
        Ok(())
    });
}

#[test]
fn what_would_block_is_taken_back_and_what_does_not_is_kept() {
    run(|| async {
        let (left, mut right) = pair()?;
        let mut left = AsyncFd::with_interest(left, Interest::READABLE)?;
        right.write_all(b"abc")?;
        let mut guard = left.readable().await?;
        assert_eq!(guard.try_io(|fd| fd.get_ref().read(&mut [0; 2])).unwrap()?, 2);
        assert_eq!(guard.try_io(|fd| fd.get_ref().read(&mut [0; 2])).unwrap()?, 1);
        let error = guard.try_io(|fd| fd.get_ref().read(&mut [0; 2])).unwrap_err();
        assert!(error.to_string().contains("block"));
        assert!(waits(left.readable()).await);

        right.write_all(b"abc")?;
        let mut guard = left.readable_mut().await?;
        assert_eq!(guard.try_io(|fd| fd.get_mut().read(&mut [0; 8])).unwrap()?, 3);
        guard.get_inner_mut().set_nonblocking(true)?;
        assert!(guard.try_io(|fd| fd.get_mut().read(&mut [0; 8])).is_err());
        drop(guard);
        let error = left.try_io(Interest::READABLE, |mut stream| stream.read(&mut [0; 8])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        right.write_all(b"d")?;
        assert_eq!(left.async_io_mut(Interest::READABLE, |stream| stream.read(&mut [0; 8])).await?, 1);
        let error = left.try_io_mut(Interest::READABLE, |stream| stream.read(&mut [0; 8])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        Ok(())
    });
}

#[test]
fn polling_gives_guards_too() {
    run(|| async {
        let (left, mut right) = pair()?;
        let mut left = AsyncFd::new(left)?;
        poll_fn(|cx| left.poll_write_ready(cx).map_ok(drop)).await?;
        poll_fn(|cx| left.poll_write_ready_mut(cx).map_ok(drop)).await?;
        assert!(poll_fn(|cx| Poll::Ready(left.poll_read_ready(cx).is_pending())).await);
        right.write_all(b"a")?;
        poll_fn(|cx| left.poll_read_ready(cx).map_ok(drop)).await?;
        poll_fn(|cx| left.poll_read_ready_mut(cx).map_ok(|mut guard| guard.clear_ready())).await?;
        assert!(poll_fn(|cx| Poll::Ready(left.poll_read_ready(cx).is_pending())).await);
        assert!(!waits(left.writable_mut()).await);
        Ok(())
    });
}

#[test]
fn the_end_of_the_other_side_stays() {
    run(|| async {
        let (left, right) = pair()?;
        let left = AsyncFd::new(left)?;
        drop(right);
        while !left.readable().await?.ready().is_read_closed() {
            task::yield_now().await;
        }
        for _ in 0..3 {
            let mut guard = left.ready(Interest::READABLE | Interest::WRITABLE).await?;
            assert!(guard.ready().is_read_closed() && guard.ready().is_write_closed());
            guard.clear_ready();
        }
        Ok(())
    });
}

#[test]
fn many_wait_and_all_are_woken() {
    run(|| async {
        let (left, mut right) = pair()?;
        let (left, arrived) = (Arc::new(AsyncFd::new(left)?), Count::default());
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (left, arrived) = (left.clone(), arrived.clone());
                task::spawn(async move {
                    let mut readable = pin!(left.readable());
                    assert!(poll_fn(|cx| Poll::Ready(readable.poll_unpin(cx).is_pending())).await);
                    arrived.add();
                    readable.await.map(drop)
                })
            })
            .collect();
        while arrived.get() < 50 {
            task::yield_now().await;
        }
        right.write_all(b"x")?;
        for result in join_all(tasks).await {
            result??;
        }
        Ok(())
    });
}

#[test]
fn pipes_can_be_waited_for() {
    run(|| async {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        let reader = AsyncFd::with_interest(reader, Interest::READABLE)?;
        let writer = AsyncFd::with_interest(writer, Interest::WRITABLE)?;
        let writes = task::spawn(async move {
            for i in 0..=255u8 {
                writer.async_io(Interest::WRITABLE, |mut pipe| pipe.write_all(&[i; 1024])).await?;
            }
            io::Result::Ok(())
        });
        let (mut sum, mut buf) = (0, [0; 1000]);
        loop {
            match reader.async_io(Interest::READABLE, |mut pipe| pipe.read(&mut buf)).await? {
                0 => break,
                bytes => sum += buf[..bytes].iter().map(|&byte| usize::from(byte)).sum::<usize>(),
            }
        }
        assert_eq!(sum, 1024 * 255 * 256 / 2);
        writes.await?
    });
}

/// Between two writers a named pipe is closed, but not for good.
#[cfg(target_os = "linux")]
#[test]
fn a_named_pipe_between_two_writers_lets_others_run() {
    use std::os::unix::fs::OpenOptionsExt;

    with_runtime(1, |runtime| {
        let path = std::env::temp_dir().join(format!("heist-fifo-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        runtime
            .block_on(async {
                let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
                let reader = fs::OpenOptions::new().read(true).custom_flags(flags).open(&path)?;
                let reader = Arc::new(AsyncFd::with_interest(reader, Interest::READABLE)?);
                let writer = fs::OpenOptions::new().write(true).open(&path)?;
                drop(writer);
                while !reader.readable().await?.ready().is_read_closed() {
                    task::yield_now().await;
                }
                let mut writer = fs::OpenOptions::new().write(true).open(&path)?;
                let reads = task::spawn(async move {
                    reader.async_io(Interest::READABLE, |mut pipe| pipe.read(&mut [0; 8])).await
                });
                for _ in 0..10 {
                    task::spawn(async {}).await?;
                }
                assert!(!reads.is_finished());
                writer.write_all(b"abc")?;
                assert_eq!(reads.await??, 3);
                io::Result::Ok(())
            })
            .unwrap();
        fs::remove_file(&path).unwrap();
    });
}

#[test]
fn it_is_given_back() {
    run(|| async {
        let (left, mut right) = pair()?;
        let mut left = AsyncFd::new(left)?;
        left.get_mut().set_nonblocking(true)?;
        assert!(format!("{left:?}").contains("AsyncFd"));
        let left = left.into_inner();
        // It was deregistered, so it can be registered again.
        let left = AsyncFd::new(left)?;
        right.write_all(b"a")?;
        drop(left.readable().await?);
        Ok(())
    });
}

#[test]
fn what_cannot_be_waited_for_is_given_back_with_an_error() {
    run(|| async {
        let file = fs::File::open(std::env::current_exe()?)?;
        let number = file.as_raw_fd();
        let (file, error) = AsyncFd::try_new(file).unwrap_err().into_parts();
        assert_eq!((file.as_raw_fd(), error.kind()), (number, ErrorKind::PermissionDenied));
        assert!(AsyncFd::with_interest(file, Interest::READABLE).is_err());
        Ok(())
    });
}

/// A descriptor that several own, and that says when it is dropped.
struct Shared(Arc<UnixStream>, Count);

impl AsRawFd for Shared {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.1.add();
    }
}

#[test]
fn it_is_deregistered_before_it_is_dropped_and_dropped_once() {
    run(|| async {
        let (left, mut right) = pair()?;
        let (left, drops) = (Arc::new(left), Count::default());
        let fd = AsyncFd::new(Shared(left.clone(), drops.clone()))?;
        assert!(waits(fd.readable()).await);
        drop(fd);
        assert_eq!(drops.get(), 1);
        right.write_all(b"x")?;
        // The descriptor is open still; were it registered, this would fail.
        let fd = AsyncFd::new(Shared(left.clone(), drops.clone()))?;
        drop(fd.readable().await?);
        drop(fd.into_inner());
        assert_eq!(drops.get(), 2);
        Ok(())
    });
}

/// Counts how often it is woken, and is counted itself.
struct Ring(Count);

impl Wake for Ring {
    fn wake(self: Arc<Self>) {
        self.0.add();
    }
}

#[test]
fn a_future_that_is_leaked_does_no_harm() {
    run(|| async {
        let (left, mut right) = pair()?;
        let left = AsyncFd::new(left)?;
        let ring = Arc::new(Ring(Count::default()));
        let waker = Waker::from(ring.clone());
        let mut leaked = Box::pin(left.readable());
        assert!(leaked.poll_unpin(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        mem::forget(leaked);
        right.write_all(b"x")?;
        drop(left.readable().await?);
        common::wait_until(|| ring.0.get() == 1);
        let (left, _right) = pair()?;
        let left = AsyncFd::new(left)?;
        let waker = Waker::from(ring.clone());
        let mut leaked = Box::pin(left.readable());
        assert!(leaked.poll_unpin(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        mem::forget(leaked);
        // Its waker goes with the descriptor.
        drop(left);
        assert_eq!(Arc::strong_count(&ring), 1);
        Ok(())
    });
}

#[test]
fn who_waits_when_the_runtime_ends_is_told() {
    watchdog(|| {
        let ends = runtime(1);
        let (left, _right) = pair().unwrap();
        let entered = ends.enter();
        let fd = Arc::new(AsyncFd::new(left).unwrap());
        drop(entered);
        let (arrived, other) = (Count::default(), runtime(1));
        let (count, waits_for) = (arrived.clone(), fd.clone());
        let waits = other.spawn(async move {
            let mut readable = pin!(waits_for.readable());
            assert!(poll_fn(|cx| Poll::Ready(readable.poll_unpin(cx).is_pending())).await);
            count.add();
            readable.await.map(drop)
        });
        common::wait_until(|| arrived.get() == 1);
        drop(ends);
        let error = other.block_on(waits).unwrap().unwrap_err();
        assert!(error.to_string().contains("has ended"));
        let error = other.block_on(fd.writable()).map(drop).unwrap_err();
        assert!(error.to_string().contains("has ended"));
    });
}
