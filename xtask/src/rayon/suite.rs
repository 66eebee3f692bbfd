//! The tests of rayon, and the public ones of rayon-core, with heist as the rayon-core.

use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::process::Stdio;

use super::{Core, Package, Site, source_dir, write};
use crate::steps::shown;
use crate::{Outcome, Result, no_args};

pub(super) const RAYON: Package = ("rayon", "1.12.0");
pub(super) const RAYON_CORE: Package = ("rayon-core", "1.13.0");

/// The package around rayon-core's tests: its own would bring its own rayon-core.
const CORE_TESTS: &str = "rayon-core-tests";

/// What these tests use besides, as rayon-core's manifest has it.
const CORE_TESTS_USE: &[(&str, &str)] = &[("crossbeam-utils", "0.8"), ("libc", "0.2"), ("scoped-tls", "1.0")];

/// Tests that fail on heist, and why that is right.
const MAY_FAIL: &[(&str, &str)] = &[];

/// A package of the workspace, and how many of its tests pass with the original rayon-core.
const SUITES: &[(&str, usize)] = &[("rayon", 578), (CORE_TESTS, 9)];

pub fn suite(args: &[String]) -> Result {
    no_args(args)?;
    let rayon = format!("sources/{}", source_dir(&RAYON));
    let site = Site::prepare("rayon-suite", &[RAYON, RAYON_CORE], &[&rayon, CORE_TESTS])?;
    write_core_tests(&site)?;
    site.check_core()?;
    let mut total = Tally::default();
    for &(package, passes) in SUITES {
        let tally = test(&site, package, Core::Heist)?;
        println!("{package}: {}", tally.summary());
        tally.check_complete(package, passes)?;
        total += tally;
    }
    println!("together: {}", total.summary());
    total.check_failures(MAY_FAIL)?;
    Ok(Outcome::Done)
}

/// Makes a package of the tests that rayon-core's sources have.
fn write_core_tests(site: &Site) -> Result<()> {
    let tests = format!("sources/{}/tests", source_dir(&RAYON_CORE));
    let (core, version) = RAYON_CORE;
    let mut manifest = format!("[package]\nname = {CORE_TESTS:?}\nedition = \"2021\"\n\n");
    manifest += &format!("[dev-dependencies]\n{core} = \"={version}\"\n");
    for (name, version) in CORE_TESTS_USE {
        manifest += &format!("{name} = {version:?}\n");
    }
    let mut files = fs::read_dir(site.dir.join(&tests))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    for file in files {
        if let Some(name) = file.strip_suffix(".rs") {
            manifest += &format!("\n[[test]]\nname = {name:?}\npath = \"../{tests}/{file}\"\n");
        }
    }
    let package = site.dir.join(CORE_TESTS);
    write(&package.join("src/lib.rs"), "")?;
    write(&package.join("Cargo.toml"), &manifest)
}

/// Runs the tests of one package, and shows what they print, except for the tests that pass.
pub(super) fn test(site: &Site, package: &str, core: Core) -> Result<Tally> {
    let mut test = site.cargo("test --no-fail-fast", core);
    test.args(["--package", package]).arg("--target-dir").arg(site.dir.join("target"));
    println!("$ {}", shown(&test));
    let mut child = test.stdout(Stdio::piped()).spawn()?;
    let mut tally = Tally::default();
    for line in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        let line = line?;
        tally.note(&line);
        if !line.trim().is_empty() && outcome(&line).is_none_or(|(_, outcome)| outcome != "ok") {
            println!("{line}");
        }
    }
    let explained = tally.failed > 0 || tally.begun > tally.ended;
    if !child.wait()?.success() && !explained {
        return Err(format!("the tests of {package} could not be built or run").into());
    }
    Ok(tally)
}

/// What test programs reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    begun: usize,
    ended: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
    /// The names of those that failed.
    failures: Vec<String>,
}

impl Tally {
    /// Takes notice of a line that a test program printed.
    fn note(&mut self, line: &str) {
        if let Some([passed, failed, ignored]) = result(line) {
            self.ended += 1;
            self.passed += passed;
            self.failed += failed;
            self.ignored += ignored;
        } else if let Some((name, "FAILED")) = outcome(line) {
            self.failures.push(name.to_owned());
        } else if is_beginning(line) {
            self.begun += 1;
        }
    }

    pub(super) fn summary(&self) -> String {
        format!("{} passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }

    /// Fails if tests are missing. One that failed is not: it has been heard of.
    pub(super) fn check_complete(&self, package: &str, passes: usize) -> Result<()> {
        if self.begun != self.ended {
            return Err(format!("a test program of {package} died before it could sum up").into());
        }
        let ran = self.passed + self.failed;
        if ran < passes {
            return Err(format!("{package} has run {ran} tests only; {passes} pass with the original").into());
        }
        Ok(())
    }

    /// Fails unless what failed is exactly what may.
    pub(super) fn check_failures(&self, may_fail: &[(&str, &str)]) -> Result<()> {
        let expected = |name: &str| may_fail.iter().any(|(test, _)| *test == name);
        let unexpected: Vec<&str> =
            self.failures.iter().map(String::as_str).filter(|name| !expected(name)).collect();
        if !unexpected.is_empty() || self.failed != self.failures.len() {
            let unexpected = unexpected.join(", ");
            return Err(format!("of {} failures, unexpected are: {unexpected}", self.failed).into());
        }
        match may_fail.iter().find(|(test, _)| !self.failures.iter().any(|name| name == test)) {
            Some((test, _)) => Err(format!("`{test}` passes now: take it off the list in suite.rs").into()),
            None => Ok(()),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.begun += other.begun;
        self.ended += other.ended;
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.failures.extend(other.failures);
    }
}

/// The name and the outcome in `test <name> ... <outcome>`.
fn outcome(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.rsplit_once(" ... ")
}

/// The numbers of tests that passed, failed and were ignored, in the last line of a test program.
fn result(line: &str) -> Option<[usize; 3]> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what| {
        let mut counts = counts.split("; ").filter_map(|count| count.split_once(' '));
        counts.find(|(_, of)| *of == what)?.0.parse().ok()
    };
    Some([count("passed")?, count("failed")?, count("ignored")?])
}

/// Whether a test program begins with this line, such as `running 12 tests`.
fn is_beginning(line: &str) -> bool {
    let number = line.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
    number.is_some_and(|(number, rest)| number.parse::<usize>().is_ok() && matches!(rest, "" | "s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 4 tests
test a::b ... ok
test src/lib.rs - a (line 3) - compile fail ... ok
test c ... ignored
test d ... FAILED

failures:
    d

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 1 test
test e - should panic ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 1.24s
";

    fn tally(output: &str) -> Tally {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.note(line));
        tally
    }

    fn error(result: Result<()>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn the_results_of_all_test_programs_are_summed_up() {
        let failures = vec!["d".to_owned()];
        let expected = Tally { begun: 2, ended: 2, passed: 3, failed: 1, ignored: 1, failures };
        assert_eq!(tally(OUTPUT), expected);
        assert_eq!(expected.summary(), "3 passed, 1 failed, 1 ignored");
    }

    #[test]
    fn what_a_test_prints_is_no_result() {
        for line in ["running late", "running 3 tests now", "test it", "test result: good", "a ... FAILED"] {
            assert_eq!(tally(line), Tally::default(), "{line}");
        }
    }

    #[test]
    fn a_test_program_that_died_or_was_not_there_is_missed() {
        let died = tally("running 2 tests\ntest a ... ok\n");
        assert!(error(died.check_complete("p", 0)).contains("died"));
        assert!(error(tally(OUTPUT).check_complete("p", 5)).contains("4 tests only"));
        tally(OUTPUT).check_complete("p", 4).unwrap();
    }

    #[test]
    fn tests_fail_exactly_if_they_are_on_the_list() {
        let tally = tally(OUTPUT);
        assert!(error(tally.check_failures(&[])).ends_with("unexpected are: d"));
        tally.check_failures(&[("d", "because")]).unwrap();
        let too_long = [("d", "because"), ("e", "because")];
        assert!(error(tally.check_failures(&too_long)).contains("`e` passes now"));
    }

    #[test]
    fn a_failure_without_a_name_is_unexpected() {
        let unnamed = Tally { failed: 1, ..Tally::default() };
        assert!(unnamed.check_failures(&[]).is_err());
    }
}
