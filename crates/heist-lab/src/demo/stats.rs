//! Figures about a history: who was busy, and how parallel it was.

use std::collections::HashMap;

use super::recording::{Event, History, Stats, What};
use super::setup::{Program, Setup};

/// When the last task was over.
pub fn duration_us(history: &History) -> f64 {
    let is_end = |event: &&Event| matches!(event.what, What::End { .. });
    history.events.iter().rfind(is_end).map_or(0.0, |event| event.at)
}

/// Figures about a history of this set-up.
pub fn stats(history: &History, setup: &Setup) -> Stats {
    let duration = duration_us(history);
    let mut runs = Runs::new(setup.workers);
    history.events.iter().for_each(|event| runs.replay(event));
    let count = |is: fn(&What) -> bool| history.events.iter().filter(|event| is(&event.what)).count();
    let share = |busy: &f64| if duration > 0.0 { busy / duration } else { 0.0 };
    let (work, span) = (runs.busy.iter().sum(), runs.span());
    let (total, longest) = asked(history, setup);
    Stats {
        utilisation: runs.busy.iter().map(share).collect(),
        steals: count(|what| matches!(what, What::Steal { .. })),
        parks: history.events.iter().filter(|event| is_park(event, duration)).count(),
        work_us: work,
        span_us: span,
        parallelism: if span > 0.0 { work / span } else { 1.0 },
        bound_us: longest.max(total / setup.workers as f64),
        longest_us: longest,
        busy_us: runs.busy,
    }
}

/// The work that was asked for, of what is shown: all of it, and the longest part that cannot be shared.
fn asked(history: &History, setup: &Setup) -> (f64, f64) {
    let size = setup.scale().size_us as f64;
    // The first is the owner, who goes round.
    let jobs = history.tasks.len().saturating_sub(1) as f64;
    match setup.program {
        Program::LastJob => (jobs * size, jobs * size),
        Program::Aba => (jobs * size, jobs * size / 2.0),
        _ => (setup.total_us() as f64, setup.longest_us() as f64),
    }
}

/// Whether somebody went to sleep while there was something to do: neither before the first task came nor
/// after the last.
fn is_park(event: &Event, duration: f64) -> bool {
    event.what == What::Park && event.at > 0.0 && event.at < duration
}

/// A task from a start to an end.
#[derive(Debug, Default)]
struct Run {
    own: f64,
    /// What it queued, and how much it had done by then.
    forked: Vec<(usize, f64)>,
    waits: usize,
}

/// The runs of a history, innermost last for each worker.
struct Runs {
    all: Vec<Run>,
    stacks: Vec<Vec<usize>>,
    since: Vec<f64>,
    busy: Vec<f64>,
    /// By task: the run that queued it last.
    queued_by: HashMap<usize, (usize, f64)>,
}

impl Runs {
    fn new(workers: usize) -> Self {
        Runs {
            all: Vec::new(),
            stacks: vec![Vec::new(); workers],
            since: vec![0.0; workers],
            busy: vec![0.0; workers],
            queued_by: HashMap::new(),
        }
    }

    fn replay(&mut self, event: &Event) {
        let Some(worker) = event.worker else { return };
        let passed = event.at - std::mem::replace(&mut self.since[worker], event.at);
        let top = self.stacks[worker].last().copied();
        if let Some(top) = top.filter(|top| self.all[*top].waits == 0) {
            self.all[top].own += passed;
            self.busy[worker] += passed;
        }
        match event.what {
            What::Start { task } => {
                let run = self.all.len();
                if let Some((by, after)) = self.queued_by.remove(&task) {
                    self.all[by].forked.push((run, after));
                }
                self.all.push(Run::default());
                self.stacks[worker].push(run);
            }
            What::End { .. } => _ = self.stacks[worker].pop(),
            What::Push { task, .. } | What::Inject { task, .. } => {
                if let Some(top) = top {
                    self.queued_by.insert(task, (top, self.all[top].own));
                }
            }
            What::Wait => top.into_iter().for_each(|top| self.all[top].waits += 1),
            What::Resume => {
                let waiting = self.stacks[worker].iter().rfind(|run| self.all[**run].waits > 0);
                waiting.copied().into_iter().for_each(|run| self.all[run].waits -= 1);
            }
            What::Steal { .. } | What::Take { .. } | What::Park | What::Wake => {}
        }
    }

    /// The longest chain: a run goes on from where it was queued. What comes after a `join` is next to
    /// nothing in the programs here, and not counted.
    fn span(&self) -> f64 {
        // A run is queued by an earlier one.
        let mut reach = vec![0.0_f64; self.all.len()];
        for (place, run) in self.all.iter().enumerate().rev() {
            let forked = run.forked.iter().map(|(fork, after)| after + reach[*fork]);
            reach[place] = forked.fold(run.own, f64::max);
        }
        reach.into_iter().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recording::Queue;
    use super::*;

    fn history(events: &[(f64, usize, What)]) -> History {
        let event = |(at, worker, what): &(f64, usize, What)| Event {
            at: *at,
            worker: Some(*worker),
            what: what.clone(),
        };
        History { events: events.iter().map(event).collect(), ..History::default() }
    }

    fn setup() -> Setup {
        let body = r#"{ "program": "tasks", "workers": 2, "tasks": [{ "size_us": 10, "count": 2 }] }"#;
        Setup::parse(body.as_bytes()).expect("a set-up")
    }

    const fn push(task: usize) -> What {
        What::Push { task, queue: Queue::Deque, evicted: None }
    }

    const fn end(task: usize) -> What {
        What::End { task, more: false }
    }

    #[test]
    fn busy_is_who_runs_and_does_not_wait() {
        let history = history(&[
            (0.0, 0, push(0)),
            (0.0, 0, What::Start { task: 0 }),
            (2.0, 0, push(1)),
            (3.0, 1, What::Steal { from: 0, queue: Queue::Deque, tasks: vec![1] }),
            (3.0, 1, What::Start { task: 1 }),
            (4.0, 0, What::Wait),
            (5.0, 0, What::Park),
            (8.0, 1, end(1)),
            (8.0, 0, What::Wake),
            (8.0, 0, What::Resume),
            (10.0, 0, end(0)),
            (11.0, 1, What::Park),
        ]);
        let stats = stats(&history, &setup());
        assert_eq!(duration_us(&history), 10.0);
        assert_eq!(stats.busy_us, [6.0, 5.0]);
        assert_eq!(stats.utilisation, [0.6, 0.5]);
        assert_eq!((stats.steals, stats.parks), (1, 1));
        assert_eq!((stats.work_us, stats.span_us), (11.0, 7.0));
        assert_eq!((stats.bound_us, stats.longest_us), (10.0, 10.0));
    }

    #[test]
    fn tasks_that_wake_each_other_are_one_chain() {
        let history = history(&[
            (0.0, 0, push(0)),
            (0.0, 0, What::Start { task: 0 }),
            (1.0, 0, push(1)),
            (1.0, 0, What::End { task: 0, more: true }),
            (1.0, 0, What::Start { task: 1 }),
            (2.0, 0, push(0)),
            (2.0, 0, end(1)),
            (2.0, 0, What::Start { task: 0 }),
            (3.0, 0, end(0)),
        ]);
        let stats = stats(&history, &setup());
        assert_eq!((stats.work_us, stats.span_us, stats.parallelism), (3.0, 3.0, 1.0));
    }

    #[test]
    fn nothing_has_no_duration() {
        let stats = stats(&history(&[]), &setup());
        assert_eq!(stats.utilisation, [0.0, 0.0]);
        assert_eq!(stats.parallelism, 1.0);
    }
}
