//! The page of `heist demo`, in a real browser: its tests, and the screenshots of the README.
//!
//! Both start the program itself and drive Debian's Chromium, or what `CHROMIUM` names. Playwright comes from
//! npm, by the lock file; no browser is downloaded.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::steps::{cargo, run, target_dir};
use crate::{Outcome, Result, no_args};

const PAGE: &str = "crates/heist-lab/web";

/// What a screenshot may weigh: it is in the repository for good.
const MAX_SCREENSHOT: u64 = 300 * 1024;

/// Arguments go to Playwright: a file, or `-g` and a part of a test's name.
pub fn web(args: &[String]) -> Result {
    if let Some(why) = no_node() {
        return Ok(Outcome::Skipped(why));
    }
    install()?;
    run(&mut npm("run format-check"))?;
    run(&mut npm("run unit"))?;
    let Some(chromium) = chromium() else {
        return Ok(Outcome::Skipped(NO_CHROMIUM.into()));
    };
    // As the tests of the workspace build it.
    run(&mut cargo("build -p heist-lab"))?;
    let mut browser = npm("run browser --");
    browser.args(args).env("HEIST_BIN", program("debug")?).env("CHROMIUM", chromium);
    run(&mut browser)
}

/// Writes `docs/images/demo-*.png` anew.
pub fn screenshots(args: &[String]) -> Result {
    no_args(args)?;
    if let Some(why) = no_node() {
        return Err(why.into());
    }
    let chromium = chromium().ok_or(NO_CHROMIUM)?;
    install()?;
    run(&mut cargo("build --release -p heist-lab"))?;
    let images = env::current_dir()?.join("docs/images");
    fs::create_dir_all(&images)?;
    let mut shots = npm("run screenshots --");
    shots.arg(&images).env("HEIST_BIN", program("release")?).env("CHROMIUM", chromium);
    run(&mut shots)?;
    for entry in fs::read_dir(&images)? {
        let entry = entry?;
        if entry.metadata()?.len() > MAX_SCREENSHOT {
            return Err(format!("{} has more than {MAX_SCREENSHOT} bytes", entry.path().display()).into());
        }
    }
    Ok(Outcome::Done)
}

const NO_CHROMIUM: &str = "no Chromium for the browser tests (apt-get install chromium, or set CHROMIUM)";

fn no_node() -> Option<String> {
    let missing = ["node", "npm"].into_iter().find(|name| !answers(name))?;
    Some(format!("no {missing} (apt-get install nodejs npm)"))
}

fn chromium() -> Option<PathBuf> {
    let named = env::var_os("CHROMIUM").map(PathBuf::from);
    let known =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(known).find(|path| path.exists())
}

fn answers(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

fn install() -> Result {
    run(npm("ci --no-audit --no-fund").env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))
}

fn npm(args: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.args(["--prefix", PAGE]).args(args.split_whitespace());
    npm
}

/// The program that cargo built with a profile.
fn program(profile: &str) -> Result<PathBuf> {
    let path = target_dir(profile).join("heist");
    fs::canonicalize(&path).map_err(|error| format!("{}: {error}", path.display()).into())
}
