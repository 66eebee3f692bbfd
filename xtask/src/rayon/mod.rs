//! Packages written for Rayon, built on heist: Rayon's own tests, and a program that uses it; and a look at
//! whether all of Rayon's names are there.
//!
//! Nothing of theirs is in the repository. Each step has a folder in the build folder:
//!
//! ```text
//! fetch/       a package without code that depends on what is wanted, so that cargo finds it
//! sources/     what `cargo vendor` copied for it
//! Cargo.toml   a workspace of what is built; lock files that packages bring along do not count in it
//! ```
//!
//! heist comes in the way it does for users, see `docs/from-rayon.md`.

mod api;
mod iter_suite;
mod program;
mod suite;
mod surface;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::steps::{cargo, read, run, target_dir};

pub use api::api;
pub use iter_suite::iter_suite;
pub use program::program;
pub use suite::suite;

/// The package that stands in for rayon-core.
const COMPAT: &str = "compat/rayon-core";

/// A package in the registry: its name and its exact version.
type Package = (&'static str, &'static str);

/// Which rayon-core a package is built with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Core {
    Original,
    Heist,
}

/// The folder of one step.
struct Site {
    dir: PathBuf,
}

impl Site {
    /// Has the sources of `packages` there, and a workspace whose members are `members`.
    fn prepare(name: &str, packages: &[Package], members: &[&str]) -> Result<Self> {
        let site = Site { dir: target_dir(name) };
        site.fetch(packages)?;
        let workspace = format!("[workspace]\nresolver = \"2\"\nmembers = {members:?}\n");
        write(&site.dir.join("Cargo.toml"), &workspace)?;
        Ok(site)
    }

    fn fetch(&self, packages: &[Package]) -> Result<()> {
        let sources = self.dir.join("sources");
        if packages.iter().all(|package| sources.join(source_dir(package)).is_dir()) {
            return Ok(());
        }
        let package = self.dir.join("fetch");
        write(&package.join("Cargo.toml"), &fetching_manifest(packages))?;
        write(&package.join("src/lib.rs"), "")?;
        // Under another name until it is complete.
        let unfinished = self.dir.join("sources.unfinished");
        let mut vendor = cargo("vendor --quiet --versioned-dirs --respect-source-config --manifest-path");
        run(vendor.arg(package.join("Cargo.toml")).arg(&unfinished).stdout(Stdio::null()))?;
        if sources.exists() {
            fs::remove_dir_all(&sources)?;
        }
        Ok(fs::rename(unfinished, sources)?)
    }

    /// A command of cargo's on the workspace.
    fn cargo(&self, args: &str, core: Core) -> Command {
        let mut cargo = cargo(args);
        cargo.arg("--manifest-path").arg(self.dir.join("Cargo.toml"));
        if core == Core::Heist {
            cargo.arg("--config").arg(format!("patch.crates-io.rayon-core.path={COMPAT:?}"));
        }
        cargo
    }

    /// Fails unless our rayon-core is the one that is used: cargo itself only warns of an unused patch.
    fn check_core(&self) -> Result<()> {
        let tree = read(&mut self.cargo("tree --quiet --invert rayon-core --depth 0", Core::Heist))?;
        let used = tree.lines().next().unwrap_or_default();
        let ours = fs::canonicalize(COMPAT)?;
        if local_path(used).and_then(|path| fs::canonicalize(path).ok()) != Some(ours) {
            return Err(format!("the patch was not used: rayon-core is `{used}`, not {COMPAT}").into());
        }
        Ok(())
    }
}

/// Where `cargo vendor` puts a package.
fn source_dir((name, version): &Package) -> String {
    format!("{name}-{version}")
}

fn fetching_manifest(packages: &[Package]) -> String {
    let mut manifest =
        String::from("[workspace]\n\n[package]\nname = \"fetch\"\nedition = \"2024\"\n\n[dependencies]\n");
    for (name, version) in packages {
        manifest += &format!("{name} = \"={version}\"\n");
    }
    manifest
}

/// The path in a line of `cargo tree`, as in `name v1.0.0 (/path)`; a package of the registry has none.
fn local_path(line: &str) -> Option<&Path> {
    let (_, path) = line.strip_suffix(')')?.split_once(" (")?;
    Some(Path::new(path))
}

/// Writes a file and the folders on the way to it.
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    Ok(fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_package_that_is_not_from_the_registry_has_a_path() {
        let ours = "rayon-core v1.13.0 (/some where/compat/rayon-core)";
        assert_eq!(local_path(ours), Some(Path::new("/some where/compat/rayon-core")));
        assert_eq!(local_path("rayon-core v1.13.0"), None);
        assert_eq!(local_path(""), None);
    }

    #[test]
    fn what_is_fetched_has_an_exact_version() {
        let manifest = fetching_manifest(&[("a", "1.2.3"), ("b", "4.5.6")]);
        assert!(manifest.ends_with("[dependencies]\na = \"=1.2.3\"\nb = \"=4.5.6\"\n"), "{manifest}");
    }
}
