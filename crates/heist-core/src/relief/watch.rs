//! The watch: notices that nobody is at a post, or that a task does not let go of its worker.
//!
//! It is a thread that looks at the workers every few milliseconds, and sleeps for good while all of them do.
//! Workers count the rounds they make at their posts, and how often they look at what comes from outside. A
//! count that stands still says that its worker is busy with something that lasts, or blocked.
//!
//! So what it knows about is at least as old as its last look, and costs the workers next to nothing: they
//! count in words of their own, and one that wakes up sees to it that the watch does.
//!
//! # Invariants
//! W1 If a worker is awake, the watch is too, or will be: it says that it rests *before* it looks whether all
//!    sleep, and a worker asks *after* it has woken up whether the watch rests.

use super::{
    Relief,
    duty::{Duty, Order, Seen},
};
use crate::{
    job::Header,
    stats::Counter,
    sync::{Arc, AtomicBool, AtomicU64, Ordering, fence},
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

/// What a thread does.
pub type Life = Box<dyn FnOnce() + Send>;

/// How a runtime would have its pool watched.
pub struct WatchConfig {
    /// A poll that takes longer is slow.
    pub slow_poll: Duration,
    /// Starts a thread that calls the closure, which runs tasks.
    pub start_thread: Box<dyn Fn(Life) -> io::Result<()> + Send + Sync>,
    /// Called when a poll turns out to be slow, and again when it is over.
    pub on_slow_poll: Box<dyn Fn(SlowPoll) + Send + Sync>,
}

/// A task that has kept a worker for long.
#[derive(Clone, Copy, Debug)]
pub struct SlowPoll {
    /// Where its header is, or was: not to be looked at.
    pub task: NonNull<Header>,
    /// For how long, as far as is known.
    pub time: Duration,
    /// Whether it has let go.
    pub is_over: bool,
}

/// How long a spare thread waits for its next duty before it ends.
const SPARE_TIME: Duration = Duration::from_secs(10);

/// So many looks at what comes from outside between two of the watch's are enough: the workers are back.
const ENOUGH_LOOKS: u64 = 4;

/// Looks that find everybody asleep before the watch rests.
const LOOKS_BEFORE_REST: u32 = 2;

pub(crate) struct Watch {
    config: WatchConfig,
    pub(crate) duty: Duty,
    /// Tasks that the relief has run. By whoever is on duty.
    relief_tasks: AtomicU64,
    rests: AtomicBool,
    state: Mutex<State>,
    /// For the watch.
    called: Condvar,
    /// For spare threads.
    ordered: Condvar,
    pub(crate) reliefs: Counter,
}

#[derive(Default)]
struct State {
    /// A thread is about to block at its post: do not wait for the next look.
    urgent: bool,
    ended: bool,
    /// Threads that wait for a duty.
    spares: usize,
    orders: VecDeque<Order>,
}

impl Watch {
    /// Begins to watch a team.
    pub(crate) fn start(team: &Arc<Team>, config: WatchConfig) -> io::Result<()> {
        let watch = Watch {
            config,
            duty: Duty::default(),
            relief_tasks: AtomicU64::new(0),
            rests: AtomicBool::new(false),
            state: Mutex::default(),
            called: Condvar::new(),
            ordered: Condvar::new(),
            reliefs: Counter::default(),
        };
        assert!(team.watch.set(watch).is_ok(), "heist: a pool can have one watch");
        // It calls nothing of the user's but the hook, and needs no stack to speak of.
        let thread = thread::Builder::new().name("heist-watch".to_owned());
        start(team, |watch| thread.spawn(watch).map(drop), |team| Looks::new(team).watch())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker has woken up at its post.
    pub(crate) fn see_that_it_is_awake(&self) {
        // ORDERING: pairs with the fence in `rest` (W1).
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

    pub(super) fn relief_ran(&self) {
        self.relief_tasks.fetch_add(1, Ordering::Relaxed);
    }

    /// The next order for a spare thread, if there is one soon.
    fn next_order(&self) -> Option<Order> {
        let mut state = self.lock();
        state.spares += 1;
        let until = Instant::now() + SPARE_TIME;
        while state.orders.is_empty() && !state.ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.ordered.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.spares -= 1;
        state.orders.pop_front()
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
    let started = spawn(Box::new(move || {
        let team = for_thread;
        let guard = AbortOnUnwind;
        life(&team);
        mem::forget(guard);
        team.leave();
    }));
    if started.is_err() {
        team.leave();
    }
    started
}

/// What the watch remembers from one look to the next.
struct Looks<'a> {
    team: &'a Arc<Team>,
    watch: &'a Watch,
    workers: Vec<Seat>,
    looks: u64,
    relief_tasks: u64,
    asleep: u32,
    /// Whether it has rested since the last look.
    rested: bool,
    back: bool,
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
    fn new(team: &'a Arc<Team>) -> Self {
        let watch = team.watch.get().expect("set before the thread is started");
        let seat = || Seat { rounds: 0, since: Instant::now(), reported: None };
        let workers = team.threads.iter().map(|_| seat()).collect();
        Looks { team, watch, workers, looks: 0, relief_tasks: 0, asleep: 0, rested: true, back: false }
    }

    fn period(&self) -> Duration {
        self.watch.config.slow_poll / 2
    }

    fn watch(mut self) {
        let mut urgent = false;
        loop {
            self.look(urgent);
            let mut state = self.watch.lock();
            if !state.urgent && !state.ended {
                state = if self.rests() {
                    let still = |_: &mut State| self.watch.rests.load(Ordering::Acquire);
                    let awake = |state: &mut State| !state.urgent && !state.ended && still(state);
                    self.watch.called.wait_while(state, awake).unwrap_or_else(PoisonError::into_inner)
                } else {
                    let soon = self.watch.called.wait_timeout(state, self.period());
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
        if self.asleep < LOOKS_BEFORE_REST || self.watch.duty.seen() != Seen::Off {
            return false;
        }
        self.asleep = 0;
        self.rested = true;
        self.watch.rests.store(true, Ordering::Relaxed);
        // ORDERING: pairs with the fence in `see_that_it_is_awake` (W1).
        fence(Ordering::SeqCst);
        let rests = self.team.is_asleep();
        if !rests {
            self.watch.rests.store(false, Ordering::Relaxed);
        }
        rests
    }

    fn look(&mut self, urgent: bool) {
        let looks = self.team.threads.iter().map(|thread| thread.counters.looks.get()).sum::<u64>();
        let looked = looks.wrapping_sub(mem::replace(&mut self.looks, looks));
        let relief_tasks = self.watch.relief_tasks.load(Ordering::Relaxed);
        let relief_moved = relief_tasks != mem::replace(&mut self.relief_tasks, relief_tasks);
        let attended = self.team.sleep.somebody_attends();
        // Of the time since it rested, or was born, nothing is known.
        let nobody_looked = looked == 0 && !mem::take(&mut self.rested);
        if self.team.is_asleep() {
            self.asleep += 1;
        } else {
            self.asleep = 0;
        }
        match self.watch.duty.seen() {
            Seen::Off if !attended && (urgent || nobody_looked) => self.relieve(),
            Seen::Runs if !attended && (urgent || nobody_looked && !relief_moved) => self.relieve(),
            Seen::Serves | Seen::Runs => {
                // Twice in a row: it should not come and go.
                let back = attended || looked >= ENOUGH_LOOKS;
                if mem::replace(&mut self.back, back) && back {
                    self.dismiss();
                }
            }
            Seen::Off => {}
        }
        if nobody_looked && self.team.sleep.driver_is_free() {
            // Who left it is busy, and the others sleep.
            self.team.sleep.man_driver();
        }
        for index in 0..self.workers.len() {
            self.look_at(index);
        }
    }

    /// Puts somebody on duty.
    fn relieve(&mut self) {
        self.back = false;
        let Some(order) = self.watch.duty.begin() else { return };
        self.watch.reliefs.add(1);
        let mut state = self.watch.lock();
        state.orders.push_back(order);
        if state.spares >= state.orders.len() {
            drop(state);
            self.watch.ordered.notify_one();
            return;
        }
        drop(state);
        let started = start(
            self.team,
            |relief| (self.watch.config.start_thread)(relief),
            |team| {
                let watch = team.watch.get().expect("set before the thread is started");
                while let Some(order) = watch.next_order() {
                    Relief::new(team, watch).serve(order);
                }
            },
        );
        if started.is_err()
            && let Some(order) = self.watch.lock().orders.pop_back()
        {
            // There are no threads to be had: the next look tries again.
            self.watch.duty.end(order);
        }
    }

    fn dismiss(&self) {
        self.watch.duty.ask_to_leave();
        self.team.sleep.wake(self.team.sleep.relief_seat());
    }

    fn look_at(&mut self, index: usize) {
        let thread = &self.team.threads[index];
        let (rounds, now) = (thread.counters.rounds.get(), Instant::now());
        let seat = &mut self.workers[index];
        let slow_poll = |task, is_over| {
            (self.watch.config.on_slow_poll)(SlowPoll { task, time: now - seat.since, is_over });
        };
        if rounds != seat.rounds || self.team.sleep.sleeps_at_post(index) {
            if let Some(task) = seat.reported {
                slow_poll(task, true);
            }
            *seat = Seat { rounds, since: now, reported: None };
            return;
        }
        if now - seat.since < self.watch.config.slow_poll {
            return;
        }
        if seat.reported.is_none()
            && let Some(task) = NonNull::new(thread.polled.load(Ordering::Acquire))
        {
            slow_poll(task, false);
            seat.reported = Some(task);
        }
        if !thread.slot.is_empty() || !thread.ring.is_empty() {
            // Of what is in the slot nobody has heard.
            self.team.sleep.notify(crate::sleep::Work::Task);
        }
    }
}
