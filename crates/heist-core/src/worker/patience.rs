//! How long a worker at its post that has run out of work looks on before it sleeps: as long as that has paid
//! of late.
//!
//! To sleep for a moment is a waste: falling asleep and being woken costs more, and delays the work. To look
//! on for long is a waste as well. What comes next is not known, but idle times come in kinds: calls that
//! follow each other at once leave gaps of some microseconds, requests leave milliseconds. So a sleep that
//! was over soon makes the worker more patient, and one that lasted makes it less.

use crate::tuning::{PATIENCE, SHORT_SLEEP};
use std::{cell::Cell, time::Duration};

#[derive(Debug)]
pub(super) struct Patience {
    rounds: Cell<u32>,
}

impl Patience {
    pub(super) fn new() -> Self {
        Patience { rounds: Cell::new(*PATIENCE.start()) }
    }

    /// Rounds of looking for work before it sleeps.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds.get()
    }

    /// It has slept so long.
    pub(super) fn slept(&self, time: Duration) {
        let rounds = self.rounds.get();
        let rounds = if time < SHORT_SLEEP { rounds * 2 } else { rounds / 2 };
        self.rounds.set(rounds.clamp(*PATIENCE.start(), *PATIENCE.end()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_sleeps_make_patient_and_long_ones_impatient_within_limits() {
        let patience = Patience::new();
        (0..100).for_each(|_| patience.slept(SHORT_SLEEP / 2));
        assert_eq!(patience.rounds(), *PATIENCE.end());
        patience.slept(SHORT_SLEEP * 2);
        assert_eq!(patience.rounds(), *PATIENCE.end() / 2);
        (0..100).for_each(|_| patience.slept(Duration::MAX));
        assert_eq!(patience.rounds(), *PATIENCE.start());
    }
}
