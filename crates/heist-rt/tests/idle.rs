//! A runtime that has nothing to do does nothing: not even its watch looks about.
#![cfg(target_os = "linux")]

mod common;

use common::{Gate, watchdog};
use heist_rt::{runtime::Builder, task};
use std::{fs, thread, time::Duration};

/// How often the threads of this process with this name have gone to sleep so far.
fn sleeps(name: &str) -> u64 {
    let status = |path: &std::path::Path| fs::read_to_string(path.join("status")).unwrap_or_default();
    let of_name = |status: &String| status.lines().any(|line| line == format!("Name:\t{name}"));
    fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|task| status(&task.unwrap().path()))
        .filter(of_name)
        .flat_map(|status| {
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:\t"));
            count.and_then(|count| count.trim().parse::<u64>().ok())
        })
        .sum()
}

/// One after the other: they count all threads of the process.
#[test]
fn nobody_looks_about_while_nothing_happens() {
    all_threads_of_an_idle_runtime_sleep();
    the_watch_rests_while_only_the_relief_is_held_up();
}

fn all_threads_of_an_idle_runtime_sleep() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("idler").build().unwrap();
        runtime.block_on(runtime.spawn(async {})).unwrap();
        // The watch would look every 5 ms, and rests after a few looks. The machine may have other plans.
        let quiet = || {
            let before = sleeps("idler") + sleeps("heist-watch");
            thread::sleep(Duration::from_millis(200));
            sleeps("idler") + sleeps("heist-watch") - before <= 2
        };
        assert!((0..20).any(|_| quiet()));
        // And wakes up again.
        runtime.block_on(runtime.spawn(async {})).unwrap();
    });
}

/// The workers sleep; the relief is in a task that blocks, and will leave when that is over.
fn the_watch_rests_while_only_the_relief_is_held_up() {
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let [worker, begun, relief] = [(); 3].map(|()| Gate::default());
    let (open, wait, away) = (begun.clone(), worker.clone(), Gate::default());
    let there = away.clone();
    runtime.pool().spawn(move || {
        there.open();
        wait.pass();
    });
    away.pass();
    let wait = relief.clone();
    runtime.spawn(async move {
        assert!(heist_core::current_thread_index().is_none());
        open.open();
        task::block_in_place(|| wait.pass());
    });
    begun.pass();
    worker.open();
    let quiet = || {
        let before = sleeps("heist-watch");
        thread::sleep(Duration::from_millis(200));
        sleeps("heist-watch") - before <= 2
    };
    let rests = (0..20).any(|_| quiet());
    relief.open();
    assert!(rests);
}
