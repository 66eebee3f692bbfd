//! Where a worker finds work: own queues, victims, injectors; what it takes depends on its [`Role`].

use super::{Role, Worker, idle::Idle};
use crate::{
    deque::{Steal, insist},
    job::Job,
    post::Turn,
    sleep::driver,
    team::Thread,
    trace::{Entry, Kind},
};

impl Worker {
    pub(super) fn find(&self, role: Role, idle: &mut Idle) -> Option<Job> {
        match role {
            Role::Post => self.find_at_post(idle),
            // What it waits for mostly comes about soon, and would then have to wait for a whole job that has
            // nothing to do with it.
            Role::Wait if idle.is_fresh() => self.find_related(),
            Role::Wait => self.find_waiting(),
            Role::Blocked => self.take_part().or_else(|| self.take_call()).or_else(|| self.take_offload()),
            Role::Deep => self.take_part().or_else(|| self.take_call()),
        }
    }

    pub(super) fn find_waiting(&self) -> Option<Job> {
        self.find_related().or_else(|| self.take_offload()).or_else(|| self.take_injected_job())
    }

    /// What may be part of that which this worker waits for, or what somebody else waits for.
    fn find_related(&self) -> Option<Job> {
        self.find_job().or_else(|| self.rob_jobs()).or_else(|| self.take_call())
    }

    fn find_at_post(&self, idle: &mut Idle) -> Option<Job> {
        let turn =
            if idle.rounds == 0 { self.post.tick(self.thread(), self.team.interval()) } else { Turn::Jobs };
        if turn == Turn::Injectors || self.post.is_slow() {
            self.poll_driver();
        }
        if turn == Turn::Injectors
            && let Some(job) = self.ask_injectors()
        {
            return Some(job);
        }
        if let Some(job) = self.find_own(turn) {
            return Some(job);
        }
        if !idle.searching && !idle.called_back {
            idle.searching = self.team.sleep.start_search();
            if !idle.searching {
                // Enough others search. On to sleep, whose last look misses nothing.
                idle.rounds = self.rounds_at_post();
                return None;
            }
        }
        let last_pass = idle.rounds >= self.rounds_at_post() || idle.called_back;
        self.rob_jobs()
            .or_else(|| self.rob_tasks())
            .or_else(|| self.ask_injectors())
            .or_else(|| if last_pass { self.rob_slots() } else { None })
    }

    /// Looks what has happened at the driver, if nobody else does.
    fn poll_driver(&self) {
        if let Some(turn) = self.team.sleep.take_turn() {
            turn.poll();
            self.dispatch(turn);
        }
    }

    /// Puts the tasks that wait for what has happened at the driver into the ring, and then tells the others.
    pub(super) fn dispatch(&self, turn: driver::Turn<'_>) {
        self.dispatches.set(true);
        turn.dispatch();
        self.dispatches.set(false);
        drop(turn);
        // A single one is for this worker.
        if self.team.stealing && self.post.ring.len() > 1 || !self.team.tasks.is_empty() {
            self.announce_task();
        }
    }

    /// From the own queues, of either kind.
    pub(super) fn find_own(&self, turn: Turn) -> Option<Job> {
        let task = || self.note_task(self.post.pop(self.thread()));
        if turn == Turn::Tasks { task().or_else(|| self.find_job()) } else { self.find_job().or_else(task) }
    }

    /// A job from the own queues: the deque, then what was sent here.
    pub(super) fn find_job(&self) -> Option<Job> {
        self.pop().or_else(|| self.take_own()).or_else(|| insist(|| self.thread().inbox.steal()))
    }

    /// What this thread alone may run.
    pub(super) fn take_own(&self) -> Option<Job> {
        self.take_part().or_else(|| insist(|| self.thread().errands.steal()))
    }

    fn take_part(&self) -> Option<Job> {
        insist(|| self.thread().parts.steal())
    }

    fn take_call(&self) -> Option<Job> {
        insist(|| self.team.calls.steal())
    }

    fn take_offload(&self) -> Option<Job> {
        insist(|| self.team.offloads.steal())
    }

    pub(super) fn take_injected_job(&self) -> Option<Job> {
        insist(|| self.team.jobs.steal())
    }

    fn take_injected_task(&self) -> Option<Job> {
        self.note_task(insist(|| self.team.take_tasks(&self.post.ring)))
    }

    fn note_task(&self, task: Option<Job>) -> Option<Job> {
        self.found_task.set(task.is_some());
        task
    }

    /// Something from outside. Calls, offloads, jobs and tasks take turns at being first, so none can hold up
    /// the others.
    pub(super) fn ask_injectors(&self) -> Option<Job> {
        self.thread().counters.looks.add(1);
        let ask: [fn(&Self) -> Option<Job>; 4] =
            [Self::take_call, Self::take_offload, Self::take_injected_job, Self::take_injected_task];
        let first = self.post.next_injector(ask.len());
        ask.iter().cycle().skip(first).take(ask.len()).find_map(|take| take(self))
    }

    fn rob_jobs(&self) -> Option<Job> {
        self.rob(Kind::Job, |victim| match victim.deque.steal() {
            Steal::Empty => victim.inbox.steal(),
            steal => steal,
        })
    }

    fn rob_tasks(&self) -> Option<Job> {
        let half = |victim: &Thread| match victim.ring.is_empty() {
            true => Steal::Empty,
            false => victim.ring.steal_into(&self.post.ring),
        };
        self.note_task(self.rob(Kind::Task, half))
    }

    fn rob_slots(&self) -> Option<Job> {
        self.note_task(self.rob(Kind::Task, |victim| victim.slot.take().map_or(Steal::Empty, Steal::Success)))
    }

    /// Goes round the other workers, from a random one on, near ones first. Again if somebody was in the way
    /// and there was nothing elsewhere.
    fn rob(&self, kind: Kind, steal: impl Fn(&Thread) -> Steal<Job>) -> Option<Job> {
        if !self.team.stealing {
            return None;
        }
        insist(|| self.rob_once(kind, &steal))
    }

    fn rob_once(&self, kind: Kind, steal: impl Fn(&Thread) -> Steal<Job>) -> Steal<Job> {
        let counters = &self.thread().counters;
        let mut found = Steal::Empty;
        for group in self.team.topology.victims(self.index()) {
            let first = self.rng.below(group.len());
            let (before, after) = (group.clone().take(first), group.skip(first));
            for victim in after.chain(before).filter(|&victim| victim != self.index()) {
                counters.steals_tried.add(1);
                match steal(&self.team.threads[victim]) {
                    Steal::Success(job) => {
                        counters.steals.add(1);
                        self.trace(|| Entry::stolen(job, kind, victim));
                        return Steal::Success(job);
                    }
                    Steal::Retry => found = Steal::Retry,
                    Steal::Empty => {}
                }
            }
        }
        found
    }

    /// The last look: whether [`find`](Self::find) would find something. Of the own deque nobody else can add
    /// to, so that one is empty still, or of no interest.
    pub(super) fn could_find(&self, role: Role) -> bool {
        let (team, thread) = (&self.team, self.thread());
        if !thread.parts.is_empty() || team.sees_work().is_some_and(|work| work <= role.takes()) {
            return true;
        }
        let for_this_thread = || !thread.errands.is_empty() || !thread.inbox.is_empty();
        match role {
            Role::Post => for_this_thread() || team.sees_task_in_slot(),
            Role::Wait => for_this_thread(),
            Role::Blocked | Role::Deep => false,
        }
    }
}
