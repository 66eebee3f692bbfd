//! Whether a history could have happened.
//!
//! The page replays a history event by event and believes it. So must we be able to: [`check`] replays it
//! too, and complains about the first event that does not fit what came before.
//!
//! # Rules
//! R1 Events are in the order of time, and tasks are numbered in the order of birth.
//! R2 Each task is in one place: it is pushed or injected when it is unborn or suspended, and nowhere else.
//! R3 A thief takes from the front of a deque or ring, one from a deque, any number from a ring, or what is
//!    in a slot or inbox. From a queue for all, anything is taken that is there.
//! R4 A worker starts what it has in its hand, the newest of its deque, the oldest of its ring, or what is in
//!    its slot or inbox. What it has in its hand it starts before it does anything else.
//! R5 What ends is what the worker started last. Waits end in the reverse order they began.
//! R6 Who parks is not parked, and does not run anything but a wait.
//! R7 In the end all is done, unless the history was cut off.

use super::recording::{History, Queue, What};

/// Says what is wrong with a history of so many workers.
pub fn check(history: &History, workers: usize) -> Result<(), String> {
    let mut state = State::new(workers, history.tasks.len());
    let mut last = 0.0;
    for (step, event) in history.events.iter().enumerate() {
        let complain = |what: String| format!("event {step}, {event:?}: {what}");
        if !event.at.is_finite() || event.at < last {
            return Err(complain(format!("before {last}")));
        }
        last = event.at;
        state.apply(event.worker, &event.what).map_err(complain)?;
    }
    if history.tasks.iter().enumerate().any(|(place, task)| task.id != place) {
        return Err("tasks are not numbered from zero on".to_owned());
    }
    if history.cut {
        return Ok(());
    }
    match state.places.iter().position(|place| *place != Place::Done) {
        Some(task) => Err(format!("task {task} is {:?} in the end", state.places[task])),
        None => Ok(()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Unborn,
    /// Of a worker, or for all.
    In(Queue, Option<usize>),
    Hand(usize),
    Running(usize),
    Suspended,
    Done,
}

/// What a worker is at, innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Task(usize),
    Wait,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    /// By queue, the oldest first.
    queues: [Vec<usize>; 4],
    hand: Option<usize>,
    frames: Vec<Frame>,
    parked: bool,
}

struct State {
    workers: Vec<Worker>,
    places: Vec<Place>,
    born: usize,
}

type Checked = Result<(), String>;

impl State {
    fn new(workers: usize, tasks: usize) -> Self {
        State { workers: vec![Worker::default(); workers], places: vec![Place::Unborn; tasks], born: 0 }
    }

    fn apply(&mut self, who: Option<usize>, what: &What) -> Checked {
        if let What::Inject { task, queue, to } = what {
            return self.enqueue(*task, *queue, *to);
        }
        let who = who.filter(|who| *who < self.workers.len()).ok_or("by no worker")?;
        let is_start = matches!(what, What::Start { .. });
        if self.workers[who].hand.is_some() && !is_start {
            return Err("while it has something in its hand".to_owned());
        }
        match what {
            What::Push { task, queue, evicted } => {
                if let Some(evicted) = *evicted {
                    self.leave(evicted, Queue::Slot, Some(who), End::Any)?;
                    self.enter(evicted, Queue::Ring, Some(who))?;
                }
                self.enqueue(*task, *queue, Some(who))
            }
            What::Inject { .. } => unreachable!("treated above"),
            What::Steal { from, queue, tasks } if *from != who => {
                let end = if matches!(queue, Queue::Deque | Queue::Ring) { End::Front } else { End::Any };
                if *queue != Queue::Ring && tasks.len() != 1 {
                    return Err("several tasks at once, from no ring".to_owned());
                }
                self.grab(who, tasks, *queue, Some(*from), end)
            }
            What::Steal { .. } => Err("from itself".to_owned()),
            What::Take { queue, tasks } => self.grab(who, tasks, *queue, None, End::Any),
            What::Start { task } => self.start(who, *task),
            What::End { task, more } => {
                if self.workers[who].frames.pop() != Some(Frame::Task(*task)) {
                    return Err("it is not what was started last".to_owned());
                }
                self.places[*task] = if *more { Place::Suspended } else { Place::Done };
                Ok(())
            }
            What::Wait => {
                self.workers[who].frames.push(Frame::Wait);
                Ok(())
            }
            What::Resume => match self.workers[who].frames.pop() {
                Some(Frame::Wait) => Ok(()),
                _ => Err("it did not wait".to_owned()),
            },
            What::Park => {
                let busy = matches!(self.workers[who].frames.last(), Some(Frame::Task(_)));
                if self.workers[who].parked || busy {
                    return Err("it is parked or runs something".to_owned());
                }
                self.workers[who].parked = true;
                Ok(())
            }
            What::Wake => {
                let parked = std::mem::take(&mut self.workers[who].parked);
                if parked { Ok(()) } else { Err("it is awake".to_owned()) }
            }
        }
    }

    fn place(&self, task: usize) -> Result<Place, String> {
        self.places.get(task).copied().ok_or_else(|| format!("there is no task {task}"))
    }

    fn queue(&mut self, queue: Queue, of: Option<usize>) -> Option<&mut Vec<usize>> {
        let index = match queue {
            Queue::Deque => 0,
            Queue::Ring => 1,
            Queue::Slot => 2,
            Queue::Inbox => 3,
            Queue::Injector | Queue::Central => return None,
        };
        Some(&mut self.workers.get_mut(of?)?.queues[index])
    }

    /// A task that was in no queue.
    fn enqueue(&mut self, task: usize, queue: Queue, of: Option<usize>) -> Checked {
        match self.place(task)? {
            Place::Unborn if task == self.born => self.born += 1,
            Place::Suspended => {}
            place => return Err(format!("it is {place:?}")),
        }
        self.enter(task, queue, of)
    }

    fn enter(&mut self, task: usize, queue: Queue, of: Option<usize>) -> Checked {
        let shared = matches!(queue, Queue::Injector | Queue::Central);
        if shared == of.is_some() {
            return Err(format!("the queue {queue:?} is not one of {of:?}"));
        }
        if let Some(held) = self.queue(queue, of) {
            if queue == Queue::Slot && !held.is_empty() {
                return Err("the slot is taken".to_owned());
            }
            held.push(task);
        }
        self.places[task] = Place::In(queue, of);
        Ok(())
    }

    fn leave(&mut self, task: usize, queue: Queue, of: Option<usize>, end: End) -> Checked {
        let place = self.place(task)?;
        if place != Place::In(queue, of) {
            return Err(format!("{task} is {place:?}"));
        }
        let Some(held) = self.queue(queue, of) else { return Ok(()) };
        let at = held.iter().position(|held| *held == task).ok_or("the queue has lost it")?;
        let fits = match end {
            End::Front => at == 0,
            End::Back => at + 1 == held.len(),
            End::Any => true,
        };
        if !fits {
            return Err(format!("{task} is not at the {end:?} of {held:?}"));
        }
        held.remove(at);
        Ok(())
    }

    fn grab(&mut self, who: usize, tasks: &[usize], queue: Queue, from: Option<usize>, end: End) -> Checked {
        for &task in tasks {
            self.leave(task, queue, from, end)?;
        }
        let (&first, rest) = tasks.split_first().ok_or("nothing")?;
        for &task in rest {
            self.enter(task, Queue::Ring, Some(who))?;
        }
        self.places[first] = Place::Hand(who);
        self.workers[who].hand = Some(first);
        Ok(())
    }

    fn start(&mut self, who: usize, task: usize) -> Checked {
        match self.place(task)? {
            Place::Hand(holder) if holder == who => self.workers[who].hand = None,
            Place::In(queue, of) if of == Some(who) && self.workers[who].hand.is_none() => {
                let end = match queue {
                    Queue::Deque => End::Back,
                    Queue::Ring => End::Front,
                    _ => End::Any,
                };
                self.leave(task, queue, of, end)?;
            }
            place => return Err(format!("it is {place:?}")),
        }
        if self.workers[who].parked {
            return Err("by a worker that is parked".to_owned());
        }
        self.workers[who].frames.push(Frame::Task(task));
        self.places[task] = Place::Running(who);
        Ok(())
    }
}

/// Where in a queue a task has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Front,
    Back,
    Any,
}

#[cfg(test)]
mod tests {
    use super::super::recording::{Event, Kind, Task};
    use super::*;

    fn history(tasks: usize, events: Vec<(Option<usize>, What)>) -> History {
        let task =
            |id| Task { id, born: None, kind: Kind::Job, size_us: 1, label: String::new(), parent: None };
        let event = |(at, (worker, what)): (usize, _)| Event { at: at as f64, worker, what };
        History {
            tasks: (0..tasks).map(task).collect(),
            events: events.into_iter().enumerate().map(event).collect(),
            cut: false,
        }
    }

    fn push(task: usize) -> (Option<usize>, What) {
        (Some(0), What::Push { task, queue: Queue::Deque, evicted: None })
    }

    fn steal(task: usize) -> (Option<usize>, What) {
        (Some(1), What::Steal { from: 0, queue: Queue::Deque, tasks: vec![task] })
    }

    fn start(worker: usize, task: usize) -> (Option<usize>, What) {
        (Some(worker), What::Start { task })
    }

    fn end(worker: usize, task: usize) -> (Option<usize>, What) {
        (Some(worker), What::End { task, more: false })
    }

    fn complaint(tasks: usize, events: Vec<(Option<usize>, What)>) -> String {
        check(&history(tasks, events), 2).expect_err("it cannot have happened")
    }

    #[test]
    fn a_steal_from_the_front_and_a_pop_from_the_back_can_have_happened() {
        let events = vec![push(0), push(1), steal(0), start(1, 0), start(0, 1), end(0, 1), end(1, 0)];
        check(&history(2, events), 2).expect("it can");
    }

    #[test]
    fn a_thief_cannot_take_the_newest_job_nor_the_owner_the_oldest() {
        assert!(complaint(2, vec![push(0), push(1), steal(1)]).contains("not at the Front"));
        assert!(complaint(2, vec![push(0), push(1), start(0, 0)]).contains("not at the Back"));
    }

    #[test]
    fn a_task_is_not_in_two_places() {
        assert!(complaint(1, vec![push(0), push(0)]).contains("In(Deque"));
        assert!(complaint(1, vec![push(0), start(0, 0), start(1, 0)]).contains("Running(0)"));
        assert!(complaint(1, vec![steal(0)]).contains("Unborn"));
    }

    #[test]
    fn what_was_stolen_is_started_before_anything_else() {
        let events = vec![push(0), push(1), steal(0), (Some(1), What::Park)];
        assert!(complaint(2, events).contains("in its hand"));
    }

    #[test]
    fn all_tasks_are_done_in_the_end() {
        assert!(complaint(1, vec![push(0), start(0, 0)]).contains("in the end"));
    }

    #[test]
    fn time_does_not_run_backwards() {
        let mut history = history(1, vec![push(0), start(0, 0), end(0, 0)]);
        history.events[2].at = 0.5;
        assert!(check(&history, 1).expect_err("backwards").contains("before 1"));
    }

    #[test]
    fn the_slot_holds_one_task() {
        let slot = |task, evicted| (Some(0), What::Push { task, queue: Queue::Slot, evicted });
        let after = vec![start(0, 1), end(0, 1), start(0, 0), end(0, 0)];
        let fine = [vec![slot(0, None), slot(1, Some(0))], after].concat();
        check(&history(2, fine), 1).expect("the first one goes to the ring");
        assert!(complaint(2, vec![slot(0, None), slot(1, None)]).contains("the slot is taken"));
    }

    #[test]
    fn who_runs_something_does_not_park_unless_it_waits() {
        let begin = || vec![push(0), start(0, 0)];
        assert!(complaint(1, [begin(), vec![(Some(0), What::Park)]].concat()).contains("runs something"));
        let waits = [What::Wait, What::Park, What::Wake, What::Resume].map(|what| (Some(0), what));
        let events = [begin(), waits.to_vec(), vec![end(0, 0)]].concat();
        check(&history(1, events), 1).expect("it waited");
    }
}
