//! Stress for the sanitizers: `cargo xtask tsan` and `cargo xtask asan` run it; it also runs as an ordinary
//! test.
//!
//! No test harness, and no locks or channels of the standard library between threads: it is not built with
//! ThreadSanitizer, so the order that its locks create would go unseen and correct programs be reported. The
//! same goes for the last drop of an `Arc`, so pools are kept until the end. Names given as arguments select
//! suites.

use heist_core::{
    ThreadPool, ThreadPoolBuilder,
    deque::{Steal, chase_lev, injector::Injector, ring},
    join, scope,
    trace::Recorder,
};
use std::{
    cell::UnsafeCell,
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Rounds of each suite. Sanitizers slow everything down by an order of magnitude.
const ROUNDS: usize = 2_000;

fn main() {
    let suites: &[(&str, fn())] = &[
        ("deque", deque),
        ("ring", ring_of_tasks),
        ("injector", injector),
        ("join", joins),
        ("scope", scopes),
        ("spawn", spawns),
        ("broadcast", broadcasts),
        ("sleep", sleepers),
        ("trace", recordings),
    ];
    // What follows `--` when run by cargo, without the harness's own options.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let mut passed = 0;
    for (name, suite) in suites {
        if wanted.is_empty() || wanted.iter().any(|want| want == name) {
            suite();
            println!("suite {name} ... ok");
            passed += 1;
        }
    }
    assert!(passed > 0, "no suite of that name: {wanted:?}");
    println!("{passed} passed, 0 failed");
}

/// Keeps a value for good, where a search for leaks finds it.
fn keep<T: 'static>(value: T) -> &'static T {
    static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let value: &T = Box::leak(Box::new(value));
    KEPT.lock().unwrap().push(std::ptr::from_ref(value).expose_provenance());
    value
}

/// A value that is written by who makes it and read by who gets it: a race if the queue does not order the
/// two.
struct Parcel(UnsafeCell<usize>);

impl Parcel {
    fn new(content: usize) -> Box<Self> {
        Box::new(Parcel(UnsafeCell::new(content)))
    }

    fn open(self) -> usize {
        self.0.into_inner()
    }
}

// SAFETY: handed over, never shared.
unsafe impl Send for Parcel {}

/// Runs `produce` here and `consume` on two other threads, until they have got `count` parcels in all.
///
/// The threads are not joined and what they share is not freed: both end in a drop of an `Arc` in the
/// library.
fn exchange(
    count: usize,
    produce: impl FnOnce(&dyn Fn(Box<Parcel>)),
    consume: impl Fn(&dyn Fn(Box<Parcel>)) + Sync + 'static,
) {
    let [got, sum, ended] = keep([const { AtomicUsize::new(0) }; 3]);
    let consume = keep(consume);
    let receive = move |parcel: Box<Parcel>| {
        sum.fetch_add((*parcel).open(), Ordering::Relaxed);
        got.fetch_add(1, Ordering::AcqRel);
    };
    for _ in 0..2 {
        keep(thread::spawn(move || {
            while got.load(Ordering::Acquire) < count {
                consume(&receive);
                spin_loop();
            }
            ended.fetch_add(1, Ordering::Release);
        }));
    }
    produce(&receive);
    while ended.load(Ordering::Acquire) < 2 {
        thread::yield_now();
    }
    assert_eq!((got.load(Ordering::Relaxed), sum.load(Ordering::Relaxed)), (count, count * (count - 1) / 2));
}

fn deque() {
    let (owner, stealer) = chase_lev::new();
    let produce = |receive: &dyn Fn(Box<Parcel>)| {
        for n in 0..ROUNDS * 10 {
            owner.push(Parcel::new(n));
            if n % 3 == 0 {
                owner.pop().into_iter().for_each(receive);
            }
        }
    };
    exchange(ROUNDS * 10, produce, move |receive| {
        if let Steal::Success(parcel) = stealer.steal() {
            receive(parcel);
        }
    });
}

fn ring_of_tasks() {
    let (owner, stealer) = ring::new();
    let produce = |receive: &dyn Fn(Box<Parcel>)| {
        for n in 0..ROUNDS * 10 {
            if let Err(overflow) = owner.push(Parcel::new(n)) {
                overflow.for_each(receive);
            }
            if n % 3 == 0 {
                owner.pop().into_iter().for_each(receive);
            }
        }
    };
    exchange(ROUNDS * 10, produce, move |receive| {
        let (own, _) = ring::new();
        if let Steal::Success(parcel) = stealer.steal_into(&own) {
            receive(parcel);
        }
        std::iter::from_fn(|| own.pop()).for_each(receive);
    });
}

fn injector() {
    let queue = keep(Injector::new());
    let produce = |_: &dyn Fn(Box<Parcel>)| {
        for n in 0..ROUNDS {
            queue.push(Parcel::new(n * 10));
            queue.push_batch((1..10).map(|k| Parcel::new(n * 10 + k)));
        }
    };
    exchange(ROUNDS * 10, produce, move |receive| {
        if let Steal::Success(parcel) = queue.steal_batch(7, receive) {
            receive(parcel);
        }
    });
}

/// A pool that is never dropped.
fn pool(threads: usize) -> &'static ThreadPool {
    keep(ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
}

fn fib(n: usize) -> usize {
    if n < 2 {
        return n;
    }
    // On the heap, so that a frame that returns too early is noticed.
    let (a, b) = (Box::new(n - 1), Box::new(n - 2));
    let (a, b) = join(|| fib(*a), || fib(*b));
    a + b
}

fn joins() {
    for threads in [2, 4] {
        let pool = pool(threads);
        for _ in 0..10 {
            assert_eq!(pool.install(|| fib(16)), 987);
        }
    }
}

fn scopes() {
    let pool = pool(3);
    for round in 0..ROUNDS / 20 {
        let mut parts = vec![0; 64];
        pool.scope(|s| {
            for (i, part) in parts.iter_mut().enumerate() {
                s.spawn(move |_| *part = scope(|inner| spawn_two(inner, i + round)));
            }
        });
        assert!(parts.iter().enumerate().all(|(i, &part)| part == i + round));
    }
}

fn spawn_two(scope: &heist_core::Scope<'_>, n: usize) -> usize {
    scope.spawn(|_| ());
    scope.spawn(|scope| scope.spawn(|_| ()));
    n
}

fn spawns() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    let pool = pool(2);
    for n in 0..ROUNDS {
        let parcel = Parcel::new(n);
        let count = move || {
            parcel.open();
            DONE.fetch_add(1, Ordering::Release);
        };
        match n % 3 {
            0 => pool.spawn(count),
            1 => pool.spawn_fifo(count),
            _ => pool.spawn_at(n % 2, move || heist_core::spawn(count)),
        }
    }
    while DONE.load(Ordering::Acquire) < ROUNDS {
        spin_loop();
    }
}

fn broadcasts() {
    let pool = pool(3);
    for round in 0..ROUNDS / 10 {
        assert_eq!(pool.broadcast(|context| context.index() + round), [round, round + 1, round + 2]);
    }
}

/// Every job finds its worker asleep, or about to be.
fn sleepers() {
    let pool = pool(2);
    let mut value = 0;
    for round in 0..ROUNDS {
        (0..round % 50).for_each(|_| thread::yield_now());
        pool.install(|| value += 1);
    }
    assert_eq!(value, ROUNDS);
}

/// Recordings begin and end while threads inside and outside of the pool note something, or are about to.
fn recordings() {
    let pool = keep(pool(2));
    let ended = keep(AtomicUsize::new(0));
    let load = thread::spawn(|| {
        while ended.load(Ordering::Relaxed) == 0 {
            pool.install(|| (0..20).for_each(|_| _ = join(|| (), || ())));
        }
    });
    for _ in 0..ROUNDS / 10 {
        let work = || pool.install(|| join(|| 1, || 2));
        let (result, trace) = Recorder::new().events_per_thread(100).try_record_in(pool, work).unwrap();
        assert_eq!(result, (1, 2));
        assert!(trace.workers().flatten().count() > 0);
    }
    ended.store(1, Ordering::Relaxed);
    load.join().unwrap();
}
