//! What the recorder takes back is complete and its own: loom tries every interleaving of those who note
//! something and the one who ends the recording.

use super::{
    event::{Code, Entry, Kind},
    tracer::{Recording, Tracer},
};
use crate::sync::{Arc, model, thread};

fn entry(job: u64) -> Entry {
    Entry::about(Code::Started, job, Kind::Job)
}

/// Whether the entries are the first ones of `1, 2, …`.
fn assert_beginning(recording: &Recording, worker: usize) {
    let (entries, lost) = recording.workers[worker].read();
    assert_eq!(lost, 0);
    let jobs: Vec<u64> = entries.iter().map(|entry| entry.job).collect();
    assert_eq!(jobs, (1..=jobs.len() as u64).collect::<Vec<_>>());
}

/// A write that comes after it was taken shows in a second look; a half-written entry has no job.
#[test]
fn nobody_writes_to_what_was_taken() {
    model(|| {
        let tracer = Arc::new(Tracer::new(1));
        tracer.show(Recording::new(1, 2)).unwrap();
        let worker = {
            let tracer = tracer.clone();
            thread::spawn(move || (1..=2).for_each(|job| tracer.note(Some(0), entry(job))))
        };
        let recording = tracer.take();
        assert_beginning(&recording, 0);
        let taken = recording.workers[0].read();
        worker.join().unwrap();
        assert_eq!(recording.workers[0].read(), taken);
    });
}

#[test]
fn a_later_recording_gets_nothing_of_an_earlier_one() {
    model(|| {
        let tracer = Arc::new(Tracer::new(1));
        tracer.show(Recording::new(1, 1)).unwrap();
        let worker = {
            let tracer = tracer.clone();
            thread::spawn(move || tracer.note(Some(0), entry(1)))
        };
        let first = tracer.take();
        tracer.show(Recording::new(1, 1)).unwrap();
        worker.join().unwrap();
        let second = tracer.take();
        let noted = |recording: &Recording| recording.workers[0].read().0.len();
        assert!(noted(&first) + noted(&second) <= 1);
        assert_beginning(&first, 0);
        assert_beginning(&second, 0);
    });
}

#[test]
fn threads_from_outside_share_a_buffer() {
    model(|| {
        let tracer = Arc::new(Tracer::new(0));
        tracer.show(Recording::new(0, 1)).unwrap();
        let note = |job| {
            let tracer = tracer.clone();
            thread::spawn(move || tracer.note(None, entry(job)))
        };
        let threads = [note(7), note(8)];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let recording = tracer.take();
        // Under loom they are one thread to the standard library.
        let (entries, lost) = recording.caller.read();
        assert_eq!((entries.len(), lost), (1, 1));
        assert!([7, 8].contains(&entries[0].job));
    });
}
