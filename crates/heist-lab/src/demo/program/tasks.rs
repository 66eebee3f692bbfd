//! Tasks of chosen sizes for chosen workers, or all from outside; thieves do the rest.

use std::sync::Arc;

use super::{Error, Ran, Team, record, work};
use crate::demo::history::Plan;
use crate::demo::notes::Log;
use crate::demo::recording::{History, What};
use crate::demo::setup::{Program, Setup};
use crate::words::plural;

/// A task, and who is given it: nobody in particular, if it comes from outside.
#[derive(Clone, Debug)]
pub struct Given {
    pub to: Option<usize>,
    pub size_us: u64,
    pub label: String,
}

/// The tasks of a set-up. Labels are a letter for each worker, and a number.
pub fn given(setup: &Setup) -> Vec<Given> {
    if setup.program == Program::Burst {
        let size_us = setup.scale().size_us;
        return (1..=setup.num_tasks()).map(|n| Given { to: None, size_us, label: n.to_string() }).collect();
    }
    let mut counts = vec![0; setup.workers];
    let groups = setup.tasks.iter().flat_map(|group| std::iter::repeat_n(group, group.count));
    let give = |group: &crate::demo::setup::Group| {
        counts[group.worker] += 1;
        let letter = char::from(b'A' + group.worker as u8);
        let label = format!("{letter}{}", counts[group.worker]);
        Given { to: Some(group.worker), size_us: group.size_us, label }
    };
    groups.map(give).collect()
}

pub fn plans(given: &[Given]) -> Vec<Plan> {
    given.iter().map(|given| Plan { size_us: given.size_us, label: given.label.clone() }).collect()
}

pub fn run(setup: &Setup) -> Ran {
    let team = Team::of(setup)?;
    let given = given(setup);
    let history = run_on(&team, setup.workers, &given)?;
    let facts = facts(&history);
    Ok((history, facts))
}

fn run_on(team: &Team, workers: usize, given: &[Given]) -> Result<History, Error> {
    let log = Arc::new(Log::new(workers, given.len()));
    let spawn = |task: usize| {
        let (log, size_us) = (log.clone(), given[task].size_us);
        team.spawn(move || {
            log.begin(task);
            work(size_us);
            log.finish();
        });
    };
    let spawn_for = |worker| (0..given.len()).filter(|task| given[*task].to == worker).for_each(&spawn);
    record(team, &log, &plans(given), || {
        spawn_for(None);
        if given.iter().any(|given| given.to.is_some()) {
            // A part of a broadcast cannot be stolen: who it is for pushes its tasks.
            team.pool().broadcast(|context| spawn_for(Some(context.index())));
        }
        log.wait();
    })
}

fn facts(history: &History) -> Vec<String> {
    let stolen = |what: &What| if let What::Steal { tasks, .. } = what { tasks.len() } else { 0 };
    let thefts = history.events.iter().map(|event| stolen(&event.what)).filter(|stolen| *stolen > 0);
    let (steals, moved) = thefts.fold((0, 0), |(steals, moved), stolen| (steals + 1, moved + stolen));
    if steals == 0 {
        return vec!["Nothing was stolen.".to_owned()];
    }
    vec![format!("{} moved {} from one worker to another.", plural(steals, "steal"), plural(moved, "task"))]
}
