//! An owner and a thief want the same job: the only one there is.
//!
//! In each round a worker pushes a half, is busy for a moment, and comes back for it. How long it is busy
//! differs from round to round, so that it comes at about the time when a thief does.

use std::time::Duration;

use super::{EVENTS, Error, Ran, Team, work};
use crate::demo::history::{Plan, history};
use crate::demo::notes::Log;
use crate::demo::recording::History;
use crate::demo::setup::{Group, Setup};
use crate::words::plural;

/// Rounds that are recorded together; one such recording is shown.
const TOGETHER: usize = 8;

/// The longest time for which the owner is busy.
const BUSY: Duration = Duration::from_micros(120);

pub fn run(setup: &Setup) -> Ran {
    let Group { count: rounds, size_us, .. } = setup.scale();
    let team = Team::of_jobs(setup.workers)?;
    let (mut won_by_thief, mut ran_otherwise) = (0, 0);
    let mut shown: Option<Shown> = None;
    let mut round = 0;
    while round < rounds {
        let some = round..rounds.min(round + TOGETHER);
        round = some.end;
        let next = record(&team, setup.workers, size_us, some)?;
        won_by_thief += next.won_by_thief;
        ran_otherwise += next.ran_otherwise;
        if shown.as_ref().is_none_or(|shown| next.is_better_than(shown)) {
            shown = Some(next);
        }
    }
    let shown = shown.expect("there is a round");
    let owner = plural(rounds - won_by_thief, "time");
    let facts = vec![
        format!("In {} the owner won {owner} and a thief {}.", plural(rounds, "round"), won_by_thief),
        format!("Shown are {} of them, of which a thief won {}.", shown.rounds, shown.won_by_thief),
        match ran_otherwise {
            0 => "Every job ran exactly once.".to_owned(),
            _ => format!("{} did not run exactly once: that is a bug.", plural(ran_otherwise, "job")),
        },
    ];
    Ok((shown.history, facts))
}

struct Shown {
    history: History,
    rounds: usize,
    won_by_thief: usize,
    /// Jobs that did not run exactly once.
    ran_otherwise: usize,
}

impl Shown {
    /// Both should win, and the thief is the one to watch for.
    fn is_better_than(&self, other: &Shown) -> bool {
        let rank = |shown: &Shown| {
            let both = shown.won_by_thief > 0 && shown.won_by_thief < shown.rounds;
            (both, shown.won_by_thief.min(2), shown.rounds)
        };
        rank(self) > rank(other)
    }
}

fn record(team: &Team, workers: usize, size_us: u64, some: std::ops::Range<usize>) -> Result<Shown, Error> {
    let rounds = some.len();
    let log = Log::new(workers, 0);
    let mut plans = vec![Plan { size_us: 0, label: "owner".to_owned() }];
    plans.extend(some.clone().map(|round| Plan { size_us, label: (round + 1).to_string() }));
    let play = |place: usize, round: usize| {
        let job = |context: heist::FnContext| {
            log.begin(place + 1);
            work(size_us);
            context.migrated()
        };
        let ((), stolen) = heist::join_context(|_| work(busy_for(round)), job);
        usize::from(stolen)
    };
    let (won_by_thief, notes) = team.record(EVENTS, &log, || {
        team.pool().install(|| {
            log.begin(0);
            some.enumerate().map(|(place, round)| play(place, round)).sum()
        })
    })?;
    let runs = |job| notes.begun.iter().flatten().filter(|begun| **begun == job).count();
    let ran_otherwise = (1..=rounds).filter(|job| runs(*job) != 1).count();
    Ok(Shown { history: history(&notes, &plans)?, rounds, won_by_thief, ran_otherwise })
}

/// From nothing to the longest time, all over the place.
fn busy_for(round: usize) -> u64 {
    (round as u64 * 37) % BUSY.as_micros() as u64
}
