//! Repeats a run in other processes, one after another.
//!
//! Each is this very program with `--processes 1 --json -`: it prints a line per result as soon as
//! it has one, which also moves the progress bar. Everything else it has to say goes to the
//! terminal they share, and so does Ctrl-C.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use indicatif::ProgressBar;

use super::Error;
use super::report::Record;
use crate::cli::BenchOptions;

/// What each process measured.
pub fn run(options: &BenchOptions, bar: &ProgressBar) -> Result<Vec<Vec<Record>>, Error> {
    let run_one = |process| {
        bar.set_message(format!("process {process} of {}", options.processes));
        run_one(process, options, bar)
    };
    (1..=options.processes).map(run_one).collect()
}

fn run_one(process: u32, options: &BenchOptions, bar: &ProgressBar) -> Result<Vec<Record>, Error> {
    let mut child = start(options).map_err(|source| Error::Rerun { source })?;
    let records = read_records(&mut child, bar);
    let status = child.wait().map_err(|source| Error::Rerun { source })?;
    match records {
        Ok(_) if !status.success() => Err(Error::Failed { process, status }),
        records => records,
    }
}

fn start(options: &BenchOptions) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(arguments(options))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
}

/// The command line of a process that does one share of `options`.
fn arguments(options: &BenchOptions) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["bench", "--processes", "1", "--json", "-", "--quiet"].map(str::to_owned).into();
    arguments.extend(options.group.clone());
    if options.quick {
        arguments.push("--quick".to_owned());
    }
    if let Some(only) = &options.only {
        arguments.push(format!("--only={only}"));
    }
    arguments
}

/// Reads the child's results to their end; the bar moves with each new bench.
fn read_records(child: &mut Child, bar: &ProgressBar) -> Result<Vec<Record>, Error> {
    let stdout = child.stdout.take().expect("its output is a pipe");
    let mut records: Vec<Record> = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|source| Error::Rerun { source })?;
        let record = serde_json::from_str(&line).map_err(|source| Error::Garbled { line, source })?;
        if records.last().is_none_or(|last| !last.is_same_bench(&record)) {
            bar.inc(1);
        }
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn a_process_is_asked_for_one_share_of_the_same() {
        let bench = |arguments: &[String]| match Cli::parse_from(arguments).command {
            Some(Command::Bench(options)) => options,
            _ => panic!("not a bench"),
        };
        let whole = ["heist", "bench", "fork-join", "--quick", "--only=--fib"].map(str::to_owned);
        let whole = bench(&whole);
        let arguments: Vec<_> = ["heist".to_owned()].into_iter().chain(arguments(&whole)).collect();
        let share = bench(&arguments);
        assert_eq!(share.group, whole.group);
        assert_eq!(share.only, whole.only);
        assert_eq!(share.quick, whole.quick);
        assert_eq!(share.processes, 1);
        assert_eq!(share.json.as_deref(), Some("-".as_ref()));
    }
}
