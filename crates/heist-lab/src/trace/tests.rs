use super::*;
use crate::cli::{Cli, Command};
use clap::Parser;

fn options(args: &[&str]) -> Result<TraceOptions, clap::Error> {
    match Cli::try_parse_from(["heist", "trace"].iter().chain(args))?.command {
        Some(Command::Trace(options)) => Ok(options),
        _ => unreachable!("the arguments name this command"),
    }
}

fn workload(name: &str) -> &'static Workload {
    WORKLOADS.iter().find(|workload| workload.name == name).expect("there is one")
}

/// Some of these check their results themselves.
#[test]
fn every_workload_runs_and_is_recorded_at_its_smallest() {
    for workload in WORKLOADS {
        for workers in [1, 2] {
            let trace = record(workload, *workload.sizes.start(), workers).expect("it can be started");
            assert_eq!(trace.lost(), 0, "{}", workload.name);
            let summary = trace.summary();
            assert!(summary.runs() > 0 && !summary.analysis.work.is_zero(), "{}\n{summary}", workload.name);
        }
    }
}

#[test]
fn the_usual_sizes_are_possible_and_leave_room_for_all_events() {
    for workload in WORKLOADS {
        assert_eq!(size(workload, None).unwrap(), workload.size);
        let trace = record(workload, workload.size, 2).expect("it can be started");
        assert_eq!(trace.lost(), 0, "{}", workload.name);
    }
}

#[test]
fn the_summary_of_a_chain_says_that_it_is_one() {
    let summary = record(workload("chain"), 50, 2).expect("it can be started").summary();
    assert!(summary.analysis.parallelism() < 1.5, "{summary}");
    assert!(summary.advice()[0].contains("chain"), "{summary}");
}

#[test]
fn a_size_that_is_not_possible_is_answered_with_those_that_are() {
    let error = size(workload("fib"), Some(1_000_000_000)).unwrap_err();
    assert!(error.to_string().contains("fib takes 1 to 25"), "{error}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    for args in [["--workers", "0"], ["--workers", "257"], ["--workers", "many"], ["--size", "0"]] {
        assert!(options(&args).is_err(), "{args:?}");
    }
    assert!(options(&["--size", "99999999999"]).is_err());
    assert!(options(&["--format", "json"]).is_err(), "of what file?");
}

#[test]
fn an_unknown_workload_is_answered_with_the_known_ones() {
    let message = options(&["tea"]).unwrap_err().to_string();
    assert!(WORKLOADS.iter().all(|workload| message.contains(workload.name)), "{message}");
}

#[test]
fn the_format_is_that_of_the_name_unless_it_is_given() {
    let path = |name: &str| std::env::temp_dir().join(format!("heist-lab-{}-{name}", std::process::id()));
    for (name, given, expected) in [
        ("a.json", None, Format::Json),
        ("a.pftrace", None, Format::Perfetto),
        ("b.json", Some(Format::Perfetto), Format::Perfetto),
        ("b", Some(Format::Json), Format::Json),
    ] {
        let output = Output::create(&path(name), given).expect("it can be written");
        assert_eq!(output.format, expected, "{name}");
        std::fs::remove_file(path(name)).expect("it is there");
    }
}
