//! What a recording tells of a pool, and that it ends well.

mod common;

use common::{Gate, message_of, pool, sleeping, submit_task, wait_until, watchdog};
use heist_core::{
    ThreadPool, join, scope, spawn,
    trace::{AlreadyRecording, Event, JobId, Kind, Recorder, Trace, What, record},
};
use std::{
    collections::HashMap,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Records this pool inside of it, and has its workers note the end of all that they did.
fn recorded<R: Send>(pool: &ThreadPool, f: impl FnOnce() -> R + Send) -> (R, Trace) {
    pool.install(|| {
        record(|| {
            let result = f();
            pool.broadcast(|_| ());
            result
        })
    })
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// How many joins `fib` makes.
fn joins_of_fib(n: u64) -> usize {
    if n < 2 { 0 } else { 1 + joins_of_fib(n - 1) + joins_of_fib(n - 2) }
}

fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn all(trace: &Trace) -> impl Iterator<Item = &Event> {
    trace.workers().flatten().chain(trace.caller()).chain(trace.outside())
}

/// What happened to each job of this kind: how often it was queued, started, ended, joined.
fn lives(trace: &Trace, wanted: Kind) -> HashMap<JobId, [usize; 4]> {
    let mut lives: HashMap<JobId, [usize; 4]> = HashMap::new();
    for event in all(trace) {
        let (job, act) = match event.what {
            What::Pushed { job, kind } | What::Injected { job, kind } if kind == wanted => (job, 0),
            What::Started { job, kind } if kind == wanted => (job, 1),
            What::Ended { job, kind } if kind == wanted => (job, 2),
            _ => continue,
        };
        lives.entry(job).or_default()[act] += 1;
    }
    for event in all(trace) {
        if let What::Joined { job } = event.what
            && let Some(life) = lives.get_mut(&job)
        {
            life[3] += 1;
        }
    }
    lives
}

/// Fails unless the events of each thread are in order, within the time, and nested.
fn assert_sound(trace: &Trace) {
    let mut started = HashMap::new();
    for events in trace.workers().chain([trace.caller()]) {
        assert!(events.is_sorted_by_key(|event| event.at));
        assert!(events.iter().all(|event| event.at <= trace.duration()));
        let mut running = Vec::new();
        for event in events {
            match event.what {
                What::Started { job, kind } => {
                    assert_eq!(started.insert(job, ()), None, "{job:?} starts once");
                    running.push((job, kind));
                }
                What::Ended { job, kind } => {
                    // One from before the recording has no start.
                    assert_eq!(running.pop().unwrap_or((job, kind)), (job, kind));
                }
                _ => {}
            }
        }
    }
    let figures = trace.analysis();
    assert!(figures.span <= figures.work);
    assert!(figures.busy.iter().all(|&busy| busy <= trace.duration()));
}

#[test]
fn a_trace_can_be_sent_shared_and_copied() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug>(_: &T) {}
    let ((), trace) = pool(1).install(|| record(|| ()));
    check(&trace);
    assert_eq!(trace.clone(), trace);
}

#[test]
fn every_half_is_pushed_started_ended_and_joined_once() {
    watchdog(|| {
        for workers in [1, 2, 4] {
            let (result, trace) = recorded(&pool(workers), || fib(15));
            assert_eq!(result, 610);
            assert_eq!(trace.lost(), 0);
            let lives = lives(&trace, Kind::Half);
            assert_eq!(lives.len(), joins_of_fib(15));
            assert!(lives.values().all(|life| *life == [1, 1, 1, 1]), "{lives:?}");
            assert_sound(&trace);
        }
    });
}

#[test]
fn every_job_of_a_scope_is_pushed_started_and_ended_once() {
    watchdog(|| {
        let count = AtomicUsize::new(0);
        let ((), trace) = recorded(&pool(3), || {
            scope(|s| {
                for _ in 0..100 {
                    s.spawn(|s| s.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed)));
                }
            });
        });
        assert_eq!(count.into_inner(), 100);
        let lives = lives(&trace, Kind::Job);
        assert_eq!(lives.len(), 200);
        assert!(lives.values().all(|life| *life == [1, 1, 1, 0]), "{lives:?}");
        let opened = all(&trace).filter(|event| event.what == What::Opened).count();
        let closed = all(&trace).filter(|event| event.what == What::Closed).count();
        assert_eq!((opened, closed), (2, 2), "the scope and the broadcast");
        assert_sound(&trace);
    });
}

#[test]
fn jobs_that_share_a_queue_of_tickets_are_told_apart() {
    watchdog(|| {
        let ((), trace) =
            recorded(&pool(2), || heist_core::scope_fifo(|s| (0..50).for_each(|_| s.spawn_fifo(|_| ()))));
        let lives = lives(&trace, Kind::Job);
        assert_eq!(lives.len(), 50);
        assert!(lives.values().all(|life| *life == [1, 1, 1, 0]), "{lives:?}");
    });
}

#[test]
fn a_steal_names_its_victim() {
    watchdog(|| {
        let pool = pool(2);
        let (victim, trace) = recorded(&pool, || {
            let taken = AtomicBool::new(false);
            let wait = || wait_until(|| taken.load(Ordering::Relaxed));
            join(wait, || taken.store(true, Ordering::Relaxed));
            heist_core::current_thread_index().unwrap()
        });
        let thief = trace.workers().nth(1 - victim).unwrap();
        let steals: Vec<_> = thief
            .iter()
            .filter_map(
                |event| if let What::Stolen { job, from } = event.what { Some((job, from)) } else { None },
            )
            .collect();
        let [(stolen, from)] = steals[..] else { panic!("{steals:?}") };
        assert_eq!(from, victim);
        assert_eq!(trace.steals(), 1);
        assert_eq!(lives(&trace, Kind::Half), [(stolen, [1, 1, 1, 1])].into());
        let started = |event: &Event| event.what == What::Started { job: stolen, kind: Kind::Half };
        assert!(thief.iter().any(started));
    });
}

#[test]
fn parks_and_wakes_pair_up() {
    watchdog(|| {
        let pool = pool(2);
        let (seen, trace) = recorded(&pool, || {
            for _ in 0..20 {
                wait_until(|| sleeping(&pool) == 1);
                let taken = AtomicBool::new(false);
                let wait = || wait_until(|| taken.load(Ordering::Relaxed));
                join(wait, || taken.store(true, Ordering::Relaxed));
            }
            heist_core::current_thread_index().unwrap()
        });
        for events in trace.workers() {
            let parks = |event: &&Event| matches!(event.what, What::Parked | What::Woken);
            let parks: Vec<What> = events.iter().filter(parks).map(|event| event.what).collect();
            assert!(parks.windows(2).all(|pair| pair[0] != pair[1]), "{parks:?}");
        }
        let other = trace.workers().nth(1 - seen).unwrap();
        let wakes = other.iter().filter(|event| event.what == What::Woken).count();
        assert!(wakes >= 20, "{wakes}");
    });
}

#[test]
fn every_wait_is_resumed_from() {
    watchdog(|| {
        let (_, trace) = recorded(&pool(3), || fib(14));
        for events in trace.workers() {
            let mut waits = 0_usize;
            for event in events {
                match event.what {
                    What::Waiting => waits += 1,
                    What::Resumed => waits = waits.checked_sub(1).expect("it waited"),
                    _ => {}
                }
            }
            assert_eq!(waits, 0);
        }
    });
}

/// Eight leaves of the same length: between one and eight can be busy, whatever the number of workers.
#[test]
fn work_span_and_parallelism_follow_from_the_joins() {
    const LEAF: Duration = Duration::from_millis(20);

    fn tree(depth: u32) {
        if depth == 0 {
            return spin(LEAF);
        }
        join(|| tree(depth - 1), || tree(depth - 1));
    }

    watchdog(|| {
        for workers in [1, 2] {
            let ((), trace) = pool(workers).install(|| record(|| tree(3)));
            let figures = trace.analysis();
            assert!(figures.work >= 8 * LEAF, "{figures:?}");
            assert!(figures.span >= LEAF && figures.span <= figures.work, "{figures:?}");
            assert!((1.5..8.001).contains(&figures.parallelism()), "{figures:?}");
            assert!(figures.longest_stretch >= LEAF && figures.longest_stretch <= figures.span);
            assert!(trace.duration() >= figures.work / workers as u32, "{figures:?}");
            assert!(trace.utilisation().iter().all(|share| (0.0..=1.0).contains(share)), "{figures:?}");
            assert_sound(&trace);
        }
    });
}

/// Of each link one half is long and one is short: the short ones are all that can be done beside.
#[test]
fn the_span_of_a_chain_is_that_of_its_longer_halves() {
    const LONG: Duration = Duration::from_millis(100);
    const SHORT: Duration = Duration::from_millis(1);

    watchdog(|| {
        for workers in [1, 2] {
            let chain = || (0..4).for_each(|_| _ = join(|| thread::sleep(LONG), || thread::sleep(SHORT)));
            let ((), trace) = pool(workers).install(|| record(chain));
            let figures = trace.analysis();
            assert!(figures.work >= 4 * (LONG + SHORT), "{figures:?}");
            assert!(figures.span >= 4 * LONG, "{figures:?}");
            assert!((1.0..1.8).contains(&figures.parallelism()), "{figures:?}");
            assert!(figures.longest_stretch >= LONG && figures.longest_stretch < figures.span, "{figures:?}");
            assert_eq!(figures.speedup_limit(64), figures.parallelism());
        }
    });
}

/// Six jobs beside the body, then the same time once more: eight times the work of one, in the time of two.
#[test]
fn the_span_of_a_scope_is_its_longest_job_and_what_comes_after() {
    const PART: Duration = Duration::from_millis(100);

    watchdog(|| {
        for workers in [1, 3] {
            let ((), trace) = pool(workers).install(|| {
                record(|| {
                    scope(|s| {
                        (0..6).for_each(|_| s.spawn(|_| thread::sleep(PART)));
                        thread::sleep(PART);
                    });
                    thread::sleep(PART);
                })
            });
            let figures = trace.analysis();
            assert!(figures.work >= 8 * PART, "{figures:?}");
            assert!(figures.span >= 2 * PART, "{figures:?}");
            assert!((2.0..7.0).contains(&figures.parallelism()), "{figures:?}");
            assert!(figures.longest_stretch >= PART, "{figures:?}");
        }
    });
}

#[test]
fn recording_can_be_switched_on_and_off_under_load() {
    watchdog(|| {
        let pool = Arc::new(pool(2));
        let ended = Arc::new(AtomicBool::new(false));
        let load: Vec<_> = (0..2)
            .map(|_| {
                let (pool, ended) = (pool.clone(), ended.clone());
                thread::spawn(move || {
                    while !ended.load(Ordering::Relaxed) {
                        assert_eq!(pool.install(|| fib(12)), 144);
                    }
                })
            })
            .collect();
        for round in 0..100 {
            let count = AtomicUsize::new(0);
            let work = || {
                pool.scope(|s| (0..10).for_each(|_| s.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed))));
                pool.install(|| fib(8))
            };
            let recorder = Recorder::new().events_per_thread(10_000);
            let (result, trace) = recorder.try_record_in(&pool, work).unwrap();
            assert_eq!((result, count.into_inner()), (21, 10), "in round {round}");
            assert!(all(&trace).count() > 0);
            if trace.lost() == 0 {
                assert_sound(&trace);
            }
        }
        ended.store(true, Ordering::Relaxed);
        load.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_panic_ends_the_recording_and_goes_on() {
    watchdog(|| {
        let pool = pool(2);
        let message = message_of(|| pool.install(|| record(|| -> () { panic!("on air") })));
        assert_eq!(message, "on air");
        let (result, trace) = recorded(&pool, || fib(5));
        assert_eq!(result, 5);
        assert_eq!(lives(&trace, Kind::Half).len(), joins_of_fib(5));
    });
}

#[test]
fn a_half_that_panics_has_an_end_and_is_joined() {
    watchdog(|| {
        for panics_first in [false, true] {
            let ((), trace) = recorded(&pool(1), || {
                let maybe = |panics: bool| assert!(!panics, "one of the halves");
                let both = || join(|| maybe(panics_first), || maybe(!panics_first));
                panic::catch_unwind(AssertUnwindSafe(both)).unwrap_err();
            });
            let lives = lives(&trace, Kind::Half);
            assert_eq!(lives.into_values().collect::<Vec<_>>(), [[1, 1, 1, 1]]);
            assert_sound(&trace);
        }
    });
}

#[test]
fn a_full_buffer_keeps_the_oldest_and_counts_the_others() {
    watchdog(|| {
        let pool = pool(1);
        let record = |events| {
            let recorder = Recorder::new().events_per_thread(events);
            pool.install(|| recorder.record(|| fib(10))).1
        };
        let whole = record(10_000);
        assert_eq!(whole.lost(), 0);
        let cut = record(10);
        let [kept, all] = [&cut, &whole].map(|trace| trace.workers().next().unwrap());
        assert_eq!(kept.len(), 10);
        assert_eq!(cut.lost(), all.len() as u64 - 10);
        let whats = |events: &[Event]| events.iter().map(|event| event.what).collect::<Vec<_>>();
        assert_eq!(whats(kept), whats(&all[..10]));
        let nothing = record(0);
        assert_eq!(nothing.workers().flatten().count(), 0);
        // The thread that waits for all of this may have begun to wait while it was recorded.
        assert!((0..=1).contains(&(nothing.lost() - all.len() as u64)), "{}", nothing.lost());
    });
}

#[test]
fn a_recording_inside_of_a_worker_begins_and_ends_with_its_closure() {
    watchdog(|| {
        let (index, trace) = pool(3).install(|| record(|| heist_core::current_thread_index().unwrap()));
        let own = trace.workers().nth(index).unwrap();
        let is_closure = |what| {
            matches!(
                what,
                What::Started { kind: Kind::Closure, .. } | What::Ended { kind: Kind::Closure, .. }
            )
        };
        assert!(is_closure(own[0].what) && is_closure(own[own.len() - 1].what), "{own:?}");
        assert!(trace.caller().is_empty());
    });
}

#[test]
fn a_recording_from_outside_sees_what_its_thread_hands_to_the_pool() {
    watchdog(|| {
        let (result, trace) = record(|| fib(6));
        assert_eq!(result, 8);
        let whats: Vec<What> = trace.caller().iter().map(|event| event.what).collect();
        let [
            What::Started { kind: Kind::Closure, .. },
            What::Waiting,
            What::Injected { job, kind: Kind::Call },
            What::Resumed,
            What::Joined { job: joined },
            What::Ended { kind: Kind::Closure, .. },
        ] = whats[..]
        else {
            panic!("{whats:?}")
        };
        assert_eq!(joined, job);
        assert_eq!(lives(&trace, Kind::Half).len(), joins_of_fib(6));
        assert!(!trace.span().is_zero());
    });
}

#[test]
fn a_worker_of_another_pool_is_seen_to_wait() {
    watchdog(|| {
        let (own, other) = (pool(1), pool(2));
        let work = || {
            other.in_place_scope(|s| s.spawn(|_| ()));
            other.broadcast(|_| ());
            other.install(|| ());
        };
        let ((), trace) = own.install(|| Recorder::new().try_record_in(&other, work).unwrap());
        let waits = |event: &&Event| matches!(event.what, What::Waiting | What::Resumed);
        let waits: Vec<What> = trace.caller().iter().filter(waits).map(|event| event.what).collect();
        assert_eq!(waits, [What::Waiting, What::Resumed].repeat(3));
        assert_sound(&trace);
    });
}

#[test]
fn two_pools_can_be_recorded_at_once() {
    watchdog(|| {
        let both = Arc::new(Barrier::new(2));
        let record_one = |n: u64| {
            let both = both.clone();
            thread::spawn(move || {
                let work = || {
                    both.wait();
                    let result = fib(n);
                    both.wait();
                    result
                };
                let (_, trace) = recorded(&pool(2), work);
                assert_eq!(lives(&trace, Kind::Half).len(), joins_of_fib(n));
            })
        };
        let threads = [record_one(9), record_one(12)];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_pool_is_recorded_once_at_a_time() {
    watchdog(|| {
        let pool = pool(1);
        let (inner, _) = recorded(&pool, || Recorder::new().try_record(|| unreachable!("not called")));
        let inner: Result<((), Trace), AlreadyRecording> = inner;
        assert!(inner.is_err());
        let message = message_of(|| pool.install(|| record(|| record(|| ()))));
        assert!(message.contains("being recorded already"), "{message}");
        recorded(&pool, || ());
    });
}

#[test]
fn a_task_is_injected_and_polled() {
    watchdog(|| {
        let pool = pool(2);
        let done = Gate::default();
        let open = done.clone();
        let ((), trace) = Recorder::new()
            .try_record_in(&pool, || {
                submit_task(&pool, move || open.open());
                done.pass();
                pool.broadcast(|_| ());
            })
            .unwrap();
        let lives = lives(&trace, Kind::Task);
        assert_eq!(lives.into_values().collect::<Vec<_>>(), [[1, 1, 1, 0]]);
    });
}

#[test]
fn each_kind_of_work_is_told_from_the_others() {
    watchdog(|| {
        let pool = pool(2);
        let done = Gate::default();
        let open = done.clone();
        let ((), trace) = Recorder::new()
            .try_record_in(&pool, || {
                pool.install(|| {
                    join(|| (), || ());
                    spawn(move || open.open());
                });
                done.pass();
                pool.broadcast(|_| ());
                pool.broadcast(|_| ());
            })
            .unwrap();
        let count = |kind| lives(&trace, kind).len();
        assert_eq!([Kind::Call, Kind::Half, Kind::Job, Kind::Task].map(count), [1, 1, 1, 0]);
        assert_eq!(count(Kind::Part), 4);
        assert_eq!(count(Kind::Closure), 1);
        assert_eq!(trace.outside(), []);
    });
}

#[test]
fn what_goes_on_after_the_closure_is_cut_off() {
    watchdog(|| {
        let pool = pool(1);
        let (begun, end) = (Gate::default(), Gate::default());
        let (begin, until_end) = (begun.clone(), end.clone());
        let ((), trace) = Recorder::new()
            .try_record_in(&pool, || {
                pool.spawn(move || {
                    begin.open();
                    until_end.pass();
                });
                begun.pass();
            })
            .unwrap();
        end.open();
        assert_eq!(lives(&trace, Kind::Job).into_values().collect::<Vec<_>>(), [[1, 1, 0, 0]]);
        assert_sound(&trace);
    });
}

#[test]
fn depth_is_that_of_the_own_queue() {
    watchdog(|| {
        let nested = || join(|| join(|| join(|| (), || ()), || ()), || ());
        let (_, trace) = pool(1).install(|| record(nested));
        let depths: Vec<u32> = trace
            .workers()
            .flatten()
            .filter(|event| matches!(event.what, What::Pushed { .. }))
            .map(|event| event.depth)
            .collect();
        assert_eq!(depths, [1, 2, 3]);
    });
}
