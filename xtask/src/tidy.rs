//! Rules about the repository's text that neither rustfmt nor clippy can state.
//!
//! R1 `ARCHITECTURE.md` lists exactly the files under `crates/*/src` that contain unsafe code.
//! R2 In heist-core only `sync.rs` names the atomics of std, core or loom, so that loom sees them all.
//! R3 No line of a `.rs` file has more than 110 columns.
//! R4 A link in the documents leads to a file that is there, and to a heading that is there if it names one.
//!
//! Each rule is a function from files to complaints.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::{Outcome, Result, no_args};

const UNSAFE_HEADING: &str = "## Files that contain unsafe";
const MAX_COLUMNS: usize = 110;

/// A text file; its path is relative to the root, with `/` between the parts.
struct File {
    path: String,
    text: String,
}

pub fn tidy(args: &[String]) -> Result {
    no_args(args)?;
    let mut files = Vec::new();
    collect(Path::new("."), &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let (sources, texts): (Vec<File>, Vec<File>) =
        files.into_iter().partition(|file| file.path.ends_with(".rs"));
    let documents: Vec<File> = texts.into_iter().filter(is_document).collect();
    let architecture = documents.iter().find(|file| file.path == "ARCHITECTURE.md");

    let complaints = [
        unlisted_unsafe(&sources, architecture.map_or("", |file| &file.text)),
        foreign_atomics(&sources),
        long_lines(&sources),
        broken_links(&documents, Path::exists),
    ]
    .concat();
    for complaint in &complaints {
        println!("{complaint}");
    }
    match complaints.len() {
        0 => Ok(Outcome::Done),
        n => Err(format!("{n} complaint{}", if n == 1 { "" } else { "s" }).into()),
    }
}

/// Every `.rs` and `.md` file below `dir`, except for what is hidden, built or fetched.
fn collect(dir: &Path, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type()?.is_dir() {
            if name != "target" && name != "node_modules" && !name.to_string_lossy().starts_with('.') {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.push(File { path: slashed(&path), text });
        }
    }
    Ok(())
}

/// The documents for readers of the repository: those at the root and in `docs`.
fn is_document(file: &File) -> bool {
    file.path.strip_prefix("docs/").unwrap_or(&file.path).split('/').count() == 1
}

/// R1.
fn unlisted_unsafe(sources: &[File], architecture: &str) -> Vec<String> {
    let listed: Vec<&str> = architecture
        .lines()
        .skip_while(|line| line.trim_end() != UNSAFE_HEADING)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'))
        .map(|(path, _)| path)
        .collect();
    let found: Vec<&str> = sources
        .iter()
        .filter(|file| is_crate_source(&file.path) && has_unsafe(&file.text))
        .map(|file| file.path.as_str())
        .collect();

    let missing = found.iter().filter(|path| !listed.contains(path));
    let stale = listed.iter().filter(|path| !found.contains(path));
    let missing = missing.map(|path| {
        format!("{path}: has unsafe code but is not in ARCHITECTURE.md under `{UNSAFE_HEADING}`")
    });
    let stale = stale.map(|path| format!("ARCHITECTURE.md: lists `{path}`, which has no unsafe code"));
    missing.chain(stale).collect()
}

fn is_crate_source(path: &str) -> bool {
    matches!(path.split('/').collect::<Vec<_>>()[..], ["crates", _, "src", ..])
}

fn has_unsafe(text: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    code(text).any(|line| {
        line.match_indices("unsafe ").any(|(at, word)| {
            let rest = line[at + word.len()..].trim_start();
            let next = rest.split(|c| !in_word(c)).next().unwrap_or_default();
            let opens = rest.starts_with('{') || ["fn", "impl", "trait", "extern"].contains(&next);
            opens && !line[..at].ends_with(in_word)
        })
    })
}

/// The lines without their comments. A `//` in a string passes for a comment.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code))
}

/// R2.
fn foreign_atomics(sources: &[File]) -> Vec<String> {
    let core = "crates/heist-core/src/";
    sources
        .iter()
        .filter(|file| file.path.strip_prefix(core).is_some_and(|path| path != "sync.rs"))
        .filter(|file| names_atomics(&file.text))
        .map(|file| format!("{}: only {core}sync.rs may name the atomics of std, core or loom", file.path))
        .collect()
}

fn names_atomics(text: &str) -> bool {
    let code = code(text).collect::<Vec<_>>().join("\n");
    code.split(';').any(|statement| {
        let named = ["std::sync::atomic", "core::sync::atomic", "loom::"];
        // As in `use std::sync::{Arc, atomic::AtomicBool}`.
        let imports = ["use std::", "use core::"];
        named.iter().any(|name| statement.contains(name))
            || imports
                .iter()
                .any(|import| statement.split_once(import).is_some_and(|(_, names)| names.contains("atomic")))
    })
}

/// R3.
fn long_lines(sources: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for File { path, text } in sources {
        for (number, line) in (1..).zip(text.lines()) {
            let columns = line.chars().count();
            if columns > MAX_COLUMNS {
                complaints.push(format!("{path}:{number}: {columns} columns, {MAX_COLUMNS} are enough"));
            }
        }
    }
    complaints
}

/// R4.
fn broken_links(documents: &[File], exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut complaints = Vec::new();
    for File { path, text } in documents {
        for (number, line) in prose(text) {
            for link in links(line) {
                let (target, heading) = link.split_once('#').unwrap_or((&link, ""));
                let target = if target.is_empty() { PathBuf::from(path) } else { follow(path, target) };
                let document = documents.iter().find(|file| Path::new(&file.path) == target);
                if !exists(&target) {
                    complaints.push(format!("{path}:{number}: `{link}` leads to no file"));
                } else if !heading.is_empty() && document.is_some_and(|file| !has_heading(file, heading)) {
                    complaints.push(format!("{path}:{number}: `{link}` leads to no heading"));
                }
            }
        }
    }
    complaints
}

/// The numbered lines that are not in fenced code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    })
}

/// Where `[text](target)` and `[name]: target` point to, unless that is elsewhere on the web.
fn links(line: &str) -> Vec<String> {
    let outside_code: String = line.split('`').step_by(2).collect();
    let inline = outside_code.split("](").skip(1);
    let reference = outside_code.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    inline
        .chain(reference.map(|(_, target)| target))
        .filter_map(|rest| rest.split([')', ' ']).next())
        .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        .map(str::to_owned)
        .collect()
}

/// The path that `link` means in the document at `path`; one that starts with `/` is meant from the root.
fn follow(path: &str, link: &str) -> PathBuf {
    let mut target = PathBuf::new();
    for component in Path::new(path).with_file_name("").join(link).components() {
        match component {
            Component::Normal(name) => target.push(name),
            Component::ParentDir => _ = target.pop(),
            _ => {}
        }
    }
    target
}

/// Whether `document` has a heading with the anchor that GitHub would give it.
fn has_heading(document: &File, anchor: &str) -> bool {
    prose(&document.text).filter(|(_, line)| line.starts_with('#')).any(|(_, line)| {
        let heading = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        let kept = heading.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_');
        kept.eq(anchor.chars())
    })
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).filter(|part| part != ".").collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn unsafe_is_the_keyword_in_code() {
        for text in [
            "x = unsafe { y };",
            "pub unsafe fn f()",
            "unsafe impl Send",
            "type F = unsafe extern \"C\" fn();",
        ] {
            assert!(has_unsafe(text), "{text}");
        }
        for text in ["// unsafe { y }", "#![deny(unsafe_code)]", "\"unsafe implementation\"", "not_unsafe fn"]
        {
            assert!(!has_unsafe(text), "{text}");
        }
    }

    #[test]
    fn the_list_of_unsafe_files_must_be_complete_and_current() {
        let sources = [
            file("crates/a/src/listed.rs", "unsafe {}"),
            file("crates/a/src/new.rs", "unsafe {}"),
            file("crates/a/src/safe.rs", ""),
            file("crates/a/tests/t.rs", "unsafe {}"),
        ];
        let architecture = "- `elsewhere`\n\
            ## Files that contain unsafe\n\
            - `crates/a/src/listed.rs`: see `f`\n\
            - `crates/a/src/safe.rs`\n\
            ## Next\n\
            - `after`\n";
        let complaints = unlisted_unsafe(&sources, architecture);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].starts_with("crates/a/src/new.rs: has unsafe"));
        assert!(complaints[1].contains("lists `crates/a/src/safe.rs`"));
    }

    #[test]
    fn only_sync_names_atomics() {
        let core = |path: &str, text| file(&format!("crates/heist-core/src/{path}"), text);
        let fine = [
            core("sync.rs", "pub use loom::sync::atomic::AtomicBool;"),
            core(
                "a.rs",
                "use std::sync::Arc;\nuse crate::sync::atomic::AtomicBool; // not std::sync::atomic",
            ),
            file("crates/heist/src/lib.rs", "use std::sync::atomic::AtomicBool;"),
        ];
        assert!(foreign_atomics(&fine).is_empty());
        for text in [
            "static A: std::sync::atomic::AtomicBool;",
            "use core::sync::atomic;",
            "loom::model(f)",
            "use std::sync::{\n    Arc,\n    atomic::AtomicBool,\n};",
        ] {
            assert_eq!(foreign_atomics(&[core("sys/a.rs", text)]).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_line_is_long_by_its_characters() {
        let fits = "ö".repeat(MAX_COLUMNS);
        let complaints = long_lines(&[file("a.rs", &format!("{fits}\n{fits}!\n"))]);
        assert_eq!(complaints, ["a.rs:2: 111 columns, 110 are enough"]);
    }

    #[test]
    fn links_must_lead_to_a_file_and_a_heading() {
        let documents = [
            file(
                "README.md",
                "# Why `heist`, and how?\n[`a`](docs/a.md) [b](#why-heist-and-how) [c](docs)\n",
            ),
            file("docs/a.md", "[a](../README.md#gone) [b](b.md \"t\")\n`[c](c.md)`\n```\n[d](d.md)\n```\n"),
            file("CHANGELOG.md", "[1]: https://a.b/c\n[2]: /docs/a.md\n[3]: docs/3.md\n"),
        ];
        let there = ["README.md", "CHANGELOG.md", "docs", "docs/a.md"];
        let complaints = broken_links(&documents, |path| there.contains(&path.to_str().unwrap()));
        assert_eq!(
            complaints,
            [
                "docs/a.md:1: `../README.md#gone` leads to no heading",
                "docs/a.md:1: `b.md` leads to no file",
                "CHANGELOG.md:3: `docs/3.md` leads to no file",
            ]
        );
    }
}
