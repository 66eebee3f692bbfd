//! Nobody oversleeps: when all workers have parked, one push of any kind is enough. And sleepers use no CPU.

mod common;

use common::{Gate, SIZES, pool, sleeping, submit_task, wait_until, wait_until_asleep, watchdog};
use heist_core::{ThreadPool, current_thread_index, join, scope, spawn};
use std::sync::{Arc, mpsc};

/// Tells of its call.
fn event() -> (impl FnOnce() + Send + 'static, impl FnOnce()) {
    let (sender, receiver) = mpsc::channel();
    (move || sender.send(()).unwrap(), move || receiver.recv().unwrap())
}

/// For pools of all sizes that have at least `smallest` workers: lets all of them fall asleep and calls
/// `push`, again and again.
fn when_all_sleep(smallest: usize, push: impl Fn(&Arc<ThreadPool>, usize) + Send + Sync + 'static) {
    watchdog(move || {
        for workers in SIZES.into_iter().filter(|&workers| workers >= smallest) {
            let pool = Arc::new(pool(workers));
            for round in 0..if workers < 10 { 200 } else { 20 } {
                wait_until_asleep(&pool);
                push(&pool, round);
            }
        }
    });
}

/// The same from inside: calls `push` on a worker when all others sleep.
fn when_the_others_sleep(push: impl Fn(&ThreadPool) + Send + Sync + 'static) {
    when_all_sleep(2, move |pool, _| {
        pool.install(|| {
            wait_until(|| sleeping(pool) == pool.current_num_threads() - 1);
            push(pool);
        });
    });
}

#[test]
fn install_from_outside_wakes_a_worker() {
    when_all_sleep(1, |pool, round| assert_eq!(pool.install(|| round), round));
}

#[test]
fn spawn_from_outside_wakes_a_worker() {
    when_all_sleep(1, |pool, round| {
        let (job, ran) = event();
        if round % 2 == 0 {
            pool.spawn(job)
        } else {
            pool.spawn_fifo(job)
        }
        ran();
    });
}

#[test]
fn a_scope_in_place_wakes_a_worker() {
    when_all_sleep(1, |pool, _| pool.in_place_scope(|s| s.spawn(|_| ())));
}

#[test]
fn a_placed_job_wakes_its_addressee() {
    when_all_sleep(1, |pool, round| {
        let workers = pool.current_num_threads();
        // The first, the last, those around the border of a word, and others.
        let addressee =
            [0, workers - 1, 63.min(workers - 1), 64.min(workers - 1), round * 7 % workers][round % 5];
        let (sender, receiver) = mpsc::channel();
        pool.spawn_at(addressee, move || sender.send(current_thread_index()).unwrap());
        assert_eq!(receiver.recv().unwrap(), Some(addressee));
    });
}

#[test]
fn a_placed_job_wakes_each_worker_of_the_pool() {
    watchdog(|| {
        for workers in SIZES {
            let pool = pool(workers);
            for addressee in 0..workers {
                wait_until_asleep(&pool);
                let (job, ran) = event();
                pool.spawn_at(addressee, job);
                ran();
            }
        }
    });
}

#[test]
fn a_broadcast_wakes_everybody() {
    when_all_sleep(1, |pool, round| {
        if round < 10 {
            assert_eq!(pool.broadcast(|_| ()).len(), pool.current_num_threads());
        }
    });
}

#[test]
fn a_task_from_outside_wakes_a_worker() {
    when_all_sleep(1, |pool, _| {
        let (run, ran) = event();
        submit_task(pool, run);
        ran();
    });
}

#[test]
fn a_half_wakes_a_thief() {
    when_the_others_sleep(|_| {
        let stolen = Gate::default();
        join(|| stolen.pass(), || stolen.open());
    });
}

#[test]
fn a_spawned_job_wakes_a_thief() {
    when_the_others_sleep(|_| {
        let (job, ran) = event();
        spawn(job);
        ran();
    });
}

#[test]
fn a_job_in_a_scope_wakes_a_thief() {
    when_the_others_sleep(|_| {
        let stolen = Gate::default();
        scope(|s| {
            s.spawn(|_| stolen.open());
            stolen.pass();
        });
    });
}

#[test]
fn a_task_that_another_one_drove_out_of_the_slot_wakes_a_thief() {
    when_the_others_sleep(|pool| {
        let (run, ran) = event();
        submit_task(pool, run);
        submit_task(pool, || ());
        ran();
    });
}

#[test]
fn many_pushes_at_once_bring_everybody_to_work() {
    watchdog(|| {
        for workers in SIZES {
            let pool = pool(workers);
            for _ in 0..3 {
                wait_until_asleep(&pool);
                let all_here = Arc::new(std::sync::Barrier::new(workers + 1));
                for _ in 0..workers {
                    let all_here = all_here.clone();
                    pool.spawn(move || _ = all_here.wait());
                }
                all_here.wait();
            }
        }
    });
}

#[test]
fn halves_of_a_tree_bring_everybody_to_work() {
    fn meet(all_here: &std::sync::Barrier, leaves: usize) {
        if leaves == 1 {
            all_here.wait();
            return;
        }
        join(|| meet(all_here, leaves / 2), || meet(all_here, leaves - leaves / 2));
    }
    watchdog(|| {
        for workers in SIZES {
            let pool = pool(workers);
            for _ in 0..3 {
                wait_until_asleep(&pool);
                pool.install(|| meet(&std::sync::Barrier::new(workers), workers));
            }
        }
    });
}

#[test]
fn one_push_wakes_few() {
    watchdog(|| {
        let (workers, rounds) = (64, 50);
        let pool = pool(workers);
        wait_until_asleep(&pool);
        let before = pool.stats().total().wakes;
        for _ in 0..rounds {
            pool.install(|| ());
            wait_until_asleep(&pool);
        }
        let wakes = pool.stats().total().wakes - before;
        assert!(wakes <= 10 * rounds, "{wakes} wakes for {rounds} jobs");
    });
}

#[cfg(unix)]
#[test]
fn an_idle_pool_uses_no_cpu() {
    use std::{mem::MaybeUninit, thread, time::Duration};

    fn cpu_time() -> Duration {
        let mut usage = MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: the call fills it in if it succeeds.
        let usage = unsafe {
            assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0);
            usage.assume_init()
        };
        let time = |of: libc::timeval| Duration::new(of.tv_sec as u64, of.tv_usec as u32 * 1000);
        time(usage.ru_utime) + time(usage.ru_stime)
    }

    common::alone("an_idle_pool_uses_no_cpu", || {
        for workers in [2, 65] {
            let pool = pool(workers);
            pool.broadcast(|_| ());
            wait_until_asleep(&pool);
            let before = cpu_time();
            thread::sleep(Duration::from_millis(200));
            let used = cpu_time() - before;
            assert!(used < Duration::from_millis(5), "{workers} idle workers used {used:?}");
        }
    });
}
