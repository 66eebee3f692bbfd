//! The ways without stealing: static partition, a central queue, work sharing.
//!
//! They run on the same pool, as one broadcast: each worker goes round a loop of its own, with queues that
//! are behind one lock. What happens is noted under that lock, so it is in order by itself.
//!
//! - **Static**: each worker runs what it was given; of a burst, every worker gets every n-th task.
//! - **Central**: all tasks go to one queue, and workers take one at a time.
//! - **Sharing**: who has a task to push gives it to the worker that has the fewest, itself if it has as few
//!   as any. It looks at the number of tasks, since nobody knows how long one takes; and only when the task
//!   is pushed.

use std::collections::VecDeque;
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::{Ran, Team, tasks, work};
use crate::demo::notes::lock;
use crate::demo::recording::{Event, History, Kind, MOST_EVENTS, Queue, Task, What};
use crate::demo::setup::{Setup, Strategy};

pub fn run(setup: &Setup) -> Ran {
    let team = Team::of_jobs(setup.workers)?;
    let given = tasks::given(setup);
    super::wait_for_sleep(team.pool());
    let office = Office::new(setup, &given);
    let is_burst = given.iter().any(|given| given.to.is_none());
    let all_are_here = Barrier::new(setup.workers + usize::from(is_burst));
    thread::scope(|threads| {
        if is_burst {
            threads.spawn(|| {
                all_are_here.wait();
                office.hand_out(None);
            });
        }
        team.pool().broadcast(|context| {
            all_are_here.wait();
            let me = context.index();
            office.hand_out(Some(me));
            office.work(me);
        });
    });
    Ok((office.into_history(), Vec::new()))
}

/// Where tasks are handed out.
struct Office<'a> {
    strategy: Strategy,
    given: &'a [tasks::Given],
    began: Instant,
    desk: Mutex<Desk>,
    /// By worker: there is something new for it.
    news: Vec<Condvar>,
}

struct Desk {
    /// By worker, of the tasks' numbers in the history.
    deques: Vec<Vec<usize>>,
    inboxes: Vec<VecDeque<usize>>,
    central: VecDeque<usize>,
    /// By worker.
    running: Vec<bool>,
    /// Whose turn it is, if tasks from outside are dealt out.
    turn: usize,
    /// By worker: whether it sleeps, and nobody has woken it.
    asleep: Vec<bool>,
    history: History,
}

impl Desk {
    /// How many tasks a worker has.
    fn load(&self, worker: usize) -> usize {
        self.deques[worker].len() + self.inboxes[worker].len() + usize::from(self.running[worker])
    }

    /// Who has the fewest tasks; this worker, if it has as few as any.
    fn shortest(&self, me: Option<usize>) -> usize {
        let key = |worker: &usize| (self.load(*worker), Some(*worker) != me, *worker);
        (0..self.deques.len()).min_by_key(key).expect("there are workers")
    }
}

impl<'a> Office<'a> {
    fn new(setup: &Setup, given: &'a [tasks::Given]) -> Self {
        let desk = Desk {
            deques: vec![Vec::new(); setup.workers],
            inboxes: vec![VecDeque::new(); setup.workers],
            central: VecDeque::new(),
            running: vec![false; setup.workers],
            turn: 0,
            asleep: vec![false; setup.workers],
            history: History::default(),
        };
        let news = (0..setup.workers).map(|_| Condvar::new()).collect();
        Office { strategy: setup.strategy, given, began: Instant::now(), desk: Mutex::new(desk), news }
    }

    fn note(&self, desk: &mut Desk, worker: Option<usize>, what: What) {
        let at = self.began.elapsed().as_nanos() as f64 / 1e3;
        desk.history.events.push(Event { at, worker, what });
    }

    /// Hands out the tasks that a worker was given, or that come from outside.
    fn hand_out(&self, from: Option<usize>) {
        for given in self.given.iter().filter(|given| given.to == from) {
            let desk = &mut *lock(&self.desk);
            let id = desk.history.tasks.len();
            let (size_us, label) = (given.size_us, given.label.clone());
            desk.history.tasks.push(Task { id, born: from, kind: Kind::Job, size_us, label, parent: None });
            self.queue(desk, id, from);
            if self.all_are_handed_out(desk) {
                (0..self.news.len()).for_each(|worker| self.wake(desk, worker));
            }
        }
    }

    fn all_are_handed_out(&self, desk: &Desk) -> bool {
        desk.history.tasks.len() == self.given.len()
    }

    fn wake(&self, desk: &mut Desk, worker: usize) {
        if std::mem::take(&mut desk.asleep[worker]) {
            self.news[worker].notify_one();
        }
    }

    fn queue(&self, desk: &mut Desk, task: usize, from: Option<usize>) {
        let to = match (self.strategy, from) {
            (Strategy::Central, _) => {
                desk.central.push_back(task);
                if let Some(sleeper) = desk.asleep.iter().position(|asleep| *asleep) {
                    self.wake(desk, sleeper);
                }
                return self.note(desk, from, What::Inject { task, queue: Queue::Central, to: None });
            }
            (Strategy::Sharing, _) => desk.shortest(from),
            (_, Some(me)) => me,
            (_, None) => {
                desk.turn += 1;
                (desk.turn - 1) % desk.deques.len()
            }
        };
        if from == Some(to) {
            desk.deques[to].push(task);
            return self.note(desk, from, What::Push { task, queue: Queue::Deque, evicted: None });
        }
        desk.inboxes[to].push_back(task);
        self.wake(desk, to);
        self.note(desk, from, What::Inject { task, queue: Queue::Inbox, to: Some(to) });
    }

    /// What a worker does until nothing is left for it.
    fn work(&self, me: usize) {
        while let Some((task, size_us)) = self.next(me) {
            work(size_us);
            let desk = &mut *lock(&self.desk);
            desk.running[me] = false;
            self.note(desk, Some(me), What::End { task, more: false });
        }
    }

    /// Waits for the next task, and starts it.
    fn next(&self, me: usize) -> Option<(usize, u64)> {
        let mut desk = lock(&self.desk);
        loop {
            if let Some(task) = self.find(&mut desk, me) {
                desk.running[me] = true;
                self.note(&mut desk, Some(me), What::Start { task });
                return Some((task, desk.history.tasks[task].size_us));
            }
            // Then what others have is theirs.
            if self.all_are_handed_out(&desk) {
                return None;
            }
            desk = self.sleep(desk, me);
        }
    }

    fn find(&self, desk: &mut Desk, me: usize) -> Option<usize> {
        if let Some(task) = desk.deques[me].pop().or_else(|| desk.inboxes[me].pop_front()) {
            return Some(task);
        }
        let task = desk.central.pop_front()?;
        self.note(desk, Some(me), What::Take { queue: Queue::Central, tasks: vec![task] });
        Some(task)
    }

    fn sleep<'b>(&self, mut desk: MutexGuard<'b, Desk>, me: usize) -> MutexGuard<'b, Desk> {
        self.note(&mut desk, Some(me), What::Park);
        desk.asleep[me] = true;
        while desk.asleep[me] {
            desk = self.news[me].wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
        self.note(&mut desk, Some(me), What::Wake);
        desk
    }

    fn into_history(self) -> History {
        let mut history = self.desk.into_inner().unwrap_or_else(PoisonError::into_inner).history;
        let born =
            history.events.iter().find(|event| matches!(event.what, What::Push { .. } | What::Inject { .. }));
        let zero = born.map_or(0.0, |event| event.at);
        history.events.iter_mut().for_each(|event| event.at = (event.at - zero).max(0.0));
        history.cut = history.events.len() > MOST_EVENTS;
        history.events.truncate(MOST_EVENTS);
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many tasks each of three workers has when seven have been given to worker 1, or came from outside.
    fn loads(program: &str, strategy: &str) -> (Vec<usize>, usize) {
        let body = serde_json::json!({ "program": program, "workers": 3, "strategy": strategy,
                                       "tasks": [{ "worker": 1, "size_us": 1, "count": 7 }] });
        let setup = Setup::parse(body.to_string().as_bytes()).expect("a set-up");
        let given = tasks::given(&setup);
        let office = Office::new(&setup, &given);
        office.hand_out(given[0].to);
        let desk = lock(&office.desk);
        ((0..3).map(|worker| desk.load(worker)).collect(), desk.central.len())
    }

    #[test]
    fn every_strategy_hands_out_as_it_says() {
        assert_eq!(loads("tasks", "static"), (vec![0, 7, 0], 0));
        assert_eq!(loads("burst", "static"), (vec![3, 2, 2], 0));
        assert_eq!(loads("tasks", "sharing"), (vec![2, 3, 2], 0));
        assert_eq!(loads("burst", "sharing"), (vec![3, 2, 2], 0));
        assert_eq!(loads("tasks", "central"), (vec![0, 0, 0], 7));
        assert_eq!(loads("burst", "central"), (vec![0, 0, 0], 7));
    }
}
