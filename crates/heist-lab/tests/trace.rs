//! `heist trace` as its users meet it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn trace(args: &[&str]) -> Output {
    let mut heist = Command::new(env!("CARGO_BIN_EXE_heist"));
    heist.arg("trace").args(args).output().expect("the program can be started")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn without_a_file_there_is_a_summary_and_how_to_get_one() {
    let output = trace(&["fib", "--workers", "3", "--size", "10"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for part in ["fib, size 10, 3 workers", "worker 2", "parallelism", "--output fib.pftrace"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_file_is_written_and_how_to_open_it_is_said() {
    let file = scratch("chain.pftrace");
    let path = file.to_str().expect("a plain path");
    let output = trace(&["chain", "--size", "10", "--output", path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("https://ui.perfetto.dev"));
    let bytes = fs::read(&file).expect("it was written");
    // A packet of some length.
    assert_eq!(bytes.first(), Some(&0x0a));
}

#[test]
fn json_is_json() {
    let file = scratch("storm");
    let path = file.to_str().expect("a plain path");
    let output = trace(&["spawn-storm", "--size", "20", "--output", path, "--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json = fs::read_to_string(&file).expect("it was written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let events = json["traceEvents"].as_array().expect("a list of events");
    assert!(events.iter().filter(|event| event["name"] == "task").count() >= 20);
}

#[test]
fn a_file_that_cannot_be_written_is_named_before_anything_runs() {
    let output = trace(&["--output", "/no/such/folder/fib.pftrace"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("cannot write to /no/such/folder/fib.pftrace"), "{message}");
    assert!(output.stdout.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let output = trace(&["--size", "5", "--output", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write to /dev/full"));
}

#[test]
fn what_is_out_of_range_is_answered_with_the_range() {
    for (args, code, answer) in [
        (["--workers", "0"], 2, "0 is not in 1..=256"),
        (["--workers", "1000000000"], 2, "1000000000 is not in 1..=256"),
        (["--size", "1000000000"], 1, "fib takes 1 to 25"),
    ] {
        let output = trace(&args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(text(&output.stderr).contains(answer), "{}", text(&output.stderr));
    }
}
