//! Runs steps one after the other up to the first failure, and sums up.

use std::time::Instant;

use crate::{Entry, Outcome, Result};

/// Fails if a step failed; a step that was skipped is no failure, but the summary says so.
pub fn run(steps: &[Entry]) -> Result {
    let start = Instant::now();
    let mut summary = String::new();
    let mut failed = None;
    for &(name, _, step) in steps {
        if failed.is_some() {
            summary += &row(name, "-", "not run");
            continue;
        }
        println!("\n==> {name}");
        let start = Instant::now();
        let result = match step(&[]) {
            Ok(Outcome::Done) => "ok".to_owned(),
            Ok(Outcome::Skipped(why)) => format!("skipped: {why}"),
            Err(error) => {
                failed = Some(name);
                format!("FAILED: {error}")
            }
        };
        let seconds = format!("{:.1}", start.elapsed().as_secs_f64());
        println!("<== {name}: {result} ({seconds} s)");
        summary += &row(name, &seconds, &result);
    }
    let total = format!("{:.1}", start.elapsed().as_secs_f64());
    print!("\n{}{summary}{}", row("step", "seconds", "result"), row("total", &total, ""));
    match failed {
        Some(name) => Err(format!("`{name}` failed").into()),
        None => Ok(Outcome::Done),
    }
}

fn row(step: &str, seconds: &str, result: &str) -> String {
    let row = format!("{step:<12} {seconds:>8}  {result}");
    format!("{}\n", row.trim_end())
}
