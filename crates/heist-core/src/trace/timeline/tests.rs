use super::*;
use crate::trace::{What::*, made_up::*};
use std::collections::HashSet;

/// Fails unless the timeline has the properties that its module states.
fn assert_sound(trace: &Trace) {
    let timeline = Timeline::of(trace);
    let [mut left, mut arrived] = [HashMap::new(), HashMap::new()];
    for (index, track) in timeline.tracks.iter().enumerate() {
        assert!(track.points.is_sorted_by_key(|point| point.at), "{track:?}");
        assert!(
            track.points.iter().all(|point| u128::from(point.at) <= trace.duration().as_nanos()),
            "{track:?}"
        );
        let mut open = 0_usize;
        for Point { at, shape } in &track.points {
            match shape {
                Shape::Begin(_) => open += 1,
                Shape::End => open = open.checked_sub(1).expect("it has begun"),
                Shape::Mark(_) | Shape::Depth(..) => {}
            }
            if let Shape::Begin(Label { arrow: Some(arrow), job, .. })
            | Shape::Mark(Label { arrow: Some(arrow), job, .. }) = shape
            {
                let side = if *arrow == Arrow::Leaves { &mut left } else { &mut arrived };
                assert_eq!(side.insert(job.expect("an arrow is of a job"), (index, *at)), None);
            }
        }
        assert_eq!(open, 0, "{track:?}");
    }
    let jobs = |ends: &HashMap<JobId, (usize, u64)>| ends.keys().copied().collect::<HashSet<_>>();
    assert_eq!(jobs(&left), jobs(&arrived));
    for (job, (from, leaves)) in left {
        let (to, arrives) = arrived[&job];
        assert!(from != to && leaves <= arrives, "{job:?}");
    }
}

/// The slices of a track, each with its depth, its beginning and its end.
fn slices(track: &Track) -> Vec<(usize, &'static str, u64, u64)> {
    let (mut open, mut slices) = (Vec::new(), Vec::new());
    for Point { at, shape } in &track.points {
        match shape {
            Shape::Begin(label) => {
                open.push(slices.len());
                slices.push((open.len() - 1, label.name, *at, 0));
            }
            Shape::End => slices[open.pop().expect("it has begun")].3 = *at,
            Shape::Mark(_) | Shape::Depth(..) => {}
        }
    }
    slices
}

fn depths(track: &Track, queue: Queue) -> Vec<(u64, u32)> {
    let depth = |point: &Point| match point.shape {
        Shape::Depth(of, depth) if of == queue => Some((point.at, depth)),
        _ => None,
    };
    track.points.iter().filter_map(depth).collect()
}

#[test]
fn slices_are_nested_as_the_calls_were_and_cut_at_the_ends() {
    let trace = example();
    assert_sound(&trace);
    let timeline = Timeline::of(&trace);
    let names: Vec<&str> = timeline.tracks.iter().map(|track| track.name.as_str()).collect();
    assert_eq!(names, ["worker 0", "worker 1", "recorder", "other threads"]);
    let expected = [
        (0, "job", 0, 50),
        (0, "call", 1_200, 5_000),
        (1, "scope", 1_300, 4_000),
        (2, "wait", 3_000, 4_000),
        (3, "job", 3_100, 3_900),
        (0, "task", 6_000, 7_000),
        (0, "asleep", 7_500, 10_000),
    ];
    assert_eq!(slices(&timeline.tracks[0]), expected);
    assert_eq!(slices(&timeline.tracks[1]), [(0, "asleep", 0, 1_700), (0, "half", 1_950, 10_000)]);
    let caller = [(0, "recorded closure", 0, 10_000), (1, "wait", 1_000, 5_050)];
    assert_eq!(slices(&timeline.tracks[2]), caller);
    assert_eq!(slices(&timeline.tracks[3]), []);
}

#[test]
fn an_arrow_leads_from_the_push_to_the_thief() {
    let timeline = Timeline::of(&example());
    let ends = |track: &Track, wanted: Arrow| -> Vec<(u64, u64, Option<usize>)> {
        let end = |point: &Point| match &point.shape {
            Shape::Begin(label) | Shape::Mark(label) if label.arrow == Some(wanted) => {
                Some((point.at, label.job?.number(), label.stolen_from))
            }
            _ => None,
        };
        track.points.iter().filter_map(end).collect()
    };
    let [worker_0, worker_1, recorder, others] = &timeline.tracks[..] else { panic!("{timeline:?}") };
    // Noted at 2,000 and stolen at 1,900; so it was there before that.
    assert_eq!(ends(worker_0, Arrow::Leaves), [(1_899, 2, None)]);
    assert_eq!(ends(worker_1, Arrow::Arrives), [(1_950, 2, Some(0))]);
    assert_eq!(ends(recorder, Arrow::Leaves), [(1_050, 1, None)]);
    assert_eq!(ends(others, Arrow::Leaves), [(5_500, 4, None)]);
    assert_eq!(ends(worker_0, Arrow::Arrives), [(1_200, 1, None), (6_000, 4, None)]);
}

#[test]
fn what_is_started_by_its_pusher_or_by_nobody_has_no_arrow() {
    let trace = trace(&[&[(1, push(1)), (2, start(1)), (3, end(1)), (4, push(2))]]);
    assert!(arrows(&trace).is_empty());
    assert_eq!(slices(&Timeline::of(&trace).tracks[0]), [(0, "half", 2, 3)]);
}

#[test]
fn queues_have_their_depths_where_they_change() {
    let timeline = Timeline::of(&example());
    let worker = &timeline.tracks[0];
    // The job is there a moment after it is noted.
    let deque = [(50, 2), (2_000, 3), (2_500, 4), (3_000, 3), (3_100, 2)];
    assert_eq!(depths(worker, Queue::Deque), deque);
    assert_eq!(depths(worker, Queue::Ring), [(6_000, 1), (7_000, 0)]);
    assert_eq!(worker.queues().collect::<Vec<_>>(), [Queue::Deque, Queue::Ring]);
    assert_eq!(timeline.tracks[1].queues().collect::<Vec<_>>(), [Queue::Deque]);
    assert_eq!(timeline.tracks[2].queues().count(), 0);
}

#[test]
fn a_thread_whose_buffer_was_full_is_drawn_to_its_last_event() {
    let trace = Trace { lost: vec![0, 3, 0, 0], ..example() };
    assert_sound(&trace);
    let timeline = Timeline::of(&trace);
    assert_eq!(slices(&timeline.tracks[1]), [(0, "asleep", 0, 1_700), (0, "half", 1_950, 9_000)]);
}

#[test]
fn what_encloses_all_that_was_seen_began_before_it() {
    let trace = trace(&[&[(100, Woken), (200, Resumed), (300, start(1)), (400, end(1)), (500, end(2))]]);
    assert_sound(&trace);
    let expected = [(0, "half", 0, 500), (1, "wait", 0, 200), (2, "asleep", 0, 100), (1, "half", 300, 400)];
    assert_eq!(slices(&Timeline::of(&trace).tracks[0]), expected);
}

#[test]
fn whatever_the_events_are_the_timeline_is_sound() {
    // All sequences of four of these, on two workers.
    let whats = [push(1), start(1), end(1), Waiting, Resumed, Opened, Closed, Parked, Woken, steal(1, 0)];
    let sequence = |mut number: usize, begin: u64| -> Vec<(u64, What)> {
        let mut next = || {
            let what = whats[number % whats.len()];
            number /= whats.len();
            what
        };
        (0..4).map(|step| (begin + 2 * step, next())).collect()
    };
    for number in 0..whats.len().pow(4) {
        let (one, other) = (sequence(number, 1), sequence(number * 7919 + 13, 2));
        // A job is pushed once and started once, which is what the recorder sees to.
        let times = |what| one.iter().chain(&other).filter(|event| event.1 == what).count();
        if times(push(1)) <= 1 && times(start(1)) <= 1 {
            assert_sound(&trace(&[&one, &other]));
        }
    }
}
