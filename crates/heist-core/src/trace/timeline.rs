//! A trace as it is drawn: a track for each thread, with slices, marks, depths of queues, and arrows. Both
//! exports write the same.
//!
//! A slice is what has a beginning and an end: a run, a wait, a scope, a sleep. What was under way when the
//! recording began is drawn from its beginning on, and what had not ended is drawn up to its end, or to the
//! last that was seen of the thread. An arrow leads from where a job was queued to where it was started, if
//! these are two threads: somebody stole it, or it came from outside.
//!
//! The threads that are neither workers nor the recorder share a track. Their slices could overlap; so it has
//! marks only.
//!
//! # Invariants
//! T1 On a track things are in the order of time, and none is later than the end of the recording.
//! T2 Every slice that begins ends, on the same track, and those that begin in between end before it.
//! T3 An arrow leaves once and arrives once, elsewhere, and no earlier.

use super::{
    data::Trace,
    event::{Event, JobId, Kind, What},
};
use std::{collections::HashMap, time::Duration};

#[derive(Debug)]
pub(super) struct Timeline {
    pub(super) tracks: Vec<Track>,
}

#[derive(Debug)]
pub(super) struct Track {
    pub(super) name: String,
    pub(super) is_worker: bool,
    /// Whether it had to do with tasks.
    pub(super) has_ring: bool,
    pub(super) points: Vec<Point>,
}

#[derive(Debug)]
pub(super) struct Point {
    /// In nanoseconds.
    pub(super) at: u64,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A slice begins, on top of those that have.
    Begin(Label),
    /// The slice ends that began last.
    End,
    /// Something that takes no time.
    Mark(Label),
    /// How much waits in a queue from now on.
    Depth(Queue, u32),
}

/// What is written next to a slice or a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) name: &'static str,
    pub(super) category: &'static str,
    pub(super) job: Option<JobId>,
    /// The worker that it was stolen from.
    pub(super) stolen_from: Option<usize>,
    pub(super) arrow: Option<Arrow>,
}

/// The end of an arrow, which has the number of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    Leaves,
    Arrives,
}

/// One of a worker's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queue {
    /// Of halves and jobs.
    Deque,
    /// Of tasks.
    Ring,
}

impl Queue {
    pub(super) fn name(self) -> &'static str {
        match self {
            Queue::Deque => "deque",
            Queue::Ring => "ring",
        }
    }
}

impl Track {
    /// Those that have a depth on this track.
    pub(super) fn queues(&self) -> impl Iterator<Item = Queue> {
        let deque = self.is_worker.then_some(Queue::Deque);
        deque.into_iter().chain(self.has_ring.then_some(Queue::Ring))
    }

    pub(super) fn name_of(&self, queue: Queue) -> String {
        format!("{}: {}", self.name, queue.name())
    }
}

impl Timeline {
    pub(super) fn of(trace: &Trace) -> Self {
        let (arrows, workers) = (arrows(trace), trace.num_workers());
        let mut tracks = Vec::with_capacity(workers + 2);
        for (index, (events, end)) in trace.threads().enumerate() {
            let pen = Pen::new(&arrows);
            match index.checked_sub(workers) {
                None => tracks.push(pen.draw_worker(index, events, end)),
                Some(_) if events.is_empty() => {}
                Some(0) => tracks.push(pen.draw_caller(events, end)),
                Some(_) => tracks.push(pen.draw_others(events)),
            }
        }
        Timeline { tracks }
    }
}

/// The jobs that are started elsewhere than where they were queued, and when each was queued.
///
/// A half is queued a moment before that is noted (see [`What::Pushed`]). If it was taken in that moment, the
/// arrow leaves just before.
fn arrows(trace: &Trace) -> HashMap<JobId, Duration> {
    let mut queued: HashMap<JobId, (usize, Duration, Duration)> = HashMap::new();
    for (thread, (events, _)) in trace.threads().enumerate() {
        let mut before = Duration::ZERO;
        for event in events {
            if let What::Pushed { job, .. } | What::Injected { job, .. } = event.what {
                queued.insert(job, (thread, before, event.at));
            }
            before = event.at;
        }
    }
    let mut arrows = HashMap::new();
    for (thread, (events, _)) in trace.threads().take(trace.num_workers() + 1).enumerate() {
        let mut stolen = None;
        for event in events {
            match event.what {
                What::Stolen { .. } => stolen = Some(event.at),
                What::Started { job, .. } => {
                    let taken = stolen.take().unwrap_or(event.at);
                    let Some((from, before, noted)) = queued.remove(&job) else { continue };
                    let leaves = noted.min(taken.saturating_sub(Duration::from_nanos(1))).max(before);
                    if from != thread && leaves <= event.at {
                        arrows.insert(job, leaves);
                    }
                }
                _ => {}
            }
        }
    }
    arrows
}

/// Which kind of slice is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Run,
    Wait,
    Scope,
    Sleep,
}

/// Draws one track.
struct Pen<'a> {
    arrows: &'a HashMap<JobId, Duration>,
    points: Vec<Point>,
    open: Vec<Open>,
    /// Slices that were open when the recording began, the innermost first.
    ghosts: Vec<Label>,
    /// Of the job that was stolen last: by whom it was lost.
    victim: Option<usize>,
    /// The last depths, of the deque and of the ring.
    depths: [Option<u32>; 2],
}

impl<'a> Pen<'a> {
    fn new(arrows: &'a HashMap<JobId, Duration>) -> Self {
        Pen {
            arrows,
            points: Vec::new(),
            open: Vec::new(),
            ghosts: Vec::new(),
            victim: None,
            depths: [None; 2],
        }
    }

    fn draw_worker(mut self, index: usize, events: &[Event], end: Duration) -> Track {
        for event in events {
            self.slices_and_marks(event);
            self.depth(event);
        }
        let has_ring = self.depths[Queue::Ring as usize].is_some();
        Track { name: format!("worker {index}"), is_worker: true, has_ring, points: self.finish(end) }
    }

    fn draw_caller(mut self, events: &[Event], end: Duration) -> Track {
        events.iter().for_each(|event| self.slices_and_marks(event));
        Track { name: "recorder".into(), is_worker: false, has_ring: false, points: self.finish(end) }
    }

    fn draw_others(mut self, events: &[Event]) -> Track {
        events.iter().for_each(|event| self.queued(event));
        Track { name: "other threads".into(), is_worker: false, has_ring: false, points: self.points }
    }

    fn point(&mut self, at: Duration, shape: Shape) {
        self.points.push(Point { at: nanos(at), shape });
    }

    fn slices_and_marks(&mut self, event: &Event) {
        let at = event.at;
        match event.what {
            What::Started { job, kind } => {
                let arrow = self.arrows.contains_key(&job).then_some(Arrow::Arrives);
                let label = Label { stolen_from: self.victim.take(), arrow, ..run(job, kind) };
                self.begin(at, Open::Run, label);
            }
            What::Ended { job, kind } => self.end(at, Open::Run, run(job, kind)),
            What::Waiting => self.begin(at, Open::Wait, WAIT),
            What::Resumed => self.end(at, Open::Wait, WAIT),
            What::Opened => self.begin(at, Open::Scope, SCOPE),
            What::Closed => self.end(at, Open::Scope, SCOPE),
            What::Parked => self.begin(at, Open::Sleep, SLEEP),
            What::Woken => {
                self.end(at, Open::Sleep, SLEEP);
                self.point(at, Shape::Mark(WOKEN));
            }
            What::Stolen { from, .. } => self.victim = Some(from),
            What::Pushed { .. } | What::Injected { .. } => self.queued(event),
            What::Joined { .. } => {}
        }
    }

    fn begin(&mut self, at: Duration, what: Open, label: Label) {
        self.open.push(what);
        self.point(at, Shape::Begin(label));
    }

    /// Ends the innermost slice of this kind. If nothing at all is open, it began before the recording.
    fn end(&mut self, at: Duration, what: Open, label: Label) {
        let Some(place) = self.open.iter().rposition(|&open| open == what) else {
            if self.open.is_empty() {
                self.ghosts.push(label);
                self.point(at, Shape::End);
            }
            return;
        };
        for _ in self.open.drain(place..).collect::<Vec<_>>() {
            self.point(at, Shape::End);
        }
    }

    /// Where an arrow leaves.
    fn queued(&mut self, event: &Event) {
        let (job, name) = match event.what {
            What::Pushed { job, .. } => (job, "push"),
            What::Injected { job, .. } => (job, "inject"),
            _ => return,
        };
        if let Some(&at) = self.arrows.get(&job) {
            let arrow = Some(Arrow::Leaves);
            self.point(
                at,
                Shape::Mark(Label { name, category: "queue", job: Some(job), arrow, ..Label::default() }),
            );
        }
    }

    fn depth(&mut self, event: &Event) {
        let queue = match event.what {
            // Whether it was a task is not said; what comes next is its start.
            What::Stolen { .. } => return,
            What::Pushed { kind: Kind::Task, .. }
            | What::Injected { kind: Kind::Task, .. }
            | What::Started { kind: Kind::Task, .. }
            | What::Ended { kind: Kind::Task, .. } => Queue::Ring,
            _ => Queue::Deque,
        };
        // A job is noted before it is in the deque.
        let arrives = matches!(event.what, What::Pushed { kind: Kind::Job, .. });
        let depth = event.depth.saturating_add(arrives.into());
        if self.depths[queue as usize].replace(depth) != Some(depth) {
            self.point(event.at, Shape::Depth(queue, depth));
        }
    }

    fn finish(self, end: Duration) -> Vec<Point> {
        let begun = self.ghosts.into_iter().rev().map(|label| Point { at: 0, shape: Shape::Begin(label) });
        let ends = self.open.iter().map(|_| Point { at: nanos(end), shape: Shape::End });
        begun.chain(self.points).chain(ends).collect()
    }
}

const WAIT: Label = plain("wait", "wait");
const SCOPE: Label = plain("scope", "scope");
const SLEEP: Label = plain("asleep", "sleep");
const WOKEN: Label = plain("woken", "sleep");

const fn plain(name: &'static str, category: &'static str) -> Label {
    Label { name, category, job: None, stolen_from: None, arrow: None }
}

fn run(job: JobId, kind: Kind) -> Label {
    let name = match kind {
        Kind::Half => "half",
        Kind::Job => "job",
        Kind::Task => "task",
        Kind::Call => "call",
        Kind::Part => "part of a broadcast",
        Kind::Closure => "recorded closure",
    };
    Label { job: Some(job), ..plain(name, "run") }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
