//! A thread of a pool: it pushes, finds and runs jobs until what it waits for has come.
//!
//! A thread works in one of four roles. At the top of its loop ([`Role::Post`]) it takes everything. Inside
//! a job it may have to wait, for the stolen half of a `join`, for a scope, a broadcast, an `install`
//! elsewhere ([`Role::Wait`]): it works meanwhile, on halves and jobs, never on tasks.
//!
//! # How deep waiting may nest
//! What a waiting worker runs sits on top of the frame that waits, and may wait itself. A worker that has
//! used up half of its stack is *deep*. It then pushes nothing but halves onto its own deque: what else it
//! spawns goes where others look. And if it has to wait ([`Role::Deep`]), it takes only what somebody waits
//! for and nobody else can be counted on to run:
//! - its parts of broadcasts;
//! - calls ([`Team::calls`]): one job for each thread or worker that waits for an injected job.
//!
//! So jobs pile up to half of the stack, and one more job may go as deep as it does alone. On top of that
//! there may be one part or call for every frame, on whatever stack, that waits for such.
//!
//! A deep worker may block although there is work. That cannot end in a circle, because time only goes on
//! when one follows the waits. A frame waits for jobs that were pushed after it began. If such a job sits in
//! the deque of a worker that is blocked, deep, then it was pushed by a frame that was not deep, before the
//! frame began that blocks now. And so on, from later frames to still later ones: the last of them runs, or
//! waits for something that is taken by those who wait. (`ThreadPool::shutdown` waits for jobs that are older
//! than itself; so it takes everything, however deep. A thread that was adopted without a loop may leave jobs
//! in its deque for good; those of a scope that somebody else waits for it does not push there.)
//!
//! # Blocking
//! Code in a job or task may also wait for a future ([`Role::Blocked`]), and that for anything: another job,
//! or what the frame below was about to do. So nothing is run on top of it but what deep workers run as well,
//! and closures that tasks wait for ([`Team::offloads`]), unless it is deep. The others have to do the rest;
//! if all of them block, or block the thread outright, jobs have to wait until one does not.
//!
//! # Invariants
//! I1 At most one [`Worker`] per thread, from its birth to its end; [`Worker::current`] is it.
//! I2 A job that this worker took out of a queue is run by it before it does anything else.

mod find;
mod idle;
mod patience;

use crate::{
    deque::chase_lev,
    job::{Header, Job},
    latch::CoreLatch,
    post::{Post, Turn},
    rng::Rng,
    sleep::{Seat, Work},
    sync::{Arc, Ordering},
    sys::stack,
    team::{Owned, Team, Thread},
    trace::{Code, Entry, Kind},
};
use idle::Idle;
use patience::Patience;
use std::{cell::Cell, ptr};

thread_local! {
    static CURRENT: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

/// One thread of a pool, as it sees itself.
#[derive(Debug)]
pub(crate) struct Worker {
    seat: Seat,
    deque: chase_lev::Owner<Job>,
    /// Its part of the team; stays as long as `team`.
    thread: *const Thread,
    team: Arc<Team>,
    post: Post,
    patience: Patience,
    /// Whether it runs a loop of its own. The thread that built the pool may have joined it without one.
    loops: bool,
    rng: Rng,
    /// Below this address more than half of the stack is used.
    half_mark: usize,
    /// Jobs that run here, each on top of the one before.
    running: Cell<usize>,
    /// Whether what was just found is a task.
    found_task: Cell<bool>,
    /// Whether what runs here on top of all is a task.
    polls: Cell<bool>,
    /// Whether its loop has begun and not ended.
    attends: Cell<bool>,
    /// Whether a job that runs here has said that it is about to end, and below it there is only the post.
    returns: Cell<bool>,
    /// Whether a task is in the ring of which the others have not heard.
    untold: Cell<bool>,
    /// Whether tasks are coming in from the driver, of which the others will hear when all are there.
    dispatches: Cell<bool>,
}

/// What the thread does while it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// At its post, at the top of the loop.
    Post,
    /// Waiting inside of a job.
    Wait,
    /// Waiting for a future.
    Blocked,
    /// Waiting, with half of the stack used.
    Deep,
}

impl Role {
    /// What it takes at most.
    fn takes(self) -> Work {
        match self {
            Role::Post => Work::Task,
            Role::Wait => Work::Job,
            Role::Blocked => Work::Offload,
            Role::Deep => Work::Call,
        }
    }
}

impl Worker {
    pub(crate) fn new(
        team: Arc<Team>,
        index: usize,
        owned: Owned,
        loops: bool,
        stack_size: Option<usize>,
    ) -> Self {
        Worker {
            seat: team.threads[index].seat.clone(),
            deque: owned.deque,
            thread: &raw const *team.threads[index],
            team,
            post: Post::new(owned.ring),
            patience: Patience::new(),
            loops,
            rng: Rng::for_worker(index),
            half_mark: stack::half_mark(stack_size),
            running: Cell::new(0),
            found_task: Cell::new(false),
            polls: Cell::new(false),
            attends: Cell::new(false),
            returns: Cell::new(false),
            untold: Cell::new(false),
            dispatches: Cell::new(false),
        }
    }

    /// The worker that this thread is, if it is one.
    #[inline(always)]
    pub(crate) fn current<'a>() -> Option<&'a Worker> {
        // SAFETY: set by `enter`, whose caller keeps the worker until `leave`; a reference does not leave the
        // job that asked, and jobs end before the worker does.
        unsafe { CURRENT.get().as_ref() }
    }

    /// Makes this thread the worker.
    ///
    /// # Safety
    /// The worker stays in place until [`leave`](Self::leave), and no job of its is still on the stack then.
    pub(crate) unsafe fn enter(this: *const Self) {
        debug_assert!(CURRENT.get().is_null());
        CURRENT.set(this);
    }

    /// This thread is no longer a worker.
    pub(crate) fn leave() {
        CURRENT.set(ptr::null());
    }

    #[inline(always)]
    pub(crate) fn thread(&self) -> &Thread {
        // SAFETY: the team has it, and we have the team.
        unsafe { &*self.thread }
    }

    #[inline(always)]
    pub(crate) fn seat(&self) -> &Seat {
        &self.seat
    }

    #[inline(always)]
    pub(crate) fn index(&self) -> usize {
        self.seat.index
    }

    #[inline(always)]
    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.team
    }

    /// The worker that this thread is, if it is one and its pool was not left behind in the parent of a fork.
    pub(crate) fn able<'a>() -> Option<&'a Worker> {
        Self::current().filter(|worker| !worker.team.is_forked())
    }

    /// The worker of this team that this thread is, if it is one.
    pub(crate) fn of<'a>(team: &Team) -> Option<&'a Worker> {
        Self::current().filter(|worker| ptr::eq(&*worker.team, team))
    }

    pub(crate) fn loops(&self) -> bool {
        self.loops
    }

    pub(crate) fn has_local_jobs(&self) -> bool {
        !self.deque.is_empty()
    }

    /// Whether half of the stack is used.
    #[inline]
    pub(crate) fn is_deep(&self) -> bool {
        stack::position() < self.half_mark
    }

    /// Whether a job runs here.
    pub(crate) fn is_in_job(&self) -> bool {
        self.running.get() > 0
    }

    /// Pushes a job that nobody waits for.
    pub(crate) fn push(&self, job: Job) {
        // Where stealing is off, nobody would come for what a thread without a loop leaves here.
        if self.is_deep() || !self.loops && !self.team.stealing {
            self.team.inject(job);
        } else {
            self.push_here(job);
        }
    }

    /// Pushes a job onto the own deque.
    #[inline(always)]
    pub(crate) fn push_here(&self, job: Job) {
        self.trace(|| Entry::about_job(Code::Pushed, job, Kind::Job));
        self.deque.push(job);
        self.announce();
    }

    /// Pushes a half onto the own deque; says where, for [`take_back`](Self::take_back).
    ///
    /// If the pool is recorded it names the place before, where the half is not to be found: so its `join`
    /// ends on the slow path too, which has the time to tell of it.
    #[inline(always)]
    pub(crate) fn push_half(&self, job: Job) -> usize {
        let index = self.deque.push_at(job);
        if self.seat.sleep.asks_for_attention() {
            return self.announce_half(job, index);
        }
        index
    }

    #[cold]
    #[inline(never)]
    fn announce_half(&self, job: Job, index: usize) -> usize {
        self.announce_slowly();
        if !self.seat.sleep.is_traced() {
            return index;
        }
        self.trace_now(|| Entry::about_job(Code::Pushed, job, Kind::Half));
        // Until the half has run, the newest place of the deque is `index` or above it, also if the half was
        // stolen. So at the place before, `take_back` finds nothing.
        index.wrapping_sub(1)
    }

    /// Takes a half that was pushed at `index` back from the own deque, if it is the newest there.
    #[inline(always)]
    pub(crate) fn take_back(&self, index: usize) -> bool {
        self.deque.take_back(index)
    }

    /// Takes the newest job from the own deque.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<Job> {
        self.deque.pop()
    }

    /// Pushes a job that is to come after the ones pushed this way before.
    pub(crate) fn push_fifo(&self, job: Job) {
        self.push(self.thread().fifo.push(job));
    }

    /// A task was spawned or woken here. If this worker will be back at its post in a moment, it is the next
    /// one, nobody is woken for it, and the one that was goes to the ring. A job may last: then it goes to
    /// the ring itself, for others to take.
    ///
    /// A worker without a loop is at no post: it hands the task to those who are.
    pub(crate) fn push_task(&self, task: Job) {
        if !self.will_be_back() {
            return self.push_task_behind(task);
        }
        self.trace(|| Entry::about_job(Code::Pushed, task, Kind::Task));
        if self.post.push(task, self.thread(), &self.team) {
            self.announce_task();
        }
    }

    /// A task has let others go first: it goes to the end of the ring.
    pub(crate) fn push_task_behind(&self, task: Job) {
        if !self.loops {
            return self.team.inject_task(task);
        }
        self.trace(|| Entry::about_job(Code::Pushed, task, Kind::Task));
        let overflows = self.post.push_behind(task, &self.team);
        if !overflows && !self.team.stealing {
            return;
        }
        if !overflows && self.will_be_back() && self.post.ring.len() == 1 {
            // This worker comes for it, unless there is something else for it to do first.
            self.untold.set(true);
        } else {
            self.announce_task();
        }
    }

    /// Whether this worker will be at its post in a moment: a task runs here, or a job that is about to end.
    fn will_be_back(&self) -> bool {
        self.polls.get() || self.returns.get()
    }

    /// The job that runs here is about to end.
    pub(crate) fn about_to_end(&self) {
        self.returns.set(self.attends.get() && self.running.get() == 1);
    }

    fn announce_task(&self) {
        if !self.dispatches.get() && self.team.sleep.task_asks_for_attention() {
            self.team.sleep.notify(Work::Task);
        }
    }

    /// After a push that others may take: wakes somebody if need be. One load if not.
    #[inline(always)]
    fn announce(&self) {
        if self.seat.sleep.asks_for_attention() {
            self.announce_slowly();
        }
    }

    #[cold]
    #[inline(never)]
    fn announce_slowly(&self) {
        if self.team.stealing {
            self.team.sleep.notify(Work::Job);
        }
    }

    /// Runs a job that came from a queue.
    pub(crate) fn run(&self, job: Job) {
        self.thread().counters.jobs.add(1);
        self.running.set(self.running.get() + 1);
        let polls = self.polls.replace(self.found_task.take());
        // What is below may have said that it is about to end, and then have called for this.
        self.returns.set(false);
        self.trace(|| self.entry(Code::Started, job));
        // SAFETY: it was taken from a queue, and is run here only.
        unsafe { job.run(self.index()) };
        self.trace(|| self.entry(Code::Ended, job));
        self.polls.set(polls);
        self.returns.set(false);
        self.running.set(self.running.get() - 1);
    }

    /// Is at its post until the latch is set.
    pub(crate) fn work_at_post(&self, latch: &CoreLatch) {
        self.attends.set(true);
        self.work_until(latch, Role::Post);
        self.attends.set(false);
    }

    /// Works until the latch is set, which stands for jobs that have been pushed since the caller's frame
    /// began.
    pub(crate) fn wait_for(&self, latch: &CoreLatch) {
        self.wait_as(if self.is_deep() { Role::Deep } else { Role::Wait }, latch);
    }

    /// Works until the latch is set, which may stand for anything.
    pub(crate) fn wait_for_all(&self, latch: &CoreLatch) {
        self.wait_as(Role::Wait, latch);
    }

    /// Waits for a future to be ready, which the latch stands for.
    pub(crate) fn wait_for_future(&self, latch: &CoreLatch) {
        self.wait_as(if self.is_deep() { Role::Deep } else { Role::Blocked }, latch);
    }

    fn wait_as(&self, role: Role, latch: &CoreLatch) {
        // The thread may have left its pool inside of the frame that waits.
        let current = CURRENT.replace(self);
        self.returns.set(false);
        if !self.thread().slot.is_empty() {
            // Nobody was told of it, since whoever put it there was about to return to the post.
            self.announce_task();
        }
        self.trace(|| Entry::new(Code::Waiting));
        self.work_until(latch, role);
        self.trace(|| Entry::new(Code::Resumed));
        CURRENT.set(current);
    }

    fn work_until(&self, latch: &CoreLatch, role: Role) {
        let mut idle = Idle::default();
        while !latch.is_set() {
            if let Some(job) = self.find(role, &mut idle) {
                self.stop_search(&mut idle);
                if role == Role::Post {
                    self.turn_to(job);
                }
                self.run(job);
                idle = idle.over();
            } else if !latch.is_set() {
                if role != Role::Post {
                    // It was called for something that is gone. Who waits looks on, but nobody relies on it.
                    self.stop_search(&mut idle);
                }
                self.rest(latch, role, &mut idle);
            }
        }
        self.stop_search(&mut idle);
    }

    /// At its post, it is about to run something.
    fn turn_to(&self, job: Job) {
        if self.untold.take() && !self.post.ring.is_empty() {
            self.announce_task();
        }
        let task = if self.found_task.get() {
            // Most tasks push no jobs, and those who fall asleep meanwhile should not have to ask.
            self.deque.shut();
            job.header().as_ptr()
        } else {
            // A job may last. A task should not: it is this worker that comes back for the rest.
            self.leave_post();
            self.post.run_job();
            ptr::null_mut()
        };
        self.thread().polled.store(task, Ordering::Relaxed);
    }

    /// It may be long before this worker is back: others have to run its tasks, and take its turn at the
    /// driver.
    fn leave_post(&self) {
        if self.team.stealing && (!self.thread().slot.is_empty() || !self.post.ring.is_empty()) {
            // Of a single one nobody was told.
            self.announce_task();
        }
        if self.team.sleep.driver_is_free() {
            self.team.sleep.man_driver();
        }
    }

    /// Calls `f`, which may block inside of a task or job: others have to do what this worker would have come
    /// to, and are told of what comes meanwhile.
    pub(crate) fn block_in_place<R>(&self, f: impl FnOnce() -> R) -> R {
        /// Puts back what the worker was at.
        struct Polling<'a>(&'a Worker, bool, *mut Header);
        impl Drop for Polling<'_> {
            fn drop(&mut self) {
                self.0.polls.set(self.1);
                self.0.thread().polled.store(self.2, Ordering::Relaxed);
            }
        }
        self.returns.set(false);
        self.leave_post();
        self.team.hurry_watch();
        let polled = self.thread().polled.swap(ptr::null_mut(), Ordering::Relaxed);
        let _polling = Polling(self, self.polls.replace(false), polled);
        f()
    }

    /// Runs what is left in the queues that this thread may have to itself, before it ends.
    pub(crate) fn drain(&self) {
        while let Some(job) = self.find_own(Turn::Jobs).or_else(|| self.ask_injectors()) {
            self.run(job);
        }
    }

    /// Runs the jobs that would stay behind if this thread ended while its pool goes on.
    pub(crate) fn run_what_nobody_else_will(&self) {
        let injected = || if self.team.size() == 1 { self.take_injected_job() } else { None };
        while let Some(job) = self.find_job().or_else(injected) {
            self.run(job);
        }
    }

    /// Runs one job from the own deque, or the own part of a broadcast, if there is one.
    pub(crate) fn yield_local(&self) -> bool {
        self.pop().or_else(|| self.take_own()).map(|job| self.run(job)).is_some()
    }

    /// Runs one job from anywhere, if there is one.
    pub(crate) fn yield_now(&self) -> bool {
        self.find_waiting().map(|job| self.run(job)).is_some()
    }

    /// Notes what this worker does, if the pool is recorded. One load if not.
    #[inline(always)]
    pub(crate) fn trace(&self, entry: impl FnOnce() -> Entry) {
        if self.seat.sleep.is_traced() {
            self.trace_now(entry);
        }
    }

    #[cold]
    #[inline(never)]
    fn trace_now(&self, entry: impl FnOnce() -> Entry) {
        let entry = entry();
        self.team.tracer.note(Some(self.index()), Entry { depth: self.depth(entry.kind), ..entry });
    }

    /// An event of what runs here on top of all.
    fn entry(&self, code: Code, job: Job) -> Entry {
        Entry::about_job(code, job, if self.polls.get() { Kind::Task } else { Kind::Job })
    }

    /// How much of this kind waits in the own queues.
    pub(crate) fn depth(&self, kind: Kind) -> u32 {
        let depth = if kind == Kind::Task { self.post.ring.len() } else { self.deque.len() };
        u32::try_from(depth).unwrap_or(u32::MAX)
    }
}
