//! What can be run, each program on a pool of its own, while that is recorded.
//!
//! The work of a task is to wait. So several workers are at it at the same time however few cores there are,
//! and what is seen is the scheduling.

mod aba;
mod divide;
mod last_job;
mod ping_pong;
mod strategy;
mod tasks;

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use heist::runtime::{Builder, Runtime};
use heist::trace::Recorder;
use heist::{ThreadPool, ThreadPoolBuilder};

use super::check::check;
use super::history::{Plan, Unclear, history};
use super::notes::{Log, Notes};
use super::recording::History;
use super::setup::{Program, Setup, Steal, Strategy};

/// How many times a program is run before it is given up to tell what happened.
const ATTEMPTS: usize = 20;

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub history: History,
    /// Sentences that were measured beside it.
    pub facts: Vec<String>,
    /// How many runs before it left it open what happened.
    pub discarded: usize,
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Error {
    /// Threads could not be started.
    Pool(String),
    /// The run left it open what happened.
    Unclear(Unclear),
}

impl From<Unclear> for Error {
    fn from(unclear: Unclear) -> Self {
        Error::Unclear(unclear)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Pool(why) => write!(f, "The pool could not be made: {why}; try fewer workers."),
            Error::Unclear(Unclear(why)) => {
                write!(f, "In {ATTEMPTS} runs it could not be told what happened first ({why}); try again.")
            }
        }
    }
}

/// Runs a set-up, again if the run leaves it open what happened.
pub fn run(setup: &Setup) -> Result<Outcome, Error> {
    let mut discarded = 0;
    loop {
        match run_once(setup) {
            Ok((history, facts)) => return Ok(Outcome { history, facts, discarded }),
            Err(Error::Unclear(_)) if discarded + 1 < ATTEMPTS => discarded += 1,
            Err(error) => return Err(error),
        }
    }
}

type Ran = Result<(History, Vec<String>), Error>;

fn run_once(setup: &Setup) -> Ran {
    let (history, facts) = match (setup.program, setup.strategy) {
        (Program::Tasks | Program::Burst, Strategy::Stealing) => tasks::run(setup)?,
        (Program::Tasks | Program::Burst, _) => strategy::run(setup)?,
        (Program::Divide, _) => divide::run(setup)?,
        (Program::Asleep, _) => divide::run_asleep(setup)?,
        (Program::PingPong, _) => ping_pong::run(setup)?,
        (Program::LastJob, _) => last_job::run(setup)?,
        (Program::Aba, _) => aba::run(setup)?,
    };
    let checked = check(&history, setup.workers);
    debug_assert_eq!(checked, Ok(()), "{history:#?}");
    checked.map_err(|why| Error::Unclear(Unclear(why)))?;
    Ok((history, facts))
}

/// A pool that a program runs on.
enum Team {
    Jobs(ThreadPool),
    Tasks(Runtime),
}

impl Team {
    /// For jobs.
    fn of_jobs(workers: usize) -> Result<Self, Error> {
        let pool = ThreadPoolBuilder::new().num_threads(workers).build();
        pool.map(Team::Jobs).map_err(|error| Error::Pool(error.to_string()))
    }

    /// For async tasks. Their polls are slow on purpose, so that nobody is to come to their relief.
    fn of_tasks(workers: usize) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .slow_poll_threshold(Duration::from_secs(3600))
            .build();
        runtime.map(Team::Tasks).map_err(|error| Error::Pool(error.to_string()))
    }

    fn of(setup: &Setup) -> Result<Self, Error> {
        match setup.steal {
            Steal::One => Self::of_jobs(setup.workers),
            Steal::Half => Self::of_tasks(setup.workers),
        }
    }

    fn pool(&self) -> &ThreadPool {
        match self {
            Team::Jobs(pool) => pool,
            Team::Tasks(runtime) => runtime.pool(),
        }
    }

    /// Starts a task: as a job, or as an async task. On a worker it goes to that worker's own queue.
    fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        match self {
            Team::Jobs(pool) => pool.spawn(work),
            Team::Tasks(runtime) => drop(runtime.spawn(async { work() })),
        }
    }

    /// Records what the workers do from sleep to sleep, while `f` gives them something to do.
    fn record<R>(&self, events: usize, log: &Log, f: impl FnOnce() -> R) -> Result<(R, Notes), Error> {
        let pool = self.pool();
        wait_for_sleep(pool);
        let recorder = Recorder::new().events_per_thread(events);
        let recorded = recorder.try_record_in(pool, || {
            let result = f();
            wait_for_sleep(pool);
            result
        });
        let (result, trace) = recorded.expect("nobody else knows this pool");
        if trace.lost() > 0 {
            return Err(Unclear("more happened than there was room for".to_owned()).into());
        }
        Ok((result, Notes::of(&trace, log)))
    }
}

/// Room for the events of a worker: some for each of the most tasks there can be.
const EVENTS: usize = 1 << 14;

/// As [`Team::record`], and makes a history of it.
fn record(team: &Team, log: &Log, plans: &[Plan], f: impl FnOnce()) -> Result<History, Error> {
    let ((), notes) = team.record(EVENTS, log, f)?;
    Ok(history(&notes, plans)?)
}

/// Waits until all workers sleep, but not for ever: other programs may want the cores.
fn wait_for_sleep(pool: &ThreadPool) {
    let until = Instant::now() + Duration::from_millis(500);
    let sleeps = || pool.stats().workers.iter().all(|worker| worker.parks > worker.wakes);
    while !sleeps() && Instant::now() < until {
        thread::sleep(Duration::from_micros(50));
    }
}

/// What a task does: waits for so long. The system wakes sleepers late, so the last part is spent awake.
fn work(size_us: u64) {
    const LATE: Duration = Duration::from_micros(100);
    let until = Instant::now() + Duration::from_micros(size_us);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        match left.checked_sub(LATE) {
            Some(sleep) if sleep >= LATE => thread::sleep(sleep),
            _ => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
mod tests;
