//! `heist trace`: runs a workload, records what the workers do, sums it up and writes it to a file.
//!
//! It uses nothing but [`heist::trace`], which is there for every program.

mod workloads;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use heist::ThreadPoolBuildError;
use heist::trace::{Recorder, Trace};

use crate::words::{cores, plural};
use workloads::{WORKLOADS, Workload};

/// Events for which there is room, of all threads together. An event takes 24 bytes.
const EVENTS: usize = 1 << 21;

#[derive(Args, Clone, Debug)]
pub struct TraceOptions {
    /// What to run
    #[arg(default_value = WORKLOADS[0].name, value_parser = workload_names())]
    workload: String,

    /// How many workers; as many as there are cores if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,

    /// How big the workload is: what that means, and how much is possible, differs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    size: Option<u32>,

    /// Write the events to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the file; `json` if its name ends like that, else `perfetto`
    #[arg(long, requires = "output")]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Format {
    /// For <https://ui.perfetto.dev>
    Perfetto,
    /// For the same and for other viewers, in several times the size
    Json,
}

fn workload_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        WORKLOADS.iter().map(|workload| PossibleValue::new(workload.name).help(workload.help())),
    )
}

pub fn run(options: &TraceOptions) -> Result<(), Error> {
    let workload = WORKLOADS.iter().find(|workload| workload.name == options.workload);
    let workload = workload.expect("only names of workloads are accepted");
    let size = size(workload, options.size)?;
    let workers = options.workers.map_or_else(cores, usize::from);
    // Opened before anything runs, so that a wrong path shows at once.
    let output = options.output.as_deref().map(|path| Output::create(path, options.format)).transpose()?;
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build, in which everything takes longer; use `cargo run --release`");
    }

    let trace = record(workload, size, workers)?;
    let on = plural(workers, "worker");
    print(&format!("{}, size {size}, {on}\n\n{}\n\n", workload.name, trace.summary()))?;
    match output {
        Some(output) => print(&output.write(&trace)?),
        None => print(&format!("To look at every event: --output {}.pftrace\n", workload.name)),
    }
}

fn size(workload: &Workload, size: Option<u32>) -> Result<u32, Error> {
    let size = size.unwrap_or(workload.size);
    if workload.sizes.contains(&size) {
        return Ok(size);
    }
    Err(Error::Size { size, workload: workload.name, sizes: workload.sizes.clone() })
}

fn record(workload: &Workload, size: u32, workers: usize) -> Result<Trace, Error> {
    let recorder = Recorder::new().events_per_thread(EVENTS / (workers + 2));
    workload.work.record(&recorder, size, workers)
}

struct Output {
    path: PathBuf,
    format: Format,
    file: File,
}

impl Output {
    fn create(path: &Path, format: Option<Format>) -> Result<Self, Error> {
        let file = File::create(path).map_err(|source| cannot_write(path, source))?;
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let by_name = if is_json { Format::Json } else { Format::Perfetto };
        Ok(Output { path: path.to_owned(), format: format.unwrap_or(by_name), file })
    }

    /// Says what to do with it.
    fn write(&self, trace: &Trace) -> Result<String, Error> {
        let written = match self.format {
            Format::Perfetto => trace.write_perfetto(&self.file),
            Format::Json => trace.write_chrome_json(&self.file),
        };
        written.map_err(|source| cannot_write(&self.path, source))?;
        Ok(format!(
            "Written to {}. To look at it, open https://ui.perfetto.dev and drop the file onto the page.\n\
             It does not leave your browser.\n",
            self.path.display()
        ))
    }
}

fn print(text: &str) -> Result<(), Error> {
    io::stdout().write_all(text.as_bytes()).map_err(|source| cannot_write("standard output".as_ref(), source))
}

fn cannot_write(to: &Path, source: io::Error) -> Error {
    Error::Write { to: to.to_owned(), source }
}

#[derive(Debug)]
pub enum Error {
    /// The workload cannot be so small, or so large.
    Size { size: u32, workload: &'static str, sizes: RangeInclusive<u32> },
    /// The file, or standard output, takes no more.
    Write { to: PathBuf, source: io::Error },
    /// The pool cannot be built.
    Pool { source: ThreadPoolBuildError },
    /// Nor the runtime.
    Runtime { source: io::Error },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { size, workload, sizes } => {
                let (min, max) = (sizes.start(), sizes.end());
                write!(f, "a size of {size} is not possible: {workload} takes {min} to {max}")
            }
            Self::Write { to, source } => write!(f, "cannot write to {}: {source}", to.display()),
            Self::Pool { source } => write!(f, "the workers cannot be started ({source}); try fewer"),
            Self::Runtime { source } => write!(f, "the workers cannot be started ({source}); try fewer"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Size { .. } => None,
            Self::Write { source, .. } | Self::Runtime { source } => Some(source),
            Self::Pool { source } => Some(source),
        }
    }
}

#[cfg(test)]
mod tests;
