//! A runtime that has nothing to do does nothing: not even its watch looks about.
#![cfg(target_os = "linux")]

mod common;

use common::watchdog;
use heist_rt::runtime::Builder;
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

#[test]
fn all_threads_of_an_idle_runtime_sleep() {
    watchdog(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("idler").build().unwrap();
        runtime.block_on(runtime.spawn(async {})).unwrap();
        // The watch would look every 5 ms, and rests after a few looks. The machine may have other plans.
        let quiet = || {
            let before = sleeps("idler") + sleeps("heist-watch");
            assert!(before > 0);
            thread::sleep(Duration::from_millis(200));
            sleeps("idler") + sleeps("heist-watch") - before <= 2
        };
        assert!((0..20).any(|_| quiet()));
        // And wakes up again.
        runtime.block_on(runtime.spawn(async {})).unwrap();
    });
}
