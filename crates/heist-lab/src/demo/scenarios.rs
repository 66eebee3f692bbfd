//! Ready set-ups, each with a line that says what to watch for; some of them answer a question.

use serde::Serialize;

use super::setup::{Group, Program, Setup, Steal, Strategy};

#[derive(Clone, Debug, Serialize)]
pub struct Scenario {
    pub name: &'static str,
    pub title: &'static str,
    /// One line.
    pub watch: &'static str,
    pub question: Option<&'static str>,
    /// What the run shows.
    pub answer: Option<&'static str>,
    pub setup: Setup,
}

fn setup(program: Program, workers: usize, steal: Steal, tasks: Vec<Group>) -> Setup {
    Setup { program, workers, strategy: Strategy::Stealing, steal, tasks }
}

fn scaled(program: Program, workers: usize, size_us: u64, count: usize) -> Setup {
    setup(program, workers, Steal::One, vec![Group { worker: 0, size_us, count }])
}

/// A long task and some short ones. Where every worker gets one in turn, the long ones all go to the same.
const LONG_AND_SHORT: [Group; 2] =
    [Group { worker: 0, size_us: 8_000, count: 1 }, Group { worker: 0, size_us: 2_000, count: 3 }];

/// All of them: first those to look at, then those that answer.
pub fn scenarios() -> Vec<Scenario> {
    [to_look_at(), questions()].concat()
}

fn to_look_at() -> Vec<Scenario> {
    let plain =
        |name, title, watch, setup| Scenario { name, title, watch, question: None, answer: None, setup };
    vec![
        plain(
            "imbalance",
            "Imbalance",
            "Watch for the thieves: all tasks are given to worker 0, and the others take the \
             oldest from its deque.",
            setup(Program::Tasks, 4, Steal::One, [LONG_AND_SHORT; 3].concat()),
        ),
        plain(
            "divide",
            "Divide and conquer",
            "Watch for the first steals: they carry off the largest parts, which are then divided \
             elsewhere.",
            scaled(Program::Divide, 4, 1_000, 32),
        ),
        plain(
            "ping-pong",
            "Ping-pong",
            "Watch for the slot: each task wakes the other one into it, so both stay on one \
             worker and the rest sleep.",
            setup(Program::PingPong, 4, Steal::Half, vec![Group { worker: 0, size_us: 300, count: 12 }]),
        ),
        plain(
            "burst",
            "A burst from outside",
            "Watch for the batches: a worker takes several tasks from the injector, and others \
             steal half of those.",
            setup(Program::Burst, 4, Steal::Half, vec![Group { worker: 0, size_us: 1_000, count: 40 }]),
        ),
        plain(
            "asleep",
            "All asleep, then one task",
            "Watch for the wake-ups: one job comes, and each worker that finds work wakes the next one.",
            scaled(Program::Asleep, 4, 2_000, 12),
        ),
        plain(
            "last-job",
            "The race for the last job",
            "Watch for who gets the only job there is: its owner at one end, or a thief at the \
             other, never both.",
            scaled(Program::LastJob, 2, 20, 160),
        ),
    ]
}

fn questions() -> Vec<Scenario> {
    vec![
        Scenario {
            name: "lifo-fifo",
            title: "LIFO here, FIFO there",
            watch: "Watch for the ends: the owner takes the newest half, a thief the oldest.",
            question: Some(
                "Workers take the newest of their own jobs, but steal the oldest of others'. Why \
                 not the oldest both times?",
            ),
            answer: Some(
                "The newest job is small, and what it needs is still in the cache; running it \
                 first goes deep before it goes wide, so the deque stays short. The oldest one is \
                 the largest part that is left, so a thief has enough to do for a while and \
                 rarely has to come back. The facts say how large stolen halves were, and the \
                 others.",
            ),
            setup: scaled(Program::Divide, 4, 500, 64),
        },
        Scenario {
            name: "half",
            title: "Why half",
            watch: "Watch for the number of steals: a thief that takes half has something to do, \
                and something to be robbed of.",
            question: Some(
                "For async tasks a thief takes half of the victim's queue, not one. Why is that better?",
            ),
            answer: Some(
                "Tasks do not split themselves as halves of a join do, so a thief that takes one \
                 is back for the next one as soon as that is over. With half of the queue it has \
                 work of its own, and others may steal from it in turn. The comparison runs the \
                 same tasks both ways; the facts count the steals.",
            ),
            setup: setup(Program::Tasks, 4, Steal::Half, vec![Group { worker: 0, size_us: 500, count: 64 }]),
        },
        Scenario {
            name: "aba",
            title: "ABA",
            watch: "Watch for the same slots: each round leaves the deque empty, and the next \
                jobs go where the last ones were.",
            question: Some("What is the ABA problem of a lock-free deque, and why does it matter?"),
            answer: Some(
                "A thief reads an index, is held up, and finds the same index later, when the \
                 slot holds another job: if its exchange then succeeded, a job would run twice or \
                 never. heist's indices never go back for thieves: the one they exchange only \
                 counts up, so an old value does not come again. The facts count thousands of \
                 rounds over the same few slots.",
            ),
            setup: scaled(Program::Aba, 3, 100, 100),
        },
        Scenario {
            name: "equal",
            title: "Eight equal tasks",
            watch: "Watch for what does not happen: nobody is out of work before the others, so \
                there is nothing to steal.",
            question: Some(
                "Eight workers, eight equal tasks, one for each. Is work stealing of \
                any help?",
            ),
            answer: Some(
                "No. All end at the same time, so a static partition is as good, and so is every \
                 other way in the comparison. Stealing pays where tasks differ, or where nobody \
                 knows beforehand who will get how many.",
            ),
            setup: setup(
                Program::Tasks,
                8,
                Steal::One,
                (0..8).map(|worker| Group { worker, size_us: 20_000, count: 1 }).collect(),
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_keeps_the_limits() {
        for scenario in scenarios() {
            let body = serde_json::to_vec(&scenario.setup).expect("a set-up is plain data");
            assert_eq!(Setup::parse(&body).as_ref(), Ok(&scenario.setup), "{}", scenario.name);
        }
    }

    #[test]
    fn every_scenario_says_what_to_watch_for_and_every_question_is_answered() {
        let names: Vec<_> = scenarios().iter().map(|scenario| scenario.name).collect();
        let known = [
            "imbalance",
            "divide",
            "ping-pong",
            "burst",
            "asleep",
            "last-job",
            "lifo-fifo",
            "half",
            "aba",
            "equal",
        ];
        assert_eq!(names, known);
        for scenario in scenarios() {
            assert!(scenario.watch.starts_with("Watch for "), "{}", scenario.name);
            assert_eq!(scenario.question.is_some(), scenario.answer.is_some(), "{}", scenario.name);
        }
        assert_eq!(scenarios().iter().filter(|scenario| scenario.question.is_some()).count(), 4);
    }
}
