//! Recordings of real pools, exported: whatever they saw, the files are well-formed.

mod common;

use common::{Gate, pool, submit_task, watchdog};
use heist_core::{
    join, scope,
    trace::{Recorder, Trace},
};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn events(trace: &Trace) -> Vec<Value> {
    let mut file = Vec::new();
    trace.write_chrome_json(&mut file).unwrap();
    let Value::Array(events) = serde_json::from_slice::<Value>(&file).unwrap()["traceEvents"].take() else {
        panic!("no list of events");
    };
    events
}

/// Fails unless the events of each thread are in order and nested, and flows have two ends.
fn assert_well_formed(trace: &Trace) {
    let events = events(trace);
    let (mut threads, mut open, mut last) = (HashSet::new(), HashMap::new(), HashMap::new());
    let mut flows: HashMap<u64, Vec<(String, u64, f64)>> = HashMap::new();
    for event in &events {
        if event["name"] == "thread_name" {
            threads.insert(event["tid"].as_u64().unwrap());
        }
        let Some(at) = event["ts"].as_f64() else { continue };
        let thread = event["tid"].as_u64().unwrap();
        assert!(threads.contains(&thread), "{event}");
        assert!(at * 1e3 <= trace.duration().as_nanos() as f64 + 1.0, "{event}");
        assert!(at >= last.insert(thread, at).unwrap_or(0.0), "{event}");
        let open: &mut usize = open.entry(thread).or_default();
        match event["ph"].as_str().unwrap() {
            "B" => *open += 1,
            "E" => *open = open.checked_sub(1).unwrap_or_else(|| panic!("{event}")),
            end @ ("s" | "f") => {
                let flow = flows.entry(event["id"].as_u64().unwrap()).or_default();
                flow.push((end.to_owned(), thread, at));
            }
            _ => {}
        }
    }
    assert!(open.values().all(|&open| open == 0), "{open:?}");
    for (id, mut ends) in flows {
        ends.sort_by(|one, other| other.0.cmp(&one.0));
        let [(start, from, left), (finish, to, arrived)] = &ends[..] else { panic!("{id}: {ends:?}") };
        assert!(start == "s" && finish == "f" && from != to && left <= arrived, "{id}: {ends:?}");
    }
    let mut file = Vec::new();
    trace.write_perfetto(&mut file).unwrap();
    assert!(!file.is_empty());
}

#[test]
fn a_stolen_half_is_at_the_end_of_a_flow() {
    watchdog(|| {
        let pool = pool(2);
        let record = || {
            let taken = AtomicBool::new(false);
            let wait = || common::wait_until(|| taken.load(Ordering::Relaxed));
            join(wait, || taken.store(true, Ordering::Relaxed));
        };
        let ((), trace) = pool.install(|| heist_core::trace::record(record));
        assert_well_formed(&trace);
        let events = events(&trace);
        let stolen: Vec<&Value> =
            events.iter().filter(|event| !event["args"]["stolen from worker"].is_null()).collect();
        let [stolen] = stolen[..] else { panic!("{stolen:?}") };
        let arrives = |event: &&Value| event["ph"] == "f" && event["id"] == stolen["args"]["job"];
        let arrow = events.iter().find(arrives).expect("there is an arrow");
        assert_eq!(arrow["tid"], stolen["tid"]);
    });
}

#[test]
fn every_kind_of_work_can_be_exported() {
    watchdog(|| {
        let pool = pool(3);
        let done = Gate::default();
        let open = done.clone();
        let ((), trace) = Recorder::new()
            .try_record_in(&pool, || {
                submit_task(&pool, move || open.open());
                pool.install(|| fib(12));
                pool.install(|| scope(|s| (0..20).for_each(|_| s.spawn(|s| s.spawn(|_| ())))));
                done.pass();
                pool.broadcast(|_| ());
            })
            .unwrap();
        assert_eq!(trace.lost(), 0);
        assert_well_formed(&trace);
        let events = events(&trace);
        for name in
            ["half", "job", "task", "call", "part of a broadcast", "recorded closure", "scope", "wait"]
        {
            assert!(events.iter().any(|event| event["name"] == name && event["ph"] == "B"), "{name}");
        }
        assert!(trace.summary().to_string().contains("worker 2"));
    });
}

#[test]
fn what_is_cut_at_both_ends_is_well_formed() {
    watchdog(|| {
        let pool = Arc::new(pool(2));
        let ended = Arc::new(AtomicBool::new(false));
        let load = {
            let (pool, ended) = (pool.clone(), ended.clone());
            thread::spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    pool.scope(|s| (0..10).for_each(|_| s.spawn(|_| _ = fib(8))));
                }
            })
        };
        for round in 0..20 {
            // Sometimes there is not enough room.
            let recorder = Recorder::new().events_per_thread(if round % 2 == 0 { 10_000 } else { 100 });
            let (_, trace) = recorder.try_record_in(&pool, || pool.install(|| fib(6))).unwrap();
            assert_well_formed(&trace);
            assert!(!trace.summary().to_string().is_empty());
        }
        ended.store(true, Ordering::Relaxed);
        load.join().unwrap();
    });
}
