//! Measures heist against its peers.
//!
//! A **group** is a list of **rows**; a row is one bench and the contenders that run it, heist
//! first. To add a group, write a file with a `GROUP` and name it in [`GROUPS`].
//!
//! How a figure comes about: `measure` runs the contenders of a row in turns and takes medians;
//! `processes` repeats that in other processes; `report` turns all of it into ratios.

pub mod costs;
#[cfg(unix)]
mod cpu;
mod deque;
mod error;
mod executor;
pub mod fork_join;
mod html;
#[cfg(unix)]
pub mod http;
#[cfg(unix)]
mod idle;
mod iter;
pub mod library;
pub mod measure;
mod net;
mod output;
mod processes;
pub mod report;
mod sort;
pub mod tasks;

use std::fs;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::BenchOptions;
pub use error::Error;
#[cfg(unix)]
pub use http::{ServerOptions, serve};
use measure::{Effort, Row};
use output::Output;
use report::Record;

/// What can be asked for on the command line, in the order in which it runs.
pub const GROUPS: &[Group] = &[
    deque::GROUP,
    costs::GROUP,
    fork_join::GROUP,
    #[cfg(unix)]
    idle::GROUP,
    iter::GROUP,
    sort::GROUP,
    tasks::GROUP,
    net::GROUP,
    #[cfg(unix)]
    http::HTTP,
    #[cfg(unix)]
    http::MIXED,
];

/// Rows that belong together: they make one table.
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    /// Lists the rows. This is cheap: a row sets itself up when its turn comes.
    pub rows: fn(&Effort) -> Vec<Row>,
}

/// Runs what `options` ask for and prints the tables; or makes a page of earlier results.
pub fn run(options: &BenchOptions) -> Result<(), Error> {
    match (&options.from, &options.html) {
        (Some(from), Some(html)) => page_from(from, html),
        _ => measure_and_report(options),
    }
}

fn measure_and_report(options: &BenchOptions) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build, its figures mean nothing; use `cargo run --release`");
    }
    let rows = chosen_rows(options)?;
    // Opened before anything is measured, so that a wrong path shows at once.
    let mut json = options.json.as_deref().map(Output::open).transpose()?;
    let html = options.html.as_deref().map(Output::open).transpose()?;
    let bar = progress_bar(options, rows.len());

    let runs = if options.processes == 1 {
        run_here(rows, options, &bar, json.as_mut()).map(|run| vec![run])
    } else {
        processes::run(options, &bar)
    };
    bar.finish_and_clear();
    let runs = runs?;

    let summaries = report::summarize(&runs);
    if options.processes > 1
        && let Some(json) = &mut json
    {
        summaries.iter().flat_map(|summary| &summary.records).try_for_each(|record| json.write(record))?;
    }
    if ![&json, &html].into_iter().flatten().any(Output::is_stdout) {
        Output::open(Path::new("-"))?.write_text(&report::tables(&summaries, runs.len()))?;
    }
    if let Some(mut html) = html {
        let records: Vec<Record> = summaries.into_iter().flat_map(|summary| summary.records).collect();
        html.write_text(&html::page(&html::of_this_run(runs.len()), &records))?;
    }
    Ok(())
}

/// Makes a page of the lines that an earlier run has written.
fn page_from(from: &Path, to: &Path) -> Result<(), Error> {
    let cannot_read = |source| Error::Read { from: from.to_owned(), source };
    let text = fs::read_to_string(from).map_err(cannot_read)?;
    let records: Result<Vec<Record>, Error> = text
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let not_a_result = |source| Error::NotResults { from: from.to_owned(), line: index + 1, source };
            serde_json::from_str(line).map_err(not_a_result)
        })
        .collect();
    let records = records?;
    if records.is_empty() {
        return Err(Error::NoResults { from: from.to_owned() });
    }
    let written = fs::metadata(from).and_then(|data| data.modified()).ok();
    let facts = html::of_file(&from.display().to_string(), written);
    Output::open(to)?.write_text(&html::page(&facts, &records))
}

/// The rows to run, each with the name of its group.
fn chosen_rows(options: &BenchOptions) -> Result<Vec<(&'static str, Row)>, Error> {
    let effort = Effort::new(options.quick);
    let only = options.only.as_deref().unwrap_or_default();
    let rows: Vec<_> = GROUPS
        .iter()
        .filter(|group| options.group.as_deref().is_none_or(|name| name == group.name))
        .flat_map(|group| (group.rows)(&effort).into_iter().map(|row| (group.name, row)))
        .filter(|(_, row)| row.name.contains(only))
        .collect();
    if rows.is_empty() {
        return Err(Error::NothingToRun { only: only.to_owned() });
    }
    Ok(rows)
}

/// Runs the rows in this process; JSON lines leave as soon as their row has run.
fn run_here(
    rows: Vec<(&'static str, Row)>,
    options: &BenchOptions,
    bar: &ProgressBar,
    mut json: Option<&mut Output>,
) -> Result<Vec<Record>, Error> {
    let effort = Effort::new(options.quick);
    let mut records = Vec::new();
    for (group, row) in rows {
        bar.set_message(format!("{group}: {}", row.name));
        let bench = row.name.clone();
        let results = report::records(group, &bench, &measure::measure(row, &effort));
        if let Some(json) = &mut json {
            results.iter().try_for_each(|record| json.write(record))?;
        }
        records.extend(results);
        bar.inc(1);
    }
    Ok(records)
}

/// A bar that is drawn between rows only: nothing ticks while something is measured.
fn progress_bar(options: &BenchOptions, rows: usize) -> ProgressBar {
    if options.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} % (about {eta} left)\n{msg}")
        .expect("the template is correct");
    let bar = ProgressBar::new(rows as u64 * u64::from(options.processes)).with_style(style);
    bar.tick();
    bar
}
