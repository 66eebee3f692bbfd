//! A global pool whose only thread has no loop: a spare thread runs the tasks, and else sleeps.
#![cfg(target_os = "linux")]
use std::{fs, thread, time::Duration};

fn looks() -> u64 {
    let status = |path: &std::path::Path| fs::read_to_string(path.join("status")).unwrap_or_default();
    fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|task| status(&task.unwrap().path()))
        .filter(|status| status.lines().any(|line| line == "Name:\theist-watch"))
        .flat_map(|status| {
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:\t"));
            count.and_then(|count| count.trim().parse::<u64>().ok())
        })
        .sum()
}

#[test]
fn the_watch_of_a_pool_without_posts_rests_when_nothing_happens() {
    heist_core::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().unwrap();
    heist_rt::block_on(heist_rt::task::spawn(async {})).unwrap();
    // It would look every 5 ms. The machine may have other plans.
    let quiet = || {
        let before = looks();
        thread::sleep(Duration::from_millis(200));
        looks() - before <= 2
    };
    assert!((0..20).any(|_| quiet()));
}
