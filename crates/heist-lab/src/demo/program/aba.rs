//! The same few slots of a deque, used again and again, while thieves are at it.
//!
//! In each round an owner pushes two jobs and takes back what is still there. So the deque is empty after
//! each, and its slots hold other jobs at the same places a moment later. Thousands of rounds are only
//! counted; then some are recorded.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::{Ran, Team, record, work};
use crate::demo::history::Plan;
use crate::demo::notes::Log;
use crate::demo::setup::{Group, Setup};
use crate::words::{grouped, plural};

/// Rounds that are only counted, for each that is asked for.
const COUNTED: usize = 100;

/// Rounds that are recorded, at most.
const RECORDED: usize = 12;

const JOBS_PER_ROUND: usize = 2;

pub fn run(setup: &Setup) -> Ran {
    let Group { count, size_us, .. } = setup.scale();
    let team = Team::of_jobs(setup.workers)?;
    let counted = count_rounds(&team, count * COUNTED);

    let rounds = count.min(RECORDED);
    let log = Log::new(setup.workers, 0);
    let mut plans = vec![Plan { size_us: 0, label: "owner".to_owned() }];
    let label = |job: usize| format!("{}{}", job / JOBS_PER_ROUND + 1, ['a', 'b'][job % JOBS_PER_ROUND]);
    plans.extend((0..rounds * JOBS_PER_ROUND).map(|job| Plan { size_us, label: label(job) }));
    let history = record(&team, &log, &plans, || {
        team.pool().install(|| {
            log.begin(0);
            for first in (0..rounds * JOBS_PER_ROUND).step_by(JOBS_PER_ROUND) {
                heist::scope(|scope| {
                    for job in first..first + JOBS_PER_ROUND {
                        let log = &log;
                        scope.spawn(move |_| {
                            log.begin(job + 1);
                            work(size_us);
                        });
                    }
                });
            }
        });
    })?;
    Ok((history, counted.facts()))
}

struct Counted {
    rounds: usize,
    /// By job: how many times it ran.
    ran: Vec<AtomicU32>,
    stolen: AtomicUsize,
}

impl Counted {
    fn facts(&self) -> Vec<String> {
        let jobs = self.ran.len();
        let wrong = self.ran.iter().filter(|ran| ran.load(Ordering::Relaxed) != 1).count();
        let verdict = match wrong {
            0 => "each ran exactly once".to_owned(),
            _ => format!("{} did not run exactly once: that is a bug", plural(wrong, "job")),
        };
        let stolen = self.stolen.load(Ordering::Relaxed);
        vec![
            format!("{} in {}: {verdict}.", plural(jobs, "job"), plural(self.rounds, "round")),
            format!("{} of them were stolen, out of the same few slots.", grouped(stolen as u64)),
        ]
    }
}

fn count_rounds(team: &Team, rounds: usize) -> Counted {
    let ran = (0..rounds * JOBS_PER_ROUND).map(|_| AtomicU32::new(0)).collect();
    let counted = Counted { rounds, ran, stolen: AtomicUsize::new(0) };
    team.pool().install(|| {
        let owner = heist::current_thread_index();
        for jobs in counted.ran.chunks(JOBS_PER_ROUND) {
            heist::scope(|scope| {
                for job in jobs {
                    let stolen = &counted.stolen;
                    scope.spawn(move |_| {
                        job.fetch_add(1, Ordering::Relaxed);
                        if heist::current_thread_index() != owner {
                            stolen.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
            });
        }
    });
    counted
}
