//! The tests and doc examples of rayon, with the crate `heist` under rayon's name.
//!
//! The package that is made for them depends on `rayon = { package = "heist" }`, as a program would that
//! changes over. Its tests are rayon's integration tests, the unit tests that use only what is public, and
//! every example in rayon's docs.

use std::fs;
use std::path::{Path, PathBuf};

use super::suite::{RAYON, Tally, test};
use super::{Core, Site, source_dir, write};
use crate::{Outcome, Result, no_args};

const PACKAGE: &str = "rayon-on-heist";

/// What the tests use besides, as rayon's manifest has it.
const MANIFEST: &str = r#"[package]
name = "rayon-on-heist"
edition = "2021"

[lib]
doctest = true

[dev-dependencies]
rand = "0.9"
rand_xorshift = "0.4"

[dependencies]
"#;

/// Unit tests of rayon's, and what stands for `super` in them.
const UNIT_TESTS: &[(&str, &str)] = &[("iter", "rayon::iter"), ("slice", "rayon::slice")];

/// Files whose examples are made by a macro: their text alone is none.
const NO_EXAMPLES: &[&str] = &["compile_fail/must_use.rs"];

/// How many tests there are. Were some to get lost on the way here, the run would pass without them.
const PASSES: usize = 447;

/// Tests that fail on heist, and why that is right.
const MAY_FAIL: &[(&str, &str)] = &[];

pub fn iter_suite(args: &[String]) -> Result {
    no_args(args)?;
    let site = Site::prepare("rayon-iter-suite", &[RAYON], &[PACKAGE])?;
    write_package(&site)?;
    let tally: Tally = test(&site, PACKAGE, Core::Original)?;
    println!("{PACKAGE}: {}", tally.summary());
    tally.check_complete(PACKAGE, PASSES)?;
    tally.check_failures(MAY_FAIL)?;
    Ok(Outcome::Done)
}

fn write_package(site: &Site) -> Result<()> {
    let package = site.dir.join(PACKAGE);
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    let rayon = site.dir.join("sources").join(source_dir(&RAYON));
    let heist = fs::canonicalize("crates/heist")?;
    let mut manifest = String::from(MANIFEST);
    manifest += &format!("rayon = {{ package = \"heist\", path = {heist:?} }}\n");
    write(&package.join("Cargo.toml"), &manifest)?;
    for test in files(&rayon.join("tests"))? {
        let name = test.file_name().ok_or("a file has a name")?;
        write(&package.join("tests").join(name), &fs::read_to_string(&test)?)?;
    }
    for (module, outer) in UNIT_TESTS {
        let text = fs::read_to_string(rayon.join("src").join(module).join("test.rs"))?;
        write(&package.join(format!("tests/unit_{module}.rs")), &from_outside(&text, outer))?;
    }
    let mut lib = String::new();
    let src = rayon.join("src");
    for file in files(&src)? {
        let name = file.strip_prefix(&src)?.to_string_lossy().replace('\\', "/");
        if NO_EXAMPLES.contains(&name.as_str()) {
            continue;
        }
        let module = name.trim_end_matches(".rs").replace(['/', '-'], "_");
        let examples = examples(&fs::read_to_string(&file)?);
        if !examples.is_empty() {
            write(&package.join("src").join(format!("{module}.md")), &examples)?;
            lib += &format!("#[doc = include_str!({:?})]\npub mod {module} {{}}\n", format!("{module}.md"));
        }
    }
    write(&package.join("src/lib.rs"), &lib)
}

/// The Rust files of a folder and those in it, in order.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A unit test, as an integration test.
fn from_outside(text: &str, outer: &str) -> String {
    text.replace("crate::", "rayon::")
        .replace(
            "use super::*;",
            &format!("use {outer}::*;\nuse {outer}::plumbing::*;\nuse std::collections::LinkedList;"),
        )
        .replace("use rayon_core::*;", "use rayon::*;")
}

/// The blocks of code in the doc comments of a Rust file, as Markdown.
fn examples(text: &str) -> String {
    let mut found = String::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            // A block ends with its comment.
            if inside {
                found += "```\n";
            }
            inside = false;
            continue;
        };
        let doc = doc.strip_prefix(' ').unwrap_or(doc);
        let is_fence = doc.trim_start().starts_with("```");
        if inside || is_fence {
            found += doc;
            found.push('\n');
        }
        if is_fence {
            inside = !inside;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_the_fenced_parts_of_doc_comments() {
        let text = "//! About.\n//! ```\n//! one();\n//! ```\n\
            fn f() {\n    /// ```rust\n    /// two();\n}\n// ```\n";
        assert_eq!(examples(text), "```\none();\n```\n```rust\ntwo();\n```\n");
    }

    #[test]
    fn a_unit_test_names_the_crate_from_outside() {
        let text = "use super::*;\nuse crate::prelude::*;\n";
        let outside = from_outside(text, "rayon::iter");
        assert!(outside.starts_with("use rayon::iter::*;"));
        assert!(outside.ends_with("use rayon::prelude::*;\n"));
    }
}
