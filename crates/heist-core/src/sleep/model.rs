//! No wake-up is lost, for each class of work: loom tries every interleaving of one who pushes and one who
//! goes to sleep. A lost wake-up is a deadlock, which loom reports.

use super::{Sleep, Woken, Work, driver::Driver};
use crate::{
    deque::{Steal, chase_lev, injector::Injector, ring},
    sync::{Arc, AtomicUsize, Ordering, model, thread},
    sys::WaitWord,
};
use std::num::NonZeroUsize;

fn item() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// The worker: looks, and goes to sleep when it sees nothing, until it has taken one item.
fn work_until_found(sleep: &Sleep, worker: usize, is_empty: impl Fn() -> bool, take: impl Fn() -> bool) {
    let mut searching = false;
    loop {
        if take() {
            if searching {
                sleep.stop_search(|| (!is_empty()).then_some(Work::Job));
            }
            return;
        }
        searching = searching || sleep.start_search();
        match sleep.sleep(worker, Work::Task, searching, None, || !is_empty()) {
            // A place is reserved and not filled yet: the one at it must get on.
            Woken::NotSlept => thread::yield_now(),
            Woken::Directly => searching = false,
            Woken::ToSearch => searching = true,
        }
    }
}

/// Takes from a queue that is a mere count, which keeps a model small.
pub(crate) fn take_one(items: &AtomicUsize) -> bool {
    items.fetch_update(Ordering::AcqRel, Ordering::Acquire, |items| items.checked_sub(1)).is_ok()
}

#[test]
fn a_half_wakes_a_sleeper() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let (owner, stealer) = chase_lev::new();
        let worker = {
            let sleep = sleep.clone();
            thread::spawn(move || {
                let take = || matches!(stealer.steal(), Steal::Success(_));
                work_until_found(&sleep, 1, || stealer.is_empty(), take);
            })
        };
        owner.push(item());
        if sleep.asks_for_attention() {
            sleep.notify(Work::Job);
        }
        worker.join().unwrap();
    });
}

/// The same without any fence on the pusher's side, as it is where there is `membarrier`, and without
/// `membarrier` on the sleeper's: it may do without as long as it sees the deque shut.
#[test]
fn a_half_on_a_shut_deque_wakes_a_sleeper() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let (owner, stealer) = chase_lev::new();
        let worker = {
            let sleep = sleep.clone();
            thread::spawn(move || {
                // If it sees the deque open it would ask for `membarrier`, which loom does not know. It stays
                // awake instead.
                let is_empty = || stealer.is_shut() && stealer.is_empty();
                let take = || matches!(stealer.steal(), Steal::Success(_));
                work_until_found(&sleep, 1, is_empty, take);
            })
        };
        for _ in 0..2 {
            // It may be shut and opened again meanwhile.
            owner.push(item());
            if sleep.counts.are_noteworthy() {
                sleep.notify(Work::Job);
            }
            owner.pop();
            owner.shut();
        }
        owner.push(item());
        if sleep.counts.are_noteworthy() {
            sleep.notify(Work::Job);
        }
        worker.join().unwrap();
    });
}

#[test]
fn a_job_from_outside_wakes_a_sleeper() {
    model(|| {
        let sleep = Arc::new(Sleep::new(1));
        let queue = Arc::new(Injector::new());
        let worker = {
            let (sleep, queue) = (sleep.clone(), queue.clone());
            thread::spawn(move || {
                let take = || matches!(queue.steal(), Steal::Success(_));
                work_until_found(&sleep, 0, || queue.is_empty(), take);
            })
        };
        queue.push(item());
        sleep.notify(Work::Job);
        worker.join().unwrap();
    });
}

#[test]
fn mail_for_one_worker_alone_wakes_it() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let inbox = Arc::new(Injector::new());
        let worker = {
            let (sleep, inbox) = (sleep.clone(), inbox.clone());
            thread::spawn(move || {
                let take = || matches!(inbox.steal(), Steal::Success(_));
                work_until_found(&sleep, 1, || inbox.is_empty(), take);
            })
        };
        inbox.push(item());
        sleep.wake(1);
        worker.join().unwrap();
    });
}

#[test]
fn a_task_evicted_to_the_ring_wakes_a_sleeper() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let (owner, stealer) = ring::new();
        let worker = {
            let sleep = sleep.clone();
            thread::spawn(move || {
                let (own, _) = ring::new();
                let take = || matches!(stealer.steal_into(&own), Steal::Success(_));
                work_until_found(&sleep, 1, || stealer.is_empty(), take);
            })
        };
        owner.push(item()).unwrap();
        if sleep.task_asks_for_attention() {
            sleep.notify(Work::Task);
        }
        worker.join().unwrap();
    });
}

/// Two sleepers and two items, pushed one after the other: the second push may see the first one's searcher
/// and leave it at that, so the searcher must pass the word on.
#[test]
fn the_last_searcher_wakes_the_next() {
    // Three threads, and each long: with three preemptions it takes minutes.
    let mut builder = model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let sleep = Arc::new(Sleep::new(2));
        let items = Arc::new(AtomicUsize::new(0));
        let work = |worker| {
            let (sleep, items) = (sleep.clone(), items.clone());
            move || {
                let take = || take_one(&items);
                work_until_found(&sleep, worker, || items.load(Ordering::Acquire) == 0, take);
            }
        };
        let other = thread::spawn(work(1));
        let pusher = {
            let (sleep, items) = (sleep.clone(), items.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    items.fetch_add(1, Ordering::AcqRel);
                    sleep.notify(Work::Job);
                }
            })
        };
        work(0)();
        other.join().unwrap();
        pusher.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// One who sleeps for its own reason is woken by a pusher and by its own waker at the same time.
#[test]
fn a_direct_wake_and_a_push_race_and_the_counts_stay_true() {
    model(|| {
        let sleep = Arc::new(Sleep::new(1));
        let reasons = Arc::new(AtomicUsize::new(0));
        let waker = {
            let (sleep, reasons) = (sleep.clone(), reasons.clone());
            thread::spawn(move || {
                reasons.fetch_add(1, Ordering::AcqRel);
                sleep.wake(0);
            })
        };
        let pusher = {
            let (sleep, reasons) = (sleep.clone(), reasons.clone());
            thread::spawn(move || {
                reasons.fetch_add(1, Ordering::AcqRel);
                sleep.notify(Work::Job);
            })
        };
        let mut seen = 0;
        while seen < 2 {
            let now = reasons.load(Ordering::Acquire);
            let look = || reasons.load(Ordering::Acquire) != seen;
            if now == seen && sleep.sleep(0, Work::Job, false, None, look) == Woken::ToSearch {
                sleep.stop_search(|| None);
            }
            seen = now;
        }
        waker.join().unwrap();
        pusher.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// A job is placed with one who waits, while what it waits for comes about: it turns to that, and the other
/// sleeper must get the job.
#[test]
fn a_job_placed_with_one_who_turns_to_something_else_wakes_another() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let (jobs, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let taker = {
            let (sleep, jobs) = (sleep.clone(), jobs.clone());
            thread::spawn(move || {
                let take = || take_one(&jobs);
                work_until_found(&sleep, 1, || jobs.load(Ordering::Acquire) == 0, take);
            })
        };
        let placer = {
            let (sleep, jobs, done) = (sleep.clone(), jobs.clone(), done.clone());
            thread::spawn(move || {
                done.store(1, Ordering::Release);
                sleep.wake(0);
                jobs.fetch_add(1, Ordering::AcqRel);
                if !sleep.call(0, Work::Job) {
                    sleep.notify(Work::Job);
                }
            })
        };
        let mut searching = false;
        while done.load(Ordering::Acquire) == 0 {
            let seen = || done.load(Ordering::Acquire) != 0 || jobs.load(Ordering::Acquire) != 0;
            match sleep.sleep(0, Work::Job, searching, None, seen) {
                Woken::NotSlept => thread::yield_now(),
                Woken::Directly => searching = false,
                Woken::ToSearch => searching = true,
            }
        }
        if searching {
            sleep.stop_search(|| (jobs.load(Ordering::Acquire) != 0).then_some(Work::Job));
        }
        taker.join().unwrap();
        placer.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// The last searcher falls asleep, and mail for it keeps it from that; but a pusher had relied on its search.
#[test]
fn mail_for_the_last_searcher_does_not_swallow_its_search() {
    model(|| {
        let sleep = Arc::new(Sleep::new(2));
        let (items, mail) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        assert!(sleep.start_search());
        let taker = {
            let (sleep, items) = (sleep.clone(), items.clone());
            thread::spawn(move || {
                let mut searching = false;
                while items.load(Ordering::Acquire) == 0 {
                    let look = || items.load(Ordering::Acquire) != 0;
                    searching = match sleep.sleep(1, Work::Task, searching, None, look) {
                        Woken::NotSlept => searching,
                        Woken::Directly => false,
                        Woken::ToSearch => true,
                    };
                }
                if searching {
                    sleep.stop_search(|| None);
                }
            })
        };
        let pusher = {
            let (sleep, items, mail) = (sleep.clone(), items.clone(), mail.clone());
            thread::spawn(move || {
                items.store(1, Ordering::Release);
                sleep.notify(Work::Job);
                mail.store(1, Ordering::Release);
                sleep.wake(0);
            })
        };
        // The searcher itself only reads its mail, and then is busy: the item is for the other one.
        let mut searching = true;
        while mail.load(Ordering::Acquire) == 0 {
            let seen = || mail.load(Ordering::Acquire) != 0 || items.load(Ordering::Acquire) != 0;
            match sleep.sleep(0, Work::Task, searching, None, seen) {
                Woken::NotSlept => thread::yield_now(),
                Woken::Directly => searching = false,
                Woken::ToSearch => searching = true,
            }
        }
        if searching {
            sleep.stop_search(|| (items.load(Ordering::Acquire) != 0).then_some(Work::Job));
        }
        taker.join().unwrap();
        pusher.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// A driver at which the one thing that can happen is that somebody calls [`happen`](Bell::happen).
#[derive(Default)]
pub(crate) struct Bell {
    /// Whether somebody waits, or need not.
    word: WaitWord,
    pub(crate) happened: AtomicUsize,
}

impl Bell {
    const QUIET: u32 = 0;
    const RUNG: u32 = 1;

    fn ring(&self) {
        // SAFETY: models keep it until all threads have ended.
        unsafe { WaitWord::set_and_wake(&raw const self.word, Self::RUNG, Self::QUIET) };
    }

    pub(crate) fn happen(&self) {
        self.happened.fetch_add(1, Ordering::AcqRel);
        self.ring();
    }
}

impl Driver for Arc<Bell> {
    fn park(&self) {
        self.word.wait_while(Bell::QUIET);
        self.word.swap(Bell::QUIET);
    }

    fn poll(&self) {}

    fn dispatch(&self) {}

    fn unpark(&self) {
        self.ring();
    }
}

/// Sleeps at the driver if it can, until there is `enough`.
pub(crate) fn sleep_at_post(sleep: &Sleep, worker: usize, enough: impl Fn() -> bool) {
    let mut searching = false;
    while !enough() {
        let turn = sleep.take_turn();
        let last_look = || enough() || sleep.driver_is_free();
        match sleep.sleep(worker, Work::Task, searching, turn.as_ref(), last_look) {
            Woken::NotSlept => thread::yield_now(),
            Woken::Directly => searching = false,
            Woken::ToSearch => searching = true,
        }
    }
    if searching {
        sleep.stop_search(|| None);
    }
}

/// Whoever sleeps at the driver is woken by a push as well as by what happens there, and is woken once.
#[test]
fn a_push_and_an_event_wake_the_one_at_the_driver() {
    model(|| {
        let (sleep, bell) = (Arc::new(Sleep::new(1)), Arc::new(Bell::default()));
        let items = Arc::new(AtomicUsize::new(0));
        sleep.attach(Box::new(bell.clone()));
        let pusher = {
            let (sleep, items) = (sleep.clone(), items.clone());
            thread::spawn(move || {
                items.fetch_add(1, Ordering::AcqRel);
                sleep.notify(Work::Task);
            })
        };
        let outside = {
            let bell = bell.clone();
            thread::spawn(move || bell.happen())
        };
        sleep_at_post(&sleep, 0, || {
            items.load(Ordering::Acquire) == 1 && bell.happened.load(Ordering::Acquire) == 1
        });
        pusher.join().unwrap();
        outside.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// A driver comes to a pool whose worker falls asleep: it must end up at the driver.
#[test]
fn a_driver_that_is_attached_finds_somebody_who_sleeps() {
    model(|| {
        let (sleep, bell) = (Arc::new(Sleep::new(1)), Arc::new(Bell::default()));
        let worker = {
            let (sleep, bell) = (sleep.clone(), bell.clone());
            thread::spawn(move || sleep_at_post(&sleep, 0, || bell.happened.load(Ordering::Acquire) == 1))
        };
        sleep.attach(Box::new(bell.clone()));
        bell.happen();
        worker.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

/// One leaves the driver for something that lasts while the other falls asleep: the other must take over.
#[test]
fn who_leaves_the_driver_for_long_leaves_somebody_at_it() {
    model(|| {
        let (sleep, bell) = (Arc::new(Sleep::new(2)), Arc::new(Bell::default()));
        sleep.attach(Box::new(bell.clone()));
        let turn = sleep.take_turn();
        let other = {
            let (sleep, bell) = (sleep.clone(), bell.clone());
            thread::spawn(move || sleep_at_post(&sleep, 1, || bell.happened.load(Ordering::Acquire) == 1))
        };
        drop(turn);
        if sleep.driver_is_free() {
            sleep.man_driver();
        }
        bell.happen();
        other.join().unwrap();
        assert_counts_are_zero(&sleep);
    });
}

fn assert_counts_are_zero(sleep: &Sleep) {
    let tally = sleep.tally();
    assert_eq!((tally.sleeping, tally.searching), (0, 0));
}
