//! The results as the page sees them: groups of benches, each with a best peer, a noise band and a verdict.
//!
//! A **peer** is a library that does the same as heist. **Plain code** is no library at all; it is shown, but
//! it is a floor or a baseline, not a peer. What begins with "heist" is another way of using heist.

use std::cmp::Ordering;

use crate::bench::report::{Record, Spread};

const PLAIN: [&str; 2] = ["sequential", "std"];

/// The results of one bench.
pub struct Bench<'r> {
    records: &'r [Record],
    /// Ratios within it mean nothing: below and above 1, and as far from it in both directions.
    pub band: Spread,
}

/// What the ratio to the best peer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    /// Within the noise band.
    Same,
    Slower,
    /// There is no peer.
    Alone,
}

impl Verdict {
    /// As a word, and the class by which it is coloured.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Same => "same",
            Verdict::Slower => "slower",
            Verdict::Alone => "alone",
        }
    }
}

/// The benches of each group, in the order of the records.
pub fn groups(records: &[Record]) -> Vec<Vec<Bench<'_>>> {
    let mut groups: Vec<Vec<Bench<'_>>> = Vec::new();
    for records in records.chunk_by(Record::is_same_bench) {
        let bench = Bench { records, band: around_one(noise(records)) };
        match groups.iter_mut().find(|group| group[0].group() == bench.group()) {
            Some(group) => group.push(bench),
            None => groups.push(vec![bench]),
        }
    }
    groups.iter_mut().for_each(|group| widen_bands(group));
    groups
}

/// A bench has its own noise band, or the median of the group's if that is wider: in one process a peer may
/// be as fast as itself by chance.
fn widen_bands(benches: &mut [Bench<'_>]) {
    let with_peers = benches.iter().filter(|bench| bench.best_peer().is_some());
    let mut widths: Vec<f64> = with_peers.map(|bench| bench.band.highest).collect();
    widths.sort_by(f64::total_cmp);
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(1.0);
    for bench in benches {
        bench.band = around_one(Spread { lowest: 1.0, highest: bench.band.highest.max(usual) });
    }
}

/// How far the first peer was apart from itself.
fn noise(records: &[Record]) -> Spread {
    let Some(again) = records.iter().find(|record| record.is_again()) else {
        return Spread { lowest: 1.0, highest: 1.0 };
    };
    again.noise.unwrap_or_else(|| {
        let once = records.iter().find(|record| again.is_again_of(record)).unwrap_or(again);
        Spread::of([again.ratio / once.ratio])
    })
}

/// The same in both directions: which of the two was first is chance.
fn around_one(spread: Spread) -> Spread {
    let width = spread.highest.max(1.0 / spread.lowest).max(1.0);
    Spread { lowest: 1.0 / width, highest: width }
}

impl<'r> Bench<'r> {
    pub fn group(&self) -> &'r str {
        &self.records[0].group
    }

    pub fn name(&self) -> &'r str {
        &self.records[0].bench
    }

    /// Heist's own result comes first.
    pub fn heist(&self) -> &'r Record {
        &self.records[0]
    }

    /// All but heist, and each once.
    pub fn others(&self) -> impl Iterator<Item = &'r Record> + use<'r> {
        self.records[1..].iter().filter(|record| !record.is_again())
    }

    pub fn of(&self, who: &str) -> Option<&'r Record> {
        self.records.iter().find(|record| record.who == who)
    }

    /// The peer that is the hardest to beat.
    pub fn best_peer(&self) -> Option<&'r Record> {
        let by_ratio = |a: &&Record, b: &&Record| a.ratio.partial_cmp(&b.ratio).unwrap_or(Ordering::Equal);
        self.others().filter(|record| is_peer(record)).max_by(by_ratio)
    }

    pub fn verdict(&self) -> Verdict {
        match self.best_peer().map(|peer| peer.ratio) {
            None => Verdict::Alone,
            Some(ratio) if ratio < self.band.lowest => Verdict::Faster,
            Some(ratio) if ratio > self.band.highest => Verdict::Slower,
            Some(_) => Verdict::Same,
        }
    }
}

pub fn is_peer(record: &Record) -> bool {
    !PLAIN.contains(&record.who.as_str()) && !record.who.starts_with("heist")
}

/// Everybody in these benches but heist, in the order in which they first appear.
pub fn others<'r>(benches: &[Bench<'r>]) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for record in benches.iter().flat_map(Bench::others) {
        if !names.contains(&record.who.as_str()) {
            names.push(&record.who);
        }
    }
    names
}

/// Benches that differ in one number of their name only, and there are at least three of them.
pub struct Series<'s, 'r> {
    /// The name around the number.
    pub before: &'r str,
    pub after: &'r str,
    /// By their number.
    pub benches: Vec<(f64, &'s Bench<'r>)>,
}

pub fn series<'s, 'r>(benches: &'s [Bench<'r>]) -> Vec<Series<'s, 'r>> {
    let mut found: Vec<Series<'s, 'r>> = Vec::new();
    for bench in benches {
        for (before, number, after) in numbers(bench.name()) {
            match found.iter_mut().find(|series| (series.before, series.after) == (before, after)) {
                Some(series) => series.benches.push((number, bench)),
                None => found.push(Series { before, after, benches: vec![(number, bench)] }),
            }
        }
    }
    found.retain(|series| series.benches.len() >= 3);
    for series in &mut found {
        series.benches.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found
}

/// Each number in a name that stands by itself, with what is before and after it.
fn numbers(name: &str) -> impl Iterator<Item = (&str, f64, &str)> {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ',';
    let starts = name.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    starts.filter_map(move |at| {
        let (before, rest) = name.split_at(at);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        if before.ends_with(is_in_word) || after.starts_with(is_in_word) {
            return None;
        }
        let number = number.parse().ok().filter(|number| *number > 0.0)?;
        Some((before, number, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::html::tests::{again, record};

    fn bench(of: &[Record]) -> Bench<'_> {
        groups(of).pop().unwrap().pop().unwrap()
    }

    #[test]
    fn the_best_peer_is_the_one_that_heist_comes_least_off_against() {
        let records = [
            record("g", "b", "heist", 10.0, 1.0),
            record("g", "b", "rayon", 20.0, 0.5),
            record("g", "b", "chili", 12.5, 0.8),
            record("g", "b", "sequential", 1.0, 10.0),
            record("g", "b", "heist, no offload", 5.0, 2.0),
        ];
        assert_eq!(bench(&records).best_peer().unwrap().who, "chili");
        assert_eq!(bench(&records).verdict(), Verdict::Faster);
        assert_eq!(bench(&records[..1]).verdict(), Verdict::Alone);
    }

    #[test]
    fn what_is_within_the_noise_is_neither_faster_nor_slower() {
        let verdict = |ratio: f64| {
            let records = [
                record("g", "b", "heist", 1.0, 1.0),
                record("g", "b", "rayon", 1.0 / ratio, ratio),
                again("g", "b", "rayon", ratio * 1.25),
            ];
            bench(&records).verdict()
        };
        assert_eq!(verdict(1.2), Verdict::Same);
        assert_eq!(verdict(0.82), Verdict::Same);
        assert_eq!(verdict(1.3), Verdict::Slower);
        assert_eq!(verdict(0.7), Verdict::Faster);
    }

    #[test]
    fn a_band_is_at_least_what_is_usual_in_its_group() {
        let row = |bench: &str, noise: f64| {
            [
                record("g", bench, "heist", 1.0, 1.0),
                record("g", bench, "rayon", 1.0, 1.0),
                again("g", bench, "rayon", noise),
            ]
        };
        let records = [row("a", 1.0), row("b", 2.0), row("c", 1.1)].concat();
        let bands: Vec<f64> = groups(&records)[0].iter().map(|bench| bench.band.highest).collect();
        assert_eq!(bands, [1.1, 2.0, 1.1]);
    }

    #[test]
    fn a_group_that_comes_again_is_one_group() {
        let names = [("g", "a"), ("h", "b"), ("g", "c")];
        let records: Vec<_> =
            names.iter().map(|(group, name)| record(group, name, "heist", 1.0, 1.0)).collect();
        let groups = groups(&records);
        let names: Vec<Vec<_>> = groups.iter().map(|group| group.iter().map(Bench::name).collect()).collect();
        assert_eq!(names, [vec!["a", "c"], vec!["b"]]);
    }

    #[test]
    fn the_noise_of_several_processes_is_the_widest_of_them() {
        let mut again = again("g", "b", "rayon", 1.0);
        again.noise = Some(Spread { lowest: 0.5, highest: 1.2 });
        let records = [record("g", "b", "heist", 1.0, 1.0), record("g", "b", "rayon", 1.0, 1.0), again];
        assert_eq!(bench(&records).band, Spread { lowest: 0.5, highest: 2.0 });
    }

    #[test]
    fn benches_that_differ_in_a_number_are_a_series() {
        let names = ["sum of 100", "sum of 10", "sum of 1000", "chunks of 1,000", "fib(32)", "sum of 10 s"];
        let records: Vec<_> = names.iter().map(|name| record("g", name, "heist", 1.0, 1.0)).collect();
        let groups = groups(&records);
        let series = series(&groups[0]);
        assert_eq!(series.len(), 1);
        assert_eq!((series[0].before, series[0].after), ("sum of ", ""));
        let sizes: Vec<f64> = series[0].benches.iter().map(|(size, _)| *size).collect();
        assert_eq!(sizes, [10.0, 100.0, 1000.0]);
    }

    #[test]
    fn a_number_may_be_in_the_middle_of_a_name() {
        let found: Vec<_> = numbers("spawn, from 8 threads").collect();
        assert_eq!(found, [("spawn, from ", 8.0, " threads")]);
        assert_eq!(numbers("1,001 of 3.5 and x2").count(), 0);
    }
}
