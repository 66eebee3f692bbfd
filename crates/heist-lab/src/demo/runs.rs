//! From a set-up to the whole answer: the run that is shown, figures, and the same tasks done in other ways.

use crate::words::{cores, plural};

use super::program::{self, Error, Outcome};
use super::recording::{History, Recording, Row, What};
use super::setup::{Program, Setup, Steal, Strategy};
use super::stats::{duration_us, stats};

/// With more work than this, in microseconds, a run is not compared with others: that would take too long.
const COMPARED_US: u64 = 500_000;

/// The ways to do the same tasks.
const WAYS: [(&str, Strategy, Steal); 5] = [
    ("static partition", Strategy::Static, Steal::One),
    ("central queue", Strategy::Central, Steal::One),
    ("work sharing", Strategy::Sharing, Steal::One),
    ("stealing one", Strategy::Stealing, Steal::One),
    ("stealing half", Strategy::Stealing, Steal::Half),
];

/// Runs a set-up and tells of it.
pub fn record(setup: &Setup) -> Result<Recording, Error> {
    let Outcome { history, mut facts, discarded } = program::run(setup)?;
    let (comparison, more_facts) =
        if is_compared(setup) { compare(setup, &history)? } else { (None, Vec::new()) };
    facts.extend(more_facts);
    if discarded > 0 {
        let runs = plural(discarded, "run");
        facts.push(format!("{runs} before this one did not tell what happened first, and came to nothing."));
    }
    let duration_us = duration_us(&history);
    Ok(Recording {
        cores: cores(),
        duration_us,
        real: what_was_real(setup, duration_us),
        stats: stats(&history, setup),
        setup: setup.clone(),
        history,
        comparison,
        facts,
    })
}

fn is_compared(setup: &Setup) -> bool {
    setup.program == Program::Tasks && setup.workers > 1 && setup.total_us() <= COMPARED_US
}

fn is_shown(setup: &Setup, (_, strategy, steal): &(&str, Strategy, Steal)) -> bool {
    setup.strategy == *strategy && (*strategy != Strategy::Stealing || setup.steal == *steal)
}

fn compare(setup: &Setup, shown: &History) -> Result<(Option<Vec<Row>>, Vec<String>), Error> {
    let (mut rows, mut facts, mut steals) = (Vec::new(), Vec::new(), Vec::new());
    for way in &WAYS {
        let &(label, strategy, steal) = way;
        let setup_of_way = Setup { strategy, steal, ..setup.clone() };
        let run;
        let history = if is_shown(setup, way) {
            shown
        } else {
            run = program::run(&setup_of_way)?;
            &run.history
        };
        let utilisation = stats(history, setup).utilisation;
        let mean = utilisation.iter().sum::<f64>() / utilisation.len() as f64;
        rows.push(Row { label, duration_us: duration_us(history), utilisation: mean });
        if strategy == Strategy::Stealing {
            steals.push(thefts(history));
        }
    }
    facts.push(format!(
        "For the same tasks, stealing one took {} steals and stealing half {}.",
        steals[0], steals[1]
    ));
    Ok((Some(rows), facts))
}

fn thefts(history: &History) -> usize {
    history.events.iter().filter(|event| matches!(event.what, What::Steal { .. })).count()
}

fn what_was_real(setup: &Setup, duration_us: f64) -> String {
    let pool = plural(setup.workers, "worker");
    let took = if duration_us < 1000.0 {
        format!("{duration_us:.0} µs")
    } else {
        format!("{:.1} ms", duration_us / 1000.0)
    };
    format!(
        "Recorded on a real pool of {pool} in {took}; the work of a task is waiting, so that the workers \
         overlap on any number of cores."
    )
}
