//! What the page may ask for, and how much of it.
//!
//! Numbers come as whatever the page sent; [`Setup::parse`] refuses what is too much with a sentence that
//! says what is allowed. What it lets through keeps the limits below.

use serde::{Deserialize, Serialize};

use crate::words::grouped;

/// The most that one run may have.
pub const LIMITS: Limits = Limits { workers: 8, tasks: 256, size_us: 50_000, total_us: 2_000_000 };

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Limits {
    pub workers: usize,
    pub tasks: usize,
    /// The work of one task.
    pub size_us: u64,
    /// The work of all.
    pub total_us: u64,
}

/// What is run, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setup {
    pub program: Program,
    pub workers: usize,
    pub strategy: Strategy,
    pub steal: Steal,
    pub tasks: Vec<Group>,
}

/// Some tasks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Who is given them.
    pub worker: usize,
    pub size_us: u64,
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// Tasks for workers of choice.
    Tasks,
    /// A tree of joins.
    Divide,
    /// Two async tasks that wake each other.
    PingPong,
    /// Tasks from a thread outside of the pool.
    Burst,
    /// All workers sleep; then comes one job that spawns others.
    Asleep,
    /// An owner and a thief want the same job.
    LastJob,
    /// The same few slots of a deque, used again and again.
    Aba,
}

impl Program {
    fn heeds_strategy(self) -> bool {
        matches!(self, Program::Tasks | Program::Burst)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Who has nothing to do takes from others.
    #[default]
    Stealing,
    /// Each worker does what it was given.
    Static,
    /// One queue for all.
    Central,
    /// Who gets a task hands it to who has the fewest.
    Sharing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Steal {
    /// Jobs, which thieves take one by one.
    #[default]
    One,
    /// Async tasks, of which thieves take half.
    Half,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    program: Program,
    workers: i64,
    #[serde(default)]
    strategy: Strategy,
    #[serde(default)]
    steal: Steal,
    tasks: Vec<AskedGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedGroup {
    #[serde(default)]
    worker: i64,
    size_us: i64,
    count: i64,
}

impl Setup {
    /// Reads a set-up; else a sentence that says what is wrong.
    pub fn parse(body: &[u8]) -> Result<Setup, String> {
        let asked: Asked =
            serde_json::from_slice(body).map_err(|error| format!("This is no set-up: {error}."))?;
        let workers = within("The number of workers", asked.workers, 1, LIMITS.workers as u64)? as usize;
        let tasks: Result<Vec<Group>, String> =
            asked.tasks.iter().map(|group| group.checked(asked.program, workers)).collect();
        let setup = Setup {
            program: asked.program,
            workers,
            strategy: asked.strategy,
            steal: asked.steal,
            tasks: tasks?,
        };
        setup.check_totals()?;
        Ok(setup)
    }

    fn check_totals(&self) -> Result<(), String> {
        if self.tasks.is_empty() {
            return Err("There is nothing to run: `tasks` is empty, and needs an entry at least.".to_owned());
        }
        if !self.program.heeds_strategy() && self.strategy != Strategy::Stealing {
            return Err(
                "Only the programs `tasks` and `burst` run with another strategy than `stealing`.".to_owned()
            );
        }
        if self.num_tasks() > LIMITS.tasks {
            let most = grouped(LIMITS.tasks as u64);
            return Err(format!(
                "These are {} tasks; a run may have {most}.",
                grouped(self.num_tasks() as u64)
            ));
        }
        let (total, most) = (self.total_us(), LIMITS.total_us);
        if total > most {
            let (total, most) = (grouped(total), grouped(most));
            return Err(format!("This is {total} µs of work; a run may have {most} µs."));
        }
        Ok(())
    }

    /// What scales a program that makes its own tasks.
    pub fn scale(&self) -> Group {
        self.tasks[0]
    }

    pub fn num_tasks(&self) -> usize {
        match self.program {
            Program::Tasks => self.tasks.iter().map(|group| group.count).sum(),
            _ => self.scale().count,
        }
    }

    /// The work of all tasks together.
    pub fn total_us(&self) -> u64 {
        let Group { size_us, count, .. } = self.scale();
        match self.program {
            Program::Tasks => self.tasks.iter().map(|group| group.count as u64 * group.size_us).sum(),
            Program::PingPong => 2 * count as u64 * size_us,
            _ => count as u64 * size_us,
        }
    }

    /// The longest chain of work of which no part can be done at the same time as another.
    pub fn longest_us(&self) -> u64 {
        match self.program {
            Program::Tasks => self.tasks.iter().map(|group| group.size_us).max().unwrap_or_default(),
            Program::PingPong => self.total_us(),
            _ => self.scale().size_us,
        }
    }
}

impl AskedGroup {
    fn checked(&self, program: Program, workers: usize) -> Result<Group, String> {
        let size_us = within("The size of a task in µs", self.size_us, 1, LIMITS.size_us)?;
        let count = within("The number of tasks", self.count, 1, LIMITS.tasks as u64)? as usize;
        if program != Program::Tasks {
            return Ok(Group { worker: 0, size_us, count });
        }
        let worker = within("The worker that tasks are for", self.worker, 0, workers as u64 - 1)? as usize;
        Ok(Group { worker, size_us, count })
    }
}

fn within(what: &str, value: i64, least: u64, most: u64) -> Result<u64, String> {
    u64::try_from(value)
        .ok()
        .filter(|value| (least..=most).contains(value))
        .ok_or_else(|| format!("{what} is {value}; allowed is {least} to {}.", grouped(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(body: &str) -> String {
        Setup::parse(body.as_bytes()).expect_err(body)
    }

    fn tasks(group: &str) -> String {
        format!(r#"{{ "program": "tasks", "workers": 4, "tasks": [{group}] }}"#)
    }

    #[test]
    fn a_set_up_is_read() {
        let body = r#"{ "program": "burst", "workers": 3, "strategy": "central", "steal": "half",
                        "tasks": [{ "worker": 99, "size_us": 10, "count": 5 }] }"#;
        let setup = Setup::parse(body.as_bytes()).expect("all is within the limits");
        assert_eq!((setup.program, setup.strategy), (Program::Burst, Strategy::Central));
        assert_eq!(setup.scale(), Group { worker: 0, size_us: 10, count: 5 });
        assert_eq!((setup.total_us(), setup.longest_us()), (50, 10));
    }

    #[test]
    fn absurd_numbers_are_answered_with_what_is_allowed() {
        let group = |worker: &str, size: &str, count: &str| {
            tasks(&format!(r#"{{ "worker": {worker}, "size_us": {size}, "count": {count} }}"#))
        };
        let table = [
            (group("0", "-5", "1"), "The size of a task in µs is -5; allowed is 1 to 50,000."),
            (group("0", "0", "1"), "The size of a task in µs is 0; allowed is 1 to 50,000."),
            (group("4", "1", "1"), "The worker that tasks are for is 4; allowed is 0 to 3."),
            (group("-1", "1", "1"), "The worker that tasks are for is -1; allowed is 0 to 3."),
            (group("0", "1", "0"), "The number of tasks is 0; allowed is 1 to 256."),
            (group("0", "1", "1000000000"), "The number of tasks is 1000000000; allowed is 1 to 256."),
            (group("0", "50000", "256"), "This is 12,800,000 µs of work; a run may have 2,000,000 µs."),
            (group("0", "1.5", "1"), "This is no set-up: invalid type: floating point `1.5`, expected i64"),
            (group("0", "1e300", "1"), "This is no set-up: "),
            (group("0", "99999999999999999999", "1"), "This is no set-up: "),
            (group("0", "NaN", "1"), "This is no set-up: "),
            (tasks(""), "There is nothing to run"),
            (
                tasks(r#"{ "size_us": 1, "count": 200 }, { "size_us": 1, "count": 200 }"#),
                "These are 400 tasks;",
            ),
            (group("0", "1", "1").replace('4', "0"), "The number of workers is 0; allowed is 1 to 8."),
            (
                group("0", "1", "1").replace('4', "1000000000"),
                "The number of workers is 1000000000; allowed is 1 to 8.",
            ),
        ];
        for (body, message) in table {
            let complaint = complaint(&body);
            assert!(complaint.starts_with(message), "{body}: {complaint}");
            assert!(complaint.ends_with('.'), "{complaint}");
        }
    }

    #[test]
    fn what_is_unknown_is_refused() {
        assert!(
            complaint(r#"{ "program": "tea" }"#).contains("unknown variant `tea`, expected one of `tasks`")
        );
        assert!(complaint(r#"{ "shell": "sh" }"#).contains("unknown field `shell`"));
        let divide = r#"{ "program": "divide", "workers": 2, "strategy": "static",
                          "tasks": [{ "size_us": 1, "count": 2 }] }"#;
        assert!(complaint(divide).starts_with("Only the programs `tasks` and `burst`"));
    }
}
