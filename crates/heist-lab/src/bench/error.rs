//! What can go wrong in a benchmark run, in sentences that say what to do.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::{fmt, io};

#[derive(Debug)]
pub enum Error {
    /// `--only` matched no bench.
    NothingToRun { only: String },
    /// The file of `--json` or `--html`, or standard output, takes no more.
    Write { to: PathBuf, source: io::Error },
    /// The file of `--from` cannot be read.
    Read { from: PathBuf, source: io::Error },
    /// The file of `--from` has something else than results in it.
    NotResults { from: PathBuf, line: usize, source: serde_json::Error },
    /// The file of `--from` is empty.
    NoResults { from: PathBuf },
    /// Another process of ourselves could not be started or read from.
    Rerun { source: io::Error },
    /// Another process of ourselves printed something else than results.
    Garbled { line: String, source: serde_json::Error },
    /// Another process of ourselves failed.
    Failed { process: u32, status: ExitStatus },
    /// The tour could not be told, or one of its servers could not be asked.
    Tour { source: io::Error },
    /// The server that is measured cannot serve.
    #[cfg(unix)]
    Serve { source: io::Error },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToRun { only } => {
                write!(f, "no bench has `{only}` in its name; run without --only to see the names")
            }
            Self::Write { to, source } => write!(f, "cannot write to {}: {source}", to.display()),
            Self::Read { from, source } => write!(f, "cannot read {}: {source}", from.display()),
            Self::NotResults { from, line, source } => write!(
                f,
                "line {line} of {} is no result ({source}); `heist bench --json FILE` writes such a file",
                from.display()
            ),
            Self::NoResults { from } => {
                write!(f, "{} is empty; `heist bench --json FILE` writes such a file", from.display())
            }
            Self::Rerun { source } => write!(
                f,
                "cannot run this program again for the next process ({source}); `--processes 1` does without"
            ),
            Self::Garbled { line, source } => write!(
                f,
                "a process printed `{line}`, which is no result ({source}); was the program rebuilt since?"
            ),
            Self::Failed { process, status } => write!(
                f,
                "process {process} ended with {status}; `--processes 1` runs the same here and shows where"
            ),
            Self::Tour { source } => write!(f, "the tour cannot go on: {source}"),
            #[cfg(unix)]
            Self::Serve { source } => write!(f, "cannot serve: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write { source, .. }
            | Self::Read { source, .. }
            | Self::Rerun { source }
            | Self::Tour { source } => Some(source),
            Self::Garbled { source, .. } | Self::NotResults { source, .. } => Some(source),
            #[cfg(unix)]
            Self::Serve { source } => Some(source),
            Self::NothingToRun { .. } | Self::NoResults { .. } | Self::Failed { .. } => None,
        }
    }
}
