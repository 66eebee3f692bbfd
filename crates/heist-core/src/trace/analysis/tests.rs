//! Figures of traces whose times were made up.

use super::*;
use crate::trace::{What::*, made_up::*};

fn assert_figures(trace: &Trace, work: u64, span: u64) {
    let figures = trace.analysis();
    assert_eq!((figures.work, figures.span), (nanos(work), nanos(span)));
    assert_eq!((trace.work(), trace.span()), (nanos(work), nanos(span)));
}

#[test]
fn a_plain_run_is_one_chain() {
    let trace = trace(&[&[(100, start(1)), (400, end(1))]]);
    assert_figures(&trace, 300, 300);
    assert_eq!(trace.parallelism(), 1.0);
    assert_eq!(trace.utilisation(), [0.3]);
    assert_eq!(trace.longest_stretch(), nanos(300));
}

#[test]
fn nothing_is_one_chain_of_nothing() {
    let trace = trace(&[&[], &[(10, Parked), (20, Woken)]]);
    assert_figures(&trace, 0, 0);
    assert_eq!(trace.parallelism(), 1.0);
    assert_eq!(trace.utilisation(), [0.0, 0.0]);
}

/// Before 10, first half 100, second half 60, after 5.
#[test]
fn a_join_on_one_worker_is_as_long_as_its_longer_half() {
    let trace = trace(&[&[
        (0, start(1)),
        (10, push(2)),
        (110, start(2)),
        (170, end(2)),
        (170, join(2)),
        (175, end(1)),
    ]]);
    assert_figures(&trace, 175, 115);
    assert_eq!(trace.steals(), 0);
    assert_eq!(trace.longest_stretch(), nanos(100));
}

/// The same, stolen; the second half is longer, and the first worker waits.
#[test]
fn waiting_for_a_stolen_half_is_not_work() {
    let trace = trace(&[
        &[
            (0, start(1)),
            (10, push(2)),
            (110, Waiting),
            (130, Parked),
            (300, Woken),
            (310, Resumed),
            (310, join(2)),
            (315, end(1)),
        ],
        &[(20, steal(2, 0)), (20, start(2)), (300, end(2))],
    ]);
    assert_figures(&trace, 10 + 100 + 280 + 5, 10 + 280 + 5);
    assert_eq!(trace.steals(), 1);
    assert_eq!(trace.utilisation(), [0.115, 0.28]);
}

#[test]
fn what_runs_on_top_of_a_wait_is_not_part_of_its_chain() {
    let trace = trace(&[
        &[
            (0, start(1)),
            (10, push(2)),
            (20, Waiting),
            (30, start(9)),
            (530, end(9)),
            (540, Resumed),
            (540, join(2)),
            (550, end(1)),
        ],
        &[(15, start(2)), (115, end(2))],
    ]);
    assert_figures(&trace, (10 + 10 + 10) + 500 + 100, 500);
    assert_eq!(trace.longest_stretch(), nanos(500));
}

/// ((a 10 | b 20) then 1 | (c 30 | d 40) then 2), on one worker.
#[test]
fn nested_joins_take_the_longest_of_all_chains() {
    let trace = trace(&[&[
        (0, start(1)),
        (0, push(2)),
        (0, push(3)),
        (10, start(3)),
        (30, end(3)),
        (30, join(3)),
        (31, start(2)),
        (31, push(4)),
        (61, start(4)),
        (101, end(4)),
        (101, join(4)),
        (103, end(2)),
        (103, join(2)),
        (103, end(1)),
    ]]);
    assert_figures(&trace, 103, 42);
    assert!((trace.parallelism() - 103.0 / 42.0).abs() < 1e-9);
}

#[test]
fn two_joins_in_a_row_add_up() {
    let one =
        |at: u64, job| [(at, push(job)), (at + 40, start(job)), (at + 70, end(job)), (at + 70, join(job))];
    let events = [&[(0, start(1))][..], &one(0, 2), &one(70, 3), &[(140, end(1))]].concat();
    assert_figures(&trace(&[&events]), 140, 80);
}

#[test]
fn a_scope_waits_for_jobs_and_for_those_that_they_spawned() {
    let trace = trace(&[&[
        (0, start(1)),
        (5, Opened),
        (5, push(2)),
        (10, push(3)),
        (10, Waiting),
        (10, start(3)),
        (20, end(3)),
        (20, start(2)),
        (30, push(4)),
        (40, end(2)),
        (40, start(4)),
        (140, end(4)),
        (140, Resumed),
        (140, Closed),
        (150, end(1)),
    ]]);
    assert_figures(&trace, 150, 5 + 10 + 100 + 10);
}

#[test]
fn a_job_that_nobody_waits_for_goes_on_beside() {
    let trace = trace(&[&[(0, start(1)), (10, push(2)), (50, end(1)), (50, start(2)), (250, end(2))]]);
    assert_figures(&trace, 250, 210);
}

#[test]
fn what_a_half_has_left_behind_goes_on_after_its_join_and_is_awaited_by_the_scope() {
    let trace = trace(&[&[
        (0, start(1)),
        (0, Opened),
        (0, push(2)),
        (10, start(2)),
        (20, push(3)),
        (30, end(2)),
        (30, join(2)),
        (50, Waiting),
        (50, start(3)),
        (150, end(3)),
        (150, Resumed),
        (150, Closed),
        (151, end(1)),
    ]]);
    // Of 2 ten, then 3, then the end of 1.
    assert_figures(&trace, 151, 10 + 100 + 1);
}

#[test]
fn a_call_from_the_caller_continues_its_chain() {
    let caller =
        [(0, start(1)), (100, Waiting), (110, inject(2)), (400, Resumed), (400, join(2)), (450, end(1))];
    let trace = trace_with_caller(&[&[(150, start(2)), (350, end(2))]], &caller);
    assert_figures(&trace, 100 + 200 + 50, 350);
    assert_eq!(trace.utilisation(), [0.2], "the caller is no worker");
}

#[test]
fn what_began_before_or_goes_on_after_the_recording_is_cut_off() {
    let trace = trace(&[
        &[(300, end(7)), (400, Parked)],
        &[(600, start(8)), (700, push(9))],
        &[(200, Resumed), (250, end(5))],
    ]);
    assert_figures(&trace, 300 + 400 + 50, 400);
    assert_eq!(trace.utilisation(), [0.3, 0.4, 0.05]);
}

#[test]
fn joins_may_be_nested_deeper_than_a_stack() {
    let depth = 50_000;
    let down = (0..depth).flat_map(|job| [(job, start(job)), (job, push(job + 1))]);
    let up = (0..depth).rev().flat_map(|job| [(depth, join(job + 1)), (depth, end(job))]);
    let events: Vec<_> = down.chain([(depth, start(depth)), (depth, end(depth))]).chain(up).collect();
    let trace = Trace { duration: nanos(depth), ..trace(&[&events]) };
    // Each pushes at once and then starts what it pushed.
    assert_figures(&trace, depth, 1);
}

#[test]
fn a_damaged_trace_gives_some_figures() {
    let trace = trace(&[&[
        (1, join(3)),
        (2, Closed),
        (3, start(1)),
        (4, push(1)),
        (5, Opened),
        (6, Closed),
        (7, Closed),
        (8, end(1)),
        (9, end(1)),
    ]]);
    let figures = trace.analysis();
    assert!(figures.span <= figures.work);
}

#[test]
fn a_thread_whose_buffer_was_full_is_seen_until_its_last_event_only() {
    let whole = trace(&[&[(0, start(1)), (300, push(2))], &[(100, start(3))]]);
    assert_eq!(whole.utilisation(), [1.0, 0.9]);
    let cut = Trace { lost: vec![7, 0, 0, 0], ..whole };
    assert_eq!(cut.lost(), 7);
    assert_eq!(cut.utilisation(), [0.3, 0.9]);
}

#[test]
fn the_speedup_is_bounded_by_the_workers_and_by_the_parallelism() {
    let figures = Analysis {
        work: nanos(800),
        span: nanos(200),
        longest_stretch: nanos(100),
        busy: Vec::new(),
        steals: 0,
    };
    assert_eq!([1, 2, 4, 8].map(|workers| figures.speedup_limit(workers)), [1.0, 2.0, 4.0, 4.0]);
    assert_eq!(figures.greedy_speedup(1), 1.0);
    assert_eq!(figures.greedy_speedup(2), 1.6);
    assert_eq!(figures.greedy_speedup(6), 800.0 / 300.0);
    let nothing = Analysis { work: nanos(0), span: nanos(0), ..figures };
    assert_eq!((nothing.speedup_limit(4), nothing.greedy_speedup(4)), (1.0, 1.0));
}
