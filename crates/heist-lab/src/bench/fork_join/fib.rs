//! Fibonacci numbers by recursion: nothing but forks and joins.

use std::hint::black_box;

use super::Work;
use crate::bench::library::ForkJoin;

pub struct Fib(pub u32);

impl Work for Fib {
    const NAME: &'static str = "fib(32)";
    type Output = u64;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> u64 {
        fib::<L>(place, black_box(self.0))
    }

    fn is_right(&self, output: &u64) -> bool {
        let (mut this, mut next) = (0, 1);
        for _ in 0..self.0 {
            (this, next) = (next, this + next);
        }
        *output == this
    }
}

fn fib<L: ForkJoin>(place: &mut L::Place<'_>, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = L::join(place, |place| fib::<L>(place, n - 1), |place| fib::<L>(place, n - 2));
    a + b
}
