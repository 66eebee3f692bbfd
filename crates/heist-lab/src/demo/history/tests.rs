use super::super::check::check;
use super::*;

fn note(at: u64, what: Noted) -> Note {
    Note { at, depth: 0, what }
}

/// About a task, with so many in the ring.
fn with_ring(depth: u32, note: Note) -> Note {
    Note { depth, ..note }
}

fn pushed(at: u64, job: u64, kind: Kind) -> Note {
    note(at, Noted::Pushed { job, kind })
}

fn injected(at: u64, job: u64, kind: Kind) -> Note {
    note(at, Noted::Injected { job, kind })
}

fn stolen(at: u64, job: u64, from: usize) -> Note {
    note(at, Noted::Stolen { job, from })
}

fn started(at: u64, job: u64, kind: Kind) -> Note {
    note(at, Noted::Started { job, kind })
}

fn ended(at: u64, job: u64) -> Note {
    note(at, Noted::Ended { job })
}

/// Notes in which the program's task `n` is job `n`, unless it says otherwise.
fn notes(workers: Vec<Vec<Note>>, outside: Vec<Note>, task_of: impl Fn(u64) -> usize) -> Notes {
    let begun = |list: &Vec<Note>| {
        let job = |note: &Note| if let Noted::Started { job, .. } = note.what { Some(job) } else { None };
        list.iter().filter_map(job).map(&task_of).collect()
    };
    Notes { begun: workers.iter().map(begun).collect(), workers, outside: vec![outside] }
}

fn plain(workers: Vec<Vec<Note>>, outside: Vec<Note>) -> Notes {
    notes(workers, outside, |job| job as usize)
}

fn plans(tasks: usize) -> Vec<Plan> {
    (0..tasks).map(|n| Plan { size_us: 10, label: n.to_string() }).collect()
}

/// The history, which must be one that can have happened.
fn clear(notes: &Notes, tasks: usize) -> History {
    let history = history(notes, &plans(tasks)).expect("it is clear what happened");
    check(&history, notes.workers.len()).unwrap_or_else(|why| panic!("{why}: {history:#?}"));
    history
}

/// What happened, without times and without who slept.
fn story(history: &History) -> Vec<(Option<usize>, What)> {
    let events = history.events.iter().filter(|event| !matches!(event.what, What::Park | What::Wake));
    events.map(|event| (event.worker, event.what.clone())).collect()
}

fn steal(by: usize, from: usize, queue: Queue, tasks: &[usize]) -> (Option<usize>, What) {
    (Some(by), What::Steal { from, queue, tasks: tasks.to_vec() })
}

fn place(story: &[(Option<usize>, What)], what: &(Option<usize>, What)) -> usize {
    story.iter().position(|told| told == what).unwrap_or_else(|| panic!("no {what:?} in {story:?}"))
}

#[test]
fn a_half_that_was_stolen_before_its_push_was_noted_is_pushed_first() {
    let owner = vec![
        started(10, 0, Kind::Call),
        pushed(50, 1, Kind::Half),
        note(60, Noted::Waiting),
        note(90, Noted::Resumed),
        ended(95, 0),
    ];
    let thief = vec![stolen(30, 1, 0), started(40, 1, Kind::Half), ended(80, 1)];
    let history = clear(&plain(vec![owner, thief], vec![injected(5, 0, Kind::Call)]), 2);
    let story = story(&history);
    let push = (Some(0), What::Push { task: 1, queue: Queue::Deque, evicted: None });
    assert!(place(&story, &push) < place(&story, &steal(1, 0, Queue::Deque, &[1])));
    assert_eq!((history.tasks[1].born, history.tasks[1].parent), (Some(0), Some(0)));
    assert_eq!(history.events[0].at, 0.0, "time begins with the first birth");
}

#[test]
fn a_theft_that_is_noted_after_the_owner_has_gone_on_comes_before_that() {
    // The thief took 0 before the owner took 1, and then 2 could only be taken by the owner.
    let owner = vec![
        pushed(1, 0, Kind::Job),
        pushed(2, 1, Kind::Job),
        started(3, 1, Kind::Job),
        ended(10, 1),
        pushed(11, 2, Kind::Job),
        started(12, 2, Kind::Job),
        ended(20, 2),
    ];
    let thief = vec![stolen(15, 0, 0), started(16, 0, Kind::Job), ended(30, 0)];
    clear(&plain(vec![owner, thief], vec![]), 3);
}

#[test]
fn thefts_from_one_deque_are_in_the_order_of_the_pushes() {
    let owner = vec![pushed(1, 0, Kind::Job), pushed(2, 1, Kind::Job)];
    let quick = vec![stolen(10, 1, 0), started(11, 1, Kind::Job), ended(30, 1)];
    let slow = vec![stolen(20, 0, 0), started(21, 0, Kind::Job), ended(30, 0)];
    let story = story(&clear(&plain(vec![owner, quick, slow], vec![]), 2));
    let (first, second) = (steal(2, 0, Queue::Deque, &[0]), steal(1, 0, Queue::Deque, &[1]));
    assert!(place(&story, &first) < place(&story, &second));
}

#[test]
fn what_went_along_with_a_theft_is_what_nobody_else_took_from_that_ring() {
    let push = |at, job| pushed(at, job, Kind::Task);
    let run = |at, job| [started(at, job, Kind::Task), ended(at + 5, job)];
    let owner =
        [vec![push(1, 0), push(2, 1), push(3, 2), push(4, 3)], run(10, 2).to_vec(), run(20, 3).to_vec()];
    let thief = [vec![stolen(5, 0, 0)], run(6, 0).to_vec(), run(30, 1).to_vec()];
    let story = story(&clear(&plain(vec![owner.concat(), thief.concat()], vec![]), 4));
    place(&story, &steal(1, 0, Queue::Ring, &[0, 1]));
}

#[test]
fn a_task_that_is_stolen_back_went_along_twice() {
    let push = |at, job| pushed(at, job, Kind::Task);
    let run = |at, job| [started(at, job, Kind::Task), ended(at + 5, job)];
    // Worker 1 takes 0 to 3 of six; worker 0 runs 4 and 5, then takes 1 and 2 back.
    let pushes = (0..6).map(|job| push(job + 1, job)).collect::<Vec<_>>();
    let owner = [
        pushes,
        run(10, 4).to_vec(),
        run(20, 5).to_vec(),
        vec![stolen(30, 1, 1)],
        run(31, 1).to_vec(),
        run(40, 2).to_vec(),
    ];
    let thief = [vec![stolen(7, 0, 0)], run(8, 0).to_vec(), run(50, 3).to_vec()];
    let story = story(&clear(&plain(vec![owner.concat(), thief.concat()], vec![]), 6));
    place(&story, &steal(1, 0, Queue::Ring, &[0, 1, 2, 3]));
    place(&story, &steal(0, 1, Queue::Ring, &[1, 2]));
}

#[test]
fn a_task_that_a_task_wakes_goes_to_the_slot_and_evicts_what_is_there() {
    let worker = vec![
        started(10, 0, Kind::Task),
        pushed(11, 1, Kind::Task),
        pushed(12, 2, Kind::Task),
        with_ring(1, ended(20, 0)),
        with_ring(1, started(21, 2, Kind::Task)),
        with_ring(1, ended(30, 2)),
        started(31, 1, Kind::Task),
        ended(40, 1),
    ];
    let story = story(&clear(&plain(vec![worker], vec![injected(1, 0, Kind::Task)]), 3));
    place(&story, &(Some(0), What::Push { task: 1, queue: Queue::Slot, evicted: None }));
    place(&story, &(Some(0), What::Push { task: 2, queue: Queue::Slot, evicted: Some(1) }));
}

#[test]
fn a_batch_from_the_injector_ends_where_the_next_one_begins() {
    let run =
        |at, job, ring| [with_ring(ring, started(at, job, Kind::Task)), with_ring(ring, ended(at + 5, job))];
    let outside = (0..5).map(|job| injected(job + 1, job, Kind::Task)).collect();
    let one = [run(10, 0, 2), run(20, 1, 1), run(30, 2, 0)].concat();
    let other = [run(10, 3, 1), run(20, 4, 0)].concat();
    let story = story(&clear(&plain(vec![one, other], outside), 5));
    place(&story, &(Some(0), What::Take { queue: Queue::Injector, tasks: vec![0, 1, 2] }));
    place(&story, &(Some(1), What::Take { queue: Queue::Injector, tasks: vec![3, 4] }));
}

#[test]
fn a_batch_that_follows_a_robbery_is_found_though_the_ring_does_not_show_it() {
    let run =
        |at, job, ring| [with_ring(ring, started(at, job, Kind::Task)), with_ring(ring, ended(at + 5, job))];
    let outside = (0..5).map(|job| injected(job + 1, job, Kind::Task)).collect();
    // When 0 ends, 1 is still in the ring. Then it is stolen, and 4 is taken from the injector.
    let robbed = [run(10, 0, 1), run(30, 4, 0)].concat();
    let robber = [vec![stolen(20, 1, 0)], run(21, 1, 0).to_vec()].concat();
    let third = [run(12, 2, 1), run(25, 3, 0)].concat();
    let story = story(&clear(&plain(vec![robbed, robber, third], outside), 5));
    place(&story, &(Some(0), What::Take { queue: Queue::Injector, tasks: vec![0, 1] }));
    place(&story, &(Some(2), What::Take { queue: Queue::Injector, tasks: vec![2, 3] }));
    place(&story, &(Some(0), What::Take { queue: Queue::Injector, tasks: vec![4] }));
}

#[test]
fn a_task_that_is_woken_before_its_end_is_noted_has_ended_before() {
    // Jobs 1 and 3 are the same task: worker 1 wakes it before worker 0 has noted that its poll is over.
    let task_of = |job| if job == 3 { 1 } else { job as usize };
    let one = vec![started(10, 1, Kind::Task), ended(30, 1)];
    let other = vec![
        started(10, 0, Kind::Task),
        pushed(20, 3, Kind::Task),
        ended(40, 0),
        started(41, 3, Kind::Task),
        ended(50, 3),
    ];
    let outside = vec![injected(1, 1, Kind::Task), injected(2, 0, Kind::Task)];
    let history = clear(&notes(vec![one, other], outside, task_of), 2);
    let story = story(&history);
    let end = (Some(0), What::End { task: 0, more: true });
    let push = (Some(1), What::Push { task: 0, queue: Queue::Slot, evicted: None });
    assert!(place(&story, &end) < place(&story, &push));
}

#[test]
fn a_task_that_was_woken_while_it_ran_goes_to_the_ring() {
    let task_of = |_| 0;
    let worker = vec![
        started(10, 0, Kind::Task),
        pushed(20, 1, Kind::Task),
        with_ring(1, ended(21, 0)),
        started(30, 1, Kind::Task),
        ended(40, 1),
    ];
    let history = clear(&notes(vec![worker], vec![injected(1, 0, Kind::Task)], task_of), 1);
    let told = [
        (None, What::Inject { task: 0, queue: Queue::Injector, to: None }),
        (Some(0), What::Take { queue: Queue::Injector, tasks: vec![0] }),
        (Some(0), What::Start { task: 0 }),
        (Some(0), What::End { task: 0, more: true }),
        (Some(0), What::Push { task: 0, queue: Queue::Ring, evicted: None }),
        (Some(0), What::Start { task: 0 }),
        (Some(0), What::End { task: 0, more: false }),
    ];
    assert_eq!(story(&history), told);
}

#[test]
fn an_end_that_was_cut_off_is_made_up() {
    let worker = vec![pushed(1, 0, Kind::Job), started(2, 0, Kind::Job)];
    let history = clear(&plain(vec![worker], vec![]), 1);
    assert_eq!(history.events.last().map(|event| &event.what), Some(&What::End { task: 0, more: false }));
}

#[test]
fn who_is_woken_first_has_slept_before() {
    let awake =
        vec![pushed(10, 0, Kind::Job), started(11, 0, Kind::Job), ended(20, 0), note(30, Noted::Parked)];
    let sleeper = vec![note(15, Noted::Woken), note(25, Noted::Parked)];
    let history = clear(&plain(vec![awake, sleeper, vec![]], vec![]), 1);
    let first: Vec<_> =
        history.events[..2].iter().map(|event| (event.at, event.worker, &event.what)).collect();
    assert_eq!(first, [(0.0, Some(1), &What::Park), (0.0, Some(2), &What::Park)]);
}

#[test]
fn tasks_are_numbered_in_the_order_of_birth() {
    let worker = vec![
        pushed(1, 2, Kind::Job),
        pushed(2, 0, Kind::Job),
        pushed(3, 1, Kind::Job),
        started(4, 1, Kind::Job),
        ended(5, 1),
        started(6, 0, Kind::Job),
        ended(7, 0),
        started(8, 2, Kind::Job),
        ended(9, 2),
    ];
    let history = clear(&plain(vec![worker], vec![]), 3);
    let labels: Vec<_> = history.tasks.iter().map(|task| task.label.as_str()).collect();
    assert_eq!(labels, ["2", "0", "1"]);
}

#[test]
fn more_events_than_there_is_room_for_are_cut_off() {
    let jobs = 0..(MOST_EVENTS as u64);
    let notes = jobs.flat_map(|job| {
        let at = job * 3;
        [pushed(at, job, Kind::Job), started(at + 1, job, Kind::Job), ended(at + 2, job)]
    });
    let history = clear(&plain(vec![notes.collect()], vec![]), MOST_EVENTS);
    assert!(history.cut);
    assert_eq!(history.events.len(), MOST_EVENTS);
}

#[test]
fn what_cannot_have_happened_is_an_error() {
    let complaint = |notes: Notes| history(&notes, &plans(4)).expect_err("it cannot").0;
    let from_nowhere = vec![stolen(1, 0, 1), started(2, 0, Kind::Job), ended(3, 0)];
    assert!(complaint(plain(vec![from_nowhere, vec![]], vec![])).starts_with("nothing is possible"));
    let oldest_first = vec![pushed(1, 0, Kind::Job), pushed(2, 1, Kind::Job), started(3, 0, Kind::Job)];
    assert!(complaint(plain(vec![oldest_first], vec![])).contains("never started"));
    let mut silent = plain(vec![vec![pushed(1, 0, Kind::Job), started(2, 0, Kind::Job)]], vec![]);
    silent.begun[0].clear();
    assert_eq!(complaint(silent), "more was started than begun");
    let mut noisy = plain(vec![vec![]], vec![]);
    noisy.begun[0].push(0);
    assert_eq!(complaint(noisy), "more was begun than started");
}
