//! Gives every job of a recording a number of its own.
//!
//! The threads knew jobs by the addresses of their headers, and an address is used again as soon as its job
//! is over. So the events about an address are gone through in the order of time, and the job that is there
//! at a time is told from the one before and the one after:
//! - A push or an injection is noted before it is done, hence before the job is taken, stolen or started. One
//!   kind is not: a half, since nobody has the time to look before its push. It may be taken *early*, before
//!   its push was noted. But a half ends with the note that it was joined, by the thread that pushed it: what
//!   was taken since the last such note, without a push, can only be the half whose push is noted next.
//! - What was stolen is what the same worker starts next.
//! - What ends is what the same worker started last and has not ended.
//!
//! A job that was queued before the recording began gets a number when it is taken.

use super::event::{Code, Entry, Kind};
use std::collections::{HashMap, VecDeque};

/// Replaces addresses by numbers, and the kinds that takers assumed by those that pushers knew. The entries
/// of each thread are in the order of time.
pub(super) fn number(threads: &mut [Vec<Entry>]) {
    let mut order: Vec<(u64, usize, usize)> = Vec::with_capacity(threads.iter().map(Vec::len).sum());
    for (thread, entries) in threads.iter().enumerate() {
        order.extend(entries.iter().enumerate().map(|(place, entry)| (entry.nanos, thread, place)));
    }
    order.sort_unstable();
    let mut numbering = Numbering::new(threads.len());
    for (_, thread, place) in order {
        let entry = &mut threads[thread][place];
        if let Some(number) = numbering.number(thread, entry) {
            entry.job = number;
        }
    }
    for entry in threads.iter_mut().flatten() {
        if let Some(&kind) = numbering.kinds.get(entry.job as usize) {
            entry.kind = kind;
        }
    }
}

struct Numbering {
    places: HashMap<u64, Place>,
    takers: Vec<Taker>,
    /// By number. None has number zero: that is what events have that are about no job.
    kinds: Vec<Kind>,
}

/// What is known of the jobs at an address.
#[derive(Default)]
struct Place {
    /// Queued, and not taken yet. More than one only if they are tickets of the same queue.
    queued: VecDeque<u64>,
    /// Taken without a push, with the time.
    early: Option<(u64, u64)>,
    /// The last one that was pushed here.
    newest: Option<u64>,
}

/// What a thread has taken.
#[derive(Default)]
struct Taker {
    stolen: Option<(u64, u64)>,
    /// Started and not ended.
    running: Vec<u64>,
}

impl Numbering {
    fn new(threads: usize) -> Self {
        let takers = (0..threads).map(|_| Taker::default()).collect();
        Numbering { places: HashMap::new(), takers, kinds: vec![Kind::Job] }
    }

    fn next(&mut self, kind: Kind) -> u64 {
        self.kinds.push(kind);
        self.kinds.len() as u64 - 1
    }

    fn number(&mut self, thread: usize, entry: &Entry) -> Option<u64> {
        match entry.code {
            Code::Pushed | Code::Injected => Some(self.queue(entry)),
            Code::Stolen => {
                let number = self.take(entry);
                self.takers[thread].stolen = Some((entry.job, number));
                Some(number)
            }
            Code::Started => {
                let stolen = self.takers[thread].stolen.take().filter(|stolen| stolen.0 == entry.job);
                let number = stolen.map_or_else(|| self.take(entry), |stolen| stolen.1);
                self.takers[thread].running.push(number);
                Some(number)
            }
            Code::Ended => {
                let number = self.takers[thread].running.pop();
                Some(number.unwrap_or_else(|| self.next(entry.kind)))
            }
            Code::Joined => Some(self.join(entry)),
            _ => None,
        }
    }

    fn queue(&mut self, entry: &Entry) -> u64 {
        let place = self.places.entry(entry.job).or_default();
        // With the same time: the clock is too coarse to tell which was first.
        let is_this_one = |&(_, taken): &(u64, u64)| entry.kind == Kind::Half || taken == entry.nanos;
        if let Some((number, _)) = place.early.take().filter(is_this_one) {
            place.newest = Some(number);
            self.kinds[number as usize] = entry.kind;
            return number;
        }
        let number = self.next(entry.kind);
        let place = self.places.entry(entry.job).or_default();
        place.queued.push_back(number);
        place.newest = Some(number);
        number
    }

    fn take(&mut self, entry: &Entry) -> u64 {
        if let Some(number) = self.places.get_mut(&entry.job).and_then(|place| place.queued.pop_front()) {
            return number;
        }
        let number = self.next(entry.kind);
        self.places.entry(entry.job).or_default().early = Some((number, entry.nanos));
        number
    }

    fn join(&mut self, entry: &Entry) -> u64 {
        let place = self.places.remove(&entry.job).unwrap_or_default();
        let known = place.newest.or(place.early.map(|(number, _)| number));
        known.unwrap_or_else(|| self.next(entry.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(nanos: u64, code: Code, job: u64, kind: Kind) -> Entry {
        Entry { nanos, ..Entry::about(code, job, kind) }
    }

    fn half(nanos: u64, code: Code) -> Entry {
        entry(nanos, code, 0x1000, Kind::Half)
    }

    fn numbers(thread: &[Entry]) -> Vec<u64> {
        thread.iter().map(|entry| entry.job).collect()
    }

    #[test]
    fn an_address_that_recurs_is_another_job() {
        use Code::{Ended, Joined, Pushed, Started};
        let codes = [Pushed, Started, Ended, Joined];
        let mut threads = [(0..8).map(|at| half(at, codes[at as usize % 4])).collect::<Vec<_>>()];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn a_half_may_be_taken_and_over_before_its_push_is_noted() {
        let mut threads = [
            vec![half(50, Code::Pushed), half(60, Code::Joined), half(90, Code::Pushed)],
            vec![
                entry(10, Code::Stolen, 0x1000, Kind::Job),
                entry(20, Code::Started, 0x1000, Kind::Job),
                entry(70, Code::Ended, 0x1000, Kind::Job),
                entry(80, Code::Started, 0x1000, Kind::Job),
            ],
        ];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [1, 1, 2]);
        assert_eq!(numbers(&threads[1]), [1, 1, 1, 2]);
        assert!(threads.iter().flatten().all(|entry| entry.kind == Kind::Half));
    }

    #[test]
    fn a_job_from_before_is_not_taken_for_one_that_comes_later() {
        let mut threads = [vec![
            entry(10, Code::Started, 0x1000, Kind::Job),
            entry(20, Code::Ended, 0x1000, Kind::Job),
            entry(30, Code::Injected, 0x1000, Kind::Call),
            entry(40, Code::Started, 0x1000, Kind::Job),
            entry(50, Code::Ended, 0x1000, Kind::Job),
        ]];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [1, 1, 2, 2, 2]);
        assert_eq!(threads[0][1].kind, Kind::Job);
        assert_eq!(threads[0][4].kind, Kind::Call);
    }

    #[test]
    fn a_half_from_before_is_over_when_it_is_joined() {
        let mut threads = [
            vec![half(30, Code::Joined), half(40, Code::Pushed)],
            vec![half(10, Code::Started), half(20, Code::Ended), half(50, Code::Started)],
        ];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [1, 2]);
        assert_eq!(numbers(&threads[1]), [1, 1, 2]);
    }

    #[test]
    fn tickets_share_an_address_and_are_taken_in_turn() {
        let job = |nanos, code| entry(nanos, code, 0x1000, Kind::Job);
        let mut threads = [
            vec![job(1, Code::Pushed), job(2, Code::Pushed), job(5, Code::Started), job(6, Code::Ended)],
            vec![job(3, Code::Started), job(4, Code::Ended)],
        ];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [1, 2, 2, 2]);
        assert_eq!(numbers(&threads[1]), [1, 1]);
    }

    #[test]
    fn what_is_about_no_job_keeps_none() {
        let mut threads = [vec![entry(1, Code::Parked, 0, Kind::Job), entry(2, Code::Woken, 0, Kind::Job)]];
        number(&mut threads);
        assert_eq!(numbers(&threads[0]), [0, 0]);
    }
}
