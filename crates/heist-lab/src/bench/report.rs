//! Turns what was measured into ratios, tables and JSON lines.
//!
//! Times differ between machines and from one process to the next; the ratio of two contenders
//! within one process differs least. So ratios are formed per process, and only then medians.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::measure::{AGAIN, Measured, median};

/// What one contender needed for one bench; as JSON, a line of the output.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Record {
    pub group: String,
    pub bench: String,
    pub who: String,
    pub median_ns: f64,
    /// Heist's median over this contender's.
    pub ratio: f64,
    /// Of the ratios, if there were several processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// With the first peer's second appearance: its first over its second median, if there were several
    /// processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Spread>,
}

/// How far values were apart.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Spread {
    pub lowest: f64,
    pub highest: f64,
}

impl Spread {
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let none = Self { lowest: f64::INFINITY, highest: 0.0 };
        values.into_iter().fold(none, |spread, value| Self {
            lowest: spread.lowest.min(value),
            highest: spread.highest.max(value),
        })
    }
}

impl Record {
    pub fn to_json_line(&self) -> String {
        let json = serde_json::to_string(self).expect("strings and finite numbers");
        json + "\n"
    }

    pub fn is_same_bench(&self, other: &Self) -> bool {
        (&self.group, &self.bench) == (&other.group, &other.bench)
    }

    /// Whether it is a peer's second appearance.
    pub fn is_again(&self) -> bool {
        self.who.ends_with(AGAIN)
    }

    /// Whether it is the second appearance of this one.
    pub fn is_again_of(&self, first: &Self) -> bool {
        self.who.strip_suffix(AGAIN) == Some(&first.who)
    }
}

/// The results of one row in one process.
pub fn records(group: &str, bench: &str, measured: &[Measured]) -> Vec<Record> {
    let record = |of: &Measured| Record {
        group: group.to_owned(),
        bench: bench.to_owned(),
        who: of.who.clone(),
        median_ns: of.median_ns,
        ratio: ratio(measured[0].median_ns, of.median_ns),
        spread: None,
        noise: None,
    };
    measured.iter().map(record).collect()
}

/// `a` over `b`, where "no time at all" counts as a picosecond: JSON has no infinity.
fn ratio(a: f64, b: f64) -> f64 {
    const PICOSECOND: f64 = 1e-3;
    a.max(PICOSECOND) / b.max(PICOSECOND)
}

/// One bench over all processes.
#[derive(Debug, PartialEq)]
pub struct Summary {
    /// Medians over the processes, heist first.
    pub records: Vec<Record>,
    /// The first peer against itself, if there is a peer.
    noise: Option<Noise>,
}

/// How far apart two medians of the same contender are: 1.0 would be no noise.
#[derive(Debug, PartialEq)]
struct Noise {
    who: String,
    median: f64,
    spread: Spread,
}

/// Merges what the processes measured; each has run the same benches in the same order.
pub fn summarize(runs: &[Vec<Record>]) -> Vec<Summary> {
    let benches = runs[0].chunk_by(Record::is_same_bench);
    let mut begin = 0;
    benches
        .map(|bench| {
            let range = begin..begin + bench.len();
            begin = range.end;
            let of_each_process: Vec<_> = runs.iter().map(|run| &run[range.clone()]).collect();
            summary(&of_each_process)
        })
        .collect()
}

fn summary(processes: &[&[Record]]) -> Summary {
    let (mut records, noise) = (merged(processes), noise(processes));
    if processes.len() > 1
        && let Some(again) = records.iter_mut().find(|record| record.is_again())
    {
        again.noise = noise.as_ref().map(|noise| noise.spread);
    }
    Summary { records, noise }
}

fn merged(processes: &[&[Record]]) -> Vec<Record> {
    let merge = |(index, record): (usize, &Record)| {
        let over_processes =
            |value: fn(&Record) -> f64| median(processes.iter().map(|run| value(&run[index])).collect());
        Record {
            median_ns: over_processes(|record| record.median_ns),
            ratio: over_processes(|record| record.ratio),
            spread: (processes.len() > 1).then(|| Spread::of(processes.iter().map(|run| run[index].ratio))),
            ..record.clone()
        }
    };
    processes[0].iter().enumerate().map(merge).collect()
}

fn noise(processes: &[&[Record]]) -> Option<Noise> {
    let again = processes[0].iter().position(Record::is_again)?;
    let peer = &processes[0][1];
    let ratios: Vec<f64> =
        processes.iter().map(|run| ratio(run[1].median_ns, run[again].median_ns)).collect();
    Some(Noise { who: peer.who.clone(), spread: Spread::of(ratios.iter().copied()), median: median(ratios) })
}

/// A table per group.
pub fn tables(summaries: &[Summary], processes: usize) -> String {
    let same_group = |a: &Summary, b: &Summary| a.records[0].group == b.records[0].group;
    let tables = summaries.chunk_by(same_group);
    tables.map(|group| table(group, processes)).collect()
}

fn table(summaries: &[Summary], processes: usize) -> String {
    let peers = peers(summaries);
    let mut lines = vec![heading(&peers)];
    lines.extend(summaries.iter().map(|summary| line(summary, &peers)));

    let mut text = format!(
        "\n{}: {}; ratios are heist's time over the peer's, below 1 heist is faster\n\n",
        summaries[0].records[0].group,
        match processes {
            1 => "one process".to_owned(),
            n => format!("medians of {n} processes"),
        }
    );
    text += &aligned(&lines);
    text += &noise_band(summaries);
    text
}

/// All peers of the group, in the order in which they first appear.
fn peers(summaries: &[Summary]) -> Vec<&str> {
    let mut peers = Vec::new();
    for record in summaries.iter().flat_map(|summary| &summary.records[1..]) {
        if !record.is_again() && !peers.contains(&record.who.as_str()) {
            peers.push(&record.who);
        }
    }
    peers
}

fn heading(peers: &[&str]) -> Vec<String> {
    let mut cells = vec!["bench".to_owned(), "heist".to_owned()];
    for peer in peers {
        cells.extend([format!("/ {peer}"), String::new()]);
    }
    cells.extend(["A/A".to_owned(), String::new()]);
    cells
}

fn line(summary: &Summary, peers: &[&str]) -> Vec<String> {
    let heist = &summary.records[0];
    let mut cells = vec![heist.bench.clone(), figure(heist)];
    for peer in peers {
        let record = summary.records.iter().find(|record| record.who == *peer);
        cells.extend(match record {
            Some(record) => [plain(record.ratio), format!("({})", figure(record))],
            None => [String::new(), String::new()],
        });
    }
    cells.extend(match &summary.noise {
        Some(noise) => [plain(noise.median), spread(noise.spread)],
        None => [String::new(), String::new()],
    });
    cells
}

/// The widest the peer was apart from itself in the whole table.
fn noise_band(summaries: &[Summary]) -> String {
    let noises = || summaries.iter().filter_map(|summary| summary.noise.as_ref());
    let Some(first) = noises().next() else {
        return String::new();
    };
    let widest = Spread::of(noises().flat_map(|noise| [noise.spread.lowest, noise.spread.highest]));
    format!(
        "\nA/A is {} against itself, the noise: {} to {} in this table.\n",
        first.who,
        plain(widest.lowest),
        plain(widest.highest)
    )
}

fn spread(spread: Spread) -> String {
    if spread.lowest == spread.highest {
        String::new()
    } else {
        format!("({}..{})", plain(spread.lowest), plain(spread.highest))
    }
}

/// Three significant digits or so.
pub fn plain(ratio: f64) -> String {
    match ratio {
        0.0..0.01 => format!("{ratio:.4}"),
        0.01..10.0 => format!("{ratio:.2}"),
        _ => format!("{ratio:.0}"),
    }
}

/// What was measured: a time, unless the bench is named after something else.
pub fn figure(record: &Record) -> String {
    if record.bench.starts_with("bytes") {
        format!("{:.0} B", record.median_ns)
    } else {
        time(record.median_ns)
    }
}

pub fn time(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.1} ns"),
        1e3..1e6 => format!("{:.1} µs", ns / 1e3),
        1e6..1e9 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// Columns as wide as their widest cell; the first is aligned to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();

    let mut text = String::new();
    for line in lines {
        let mut padded = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => write!(padded, "{cell:<width$}"),
                _ => write!(padded, "  {cell:>width$}"),
            }
            .expect("a String takes everything");
        }
        text += padded.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(times: &[(&str, f64)]) -> Vec<Measured> {
        let measured = |&(who, median_ns): &(&str, f64)| Measured { who: who.to_owned(), median_ns };
        times.iter().map(measured).collect()
    }

    fn run(heist: f64, rayon: f64, again: f64) -> Vec<Record> {
        let times = [("heist", heist), ("rayon", rayon), ("rayon (again)", again)];
        let mut run = records("g", "fib", &measured(&times));
        run.extend(records("g", "tree", &measured(&[("heist", 5.0)])));
        run
    }

    #[test]
    fn a_ratio_is_heist_over_the_contender() {
        let ratios: Vec<_> = run(10.0, 20.0, 40.0).iter().map(|r| r.ratio).collect();
        assert_eq!(ratios, [1.0, 0.5, 0.25, 1.0]);
    }

    #[test]
    fn no_time_at_all_still_gives_a_finite_ratio() {
        assert_eq!(ratio(0.0, 0.0), 1.0);
        assert!(ratio(1.0, 0.0).is_finite());
    }

    #[test]
    fn processes_are_merged_by_the_median_of_their_ratios() {
        // Of the medians of the times (10 and 100), the ratio would be 0.1.
        let runs = [run(10.0, 20.0, 20.0), run(90.0, 100.0, 100.0), run(1.0, 1000.0, 1000.0)];
        let summaries = summarize(&runs);
        assert_eq!(summaries.len(), 2);
        let rayon = &summaries[0].records[1];
        assert_eq!((rayon.median_ns, rayon.ratio), (100.0, 0.5));
    }

    #[test]
    fn the_noise_band_spans_the_processes() {
        let summaries = summarize(&[run(1.0, 10.0, 10.0), run(1.0, 12.0, 10.0), run(1.0, 5.0, 10.0)]);
        let noise = summaries[0].noise.as_ref().unwrap();
        assert_eq!((noise.spread.lowest, noise.median, noise.spread.highest), (0.5, 1.0, 1.2));
        assert_eq!(noise.who, "rayon");
        assert_eq!(summaries[1].noise, None);
    }

    #[test]
    fn several_processes_leave_their_spread_in_the_records() {
        let runs = [run(1.0, 10.0, 10.0), run(1.0, 12.0, 10.0), run(1.0, 5.0, 10.0)];
        let summaries = summarize(&runs);
        let [_, rayon, again] = &summaries[0].records[..] else { panic!("three of them") };
        assert_eq!(rayon.spread, Some(Spread { lowest: 1.0 / 12.0, highest: 1.0 / 5.0 }));
        assert_eq!(rayon.noise, None);
        assert_eq!(again.noise, Some(Spread { lowest: 0.5, highest: 1.2 }));
        let one = summarize(&runs[..1]);
        assert!(one[0].records.iter().all(|record| record.spread.is_none() && record.noise.is_none()));
    }

    #[test]
    fn a_json_line_has_the_agreed_fields() {
        let line = run(10.0, 20.0, 40.0)[1].to_json_line();
        assert_eq!(
            line,
            "{\"group\":\"g\",\"bench\":\"fib\",\"who\":\"rayon\",\"median_ns\":20.0,\"ratio\":0.5}\n"
        );
    }

    #[test]
    fn a_json_line_can_be_read_back() {
        for record in run(10.0, 30.0, 7.0) {
            let read: Record = serde_json::from_str(&record.to_json_line()).unwrap();
            assert_eq!(read, record);
        }
    }

    #[test]
    fn the_table_shows_times_ratios_and_noise() {
        let runs = [run(1500.0, 3000.0, 2500.0), run(1500.0, 3000.0, 3000.0)];
        let table = tables(&summarize(&runs), 2);
        let expected = "
g: medians of 2 processes; ratios are heist's time over the peer's, below 1 heist is faster

bench   heist  / rayon             A/A
fib    1.5 µs     0.50  (3.0 µs)  1.10  (1.00..1.20)
tree   5.0 ns

A/A is rayon against itself, the noise: 1.00 to 1.20 in this table.
";
        assert_eq!(table, expected);
    }

    #[test]
    fn each_group_has_its_own_table() {
        let mut run = run(1.0, 2.0, 2.0);
        run.extend(records("h", "other", &measured(&[("heist", 1.0)])));
        let tables = tables(&summarize(&[run]), 1);
        assert!(tables.contains("\ng: one process"), "{tables}");
        assert!(tables.contains("\nh: one process"), "{tables}");
    }
}
