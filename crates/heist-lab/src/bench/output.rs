//! Where results go: a file, or standard output.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;
use super::report::Record;

/// A file keeps what is in it until the first result is written.
pub struct Output {
    path: PathBuf,
    to: To,
}

enum To {
    Stdout,
    /// The file, and whether it still has its old content.
    File(File, bool),
}

impl Output {
    /// Opens the file, or standard output for `-`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Self { path: "standard output".into(), to: To::Stdout });
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|source| Error::Write { to: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), to: To::File(file, true) })
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout)
    }

    /// Writes a line of JSON.
    pub fn write(&mut self, record: &Record) -> Result<(), Error> {
        self.write_text(&record.to_json_line())
    }

    pub fn write_text(&mut self, text: &str) -> Result<(), Error> {
        self.try_write(text).map_err(|source| Error::Write { to: self.path.clone(), source })
    }

    fn try_write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.to {
            To::Stdout => {
                io::stdout().write_all(text.as_bytes())?;
                io::stdout().flush()
            }
            To::File(file, is_old) => {
                // What is no regular file has no content that could be in the way.
                if std::mem::take(is_old) && file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                file.write_all(text.as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_what_it_has_until_something_is_written() {
        let path = std::env::temp_dir().join(format!("heist-output-{}", std::process::id()));
        std::fs::write(&path, "the page of yesterday").unwrap();
        let mut output = Output::open(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "the page of yesterday");
        output.write_text("one ").unwrap();
        output.write_text("two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one two");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_hyphen_is_standard_output() {
        assert!(Output::open(Path::new("-")).unwrap().is_stdout());
    }
}
