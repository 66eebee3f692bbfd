//! Records workloads with the lab and reads the files with the definitions that Perfetto itself publishes.
//!
//! These are on PyPI. So the step makes a Python environment of its own below the target directory, and
//! leaves the checks to a script. The program that the package offers for queries is not used: it would be
//! downloaded when it is first asked for.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::{cargo, run, target_dir};
use crate::{Outcome, Result, no_args};

const PACKAGES: [&str; 2] = ["perfetto==0.59.1", "protobuf==7.36.2"];

/// Workloads, and the name of a slice that each has to have.
const WORKLOADS: [(&str, &str); 4] =
    [("fib", "half"), ("skynet", "job"), ("ping-pong", "task"), ("spawn-storm", "task")];

/// As the script is told.
const WORKERS: &str = "3";

pub fn perfetto(args: &[String]) -> Result {
    no_args(args)?;
    let Some(python) = python()? else {
        return Ok(Outcome::Skipped("no python3 with venv and pip (apt-get install python3-venv)".into()));
    };
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    let mut check = Command::new(&python);
    check.args(["xtask/check_traces.py", WORKERS]);
    for (workload, slice) in WORKLOADS {
        let file = target_dir("perfetto").join(workload).with_extension("pftrace");
        let mut record = cargo("run --release -p heist-lab -- trace --workers");
        run(record.args([WORKERS, workload, "--output"]).arg(&file))?;
        check.arg(format!("{}:{slice}", file.display()));
    }
    run(&mut check)
}

/// The interpreter of the environment, which is made if need be.
fn python() -> Result<Option<PathBuf>> {
    let environment = target_dir("perfetto");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let works = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if works(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Ok(Some(python));
    }
    if !works(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        return Ok(None);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
    Ok(Some(python))
}
