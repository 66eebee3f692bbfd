//! The steps that are commands: each is echoed before it runs, in a form that a shell understands.
//!
//! What is built with flags of its own has a target directory of its own, so that going from one step to the
//! next rebuilds nothing.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::{Outcome, Result, no_args};

pub fn test(args: &[String]) -> Result {
    run(cargo("test --workspace").args(args))?;
    if !args.is_empty() {
        return Ok(Outcome::Done);
    }
    // What comes with features that are off by default.
    run(&mut cargo("test -p heist-rt --all-features --test tokio_io --test hyper"))?;
    run(&mut cargo("test -p heist --all-features --test examples --examples"))
}

pub fn fmt(args: &[String]) -> Result {
    no_args(args)?;
    run(&mut cargo("fmt --all --check"))
}

pub fn clippy(args: &[String]) -> Result {
    no_args(args)?;
    run(&mut cargo("clippy --workspace --all-targets --all-features -- -D warnings"))?;
    // The models, which are compiled for loom only. The profile makes it look at the tests of the library.
    let mut models = cargo("clippy -p heist-core -p heist-rt --lib --profile test");
    models.arg("--target-dir").arg(target_dir("loom"));
    set_flags(&mut models, "RUSTFLAGS", "--cfg heist_loom");
    run(models.args(["--", "-D", "warnings"]))
}

pub fn docs(args: &[String]) -> Result {
    no_args(args)?;
    let mut doc = cargo("doc --workspace --all-features --no-deps --document-private-items");
    run(set_flags(&mut doc, "RUSTDOCFLAGS", "-D warnings"))
}

/// The crates that have models.
const MODELLED: [&str; 2] = ["heist-core", "heist-rt"];

/// Lists the models before it runs them: were the cfg to get lost, the run would pass with none of them.
pub fn loom(args: &[String]) -> Result {
    for krate in MODELLED {
        let loom = || {
            let mut test = cargo("test --release --lib -p");
            test.arg(krate).arg("--target-dir").arg(target_dir("loom"));
            set_flags(&mut test, "RUSTFLAGS", "--cfg heist_loom");
            // Assertions of the code under test are a part of what is checked.
            test.env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true");
            set_default(&mut test, "LOOM_MAX_PREEMPTIONS", "3");
            test
        };
        let tests = read(loom().args(["--", "--list", "--format=terse"]))?;
        let models = tests.lines().filter(|test| test.contains("model::")).count();
        if models == 0 {
            return Err(format!(
                "{krate} has no test in a module `model` when built with `--cfg heist_loom`"
            )
            .into());
        }
        println!("models of {krate}: {models}");
        run(loom().args(args))?;
    }
    Ok(Outcome::Done)
}

pub fn tsan(suites: &[String]) -> Result {
    let tsan = Sanitizer {
        name: "thread",
        short: "tsan",
        options: ("TSAN_OPTIONS", "halt_on_error=1 report_thread_leaks=0"),
    };
    sanitize(&tsan, "heist-core --test sanitize", suites)
}

/// Tests of heist that come to where it is unsafe: the others would only take long to compile.
const UNSAFE_IN_HEIST: &str = "heist --lib --test collections_all --test iter_collect --test iter_sources \
    --test scan_fill_partition --test sort_order --test sort_panics";

/// Without names of suites it runs all tests of the libraries below heist, `sanitize` among them.
pub fn asan(suites: &[String]) -> Result {
    let asan = Sanitizer { name: "address", short: "asan", options: ("ASAN_OPTIONS", "detect_leaks=1") };
    if !suites.is_empty() {
        return sanitize(&asan, "heist-core --test sanitize", suites);
    }
    sanitize(&asan, "heist-core --tests", &[])?;
    sanitize(&asan, UNSAFE_IN_HEIST, &[])?;
    // What is told to leak is left out.
    let skips = ["--skip", "leaks_a_handle", "--skip", "that_is_leaked"].map(str::to_owned);
    sanitize(&asan, "heist-rt --tests", &skips)
}

/// Formatted and linted here, as well: no other step sees it.
pub fn ecosystem(args: &[String]) -> Result {
    let there = |command: &str| {
        let mut cargo = cargo(command);
        cargo.args(["--manifest-path", "compat/ecosystem/Cargo.toml"]);
        cargo
    };
    run(there("fmt").arg("--check"))?;
    let target = target_dir("ecosystem");
    run(there("clippy --all-targets").arg("--target-dir").arg(&target).args(["--", "-D", "warnings"]))?;
    run(there("test").arg("--target-dir").arg(&target).args(args))
}

pub fn ledger(args: &[String]) -> Result {
    let mut test = cargo("test --release -p heist-core --test ledger");
    match args {
        [] => run(&mut test),
        [long] if long == "--long" => run(test.args(["--", "--ignored"])),
        _ => Err("`ledger` knows one argument: --long".into()),
    }
}

pub fn bench_smoke(args: &[String]) -> Result {
    no_args(args)?;
    run(&mut cargo("run --release -p heist-lab -- bench --quick --processes 1"))
}

struct Sanitizer {
    /// What rustc calls it.
    name: &'static str,
    short: &'static str,
    /// The variable its runtime reads, and what we want there.
    options: (&'static str, &'static str),
}

/// Runs tests of a package with `sanitizer` if there is a nightly compiler that can.
fn sanitize(sanitizer: &Sanitizer, tests: &str, args: &[String]) -> Result {
    let Some(host) = nightly_host() else {
        return Ok(Outcome::Skipped("no nightly toolchain (rustup toolchain install nightly)".into()));
    };
    let dir = target_dir(sanitizer.short);
    let flags = format!("-Zsanitizer={} -Cunsafe-allow-abi-mismatch=sanitizer", sanitizer.name);
    if let Some(why) = cannot_build(&flags, &host, &dir)? {
        return Ok(Outcome::Skipped(format!("nightly cannot do {flags} here: {why}")));
    }
    // With `--target`, even the host's own, build scripts and macros are spared the flags.
    let mut test = cargo("+nightly test --release -p");
    test.args(words(tests)).args(["--target", &host]).arg("--target-dir").arg(dir);
    set_flags(&mut test, "RUSTFLAGS", &flags);
    set_default(&mut test, sanitizer.options.0, sanitizer.options.1);
    if !args.is_empty() {
        test.arg("--").args(args);
    }
    run(&mut test)
}

/// The triple of this machine, if there is a nightly compiler.
fn nightly_host() -> Option<String> {
    let about = Command::new("rustc").args(["+nightly", "-vV"]).output().ok()?;
    let about = String::from_utf8(about.stdout).ok()?;
    about.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// Builds and starts an empty program; the answer is why that did not work, if it did not.
fn cannot_build(flags: &str, host: &str, dir: &Path) -> Result<Option<String>> {
    fs::create_dir_all(dir)?;
    let (source, program) = (dir.join("probe.rs"), dir.join("probe"));
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new("rustc");
    rustc.args(["+nightly", "--target", host]).args(words(flags)).arg(&source).arg("-o").arg(&program);
    for mut command in [rustc, Command::new(&program)] {
        let output = command.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim_start().trim_start_matches("error: ");
            let first = said.lines().next();
            return Ok(Some(first.map_or_else(|| output.status.to_string(), str::to_owned)));
        }
    }
    Ok(None)
}

/// The `cargo` that rustup's `+toolchain` works with, unlike the one in `$CARGO`.
pub fn cargo(args: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(words(args));
    cargo
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// Sets `RUSTFLAGS` or `RUSTDOCFLAGS`, without the encoded twin that cargo would prefer.
fn set_flags<'a>(command: &'a mut Command, variable: &str, flags: &str) -> &'a mut Command {
    command.env_remove(format!("CARGO_ENCODED_{variable}")).env(variable, flags)
}

/// Sets a variable unless the caller has: `LOOM_MAX_PREEMPTIONS=2 cargo xtask loom` is obeyed.
fn set_default(command: &mut Command, variable: &str, value: &str) {
    command.env(variable, env::var_os(variable).unwrap_or_else(|| value.into()));
}

pub fn target_dir(name: &str) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from).join(name)
}

pub fn run(command: &mut Command) -> Result {
    println!("$ {}", shown(command));
    succeeded(command.status()?)?;
    Ok(Outcome::Done)
}

/// What `command` prints.
pub fn read(command: &mut Command) -> Result<String> {
    println!("$ {}", shown(command));
    let output = command.stderr(Stdio::inherit()).output()?;
    succeeded(output.status)?;
    Ok(String::from_utf8(output.stdout)?)
}

fn succeeded(status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(status.to_string().into())
}

/// `command` as one would type it, with the variables it sets.
pub fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let name = name.to_string_lossy();
        Some(format!("{name}={}", quoted(value?)))
    });
    let words = [command.get_program()].into_iter().chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=+./:,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = cargo("test -p x");
        set_flags(&mut command, "RUSTFLAGS", "--cfg heist_loom");
        command.args(["--", "it's"]);
        assert_eq!(shown(&command), r"RUSTFLAGS='--cfg heist_loom' cargo test -p x -- 'it'\''s'");
    }
}
