//! The watch: notices that nobody is at a post, or that a task does not let go of its worker.
//!
//! It is a thread that looks at the workers every few milliseconds, and sleeps for good while all of them do.
//! Workers count the rounds they make at their posts, and how often they look at what comes from outside; and
//! leave a note of the task they run. A count that stands still says that its worker is busy with something
//! that lasts, or blocked. One that is seen in jobs time and again may come back in between, but not often
//! enough for what cannot wait.
//!
//! So what it knows about is at least as old as its last look, and costs the workers next to nothing: they
//! count in words of their own, and one that wakes up sees to it that the watch does.
//!
//! # Invariants
//! W1 If a worker is awake, the watch is too, or will be: it says that it rests *before* it looks whether all
//!    sleep, and a worker asks *after* it has woken up whether the watch rests.

use super::{
    Member, Relief,
    duty::{Duty, Order, Seen},
};
use crate::{
    job::{Header, Job},
    sleep::Work,
    stats::Counter,
    sync::{Arc, AtomicBool, AtomicPtr, AtomicU64, Ordering, fence},
    sys::slice,
    team::Team,
    unwind::AbortOnUnwind,
};
use std::{
    collections::VecDeque,
    io, mem,
    ptr::NonNull,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// What a thread does. It is to call what it is given at its end.
pub type Life = Box<dyn FnOnce(Box<dyn FnOnce()>) + Send>;

/// How a runtime would have its pool watched.
pub struct WatchConfig {
    /// A poll that takes longer is slow.
    pub slow_poll: Duration,
    /// How many spare threads there can be.
    pub most_threads: usize,
    /// Starts a thread that runs tasks: it calls the closure.
    pub start_thread: Box<dyn FnMut(Life) -> io::Result<()> + Send>,
    /// Called when a poll turns out to be slow, and again when it is over.
    pub on_slow_poll: Box<dyn FnMut(SlowPoll) + Send>,
}

/// A task that has kept a worker for long.
#[derive(Clone, Copy, Debug)]
pub struct SlowPoll {
    /// Which worker; none for a spare thread.
    pub worker: Option<usize>,
    /// Where the task's header is, or was: not to be looked at.
    pub task: NonNull<Header>,
    /// For how long, as far as is known.
    pub time: Duration,
    /// Whether it has let go. Of one on a spare thread nobody hears that.
    pub is_over: bool,
}

/// How long a spare thread waits for its next duty before it ends.
const SPARE_TIME: Duration = Duration::from_secs(10);

/// Looks in a row at which nobody was at a post, or had looked after what comes from outside since the last
/// one, before somebody is put on duty.
const LOOKS_BEFORE_RELIEF: u32 = 2;

/// Looks in a row at which somebody was, before who is on duty may leave.
const LOOKS_BEFORE_LEAVE: u32 = 4;

/// Looks in a row at which everybody was asleep, before the watch rests.
const LOOKS_BEFORE_REST: u32 = 2;

pub(crate) struct Watch {
    pub(crate) duty: Duty,
    /// Tasks that the relief has run. By whoever is on duty.
    relief_tasks: AtomicU64,
    /// The last of them.
    relief_polled: AtomicPtr<Header>,
    rests: AtomicBool,
    state: Mutex<State>,
    /// For the watch.
    called: Condvar,
    /// For spare threads.
    ordered: Condvar,
    /// Turns of duty, so far.
    pub(crate) reliefs: Counter,
}

#[derive(Default)]
struct State {
    /// A thread is about to block at its post: do not wait for the next look.
    urgent: bool,
    ended: bool,
    /// Spare threads.
    threads: usize,
    /// Those of them that wait for a duty.
    idle: usize,
    orders: VecDeque<Order>,
}

impl Watch {
    /// Begins to watch a team.
    pub(crate) fn start(team: &Arc<Team>, config: WatchConfig) -> io::Result<()> {
        let watch = Watch {
            duty: Duty::default(),
            relief_tasks: AtomicU64::new(0),
            relief_polled: AtomicPtr::default(),
            rests: AtomicBool::new(false),
            state: Mutex::default(),
            called: Condvar::new(),
            ordered: Condvar::new(),
            reliefs: Counter::default(),
        };
        if team.watch.set(watch).is_err() {
            return Err(io::Error::other("the pool was to be watched before"));
        }
        let thread = thread::Builder::new().name("heist-watch".to_owned());
        let spawn = |life: Life| thread.spawn(|| life(Box::new(|| ()))).map(drop);
        start(team, spawn, |team| Looks::new(team, config).watch())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker has woken up at its post, or the relief.
    pub(crate) fn see_that_it_is_awake(&self) {
        // ORDERING: pairs with the fence in `rests` (W1).
        fence(Ordering::SeqCst);
        if self.rests.load(Ordering::Relaxed) && self.rests.swap(false, Ordering::AcqRel) {
            self.call(|_| ());
        }
    }

    /// A thread is about to block, and nobody may be at a post then.
    pub(crate) fn hurry(&self) {
        self.rests.store(false, Ordering::Release);
        self.call(|state| state.urgent = true);
    }

    /// The pool has ended.
    pub(crate) fn end(&self) {
        self.call(|state| state.ended = true);
        self.ordered.notify_all();
    }

    fn call(&self, why: impl FnOnce(&mut State)) {
        why(&mut self.lock());
        self.called.notify_one();
    }

    /// By who is on duty.
    pub(super) fn relief_runs(&self, task: Job) {
        self.relief_tasks.fetch_add(1, Ordering::Relaxed);
        self.relief_polled.store(task.header().as_ptr(), Ordering::Relaxed);
    }

    /// The next order for a spare thread, if there is one soon; else the thread is not counted any more.
    fn next_order(&self) -> Option<Order> {
        let mut state = self.lock();
        state.idle += 1;
        let until = Instant::now() + SPARE_TIME;
        while state.orders.is_empty() && !state.ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.ordered.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.idle -= 1;
        let order = state.orders.pop_front();
        if order.is_none() {
            state.threads -= 1;
        }
        order
    }
}

/// Has a thread started that lives for a team, which does not end before it.
fn start<S, L>(team: &Arc<Team>, spawn: S, life: L) -> io::Result<()>
where
    S: FnOnce(Life) -> io::Result<()>,
    L: FnOnce(&Arc<Team>) + Send + 'static,
{
    team.stay();
    let for_thread = team.clone();
    let started = spawn(Box::new(move |at_end| {
        let team = for_thread;
        let guard = AbortOnUnwind;
        let member = Member::new(&team);
        life(&team);
        at_end();
        drop(member);
        mem::forget(guard);
        team.leave();
    }));
    if started.is_err() {
        team.leave();
    }
    started
}

/// The watch, with what it remembers from one look to the next.
struct Looks<'a> {
    team: &'a Arc<Team>,
    watch: &'a Watch,
    config: WatchConfig,
    workers: Vec<Seat>,
    looks: u64,
    relief_tasks: u64,
    /// How many tasks it was when the last of them was reported to be slow.
    relief_reported: u64,
    /// In a row: looks at which nobody was there for what comes from outside, at which somebody was, and at
    /// which all slept.
    silent: u32,
    looked_after: u32,
    asleep: u32,
    /// Whether it has rested since the last look, or was just born: of the time before nothing is known.
    rested: bool,
}

/// What it remembers of one worker.
struct Seat {
    rounds: u64,
    /// When it was first seen with these.
    since: Instant,
    /// The task that keeps it, if it was reported.
    reported: Option<NonNull<Header>>,
}

impl<'a> Looks<'a> {
    fn new(team: &'a Arc<Team>, config: WatchConfig) -> Self {
        let watch = team.watch.get().expect("set before the thread is started");
        let seat = || Seat { rounds: 0, since: Instant::now(), reported: None };
        Looks {
            team,
            watch,
            config,
            workers: team.threads.iter().map(|_| seat()).collect(),
            looks: 0,
            relief_tasks: 0,
            relief_reported: 0,
            silent: 0,
            looked_after: 0,
            asleep: 0,
            rested: true,
        }
    }

    fn watch(mut self) {
        let mut urgent = false;
        loop {
            self.look(urgent);
            let mut state = self.watch.lock();
            if !state.urgent && !state.ended {
                state = if self.rests() {
                    let resting = |state: &mut State| {
                        !state.urgent && !state.ended && self.watch.rests.load(Ordering::Acquire)
                    };
                    self.watch.called.wait_while(state, resting).unwrap_or_else(PoisonError::into_inner)
                } else {
                    let period = self.config.slow_poll / LOOKS_BEFORE_RELIEF;
                    let soon = self.watch.called.wait_timeout(state, period);
                    soon.unwrap_or_else(PoisonError::into_inner).0
                };
            }
            if state.ended {
                break;
            }
            urgent = mem::take(&mut state.urgent);
        }
        self.dismiss();
    }

    /// Whether it may sleep for good: all sleep, and have for a while, and nobody has to be told to leave.
    fn rests(&mut self) -> bool {
        if self.asleep < LOOKS_BEFORE_REST || !self.nobody_has_to_leave() {
            return false;
        }
        self.asleep = 0;
        self.rested = true;
        self.watch.rests.store(true, Ordering::Relaxed);
        // ORDERING: pairs with the fence in `see_that_it_is_awake` (W1).
        fence(Ordering::SeqCst);
        let rests = self.team.is_asleep() && self.nobody_has_to_leave();
        if !rests {
            self.watch.rests.store(false, Ordering::Relaxed);
        }
        rests
    }

    /// Whether nobody is on duty, or has been asked to leave; or sleeps, and there is nobody to take over.
    fn nobody_has_to_leave(&self) -> bool {
        let duty = &self.watch.duty;
        let is_needed = || !self.team.has_posts() && self.team.sleep.relief_sleeps();
        duty.seen() == Seen::Off || duty.may_leave() || is_needed()
    }

    fn look(&mut self, urgent: bool) {
        let attended = self.team.sleep.somebody_attends();
        // An urgent look may come at any time, and tells nothing about how long something has been so.
        if !urgent {
            let looks = self.team.threads.iter().map(|thread| thread.counters.looks.get()).sum::<u64>();
            let looked = mem::replace(&mut self.looks, looks) != looks;
            let silent = !attended && (!looked || self.all_are_away()) && !mem::take(&mut self.rested);
            count(&mut self.silent, silent);
            count(&mut self.looked_after, !silent);
            count(&mut self.asleep, self.team.is_asleep());
        }
        let silent = self.silent >= LOOKS_BEFORE_RELIEF;
        let relief_tasks = self.watch.relief_tasks.load(Ordering::Relaxed);
        let relief_moved = mem::replace(&mut self.relief_tasks, relief_tasks) != relief_tasks;
        match self.watch.duty.seen() {
            Seen::Off if !attended && (urgent || silent) => self.relieve(),
            Seen::Runs if !attended && silent && !relief_moved => {
                self.report_relief();
                self.relieve();
            }
            Seen::Runs if !attended && urgent => self.relieve(),
            Seen::Serves | Seen::Runs if self.looked_after >= LOOKS_BEFORE_LEAVE => self.dismiss(),
            _ => {}
        }
        if self.silent > 0 && self.team.sleep.driver_is_free() {
            // Who left it is busy, and others sleep.
            self.team.sleep.man_driver();
        }
        for index in 0..self.workers.len() {
            self.look_at(index);
        }
    }

    /// Whether every worker is in a job, or blocked, or where it was at the last look.
    fn all_are_away(&self) -> bool {
        self.team.threads.iter().zip(&self.workers).enumerate().all(|(index, (thread, seat))| {
            let is_in_task = !thread.polled.load(Ordering::Relaxed).is_null();
            let has_moved = thread.counters.rounds.get() != seat.rounds;
            !(self.team.sleep.sleeps_at_post(index) || is_in_task && has_moved)
        })
    }

    /// Puts somebody on duty.
    fn relieve(&mut self) {
        let mut state = self.watch.lock();
        let is_idle = state.idle > state.orders.len();
        if !is_idle && state.threads >= self.config.most_threads {
            return;
        }
        let Some(order) = self.watch.duty.begin() else { return };
        self.watch.reliefs.add(1);
        self.looked_after = 0;
        state.orders.push_back(order);
        if is_idle {
            drop(state);
            self.watch.ordered.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let started = start(self.team, &mut self.config.start_thread, |team| {
            let watch = team.watch.get().expect("set before the thread is started");
            // All cores compute, and tasks are short.
            let _slices = slice::Short::ask();
            while let Some(order) = watch.next_order() {
                Relief::new(team, watch).serve(order);
            }
        });
        if started.is_err() {
            // There are no threads to be had: the next look tries again.
            let mut state = self.watch.lock();
            state.threads -= 1;
            if let Some(order) = state.orders.pop_back() {
                self.watch.duty.end(order);
            }
        }
    }

    fn dismiss(&self) {
        self.watch.duty.ask_to_leave();
        self.team.sleep.wake_relief();
    }

    /// The one on duty is held up by a task.
    fn report_relief(&mut self) {
        if mem::replace(&mut self.relief_reported, self.relief_tasks) == self.relief_tasks {
            // It still is, and there was nobody to take its place.
            return;
        }
        if let Some(task) = NonNull::new(self.watch.relief_polled.load(Ordering::Relaxed)) {
            let time = self.config.slow_poll;
            (self.config.on_slow_poll)(SlowPoll { worker: None, task, time, is_over: false });
        }
    }

    fn look_at(&mut self, index: usize) {
        let thread = &self.team.threads[index];
        let (rounds, now) = (thread.counters.rounds.get(), Instant::now());
        let seat = &mut self.workers[index];
        let time = now - seat.since;
        if rounds != seat.rounds || self.team.sleep.sleeps_at_post(index) {
            if let Some(task) = seat.reported {
                (self.config.on_slow_poll)(SlowPoll { worker: Some(index), task, time, is_over: true });
            }
            *seat = Seat { rounds, since: now, reported: None };
            return;
        }
        if time < self.config.slow_poll {
            return;
        }
        if seat.reported.is_none()
            && let Some(task) = NonNull::new(thread.polled.load(Ordering::Relaxed))
        {
            (self.config.on_slow_poll)(SlowPoll { worker: Some(index), task, time, is_over: false });
            seat.reported = Some(task);
        }
        if self.team.stealing && (!thread.slot.is_empty() || !thread.ring.is_empty()) {
            // Of what is in the slot nobody has heard.
            self.team.sleep.notify(Work::Task);
        }
    }
}

/// Counts how often in a row something was so.
fn count(times: &mut u32, is_so: bool) {
    *times = if is_so { times.saturating_add(1) } else { 0 };
}
