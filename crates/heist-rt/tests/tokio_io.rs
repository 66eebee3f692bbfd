//! Tokio's traits on the streams, by its own extensions: without its runtime.

mod common;

use common::with_runtime;
use heist_rt::{
    fs,
    net::{TcpListener, TcpStream},
    task,
};
use std::{
    future::Future,
    io::{self, IoSlice, SeekFrom},
    pin::Pin,
};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt, BufReader,
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    Ok((client, listener.accept().await?.0))
}

#[test]
fn bytes_are_copied_in_both_directions() {
    run(|| async {
        let (mut client, mut near) = pair().await?;
        let (mut far, mut server) = pair().await?;
        let proxy = task::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
        client.write_all(b"question").await?;
        client.shutdown().await?;
        let mut text = String::new();
        server.read_to_string(&mut text).await?;
        assert_eq!(text, "question");
        server.write_all(b"answer").await?;
        drop(server);
        text.clear();
        client.read_to_string(&mut text).await?;
        assert_eq!(text, "answer");
        assert_eq!(proxy.await??, (8, 6));
        Ok(())
    });
}

#[test]
fn lines_are_read_and_lists_of_buffers_written() {
    run(|| async {
        let (mut client, server) = pair().await?;
        assert!(client.is_write_vectored());
        let (reader, writer) = server.into_split();
        assert!(writer.is_write_vectored());
        let parts = [IoSlice::new(b"one\n"), IoSlice::new(b"two\n")];
        assert_eq!(client.write_vectored(&parts).await?, 8);
        client.flush().await?;
        drop(client);
        let mut lines = BufReader::new(reader).lines();
        assert_eq!(lines.next_line().await?.as_deref(), Some("one"));
        assert_eq!(lines.next_line().await?.as_deref(), Some("two"));
        assert_eq!(lines.next_line().await?, None);
        Ok(())
    });
}

#[test]
fn halves_and_references_have_the_traits() {
    run(|| async {
        let (client, mut server) = pair().await?;
        (&client).write_all(b"by reference").await?;
        let mut buf = Vec::with_capacity(4);
        let (mut reader, mut writer) = TcpStream::split(&mut server);
        while buf.len() < 12 {
            reader.read_buf(&mut buf).await?;
        }
        assert_eq!(buf, b"by reference");
        writer.write_all(b"back").await?;
        writer.shutdown().await?;
        let mut text = String::new();
        let (mut reader, mut writer) = client.into_split();
        reader.read_to_string(&mut text).await?;
        assert_eq!(text, "back");
        writer.shutdown().await?;
        // A buffer that is full is nothing to read into.
        assert_eq!(reader.read(&mut []).await?, 0);
        Ok(())
    });
}

#[cfg(unix)]
#[test]
fn sockets_of_unix_have_the_traits() {
    run(|| async {
        let (left, right) = heist_rt::net::UnixStream::pair()?;
        let (mut reader, mut writer) = left.into_split();
        let echo = task::spawn(async move {
            let (mut reader, mut writer) = right.into_split();
            tokio::io::copy(&mut reader, &mut writer).await
        });
        writer.write_all(b"echo").await?;
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).await?;
        assert_eq!((text.as_str(), echo.await??), ("echo", 4));
        Ok(())
    });
}

#[test]
fn a_file_is_read_written_and_sought() {
    run(|| async {
        let path = std::env::temp_dir().join(format!("heist-tokio-io-{}", std::process::id()));
        let mut file =
            fs::File::options().read(true).write(true).create(true).truncate(true).open(&path).await?;
        file.write_all(b"one\ntwo\n").await?;
        assert_eq!(file.stream_position().await?, 8);
        assert_eq!(file.seek(SeekFrom::Start(4)).await?, 4);
        let mut text = String::new();
        file.read_to_string(&mut text).await?;
        assert_eq!(text, "two\n");
        assert!(file.seek(SeekFrom::Current(-9)).await.is_err());
        file.rewind().await?;
        let mut lines = BufReader::new(file).lines();
        assert_eq!(lines.next_line().await?.as_deref(), Some("one"));
        // A seek that is started while something goes on is refused.
        let mut file = fs::File::options().write(true).open(&path).await?;
        file.write_all(b"x").await?;
        assert!(Pin::new(&mut file).start_seek(SeekFrom::Start(0)).is_err());
        file.shutdown().await?;
        fs::remove_file(&path).await
    });
}

#[cfg(unix)]
#[test]
fn a_child_is_written_to_and_read_from() {
    use std::process::Stdio;

    run(|| async {
        let script = "cat; echo oh >&2";
        let mut child = heist_rt::process::Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().unwrap();
        assert!(stdin.is_write_vectored());
        stdin.write_all(b"hello").await?;
        stdin.shutdown().await?;
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).await?;
        child.stderr.take().unwrap().read_to_string(&mut text).await?;
        assert_eq!(text, "hellooh\n");
        assert!(child.wait().await?.success());
        Ok(())
    });
}
