//! Random numbers for the choice of a victim: small, fast, and different for every worker.

use std::{cell::Cell, time::SystemTime};

/// Two xorshift registers of 32 bits, with the shifts 17, 7 and 16; their sum is the number.
#[derive(Debug)]
pub(crate) struct Rng {
    state: Cell<(u32, u32)>,
}

impl Rng {
    /// Seeded by the worker's index and the time.
    pub(crate) fn for_worker(index: usize) -> Self {
        let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos() as u64);
        Self::seeded(time.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn seeded(seed: u64) -> Self {
        let (one, two) = ((seed >> 32) as u32, seed as u32);
        // All zero would stay all zero.
        Rng { state: Cell::new((one, if one == 0 && two == 0 { 1 } else { two })) }
    }

    fn next(&self) -> u32 {
        let (mut one, two) = self.state.get();
        one ^= one << 17;
        one = one ^ two ^ (one >> 7) ^ (two >> 16);
        self.state.set((two, one));
        two.wrapping_add(one)
    }

    /// A number below `n`, by multiplication and shift. Its relative bias is at most `n / 2³²`: too little to
    /// matter for the choice of a victim.
    pub(crate) fn below(&self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_all_zero_state_is_never_entered() {
        let rng = Rng::seeded(0);
        for _ in 0..10_000 {
            rng.next();
            assert_ne!(rng.state.get(), (0, 0));
        }
    }

    #[test]
    fn every_victim_is_chosen_about_equally_often() {
        let rng = Rng::seeded(42);
        let mut chosen = [0_u32; 7];
        for _ in 0..70_000 {
            chosen[rng.below(7)] += 1;
        }
        assert!(chosen.iter().all(|&times| (9_000..11_000).contains(&times)), "{chosen:?}");
    }

    #[test]
    fn workers_that_start_together_choose_differently() {
        let (a, b) = (Rng::seeded(1), Rng::seeded(1_u64.wrapping_add(0x9e37_79b9_7f4a_7c15)));
        assert!((0..100).filter(|_| a.next() == b.next()).count() < 5);
    }
}
