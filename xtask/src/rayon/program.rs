//! b3sum, which uses rayon-core, on the original and on heist: the same hash, and how the times compare.
//!
//! A round runs the original, heist and the original again, and each begins a third of the rounds. The figure
//! is the median over the rounds of heist's time by the original's; the original's by its own shows how much
//! of that is noise.

use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::{Core, Package, Site, source_dir};
use crate::steps::{run, shown};
use crate::{Outcome, Result, no_args};

const B3SUM: Package = ("b3sum", "1.8.7");
const MEMORY: &str = "/dev/shm";
const MEBIBYTES: u64 = 1024;
const THREADS: [usize; 2] = [1, 2];
const ROUNDS: usize = 15;

pub fn program(args: &[String]) -> Result {
    no_args(args)?;
    if !Path::new(MEMORY).is_dir() {
        return Ok(Outcome::Skipped(format!("there is no {MEMORY} for a file in memory")));
    }
    let site = Site::prepare("rayon-program", &[B3SUM], &[&format!("sources/{}", source_dir(&B3SUM))])?;
    let original = build(&site, Core::Original)?;
    site.check_core()?;
    let heist = build(&site, Core::Heist)?;
    let file = match FileInMemory::create() {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::StorageFull => {
            return Ok(Outcome::Skipped(format!("{MEMORY} has no room for {MEBIBYTES} MiB")));
        }
        Err(error) => return Err(format!("{MEMORY}: {error}").into()),
    };
    compare(&original, &heist, &file.path)
}

/// Builds b3sum; says where it is.
fn build(site: &Site, core: Core) -> Result<PathBuf> {
    let dir = site.dir.join(match core {
        Core::Original => "original",
        Core::Heist => "heist",
    });
    run(site.cargo("build --release --package b3sum", core).arg("--target-dir").arg(&dir))?;
    Ok(dir.join("release").join(format!("b3sum{EXE_SUFFIX}")))
}

/// A large file that is no disk's business; removed when dropped.
struct FileInMemory {
    path: PathBuf,
}

impl FileInMemory {
    fn create() -> io::Result<Self> {
        let file = FileInMemory { path: Path::new(MEMORY).join("heist-rayon-program") };
        let mut block = noise(1 << 20);
        let mut out = File::create(&file.path)?;
        for number in 0..MEBIBYTES {
            // No two blocks are the same.
            block[..8].copy_from_slice(&number.to_le_bytes());
            out.write_all(&block)?;
        }
        Ok(file)
    }
}

impl Drop for FileInMemory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            eprintln!("{} is still there: {error}", self.path.display());
        }
    }
}

/// Bytes without a pattern, by xorshift.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..bytes.div_ceil(8)).flat_map(|_| word()).take(bytes).collect()
}

fn compare(original: &Path, heist: &Path, file: &Path) -> Result {
    let mut contest = Contest { programs: [original, heist, original], file, hash: None };
    println!(
        "b3sum of {MEBIBYTES} MiB in memory, {ROUNDS} rounds: time by the original's, median and middle half"
    );
    println!("threads  heist                the original again");
    for threads in THREADS {
        contest.round(threads, 0)?; // To warm up.
        let (mut heist, mut again) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let times = contest.round(threads, round)?;
            heist.push(times[1].div_duration_f64(times[0]));
            again.push(times[2].div_duration_f64(times[0]));
        }
        let (heist, again) = (Spread::of(heist), Spread::of(again));
        let verdict = if heist.median <= again.high { "within the noise or better" } else { "slower" };
        println!("{threads:<7}  {heist:<19}  {again:<19}  {verdict}");
    }
    println!("hash, the same every time: {}", contest.hash.unwrap_or_default());
    Ok(Outcome::Done)
}

/// Programs that take turns at hashing a file, and have to agree.
struct Contest<'a> {
    programs: [&'a Path; 3],
    file: &'a Path,
    hash: Option<String>,
}

impl Contest<'_> {
    /// The time that each program takes. Which one begins depends on the number of the round.
    fn round(&mut self, threads: usize, number: usize) -> Result<[Duration; 3]> {
        let mut times = [Duration::ZERO; 3];
        for turn in 0..times.len() {
            let turn = (turn + number) % times.len();
            times[turn] = self.run(self.programs[turn], threads)?;
        }
        Ok(times)
    }

    fn run(&mut self, program: &Path, threads: usize) -> Result<Duration> {
        let mut command = Command::new(program);
        command.args(["--no-names", "--num-threads", &threads.to_string()]).arg(self.file);
        let start = Instant::now();
        let output = command.output()?;
        let time = start.elapsed();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`{}` failed: {}", shown(&command), said.trim()).into());
        }
        let hash = String::from_utf8(output.stdout)?.trim().to_owned();
        let expected = self.hash.get_or_insert_with(|| hash.clone());
        if hash != *expected {
            return Err(format!("`{}` gives {hash}; it was {expected} before", shown(&command)).into());
        }
        Ok(time)
    }
}

/// The median of some ratios, and between which two half of them are.
#[derive(Debug, PartialEq)]
struct Spread {
    low: f64,
    median: f64,
    high: f64,
}

impl Spread {
    fn of(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        let last = ratios.len() - 1;
        Spread { low: ratios[last / 4], median: ratios[last / 2], high: ratios[last - last / 4] }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.3} ({:.3}-{:.3})", self.median, self.low, self.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_the_median_and_the_middle_half() {
        let ratios = (1..=9).rev().map(f64::from).collect();
        assert_eq!(Spread::of(ratios), Spread { low: 3.0, median: 5.0, high: 7.0 });
        assert_eq!(Spread::of(vec![1.0]), Spread { low: 1.0, median: 1.0, high: 1.0 });
        let shown = format!("{:<22}|", Spread { low: 0.9, median: 1.0, high: 1.1 });
        assert_eq!(shown, "1.000 (0.900-1.100)   |");
    }

    #[test]
    fn noise_has_the_length_that_was_asked_for_and_no_zeros_in_a_row() {
        let noise = noise(1001);
        assert_eq!(noise.len(), 1001);
        assert!(noise.windows(8).all(|window| window != [0; 8]));
    }
}
