//! The program as its users meet it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

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

#[test]
fn a_page_that_cannot_be_written_is_named_before_anything_runs() {
    let output = heist(&["bench", "--html", "/no/such/folder/out.html"]);
    assert!(!output.status.success());
    let message = text(&output.stderr);
    assert!(message.contains("cannot write to /no/such/folder/out.html"), "{message}");
}

/// The texts of all elements with this tag.
fn texts_of(page: &str, tag: &str) -> Vec<String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let page = roxmltree::Document::parse_with_options(page, options).expect("well-formed");
    let texts = page.descendants().filter(|node| node.has_tag_name(tag));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_page_has_the_results_and_where_they_are_from_and_json_makes_the_same_plots() {
    let [html, json, again] =
        ["page.html", "page.jsonl", "page_again.html"].map(|name| scratch(name).display().to_string());
    let args = [&ONE_BENCH[..], &["--processes", "2", "--html", &html, "--json", &json]].concat();
    let output = heist(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("medians of 2 processes"), "the table is printed all the same");
    let page = std::fs::read_to_string(&html).expect("the page was written");
    let facts = texts_of(&page, "dt");
    for fact in ["machine", "system", "date", "heist", "command", "processes"] {
        assert!(facts.iter().any(|known| known == fact), "{facts:?}");
    }
    assert!(page.contains("heist bench deque --quick --only &#39;in turns&#39;"), "the command line");
    assert_eq!(texts_of(&page, "th").iter().filter(|text| text.contains("in turns")).count(), 1);

    let output = heist(&["bench", "--from", &json, "--html", &again]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    let again = std::fs::read_to_string(&again).expect("the page was written");
    let plots = |page: &str| page.split_once("<main>").expect("there are plots").1.to_owned();
    assert_eq!(plots(&page), plots(&again));
}

#[test]
fn what_is_no_result_is_answered_with_its_line() {
    let (from, html) = (scratch("no_results.jsonl"), scratch("no_results.html"));
    let [from_name, html_name] = [&from, &html].map(|path| path.to_str().expect("a plain path"));
    let complaint = |content: &str| {
        std::fs::write(&from, content).expect("it can be written");
        let output = heist(&["bench", "--from", from_name, "--html", html_name]);
        assert!(!output.status.success());
        text(&output.stderr).to_owned()
    };
    let result = r#"{"group":"g","bench":"b","who":"heist","median_ns":1.0,"ratio":1.0}"#;
    let message = complaint(&format!("{result}\ntea\n"));
    assert!(message.contains("line 2 of") && message.contains("is no result"), "{message}");
    let message = complaint("");
    assert!(message.contains("is empty"), "{message}");
    assert!(!html.exists(), "there is nothing to make a page of");
}

/// What a tour prints that takes next to no time. There is no terminal: it is a pipe.
fn quick_tour() -> &'static str {
    static TOUR: OnceLock<String> = OnceLock::new();
    TOUR.get_or_init(|| {
        let output = heist(&["tour", "--quick"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
        text(&output.stdout).to_owned()
    })
}

#[test]
fn the_tour_shows_four_strategies_and_the_bound_that_none_beats() {
    let tour = quick_tour();
    assert!(tour.contains("750 / 4 = 187.5 ms"), "{tour}");
    let lines: Vec<&str> = tour.lines().collect();
    for strategy in ["static partition:", "central queue:", "work sharing:", "heist: own deques"] {
        let at = lines.iter().position(|line| line.starts_with(strategy));
        let at = at.unwrap_or_else(|| panic!("no {strategy} in\n{tour}"));
        for worker in 0..4 {
            let bar = lines[at + 1 + worker];
            assert!(bar.starts_with(&format!("  worker {worker} ")), "{bar}");
        }
        let time = lines[at + 5].split_whitespace().next().and_then(|time| time.parse::<f64>().ok());
        assert!(time >= Some(187.5), "{}", lines[at + 5]);
    }
}

#[test]
fn the_tour_shows_costs_next_to_those_of_peers_and_ends_with_where_to_go() {
    let tour = quick_tour();
    let of_row = |label: &str| {
        let line = tour.lines().find(|line| line.trim_start().starts_with(label));
        line.unwrap_or_else(|| panic!("no row {label} in\n{tour}"))
    };
    for row in ["fork: offer", "join: take", "steal, by", "wake a sleeper: the", "wake a sleeper: until"] {
        assert!(of_row(row).contains('s'), "{}", of_row(row));
    }
    for row in ["spawn in block_on", "spawn from outside", "spawn in a task"] {
        assert!(of_row(row).contains("s "), "{}", of_row(row));
    }
    if cfg!(unix) {
        assert!(of_row("heist, computing by offload").ends_with("/s"));
        assert!(of_row("tokio, computing on rayon's pool").ends_with("/s"));
    }
    let next = tour.split("Where to go next").nth(1).expect("the tour ends with it");
    let ways = ["heist demo", "heist trace", "heist bench", "docs/from-rayon.md", "docs/from-tokio.md"];
    for way in ways.into_iter().chain(["docs/mixing.md"]) {
        assert!(next.contains(way), "{next}");
    }
}

#[test]
fn a_tour_that_is_not_told_to_a_terminal_is_plain_text_of_80_columns() {
    let tour = quick_tour();
    assert!(!tour.contains('\x1b'), "{tour}");
    for line in tour.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
