//! Files and directories, on threads that may block.
//!
//! Names and meaning are Tokio's. The system has no way to wait for a file as for a socket, so everything
//! here is a call of the standard library on a [blocking thread](crate::task::spawn_blocking) of the current
//! runtime, the global one outside of any. A call that has begun goes on if its future is dropped. If the
//! runtime has ended, everything fails with an error.
//!
//! ```
//! use heist_rt::fs;
//!
//! # fn main() -> std::io::Result<()> {
//! # let directory = std::env::temp_dir().join(format!("heist-doc-fs-{}", std::process::id()));
//! heist_rt::block_on(async {
//!     fs::create_dir_all(&directory).await?;
//!     fs::write(directory.join("hello"), "world").await?;
//!     assert_eq!(fs::read_to_string(directory.join("hello")).await?, "world");
//!     fs::remove_dir_all(&directory).await
//! })
//! # }
//! ```

mod file;
mod open_options;
mod read_dir;
mod turn;

pub use {
    file::File,
    open_options::OpenOptions,
    read_dir::{DirEntry, ReadDir, read_dir},
};

use crate::task::spawn_blocking;
use std::{
    fs::{Metadata, Permissions},
    io,
    path::{Path, PathBuf},
};

/// Calls something that blocks, elsewhere.
pub(crate) async fn blocking<R: Send + 'static>(
    f: impl FnOnce() -> io::Result<R> + Send + 'static,
) -> io::Result<R> {
    spawn_blocking(f).await?
}

/// All that is in a file.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-read-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     assert_eq!(fs::read(directory.join("a")).await?, b"text");
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If it cannot be opened or read.
pub async fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::read(path)).await
}

/// All that is in a file, as text.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-read_to_string-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     assert_eq!(fs::read_to_string(directory.join("a")).await?, "text");
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If it cannot be opened or read, or is not UTF-8.
pub async fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::read_to_string(path)).await
}

/// Makes a file with this in it, or puts it in the place of what was in there.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-write-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), [1, 2, 3]).await?;
///     assert_eq!(fs::read(directory.join("a")).await?, [1, 2, 3]);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If it cannot be made or written.
pub async fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let (path, contents) = (path.as_ref().to_owned(), contents.as_ref().to_owned());
    blocking(move || std::fs::write(path, contents)).await
}

/// Copies what is in a file, and its permissions. Gives the number of bytes.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-copy-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     assert_eq!(fs::copy(directory.join("a"), directory.join("b")).await?, 4);
///     assert_eq!(fs::read(directory.join("b")).await?, b"text");
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If one cannot be read, or the other not be made.
pub async fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    let (from, to) = (from.as_ref().to_owned(), to.as_ref().to_owned());
    blocking(move || std::fs::copy(from, to)).await
}

/// Gives a file or directory another name. A file that has it already is replaced.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-rename-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     fs::rename(directory.join("a"), directory.join("b")).await?;
///     assert!(!fs::try_exists(directory.join("a")).await?);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, it cannot be moved there, or that is on another file system.
pub async fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let (from, to) = (from.as_ref().to_owned(), to.as_ref().to_owned());
    blocking(move || std::fs::rename(from, to)).await
}

/// Removes a file, or a link.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-remove_file-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     fs::remove_file(directory.join("a")).await?;
///     assert!(!fs::try_exists(directory.join("a")).await?);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, it is a directory, or that is not allowed.
pub async fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::remove_file(path)).await
}

/// Makes a directory, in one that is there.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-create_dir-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::create_dir(directory.join("a")).await?;
///     assert!(fs::metadata(directory.join("a")).await?.is_dir());
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If it is there already, the one around it is not, or that is not allowed.
pub async fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::create_dir(path)).await
}

/// Makes a directory, and those around it that are not there. It may be there already.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-create_dir_all-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::create_dir_all(directory.join("a/b/c")).await?;
///     assert!(fs::metadata(directory.join("a/b")).await?.is_dir());
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If one is no directory, or cannot be made.
pub async fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::create_dir_all(path)).await
}

/// Removes a directory that is empty.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-remove_dir-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::create_dir(directory.join("a")).await?;
///     fs::remove_dir(directory.join("a")).await?;
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, something is in it, or that is not allowed.
pub async fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::remove_dir(path)).await
}

/// Removes a directory with all that is in it. Links in it are removed, not followed.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-remove_dir_all-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::create_dir_all(directory.join("a/b/c")).await?;
///     fs::remove_dir_all(directory.join("a")).await?;
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, or something in it cannot be removed.
pub async fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::remove_dir_all(path)).await
}

/// What is known about a file or directory. Links are followed.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-metadata-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     assert_eq!(fs::metadata(directory.join("a")).await?.len(), 4);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, or a directory on the way may not be looked into.
pub async fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::metadata(path)).await
}

/// What is known about a file, directory or link. A link is not followed.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-symlink_metadata-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     assert!(fs::symlink_metadata(directory.join("a")).await?.is_file());
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// As [`metadata`].
pub async fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::symlink_metadata(path)).await
}

/// Changes who may do what with a file or directory.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-set_permissions-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     let mut permissions = fs::metadata(directory.join("a")).await?.permissions();
///     permissions.set_readonly(true);
///     fs::set_permissions(directory.join("a"), permissions).await?;
///     assert!(fs::metadata(directory.join("a")).await?.permissions().readonly());
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is none, or that is not allowed.
pub async fn set_permissions(path: impl AsRef<Path>, permissions: Permissions) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::set_permissions(path, permissions)).await
}

/// The whole path, without links, `.` and `..`.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-canonicalize-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::create_dir(directory.join("a")).await?;
///     let path = fs::canonicalize(directory.join("a/..")).await?;
///     assert_eq!(path, fs::canonicalize(&directory).await?);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is nothing there, or something on the way is no directory.
pub async fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::canonicalize(path)).await
}

/// Another name for a file, on the same file system.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-hard_link-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     fs::hard_link(directory.join("a"), directory.join("b")).await?;
///     assert_eq!(fs::read(directory.join("b")).await?, b"text");
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If there is no such file, or the other name is taken.
pub async fn hard_link(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (original, link) = (original.as_ref().to_owned(), link.as_ref().to_owned());
    blocking(move || std::fs::hard_link(original, link)).await
}

/// A link to a path, whether there is something or not.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-symlink-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     fs::write(directory.join("a"), "text").await?;
///     fs::symlink("a", directory.join("b")).await?;
///     assert_eq!(fs::read(directory.join("b")).await?, b"text");
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If the name of the link is taken.
#[cfg(unix)]
pub async fn symlink(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (original, link) = (original.as_ref().to_owned(), link.as_ref().to_owned());
    blocking(move || std::os::unix::fs::symlink(original, link)).await
}

/// Where a link leads to.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-read_link-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     # #[cfg(unix)]
///     fs::symlink("somewhere", directory.join("a")).await?;
///     # #[cfg(unix)]
///     assert_eq!(fs::read_link(directory.join("a")).await?.to_str(), Some("somewhere"));
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If it is none.
pub async fn read_link(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::read_link(path)).await
}

/// Whether there is something. A link is followed.
///
/// ```
/// use heist_rt::fs;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("heist-doc-try_exists-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// heist_rt::block_on(async {
///     assert!(fs::try_exists(&directory).await?);
///     assert!(!fs::try_exists(directory.join("a")).await?);
///     # fs::remove_dir_all(&directory).await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// # Errors
/// If that cannot be found out, because a directory on the way may not be looked into for example.
pub async fn try_exists(path: impl AsRef<Path>) -> io::Result<bool> {
    let path = path.as_ref().to_owned();
    blocking(move || std::fs::exists(path)).await
}
