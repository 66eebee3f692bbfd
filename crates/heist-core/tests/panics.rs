//! Panics reach the one who waits, and nothing returns while a job that it started still runs: whatever
//! panics, in whatever destructor.

mod common;

use common::{
    Gate, Log, assert_aborted, builder, comes_about, in_subprocess, message, message_of, occupy, payload_of,
    pool, watchdog,
};
use heist_core::{Scope, ScopeFifo, ThreadPool, join, scope, spawn, yield_now};
use std::{
    any::Any,
    panic,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// A result or a payload. An armed one panics when it is dropped, with something that takes no memory,
/// because whoever survives that may have to leak it.
#[derive(Debug)]
struct Bomb {
    of: &'static str,
    armed: bool,
    /// Opened when it is dropped.
    dropped: Gate,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        struct Nothing;
        self.dropped.open();
        if self.armed {
            panic::resume_unwind(Box::new(Nothing));
        }
    }
}

impl Bomb {
    fn of(of: &'static str, armed: bool) -> Self {
        Bomb { of, armed, dropped: Gate::default() }
    }

    /// Whose it is; it does not go off any more.
    fn defuse(mut self) -> &'static str {
        self.armed = false;
        self.of
    }

    fn throw(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }
}

/// Whose payload it is.
fn thrower(payload: Box<dyn Any + Send>) -> &'static str {
    payload.downcast::<Bomb>().expect("what was thrown").defuse()
}

/// How a closure ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Returns { armed: bool },
    Panics { armed: bool },
}

const ENDS: [End; 4] = [
    End::Returns { armed: false },
    End::Returns { armed: true },
    End::Panics { armed: false },
    End::Panics { armed: true },
];

impl End {
    fn is_panic(self) -> bool {
        matches!(self, End::Panics { .. })
    }

    fn come(self, of: &'static str) -> Bomb {
        match self {
            End::Returns { armed } => Bomb::of(of, armed),
            End::Panics { armed } => Bomb::of(of, armed).throw(),
        }
    }
}

/// One `join` whose closures end like that. The second one ends well after the first.
fn join_ends(a: End, b: End, stolen: bool) {
    let pool = pool(if stolen { 2 } else { 1 });
    let (b_began, a_ends, b_ends) = (Gate::default(), Gate::default(), AtomicBool::new(false));
    let returned = AtomicBool::new(false);
    let first = || {
        if stolen {
            b_began.pass();
        }
        a_ends.open();
        a.come("a")
    };
    let second = || {
        b_began.open();
        a_ends.pass();
        let early = comes_about(|| returned.load(Ordering::SeqCst));
        assert!(!early, "join returned while its second closure ran");
        b_ends.store(true, Ordering::SeqCst);
        b.come("b")
    };
    let joined = pool.install(|| {
        let joined = panic::catch_unwind(panic::AssertUnwindSafe(|| join(first, second)));
        returned.store(true, Ordering::SeqCst);
        joined
    });
    assert!(b_ends.load(Ordering::SeqCst), "both closures run");
    match joined {
        Ok((first, second)) => {
            assert!(!a.is_panic() && !b.is_panic());
            assert_eq!((first.defuse(), second.defuse()), ("a", "b"));
        }
        Err(payload) => {
            assert!(a.is_panic() || b.is_panic());
            assert_eq!(thrower(payload), if a.is_panic() { "a" } else { "b" });
        }
    }
    // Nothing was left behind.
    assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
}

#[test]
fn join_panics_like_its_first_panicking_closure_after_both_have_ended() {
    watchdog(|| {
        for a in ENDS {
            for b in ENDS {
                for stolen in [false, true] {
                    println!("a {a:?}, b {b:?}, stolen: {stolen}");
                    join_ends(a, b, stolen);
                }
            }
        }
    });
}

#[test]
fn a_panic_unwinds_through_nested_joins_without_losing_a_half() {
    fn tree(depth: u32, ran: &AtomicUsize) {
        if depth == 0 {
            ran.fetch_add(1, Ordering::Relaxed);
            Bomb::of("leaf", false).throw();
        }
        join(|| tree(depth - 1, ran), || tree(depth - 1, ran));
    }
    watchdog(|| {
        for workers in [1, 2, 4] {
            let ran = AtomicUsize::new(0);
            assert_eq!(thrower(payload_of(|| pool(workers).install(|| tree(8, &ran)))), "leaf");
            assert_eq!(ran.into_inner(), 1 << 8);
        }
    });
}

#[test]
fn install_panics_like_its_closure_from_wherever_it_is_called() {
    watchdog(|| {
        let (ours, theirs) = (pool(1), pool(1));
        let bang = || -> () { Bomb::of("install", true).throw() };
        assert_eq!(thrower(payload_of(|| ours.install(bang))), "install");
        assert_eq!(thrower(payload_of(|| ours.install(|| ours.install(bang)))), "install");
        assert_eq!(thrower(payload_of(|| ours.install(|| theirs.install(bang)))), "install");
        assert_eq!(thrower(ours.install(|| payload_of(|| theirs.install(bang)))), "install");
        assert_eq!(ours.install(|| theirs.install(|| 7)), 7);
    });
}

/// Opens a scope and calls a closure with it.
type OpenScope = fn(&ThreadPool, &(dyn Fn(&dyn Spawner) + Sync));

/// Both kinds of scope, on a worker and in place.
const SCOPES: [OpenScope; 4] = [
    |pool, op| pool.scope(|s| op(&OnScope(s))),
    |pool, op| pool.scope_fifo(|s| op(&OnScopeFifo(s))),
    |pool, op| pool.in_place_scope(|s| op(&OnScope(s))),
    |pool, op| pool.in_place_scope_fifo(|s| op(&OnScopeFifo(s))),
];

/// What both kinds of scope can do.
trait Spawner {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>);
}

struct OnScope<'a, 'scope>(&'a Scope<'scope>);

impl Spawner for OnScope<'_, '_> {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        self.0.spawn(|_| job());
    }
}

struct OnScopeFifo<'a, 'scope>(&'a ScopeFifo<'scope>);

impl Spawner for OnScopeFifo<'_, '_> {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        self.0.spawn_fifo(|_| job());
    }
}

#[test]
fn a_scope_whose_closure_panics_waits_for_its_jobs_first() {
    watchdog(|| {
        let pool = pool(2);
        for armed in [false, true] {
            for open in SCOPES {
                let (op_ends, returned) = (Gate::default(), Arc::new(AtomicBool::new(false)));
                let ended = Arc::new(AtomicUsize::new(0));
                let panicked = payload_of(|| {
                    open(&pool, &|s| {
                        for _ in 0..3 {
                            let (op_ends, returned, ended) =
                                (op_ends.clone(), returned.clone(), ended.clone());
                            s.spawn(Box::new(move || {
                                op_ends.pass();
                                assert!(
                                    !comes_about(|| returned.load(Ordering::SeqCst)),
                                    "the scope is gone"
                                );
                                ended.fetch_add(1, Ordering::SeqCst);
                            }));
                        }
                        op_ends.open();
                        Bomb::of("closure", armed).throw()
                    })
                });
                returned.store(true, Ordering::SeqCst);
                assert_eq!(thrower(panicked), "closure");
                assert_eq!(ended.load(Ordering::SeqCst), 3);
            }
        }
    });
}

#[test]
fn a_scope_panics_like_its_job_and_drops_its_result_quietly() {
    watchdog(|| {
        for workers in [1, 2] {
            let pool = pool(workers);
            for armed in [false, true] {
                let result = payload_of(|| {
                    pool.scope(|s| {
                        s.spawn(move |_| Bomb::of("job", armed).throw());
                        Bomb::of("result", true)
                    })
                });
                assert_eq!(thrower(result), "job");
                let result = payload_of(|| {
                    pool.in_place_scope_fifo(|s| {
                        s.spawn_broadcast(move |_, context| {
                            if context.index() == 0 {
                                Bomb::of("part", armed).throw()
                            }
                        });
                        Bomb::of("result", true)
                    })
                });
                assert_eq!(thrower(result), "part");
            }
        }
    });
}

/// Where others return early: the second payload's destructor panics while the third job runs.
#[test]
fn a_payload_that_panics_in_its_destructor_does_not_end_a_scope_early() {
    watchdog(|| {
        let pool = pool(3);
        for open in SCOPES {
            let (dropped, returned) = (Gate::default(), Arc::new(AtomicBool::new(false)));
            let ended = Arc::new(AtomicBool::new(false));
            let panicked = payload_of(|| {
                open(&pool, &|s| {
                    let (dropped, returned, ended) = (dropped.clone(), returned.clone(), ended.clone());
                    for of in ["one", "two"] {
                        let bomb = Bomb { of, armed: true, dropped: dropped.clone() };
                        s.spawn(Box::new(|| bomb.throw()));
                    }
                    s.spawn(Box::new(move || {
                        // One of the two is kept, to be thrown again; the other is dropped.
                        dropped.pass();
                        assert!(!comes_about(|| returned.load(Ordering::SeqCst)), "the scope is gone");
                        ended.store(true, Ordering::SeqCst);
                    }));
                })
            });
            returned.store(true, Ordering::SeqCst);
            assert!(ended.load(Ordering::SeqCst));
            assert!(["one", "two"].contains(&thrower(panicked)));
        }
    });
}

#[test]
fn a_scope_panics_like_the_first_of_several_panicking_jobs() {
    watchdog(|| {
        let panicked = payload_of(|| {
            pool(1).scope_fifo(|s| {
                for name in ["first", "second", "third"] {
                    s.spawn_fifo(move |_| Bomb::of(name, true).throw());
                }
            })
        });
        assert_eq!(thrower(panicked), "first");
    });
}

#[test]
fn a_broadcast_panics_like_its_lowest_worker_after_all_parts_have_ended() {
    watchdog(|| {
        let pool = pool(4);
        let (thrown, returned) = (AtomicUsize::new(0), AtomicBool::new(false));
        let ended = AtomicBool::new(false);
        let part = |context: heist_core::BroadcastContext<'_>| match context.index() {
            0 => {
                common::wait_until(|| thrown.load(Ordering::SeqCst) == 2);
                assert!(!comes_about(|| returned.load(Ordering::SeqCst)), "the broadcast is gone");
                ended.store(true, Ordering::SeqCst);
                Bomb::of("result", true)
            }
            index @ (1 | 3) => {
                thrown.fetch_add(1, Ordering::SeqCst);
                Bomb::of(if index == 1 { "one" } else { "three" }, true).throw()
            }
            _ => Bomb::of("result", true),
        };
        for inside in [false, true] {
            thrown.store(0, Ordering::SeqCst);
            let call = || {
                let panicked = payload_of(|| pool.broadcast(part));
                returned.store(true, Ordering::SeqCst);
                thrower(panicked)
            };
            assert_eq!(if inside { pool.install(call) } else { call() }, "one");
            assert!(ended.swap(false, Ordering::SeqCst));
            returned.store(false, Ordering::SeqCst);
        }
    });
}

/// A pool whose panic handler takes notes.
fn noting(workers: usize) -> (ThreadPool, Log<&'static str>) {
    let log = Log::default();
    let notes = log.clone();
    let pool = builder(workers).panic_handler(move |payload| notes.add(thrower(payload)));
    (pool.build().unwrap(), log)
}

#[test]
fn the_panic_handler_hears_of_every_job_that_nobody_waits_for() {
    watchdog(|| {
        let (pool, log) = noting(2);
        let bang = |name| move || -> () { Bomb::of(name, true).throw() };
        pool.spawn(bang("spawn"));
        pool.spawn_fifo(bang("spawn_fifo"));
        pool.spawn_at(1, bang("spawn_at"));
        pool.spawn_broadcast(move |_| bang("spawn_broadcast")());
        pool.install(|| {
            spawn(bang("inside"));
            // Nobody but the handler hears of it: not who runs it while it waits for something else.
            assert!(yield_now().is_some());
            join(|| spawn(bang("in a half")), || ());
            scope(|_| spawn(bang("in a scope")));
        });
        pool.shutdown();
        let mut heard = log.take();
        heard.sort_unstable();
        let expected = ["in a half", "in a scope", "inside", "spawn", "spawn_at", "spawn_broadcast"];
        assert!(heard.into_iter().eq(expected.into_iter().chain(["spawn_broadcast", "spawn_fifo"])));
    });
}

#[test]
fn what_a_panicking_job_captured_is_dropped_before_the_handler_hears_of_it() {
    watchdog(|| {
        let token = Arc::new(());
        let (captured, seen) = (token.clone(), token.clone());
        let log = Log::default();
        let notes = log.clone();
        let pool = builder(1).panic_handler(move |_| notes.add(Arc::strong_count(&seen))).build().unwrap();
        pool.spawn(move || {
            let _captured = captured;
            Bomb::of("job", false).throw()
        });
        pool.shutdown();
        assert_eq!(log.take(), [2]);
    });
}

#[test]
fn threads_go_on_if_their_start_and_exit_handlers_panic() {
    watchdog(|| {
        let log = Log::default();
        let notes = log.clone();
        let pool = builder(3)
            .panic_handler(move |payload| notes.add(thrower(payload)))
            .start_handler(|_| Bomb::of("start", true).throw())
            .exit_handler(|_| Bomb::of("exit", true).throw())
            .build()
            .unwrap();
        assert_eq!(pool.broadcast(|context| context.index()), [0, 1, 2]);
        pool.shutdown();
        assert_eq!(log.take(), ["start", "start", "start", "exit", "exit", "exit"]);
    });
}

#[test]
fn a_pool_works_on_after_a_thousand_panics() {
    watchdog(|| {
        let (pool, log) = noting(2);
        for _ in 0..1000 {
            pool.spawn(|| Bomb::of("job", false).throw());
        }
        assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
        pool.shutdown();
        assert_eq!(log.take().len(), 1000);
    });
}

/// The panic's text comes from the hook, in the process that is about to end.
fn must_abort(test: &str, text: &str, body: impl FnOnce() + Send + 'static) {
    if let Some(output) = in_subprocess(test, &[], || watchdog(body)) {
        assert_aborted(&output, text);
    }
}

/// Waits for the end of the process.
fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

#[test]
fn a_spawned_job_that_panics_without_a_handler_ends_the_process() {
    must_abort("a_spawned_job_that_panics_without_a_handler_ends_the_process", "nobody hears", || {
        let _pool = pool(1);
        _pool.spawn(|| panic!("nobody hears"));
        wait_for_the_end()
    });
}

#[test]
fn a_job_in_the_global_pool_that_panics_ends_the_process() {
    must_abort("a_job_in_the_global_pool_that_panics_ends_the_process", "nobody hears", || {
        spawn(|| panic!("nobody hears"));
        wait_for_the_end()
    });
}

#[test]
fn a_start_handler_that_panics_without_a_panic_handler_ends_the_process() {
    must_abort(
        "a_start_handler_that_panics_without_a_panic_handler_ends_the_process",
        "nobody hears",
        || {
            let _pool = builder(1).start_handler(|_| panic!("nobody hears")).build();
            wait_for_the_end()
        },
    );
}

#[test]
fn a_panic_handler_that_panics_ends_the_process() {
    must_abort("a_panic_handler_that_panics_ends_the_process", "on top of it", || {
        let pool = builder(1).panic_handler(|_| panic!("on top of it")).build().unwrap();
        pool.spawn(|| panic!("the first"));
        wait_for_the_end()
    });
}

#[test]
fn a_job_can_catch_what_a_join_inside_of_it_panics_with() {
    watchdog(|| {
        let pool = pool(2);
        let gate = occupy(&pool, |index| index == 0);
        assert_eq!(pool.install(|| message_of(|| join(|| panic!("caught"), || ()))), "caught");
        gate.open();
        let payload = payload_of(|| pool.install(|| panic!("{}", "formatted")));
        assert_eq!(message(&*payload), "formatted");
    });
}
