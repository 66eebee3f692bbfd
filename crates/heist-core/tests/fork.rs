//! Threads do not survive a fork: in the child a pool of the parent says so, and a new one works.

#![cfg(unix)]

mod common;

use common::{
    Gate, alone, assert_success, builder, in_subprocess, message, message_of, pool, submit_task,
    wait_until_asleep, watchdog,
};
use heist_core::{
    ThreadPool, broadcast, in_place_scope, join, scope, spawn, spawn_broadcast, spawn_fifo, trace::Recorder,
};
use std::{
    panic::{self, AssertUnwindSafe},
    thread,
};

const TEXT: &str = "heist: this pool was made before the process forked, and its threads exist in the parent \
                    only; build a pool of its own in the child (ThreadPoolBuilder::build) or call exec";

/// Calls `test` in the child of a fork; fails if that does not return. To be called [alone]: a lock that
/// another test holds at the fork would stay locked in the child.
fn in_child(test: impl FnOnce()) {
    // SAFETY: the child runs on with the one thread that it has, allocates (which the C library allows it
    // to), and ends by `_exit`: no destructor and no handler of the parent runs in it.
    unsafe {
        match libc::fork() {
            -1 => panic!("no fork: {}", std::io::Error::last_os_error()),
            0 => {
                // Ends a child that hangs, sooner than its parent gives up.
                libc::alarm(30);
                let failed = panic::catch_unwind(AssertUnwindSafe(test)).map_err(|payload| {
                    let text = message(&*payload);
                    // Not by std, whose lock may be held by a thread that is not there.
                    libc::write(2, text.as_ptr().cast(), text.len());
                });
                libc::_exit(failed.is_err().into());
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                let hangs = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGALRM;
                assert!(!hangs, "the child hangs");
                assert_eq!(status, 0, "the child failed");
            }
        }
    }
}

/// Everything that would wait for a worker of the pool, or leave it a job.
fn assert_all_panic(calls: &[&dyn Fn()]) {
    for (number, call) in calls.iter().enumerate() {
        assert_eq!(message_of(call), TEXT, "call {number}");
    }
}

fn assert_works(pool: &ThreadPool) {
    assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
    let mut jobs = [false; 100];
    pool.scope(|s| jobs.iter_mut().for_each(|job| s.spawn(|_| *job = true)));
    assert!(jobs.iter().all(|ran| *ran));
    // Also if it has to be woken, and if a half has to be stolen.
    wait_until_asleep(pool);
    let stolen = Gate::default();
    pool.install(|| join(|| stolen.pass(), || stolen.open()));
    assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
}

#[test]
fn in_the_child_a_pool_of_the_parent_panics_instead_of_hanging() {
    alone("in_the_child_a_pool_of_the_parent_panics_instead_of_hanging", || {
        let pool = pool(2);
        assert_works(&pool);
        in_child(|| {
            assert_all_panic(&[
                &|| pool.install(|| ()),
                &|| _ = pool.join(|| (), || ()),
                &|| pool.scope(|_| ()),
                &|| pool.scope_fifo(|_| ()),
                &|| pool.in_place_scope(|s| s.spawn(|_| ())),
                &|| pool.in_place_scope_fifo(|s| s.spawn_fifo(|_| ())),
                &|| pool.in_place_scope(|s| s.spawn_broadcast(|_, _| ())),
                &|| pool.spawn(|| ()),
                &|| pool.spawn_fifo(|| ()),
                &|| pool.spawn_at(0, || ()),
                &|| _ = pool.broadcast(|_| ()),
                &|| pool.spawn_broadcast(|_| ()),
                &|| submit_task(&pool, || ()),
                &|| _ = Recorder::new().try_record_in(&pool, || ()),
            ]);
            assert_eq!(message_of(|| pool.shutdown()), TEXT);
        });
    });
}

#[test]
fn in_the_child_the_global_pool_of_the_parent_panics_instead_of_hanging() {
    alone("in_the_child_the_global_pool_of_the_parent_panics_instead_of_hanging", || {
        assert_eq!(join(|| 1, || 2), (1, 2));
        in_child(|| {
            assert_all_panic(&[
                &|| _ = join(|| (), || ()),
                &|| scope(|_| ()),
                &|| in_place_scope(|s| s.spawn(|_| ())),
                &|| spawn(|| ()),
                &|| spawn_fifo(|| ()),
                &|| _ = broadcast(|_| ()),
                &|| spawn_broadcast(|_| ()),
            ]);
        });
        assert_eq!(join(|| 1, || 2), (1, 2));
    });
}

#[test]
fn in_the_child_a_new_pool_works_and_the_old_one_can_be_dropped() {
    alone("in_the_child_a_new_pool_works_and_the_old_one_can_be_dropped", || {
        let parents = pool(2);
        wait_until_asleep(&parents);
        in_child(|| {
            drop(parents);
            let childs = pool(2);
            assert_works(&childs);
            childs.shutdown();
        });
    });
}

#[test]
fn the_parents_pool_works_on() {
    alone("the_parents_pool_works_on", || {
        let pool = pool(2);
        in_child(|| ());
        assert_works(&pool);
        pool.shutdown();
    });
}

#[test]
fn a_pool_of_the_child_is_dead_in_the_grandchild() {
    alone("a_pool_of_the_child_is_dead_in_the_grandchild", || {
        in_child(|| {
            let childs = pool(2);
            assert_works(&childs);
            in_child(|| {
                assert_all_panic(&[&|| childs.install(|| ())]);
                assert_works(&pool(2));
            });
            assert_works(&childs);
        });
    });
}

#[test]
fn a_worker_that_forks_can_still_join_by_itself() {
    alone("a_worker_that_forks_can_still_join_by_itself", || {
        pool(1).install(|| {
            in_child(|| {
                assert_eq!(join(|| 1, || 2), (1, 2));
                assert_all_panic(&[&|| spawn(|| ()), &|| _ = broadcast(|_| ())]);
            });
        });
    });
}

/// The child goes on inside of a job of a pool that it has lost, or on a thread that was adopted by it.
#[test]
fn a_worker_that_forks_can_use_a_new_pool() {
    alone("a_worker_that_forks_can_use_a_new_pool", || {
        let use_new_pool = || {
            in_child(|| {
                let childs = pool(2);
                assert_works(&childs);
                let mut ran = false;
                childs.in_place_scope(|s| s.spawn(|_| ran = true));
                assert!(ran);
                childs.shutdown();
            });
        };
        pool(2).install(use_new_pool);
        let _adopted = builder(2).use_current_thread().build().unwrap();
        use_new_pool();
    });
}

#[test]
fn in_the_child_the_parents_pool_can_be_dropped_beside_a_new_one() {
    alone("in_the_child_the_parents_pool_can_be_dropped_beside_a_new_one", || {
        let parents = pool(2);
        wait_until_asleep(&parents);
        in_child(|| {
            let childs = pool(2);
            drop(parents);
            childs.shutdown();
        });
    });
}

/// In a process of its own each time, since there is one first pool in each. What the child must not do is
/// wait for the thread that was in the middle of it.
#[test]
fn a_fork_while_another_thread_builds_the_first_pool_leaves_a_child_that_can_build_one() {
    const NAME: &str = "a_fork_while_another_thread_builds_the_first_pool_leaves_a_child_that_can_build_one";
    for round in 0..20 {
        let global = round % 2 == 0;
        let body = move || {
            let builds = thread::spawn(move || if global { _ = join(|| (), || ()) } else { drop(pool(2)) });
            (0..round).for_each(|_| thread::yield_now());
            in_child(|| {
                assert_eq!(pool(2).install(|| 1), 1);
                // The global pool is the parent's, or not there yet.
                let global = panic::catch_unwind(|| join(|| 1, || 2));
                assert!(global.is_ok_and(|sum| sum == (1, 2)) || round % 2 == 0);
            });
            builds.join().unwrap();
        };
        match in_subprocess(NAME, &[], || watchdog(body)) {
            Some(output) => assert_success(&output),
            None => return,
        }
    }
}

#[test]
fn a_recording_that_ends_in_the_child_has_no_events() {
    alone("a_recording_that_ends_in_the_child_has_no_events", || {
        let pool = pool(2);
        let fork = || {
            pool.install(|| ());
            // SAFETY: as in `in_child`.
            unsafe { libc::fork() }
        };
        let (child, trace) = Recorder::new().try_record_in(&pool, fork).unwrap();
        let events = trace.workers().flatten().count() + trace.caller().len();
        assert_ne!(child, -1, "no fork: {}", std::io::Error::last_os_error());
        if child == 0 {
            // SAFETY: ends the child.
            unsafe { libc::_exit((events > 0).into()) };
        }
        let mut status = 0;
        // SAFETY: `status` is ours to write to.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "the child has seen events");
        assert!(events > 0);
    });
}
