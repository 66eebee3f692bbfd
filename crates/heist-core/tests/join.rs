//! `join`: both closures run, once, wherever; both results come back.

mod common;

use common::{Gate, Log, builder, pool, watchdog};
use heist_core::{
    FnContext, current_thread_has_pending_tasks, current_thread_index, join, join_context, spawn,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Calls `join` such that the second closure is stolen.
fn join_stolen<RA: Send, RB: Send>(a: impl FnOnce() -> RA + Send, b: impl FnOnce() -> RB + Send) -> (RA, RB) {
    let stolen = Gate::default();
    join(
        || {
            stolen.pass();
            a()
        },
        || {
            stolen.open();
            b()
        },
    )
}

#[test]
fn both_results_come_back_from_outside_of_a_pool_and_from_inside() {
    watchdog(|| {
        assert_eq!(join(|| 1, || "two"), (1, "two"));
        assert_eq!(pool(1).join(|| 1, || "two"), (1, "two"));
        assert_eq!(pool(2).install(|| join_stolen(|| 1, || "two")), (1, "two"));
    });
}

#[test]
fn joins_nest() {
    watchdog(|| {
        for workers in [1, 2, 3, 8] {
            assert_eq!(pool(workers).install(|| fib(18)), 2584, "{workers} workers");
        }
    });
}

#[test]
fn closures_may_borrow_from_the_caller() {
    watchdog(|| {
        let mut numbers: Vec<u32> = (0..1000).collect();
        let (left, right) = numbers.split_at_mut(500);
        pool(2).install(|| {
            join_stolen(|| left.iter_mut().for_each(|n| *n += 1), || right.iter_mut().for_each(|n| *n += 1))
        });
        assert!(numbers.into_iter().eq(1..1001));
    });
}

fn migrated(context: FnContext) -> bool {
    context.migrated()
}

#[test]
fn called_from_outside_of_a_pool_both_closures_have_migrated() {
    watchdog(|| assert_eq!(join_context(migrated, migrated), (true, true)));
}

#[test]
fn a_half_that_nobody_stole_has_not_migrated() {
    watchdog(|| assert_eq!(pool(1).install(|| join_context(migrated, migrated)), (false, false)));
}

#[test]
fn a_stolen_half_has_migrated_to_another_worker() {
    watchdog(|| {
        let stolen = Gate::default();
        let place = |context: FnContext| (context.migrated(), current_thread_index());
        let ((a_migrated, a), (b_migrated, b)) = pool(2).install(|| {
            let a = |context| {
                stolen.pass();
                place(context)
            };
            let b = |context| {
                stolen.open();
                place(context)
            };
            join_context(a, b)
        });
        assert_eq!((a_migrated, b_migrated), (false, true));
        assert_ne!(a, b);
    });
}

#[test]
fn a_half_is_pending_while_the_first_runs_and_gone_afterwards() {
    watchdog(|| {
        pool(1).install(|| {
            assert_eq!(current_thread_has_pending_tasks(), Some(false));
            let (during_a, during_b) =
                join(current_thread_has_pending_tasks, current_thread_has_pending_tasks);
            assert_eq!((during_a, during_b), (Some(true), Some(false)));
            assert_eq!(current_thread_has_pending_tasks(), Some(false));
        });
    });
}

#[test]
fn joins_may_be_nested_ten_thousand_deep() {
    fn left(depth: usize) -> usize {
        if depth == 0 { 0 } else { join(|| left(depth - 1), || 1).0 + 1 }
    }
    fn right(depth: usize) -> usize {
        if depth == 0 { 0 } else { join(|| 1, || right(depth - 1)).1 + 1 }
    }
    watchdog(|| {
        for workers in [1, 2] {
            let pool = builder(workers).stack_size(256 << 20).build().unwrap();
            assert_eq!(pool.install(|| left(10_000)), 10_000);
            assert_eq!(pool.install(|| right(10_000)), 10_000);
        }
    });
}

#[test]
fn results_may_be_zero_sized_or_large() {
    watchdog(|| {
        let large = |byte: u8| [byte; 1 << 14];
        let check = |((), b): ((), [u8; 1 << 14])| assert_eq!(b, large(7));
        check(pool(1).install(|| join(|| (), || large(7))));
        check(pool(2).install(|| join_stolen(|| (), || large(7))));
        assert_eq!(pool(2).install(|| join_stolen(|| large(1), || ())).0, large(1));
    });
}

#[test]
fn what_closures_capture_and_return_is_dropped_once() {
    watchdog(|| {
        let token = Arc::new(());
        for workers in [1, 2] {
            pool(workers).install(|| {
                // Of each three, the first is dropped inside, the others here.
                let half = || {
                    let captured = (token.clone(), token.clone(), token.clone());
                    move || {
                        let (_inside, one, two) = captured;
                        (one, two)
                    }
                };
                let both = if workers == 1 { join(half(), half()) } else { join_stolen(half(), half()) };
                assert_eq!(Arc::strong_count(&token), 5);
                drop(both);
            });
            assert_eq!(Arc::strong_count(&token), 1);
        }
    });
}

#[test]
fn jobs_that_the_first_half_left_on_the_deque_run_before_the_second() {
    watchdog(|| {
        let log = Log::default();
        pool(1).install(|| {
            let spawned = |name| {
                let log = log.clone();
                spawn(move || log.add(name));
            };
            let a = || {
                spawned("first");
                spawned("second");
                log.add("a");
            };
            join(a, || log.add("b"));
        });
        assert_eq!(log.take(), ["a", "second", "first", "b"]);
    });
}

#[test]
fn a_stolen_half_is_waited_for_although_the_first_left_jobs_on_the_deque() {
    watchdog(|| {
        let pool = pool(2);
        let ran = Arc::new(AtomicUsize::new(0));
        for round in 1..=100 {
            let b_ran = pool.install(|| {
                let leave_one = || {
                    let ran = ran.clone();
                    spawn(move || _ = ran.fetch_add(1, Ordering::Relaxed));
                };
                join_stolen(leave_one, || true).1
            });
            assert!(b_ran);
            common::wait_until(|| ran.load(Ordering::Relaxed) == round);
        }
    });
}

#[test]
fn an_unbalanced_tree_is_summed_up_whoever_steals_what() {
    fn leaves(seed: u64, depth: u32) -> u64 {
        let next = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        if depth == 0 || next >> 61 == 0 {
            return 1;
        }
        let (left, right) = join(|| leaves(next, depth - 1), || leaves(!next, depth / 2));
        left + right
    }
    watchdog(|| {
        let expected = pool(1).install(|| leaves(1, 40));
        for workers in [2, 3, 4, 16] {
            let pool = pool(workers);
            for _ in 0..20 {
                assert_eq!(pool.install(|| leaves(1, 40)), expected);
            }
        }
    });
}
