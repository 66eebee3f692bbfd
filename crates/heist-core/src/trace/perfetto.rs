//! The timeline in the form of Perfetto's own traces.
//!
//! A trace is a sequence of packets. The first ones describe the tracks: the process, the threads in it, the
//! counters of each thread. Then come the events, each with its track. Their names stand in full: a table of
//! names would save a third, at the price of state.

use super::{
    data::Trace,
    proto::Message,
    timeline::{Label, Point, Queue, Shape, Timeline, Track},
};
use std::io::{self, BufWriter, Write};

/// The fields that are used, by message, as `perfetto_trace.proto` numbers them.
mod field {
    pub(super) mod trace {
        pub(in super::super) const PACKET: u32 = 1;
    }

    pub(super) mod packet {
        pub(in super::super) const TIMESTAMP: u32 = 8;
        pub(in super::super) const SEQUENCE_ID: u32 = 10;
        pub(in super::super) const TRACK_EVENT: u32 = 11;
        pub(in super::super) const SEQUENCE_FLAGS: u32 = 13;
        pub(in super::super) const TRACK_DESCRIPTOR: u32 = 60;
    }

    pub(super) mod track {
        pub(in super::super) const UUID: u32 = 1;
        pub(in super::super) const NAME: u32 = 2;
        pub(in super::super) const PROCESS: u32 = 3;
        pub(in super::super) const THREAD: u32 = 4;
        pub(in super::super) const PARENT_UUID: u32 = 5;
        pub(in super::super) const COUNTER: u32 = 8;
    }

    pub(super) mod process {
        pub(in super::super) const PID: u32 = 1;
        pub(in super::super) const NAME: u32 = 6;
    }

    pub(super) mod thread {
        pub(in super::super) const PID: u32 = 1;
        pub(in super::super) const TID: u32 = 2;
        pub(in super::super) const NAME: u32 = 5;
    }

    pub(super) mod counter {
        pub(in super::super) const UNIT: u32 = 3;
    }

    pub(super) mod event {
        pub(in super::super) const ANNOTATION: u32 = 4;
        pub(in super::super) const TYPE: u32 = 9;
        pub(in super::super) const TRACK_UUID: u32 = 11;
        pub(in super::super) const CATEGORY: u32 = 22;
        pub(in super::super) const NAME: u32 = 23;
        pub(in super::super) const COUNTER_VALUE: u32 = 30;
        pub(in super::super) const FLOW_ID: u32 = 47;
    }

    pub(super) mod annotation {
        pub(in super::super) const UINT: u32 = 3;
        pub(in super::super) const NAME: u32 = 10;
    }
}

/// Nothing of what the sequence says stands on what was said before.
const INCREMENTAL_STATE_CLEARED: u64 = 1;
const UNIT_COUNT: u64 = 2;

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// The process, and the track of it. No thread has its number: one that did would be the main thread.
pub(super) const PROCESS: u64 = 1;

/// All packets are of one sequence.
const SEQUENCE: u64 = 1;

impl Trace {
    /// Writes the trace in the form that [Perfetto](https://ui.perfetto.dev) reads, usually to a file that is
    /// called `.pftrace`. Open it there, or drop it onto the page; it does not leave the browser.
    ///
    /// There is a track for each worker, one for the recording thread if it is none, and one for all others
    /// that handed something to the pool. On them are the runs of jobs, polls of tasks, waits, scopes and
    /// sleeps. An arrow leads from where a job was pushed to the worker that stole it. The depths of a
    /// worker's queues are counters.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let (_, trace) = heist_core::trace::record(|| heist_core::join(|| 1, || 2));
    /// let mut file = Vec::new();
    /// trace.write_perfetto(&mut file)?;
    /// assert!(!file.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_perfetto(&self, to: impl Write) -> io::Result<()> {
        let mut file = File { to: BufWriter::new(to) };
        file.describe_process()?;
        let timeline = Timeline::of(self);
        for (index, track) in timeline.tracks.iter().enumerate() {
            file.describe(index, track)?;
        }
        for (index, track) in timeline.tracks.iter().enumerate() {
            track.points.iter().try_for_each(|point| file.event(index, point))?;
        }
        file.to.flush()
    }
}

/// The track of a thread. The two numbers after it are for its queues.
fn uuid(index: usize) -> u64 {
    PROCESS + 1 + 3 * index as u64
}

fn uuid_of_queue(index: usize, queue: Queue) -> u64 {
    uuid(index) + 1 + queue as u64
}

/// The number of a thread, by the index of its track.
pub(super) fn thread_id(index: usize) -> u64 {
    PROCESS + 1 + index as u64
}

struct File<W: Write> {
    to: BufWriter<W>,
}

impl<W: Write> File<W> {
    fn packet(&mut self, packet: Message) -> io::Result<()> {
        let packet = packet.uint(field::packet::SEQUENCE_ID, SEQUENCE);
        self.to.write_all(Message::default().message(field::trace::PACKET, &packet).as_bytes())
    }

    fn describe_process(&mut self) -> io::Result<()> {
        let process =
            Message::default().uint(field::process::PID, PROCESS).text(field::process::NAME, "heist");
        let track =
            Message::default().uint(field::track::UUID, PROCESS).message(field::track::PROCESS, &process);
        let packet = Message::default().message(field::packet::TRACK_DESCRIPTOR, &track);
        self.packet(packet.uint(field::packet::SEQUENCE_FLAGS, INCREMENTAL_STATE_CLEARED))
    }

    fn describe(&mut self, index: usize, track: &Track) -> io::Result<()> {
        let thread = Message::default()
            .uint(field::thread::PID, PROCESS)
            .uint(field::thread::TID, thread_id(index))
            .text(field::thread::NAME, &track.name);
        let of_thread = Message::default()
            .uint(field::track::UUID, uuid(index))
            .uint(field::track::PARENT_UUID, PROCESS)
            .message(field::track::THREAD, &thread);
        self.packet(Message::default().message(field::packet::TRACK_DESCRIPTOR, &of_thread))?;
        track.queues().try_for_each(|queue| self.describe_queue(index, track, queue))
    }

    fn describe_queue(&mut self, index: usize, track: &Track, queue: Queue) -> io::Result<()> {
        let counter = Message::default().uint(field::counter::UNIT, UNIT_COUNT);
        let of_queue = Message::default()
            .uint(field::track::UUID, uuid_of_queue(index, queue))
            .uint(field::track::PARENT_UUID, uuid(index))
            .text(field::track::NAME, &track.name_of(queue))
            .message(field::track::COUNTER, &counter);
        self.packet(Message::default().message(field::packet::TRACK_DESCRIPTOR, &of_queue))
    }

    fn event(&mut self, index: usize, point: &Point) -> io::Result<()> {
        let event = |kind, track| {
            Message::default().uint(field::event::TYPE, kind).uint(field::event::TRACK_UUID, track)
        };
        let event = match &point.shape {
            Shape::Begin(label) => labelled(event(SLICE_BEGIN, uuid(index)), label),
            Shape::End => event(SLICE_END, uuid(index)),
            Shape::Mark(label) => labelled(event(INSTANT, uuid(index)), label),
            Shape::Depth(queue, depth) => event(COUNTER, uuid_of_queue(index, *queue))
                .uint(field::event::COUNTER_VALUE, u64::from(*depth)),
        };
        let packet = Message::default().uint(field::packet::TIMESTAMP, point.at);
        self.packet(packet.message(field::packet::TRACK_EVENT, &event))
    }
}

fn labelled(event: Message, label: &Label) -> Message {
    event
        .text(field::event::CATEGORY, label.category)
        .text(field::event::NAME, label.name)
        .maybe(label.job, |event, job| annotated(event, "job", job.number()))
        .maybe(label.stolen_from, |event, worker| annotated(event, "stolen from worker", worker as u64))
        .maybe(label.arrow.and(label.job), |event, job| event.fixed64(field::event::FLOW_ID, job.number()))
}

fn annotated(event: Message, name: &str, value: u64) -> Message {
    let annotation =
        Message::default().text(field::annotation::NAME, name).uint(field::annotation::UINT, value);
    event.message(field::event::ANNOTATION, &annotation)
}

#[cfg(test)]
mod tests;
