//! The program as its users meet it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The quickest bench there is.
const ONE_BENCH: [&str; 5] = ["bench", "deque", "--quick", "--only", "in turns"];

fn heist(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heist")).args(args).output().expect("the program can be started")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn two_processes_make_one_table_and_one_set_of_json_lines() {
    let file = scratch("two_processes.jsonl");
    let json = file.to_str().expect("a plain path");
    let args = [&ONE_BENCH[..], &["--processes", "2", "--json", json]].concat();
    let output = heist(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("medians of 2 processes"));

    let lines = std::fs::read_to_string(&file).expect("the file was written");
    let records: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    let who: Vec<_> = records.iter().map(|record| &record["who"]).collect();
    assert_eq!(who, ["heist", "crossbeam", "st3", "crossbeam (again)"]);
    assert_eq!(records[0]["group"], "deque");
    assert_eq!(records[0]["ratio"], 1.0);
    for record in &records {
        assert!(record["median_ns"].as_f64() > Some(0.0), "{record}");
        assert!(record["ratio"].as_f64() > Some(0.0), "{record}");
    }
}

#[test]
fn json_on_standard_output_stands_alone() {
    let args = [&ONE_BENCH[..], &["--processes", "1", "--json", "-"]].concat();
    let output = heist(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for line in text(&output.stdout).lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("only JSON lines");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named_before_anything_runs() {
    let output = heist(&["bench", "--json", "/no/such/folder/out.jsonl"]);
    assert!(!output.status.success());
    let message = text(&output.stderr);
    assert!(message.contains("cannot write to /no/such/folder/out.jsonl"), "{message}");
}

#[test]
fn an_unknown_group_is_answered_with_the_known_ones() {
    let output = heist(&["bench", "tea"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("deque, costs, fork-join"));
}

#[test]
fn a_filter_that_matches_nothing_is_an_error() {
    let output = heist(&["bench", "--only", "no such bench"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("no bench has `no such bench` in its name"));
}
