use super::*;
use crate::demo::setup::{Group, LIMITS};

const PROGRAMS: [Program; 7] = [
    Program::Tasks,
    Program::Divide,
    Program::PingPong,
    Program::Burst,
    Program::Asleep,
    Program::LastJob,
    Program::Aba,
];

/// Tasks short enough that thieves and owners get in each other's way.
fn setup(program: Program, workers: usize, steal: Steal, size_us: u64, count: usize) -> Setup {
    let group = |worker: usize, count| Group { worker: worker % workers, size_us, count };
    let tasks = match program {
        Program::Tasks => vec![group(0, count), group(1, 3), group(5, 1), group(2, 2)],
        _ => vec![group(0, count)],
    };
    Setup { program, workers, strategy: Strategy::Stealing, steal, tasks }
}

/// Runs it, and complains unless what it tells can have happened. Says how many runs were discarded.
fn run_checked(setup: &Setup) -> usize {
    let outcome = run(setup).unwrap_or_else(|error| panic!("{setup:?}: {error}"));
    check(&outcome.history, setup.workers).unwrap_or_else(|why| panic!("{setup:?}: {why}"));
    assert!(!outcome.history.cut, "{setup:?}");
    outcome.discarded
}

#[test]
fn what_happened_is_told_of_every_program_with_any_number_of_workers() {
    let (mut runs, mut discarded) = (0, 0);
    for program in PROGRAMS {
        for steal in [Steal::One, Steal::Half] {
            for workers in 1..=LIMITS.workers {
                for (size_us, count) in [(1, 60), (150, 16)] {
                    discarded += run_checked(&setup(program, workers, steal, size_us, count));
                    runs += 1;
                }
            }
        }
    }
    assert!(discarded * 20 < runs, "{discarded} runs were discarded, for {runs} that were not");
}

#[test]
fn the_most_tasks_there_can_be_are_told_of_too() {
    for program in [Program::Tasks, Program::Divide, Program::Burst] {
        for steal in [Steal::One, Steal::Half] {
            let mut setup = setup(program, 8, steal, 20, LIMITS.tasks);
            setup.tasks.truncate(1);
            run_checked(&setup);
        }
    }
}

#[test]
fn every_strategy_is_told_of_with_any_number_of_workers() {
    for program in [Program::Tasks, Program::Burst] {
        for strategy in [Strategy::Static, Strategy::Central, Strategy::Sharing] {
            for workers in 1..=LIMITS.workers {
                let setup = Setup { strategy, ..setup(program, workers, Steal::One, 20, 40) };
                assert_eq!(run_checked(&setup), 0);
            }
        }
    }
}

#[test]
fn work_takes_as_long_as_it_should() {
    for size_us in [1, 100, 1_000] {
        let began = Instant::now();
        work(size_us);
        assert!(began.elapsed() >= Duration::from_micros(size_us));
    }
}
