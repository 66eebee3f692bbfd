//! What a [`File`](super::File) shares with the blocking threads that work on it: one at a time.
//!
//! A write is late: its bytes are put [aside](Turns::put_aside), and a blocking thread is asked to write them
//! when it comes to it. Whoever has the turn next, for whatever, writes what was put aside first. Hence the
//! order of operations is that of the calls, whichever threads do them and in whichever order those run.
//!
//! # Invariants
//! I1 The system's file is used by the one who has the turn, or who has the `Turns` alone.
//! I2 What was put aside is written by the next one who has the turn, before anything else; or by whoever
//!    drops the `Turns`, if no thread came to it because a runtime has ended.
//! I3 The lock of `late` is held only for moments, that of `turn` by nobody but blocking threads.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

pub(super) struct Turns {
    /// There until it is taken out.
    file: Option<File>,
    turn: Mutex<()>,
    late: Mutex<Late>,
}

#[derive(Default)]
struct Late {
    /// Bytes that wait to be written.
    bytes: Vec<u8>,
    /// How far to go back before that: what was read and not asked for.
    back: usize,
    /// What went wrong with the last ones.
    error: Option<io::Error>,
}

impl Turns {
    pub(super) fn new(file: File) -> Self {
        Turns { file: Some(file), turn: Mutex::default(), late: Mutex::default() }
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("there until it is taken out")
    }

    fn late(&self) -> MutexGuard<'_, Late> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has bytes written by the next one who has the turn, after going so far back.
    pub(super) fn put_aside(&self, bytes: &[u8], back: usize) {
        let mut late = self.late();
        late.bytes.extend_from_slice(bytes);
        late.back += back;
    }

    /// What went wrong with the last write, unless that was told already.
    pub(super) fn check(&self) -> io::Result<()> {
        self.late().error.take().map_or(Ok(()), Err)
    }

    /// Waits for the turn, and writes what was put aside. An error is kept for who asks.
    pub(super) fn catch_up(&self) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_late();
    }

    /// Waits for the turn, writes what was put aside, and calls `f`.
    ///
    /// # Errors
    /// That of the last write; then `f` is not called.
    pub(super) fn take<R>(&self, f: impl FnOnce(&File) -> io::Result<R>) -> io::Result<R> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_late();
        self.check()?;
        f(self.file())
    }

    /// Only with the turn, or alone (I1).
    fn write_late(&self) {
        let (bytes, back) = {
            let mut late = self.late();
            (mem::take(&mut late.bytes), mem::take(&mut late.back))
        };
        if bytes.is_empty() {
            return;
        }
        if let Err(error) = write(self.file(), &bytes, back) {
            self.late().error = Some(error);
        }
    }

    /// The file, with all written. What went wrong is lost.
    pub(super) fn into_file(mut self) -> File {
        self.write_late();
        self.file.take().expect("there until now")
    }
}

fn write(mut file: &File, bytes: &[u8], back: usize) -> io::Result<()> {
    if back > 0 {
        file.seek(SeekFrom::Current(-offset(back)))?;
    }
    file.write_all(bytes)
}

/// A length of memory, as a distance in a file.
pub(super) fn offset(bytes: usize) -> i64 {
    i64::try_from(bytes).expect("no buffer is longer than half of the memory")
}

impl Drop for Turns {
    fn drop(&mut self) {
        if self.file.is_some() {
            self.write_late();
        }
    }
}
