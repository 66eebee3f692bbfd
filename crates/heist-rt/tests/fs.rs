//! Files and directories.

mod common;

use common::{Gate, watchdog, with_runtime};
use futures::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, FutureExt, future::join_all};
use heist_rt::{
    fs::{self, File, OpenOptions},
    runtime::{Builder, Runtime},
    task,
};
use std::{
    env,
    future::Future,
    io::{self, ErrorKind, Read, SeekFrom},
    path::{Path, PathBuf},
    process,
};

/// A directory, removed in the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("heist-fs-{name}-{}", process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Directory(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Runs a test in a runtime, with a directory.
fn run<F: Future<Output = io::Result<()>>>(
    name: &'static str,
    test: impl FnOnce(PathBuf) -> F + Send + 'static,
) {
    let directory = Directory::new(name);
    let path = directory.0.clone();
    with_runtime(2, |runtime| runtime.block_on(test(path))).unwrap();
}

/// Begins something that a blocking thread has to do, and drops it before one can. For a runtime with one
/// such thread.
fn begin_and_drop<R>(operation: impl Future<Output = R>) {
    let (arrived, gate) = (Gate::default(), Gate::default());
    let (there, wait) = (arrived.clone(), gate.clone());
    task::spawn_blocking(move || {
        there.open();
        wait.pass();
    });
    arrived.pass();
    assert!(operation.now_or_never().is_none());
    gate.open();
}

/// As [`run`], with one blocking thread.
fn run_narrow<F: Future<Output = io::Result<()>>>(
    name: &'static str,
    test: impl FnOnce(PathBuf) -> F + Send + 'static,
) {
    let directory = Directory::new(name);
    let path = directory.0.clone();
    watchdog(move || {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build()?;
        runtime.block_on(test(path))
    })
    .unwrap();
}

fn kind<R>(result: io::Result<R>) -> ErrorKind {
    result.err().expect("an error was expected").kind()
}

/// Bytes that differ from place to place.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect()
}

async fn open_both(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path).await
}

#[test]
fn what_is_written_is_read() {
    run("whole", |dir| async move {
        let path = dir.join("file");
        fs::write(&path, "text").await?;
        assert_eq!(fs::read(&path).await?, b"text");
        assert_eq!(fs::read_to_string(&path).await?, "text");
        fs::write(&path, [0xff]).await?;
        assert_eq!(kind(fs::read_to_string(&path).await), ErrorKind::InvalidData);
        Ok(())
    });
}

#[test]
fn files_are_copied_renamed_linked_and_removed() {
    run("names", |dir| async move {
        let [a, b, c] = ["a", "b", "c"].map(|name| dir.join(name));
        fs::write(&a, "text").await?;
        assert_eq!(fs::copy(&a, &b).await?, 4);
        fs::rename(&b, &c).await?;
        assert!(!fs::try_exists(&b).await?);
        fs::hard_link(&c, &b).await?;
        fs::write(&c, "other").await?;
        assert_eq!(fs::read_to_string(&b).await?, "other");
        fs::remove_file(&b).await?;
        assert!(fs::try_exists(&c).await?);
        assert_eq!(fs::canonicalize(dir.join("./c")).await?, std::fs::canonicalize(&c)?);
        Ok(())
    });
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_or_not() {
    run("links", |dir| async move {
        let (link, lost) = (dir.join("link"), dir.join("lost"));
        fs::write(dir.join("file"), "text").await?;
        fs::symlink("file", &link).await?;
        fs::symlink("nothing", &lost).await?;
        assert_eq!(fs::read_link(&link).await?, Path::new("file"));
        assert!(fs::metadata(&link).await?.is_file());
        assert!(fs::symlink_metadata(&link).await?.is_symlink());
        assert!(!fs::try_exists(&lost).await?);
        assert_eq!(kind(fs::metadata(&lost).await), ErrorKind::NotFound);
        Ok(())
    });
}

#[test]
fn directories_are_made_and_removed() {
    run("directories", |dir| async move {
        let deep = dir.join("a/b");
        assert_eq!(kind(fs::create_dir(&deep).await), ErrorKind::NotFound);
        fs::create_dir_all(&deep).await?;
        fs::create_dir_all(&deep).await?;
        assert_eq!(kind(fs::create_dir(&deep).await), ErrorKind::AlreadyExists);
        assert_eq!(kind(fs::remove_dir(dir.join("a")).await), ErrorKind::DirectoryNotEmpty);
        fs::remove_dir(&deep).await?;
        fs::create_dir(&deep).await?;
        fs::remove_dir_all(dir.join("a")).await?;
        assert!(!fs::try_exists(dir.join("a")).await?);
        Ok(())
    });
}

#[test]
fn all_entries_of_a_directory_come_once() {
    run("entries", |dir| async move {
        // Nothing, less than are read at once, as many, and more.
        for count in [0, 5, 32, 64, 100] {
            let dir = dir.join(count.to_string());
            fs::create_dir(&dir).await?;
            for i in 0..count {
                fs::write(dir.join(format!("{i:03}")), vec![0; i]).await?;
            }
            let (mut entries, mut names) = (fs::read_dir(&dir).await?, Vec::new());
            while let Some(entry) = entries.next_entry().await? {
                let name = entry.file_name().into_string().unwrap();
                assert_eq!(entry.path(), dir.join(&name));
                assert!(entry.file_type().await?.is_file());
                assert_eq!(entry.metadata().await?.len(), name.parse().unwrap());
                names.push(name);
            }
            assert!(entries.next_entry().await?.is_none());
            names.sort();
            assert_eq!(names, (0..count).map(|i| format!("{i:03}")).collect::<Vec<_>>());
        }
        Ok(())
    });
}

#[test]
fn what_is_not_there_is_not_found() {
    run("missing", |dir| async move {
        let path = dir.join("missing");
        assert_eq!(kind(File::open(&path).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::read(&path).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::metadata(&path).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::read_dir(&path).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::remove_file(&path).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::rename(&path, dir.join("b")).await), ErrorKind::NotFound);
        assert_eq!(kind(fs::copy(&path, dir.join("b")).await), ErrorKind::NotFound);
        assert_eq!(kind(File::create(path.join("b")).await), ErrorKind::NotFound);
        Ok(())
    });
}

#[cfg(unix)]
#[test]
fn who_may_not_write_is_told() {
    use std::os::unix::fs::PermissionsExt;

    run("permissions", |dir| async move {
        let path = dir.join("file");
        let file = OpenOptions::new().write(true).create(true).mode(0o600).open(&path).await?;
        assert_eq!(file.metadata().await?.permissions().mode() & 0o777, 0o600);
        file.set_permissions(std::fs::Permissions::from_mode(0o400)).await?;
        assert!(fs::metadata(&path).await?.permissions().readonly());
        // The superuser may do anything.
        if !rustix::process::geteuid().is_root() {
            assert_eq!(kind(File::create(&path).await), ErrorKind::PermissionDenied);
        }
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).await?;
        File::create(&path).await?;
        Ok(())
    });
}

#[test]
fn options_say_how_a_file_is_opened() {
    run("options", |dir| async move {
        let path = dir.join("file");
        let mut file = File::create_new(&path).await?;
        file.write_all(b"one").await?;
        file.flush().await?;
        assert_eq!(kind(File::create_new(&path).await), ErrorKind::AlreadyExists);
        let mut file = OpenOptions::new().append(true).open(&path).await?;
        file.write_all(b"two").await?;
        file.flush().await?;
        assert_eq!(fs::read(&path).await?, b"onetwo");
        File::create(&path).await?;
        assert_eq!(fs::read(&path).await?, b"");
        assert_eq!(kind(OpenOptions::new().open(&path).await), ErrorKind::InvalidInput);
        Ok(())
    });
}

#[test]
fn a_big_file_goes_through_in_pieces() {
    run("big", |dir| async move {
        let (path, all) = (dir.join("file"), pattern(9_000_001));
        let mut file = File::create(&path).await?;
        file.write_all(&all).await?;
        file.close().await?;
        assert!(std::fs::read(&path)? == all);
        let (mut file, mut read) = (File::open(&path).await?, Vec::new());
        file.read_to_end(&mut read).await?;
        assert!(read == all);
        Ok(())
    });
}

#[test]
fn one_read_or_write_is_limited() {
    run("limit", |dir| async move {
        let mut file = open_both(&dir.join("file")).await?;
        let mut buf = vec![1; 5 << 20];
        assert_eq!(file.write(&buf).await?, 2 << 20);
        assert_eq!(file.write(&[]).await?, 0);
        file.seek(SeekFrom::Start(0)).await?;
        assert_eq!(file.read(&mut []).await?, 0);
        assert_eq!(file.read(&mut buf).await?, 2 << 20);
        assert_eq!(file.read(&mut buf).await?, 0);
        Ok(())
    });
}

#[test]
fn small_writes_stay_in_order() {
    run("order", |dir| async move {
        let path = dir.join("file");
        let mut file = File::create(&path).await?;
        let mut all = Vec::new();
        for i in 0..2_000_u32 {
            file.write_all(&i.to_le_bytes()).await?;
            all.extend(i.to_le_bytes());
        }
        // Whatever comes after them comes after them, without a flush.
        assert_eq!(file.metadata().await?.len(), 8_000);
        assert!(std::fs::read(&path)? == all);
        file.write_all(b"!").await?;
        file.set_len(3).await?;
        assert_eq!(std::fs::read(&path)?, &all[..3]);
        file.write_all(b"!").await?;
        file.sync_data().await?;
        file.sync_all().await?;
        assert_eq!(std::fs::metadata(&path)?.len(), 8_002);
        Ok(())
    });
}

#[test]
fn it_goes_wherever_it_is_told_to() {
    run("seek", |dir| async move {
        let mut file = open_both(&dir.join("file")).await?;
        file.write_all(b"0123456789").await?;
        let mut buf = [0; 2];
        for (to, at, there) in [
            (SeekFrom::Start(3), 3, b"34"),
            (SeekFrom::Current(-1), 4, b"45"),
            (SeekFrom::End(-2), 8, b"89"),
            (SeekFrom::Current(-10), 0, b"01"),
        ] {
            assert_eq!(file.seek(to).await?, at);
            file.read_exact(&mut buf).await?;
            assert_eq!(&buf, there);
        }
        assert_eq!(kind(file.seek(SeekFrom::Current(-3)).await), ErrorKind::InvalidInput);
        file.write_all(b"ab").await?;
        assert_eq!(file.seek(SeekFrom::Current(0)).await?, 4);
        file.seek(SeekFrom::Start(0)).await?;
        let mut text = String::new();
        file.read_to_string(&mut text).await?;
        assert_eq!(text, "01ab456789");
        Ok(())
    });
}

#[test]
fn a_dropped_read_loses_nothing() {
    run_narrow("dropped-read", |dir| async move {
        let path = dir.join("file");
        fs::write(&path, "0123456789").await?;
        let mut buf = [0; 3];

        // The next read is given what the dropped one has read, and then what follows.
        let mut file = open_both(&path).await?;
        begin_and_drop(file.read(&mut [0; 8]));
        file.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"012");
        let mut text = String::new();
        file.read_to_string(&mut text).await?;
        assert_eq!(text, "3456789");

        // A write is where nobody has read.
        let mut file = open_both(&path).await?;
        begin_and_drop(file.read(&mut [0; 8]));
        file.read_exact(&mut buf).await?;
        file.write_all(b"abc").await?;
        file.flush().await?;
        assert_eq!(fs::read(&path).await?, b"012abc6789");

        // So is a seek from here, and what the standard library gets.
        let mut file = open_both(&path).await?;
        begin_and_drop(file.read(&mut [0; 8]));
        assert_eq!(file.seek(SeekFrom::Current(1)).await?, 1);
        begin_and_drop(file.read(&mut [0; 8]));
        let mut text = String::new();
        file.into_std().await.read_to_string(&mut text)?;
        assert_eq!(text, "12abc6789");
        Ok(())
    });
}

#[test]
fn a_dropped_seek_is_no_answer_to_another() {
    run_narrow("dropped-seek", |dir| async move {
        let path = dir.join("file");
        fs::write(&path, "0123456789").await?;
        let mut file = File::open(&path).await?;
        begin_and_drop(file.seek(SeekFrom::Start(7)));
        assert_eq!(file.seek(SeekFrom::Start(2)).await?, 2);
        begin_and_drop(file.seek(SeekFrom::Start(7)));
        let mut text = String::new();
        file.read_to_string(&mut text).await?;
        assert_eq!(text, "789");
        Ok(())
    });
}

#[test]
fn an_error_of_a_write_comes_with_what_follows() {
    run("write-error", |dir| async move {
        let path = dir.join("file");
        fs::write(&path, "text").await?;
        // It may not be written, which the thread finds out.
        for operation in 0..6 {
            let mut file = File::open(&path).await?;
            assert_eq!(file.write(b"x").await?, 1);
            let result = match operation {
                0 => file.flush().await,
                1 => file.write(b"y").await.map(drop),
                2 => file.read(&mut [0; 4]).await.map(drop),
                3 => file.seek(SeekFrom::Start(0)).await.map(drop),
                4 => file.sync_all().await,
                _ => file.close().await,
            };
            assert!(result.is_err(), "{operation}");
            // It was told, once.
            file.flush().await?;
            file.seek(SeekFrom::Start(0)).await?;
            assert_eq!(file.read(&mut [0; 8]).await?, 4);
        }
        Ok(())
    });
}

#[test]
fn a_dropped_file_finishes_its_last_write() {
    watchdog(|| {
        let directory = Directory::new("dropped");
        let path = directory.path("file");
        let runtime = Runtime::new().unwrap();
        runtime.block_on(async {
            let mut file = File::create(&path).await.unwrap();
            file.write_all(&pattern(1_000_000)).await.unwrap();
        });
        // This waits for what blocks.
        drop(runtime);
        assert!(std::fs::read(&path).unwrap() == pattern(1_000_000));
    });
}

#[test]
fn a_write_that_no_thread_came_to_is_made_when_the_runtime_ends() {
    watchdog(|| {
        let directory = Directory::new("ended");
        let path = directory.path("file");
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
        let (arrived, gate) = (Gate::default(), Gate::default());
        let (mut file, handle) = (runtime.block_on(File::create(&path)).unwrap(), runtime.handle().clone());
        let (there, wait) = (arrived.clone(), gate.clone());
        runtime.spawn_blocking(move || {
            there.open();
            wait.pass();
        });
        arrived.pass();
        // The only thread is busy.
        runtime.block_on(file.write_all(b"accepted")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        runtime.shutdown_background();
        // It has been told that it is over, and keeps what it has accepted.
        handle.block_on(async {
            assert!(file.flush().await.is_err());
            assert!(fs::read(&path).await.is_err());
        });
        gate.open();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"accepted");
    });
}

#[test]
fn it_comes_from_the_standard_library_and_goes_back() {
    run("std", |dir| async move {
        let path = dir.join("file");
        let mut file = File::from_std(std::fs::File::create(&path)?);
        file.write_all(b"hello").await?;
        let mut file = file.into_std().await;
        io::Write::write_all(&mut file, b" world")?;
        assert_eq!(std::fs::read(&path)?, b"hello world");
        let mut file = File::from(file);
        file.write_all(b"!").await?;
        let mut file = file.try_into_std().expect_err("it has not been flushed");
        file.flush().await?;
        assert!(file.try_into_std().is_ok());
        Ok(())
    });
}

#[test]
fn what_goes_on_elsewhere_does_not_keep_it_from_the_standard_library() {
    run_narrow("into-std", |dir| async move {
        for _ in 0..50 {
            let mut file = open_both(&dir.join("file")).await?;
            file.write_all(b"text").await?;
            begin_and_drop(file.sync_all());
            assert_eq!(file.into_std().await.metadata()?.len(), 4);
        }
        Ok(())
    });
}

#[test]
fn a_clone_reads_and_writes_at_the_same_place() {
    run("clone", |dir| async move {
        let mut file = open_both(&dir.join("file")).await?;
        file.write_all(b"one").await?;
        let mut clone = file.try_clone().await?;
        clone.write_all(b"two").await?;
        clone.flush().await?;
        file.seek(SeekFrom::Start(0)).await?;
        let mut text = String::new();
        clone.read_to_string(&mut text).await?;
        assert_eq!(text, "onetwo");
        Ok(())
    });
}

#[test]
fn many_files_at_once() {
    run("many", |dir| async move {
        let tasks = (0..100).map(|i| {
            let path = dir.join(i.to_string());
            task::spawn(async move {
                let mut file = open_both(&path).await?;
                file.write_all(&pattern(i * 1000)).await?;
                file.seek(SeekFrom::Start(0)).await?;
                let mut read = Vec::new();
                file.read_to_end(&mut read).await?;
                assert!(read == pattern(i * 1000));
                fs::remove_file(path).await
            })
        });
        for result in join_all(tasks).await {
            result??;
        }
        assert!(fs::read_dir(&dir).await?.next_entry().await?.is_none());
        Ok(())
    });
}

#[test]
fn the_global_runtime_is_enough() {
    watchdog(|| {
        let directory = Directory::new("global");
        let path = directory.path("file");
        futures::executor::block_on(async {
            let mut file = File::create(&path).await.unwrap();
            file.write_all(b"text").await.unwrap();
            file.flush().await.unwrap();
            assert_eq!(fs::read(&path).await.unwrap(), b"text");
        });
    });
}
