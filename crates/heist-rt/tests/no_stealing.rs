//! Where stealing is off, nobody is woken for what is in another worker's slot.
use heist_rt::task;
use std::{thread, time::Duration};

#[test]
fn nobody_is_woken_for_a_task_that_nobody_may_take() {
    heist_core::ThreadPoolBuilder::new().num_threads(2).stealing(false).build_global().unwrap();
    let handle = heist_rt::runtime::Handle::global();
    let wakes = || handle.metrics().workers().total().wakes;
    let woken = heist_rt::block_on(task::spawn(async move {
        task::spawn(async {});
        thread::sleep(Duration::from_millis(100));
        let before = wakes();
        thread::sleep(Duration::from_millis(500));
        wakes() - before
    }))
    .unwrap();
    assert!(woken <= 2, "woken {woken} times in vain");
}
