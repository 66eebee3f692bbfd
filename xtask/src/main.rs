//! The checks and chores of the workspace: `cargo xtask <name>`.
//!
//! Without a name it lists them. To add one, write a [`Step`] and give it a line in [`CHECKS`], which
//! `cargo xtask ci` runs, or in [`OTHERS`], which are run by name only.

mod ci;
mod perfetto;
mod rayon;
mod steps;
mod tidy;
mod web;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// A name, what it does in one line, and how.
type Entry = (&'static str, &'static str, Step);

/// What a name stands for; it is given the arguments after the name.
type Step = fn(&[String]) -> Result;

type Result<T = Outcome> = std::result::Result<T, Box<dyn Error>>;

/// How a step ended that did not fail.
enum Outcome {
    Done,
    /// It cannot run on this machine, and why.
    Skipped(String),
}

/// What `ci` runs, in this order.
#[rustfmt::skip]
const CHECKS: &[Entry] = &[
    ("test", "every test of the workspace", steps::test),
    ("fmt", "the formatting, without changing it", steps::fmt),
    ("tidy", "what rustfmt and clippy cannot see: unsafe, atomics, line lengths, links", tidy::tidy),
    ("clippy", "clippy, warnings denied", steps::clippy),
    ("docs", "the documentation, private items included, warnings denied", steps::docs),
    ("loom", "the models of heist-core and heist-rt under loom [filter]", steps::loom),
    ("tsan", "heist-core under ThreadSanitizer, with nightly [suite...]", steps::tsan),
    ("asan", "the libraries under AddressSanitizer and LeakSanitizer, with nightly [suite...]", steps::asan),
    ("ledger", "every job runs exactly once, in release mode [--long: the long runs instead]", steps::ledger),
    ("ecosystem", "libraries written for other runtimes, on heist [filter]", steps::ecosystem),
    ("rayon-suite", "the tests of rayon and rayon-core, with heist as the rayon-core", rayon::suite),
    ("rayon-api", "every name of rayon's is there, and in docs/rayon-api.md [--write]", rayon::api),
    ("rayon-iter-suite", "the tests and doc examples of rayon, with heist as the rayon", rayon::iter_suite),
    ("web", "the demo's page: its state in node, the rest in a browser [what to give Playwright]", web::web),
    ("bench-smoke", "the benchmarks build and run one quick round", steps::bench_smoke),
    ("perfetto", "traces of the lab, read with Perfetto's own definitions, with python3", perfetto::perfetto),
];

/// What is run by its name only.
#[rustfmt::skip]
const OTHERS: &[Entry] = &[
    ("ci", "all of the above, up to the first failure", ci),
    ("screenshots", "the demo's page in docs/images, made anew", web::screenshots),
    ("rayon-program", "b3sum on rayon-core and on heist: the same hash, and in what time", rayon::program),
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let (name, rest) = match &args[..] {
        [] => ("help", &[][..]),
        [name, rest @ ..] => (name.as_str(), rest),
    };
    if matches!(name, "help" | "--help" | "-h") {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let Some((_, _, step)) = entries().find(|entry| entry.0 == name) else {
        eprint!("error: there is no `{name}`\n\n{}", help());
        return ExitCode::from(2);
    };
    match enter_root().and_then(|()| step(rest)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Skipped(why)) => {
            println!("skipped: {why}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    CHECKS.iter().chain(OTHERS)
}

/// Runs every check.
fn ci(args: &[String]) -> Result {
    no_args(args)?;
    ci::run(CHECKS)
}

/// For steps that have nothing to be told.
fn no_args(args: &[String]) -> Result<()> {
    match args.first() {
        Some(arg) => Err(format!("unexpected argument `{arg}`").into()),
        None => Ok(()),
    }
}

/// Steps name their files relative to the root, wherever `cargo xtask` was called.
fn enter_root() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.ok_or("xtask has no parent directory")?;
    Ok(env::set_current_dir(root)?)
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask <name> [arguments]\n\n");
    for (name, about, _) in entries() {
        text += &format!("  {name:<16} {about}\n");
    }
    text
}
