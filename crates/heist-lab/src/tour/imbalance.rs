//! The classic example for work stealing: four workers, of which one has more than three times the work of
//! another.
//!
//! The work is cut into pieces, and a piece is a wait. So four workers overlap on a machine with fewer cores
//! too, and the true bound is that of four: all work, divided by four. Everything else is real: the workers
//! are those of a pool of heist, and each strategy is built from what a pool offers to everybody.
//!
//! # Invariants
//! I1 A worker's waits are never shorter in all than its pieces are long, so no strategy can beat the bound.
//!    A system wakes up a bit too late; the next piece of that worker is shorter by that.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use heist::{ThreadPool, ThreadPoolBuilder};

pub const WORKERS: usize = 4;

/// A wait; the shorter it is, the better the work can be shared out, and the more the system adds to it.
pub const PIECE: Duration = Duration::from_micros(2500);

/// How many pieces each worker has to begin with: 100, 100, 200 and 350 milliseconds.
pub const PIECES: [usize; WORKERS] = [40, 40, 80, 140];

/// All pieces of all workers.
pub const ALL_PIECES: usize = PIECES[0] + PIECES[1] + PIECES[2] + PIECES[3];

/// No strategy can take less.
pub fn bound() -> Duration {
    PIECE * ALL_PIECES as u32 / WORKERS as u32
}

/// Who does which piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    Static,
    Central,
    Sharing,
    Stealing,
}

impl Strategy {
    pub const ALL: [Strategy; 4] =
        [Strategy::Static, Strategy::Central, Strategy::Sharing, Strategy::Stealing];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Static => "static partition",
            Strategy::Central => "central queue",
            Strategy::Sharing => "work sharing",
            Strategy::Stealing => "heist",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Strategy::Static => "each does its own list, then rests",
            Strategy::Central => "one list behind one lock, for all",
            Strategy::Sharing => "who has much looks for idle ones and gives half",
            Strategy::Stealing => "own deques; who has nothing takes from others",
        }
    }

    /// Begins; [`Shift::wait`] waits for the end.
    pub fn begin(self) -> Arc<Shift> {
        let builder = ThreadPoolBuilder::new().num_threads(WORKERS).stealing(self == Strategy::Stealing);
        let pool = builder.build().expect("a few threads can be started");
        // All threads are there and have nothing to do.
        pool.broadcast(|_| ());
        let shift = Arc::new(Shift::new());
        match self {
            Strategy::Static => each_its_own(&pool, &shift),
            Strategy::Central => from_one_queue(&pool, &shift),
            Strategy::Sharing => Sharing::begin(pool, &shift),
            Strategy::Stealing => by_stealing(&pool, &shift),
        }
        shift
    }
}

fn each_its_own(pool: &ThreadPool, shift: &Arc<Shift>) {
    let shift = shift.clone();
    pool.spawn_broadcast(move |context| {
        let worker = context.index();
        (0..PIECES[worker]).for_each(|_| shift.do_piece(worker, worker));
    });
}

fn from_one_queue(pool: &ThreadPool, shift: &Arc<Shift>) {
    let pieces = (0..WORKERS).flat_map(|home| [home].repeat(PIECES[home]));
    let queue: Mutex<VecDeque<usize>> = Mutex::new(pieces.collect());
    let shift = shift.clone();
    pool.spawn_broadcast(move |context| {
        let next = || locked(&queue).pop_front();
        while let Some(home) = next() {
            shift.do_piece(context.index(), home);
        }
    });
}

/// Each worker spawns its pieces, as jobs in its own deque. The rest is what the pool does anyway.
fn by_stealing(pool: &ThreadPool, shift: &Arc<Shift>) {
    let shift = shift.clone();
    pool.spawn_broadcast(move |context| {
        let home = context.index();
        for _ in 0..PIECES[home] {
            let shift = shift.clone();
            heist::spawn(move || {
                let worker = heist::current_thread_index().expect("a job runs on a worker");
                shift.do_piece(worker, home);
            });
        }
    });
}

/// The one who has work takes care of those who have none. It looks for them before each piece.
struct Sharing {
    pool: ThreadPool,
    shift: Arc<Shift>,
    idle: Mutex<Vec<usize>>,
}

impl Sharing {
    fn begin(pool: ThreadPool, shift: &Arc<Shift>) {
        let sharing = Arc::new(Self { pool, shift: shift.clone(), idle: Mutex::default() });
        for (worker, &pieces) in PIECES.iter().enumerate() {
            sharing.send(worker, vec![worker; pieces]);
        }
    }

    fn send(self: &Arc<Self>, to: usize, pieces: Vec<usize>) {
        let sharing = self.clone();
        self.pool.spawn_at(to, move || sharing.work_off(to, pieces));
    }

    fn work_off(self: &Arc<Self>, worker: usize, mut pieces: Vec<usize>) {
        while let Some(home) = pieces.pop() {
            if !pieces.is_empty()
                && let Some(idle) = locked(&self.idle).pop()
            {
                self.send(idle, pieces.split_off(pieces.len() / 2));
            }
            self.shift.do_piece(worker, home);
        }
        locked(&self.idle).push(worker);
    }
}

/// All the work, and who did what of it when.
pub struct Shift {
    begin: Instant,
    /// By the worker's index. Only that worker adds to it.
    logs: [Mutex<Log>; WORKERS],
    left: AtomicUsize,
    /// Whether nothing is left.
    over: Mutex<bool>,
    end: Condvar,
}

#[derive(Default)]
struct Log {
    done: Vec<Done>,
    /// By how much its waits were too long so far.
    late: Duration,
}

/// A piece that is done; the times count from the begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Whose piece it was at first.
    pub home: usize,
    pub begin: Duration,
    pub end: Duration,
}

impl Shift {
    fn new() -> Self {
        Self {
            begin: Instant::now(),
            logs: Default::default(),
            left: AtomicUsize::new(ALL_PIECES),
            over: Mutex::new(false),
            end: Condvar::new(),
        }
    }

    fn do_piece(&self, worker: usize, home: usize) {
        let late = locked(&self.logs[worker]).late;
        let begin = self.begin.elapsed();
        thread::sleep(PIECE.saturating_sub(late));
        let end = self.begin.elapsed();
        {
            let mut log = locked(&self.logs[worker]);
            log.late = (late + (end - begin)).saturating_sub(PIECE);
            log.done.push(Done { home, begin, end });
        }
        // ORDERING: nothing depends on it; the logs are behind their locks.
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            *locked(&self.over) = true;
            self.end.notify_all();
        }
    }

    /// Waits for the end, but no longer than so; says whether it has come.
    pub fn wait(&self, at_most: Duration) -> bool {
        let waiting = self.end.wait_timeout_while(locked(&self.over), at_most, |over| !*over);
        *waiting.unwrap_or_else(PoisonError::into_inner).0
    }

    /// What has been done so far, by worker.
    pub fn done(&self) -> [Vec<Done>; WORKERS] {
        self.logs.each_ref().map(|log| locked(log).done.clone())
    }
}

/// Nobody panics with a lock in hand; and if so, the log is still what it was.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What came of it.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// From the begin to the end of the last piece.
    pub time: Duration,
    /// Pieces that another worker did than the one that had them at first.
    pub moved: usize,
    /// How much of the time the workers were busy, all together: 1 is always.
    pub utilisation: f64,
}

impl Outcome {
    pub fn of(done: &[Vec<Done>; WORKERS]) -> Self {
        let time = done.iter().flatten().map(|piece| piece.end).max().unwrap_or_default();
        let away = |(worker, pieces): (usize, &Vec<Done>)| {
            pieces.iter().filter(|piece| piece.home != worker).count()
        };
        let busy: Duration = done.iter().map(|pieces| busy(pieces)).sum();
        Self {
            time,
            moved: done.iter().enumerate().map(away).sum(),
            utilisation: busy.as_secs_f64() / (time.as_secs_f64() * WORKERS as f64).max(f64::MIN_POSITIVE),
        }
    }
}

pub fn busy(pieces: &[Done]) -> Duration {
    pieces.iter().map(|piece| piece.end - piece.begin).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_work_divided_by_the_workers() {
        assert_eq!(bound(), Duration::from_micros(187_500));
    }

    #[track_caller]
    fn all_done(strategy: Strategy) -> [Vec<Done>; WORKERS] {
        let shift = strategy.begin();
        while !shift.wait(Duration::from_secs(1)) {}
        let done = shift.done();
        for (home, pieces) in PIECES.into_iter().enumerate() {
            let of_home = done.iter().flatten().filter(|piece| piece.home == home);
            assert_eq!(of_home.count(), pieces, "{strategy:?}, of worker {home}");
        }
        assert!(Outcome::of(&done).time >= bound(), "{strategy:?}");
        done
    }

    #[test]
    fn static_partition_moves_nothing() {
        let done = all_done(Strategy::Static);
        assert_eq!(Outcome::of(&done).moved, 0);
        assert!(Outcome::of(&done).time >= PIECE * PIECES[3] as u32);
    }

    #[test]
    fn a_central_queue_does_every_piece_once() {
        all_done(Strategy::Central);
    }

    #[test]
    fn work_sharing_gives_pieces_away() {
        assert!(Outcome::of(&all_done(Strategy::Sharing)).moved > 0);
    }

    #[test]
    fn stealing_moves_pieces() {
        assert!(Outcome::of(&all_done(Strategy::Stealing)).moved > 0);
    }

    #[test]
    fn an_outcome_counts_what_was_moved_and_how_long_all_were_busy() {
        let piece = |home, begin, end| Done {
            home,
            begin: Duration::from_millis(begin),
            end: Duration::from_millis(end),
        };
        let done = [vec![piece(0, 0, 10), piece(3, 10, 20)], vec![piece(1, 0, 10)], vec![], vec![]];
        let outcome = Outcome { time: Duration::from_millis(20), moved: 1, utilisation: 30.0 / 80.0 };
        assert_eq!(Outcome::of(&done), outcome);
    }
}
