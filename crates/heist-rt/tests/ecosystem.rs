//! What was written for no runtime in particular works as it is: tokio::sync, async-channel, futures.

mod common;

use common::with_runtime;
use futures::{
    FutureExt, SinkExt, StreamExt,
    stream::{self, FuturesUnordered},
};
use heist_rt::task;
use std::sync::Arc;
use tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};

#[test]
fn channels_of_tokio_work() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let (sender, mut receiver) = mpsc::channel(4);
            for i in 0..10u64 {
                let sender = sender.clone();
                task::spawn(async move {
                    for j in 0..100 {
                        sender.send(i * 100 + j).await.unwrap();
                    }
                });
            }
            drop(sender);
            let mut sum = 0;
            while let Some(number) = receiver.recv().await {
                sum += number;
            }
            assert_eq!(sum, 1000 * 999 / 2);

            let (sender, receiver) = oneshot::channel();
            task::spawn(async move { sender.send(1).unwrap() });
            assert_eq!(receiver.await.unwrap(), 1);

            let (sender, mut receiver) = watch::channel(0);
            let watches = task::spawn(async move { *receiver.wait_for(|&n| n == 9).await.unwrap() });
            for i in 1..10 {
                sender.send(i).unwrap();
                task::yield_now().await;
            }
            assert_eq!(watches.await.unwrap(), 9);

            let (sender, _) = broadcast::channel(16);
            let listeners: Vec<_> = (0..3)
                .map(|_| {
                    let mut receiver = sender.subscribe();
                    task::spawn(async move { receiver.recv().await.unwrap() })
                })
                .collect();
            sender.send("hello").unwrap();
            for listener in listeners {
                assert_eq!(listener.await.unwrap(), "hello");
            }
        });
    });
}

#[test]
fn locks_of_tokio_work() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let (number, semaphore) = (Arc::new(Mutex::new(0)), Arc::new(Semaphore::new(3)));
            let tasks: Vec<_> = (0..100)
                .map(|_| {
                    let (number, semaphore) = (number.clone(), semaphore.clone());
                    task::spawn(async move {
                        let _permit = semaphore.acquire().await.unwrap();
                        let mut number = number.lock().await;
                        let old = *number;
                        task::yield_now().await;
                        *number = old + 1;
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*number.lock().await, 100);

            let lock = Arc::new(RwLock::new(1));
            let reader = lock.read().await;
            let other = lock.clone();
            let writes = task::spawn(async move { *other.write().await += 1 });
            task::yield_now().await;
            assert_eq!(*reader, 1);
            drop(reader);
            writes.await.unwrap();
            assert_eq!(*lock.read().await, 2);

            let barrier = Arc::new(Barrier::new(10));
            let leaders = (0..10).map(|_| {
                let barrier = barrier.clone();
                task::spawn(async move { usize::from(barrier.wait().await.is_leader()) })
            });
            let leaders: FuturesUnordered<_> = leaders.collect();
            assert_eq!(leaders.fold(0, |sum, leads| async move { sum + leads.unwrap() }).await, 1);

            let notify = Arc::new(Notify::new());
            let other = notify.clone();
            let waits = task::spawn(async move { other.notified().await });
            notify.notify_one();
            waits.await.unwrap();
        });
    });
}

#[test]
fn async_channel_works() {
    with_runtime(2, |runtime| {
        let (sender, receiver) = async_channel::bounded(1);
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let receiver = receiver.clone();
                runtime.spawn(async move {
                    let mut sum = 0;
                    while let Ok(number) = receiver.recv().await {
                        sum += number;
                    }
                    sum
                })
            })
            .collect();
        runtime.block_on(async move {
            for i in 0..1_000 {
                sender.send(i).await.unwrap();
            }
        });
        let sum: usize = workers.into_iter().map(|worker| runtime.block_on(worker).unwrap()).sum();
        assert_eq!(sum, 1000 * 999 / 2);
    });
}

#[test]
fn futures_works() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let (a, b) = futures::join!(task::spawn(async { 1 }), async { 2 });
            assert_eq!((a.unwrap(), b), (1, 2));
            let mut first = task::spawn(async { 1 });
            let output = futures::select! {
                output = (&mut first).fuse() => output.unwrap(),
                () = futures::future::pending().fuse() => 0,
            };
            assert_eq!(output, 1);
            let squares = stream::iter(0..100).map(|i| task::spawn(async move { i * i }));
            let sum = squares.buffer_unordered(8).fold(0, |sum, i| async move { sum + i.unwrap() }).await;
            assert_eq!(sum, (0..100).map(|i| i * i).sum::<i32>());
            let (mut sender, receiver) = futures::channel::mpsc::channel(1);
            task::spawn(async move {
                for i in 0..100 {
                    sender.send(i).await.unwrap();
                }
            });
            assert_eq!(receiver.count().await, 100);
            let panics = std::panic::AssertUnwindSafe(async { common::quiet_panic("caught") });
            let caught: Result<(), _> = task::spawn(panics.catch_unwind()).await.unwrap();
            assert!(caught.is_err());
        });
    });
}
