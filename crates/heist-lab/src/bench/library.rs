//! The fork-join libraries behind one trait, so that each workload is written once.
//!
//! Chili hands a scope down the call tree, the others find their worker by themselves. So a
//! workload hands down a [`Place`](ForkJoin::Place), which is chili's scope or nothing. Nothing is
//! never read, hence costs nothing.

use std::hint::black_box;
use std::num::NonZero;

/// A pool of workers on which two closures may run at the same time.
pub trait ForkJoin: Sized + Send + Sync + 'static {
    const WHO: &'static str;

    /// Where a closure runs, as far as it has to know.
    type Place<'p>;

    fn new(workers: usize) -> Self;

    /// Runs `work` on the pool.
    fn run<R: Send>(&self, work: impl FnOnce(&mut Self::Place<'_>) -> R + Send) -> R;

    /// Runs both, perhaps at the same time.
    fn join<RA: Send, RB: Send>(
        place: &mut Self::Place<'_>,
        a: impl FnOnce(&mut Self::Place<'_>) -> RA + Send,
        b: impl FnOnce(&mut Self::Place<'_>) -> RB + Send,
    ) -> (RA, RB);
}

/// A pool that also takes jobs for which nobody waits on the spot.
pub trait Spawn: ForkJoin {
    /// Queues `job`: on the calling worker, or from outside the pool on any.
    fn spawn(&self, job: impl FnOnce() + Send + 'static);

    /// Spawns each of `jobs` into a scope and waits for all.
    fn spawn_all<J: FnOnce() + Send>(jobs: impl Iterator<Item = J> + Send);
}

/// Some milliseconds of work, after which all workers are awake and spread over the cores.
pub fn keep_all_busy<L: ForkJoin>(place: &mut L::Place<'_>) {
    fn halves<L: ForkJoin>(place: &mut L::Place<'_>, depth: u32) {
        if depth == 0 {
            (0..10_000).for_each(|i| _ = black_box(i));
        } else {
            L::join(place, |place| halves::<L>(place, depth - 1), |place| halves::<L>(place, depth - 1));
        }
    }
    halves::<L>(place, 10);
}

pub struct Heist(heist::ThreadPool);

impl ForkJoin for Heist {
    const WHO: &'static str = "heist";
    type Place<'p> = ();

    fn new(workers: usize) -> Self {
        let builder = heist::ThreadPoolBuilder::new().num_threads(workers);
        Self(builder.build().expect("a few threads can be started"))
    }

    fn run<R: Send>(&self, work: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.0.install(|| work(&mut ()))
    }

    #[inline]
    fn join<RA: Send, RB: Send>(
        _: &mut (),
        a: impl FnOnce(&mut ()) -> RA + Send,
        b: impl FnOnce(&mut ()) -> RB + Send,
    ) -> (RA, RB) {
        heist::join(|| a(&mut ()), || b(&mut ()))
    }
}

impl Spawn for Heist {
    #[inline]
    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.0.spawn(job);
    }

    #[inline]
    fn spawn_all<J: FnOnce() + Send>(jobs: impl Iterator<Item = J> + Send) {
        heist::scope(|scope| {
            for job in jobs {
                scope.spawn(|_| job());
            }
        });
    }
}

pub struct Rayon(rayon::ThreadPool);

impl ForkJoin for Rayon {
    const WHO: &'static str = "rayon";
    type Place<'p> = ();

    fn new(workers: usize) -> Self {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(workers);
        Self(builder.build().expect("a few threads can be started"))
    }

    fn run<R: Send>(&self, work: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.0.install(|| work(&mut ()))
    }

    #[inline]
    fn join<RA: Send, RB: Send>(
        _: &mut (),
        a: impl FnOnce(&mut ()) -> RA + Send,
        b: impl FnOnce(&mut ()) -> RB + Send,
    ) -> (RA, RB) {
        rayon::join(|| a(&mut ()), || b(&mut ()))
    }
}

impl Spawn for Rayon {
    #[inline]
    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.0.spawn(job);
    }

    #[inline]
    fn spawn_all<J: FnOnce() + Send>(jobs: impl Iterator<Item = J> + Send) {
        rayon::scope(|scope| {
            for job in jobs {
                scope.spawn(|_| job());
            }
        });
    }
}

/// Its heartbeat thread beats only while a scope lives, so a pool that rests disturbs nobody.
pub struct Chili(chili::ThreadPool);

impl ForkJoin for Chili {
    const WHO: &'static str = "chili";
    type Place<'p> = chili::Scope<'p>;

    /// The calling thread is one of the workers.
    fn new(workers: usize) -> Self {
        Self(chili::ThreadPool::with_config(chili::Config {
            thread_count: NonZero::new(workers),
            ..chili::Config::default()
        }))
    }

    fn run<R: Send>(&self, work: impl FnOnce(&mut chili::Scope<'_>) -> R + Send) -> R {
        work(&mut self.0.scope())
    }

    #[inline]
    fn join<RA: Send, RB: Send>(
        place: &mut chili::Scope<'_>,
        a: impl FnOnce(&mut chili::Scope<'_>) -> RA + Send,
        b: impl FnOnce(&mut chili::Scope<'_>) -> RB + Send,
    ) -> (RA, RB) {
        place.join(a, b)
    }
}

/// No library at all: plain calls on the calling thread.
pub struct Sequential;

impl ForkJoin for Sequential {
    const WHO: &'static str = "sequential";
    type Place<'p> = ();

    fn new(_: usize) -> Self {
        Self
    }

    fn run<R: Send>(&self, work: impl FnOnce(&mut ()) -> R + Send) -> R {
        work(&mut ())
    }

    #[inline]
    fn join<RA: Send, RB: Send>(
        _: &mut (),
        a: impl FnOnce(&mut ()) -> RA + Send,
        b: impl FnOnce(&mut ()) -> RB + Send,
    ) -> (RA, RB) {
        (a(&mut ()), b(&mut ()))
    }
}

impl Spawn for Sequential {
    #[inline]
    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        job();
    }

    #[inline]
    fn spawn_all<J: FnOnce() + Send>(jobs: impl Iterator<Item = J> + Send) {
        jobs.for_each(|job| job());
    }
}
