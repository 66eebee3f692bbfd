use super::*;
use crate::trace::{What::*, made_up::*};

fn summary(work: u64, span: u64, longest_stretch: u64, busy: &[u64]) -> Summary {
    let worker = |&busy| WorkerSummary { busy: nanos(busy), runs: 10, ..WorkerSummary::default() };
    Summary {
        duration: nanos(10_000_000),
        analysis: Analysis {
            work: nanos(work),
            span: nanos(span),
            longest_stretch: nanos(longest_stretch),
            busy: busy.iter().map(|&busy| nanos(busy)).collect(),
            steals: 0,
        },
        workers: busy.iter().map(worker).collect(),
        events: 100,
        lost: 0,
    }
}

#[test]
fn the_example_is_summed_up_as_it_was() {
    let text = example().summary().to_string();
    assert_eq!(text + "\n", include_str!("../golden/example.summary.txt"), "\n{}", example().summary());
}

#[test]
fn a_chain_of_one_stretch_is_to_be_split() {
    let advice = summary(8_000_000, 3_300_000, 3_100_000, &[5_000_000, 3_000_000]).advice();
    let expected = "As it was forked here, the longest chain takes 41 % of the work: more than 2.4 workers \
                    do not help. The longest stretch without a fork takes 3.10 ms, 94 % of the span: split \
                    it.";
    assert_eq!(advice, [expected]);
}

#[test]
fn a_stretch_that_is_far_longer_than_all_others_may_be_an_accident() {
    let mut summary = summary(8_000_000, 3_300_000, 3_100_000, &[5_000_000, 3_000_000]);
    summary.workers[0].runs = 500;
    assert!(summary.advice()[0].ends_with("split it, or see whether something else had its core."));
}

#[test]
fn a_chain_of_many_parts_is_a_matter_of_their_order() {
    let advice = summary(8_000_000, 7_900_000, 10_000, &[4_000_000, 4_000_000]).advice();
    assert_eq!(advice.len(), 1);
    assert!(advice[0].starts_with("Nearly all of the work is one chain"), "{advice:?}");
    assert!(advice[0].contains("the longest takes 10.0 µs"), "{advice:?}");
}

#[test]
fn busy_workers_with_enough_to_do_are_told_to_be_more() {
    let advice = summary(19_000_000, 1_000_000, 10_000, &[9_500_000, 9_500_000]).advice();
    assert_eq!(
        advice,
        ["The workers were busy 95 % of the time, and up to 19 could be: more cores would help."]
    );
}

#[test]
fn idle_workers_with_enough_to_do_are_pointed_at() {
    let idle = summary(6_000_000, 100_000, 10_000, &[5_000_000, 1_000_000]);
    assert!(idle.advice()[0].contains("busy only 30 % of the time. Look for when they sleep"));
    let brief = Summary { duration: nanos(900_000), ..summary(600_000, 1_000, 100, &[300_000, 300_000]) };
    assert!(brief.advice()[0].contains("busy only 33 % of the time. It was over so soon"));
}

#[test]
fn work_outside_of_the_pool_is_pointed_at() {
    let advice = summary(10_000_000, 10_000_000, 9_000_000, &[1_000_000]).advice();
    assert!(advice[1].starts_with("90 % of the work was done by the recording thread"), "{advice:?}");
}

#[test]
fn many_short_runs_are_pointed_at() {
    let mut summary = summary(4_000_000, 1_000, 100, &[4_000_000]);
    assert!(!summary.advice().concat().contains("A run takes"));
    summary.workers[0].runs = 10_000;
    assert!(summary.advice()[1].starts_with("A run takes 400 ns on average"), "{:?}", summary.advice());
}

#[test]
fn where_events_were_lost_there_is_no_other_advice() {
    let lost = Summary { lost: 12_345, ..summary(8_000, 8_000, 8_000, &[8_000]) };
    assert_eq!(lost.advice().len(), 1);
    assert!(lost.to_string().contains("12,345 events did not fit"), "{lost}");
}

#[test]
fn nothing_at_all_can_be_summed_up() {
    let nothing = trace(&[&[], &[]]).summary();
    assert_eq!(nothing.advice(), ["Nothing ran in the pool while it was recorded."]);
    assert_eq!((nothing.utilisation(), nothing.runs()), (0.0, 0));
    assert!(nothing.to_string().contains("worker 1    0 %"), "{nothing}");
    let no_time = Trace { duration: Duration::ZERO, ..trace(&[]) };
    assert!(no_time.summary().to_string().contains("Nothing ran"));
}

#[test]
fn sleep_is_counted_from_the_beginning_and_to_the_end() {
    let trace = trace(&[
        &[(100, Woken), (150, start(1)), (200, end(1)), (300, Parked), (400, Woken), (900, Parked)],
        &[],
    ]);
    let workers = trace.summary().workers;
    assert_eq!(workers[0].asleep, nanos(100 + 100 + 100));
    assert_eq!(workers[0].busy, nanos(50));
    assert_eq!(workers[1].asleep, nanos(END), "nothing was seen of it");
}

#[test]
fn times_have_three_digits_and_a_unit() {
    let times = [0, 999, 1_000, 12_345, 999_499, 999_500, 123_456_789, 61_000_000_000];
    let texts = ["0 ns", "999 ns", "1.00 µs", "12.3 µs", "999 µs", "1.00 ms", "123 ms", "61.0 s"];
    assert_eq!(times.map(|n| time(nanos(n))), texts);
}

#[test]
fn thousands_are_set_apart() {
    assert_eq!([0, 999, 1_000, 12_345_678].map(count), ["0", "999", "1,000", "12,345,678"]);
}

#[test]
fn a_bar_is_always_as_long() {
    for (busy, asleep) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.51, 0.51), (0.015, 0.984), (1.2, 0.1)] {
        assert_eq!(bar(busy, asleep).chars().count(), BAR);
    }
}

#[test]
fn advice_fits_a_terminal() {
    let lines = wrapped(&"word ".repeat(100));
    assert!(lines.lines().count() > 5);
    assert!(lines.lines().all(|line| line.chars().count() <= 80));
}
