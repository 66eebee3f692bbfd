//! What the single steps cost, next to plain calls, Rayon, Tokio and smol: some rows of the benchmarks, for a
//! short time each.

use std::io;

use super::screen::{Screen, Style};
use crate::bench::measure::{self, AGAIN, Effort, Measured};
use crate::bench::report::{plain, time};
use crate::bench::{Group, costs, tasks};

/// A table: some rows of a group, and the columns next to heist's.
pub struct Prices {
    group: Group,
    /// What to call a row here, and its name in the group.
    rows: &'static [(&'static str, &'static str)],
    /// Others next to heist; the first is the one that heist's time is divided by.
    others: [&'static str; 2],
}

pub const FORK_JOIN: Prices = Prices {
    group: costs::GROUP,
    rows: &[
        ("fork: offer a half to others", "fork"),
        ("join: take it back, nobody took it", "join, nothing stolen"),
        ("steal, by one who is searching", "steal: from the push to the start"),
        ("wake a sleeper: the waker's time", "push that wakes: the pusher's time"),
        ("wake a sleeper: until it starts", "push that wakes: until the start"),
    ],
    others: ["rayon", "sequential"],
};

pub const TASKS: Prices = Prices {
    group: tasks::GROUP,
    rows: &[
        ("spawn in block_on, until all have run", "spawn, from block_on"),
        ("spawn from outside, the spawn alone", "spawn, from outside, idle"),
        ("spawn in a task, and await it", "spawn and await in a task"),
    ],
    others: ["tokio", "smol"],
};

impl Prices {
    /// Measures row after row and prints each as soon as it is there.
    pub fn tell(&self, screen: &mut Screen<'_>, effort: &Effort) -> io::Result<()> {
        let [first, second] = self.others;
        let heading = line("", "heist", first, title(second), &format!("heist/{first}"));
        let heading = screen.paint(Style::Faint, &heading);
        screen.print(&heading)?;
        let mut noise = Noise::default();
        for (label, name) in self.rows {
            screen.draft(&screen.paint(Style::Faint, &format!("  {label} ...")))?;
            let mut rows = (self.group.rows)(effort).into_iter();
            let row = rows.find(|row| row.name == *name).expect("a test has looked for it");
            let measured = measure::measure(row, effort);
            noise.note(&measured, first);
            screen.print(&self.line(label, &measured))?;
        }
        screen.print(&screen.paint(Style::Faint, &noise.sentence(first)))
    }

    fn line(&self, label: &str, measured: &[Measured]) -> String {
        let [first, second] = self.others.map(|who| find(measured, who));
        let heist = find(measured, "heist");
        let shown = |ns: Option<f64>| ns.map_or("-".to_owned(), time);
        let ratio = heist.zip(first).map_or(String::new(), |(a, b)| plain(a / b));
        line(label, &shown(heist), &shown(first), &shown(second), &ratio)
    }
}

fn line(label: &str, heist: &str, first: &str, second: &str, ratio: &str) -> String {
    format!("  {label:<38}{heist:>9}{first:>9}{second:>9}{ratio:>13}")
}

/// `sequential` is what the group calls plain calls.
fn title(who: &str) -> &str {
    if who == "sequential" { "call" } else { who }
}

fn find(measured: &[Measured], who: &str) -> Option<f64> {
    measured.iter().find(|of| of.who == who).map(|of| of.median_ns)
}

/// How far a peer was apart from itself.
#[derive(Debug, Default)]
struct Noise(Vec<f64>);

impl Noise {
    fn note(&mut self, measured: &[Measured], peer: &str) {
        let again = find(measured, &format!("{peer}{AGAIN}"));
        self.0.extend(find(measured, peer).zip(again).map(|(once, again)| once / again));
    }

    fn sentence(&self, peer: &str) -> String {
        let lowest = self.0.iter().copied().fold(1.0, f64::min);
        let highest = self.0.iter().copied().fold(1.0, f64::max);
        let (lowest, highest) = (plain(lowest), plain(highest));
        format!("  {peer} measured twice and divided by itself: {lowest} to {highest}. That is noise.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_one_of_its_group() {
        let effort = Effort::new(true);
        for prices in [FORK_JOIN, TASKS] {
            let names: Vec<String> = (prices.group.rows)(&effort).into_iter().map(|row| row.name).collect();
            for (_, name) in prices.rows {
                assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
            }
        }
    }

    fn measured(times: &[(&str, f64)]) -> Vec<Measured> {
        times.iter().map(|&(who, median_ns)| Measured { who: who.to_owned(), median_ns }).collect()
    }

    #[test]
    fn who_does_not_do_it_has_no_time() {
        let measured = measured(&[("heist", 300.0), ("rayon", 600.0), ("rayon (again)", 600.0)]);
        let line = FORK_JOIN.line("steal", &measured);
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!(cells, ["steal", "300.0", "ns", "600.0", "ns", "-", "0.50"]);
    }

    #[test]
    fn noise_is_the_widest_that_was_seen() {
        let mut noise = Noise::default();
        noise.note(&measured(&[("rayon", 10.0), ("rayon (again)", 20.0)]), "rayon");
        noise.note(&measured(&[("rayon", 12.0), ("rayon (again)", 10.0)]), "rayon");
        assert!(noise.sentence("rayon").contains("0.50 to 1.20"));
    }

    #[test]
    fn no_line_is_too_wide() {
        for prices in [FORK_JOIN, TASKS] {
            for (label, _) in prices.rows {
                assert!(label.chars().count() <= 38, "{label}");
            }
        }
    }
}
