//! From what the threads noted to a [`History`] that can be replayed.
//!
//! Each thread's notes are in the order in which it did things. How the notes of two threads lie to each
//! other, their times tell about, but not exactly: a half is pushed a moment before that is noted, a theft is
//! noted a moment after. So the notes are merged by simulation: of what the threads did next, the earliest is
//! taken that is possible in the state reached so far. A theft has to wait until what is stolen is at the
//! thieves' end of that queue, a pop until it is at the owner's. As the run really happened, its own order is
//! possible, and whatever was next in that is possible in every state the simulation can reach: it never gets
//! stuck, as long as it knows which tasks go where.
//!
//! # What nobody noted
//! - A task goes to the slot if a task pushes it, else to the ring. What was in the slot goes to the ring.
//! - A thief of tasks takes several, and notes the first. In the order of the ring, behind the one that was
//!   noted come those that went along, up to one that was noted itself, or that the owner ran. So it is
//!   enough to know of each task whether it left the ring at the hand of the owner, as the first of a theft,
//!   or else along with one. A worker steals only when its ring is empty: what it runs after it has stolen
//!   something was not in its ring before.
//! - A batch from the injector is like a theft. The first one of a batch is what a worker starts although its
//!   ring was empty, or although its ring does not get shorter by it. Where the ring was robbed meanwhile, it
//!   is not seen by that. But then it could not be started where it was, and the simulation is begun anew,
//!   with that known.
//! - The end of the last tasks may be cut off; it is made up.
//!
//! Times are such that two notes may be in the wrong order just where these rules need them. Then there is an
//! error, and the caller runs the program again.

mod fates;

use std::collections::{HashMap, HashSet, VecDeque};

use fates::{Fate, Fates};

use super::notes::{Note, Noted, Notes};
use super::recording::{Event, History, Kind, MOST_EVENTS, Queue, Task, What};

/// What the program knows of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub size_us: u64,
    pub label: String,
}

/// Why the notes make no history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear(pub String);

/// What happened, in an order in which it can have happened. `plans` has what the program knows of its tasks.
pub fn history(notes: &Notes, plans: &[Plan]) -> Result<History, Unclear> {
    let mut fates = Fates::of(notes)?;
    for _ in 0..=plans.len() {
        let mut simulation = Simulation::new(notes, &fates);
        match simulation.run()? {
            Stop::End => {
                simulation.end_all();
                return Ok(number(simulation.events, plans));
            }
            Stop::MustLead(job) => fates.of.get_mut(&job).expect("it was started").leads = true,
        }
    }
    Err(unclear("every task leads a batch, and still nothing fits"))
}

/// Why a simulation stopped.
enum Stop {
    /// All notes are done.
    End,
    /// This task can only have been the first of a batch from the injector.
    MustLead(u64),
}

fn unclear(why: impl Into<String>) -> Unclear {
    Unclear(why.into())
}

/// What a worker has, in the simulation.
#[derive(Clone, Debug, Default)]
struct Desk {
    deque: VecDeque<u64>,
    /// With the place of the note by which each came here.
    ring: VecDeque<(u64, usize)>,
    slot: Option<(u64, usize)>,
    hand: Option<u64>,
    running: Vec<Running>,
    parked: bool,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    job: u64,
    /// It was queued again before its end was noted.
    ended: bool,
}

struct Simulation<'a> {
    notes: &'a Notes,
    fates: &'a Fates,
    /// How many notes of each thread are done: first the workers, then those outside.
    done: Vec<usize>,
    desks: Vec<Desk>,
    /// Tasks for all.
    injector: VecDeque<u64>,
    /// All tasks that have ever been there.
    injected: HashSet<u64>,
    /// Jobs and calls for all.
    jobs: Vec<u64>,
    /// By task: the worker that runs it.
    runs_on: HashMap<usize, usize>,
    now: u64,
    events: Vec<Moved>,
}

/// An event with the program's numbers, and the kind of what it is about if it is a birth.
#[derive(Debug)]
struct Moved {
    at: u64,
    worker: Option<usize>,
    what: What,
    birth: Option<(Kind, Option<usize>)>,
}

/// What the simulation makes of a note; a note that is not possible yet makes none.
type Possible<T> = Result<Option<T>, Unclear>;

impl<'a> Simulation<'a> {
    fn new(notes: &'a Notes, fates: &'a Fates) -> Self {
        let mut simulation = Simulation {
            notes,
            fates,
            done: vec![0; notes.workers.len() + notes.outside.len()],
            desks: vec![Desk::default(); notes.workers.len()],
            injector: VecDeque::new(),
            injected: HashSet::new(),
            jobs: Vec::new(),
            runs_on: HashMap::new(),
            now: 0,
            events: Vec::new(),
        };
        simulation.find_sleepers();
        simulation
    }

    /// Who is woken first has slept since before the recording.
    fn find_sleepers(&mut self) {
        for worker in 0..self.desks.len() {
            let mut naps = self.notes.workers[worker].iter().map(|note| note.what);
            let first = naps.find(|what| matches!(what, Noted::Parked | Noted::Woken));
            let is_idle = self.notes.workers[worker].is_empty();
            if first == Some(Noted::Woken) || is_idle {
                self.desks[worker].parked = true;
                self.emit(Some(worker), What::Park);
            }
        }
    }

    fn list(&self, thread: usize) -> &'a [Note] {
        match thread.checked_sub(self.notes.workers.len()) {
            None => &self.notes.workers[thread],
            Some(outside) => &self.notes.outside[outside],
        }
    }

    fn run(&mut self) -> Result<Stop, Unclear> {
        loop {
            let next = self.next();
            if next.is_empty() {
                return Ok(Stop::End);
            }
            if !self.step(&next)? {
                let leader = next.iter().find_map(|(_, note)| self.must_lead(note));
                let why = || unclear(format!("nothing is possible of {next:?}"));
                return leader.map(Stop::MustLead).ok_or_else(why);
            }
        }
    }

    /// What each thread did next, the earliest first.
    fn next(&self) -> Vec<(usize, Note)> {
        let next = |thread: usize| Some((thread, *self.list(thread).get(self.done[thread])?));
        let mut next: Vec<(usize, Note)> = (0..self.done.len()).filter_map(next).collect();
        next.sort_by_key(|(_, note)| note.at);
        next
    }

    /// Does the first of them that is possible. Says whether one was.
    fn step(&mut self, next: &[(usize, Note)]) -> Result<bool, Unclear> {
        let before = self.now;
        for (thread, note) in next {
            self.now = before.max(note.at);
            if self.apply(*thread, note)? {
                self.done[*thread] += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The task from the injector that was started and could not be, if the note tells of one.
    fn must_lead(&self, note: &Note) -> Option<u64> {
        let Noted::Started { job, .. } = note.what else { return None };
        let fate = self.fates.of.get(&job)?;
        (self.injected.contains(&job) && !fate.leads && fate.stolen.is_none()).then_some(job)
    }

    /// Does what was noted, if it is possible. Says whether it was.
    fn apply(&mut self, thread: usize, note: &Note) -> Result<bool, Unclear> {
        let worker = Some(thread).filter(|thread| *thread < self.desks.len());
        match (note.what, worker) {
            (Noted::Pushed { job, kind }, Some(worker)) => self.push(worker, job, kind),
            (Noted::Injected { job, kind }, _) => self.inject(worker, job, kind),
            (Noted::Stolen { job, from }, Some(worker)) => self.steal(worker, job, from),
            (Noted::Started { job, .. }, Some(worker)) => self.start(worker, job),
            (Noted::Ended { job }, Some(worker)) => self.end(worker, job).map(|()| true),
            (Noted::Waiting, Some(_)) => Ok(self.emit(worker, What::Wait)),
            (Noted::Resumed, Some(_)) => Ok(self.emit(worker, What::Resume)),
            (Noted::Parked, Some(at)) => {
                self.desks[at].parked = true;
                Ok(self.emit(worker, What::Park))
            }
            (Noted::Woken, Some(at)) => {
                self.desks[at].parked = false;
                Ok(self.emit(worker, What::Wake))
            }
            (_, None) => Err(unclear("a thread outside of the pool does what only workers do")),
        }
    }

    /// Always possible, hence `true`.
    fn emit(&mut self, worker: Option<usize>, what: What) -> bool {
        self.events.push(Moved { at: self.now, worker, what, birth: None });
        true
    }

    fn emit_birth(&mut self, worker: Option<usize>, what: What, kind: Kind) {
        let parent = worker.and_then(|worker| self.desks[worker].running.last());
        let parent = parent.and_then(|running| self.fates.of.get(&running.job)).map(|fate| fate.task);
        self.events.push(Moved { at: self.now, worker, what, birth: Some((kind, parent)) });
    }

    /// A task that is queued again while it runs: its end comes first. Possible where it runs itself, else
    /// not before that was noted.
    fn suspend(&mut self, worker: Option<usize>, task: usize) -> bool {
        let Some(&on) = self.runs_on.get(&task) else { return true };
        let top = self.desks[on].running.last_mut().filter(|_| Some(on) == worker);
        let Some(top) = top.filter(|top| self.fates.of[&top.job].task == task) else { return false };
        top.ended = true;
        self.runs_on.remove(&task);
        self.emit(worker, What::End { task, more: true })
    }

    fn push(&mut self, worker: usize, job: u64, kind: Kind) -> Result<bool, Unclear> {
        let task = self.fates.get(job)?.task;
        let again = self.runs_on.get(&task) == Some(&worker);
        if !self.suspend(Some(worker), task) {
            return Ok(false);
        }
        let place = self.done[worker];
        let by_task = self.desks[worker].running.last().map(|top| self.fates.of[&top.job].kind);
        let desk = &mut self.desks[worker];
        if kind != Kind::Task {
            desk.deque.push_back(job);
            self.emit_birth(Some(worker), What::Push { task, queue: Queue::Deque, evicted: None }, kind);
        } else if by_task == Some(Kind::Task) && !again {
            let evicted = desk.slot.replace((job, place));
            desk.ring.extend(evicted.map(|(job, _)| (job, place)));
            let evicted = evicted.map(|(job, _)| self.fates.of[&job].task);
            self.emit_birth(Some(worker), What::Push { task, queue: Queue::Slot, evicted }, kind);
        } else {
            desk.ring.push_back((job, place));
            self.emit_birth(Some(worker), What::Push { task, queue: Queue::Ring, evicted: None }, kind);
        }
        Ok(true)
    }

    fn inject(&mut self, worker: Option<usize>, job: u64, kind: Kind) -> Result<bool, Unclear> {
        let task = self.fates.get(job)?.task;
        if !self.suspend(worker, task) {
            return Ok(false);
        }
        if kind == Kind::Task {
            self.injector.push_back(job);
            self.injected.insert(job);
        } else {
            self.jobs.push(job);
        }
        self.emit_birth(worker, What::Inject { task, queue: Queue::Injector, to: None }, kind);
        Ok(true)
    }

    fn steal(&mut self, thief: usize, job: u64, from: usize) -> Result<bool, Unclear> {
        let Some((queue, jobs)) = self.take_from(thief, job, from)? else { return Ok(false) };
        let tasks = jobs.iter().map(|job| self.fates.of[job].task).collect();
        self.desks[thief].hand = Some(job);
        Ok(self.emit(Some(thief), What::Steal { from, queue, tasks }))
    }

    /// Takes what a thief took, if it is where thieves can get at it.
    fn take_from(&mut self, thief: usize, job: u64, from: usize) -> Possible<(Queue, Vec<u64>)> {
        let victim = self.desks.get_mut(from).ok_or_else(|| unclear("it was stolen from nobody"))?;
        if victim.deque.front() == Some(&job) {
            victim.deque.pop_front();
            return Ok(Some((Queue::Deque, vec![job])));
        }
        // Who steals a task has none.
        if !self.desks[thief].ring.is_empty() || self.desks[thief].slot.is_some() {
            return Ok(None);
        }
        let victim = &mut self.desks[from];
        if victim.slot.is_some_and(|(held, _)| held == job) {
            victim.slot = None;
            return Ok(Some((Queue::Slot, vec![job])));
        }
        if victim.ring.front().is_none_or(|(held, _)| *held != job) {
            return Ok(None);
        }
        victim.ring.pop_front();
        let mut jobs = vec![job];
        while let Some(&(next, since)) = self.desks[from].ring.front() {
            if self.leaves_here(next, from, since) {
                break;
            }
            self.desks[from].ring.pop_front();
            self.desks[thief].ring.push_back((next, self.done[thief]));
            jobs.push(next);
        }
        Ok(Some((Queue::Ring, jobs)))
    }

    /// Whether a task that came to this ring with the note at `since` leaves it at the hand of its owner, or
    /// as the first of a theft. Else it goes along with another one.
    fn leaves_here(&self, job: u64, worker: usize, since: usize) -> bool {
        let fate = &self.fates.of[&job];
        let mut thefts = self.fates.thefts[worker].iter().filter(|theft| theft.place > since);
        match fate.stolen {
            Some((spot, from)) => from == worker && !thefts.any(|theft| theft.at < spot.at),
            None => {
                let started = fate.started;
                started.thread == worker && !thefts.any(|theft| theft.place < started.place)
            }
        }
    }

    fn start(&mut self, worker: usize, job: u64) -> Result<bool, Unclear> {
        let fate = self.fates.get(job)?;
        let desk = &mut self.desks[worker];
        if desk.hand == Some(job) {
            desk.hand = None;
        } else if fate.stolen.is_some() {
            return Ok(false);
        } else if desk.deque.back() == Some(&job) {
            desk.deque.pop_back();
        } else if desk.slot.is_some_and(|(held, _)| held == job) {
            desk.slot = None;
        } else if desk.ring.front().is_some_and(|(held, _)| *held == job) {
            desk.ring.pop_front();
        } else if !self.take(worker, job, fate) {
            return Ok(false);
        }
        self.desks[worker].running.push(Running { job, ended: false });
        self.runs_on.insert(fate.task, worker);
        Ok(self.emit(Some(worker), What::Start { task: fate.task }))
    }

    /// Takes a job or a batch of tasks from the injector, if it is there.
    fn take(&mut self, worker: usize, job: u64, fate: &Fate) -> bool {
        let mut tasks = vec![fate.task];
        if let Some(place) = self.jobs.iter().position(|held| *held == job) {
            self.jobs.remove(place);
        } else if fate.leads && self.injector.front() == Some(&job) {
            self.injector.pop_front();
            while let Some(&next) = self.injector.front() {
                let fate = &self.fates.of[&next];
                if fate.leads && fate.stolen.is_none() {
                    break;
                }
                self.injector.pop_front();
                self.desks[worker].ring.push_back((next, self.done[worker]));
                tasks.push(fate.task);
            }
        } else {
            return false;
        }
        self.emit(Some(worker), What::Take { queue: Queue::Injector, tasks })
    }

    fn end(&mut self, worker: usize, job: u64) -> Result<(), Unclear> {
        let top = self.desks[worker].running.pop().filter(|top| top.job == job);
        let top = top.ok_or_else(|| unclear("something else ends than was started last"))?;
        if !top.ended {
            let fate = &self.fates.of[&job];
            self.runs_on.remove(&fate.task);
            self.emit(Some(worker), What::End { task: fate.task, more: fate.again });
        }
        Ok(())
    }

    /// The notes have ended: so does what still runs.
    fn end_all(&mut self) {
        for worker in 0..self.desks.len() {
            while let Some(top) = self.desks[worker].running.pop() {
                if !top.ended {
                    let fate = &self.fates.of[&top.job];
                    self.emit(Some(worker), What::End { task: fate.task, more: fate.again });
                }
            }
        }
    }
}

/// Gives tasks their numbers, in the order of birth, and lets time begin with the first birth.
fn number(moved: Vec<Moved>, plans: &[Plan]) -> History {
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let mut history = History::default();
    let zero = moved.iter().find(|moved| moved.birth.is_some()).map_or(0, |moved| moved.at);
    for Moved { at, worker, mut what, birth } in moved {
        if let (Some((kind, parent)), What::Push { task, .. } | What::Inject { task, .. }) = (birth, &what)
            && !numbers.contains_key(task)
        {
            let (id, plan) = (numbers.len(), &plans[*task]);
            numbers.insert(*task, id);
            let parent = parent.and_then(|parent| numbers.get(&parent).copied());
            let (size_us, label) = (plan.size_us, plan.label.clone());
            history.tasks.push(Task { id, born: worker, kind, size_us, label, parent });
        }
        renumber(&mut what, &numbers);
        history.events.push(Event { at: at.saturating_sub(zero) as f64 / 1e3, worker, what });
    }
    history.cut = history.events.len() > MOST_EVENTS;
    history.events.truncate(MOST_EVENTS);
    history
}

fn renumber(what: &mut What, numbers: &HashMap<usize, usize>) {
    let number = |task: &mut usize| *task = numbers[task];
    match what {
        What::Push { task, evicted, .. } => {
            number(task);
            evicted.iter_mut().for_each(number);
        }
        What::Inject { task, .. } | What::Start { task } | What::End { task, .. } => number(task),
        What::Steal { tasks, .. } | What::Take { tasks, .. } => tasks.iter_mut().for_each(number),
        What::Wait | What::Resume | What::Park | What::Wake => {}
    }
}

#[cfg(test)]
mod tests;
