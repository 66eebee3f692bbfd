//! How parallel a recorded computation was: work, span, and who was busy.
//!
//! First every thread's events are replayed. That gives its *runs*, from a start to an end, and of each the
//! [`Step`]s: time that it spent itself, jobs that it forked, joins. Time in which something else ran on top
//! of it, or in which it waited, is not its own. Then the steps of each run are walked along, with those of
//! the jobs that it forked, to find how long the longest chain is of things that could only be done one after
//! the other.

use super::{
    data::Trace,
    event::{Event, JobId, What},
};
use std::{collections::HashMap, mem, time::Duration};

/// Figures about a [`Trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Analysis {
    /// See [`Trace::work`].
    pub work: Duration,
    /// See [`Trace::span`].
    pub span: Duration,
    /// The longest time in which a job ran and neither pushed something nor joined it: no number of workers
    /// makes that shorter.
    pub longest_stretch: Duration,
    /// How long each worker ran jobs, by its index. Not counted is when it searched, slept or waited.
    pub busy: Vec<Duration>,
    /// How many times a worker took something from another one.
    pub steals: usize,
}

impl Analysis {
    /// See [`Trace::parallelism`].
    pub fn parallelism(&self) -> f64 {
        if self.span.is_zero() { 1.0 } else { self.work.as_secs_f64() / self.span.as_secs_f64() }
    }

    /// How many times as fast as with one worker the computation can be with so many: at most their number,
    /// and at most the [parallelism](Self::parallelism). No scheduler can do better.
    pub fn speedup_limit(&self, workers: usize) -> f64 {
        self.parallelism().min(workers as f64)
    }

    /// How many times as fast as with one worker the computation is at least, if no worker is ever idle while
    /// there is something to run, and if that costs nothing.
    ///
    /// That is Brent's bound: such workers need no longer than the span, and their share of all the rest.
    pub fn greedy_speedup(&self, workers: usize) -> f64 {
        let (work, span) = (self.work.as_secs_f64(), self.span.as_secs_f64());
        if work == 0.0 { 1.0 } else { work / ((work - span) / workers.max(1) as f64 + span) }
    }
}

impl Trace {
    /// All figures at once. To ask for one is to go through all events; so is to ask for all.
    pub fn analysis(&self) -> Analysis {
        let mut runs = Runs::default();
        let mut threads = self.threads();
        let workers = threads.by_ref().take(self.num_workers());
        let busy = workers.map(|(events, end)| runs.replay(events, end)).collect();
        threads.take(1).for_each(|(caller, end)| _ = runs.replay(caller, end));
        let is_steal = |event: &&Event| matches!(event.what, What::Stolen { .. });
        Analysis {
            work: runs.all.iter().map(|run| run.own_time()).sum(),
            span: runs.span(),
            longest_stretch: runs.all.iter().map(Run::longest_stretch).max().unwrap_or_default(),
            busy,
            steals: self.workers().flatten().filter(is_steal).count(),
        }
    }

    /// The time that all workers spent with jobs, tasks and the recorded closure, together: what one worker
    /// alone would have needed, about.
    ///
    /// It is the time on the clock from a start to an end, without what ran on top and without waiting for
    /// other jobs. So it contains whatever else kept the thread from going on: locks, input and output, other
    /// processes on its core, and the recording itself. Of a thread that is no worker of the pool it contains
    /// what passed in the recorded closure, when it was not waiting for the pool.
    pub fn work(&self) -> Duration {
        self.analysis().work
    }

    /// The longest chain of work of which each part had to wait for the one before it: what the computation
    /// would need with any number of workers.
    ///
    /// It is found from what was recorded, as if every job that could have run at the same time as another
    /// one had done so, at no cost. It never exceeds the [work](Self::work).
    /// - For [`join`](crate::join()) that is exact: from the push of the second half on the chain goes on in
    ///   both halves, and what comes after the join continues the longer one. The same holds for a call from
    ///   the recording thread into the pool.
    /// - A job that is spawned continues the chain of its spawner. What comes after a scope or a broadcast
    ///   continues the longest chain of all the jobs that were spawned since it was opened, by the run that
    ///   opened it or by these jobs in turn. That includes those that would not have been waited for, by
    ///   [`spawn`](crate::spawn()).
    /// - A task continues the chain of whatever queued it, each time it is polled. What one task does to
    ///   another by ways of its own, a lock or a channel, is not seen.
    /// - A job that was queued before the recording, or by other threads, begins a chain of its own.
    pub fn span(&self) -> Duration {
        self.analysis().span
    }

    /// [Work](Self::work) by [span](Self::span): how many workers could have been busy all the time. More
    /// than that many are of no use. It is 1 if nothing was recorded.
    pub fn parallelism(&self) -> f64 {
        self.analysis().parallelism()
    }

    /// Which part of the time each worker ran jobs, by its index: from 0 to 1.
    pub fn utilisation(&self) -> Vec<f64> {
        let share = |busy: Duration| busy.as_secs_f64() / self.duration().as_secs_f64();
        if self.duration().is_zero() {
            return vec![0.0; self.num_workers()];
        }
        self.analysis().busy.into_iter().map(share).collect()
    }

    /// How many times a worker took something from another one.
    pub fn steals(&self) -> usize {
        self.analysis().steals
    }

    /// The longest time in which a job ran and neither pushed something nor joined it.
    pub fn longest_stretch(&self) -> Duration {
        self.analysis().longest_stretch
    }
}

/// What a run does, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Work(Duration),
    Fork(JobId),
    Join(JobId),
    Open,
    Close,
}

/// A job from its start to its end, or a task during one poll.
#[derive(Debug, Default)]
struct Run {
    steps: Vec<Step>,
    /// How many times it waits right now, during the replay.
    waits: usize,
}

impl Run {
    fn work(&mut self, time: Duration) {
        match self.steps.last_mut() {
            _ if self.waits > 0 || time.is_zero() => {}
            Some(Step::Work(before)) => *before += time,
            _ => self.steps.push(Step::Work(time)),
        }
    }

    fn resume(&mut self) {
        match self.waits {
            // It has waited since before the recording.
            0 => self.steps.retain(|step| !matches!(step, Step::Work(_))),
            _ => self.waits -= 1,
        }
    }

    fn stretches(&self) -> impl Iterator<Item = Duration> {
        self.steps.iter().map(|step| if let Step::Work(time) = step { *time } else { Duration::ZERO })
    }

    fn own_time(&self) -> Duration {
        self.stretches().sum()
    }

    fn longest_stretch(&self) -> Duration {
        self.stretches().max().unwrap_or_default()
    }

    fn forks(&self) -> impl Iterator<Item = JobId> {
        self.steps.iter().filter_map(|step| if let Step::Fork(job) = step { Some(*job) } else { None })
    }
}

#[derive(Debug, Default)]
struct Runs {
    all: Vec<Run>,
    of_job: HashMap<JobId, usize>,
}

impl Runs {
    /// Adds the runs of one thread; says how long they took.
    fn replay(&mut self, events: &[Event], end: Duration) -> Duration {
        let first = self.all.len();
        let mut stack: Vec<(JobId, Run)> = Vec::new();
        // A run from before the recording, if it turns out that there is one: when it ends.
        let mut ghost = Run::default();
        let mut since = Duration::ZERO;
        for event in events {
            let top = stack.last_mut().map_or(&mut ghost, |(_, run)| run);
            top.work(event.at.saturating_sub(since));
            since = event.at;
            match event.what {
                What::Started { job, .. } => stack.push((job, Run::default())),
                What::Ended { job, .. } => {
                    let (job, run) = stack.pop().unwrap_or_else(|| (job, mem::take(&mut ghost)));
                    self.add(job, run);
                }
                What::Waiting => top.waits += 1,
                What::Resumed => top.resume(),
                What::Pushed { job, .. } | What::Injected { job, .. } => top.steps.push(Step::Fork(job)),
                What::Joined { job } => top.steps.push(Step::Join(job)),
                What::Opened => top.steps.push(Step::Open),
                What::Closed => top.steps.push(Step::Close),
                What::Stolen { .. } | What::Parked | What::Woken => {}
            }
        }
        if let Some((_, top)) = stack.last_mut() {
            top.work(end.saturating_sub(since));
        }
        stack.into_iter().for_each(|(job, run)| self.add(job, run));
        self.all[first..].iter().map(Run::own_time).sum()
    }

    fn add(&mut self, job: JobId, run: Run) {
        self.of_job.insert(job, self.all.len());
        self.all.push(run);
    }

    /// The longest chain.
    fn span(&self) -> Duration {
        let mut reaches: Vec<State> = vec![State::Unknown; self.all.len()];
        for run in 0..self.all.len() {
            self.explore(run, &mut reaches);
        }
        reaches.iter().map(|state| state.reach().latest).max().unwrap_or_default()
    }

    /// Finds the reach of a run, after those of all that it forked. Forks may be nested deeper than a stack
    /// is; so there is none but the one here.
    fn explore(&self, run: usize, reaches: &mut [State]) {
        let mut path = vec![run];
        while let Some(&run) = path.last() {
            match reaches[run] {
                State::Unknown => {
                    reaches[run] = State::Begun;
                    let forked = self.all[run].forks().filter_map(|job| self.of_job.get(&job).copied());
                    path.extend(forked.filter(|&fork| matches!(reaches[fork], State::Unknown)));
                }
                State::Begun => {
                    reaches[run] = State::Known(self.walk(run, reaches));
                    path.pop();
                }
                State::Known(_) => _ = path.pop(),
            }
        }
    }

    /// Follows the steps of a run whose forks have been explored.
    fn walk(&self, run: usize, reaches: &[State]) -> Reach {
        let reach_of = |job| self.of_job.get(&job).map_or(Reach::default(), |&run| reaches[run].reach());
        let mut now = Duration::ZERO;
        let mut open: Vec<usize> = Vec::new();
        let mut forked: Vec<Forked> = Vec::new();
        for step in &self.all[run].steps {
            match *step {
                Step::Work(time) => now += time,
                Step::Fork(job) => forked.push(Forked::new(job, now, reach_of(job))),
                Step::Join(job) => {
                    if let Some(place) = forked.iter().rposition(|forked| forked.job == job) {
                        now = now.max(forked[place].end);
                        // If the half has left jobs behind, they go on.
                        if forked[place].latest == forked[place].end {
                            forked.remove(place);
                        }
                    }
                }
                Step::Open => open.push(forked.len()),
                Step::Close => {
                    let first = open.pop().unwrap_or(0).min(forked.len());
                    now = forked.drain(first..).map(|forked| forked.latest).fold(now, Duration::max);
                }
            }
        }
        Reach { end: now, latest: forked.iter().map(|forked| forked.latest).fold(now, Duration::max) }
    }
}

/// How far the longest chain goes that begins where a run does.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// To the end of the run.
    end: Duration,
    /// To the end of all that it forked, too.
    latest: Duration,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Unknown,
    /// Its forks are being explored.
    Begun,
    Known(Reach),
}

impl State {
    fn reach(self) -> Reach {
        if let State::Known(reach) = self { reach } else { Reach::default() }
    }
}

/// A job that a run has forked, and how far the chain goes in it.
struct Forked {
    job: JobId,
    end: Duration,
    latest: Duration,
}

impl Forked {
    fn new(job: JobId, at: Duration, reach: Reach) -> Self {
        Forked { job, end: at + reach.end, latest: at + reach.latest }
    }
}

#[cfg(test)]
mod tests;
