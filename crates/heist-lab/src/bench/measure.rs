//! Runs the contenders of a row in turns and takes the median of each.
//!
//! A round runs every contender once. Each round starts with the next contender, so that nobody
//! always follows the same warm or cold start. The first peer runs twice in each round: its two
//! medians differ by noise alone.

use std::time::{Duration, Instant};

/// Between two contenders: long enough for the workers of the one before to fall asleep.
const SETTLE: Duration = Duration::from_millis(1);

/// How the second appearance of the first peer is called.
pub const AGAIN: &str = " (again)";

/// How much time to spend on a row.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Spans are shortened where a row's length is a span of time.
    pub quick: bool,
    /// After this no further round begins...
    budget: Duration,
    /// ...unless there were fewer than these.
    min_rounds: usize,
}

impl Effort {
    /// For a glance: so many rounds, and more until the time is over.
    pub fn at_least(min_rounds: usize, budget: Duration) -> Self {
        Self { quick: true, budget, min_rounds }
    }

    pub fn new(quick: bool) -> Self {
        if quick {
            Self { quick, budget: Duration::from_millis(500), min_rounds: 3 }
        } else {
            Self { quick, budget: Duration::from_millis(1500), min_rounds: 5 }
        }
    }
}

/// One way of doing what the row asks for.
pub struct Contender {
    pub who: &'static str,
    round: Box<dyn FnMut() -> f64>,
}

impl Contender {
    /// `round` does it once and says how many nanoseconds it took; what it needs is made before.
    pub fn new(who: &'static str, round: impl FnMut() -> f64 + 'static) -> Self {
        Self { who, round: Box::new(round) }
    }
}

/// One bench: a name and the contenders, heist first and then the peer that shows the noise.
pub struct Row {
    pub name: String,
    rounds: Option<usize>,
    set_up: Box<dyn FnOnce() -> Vec<Contender>>,
}

impl Row {
    /// `set_up` is called when the row's turn comes; what it makes lives until the row has run.
    pub fn new(name: impl Into<String>, set_up: impl FnOnce() -> Vec<Contender> + 'static) -> Self {
        Self { name: name.into(), rounds: None, set_up: Box::new(set_up) }
    }

    /// For rounds that last so long that their number is fixed and none is spent on warming up.
    pub fn rounds(self, rounds: usize) -> Self {
        Self { rounds: Some(rounds), ..self }
    }
}

/// What a contender needed, by its median round.
#[derive(Debug, PartialEq)]
pub struct Measured {
    pub who: String,
    pub median_ns: f64,
}

/// Measures all contenders of a row, in their order; the first peer's second appearance is last.
pub fn measure(row: Row, effort: &Effort) -> Vec<Measured> {
    let mut contenders = (row.set_up)();
    let turns = turns(contenders.len());
    let mut times = vec![Vec::new(); turns.len()];

    let begin = Instant::now();
    let is_enough = |rounds| match row.rounds {
        Some(fixed) => rounds >= fixed,
        None => rounds >= effort.min_rounds && begin.elapsed() >= effort.budget,
    };
    if row.rounds.is_none() {
        for contender in &mut contenders {
            (contender.round)();
        }
    }
    for round in (0..).take_while(|&rounds| !is_enough(rounds)) {
        for turn in rotated(round, turns.len()) {
            std::thread::sleep(SETTLE);
            times[turn].push((contenders[turns[turn]].round)());
        }
    }

    let medians = times.into_iter().map(median);
    names(&contenders).into_iter().zip(medians).map(|(who, median_ns)| Measured { who, median_ns }).collect()
}

/// Which contender has which turn of a round: each once, and the first peer a second time.
fn turns(contenders: usize) -> Vec<usize> {
    let again = (contenders > 1).then_some(1);
    (0..contenders).chain(again).collect()
}

fn names(contenders: &[Contender]) -> Vec<String> {
    let again = contenders.get(1).map(|peer| format!("{}{AGAIN}", peer.who));
    let names = contenders.iter().map(|contender| contender.who.to_owned());
    names.chain(again).collect()
}

/// `0..len`, beginning with another one each round.
fn rotated(round: usize, len: usize) -> impl Iterator<Item = usize> {
    (0..len).map(move |turn| (turn + round) % len)
}

/// What `work` returns, and how many nanoseconds it took.
pub fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let begin = Instant::now();
    let result = work();
    (result, nanos(begin.elapsed()))
}

pub fn nanos(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

/// The middle value, or the mean of the two in the middle.
///
/// # Panics
/// If there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { values[middle - 1].midpoint(values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn no_time() -> Effort {
        Effort { quick: true, budget: Duration::ZERO, min_rounds: 3 }
    }

    /// A row of contenders that note their name when they run and report fixed times.
    fn noting_row(times: &'static [(&'static str, f64)]) -> (Row, Arc<Mutex<Vec<&'static str>>>) {
        let ran = Arc::new(Mutex::new(Vec::new()));
        let notes = ran.clone();
        let row = Row::new("noting", move || {
            let note = |&(who, ns): &(&'static str, f64)| {
                let notes = notes.clone();
                Contender::new(who, move || {
                    notes.lock().unwrap().push(who);
                    ns
                })
            };
            times.iter().map(note).collect()
        });
        (row, ran)
    }

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one() {
        assert_eq!(median(vec![9.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(vec![7.0]), 7.0);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(vec![8.0, 1.0, 3.0, 4.0]), 3.5);
    }

    #[test]
    fn the_first_peer_is_measured_twice() {
        let (row, _) = noting_row(&[("heist", 1.0), ("a", 2.0), ("b", 3.0)]);
        let measured = measure(row, &no_time());
        let who: Vec<_> = measured.iter().map(|m| m.who.as_str()).collect();
        assert_eq!(who, ["heist", "a", "b", "a (again)"]);
        let times: Vec<_> = measured.iter().map(|m| m.median_ns).collect();
        assert_eq!(times, [1.0, 2.0, 3.0, 2.0]);
    }

    #[test]
    fn each_round_starts_with_the_next_contender() {
        let (row, ran) = noting_row(&[("heist", 1.0), ("a", 2.0)]);
        measure(row, &no_time());
        let ran = ran.lock().unwrap();
        let (warm_up, rounds) = ran.split_at(2);
        assert_eq!(warm_up, ["heist", "a"]);
        let rounds: Vec<_> = rounds.chunks(3).collect();
        assert_eq!(rounds, [["heist", "a", "a"], ["a", "a", "heist"], ["a", "heist", "a"]]);
    }

    #[test]
    fn a_fixed_number_of_rounds_is_run_without_warm_up() {
        let (row, ran) = noting_row(&[("heist", 1.0)]);
        measure(row.rounds(2), &no_time());
        assert_eq!(*ran.lock().unwrap(), ["heist", "heist"]);
    }
}
