//! What the threads of one pool share: every queue that others may look into, and how to wake each other.
//!
//! # Invariants
//! I1 `users` counts the pool's handle, every attachment and every accepted job that nobody waits for. At
//!    zero, and only then, the threads are told to end: by then nothing is left that could push a job.
//! I2 The team outlives its threads: each holds it until its last act.
//! I3 For each thread or worker that waits there is at most one job in [`Team::calls`], or running from
//!    there: so those who take them however deep they are do not go much deeper by it.

use crate::{
    deque::{Steal, chase_lev, injector::Injector, insist, ring},
    job::{Fifo, Header, Job},
    latch::CoreLatch,
    relief::{duty::Seen, watch::Watch},
    sleep::{Seat, Sleep, Work},
    stats::{Counters, PoolStats},
    sync::{Arc, AtomicPtr, AtomicU32, AtomicUsize, Ordering},
    sys::{barrier, fork},
    topology::Topology,
    trace::{Code, Entry, Kind, Tracer},
    tuning::injector_batch,
    unwind::{self, AbortOnUnwind, Payload},
    worker::Worker,
};
use crossbeam_utils::CachePadded;
use std::{any::Any, fmt, mem, ptr, ptr::NonNull, sync::OnceLock};

/// The queues of one thread, as the others see them.
pub(crate) struct Thread {
    /// Halves and jobs.
    pub(crate) deque: chase_lev::Stealer<Job>,
    /// Jobs placed here by `spawn_at`. Thieves may have them.
    pub(crate) inbox: Injector<Job>,
    /// Parts of broadcasts that somebody waits for. For this thread alone, whatever it waits for itself.
    pub(crate) parts: Injector<Job>,
    /// Parts of broadcasts that nobody waits for. For this thread alone, in its own time.
    pub(crate) errands: Injector<Job>,
    /// What `spawn_fifo` queued on this thread.
    pub(crate) fifo: Arc<Fifo>,
    /// The post's tasks, oldest first.
    pub(crate) ring: ring::Stealer<Job>,
    /// The post's newest task.
    pub(crate) slot: Slot,
    pub(crate) counters: Counters,
    /// What it runs at its post, or ran last. For the watch, which does not look into it.
    pub(crate) polled: AtomicPtr<Header>,
    /// Tells it to end.
    pub(crate) ended: CoreLatch,
    pub(crate) seat: Seat,
}

impl Thread {
    /// Whether there is something for thieves to take, besides tasks.
    fn has_loot(&self) -> bool {
        !self.deque.is_empty() || !self.inbox.is_empty()
    }
}

/// The owner's ends of one thread's queues.
pub(crate) struct Owned {
    pub(crate) deque: chase_lev::Owner<Job>,
    pub(crate) ring: ring::Owner<Job>,
}

/// Room for one task.
#[derive(Debug, Default)]
pub(crate) struct Slot(AtomicPtr<Header>);

impl Slot {
    /// Puts a task in; what was there comes out.
    pub(crate) fn put(&self, task: Job) -> Option<Job> {
        Self::job(self.0.swap(task.header().as_ptr(), Ordering::AcqRel))
    }

    pub(crate) fn take(&self) -> Option<Job> {
        if self.is_empty() {
            return None;
        }
        Self::job(self.0.swap(ptr::null_mut(), Ordering::AcqRel))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Ordering::Acquire).is_null()
    }

    fn job(header: *mut Header) -> Option<Job> {
        // SAFETY: only headers of jobs are put in, and the swap that took it out gave it to us alone.
        NonNull::new(header).map(|header| unsafe { Job::new(header) })
    }
}

pub(crate) type IndexHandler = Box<dyn Fn(usize) + Send + Sync>;

/// What a pool's builder asked to be called.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) panic: Option<Box<dyn Fn(Payload) + Send + Sync>>,
    pub(crate) start: Option<IndexHandler>,
    pub(crate) exit: Option<IndexHandler>,
}

pub(crate) struct Team {
    pub(crate) threads: Box<[CachePadded<Thread>]>,
    /// Jobs from outside.
    pub(crate) jobs: Injector<Job>,
    /// Jobs from outside that somebody waits for. Taken by everybody, however deep.
    pub(crate) calls: Injector<Job>,
    /// Closures that tasks wait for. Taken also by who waits for a task, as long as it is not deep.
    pub(crate) offloads: Injector<Job>,
    /// Tasks from outside, and what did not fit into a ring. Apart from the jobs: who waits in a `join` may
    /// take a job, never a task.
    pub(crate) tasks: Injector<Job>,
    pub(crate) sleep: Arc<Sleep>,
    pub(crate) topology: Topology,
    /// Whether workers take from each other.
    pub(crate) stealing: bool,
    pub(crate) handlers: Handlers,
    pub(crate) tracer: Tracer,
    interval: AtomicU32,
    /// What a runtime has left here, to be found by code that runs on the pool's threads.
    pub(crate) home: OnceLock<Box<dyn Any + Send + Sync>>,
    /// Sees to it that somebody serves the runtime, if one asked for it.
    pub(crate) watch: OnceLock<Watch>,
    users: AtomicUsize,
    /// How many threads have a loop.
    posts: usize,
    /// The threads that have a loop and have not left it, the watch and its threads, and one for the users as
    /// a whole.
    staying: AtomicUsize,
    /// Run by the last of them.
    farewell: Slot,
    born_in: u32,
}

impl Team {
    /// A team whose threads are yet to be born; each gets its owned ends. If it `adopts` a thread, the first
    /// has no loop.
    pub(crate) fn new(
        size: usize,
        stealing: bool,
        adopts: bool,
        handlers: Handlers,
    ) -> (Arc<Self>, Vec<Owned>) {
        let sleep = Arc::new(Sleep::new(size));
        let (owned, threads): (Vec<_>, Vec<_>) = (0..size)
            .map(|index| {
                let (deque, deque_stealer) = chase_lev::new();
                let (ring, ring_stealer) = ring::new();
                let thread = Thread {
                    deque: deque_stealer,
                    inbox: Injector::new(),
                    parts: Injector::new(),
                    errands: Injector::new(),
                    fifo: Fifo::new(),
                    ring: ring_stealer,
                    slot: Slot::default(),
                    counters: Counters::default(),
                    polled: AtomicPtr::default(),
                    ended: CoreLatch::new(),
                    seat: Seat { sleep: sleep.clone(), index },
                };
                (Owned { deque, ring }, CachePadded::new(thread))
            })
            .unzip();
        let team = Team {
            threads: threads.into(),
            jobs: Injector::new(),
            calls: Injector::new(),
            offloads: Injector::new(),
            tasks: Injector::new(),
            sleep,
            topology: Topology::flat(size),
            stealing,
            handlers,
            tracer: Tracer::new(size),
            interval: AtomicU32::new(0),
            home: OnceLock::new(),
            watch: OnceLock::new(),
            users: AtomicUsize::new(1),
            posts: size - usize::from(adopts),
            staying: AtomicUsize::new(size - usize::from(adopts) + 1),
            farewell: Slot::default(),
            born_in: fork::generation(),
        };
        (Arc::new(team), owned)
    }

    pub(crate) fn size(&self) -> usize {
        self.threads.len()
    }

    /// A job from outside, for whoever comes first.
    pub(crate) fn inject(&self, job: Job) {
        self.assert_not_forked();
        self.trace(|| Entry::about_job(Code::Injected, job, Kind::Job));
        self.jobs.push(job);
        self.sleep.notify(Work::Job);
    }

    /// A task from outside, for a thread at its post.
    pub(crate) fn inject_task(&self, task: Job) {
        self.assert_not_forked();
        self.trace(|| Entry::about_job(Code::Injected, task, Kind::Task));
        self.tasks.push(task);
        self.sleep.notify(Work::Task);
    }

    /// A job from outside that somebody waits for, who has no other here.
    pub(crate) fn call(&self, job: Job) {
        self.assert_not_forked();
        self.trace(|| Entry::about_job(Code::Injected, job, Kind::Call));
        self.calls.push(job);
        self.sleep.notify(Work::Call);
    }

    /// A closure that a task waits for.
    pub(crate) fn inject_offload(&self, job: Job) {
        self.assert_not_forked();
        self.trace(|| Entry::about_job(Code::Injected, job, Kind::Job));
        self.offloads.push(job);
        self.sleep.notify(Work::Offload);
    }

    /// A job for one thread; others may steal it if they have nothing better.
    pub(crate) fn place(&self, index: usize, job: Job) {
        self.assert_not_forked();
        self.trace(|| Entry::about_job(Code::Injected, job, Kind::Job));
        self.threads[index].inbox.push(job);
        // If it does not sleep it may be busy for long.
        if !self.sleep.call(index, Work::Job) && self.stealing {
            self.sleep.notify(Work::Job);
        }
    }

    /// A job for each thread, which nobody else will take, and somebody waits for.
    pub(crate) fn place_parts(&self, jobs: impl ExactSizeIterator<Item = Job>) {
        debug_assert_eq!(jobs.len(), self.size());
        for (thread, job) in self.threads.iter().zip(jobs) {
            self.trace(|| Entry::about_job(Code::Injected, job, Kind::Part));
            thread.parts.push(job);
            self.sleep.wake(thread.seat.index);
        }
    }

    /// A job for each thread, which nobody else will take, and nobody waits for.
    pub(crate) fn place_errands(&self, jobs: impl ExactSizeIterator<Item = Job>) {
        debug_assert_eq!(jobs.len(), self.size());
        for (thread, job) in self.threads.iter().zip(jobs) {
            self.trace(|| Entry::about_job(Code::Injected, job, Kind::Part));
            thread.errands.push(job);
            // If it does not sleep, or is too deep in its stack, it will come to it.
            let _ = self.sleep.call(thread.seat.index, Work::Job);
        }
    }

    /// Has `worker` see what the others have pushed onto their deques with a light barrier; those who push
    /// from now on see what it did before. It has a fence behind it.
    pub(crate) fn see_pushes(&self, worker: usize) {
        let mut others = self.threads.iter().filter(|thread| thread.seat.index != worker);
        if self.stealing && others.any(|thread| !thread.deque.is_shut()) {
            barrier::heavy();
        }
    }

    /// What can be seen that somebody may take: first what most may.
    pub(crate) fn sees_work(&self) -> Option<Work> {
        if !self.calls.is_empty() {
            Some(Work::Call)
        } else if !self.offloads.is_empty() {
            Some(Work::Offload)
        } else if self.sees_job() {
            Some(Work::Job)
        } else {
            self.sees_queued_task().then_some(Work::Task)
        }
    }

    fn sees_job(&self) -> bool {
        !self.jobs.is_empty() || self.stealing && self.threads.iter().any(|thread| thread.has_loot())
    }

    fn sees_queued_task(&self) -> bool {
        !self.tasks.is_empty() || self.stealing && self.threads.iter().any(|thread| !thread.ring.is_empty())
    }

    /// Whether there is a task that the relief may take.
    pub(crate) fn sees_task(&self) -> bool {
        self.sees_queued_task() || self.sees_task_in_slot()
    }

    /// Whether a task sits in a slot, for one who has found nothing else.
    pub(crate) fn sees_task_in_slot(&self) -> bool {
        self.stealing && self.threads.iter().any(|thread| !thread.slot.is_empty())
    }

    /// Tasks from the injector: the first is returned, the others go to `ring`.
    pub(crate) fn take_tasks(&self, ring: &ring::Owner<Job>) -> Steal<Job> {
        if self.tasks.is_empty() {
            return Steal::Empty;
        }
        let most = injector_batch(self.tasks.len(), self.size()).min(ring.room() + 1);
        self.tasks.steal_batch(most, |task| {
            if let Err(overflow) = ring.push(task) {
                unreachable!("{overflow:?} in a ring that had room and is robbed at most");
            }
        })
    }

    /// How many jobs and tasks a worker runs between two turns of the injectors; zero if it is to find out.
    #[inline]
    pub(crate) fn interval(&self) -> u32 {
        self.interval.load(Ordering::Relaxed)
    }

    pub(crate) fn set_interval(&self, interval: u32) {
        self.interval.store(interval, Ordering::Relaxed);
    }

    /// One more of those that the pool must not end before: a job that nobody waits for, an attachment.
    pub(crate) fn add_user(&self) {
        self.assert_not_forked();
        let one_more = |users: usize| users.checked_add(1).filter(|_| users > 0);
        let added = self.users.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        assert!(added.is_ok(), "{ENDED}");
    }

    /// Such a job has ended, such an attachment or the pool's handle was dropped.
    pub(crate) fn remove_user(&self) {
        // ORDERING: release what the job did to whoever ends the pool, acquire what the others did.
        if self.users.fetch_sub(1, Ordering::AcqRel) == 1 {
            for thread in &self.threads {
                thread.ended.set_for(&thread.seat);
            }
            // In the child of a fork there is none, and its lock may be closed for good.
            if let Some(watch) = self.watch.get().filter(|_| !self.is_forked()) {
                watch.end();
            }
            self.leave();
        }
    }

    /// Has `job` run when the last job has ended and the last thread has left its loop. By who is a user
    /// still.
    pub(crate) fn bid_farewell_with(&self, job: Job) {
        let other = self.farewell.put(job);
        debug_assert!(other.is_none(), "a pool ends once");
    }

    /// One more thread that the pool's end has to wait for. By one of those.
    pub(crate) fn stay(&self) {
        self.staying.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread is about to block: has the watch look at once, if nobody is at a post.
    pub(crate) fn hurry_watch(&self) {
        if let Some(watch) = self.watch.get()
            && !self.sleep.somebody_attends()
            && !self.is_forked()
        {
            watch.hurry();
        }
    }

    /// Whether a thread that relieves the workers is awake.
    pub(crate) fn relief_runs(&self) -> bool {
        self.watch.get().is_some_and(|watch| watch.duty.seen() != Seen::Off) && !self.sleep.relief_sleeps()
    }

    /// Whether there is a thread with a loop.
    pub(crate) fn has_posts(&self) -> bool {
        self.posts > 0
    }

    /// Whether all sleep at their posts.
    pub(crate) fn is_asleep(&self) -> bool {
        self.sleep.asleep_at_posts() == self.posts
    }

    /// One less of those that stay. A thread that has a loop calls this as its last act.
    pub(crate) fn leave(&self) {
        // ORDERING: release what this thread did, acquire what the others did: the last one hands it all on.
        if self.staying.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(job) = self.farewell.take()
        {
            // SAFETY: just taken out. Its worker's index is of no use to it.
            unsafe { job.run(usize::MAX) };
        }
    }

    /// Calls `f`, and the panic handler if it panics; without one the process ends.
    pub(crate) fn shield(&self, f: impl FnOnce()) {
        if let Err(payload) = unwind::catch(f) {
            self.handle_panic(payload);
        }
    }

    fn handle_panic(&self, payload: Payload) {
        let Some(handler) = &self.handlers.panic else {
            // Its message has been printed by the panic's hook.
            std::process::abort();
        };
        let guard = AbortOnUnwind;
        handler(payload);
        mem::forget(guard);
    }

    /// Whether this is the child of a fork, where the threads are missing.
    pub(crate) fn is_forked(&self) -> bool {
        self.born_in != fork::generation()
    }

    /// Panics in the child of a fork.
    pub(crate) fn assert_not_forked(&self) {
        assert!(
            !self.is_forked(),
            "heist: this pool was made before the process forked, and its threads exist in the parent only; \
             build a pool of its own in the child (ThreadPoolBuilder::build) or call exec"
        );
    }

    /// Notes what happens here, on whatever thread, if the pool is recorded.
    #[inline(always)]
    pub(crate) fn trace(&self, entry: impl FnOnce() -> Entry) {
        if self.sleep.is_traced() {
            self.trace_now(entry);
        }
    }

    /// Calls `block`, in which a thread from outside waits for the pool.
    pub(crate) fn trace_wait(&self, block: impl FnOnce()) {
        self.trace(|| Entry::new(Code::Waiting));
        block();
        self.trace(|| Entry::new(Code::Resumed));
    }

    #[cold]
    #[inline(never)]
    fn trace_now(&self, entry: impl FnOnce() -> Entry) {
        let (entry, worker) = (entry(), Worker::of(self));
        let depth = worker.map_or(0, |worker| worker.depth(entry.kind));
        self.tracer.note(worker.map(Worker::index), Entry { depth, ..entry });
    }

    pub(crate) fn stats(&self) -> PoolStats {
        PoolStats { workers: self.threads.iter().map(|thread| thread.counters.read()).collect() }
    }
}

/// One of those that the pool does not end before.
#[derive(Debug)]
pub(crate) struct User(Arc<Team>);

impl User {
    /// # Panics
    /// If the pool has ended, or in the child of a fork.
    pub(crate) fn new(team: &Arc<Team>) -> Self {
        team.add_user();
        User(team.clone())
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.0
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.0.remove_user();
    }
}

const ENDED: &str = "heist: work was submitted to a thread pool that has ended";

impl Drop for Team {
    fn drop(&mut self) {
        // Where no thread has a loop, nobody has taken the tickets whose jobs were run otherwise.
        while let Some(ticket) = insist(|| self.jobs.steal()).or_else(|| insist(|| self.calls.steal())) {
            // SAFETY: just taken out. Nobody else knows the team, so nobody waits for a job of it: what is
            // left has nothing to run.
            unsafe { ticket.run(usize::MAX) };
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("size", &self.size())
            .field("sleep", &self.sleep.tally())
            .finish_non_exhaustive()
    }
}
