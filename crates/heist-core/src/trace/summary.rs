//! [`Summary`]: the figures of a trace for a terminal, and what follows from them.
//!
//! The sentences at the end are chosen by rules, from the figures alone. Each says what was seen and, if
//! there is one, what to do about it. They speak about the computation; how it was scheduled matters only
//! where the computation would have allowed for more.

use super::{
    analysis::Analysis,
    data::Trace,
    event::{Event, What},
};
use std::{fmt, time::Duration};

/// Cells of the bar of a worker.
const BAR: usize = 32;

/// Below this many workers' worth of parallelism for each worker, there is talk of what limits it.
const ROOM: f64 = 2.0;

/// The share of the time from which on workers count as busy.
const BUSY: f64 = 0.75;

/// Runs shorter than this, on average, cost about as much to hand out as to do.
const SHORT_RUN: Duration = Duration::from_micros(1);

/// With fewer runs nobody cares how short they are.
const MANY_RUNS: usize = 1_000;

/// What a [`Trace`] comes to. To be printed, as it is, for people; its [`advice`](Self::advice) also alone.
///
/// Times are those on the clock: on a busy machine a job that had to wait for its core looks long. And it is
/// about what was recorded: parallel iterators and sorts fork more if there are more workers.
///
/// ```
/// let (_, trace) = heist_core::trace::record(|| heist_core::join(|| 1, || 2));
/// let summary = trace.summary();
/// assert_eq!(summary.workers.len(), trace.num_workers());
/// println!("{summary}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How long the closure ran.
    pub duration: Duration,
    /// Work, span and what follows from them.
    pub analysis: Analysis,
    /// What each worker did, by its index.
    pub workers: Vec<WorkerSummary>,
    /// How many events there are.
    pub events: usize,
    /// How many events did not fit into the buffers.
    pub lost: u64,
}

/// What one worker did while it was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerSummary {
    /// How long it ran jobs and polled tasks.
    pub busy: Duration,
    /// How long it slept.
    pub asleep: Duration,
    /// How many jobs it started to run, or tasks to poll.
    pub runs: usize,
    /// How many times it took something from another one.
    pub steals: usize,
}

impl WorkerSummary {
    fn of(events: &[Event], seen_until: Duration, busy: Duration) -> Self {
        let count = |counts: fn(&What) -> bool| events.iter().filter(|event| counts(&event.what)).count();
        WorkerSummary {
            busy,
            asleep: asleep(events, seen_until),
            runs: count(|what| matches!(what, What::Started { .. })),
            steals: count(|what| matches!(what, What::Stolen { .. })),
        }
    }
}

/// A worker of which nothing was seen has slept all the time, or had something long to do from before on.
fn asleep(events: &[Event], seen_until: Duration) -> Duration {
    if events.is_empty() {
        return seen_until;
    }
    let (mut since, mut total) = (None, Duration::ZERO);
    for event in events {
        match event.what {
            What::Parked => since = Some(event.at),
            // If it was not seen to fall asleep, it slept when the recording began.
            What::Woken => total += event.at.saturating_sub(since.take().unwrap_or_default()),
            _ => {}
        }
    }
    total += seen_until.saturating_sub(since.unwrap_or(seen_until));
    total.min(seen_until)
}

impl Trace {
    /// The figures and what follows from them, to be printed.
    pub fn summary(&self) -> Summary {
        let analysis = self.analysis();
        let workers = self.threads().zip(&analysis.busy);
        Summary {
            duration: self.duration(),
            workers: workers.map(|((events, end), &busy)| WorkerSummary::of(events, end, busy)).collect(),
            analysis,
            events: self.threads().map(|(events, _)| events.len()).sum(),
            lost: self.lost(),
        }
    }
}

impl Summary {
    /// Which part of the time the workers were busy, on average: from 0 to 1.
    pub fn utilisation(&self) -> f64 {
        share(self.busy(), self.duration) / self.workers.len().max(1) as f64
    }

    /// How many jobs were started, and polls of tasks.
    pub fn runs(&self) -> usize {
        self.workers.iter().map(|worker| worker.runs).sum()
    }

    /// What can be learnt from the figures, a sentence or two at a time.
    pub fn advice(&self) -> Vec<String> {
        if self.lost > 0 {
            return vec![self.loss()];
        }
        if self.analysis.work.is_zero() {
            return vec!["Nothing ran in the pool while it was recorded.".into()];
        }
        let limits = if self.is_limited() { self.limits() } else { self.room() };
        [Some(limits), self.outside_work(), self.short_runs()].into_iter().flatten().collect()
    }

    fn loss(&self) -> String {
        format!(
            "{} events did not fit: the figures tell of the beginning only. Record less, or with more room \
             (`Recorder::events_per_thread`).",
            count(self.lost)
        )
    }

    /// Whether it is the computation that keeps more workers from being of use.
    fn is_limited(&self) -> bool {
        self.analysis.parallelism() < ROOM * self.workers.len() as f64
    }

    fn limits(&self) -> String {
        let Analysis { work, span, .. } = self.analysis;
        let parallelism = self.analysis.parallelism();
        let chain = if parallelism < 1.1 {
            "Nearly all of the work is one chain: no number of workers makes it faster.".to_owned()
        } else {
            format!(
                "As it was forked here, the longest chain takes {} of the work: more than {parallelism:.1} \
                 workers do not help.",
                percent(share(span, work))
            )
        };
        format!("{chain} {}", self.stretch())
    }

    /// Whether one stretch makes the chain long, or the way its parts follow each other.
    fn stretch(&self) -> String {
        let Analysis { span, longest_stretch, .. } = self.analysis;
        let part = share(longest_stretch, span);
        if part >= 0.25 {
            let is_odd = self.runs() >= 100 && longest_stretch > 50 * self.mean_run();
            return format!(
                "The longest stretch without a fork takes {}, {} of the span: split it{}.",
                time(longest_stretch),
                percent(part),
                if is_odd { ", or see whether something else had its core" } else { "" }
            );
        }
        format!(
            "No stretch alone makes the chain long, the longest takes {}: look for what waits without need \
             for what comes before it.",
            time(longest_stretch)
        )
    }

    /// The computation has enough to do for all workers.
    fn room(&self) -> String {
        let (parallelism, busy) = (self.analysis.parallelism(), self.utilisation());
        if busy >= BUSY {
            return format!(
                "The workers were busy {} of the time, and up to {parallelism:.0} could be: more cores would \
                 help.",
                percent(busy)
            );
        }
        format!(
            "There was enough to do for {parallelism:.0} workers, but the workers were busy only {} of the \
             time. {}",
            percent(busy),
            if self.duration < Duration::from_millis(1) {
                "It was over so soon that waking them took much of it."
            } else {
                "Look for when they sleep, and for locks and input that they wait for in between."
            }
        )
    }

    /// Work of the recording thread, if it is no worker.
    fn outside_work(&self) -> Option<String> {
        let outside = share(self.analysis.work.saturating_sub(self.busy()), self.analysis.work);
        (outside >= 0.2).then(|| {
            format!(
                "{} of the work was done by the recording thread, which is no worker of the pool.",
                percent(outside)
            )
        })
    }

    fn short_runs(&self) -> Option<String> {
        let mean = self.mean_run();
        (self.runs() >= MANY_RUNS && mean < SHORT_RUN).then(|| {
            format!(
                "A run takes {} on average, and the recording is a good part of that: fewer and longer ones \
                 cost less.",
                time(mean)
            )
        })
    }

    /// How long the workers were busy, together.
    fn busy(&self) -> Duration {
        self.workers.iter().map(|worker| worker.busy).sum()
    }

    fn mean_run(&self) -> Duration {
        let mean = self.busy().as_nanos().checked_div(self.runs() as u128);
        Duration::from_nanos(mean.unwrap_or(0) as u64)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.figures(f)?;
        self.bars(f)?;
        self.speedups(f)?;
        self.advice().iter().try_for_each(|advice| write!(f, "\n\n{}", wrapped(advice)))
    }
}

impl Summary {
    fn figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { work, span, longest_stretch, steals, .. } = self.analysis;
        let (duration, busy) = (time(self.duration), share(work, self.duration));
        writeln!(f, "recorded         {duration:>9}  {} events", count(self.events as u64))?;
        writeln!(f, "work             {:>9}  {busy:.2} busy on average", time(work))?;
        writeln!(f, "span             {:>9}  the longest chain", time(span))?;
        writeln!(f, "parallelism      {:>9.2}  work by span", self.analysis.parallelism())?;
        writeln!(f, "longest stretch  {:>9}  without a fork or a join", time(longest_stretch))?;
        let (runs, mean) = (count(self.runs() as u64), time(self.mean_run()));
        writeln!(f, "runs             {runs:>9}  {mean} on average")?;
        writeln!(f, "steals           {:>9}", count(steals as u64))
    }

    fn bars(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.workers.len().saturating_sub(1).to_string().len() + "worker ".len();
        let (legend, runs, steals) = ("█ busy  ░ awake  · asleep", "runs", "steals");
        writeln!(f, "\n{:width$}   busy  {legend:BAR$}  asleep  {runs:>9}  {steals:>9}", "")?;
        for (index, worker) in self.workers.iter().enumerate() {
            let [busy, asleep] = [worker.busy, worker.asleep].map(|part| share(part, self.duration));
            let (name, bar) = (format!("worker {index}"), bar(busy, asleep));
            let (runs, steals) = (count(worker.runs as u64), count(worker.steals as u64));
            let [busy, asleep] = [busy, asleep].map(percent);
            writeln!(f, "{name:width$}  {busy:>5}  {bar}  {asleep:>6}  {runs:>9}  {steals:>9}")?;
        }
        Ok(())
    }

    fn speedups(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let workers = self.workers_to_compare();
        write!(f, "\nworkers          ")?;
        workers.iter().try_for_each(|workers| write!(f, "{workers:>7}"))?;
        write!(f, "\nspeed-up at most ")?;
        workers.iter().try_for_each(|&workers| write!(f, "{:>7.2}", self.analysis.speedup_limit(workers)))?;
        write!(f, "\nspeed-up at least")?;
        workers
            .iter()
            .try_for_each(|&workers| write!(f, "{:>7.2}", self.analysis.greedy_speedup(workers)))?;
        write!(f, "\n  if nobody is ever idle while there is work")
    }

    /// The pool's own number, and powers of two until the limit is the parallelism, or nearly.
    fn workers_to_compare(&self) -> Vec<usize> {
        let enough = (self.analysis.parallelism() * 2.0).max(self.workers.len() as f64 * 2.0);
        let powers = (0..7).map(|power| 1 << power).filter(|&workers| workers as f64 <= enough.max(4.0));
        let mut workers: Vec<usize> = powers.chain([self.workers.len().max(1)]).collect();
        workers.sort_unstable();
        workers.dedup();
        workers
    }
}

/// Busy, awake, asleep.
fn bar(busy: f64, asleep: f64) -> String {
    let cells = |share: f64| (share * BAR as f64).round() as usize;
    let busy = cells(busy).min(BAR);
    let asleep = cells(asleep).min(BAR - busy);
    ["█".repeat(busy), "░".repeat(BAR - busy - asleep), "·".repeat(asleep)].concat()
}

fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// With three digits and a unit.
fn time(time: Duration) -> String {
    let nanos = time.as_nanos() as f64;
    let (value, unit) = match nanos {
        _ if nanos < 999.5 => return format!("{nanos:.0} ns"),
        _ if nanos < 999.5e3 => (nanos / 1e3, "µs"),
        _ if nanos < 999.5e6 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    let decimals = match value {
        _ if value < 9.995 => 2,
        _ if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// With a comma between thousands.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// In lines that fit a terminal.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 80 {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

#[cfg(test)]
mod tests;
