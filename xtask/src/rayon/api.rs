//! Whether heist has every public name of rayon's, and `docs/rayon-api.md` says so.
//!
//! The names come from [the sources](super::surface) of both. The part of the document that is below [`MARK`]
//! is a list of them; `--write` writes it. What rayon has and heist has not must be in [`MISSING`], with a
//! reason. Whether the names mean the same is another question: the tests of rayon ask it, see
//! `rayon-iter-suite`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::suite::{RAYON, RAYON_CORE};
use super::surface::{Crates, Entry, Kind, Seen, Surface};
use super::{Site, source_dir};
use crate::{Outcome, Result};

const DOCUMENT: &str = "docs/rayon-api.md";
const MARK: &str = "<!-- What follows is written by `cargo xtask rayon-api --write`. -->";
const BEYOND: &str = "Beyond rayon";
const COLUMNS: usize = 118;

/// Names of rayon's that heist does not have, and why that is right.
const MISSING: &[(&str, &str)] = &[];

pub fn api(args: &[String]) -> Result {
    let write = match args {
        [] => false,
        [arg] if arg == "--write" => true,
        [arg, ..] => return Err(format!("unexpected argument `{arg}`").into()),
    };
    let (rayon, heist) = surfaces()?;
    let (rayon_names, heist_names) = (names(&rayon, Seen::Public), names(&heist, Seen::Hidden));
    let gaps = gaps(&rayon_names, &heist_names, MISSING);
    report(&gaps, "add what is missing, or correct MISSING in xtask/src/rayon/api.rs")?;

    let text = fs::read_to_string(DOCUMENT)?;
    let (prose, list) = text.split_once(MARK).ok_or_else(|| format!("{DOCUMENT} has no line `{MARK}`"))?;
    let current = render(&rayon, &heist);
    if write {
        fs::write(DOCUMENT, format!("{prose}{MARK}{current}"))?;
    } else if list != current {
        let advice = format!("`cargo xtask rayon-api --write` corrects {DOCUMENT}");
        report(&differences(list, &current), &advice)?;
        return Err(format!("the names are right, but not written as they should be: {advice}").into());
    }
    println!("{}", summary(&rayon, &heist));
    Ok(Outcome::Done)
}

/// What rayon has, and what heist has.
fn surfaces() -> Result<(Surface, Surface)> {
    let site = Site::prepare("rayon-api", &[RAYON, RAYON_CORE], &[])?;
    let sources = |package| site.dir.join("sources").join(source_dir(&package)).join("src");
    let mut crates = Crates::default();
    crates.read("rayon", &sources(RAYON))?;
    crates.read("rayon_core", &sources(RAYON_CORE))?;
    crates.read("heist", Path::new("crates/heist/src"))?;
    crates.read("heist_core", Path::new("crates/heist-core/src"))?;
    Ok((crates.surface("rayon"), crates.surface("heist")))
}

/// Fails if there is something to complain about; `advice` tells what to do.
fn report(complaints: &[String], advice: &str) -> Result<()> {
    for complaint in complaints {
        println!("{complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        n => Err(format!("{n} complaint{}: {advice}", if n == 1 { "" } else { "s" }).into()),
    }
}

/// The full names that are seen at least so well, such as `iter::ParallelIterator::map`.
fn names(surface: &Surface, least: Seen) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (module, entries) in surface {
        for (name, entry) in entries.iter().filter(|(_, entry)| entry.seen >= least) {
            let name = if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
            let members = entry.members.iter().filter(|(_, seen)| **seen >= least);
            names.extend(members.map(|(member, _)| format!("{name}::{member}")));
            names.insert(name);
        }
    }
    names
}

/// What of rayon's names is neither there nor known to be missing, and what is wrongly known to be.
fn gaps(rayon: &BTreeSet<String>, heist: &BTreeSet<String>, missing: &[(&str, &str)]) -> Vec<String> {
    let known = |name: &str| missing.iter().any(|(missing, _)| *missing == name);
    let absent = rayon.difference(heist).filter(|name| !known(name));
    let absent = absent.map(|name| format!("rayon::{name}: heist has none, and MISSING gives no reason"));
    let stale = missing.iter().filter_map(|(name, _)| match (rayon.contains(*name), heist.contains(*name)) {
        (false, _) => Some(format!("{name}: in MISSING, but rayon has none")),
        (_, true) => Some(format!("{name}: in MISSING, but heist has it")),
        _ => None,
    });
    absent.chain(stale).collect()
}

/// What of a surface is also in the other one, or what is not. A type that is in both may have methods that
/// are not.
fn part(surface: &Surface, other: &BTreeSet<String>, in_other: bool) -> Surface {
    let mut part = Surface::new();
    for (module, entries) in surface {
        for (name, entry) in entries.iter().filter(|(_, entry)| entry.seen == Seen::Public) {
            let full = if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
            let mut entry = entry.clone();
            entry.members.retain(|member, seen| {
                *seen == Seen::Public && other.contains(&format!("{full}::{member}")) == in_other
            });
            if other.contains(&full) == in_other || !entry.members.is_empty() {
                part.entry(module.clone()).or_default().insert(name.clone(), entry);
            }
        }
    }
    part
}

fn summary(rayon: &Surface, heist: &Surface) -> String {
    let (rayon, heist) = (names(rayon, Seen::Public), names(heist, Seen::Hidden));
    let there = rayon.intersection(&heist).count();
    format!("{there} of the {} names of rayon {} are there.", rayon.len(), RAYON.1)
}

/// The list.
fn render(rayon: &Surface, heist: &Surface) -> String {
    let common = part(rayon, &names(heist, Seen::Hidden), true);
    let beyond = part(heist, &names(rayon, Seen::Public), false);
    let mut text = format!("\n\n{}\n", summary(rayon, heist));
    for (module, entries) in &common {
        text += &section("##", module, entries);
    }
    text += "\n## Missing\n\n";
    for (name, reason) in MISSING {
        text += &wrapped(&format!("- {name}: {reason}"));
    }
    if MISSING.is_empty() {
        text += "Nothing.\n";
    }
    text += &format!("\n## {BEYOND}\n");
    for (module, entries) in &beyond {
        text += &section("###", module, entries);
    }
    text
}

fn section(level: &str, module: &str, entries: &BTreeMap<String, Entry>) -> String {
    let heading = if module.is_empty() { "The crate root" } else { module };
    let mut text = format!("\n{level} {heading}\n\n");
    let quoted =
        |names: Vec<&String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for (kind, one, many) in [
        (Kind::Trait, "trait", "traits"),
        (Kind::Type, "type", "types"),
        (Kind::Function, "function", "functions"),
    ] {
        let of_kind = entries.iter().filter(|(_, entry)| entry.kind == kind);
        let (plain, with_members): (Vec<_>, Vec<_>) =
            of_kind.partition(|(_, entry)| entry.members.is_empty());
        for (name, entry) in with_members {
            text += &wrapped(&format!("- {one} `{name}`: {}", quoted(entry.members.keys().collect())));
        }
        if !plain.is_empty() {
            text += &wrapped(&format!("- {many}: {}", quoted(plain.iter().map(|(name, _)| *name).collect())));
        }
    }
    text
}

/// Breaks the line of a list.
fn wrapped(line: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in line.split(' ') {
        if column > 0 && column + 1 + word.len() > COLUMNS {
            text += "\n ";
            column = 1;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text + "\n"
}

/// Names that only one of two lists has.
fn differences(document: &str, current: &str) -> Vec<String> {
    let (document, current) = (listed(document), listed(current));
    let wrong = document.difference(&current).map(|name| format!("{DOCUMENT}: has {name}, which is not so"));
    let lost = current.difference(&document).map(|name| format!("{DOCUMENT}: does not have {name}"));
    wrong.chain(lost).collect()
}

/// What a list says is there: `module::name`, or `module::type::method`, and whether rayon does not have it.
fn listed(list: &str) -> BTreeSet<String> {
    let (mut names, mut module, mut beyond) = (BTreeSet::new(), String::new(), "");
    for line in list.replace("\n  ", " ").lines() {
        if let Some(heading) = line.strip_prefix("##") {
            module = heading.trim_start_matches('#').trim().to_owned();
            if module == BEYOND {
                beyond = ", beyond rayon";
            }
        } else if let Some((owner, members)) = line.strip_prefix("- ").and_then(|item| item.split_once(": "))
        {
            let owner = owner.split('`').nth(1);
            names.extend(owner.map(|owner| format!("`{owner}` ({module}{beyond})")));
            let owner = owner.map_or(String::new(), |owner| format!("{owner}::"));
            let quoted = members.split('`').skip(1).step_by(2);
            names.extend(quoted.map(|name| format!("`{owner}{name}` ({module}{beyond})")));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    /// A surface of traits in one module: their names and the names of their methods.
    fn traits(module: &str, traits: &[(&str, &[&str])]) -> Surface {
        let entry = |members: &[&str]| Entry {
            kind: Kind::Trait,
            seen: Seen::Public,
            members: members.iter().map(|member| (member.to_string(), Seen::Public)).collect(),
        };
        let entries = traits.iter().map(|(name, members)| (name.to_string(), entry(members)));
        BTreeMap::from([(module.to_owned(), entries.collect())])
    }

    #[test]
    fn a_name_must_be_there_or_missing_for_a_reason() {
        let (rayon, heist) = (set(&["a", "b", "c"]), set(&["a", "d"]));
        assert_eq!(gaps(&rayon, &heist, &[("b", "because"), ("c", "because")]), [""; 0]);
        let wrong = gaps(&rayon, &heist, &[("a", "because"), ("b", "because"), ("d", "because")]);
        assert_eq!(
            wrong,
            [
                "rayon::c: heist has none, and MISSING gives no reason",
                "a: in MISSING, but heist has it",
                "d: in MISSING, but rayon has none",
            ]
        );
    }

    #[test]
    fn the_list_has_what_both_have_and_what_is_beyond() {
        let rayon = traits("iter", &[("Walk", &["step"])]);
        let heist = traits("iter", &[("Walk", &["jump", "step"])]);
        let text = render(&rayon, &heist);
        assert!(text.contains("2 of the 2 names"), "{text}");
        assert!(text.contains("\n## iter\n\n- trait `Walk`: `step`\n"), "{text}");
        assert!(text.contains("\n## Beyond rayon\n\n### iter\n\n- trait `Walk`: `jump`\n"), "{text}");
    }

    #[test]
    fn a_list_that_is_not_current_is_told_by_the_names() {
        let rayon = traits("iter", &[("Walk", &["step"])]);
        let current = render(&rayon, &traits("iter", &[("Walk", &["jump", "step"])]));
        assert_eq!(differences(&current, &current), [""; 0]);
        let edited = current.replace("`step`", "`stop`").replace("`jump`", "`leap`");
        assert_eq!(
            differences(&edited, &current),
            [
                "docs/rayon-api.md: has `Walk::leap` (iter, beyond rayon), which is not so",
                "docs/rayon-api.md: has `Walk::stop` (iter), which is not so",
                "docs/rayon-api.md: does not have `Walk::jump` (iter, beyond rayon)",
                "docs/rayon-api.md: does not have `Walk::step` (iter)",
            ]
        );
    }

    #[test]
    fn long_lines_are_broken_between_words_and_read_back_whole() {
        let names: Vec<String> = (0..60).map(|n| format!("`name_{n}`")).collect();
        let text = wrapped(&format!("- functions: {}", names.join(", ")));
        assert!(text.lines().count() > 5 && text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        assert_eq!(listed(&text).len(), 60);
    }
}
