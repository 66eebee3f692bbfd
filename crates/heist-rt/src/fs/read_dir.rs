//! [`read_dir`]: what is in a directory, some entries at a time.

use super::blocking;
use crate::{
    sync::Arc,
    task::{JoinHandle, spawn_blocking},
};
use std::{
    collections::VecDeque,
    ffi::OsString,
    fmt,
    fs::{FileType, Metadata},
    future::{Future, poll_fn},
    io,
    path::{Path, PathBuf},
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Entries that are read at once.
const ENTRIES: usize = 32;

/// What is in a directory, one after the other and in no order.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-read-dir-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     let mut entries = fs::read_dir(&directory).await?;
///     while let Some(entry) = entries.next_entry().await? {
///         assert_eq!(entry.file_name(), "a");
///         assert_eq!(entry.metadata().await?.len(), 4);
///     }
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is no such directory, or it may not be looked into.
pub async fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    let path = path.as_ref().to_owned();
    let batch = blocking(move || Ok(Batch::of(std::fs::read_dir(path)?))).await?;
    Ok(ReadDir { entries: batch.entries, rest: batch.rest, busy: None })
}

/// What is in a directory; made by [`read_dir()`].
#[must_use = "nothing is read unless it is asked for"]
pub struct ReadDir {
    entries: VecDeque<io::Result<DirEntry>>,
    /// Where there is more, unless a thread has it.
    rest: Option<std::fs::ReadDir>,
    busy: Option<JoinHandle<Batch>>,
}

/// Entries, and where there are more, if there are.
struct Batch {
    entries: VecDeque<io::Result<DirEntry>>,
    rest: Option<std::fs::ReadDir>,
}

impl Batch {
    fn of(mut directory: std::fs::ReadDir) -> Self {
        let entry = |entry: io::Result<_>| entry.map(|entry| DirEntry(Arc::new(entry)));
        let entries: VecDeque<_> = directory.by_ref().take(ENTRIES).map(entry).collect();
        let is_all = entries.len() < ENTRIES;
        Batch { entries, rest: (!is_all).then_some(directory) }
    }
}

impl ReadDir {
    /// The next entry; `None` if there are no more. Nothing is lost if the future is dropped.
    ///
    /// # Errors
    /// If the system says so. There may be more entries after that.
    pub async fn next_entry(&mut self) -> io::Result<Option<DirEntry>> {
        poll_fn(|cx| self.poll_next_entry(cx)).await
    }

    /// As [`next_entry`](Self::next_entry).
    ///
    /// # Errors
    /// As [`next_entry`](Self::next_entry).
    pub fn poll_next_entry(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<DirEntry>>> {
        loop {
            if let Some(entry) = self.entries.pop_front() {
                return Poll::Ready(entry.map(Some));
            }
            if let Some(rest) = self.rest.take() {
                self.busy = Some(spawn_blocking(move || Batch::of(rest)));
            }
            let Some(busy) = &mut self.busy else { return Poll::Ready(Ok(None)) };
            let batch = ready!(Pin::new(busy).poll(cx));
            self.busy = None;
            Batch { entries: self.entries, rest: self.rest } = batch?;
        }
    }
}

impl fmt::Debug for ReadDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadDir").finish_non_exhaustive()
    }
}

/// Something in a directory; see [`read_dir()`].
#[derive(Clone, Debug)]
pub struct DirEntry(Arc<std::fs::DirEntry>);

impl DirEntry {
    /// The path of the directory, as it was given, and the name.
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }

    /// The name.
    pub fn file_name(&self) -> OsString {
        self.0.file_name()
    }

    /// What is known about it. A link is not followed.
    ///
    /// # Errors
    /// If it is gone, or the system says so.
    pub async fn metadata(&self) -> io::Result<Metadata> {
        let entry = self.0.clone();
        blocking(move || entry.metadata()).await
    }

    /// What it is. A link is not followed.
    ///
    /// # Errors
    /// As [`metadata`](Self::metadata).
    pub async fn file_type(&self) -> io::Result<FileType> {
        let entry = self.0.clone();
        blocking(move || entry.file_type()).await
    }

    /// The number that the file system knows it by.
    #[cfg(unix)]
    pub fn ino(&self) -> u64 {
        std::os::unix::fs::DirEntryExt::ino(&*self.0)
    }
}
