//! The duty changes hands, and never belongs to two; and between workers and relief nothing is left alone.

use super::duty::{Duty, Order, Seen};
use crate::{
    sleep::{
        Sleep, Work,
        model::{Bell, sleep_at_post, take_one},
    },
    sync::{Arc, AtomicUsize, Ordering, cell::UnsafeCell, model, thread},
};

/// What only the one who serves may touch, as the relief's seat.
struct Seat(UnsafeCell<usize>);

// SAFETY: that is what the models are about.
unsafe impl Sync for Seat {}
// SAFETY: a number.
unsafe impl Send for Seat {}

impl Seat {
    fn sit(&self) {
        // SAFETY: loom says so if somebody else does.
        self.0.with_mut(|times| unsafe { *times += 1 });
    }
}

#[test]
fn a_thread_that_comes_back_and_its_replacement_do_not_both_serve() {
    model(|| {
        let duty = Arc::new(Duty::default());
        let seat = Arc::new(Seat(UnsafeCell::new(0)));
        let first = duty.begin().unwrap();
        seat.sit();
        duty.run();
        let thread = {
            let (duty, seat) = (duty.clone(), seat.clone());
            thread::spawn(move || {
                if duty.return_to(&first) {
                    seat.sit();
                    duty.end(first);
                }
            })
        };
        if duty.seen() == Seen::Runs
            && let Some(second) = duty.begin()
        {
            seat.sit();
            duty.end(second);
        }
        thread.join().unwrap();
        assert_eq!(duty.seen(), Seen::Off);
    });
}

#[test]
fn one_turn_of_duty_follows_the_other_and_sees_what_it_did() {
    model(|| {
        let duty = Arc::new(Duty::default());
        let seat = Arc::new(Seat(UnsafeCell::new(0)));
        let first = duty.begin().unwrap();
        let thread = {
            let (duty, seat) = (duty.clone(), seat.clone());
            thread::spawn(move || {
                seat.sit();
                duty.run();
                // The task.
                if duty.return_to(&first) {
                    seat.sit();
                    duty.end(first);
                }
            })
        };
        duty.ask_to_leave();
        if let Some(second) = duty.begin() {
            seat.sit();
            duty.end(second);
        }
        thread.join().unwrap();
    });
}

/// The one on duty, as `Relief::serve`: runs tasks, else sleeps, until it may go.
fn serve(sleep: &Sleep, duty: &Duty, tasks: &AtomicUsize, order: Order) {
    while !duty.may_leave() {
        if take_one(tasks) {
            duty.run();
            // The task: it has the relief dismissed, as it is all that there is to do.
            duty.ask_to_leave();
            if !duty.return_to(&order) {
                return;
            }
            continue;
        }
        let turn = sleep.take_turn();
        let last_look = || duty.may_leave() || sleep.driver_is_free() || tasks.load(Ordering::Acquire) > 0;
        sleep.sleep_as_relief(turn.as_ref(), last_look);
    }
    duty.end(order);
    if sleep.driver_is_free() {
        sleep.man_driver();
    }
}

/// A worker that is in a job pushes a task while the relief falls asleep.
#[test]
fn a_task_wakes_the_relief() {
    model(|| {
        let (sleep, duty) = (Arc::new(Sleep::new(1)), Arc::new(Duty::default()));
        let tasks = Arc::new(AtomicUsize::new(0));
        let order = duty.begin().unwrap();
        let relief = {
            let (sleep, duty, tasks) = (sleep.clone(), duty.clone(), tasks.clone());
            thread::spawn(move || serve(&sleep, &duty, &tasks, order))
        };
        tasks.fetch_add(1, Ordering::Release);
        if sleep.task_asks_for_attention() {
            sleep.notify(Work::Task);
        }
        relief.join().unwrap();
        assert_eq!((tasks.load(Ordering::Acquire), duty.seen()), (0, Seen::Off));
    });
}

/// The workers are back, and the watch tells the relief, which falls asleep at the driver. A worker that
/// falls asleep at the same time must end up there.
#[test]
fn the_relief_leaves_the_driver_to_a_worker() {
    model(|| {
        let (sleep, duty, bell) = (Arc::new(Sleep::new(1)), Arc::new(Duty::default()), Arc::default());
        sleep.attach(Box::new(Arc::<Bell>::clone(&bell)));
        let order = duty.begin().unwrap();
        let relief = {
            let (sleep, duty) = (sleep.clone(), duty.clone());
            thread::spawn(move || serve(&sleep, &duty, &AtomicUsize::new(0), order))
        };
        let worker = {
            let (sleep, bell) = (sleep.clone(), bell.clone());
            thread::spawn(move || sleep_at_post(&sleep, 0, || bell.happened.load(Ordering::Acquire) == 1))
        };
        duty.ask_to_leave();
        sleep.wake_relief();
        relief.join().unwrap();
        bell.happen();
        worker.join().unwrap();
        assert_eq!(duty.seen(), Seen::Off);
    });
}

/// A worker turns from the driver to something that lasts, while the relief that was put on duty falls
/// asleep.
#[test]
fn a_worker_leaves_the_driver_to_the_relief() {
    model(|| {
        let (sleep, duty, bell) = (Arc::new(Sleep::new(1)), Arc::new(Duty::default()), Arc::default());
        sleep.attach(Box::new(Arc::<Bell>::clone(&bell)));
        let turn = sleep.take_turn();
        let order = duty.begin().unwrap();
        let relief = {
            let (sleep, duty, bell) = (sleep.clone(), duty.clone(), bell.clone());
            thread::spawn(move || {
                while bell.happened.load(Ordering::Acquire) == 0 {
                    let turn = sleep.take_turn();
                    let has_happened = || bell.happened.load(Ordering::Acquire) == 1;
                    sleep.sleep_as_relief(turn.as_ref(), || has_happened() || sleep.driver_is_free());
                }
                duty.end(order);
            })
        };
        drop(turn);
        if sleep.driver_is_free() {
            sleep.man_driver();
        }
        bell.happen();
        relief.join().unwrap();
    });
}
