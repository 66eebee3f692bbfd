//! What the page gets to replay: tasks, events and figures, as plain data.
//!
//! A task is at each time in one place: unborn, in a queue, in a worker's hand, running, suspended or done.
//! Every event moves tasks from place to place, or tells what a worker is at; [`check`](super::check) says
//! exactly how.

use serde::Serialize;

use super::setup::Setup;

/// More events than this are not sent.
pub const MOST_EVENTS: usize = 4_000;

/// A run that really happened.
#[derive(Clone, Debug, Serialize)]
pub struct Recording {
    pub setup: Setup,
    pub cores: usize,
    pub duration_us: f64,
    /// A sentence: what was real here.
    pub real: String,
    #[serde(flatten)]
    pub history: History,
    pub stats: Stats,
    /// The same tasks done in other ways.
    pub comparison: Option<Vec<Row>>,
    /// Sentences that were measured.
    pub facts: Vec<String>,
}

/// What happened to which tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct History {
    /// By their number, in the order of birth.
    pub tasks: Vec<Task>,
    /// In the order of time.
    pub events: Vec<Event>,
    /// Whether the end is missing.
    #[serde(skip_serializing_if = "is_false")]
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Task {
    pub id: usize,
    /// The worker that pushed it; none if it came from outside.
    pub born: Option<usize>,
    pub kind: Kind,
    /// What was asked for.
    pub size_us: u64,
    pub label: String,
    /// The one that ran when it was pushed.
    pub parent: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Spawned.
    Job,
    /// The second closure of a `join`.
    Half,
    /// Async.
    Task,
    /// Something that a thread from outside waits for.
    Call,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Microseconds since the recording began.
    pub at: f64,
    /// Who; none is a thread outside of the pool.
    pub worker: Option<usize>,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum What {
    /// Into a queue of its own. What was in the slot before goes to the back of the ring.
    Push {
        task: usize,
        queue: Queue,
        #[serde(skip_serializing_if = "Option::is_none")]
        evicted: Option<usize>,
    },
    /// Into a queue that is not its own.
    Inject {
        task: usize,
        queue: Queue,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<usize>,
    },
    /// From another worker. The first starts next, the rest goes to the thief's ring.
    Steal {
        from: usize,
        queue: Queue,
        tasks: Vec<usize>,
    },
    /// From a queue for all; as with a steal.
    Take {
        queue: Queue,
        tasks: Vec<usize>,
    },
    Start {
        task: usize,
    },
    End {
        task: usize,
        /// It is suspended, and will be pushed again.
        #[serde(skip_serializing_if = "is_false")]
        more: bool,
    },
    /// In a `join`, or a scope.
    Wait,
    Resume,
    Park,
    Wake,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Queue {
    Deque,
    Ring,
    Slot,
    Inbox,
    Injector,
    /// The shared queue of a strategy.
    Central,
}

/// Figures about a history.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Which part of the time each worker ran tasks.
    pub utilisation: Vec<f64>,
    pub busy_us: Vec<f64>,
    pub steals: usize,
    pub parks: usize,
    pub work_us: f64,
    /// The longest chain of work of which each part had to wait for the one before.
    pub span_us: f64,
    pub parallelism: f64,
    /// No way to do it is faster: an even share for each worker, or the longest task.
    pub bound_us: f64,
    pub longest_us: f64,
}

/// One way to do it, in a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub label: &'static str,
    pub duration_us: f64,
    pub utilisation: f64,
}

fn is_false(value: &bool) -> bool {
    !value
}
