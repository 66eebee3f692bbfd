//! [`OpenOptions`]: how to open a file.

use super::{File, blocking};
use std::{io, path::Path};

/// How to open a file, as that of the standard library.
///
/// ```
/// use heist_rt::fs::{self, OpenOptions};
///
/// # fn main() -> std::io::Result<()> {
/// # let path = std::env::temp_dir().join(format!("heist-doc-options-{}", std::process::id()));
/// heist_rt::block_on(async {
///     let file = OpenOptions::new().write(true).create_new(true).open(&path).await?;
///     file.set_len(10).await?;
///     assert_eq!(fs::metadata(&path).await?.len(), 10);
///     fs::remove_file(&path).await
/// })
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions(std::fs::OpenOptions);

impl OpenOptions {
    /// Nothing is allowed, until it is said.
    #[expect(clippy::new_without_default, reason = "there is no default way to open a file")]
    pub fn new() -> OpenOptions {
        OpenOptions(std::fs::OpenOptions::new())
    }

    /// Whether to read.
    pub fn read(&mut self, read: bool) -> &mut OpenOptions {
        self.0.read(read);
        self
    }

    /// Whether to write.
    pub fn write(&mut self, write: bool) -> &mut OpenOptions {
        self.0.write(write);
        self
    }

    /// Whether to write at the end only.
    pub fn append(&mut self, append: bool) -> &mut OpenOptions {
        self.0.append(append);
        self
    }

    /// Whether to empty a file that is there.
    pub fn truncate(&mut self, truncate: bool) -> &mut OpenOptions {
        self.0.truncate(truncate);
        self
    }

    /// Whether to make a file if there is none.
    pub fn create(&mut self, create: bool) -> &mut OpenOptions {
        self.0.create(create);
        self
    }

    /// Whether to make a file, and fail if there is one.
    pub fn create_new(&mut self, create_new: bool) -> &mut OpenOptions {
        self.0.create_new(create_new);
        self
    }

    /// Who may do what with a file that is made.
    #[cfg(unix)]
    pub fn mode(&mut self, mode: u32) -> &mut OpenOptions {
        std::os::unix::fs::OpenOptionsExt::mode(&mut self.0, mode);
        self
    }

    /// More flags for the system's `open`.
    #[cfg(unix)]
    pub fn custom_flags(&mut self, flags: i32) -> &mut OpenOptions {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut self.0, flags);
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    /// If what was said makes no sense, there is no such file, there is one that should not be, or that is
    /// not allowed.
    pub async fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (options, path) = (self.0.clone(), path.as_ref().to_owned());
        blocking(move || options.open(path)).await.map(File::from_std)
    }
}

impl From<std::fs::OpenOptions> for OpenOptions {
    fn from(options: std::fs::OpenOptions) -> OpenOptions {
        OpenOptions(options)
    }
}
