//! Many connections at once: idle ones, thousands of busy ones, and more than there are descriptors.

#![cfg(unix)]

mod common;

use common::{Count, with_runtime};
use futures::{
    AsyncReadExt, AsyncWriteExt,
    future::{join, join_all},
};
use heist_rt::{
    net::{TcpListener, TcpStream, UdpSocket},
    task,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{env, fs, io, process::Command, sync::Arc};

/// Lets the process have so many descriptors, or as many as it may. Says how many.
fn raise_descriptors(wanted: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    let now = limit.current.unwrap_or(u64::MAX);
    if now < wanted && now < most {
        let raised = Rlimit { current: Some(wanted.min(most)), maximum: limit.maximum };
        setrlimit(Resource::Nofile, raised).unwrap();
    }
    wanted.min(most)
}

/// So many connections, both sides of each.
async fn connections(count: usize) -> io::Result<Vec<(TcpStream, TcpStream)>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let (client, server) = join(TcpStream::connect(address), listener.accept()).await;
        all.push((client?, server?.0));
    }
    Ok(all)
}

#[test]
fn five_thousand_connections_account_for_each_byte() {
    with_runtime(2, |runtime| {
        const ROUNDS: u64 = 8;
        let mut pairs = 2_500;
        // Two descriptors each, and some for everything else.
        let descriptors = raise_descriptors(2 * pairs + 500);
        if descriptors < 2 * pairs + 500 {
            pairs = (descriptors - 500) / 2;
            println!("only {descriptors} descriptors are allowed: {pairs} pairs instead of 2500");
        }
        let sum = runtime.block_on(async move {
            let mut tasks = Vec::new();
            for (number, (mut client, mut server)) in
                connections(pairs as usize).await?.into_iter().enumerate()
            {
                // The server adds one to each number, until the client is done.
                tasks.push(task::spawn(async move {
                    let mut buf = [0; 8];
                    let mut answered = 0;
                    while server.read_exact(&mut buf).await.is_ok() {
                        let answer = u64::from_le_bytes(buf) + 1;
                        server.write_all(&answer.to_le_bytes()).await?;
                        answered += 1;
                    }
                    assert_eq!(answered, ROUNDS);
                    io::Result::Ok(0)
                }));
                tasks.push(task::spawn(async move {
                    let mut value = number as u64;
                    for _ in 0..ROUNDS {
                        client.write_all(&value.to_le_bytes()).await?;
                        let mut buf = [0; 8];
                        client.read_exact(&mut buf).await?;
                        assert_eq!(u64::from_le_bytes(buf), value + 1);
                        value += 1;
                    }
                    client.close().await?;
                    assert_eq!(client.read(&mut [0; 8]).await?, 0);
                    io::Result::Ok(value)
                }));
            }
            let mut sum = 0;
            for task in join_all(tasks).await {
                sum += task??;
            }
            io::Result::Ok(sum)
        });
        assert_eq!(sum.unwrap(), pairs * (pairs - 1) / 2 + pairs * ROUNDS);
    });
}

#[test]
fn a_busy_connection_among_a_thousand_idle_ones_wakes_nobody_else() {
    with_runtime(2, |runtime| {
        raise_descriptors(7_500);
        runtime.block_on(async {
            let woken = Count::default();
            let mut clients = Vec::new();
            let mut idle = Vec::new();
            for (client, server) in connections(1_000).await? {
                clients.push(client);
                let woken = woken.clone();
                idle.push(task::spawn(async move {
                    let read = (&server).read(&mut [0; 8]).await;
                    woken.add();
                    read
                }));
            }
            let (mut client, mut server) = connections(1).await?.remove(0);
            let echo = task::spawn(async move {
                let mut buf = [0; 8];
                while server.read_exact(&mut buf).await.is_ok() {
                    server.write_all(&buf).await?;
                }
                io::Result::Ok(())
            });
            for i in 0..2_000u64 {
                client.write_all(&i.to_le_bytes()).await?;
                let mut buf = [0; 8];
                client.read_exact(&mut buf).await?;
                assert_eq!(u64::from_le_bytes(buf), i);
            }
            drop(client);
            echo.await??;
            assert_eq!(woken.get(), 0);
            drop(clients);
            for read in join_all(idle).await {
                assert_eq!(read??, 0);
            }
            assert_eq!(woken.get(), 1_000);
            io::Result::Ok(())
        })
    })
    .unwrap();
}

#[test]
fn sockets_that_nothing_happens_to_are_put_away() {
    with_runtime(1, |runtime| {
        runtime.block_on(async {
            // Listeners that nobody connects to: nothing happens, but their places are used again, else
            // this would need memory for each.
            for _ in 0..5_000 {
                drop(TcpListener::bind("127.0.0.1:0").await?);
            }
            let socket = UdpSocket::bind("127.0.0.1:0").await?;
            socket.send_to(b"x", socket.local_addr()?).await?;
            socket.recv(&mut [0; 1]).await.map(drop)
        })
    })
    .unwrap();
}

/// Set in the process that runs out of descriptors.
const CHILD: &str = "HEIST_TEST_WITHOUT_DESCRIPTORS";

/// In a process of its own: others here need theirs.
#[test]
fn a_listener_survives_that_descriptors_run_out() {
    if env::var_os(CHILD).is_some() {
        with_runtime(2, |runtime| runtime.block_on(run_out())).unwrap();
        println!("survived");
        return;
    }
    let name = "a_listener_survives_that_descriptors_run_out";
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("survived"), "{output:?}");
}

async fn run_out() -> io::Result<()> {
    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await?);
    // Connected while there were descriptors, but not accepted.
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(TcpStream::connect(listener.local_addr()?).await?);
    }
    let limit = getrlimit(Resource::Nofile);
    let highest = fs::read_dir("/proc/self/fd")
        .or_else(|_| fs::read_dir("/dev/fd"))?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u64>().ok())
        .max();
    setrlimit(Resource::Nofile, Rlimit { current: highest.map(|fd| fd + 1), ..limit }).unwrap();
    // Whatever is left below.
    let mut files = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        files.push(file);
    }
    // An error, as often as one tries, and at once: the connections are there still.
    for _ in 0..3 {
        let error = listener.accept().await.unwrap_err();
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::MFILE.raw_os_error()), "{error}");
    }
    assert!(TcpStream::connect(listener.local_addr()?).await.is_err());
    setrlimit(Resource::Nofile, limit).unwrap();
    for _ in 0..3 {
        listener.accept().await?;
    }
    drop(files);
    Ok(())
}
