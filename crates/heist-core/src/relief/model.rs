//! The duty changes hands, and never belongs to two.

use super::duty::{Duty, Seen};
use crate::sync::{Arc, cell::UnsafeCell, model, thread};

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
