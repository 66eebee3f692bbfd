//! [`File`]: one operation at a time, on a blocking thread, with a buffer of its own.
//!
//! What is read comes into a buffer that the thread has, and is copied from there: a future can be dropped
//! while the thread reads. What was read so and not taken is given to the next read; before a write or a seek
//! it is gone back over, so nobody notices.

use super::{
    OpenOptions, blocking,
    turn::{Turns, offset},
};
use crate::{
    sync::Arc,
    task::{JoinHandle, spawn_blocking, yield_now},
};
use std::{
    fmt,
    fs::{Metadata, Permissions},
    future::Future,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Bytes that are read or written at once, at most.
const MOST: usize = 2 * 1024 * 1024;

/// An open file.
///
/// A write copies its bytes and returns; a thread writes them meanwhile. So an error comes with the next
/// operation, or with a flush, which waits for the last write. A file that is dropped has its last write
/// finished, but its error is not told, and nobody waits for it: flush a file before.
///
/// ```
/// use futures::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
/// use heist_rt::fs::{self, File};
/// use std::io::SeekFrom;
///
/// # fn main() -> std::io::Result<()> {
/// # let path = std::env::temp_dir().join(format!("heist-doc-file-{}", std::process::id()));
/// heist_rt::block_on(async {
///     let mut file = File::options().read(true).write(true).create(true).open(&path).await?;
///     file.write_all(b"hello world").await?;
///     file.seek(SeekFrom::Start(6)).await?;
///     let mut text = String::new();
///     file.read_to_string(&mut text).await?;
///     assert_eq!(text, "world");
///     fs::remove_file(&path).await
/// })
/// # }
/// ```
pub struct File {
    shared: Arc<Turns>,
    /// What was read and not taken.
    ahead: Ahead,
    busy: Option<JoinHandle<Done>>,
    /// Where the last seek went to.
    position: u64,
}

/// What a thread has done.
enum Done {
    Wrote,
    Read(io::Result<Vec<u8>>),
    Sought(SeekFrom, io::Result<u64>),
}

#[derive(Default)]
struct Ahead {
    bytes: Vec<u8>,
    taken: usize,
}

impl Ahead {
    fn of(bytes: Vec<u8>) -> Self {
        Ahead { bytes, taken: 0 }
    }

    fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    fn take_into(&mut self, buf: &mut [u8]) -> usize {
        let bytes = self.len().min(buf.len());
        buf[..bytes].copy_from_slice(&self.bytes[self.taken..][..bytes]);
        self.taken += bytes;
        bytes
    }

    /// Forgets what is there. Says how much it was.
    fn discard(&mut self) -> usize {
        let bytes = self.len();
        self.taken = self.bytes.len();
        bytes
    }
}

impl File {
    /// Opens a file to read it.
    ///
    /// # Errors
    /// If there is none, or it may not be read.
    pub async fn open(path: impl AsRef<Path>) -> io::Result<File> {
        Self::options().read(true).open(path).await
    }

    /// Opens a file to write it. It is made if there is none, and emptied if there is one.
    ///
    /// # Errors
    /// If it cannot be made, or may not be written.
    pub async fn create(path: impl AsRef<Path>) -> io::Result<File> {
        Self::options().write(true).create(true).truncate(true).open(path).await
    }

    /// Makes a file that is not there yet, to read and write it.
    ///
    /// # Errors
    /// If there is one, or it cannot be made.
    pub async fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        Self::options().read(true).write(true).create_new(true).open(path).await
    }

    /// For other ways to open a file.
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// From a file of the standard library.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let path = std::env::temp_dir().join(format!("heist-doc-from-std-{}", std::process::id()));
    /// # std::fs::write(&path, "")?;
    /// let file = heist_rt::fs::File::from_std(std::fs::File::open(&path)?);
    /// assert!(heist_rt::block_on(file.metadata())?.is_file());
    /// # std::fs::remove_file(&path)
    /// # }
    /// ```
    pub fn from_std(file: std::fs::File) -> File {
        File { shared: Arc::new(Turns::new(file)), ahead: Ahead::default(), busy: None, position: 0 }
    }

    /// As a file of the standard library, once everything that was begun is done.
    ///
    /// If the last write fails nobody hears of it: flush the file before.
    pub async fn into_std(self) -> std::fs::File {
        let File { mut shared, busy, mut ahead, .. } = self;
        if let Some(busy) = busy {
            // If the runtime has ended, what was to be done is done below.
            if let Ok(Done::Read(Ok(bytes))) = busy.await {
                ahead = Ahead::of(bytes);
            }
        }
        let back = offset(ahead.len());
        loop {
            match Arc::try_unwrap(shared) {
                Ok(alone) => {
                    let mut file = alone.into_file();
                    if back > 0 {
                        // It has been read from, so it can be.
                        let _ = file.seek(SeekFrom::Current(-back));
                    }
                    return file;
                }
                // An operation whose future was dropped is still going on.
                Err(again) => shared = again,
            }
            let turns = shared.clone();
            let _ = spawn_blocking(move || turns.catch_up()).await;
            yield_now().await;
        }
    }

    /// As a file of the standard library, if nothing is going on.
    ///
    /// # Errors
    /// Gives it back if something is, or was and has not been flushed.
    pub fn try_into_std(self) -> Result<std::fs::File, File> {
        let File { shared, ahead, busy, position } = self;
        if busy.is_some() || ahead.len() > 0 {
            return Err(File { shared, ahead, busy, position });
        }
        Arc::try_unwrap(shared).map(Turns::into_file).map_err(|shared| File { shared, ahead, busy, position })
    }

    /// Does something after all that was begun before.
    async fn after_all<R: Send + 'static>(
        &self,
        f: impl FnOnce(&std::fs::File) -> io::Result<R> + Send + 'static,
    ) -> io::Result<R> {
        let turns = self.shared.clone();
        blocking(move || turns.take(f)).await
    }

    /// Waits until everything that was written is on the disk, with what is known about the file.
    ///
    /// # Errors
    /// If the system says so, or the last write has failed.
    pub async fn sync_all(&self) -> io::Result<()> {
        self.after_all(std::fs::File::sync_all).await
    }

    /// Waits until everything that was written is on the disk.
    ///
    /// # Errors
    /// As [`sync_all`](Self::sync_all).
    pub async fn sync_data(&self) -> io::Result<()> {
        self.after_all(std::fs::File::sync_data).await
    }

    /// Cuts the file to this length, or fills it up with zeros.
    ///
    /// # Errors
    /// If it may not be written, is too long, or the last write has failed.
    pub async fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.after_all(move |file| file.set_len(bytes)).await
    }

    /// What is known about the file, after the last write.
    ///
    /// # Errors
    /// If the system says so, or the last write has failed.
    pub async fn metadata(&self) -> io::Result<Metadata> {
        self.after_all(std::fs::File::metadata).await
    }

    /// Changes who may do what with it.
    ///
    /// # Errors
    /// If that is not allowed, or the last write has failed.
    pub async fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.after_all(move |file| file.set_permissions(permissions)).await
    }

    /// The same open file once more. Both have one place where they read and write.
    ///
    /// # Errors
    /// If the system refuses, or the last write has failed.
    pub async fn try_clone(&self) -> io::Result<File> {
        self.after_all(std::fs::File::try_clone).await.map(File::from_std)
    }

    /// Waits for what is going on. Says what it was, if it was something.
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Done>>> {
        let Some(busy) = &mut self.busy else { return Poll::Ready(Ok(None)) };
        let done = ready!(Pin::new(busy).poll(cx));
        self.busy = None;
        Poll::Ready(Ok(Some(done?)))
    }

    /// What was done is not what was asked for: its future was dropped. What was read is kept for who reads
    /// next.
    ///
    /// # Errors
    /// That of what was done, or of the last write.
    fn settle(&mut self, done: Option<Done>) -> io::Result<()> {
        match done {
            Some(Done::Read(bytes)) => self.ahead = Ahead::of(bytes?),
            Some(Done::Sought(_, sought)) => self.position = sought?,
            Some(Done::Wrote) | None => {}
        }
        self.shared.check()
    }

    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = ready!(self.poll_done(cx))?;
        Poll::Ready(self.settle(done))
    }

    fn begin(&mut self, f: impl FnOnce(&Turns) -> Done + Send + 'static) {
        let turns = self.shared.clone();
        self.busy = Some(spawn_blocking(move || f(&turns)));
    }

    fn begin_seek(&mut self, to: SeekFrom) {
        let back = offset(self.ahead.discard());
        self.begin(move |turns| {
            let sought = turns.take(|mut file| match to {
                SeekFrom::Current(by) if back > 0 => {
                    // In two steps, since the sum may be none.
                    file.seek(SeekFrom::Current(-back))?;
                    file.seek(SeekFrom::Current(by))
                }
                to => file.seek(to),
            });
            Done::Sought(to, sought)
        });
    }
}

impl futures_io::AsyncRead for File {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            if self.ahead.len() > 0 || buf.is_empty() {
                return Poll::Ready(Ok(self.ahead.take_into(buf)));
            }
            let done = ready!(self.poll_done(cx))?;
            let is_read = matches!(done, Some(Done::Read(_)));
            self.settle(done)?;
            if is_read {
                return Poll::Ready(Ok(self.ahead.take_into(buf)));
            }
            let (mut bytes, most) = (std::mem::take(&mut self.ahead).bytes, buf.len().min(MOST));
            self.begin(move |turns| {
                bytes.resize(most, 0);
                Done::Read(turns.take(|file| read(file, bytes)))
            });
        }
    }
}

fn read(mut file: &std::fs::File, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    loop {
        match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => {
                bytes.truncate(result?);
                return Ok(bytes);
            }
        }
    }
}

impl futures_io::AsyncWrite for File {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx))?;
        let buf = &buf[..buf.len().min(MOST)];
        if !buf.is_empty() {
            let back = self.ahead.discard();
            self.shared.put_aside(buf, back);
            self.begin(|turns| {
                turns.catch_up();
                Done::Wrote
            });
        }
        Poll::Ready(Ok(buf.len()))
    }

    /// Waits for the last write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }

    /// Waits for the last write. The file is closed when it is dropped.
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }
}

impl futures_io::AsyncSeek for File {
    /// If its future is dropped before it is done, it may or may not have been done.
    fn poll_seek(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: SeekFrom) -> Poll<io::Result<u64>> {
        loop {
            match ready!(self.poll_done(cx))? {
                Some(Done::Sought(asked, sought)) if asked == to => return Poll::Ready(sought),
                done => self.settle(done)?,
            }
            self.begin_seek(to);
        }
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncRead for File {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = futures_io::AsyncRead::poll_read(self, cx, buf.initialize_unfilled());
        read.map_ok(|bytes| buf.advance(bytes))
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncWrite for File {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        futures_io::AsyncWrite::poll_write(self, cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_flush(self, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_close(self, cx)
    }
}

#[cfg(feature = "tokio-io")]
impl tokio::io::AsyncSeek for File {
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        if self.busy.is_some() {
            return Err(io::Error::other("another operation goes on; complete it before a seek is started"));
        }
        self.begin_seek(to);
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        ready!(self.poll_idle(cx))?;
        Poll::Ready(Ok(self.position))
    }
}

impl From<std::fs::File> for File {
    fn from(file: std::fs::File) -> File {
        File::from_std(file)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for File {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.shared.file().as_fd()
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for File {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.shared.file().as_raw_fd()
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("File").field(self.shared.file()).finish()
    }
}
