//! What becomes of everything that was queued, as far as it is known before the notes are put in order.

use std::collections::HashMap;

use super::super::notes::{Note, Noted, Notes};
use super::super::recording::Kind;
use super::{Unclear, unclear};

/// Where a note is: which thread, and its place among that thread's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub thread: usize,
    pub place: usize,
    pub at: u64,
}

/// What becomes of something that is queued. A task is queued several times, with another number each time.
#[derive(Clone, Debug)]
pub struct Fate {
    /// By the program's number.
    pub task: usize,
    pub kind: Kind,
    pub started: Spot,
    /// By whom, and from whom.
    pub stolen: Option<(Spot, usize)>,
    /// If it was in the injector: it is the first of a batch.
    pub leads: bool,
    /// The task is queued again later.
    pub again: bool,
}

/// All that is known before the simulation begins.
pub struct Fates {
    pub of: HashMap<u64, Fate>,
    /// By worker: when it stole tasks.
    pub thefts: Vec<Vec<Spot>>,
}

impl Fates {
    pub fn of(notes: &Notes) -> Result<Self, Unclear> {
        let mut of: HashMap<u64, Fate> = HashMap::new();
        let mut stolen: HashMap<u64, (Spot, usize)> = HashMap::new();
        for (thread, list) in notes.workers.iter().enumerate() {
            let mut begun = notes.begun[thread].iter();
            let mut ring = 0;
            for (place, note) in list.iter().enumerate() {
                let spot = Spot { thread, place, at: note.at };
                match note.what {
                    Noted::Stolen { job, from } => _ = stolen.insert(job, (spot, from)),
                    Noted::Started { job, kind } => {
                        let task = *begun.next().ok_or_else(|| unclear("more was started than begun"))?;
                        let leads = ring == 0 || note.depth >= ring;
                        let stolen = stolen.get(&job).copied();
                        of.insert(job, Fate { task, kind, started: spot, stolen, leads, again: false });
                    }
                    _ => {}
                }
                ring = if is_about_task(note, &of) { ring_after(note) } else { ring };
            }
            if begun.next().is_some() {
                return Err(unclear("more was begun than started"));
            }
        }
        mark_repeated(&mut of);
        let thefts = notes.workers.iter().enumerate();
        let thefts = thefts.map(|(thread, list)| thefts_of(thread, list, &of)).collect();
        Ok(Fates { of, thefts })
    }

    pub fn get(&self, job: u64) -> Result<&Fate, Unclear> {
        self.of.get(&job).ok_or_else(|| unclear(format!("job {job} was never started")))
    }
}

fn is_about_task(note: &Note, fates: &HashMap<u64, Fate>) -> bool {
    match note.what {
        Noted::Pushed { kind, .. } | Noted::Started { kind, .. } => kind == Kind::Task,
        Noted::Ended { job } => fates.get(&job).is_some_and(|fate| fate.kind == Kind::Task),
        _ => false,
    }
}

/// How long the ring may be after this note, at most. A push is noted before it is done.
fn ring_after(note: &Note) -> u32 {
    note.depth + u32::from(matches!(note.what, Noted::Pushed { .. }))
}

/// Marks what is not the last time that its task is queued.
fn mark_repeated(of: &mut HashMap<u64, Fate>) {
    let mut last: HashMap<usize, u64> = HashMap::new();
    for fate in of.values() {
        let at = last.entry(fate.task).or_default();
        *at = fate.started.at.max(*at);
    }
    for fate in of.values_mut() {
        fate.again = fate.started.at < last[&fate.task];
    }
}

fn thefts_of(thread: usize, list: &[Note], of: &HashMap<u64, Fate>) -> Vec<Spot> {
    let is_theft = |note: &Note| match note.what {
        Noted::Stolen { job, .. } => of.get(&job).is_some_and(|fate| fate.kind == Kind::Task),
        _ => false,
    };
    let thefts = list.iter().enumerate().filter(|(_, note)| is_theft(note));
    thefts.map(|(place, note)| Spot { thread, place, at: note.at }).collect()
}
