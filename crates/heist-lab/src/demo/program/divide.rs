//! Work that splits itself: a tree of joins, and a job that wakes a sleeping pool by spawning others.

use std::sync::Arc;

use super::{Ran, Team, record, work};
use crate::demo::history::Plan;
use crate::demo::notes::Log;
use crate::demo::recording::{History, Kind, What};
use crate::demo::setup::{Group, Setup};
use crate::words::plural;

/// Halves are numbered by their first leaf; the whole is number zero.
pub fn run(setup: &Setup) -> Ran {
    let Group { count: leaves, size_us, .. } = setup.scale();
    let team = Team::of_jobs(setup.workers)?;
    let log = Log::new(setup.workers, 0);
    let mut plans = vec![Plan { size_us: 0, label: "all".to_owned() }; leaves];
    plan(&mut plans, 0, leaves, size_us);
    plans[0].size_us = leaves as u64 * size_us;
    let history = record(&team, &log, &plans, || {
        team.pool().install(|| {
            log.begin(0);
            divide(&log, 0, leaves, size_us);
        });
    })?;
    let facts = facts(&history, size_us);
    Ok((history, facts))
}

fn split(first: usize, end: usize) -> usize {
    first + (end - first).div_ceil(2)
}

/// The second halves of a range of leaves, with theirs in turn.
fn plan(plans: &mut [Plan], first: usize, end: usize, size_us: u64) {
    if end - first < 2 {
        return;
    }
    let middle = split(first, end);
    let label = if end - middle == 1 { end.to_string() } else { format!("{}–{end}", middle + 1) };
    plans[middle] = Plan { size_us: (end - middle) as u64 * size_us, label };
    plan(plans, first, middle, size_us);
    plan(plans, middle, end, size_us);
}

fn divide(log: &Log, first: usize, end: usize, size_us: u64) {
    if end - first < 2 {
        return work(size_us);
    }
    let middle = split(first, end);
    let second = || {
        log.begin(middle);
        divide(log, middle, end, size_us);
    };
    heist::join(|| divide(log, first, middle, size_us), second);
}

/// How large the halves are that were stolen, and those that were not.
fn facts(history: &History, leaf_us: u64) -> Vec<String> {
    let is_stolen = |id| {
        history
            .events
            .iter()
            .any(|event| matches!(&event.what, What::Steal { tasks, .. } if tasks.contains(&id)))
    };
    let halves = history.tasks.iter().filter(|task| task.kind == Kind::Half);
    let (stolen, kept): (Vec<_>, Vec<_>) = halves.partition(|half| is_stolen(half.id));
    if stolen.is_empty() || kept.is_empty() {
        return vec![format!("{} of the halves were stolen.", if kept.is_empty() { "All" } else { "None" })];
    }
    let mean = |halves: &[&crate::demo::recording::Task]| {
        let leaves: u64 = halves.iter().map(|half| half.size_us / leaf_us).sum();
        leaves as f64 / halves.len() as f64
    };
    let (large, small) = (mean(&stolen), mean(&kept));
    let counts =
        format!("{} stolen, {} taken back by who pushed them.", plural(stolen.len(), "half"), kept.len());
    vec![
        format!("A stolen half held {large:.1} leaves on average, one that was taken back {small:.1}."),
        counts,
    ]
}

/// All sleep. Then comes one job from outside, which spawns the others.
pub fn run_asleep(setup: &Setup) -> Ran {
    let Group { count, size_us, .. } = setup.scale();
    let team = Team::of_jobs(setup.workers)?;
    let log = Arc::new(Log::new(setup.workers, count + 1));
    let mut plans = vec![Plan { size_us: 0, label: "first".to_owned() }];
    plans.extend((1..=count).map(|n| Plan { size_us, label: n.to_string() }));
    let begin = |task: usize, size_us| {
        let log = log.clone();
        move || {
            log.begin(task);
            work(size_us);
            log.finish();
        }
    };
    let jobs: Vec<_> = (1..=count).map(|task| begin(task, size_us)).collect();
    let first = {
        let log = log.clone();
        move || {
            log.begin(0);
            jobs.into_iter().for_each(heist::spawn);
            log.finish();
        }
    };
    let history = record(&team, &log, &plans, || {
        team.spawn(first);
        log.wait();
    })?;
    let facts = wake_ups(&history);
    Ok((history, facts))
}

/// When the workers came to work, counted from the time the first job came.
fn wake_ups(history: &History) -> Vec<String> {
    let mut seen = Vec::new();
    let mut times = Vec::new();
    for event in &history.events {
        if matches!(event.what, What::Start { .. }) && !seen.contains(&event.worker) {
            seen.push(event.worker);
            times.push(event.at);
        }
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return Vec::new() };
    let mut facts = vec![format!("The first worker was at work {first:.0} µs after the job came.")];
    if times.len() > 1 {
        facts.push(format!("{} were at work after {last:.0} µs.", plural(times.len(), "worker")));
    }
    facts
}
