//! The relief: a spare thread that runs tasks while the workers cannot.
//!
//! Tasks, timers and sockets are served by workers at their posts. Where all of them compute for long, or
//! block, or are stuck in polls that should have been short, nobody is there. A [watch] looks about
//! every few milliseconds, while anything goes on at all, whether somebody has looked after what comes from
//! outside; and if not, puts a thread on [duty]. That thread takes tasks from wherever there are some,
//! takes its turn at the driver, and sleeps like a worker does, until it is told that the workers are back.
//! If it is held up by a task itself, the watch gives the duty to another one.
//!
//! It is no worker: it has no deque and no index, and takes no jobs. In a task that it runs, `join` calls one
//! closure after the other; for a scope and the like it waits until a worker is free, as any thread does that
//! is in no pool.
//!
//! All of this is there only if a runtime has asked for it.

pub(crate) mod duty;
#[cfg(all(test, heist_loom))]
mod model;
#[cfg(not(heist_loom))]
pub(crate) mod watch;

#[cfg(not(heist_loom))]
use {
    crate::{
        deque::{Steal, insist},
        job::Job,
        sync::Arc,
        sys::clock,
        team::{Team, Thread},
    },
    duty::{Duty, Order},
    std::{cell::Cell, marker::PhantomData, ptr},
    watch::Watch,
};

#[cfg(not(heist_loom))]
thread_local! {
    /// The team that this thread lives for.
    static TEAM: Cell<*const Arc<Team>> = const { Cell::new(ptr::null()) };
}

/// The team that this thread works for without being one of its workers, if there is one.
#[cfg(not(heist_loom))]
pub(crate) fn team<'a>() -> Option<&'a Arc<Team>> {
    // SAFETY: set by `Member::new`, and reset before the team goes. A reference does not leave the task or
    // hook that asked, which ends before.
    unsafe { TEAM.get().as_ref() }
}

/// Tasks between two looks at the driver, at most; and every few milliseconds there is one.
#[cfg(not(heist_loom))]
const TASKS_PER_LOOK: u32 = 16;

/// The thread on duty.
#[cfg(not(heist_loom))]
struct Relief<'a> {
    team: &'a Arc<Team>,
    watch: &'a Watch,
    /// Tasks that it has run.
    tasks: u32,
    /// When it last looked at the driver, by the coarse clock.
    looked: u64,
}

#[cfg(not(heist_loom))]
impl<'a> Relief<'a> {
    fn new(team: &'a Arc<Team>, watch: &'a Watch) -> Self {
        Relief { team, watch, tasks: 0, looked: 0 }
    }

    fn duty(&self) -> &Duty {
        &self.watch.duty
    }

    /// Serves until it may go, or somebody else has taken over.
    fn serve(mut self, order: Order) {
        while !self.duty().may_leave() {
            match self.find() {
                Some(task) => {
                    self.duty().run();
                    self.run(task);
                    if !self.duty().return_to(&order) {
                        return;
                    }
                }
                None => self.sleep(),
            }
        }
        self.duty().end(order);
        if self.team.sleep.driver_is_free() {
            self.team.sleep.man_driver();
        }
    }

    fn run(&mut self, task: Job) {
        self.watch.relief_runs(task);
        self.tasks = self.tasks.wrapping_add(1);
        // SAFETY: it was taken from a queue, and is run here only. The index is of no interest to a task.
        unsafe { task.run(usize::MAX) };
    }

    /// A task from the injector, from a worker's ring or its slot, whichever has its turn.
    fn find(&mut self) -> Option<Job> {
        let now = clock::coarse();
        if (now != self.looked || self.tasks.is_multiple_of(TASKS_PER_LOOK))
            && let Some(turn) = self.team.sleep.take_turn()
        {
            turn.poll();
            turn.dispatch();
            self.looked = now;
        }
        let ask: [fn(&Self) -> Option<Job>; 3] = [
            |relief| insist(|| relief.team.tasks.steal()),
            |relief| relief.rob(|thread| thread.ring.steal()),
            |relief| relief.rob(|thread| thread.slot.take().map_or(Steal::Empty, Steal::Success)),
        ];
        let first = self.tasks as usize % ask.len();
        ask.iter().cycle().skip(first).take(ask.len()).find_map(|take| take(self))
    }

    fn rob(&self, steal: impl Fn(&Thread) -> Steal<Job>) -> Option<Job> {
        if !self.team.stealing {
            return None;
        }
        let first = self.tasks as usize % self.team.size();
        let victims = || self.team.threads.iter().cycle().skip(first).take(self.team.size());
        victims().find_map(|victim| insist(|| steal(victim)))
    }

    fn sleep(&self) {
        let sleep = &self.team.sleep;
        let turn = sleep.take_turn();
        let last_look = || self.duty().may_leave() || sleep.driver_is_free() || self.team.sees_task();
        sleep.sleep_as_relief(turn.as_ref(), last_look);
        self.watch.see_that_it_is_awake();
        if let Some(turn) = turn {
            turn.dispatch();
        }
    }
}

/// This thread lives for a team.
#[cfg(not(heist_loom))]
struct Member<'a>(PhantomData<&'a Arc<Team>>);

#[cfg(not(heist_loom))]
impl<'a> Member<'a> {
    fn new(team: &'a Arc<Team>) -> Self {
        TEAM.set(team);
        Member(PhantomData)
    }
}

#[cfg(not(heist_loom))]
impl Drop for Member<'_> {
    fn drop(&mut self) {
        TEAM.set(ptr::null());
    }
}
