//! The timeline in the JSON of Chrome's trace viewer, which many programs read.
//!
//! Every event is an object on a line of its own, with its phase in `ph`. Times are in microseconds.
//! Nothing in it comes from users: no text needs to be escaped.

use super::{
    data::Trace,
    perfetto::{PROCESS, thread_id},
    timeline::{Arrow, Label, Point, Shape, Timeline, Track},
};
use std::{
    fmt,
    io::{self, BufWriter, Write},
};

impl Trace {
    /// Writes the trace in the JSON format of Chrome's `about:tracing`, which Perfetto and other viewers read
    /// too. It tells the same as [`write_perfetto`](Self::write_perfetto), in a file several times as big.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let (_, trace) = heist_core::trace::record(|| heist_core::join(|| 1, || 2));
    /// let mut file = Vec::new();
    /// trace.write_chrome_json(&mut file)?;
    /// assert!(file.starts_with(b"{"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_chrome_json(&self, to: impl Write) -> io::Result<()> {
        let mut to = BufWriter::new(to);
        writeln!(to, r#"{{"displayTimeUnit":"ns","traceEvents":["#)?;
        write!(to, r#"{{"ph":"M","name":"process_name","pid":{PROCESS},"args":{{"name":"heist"}}}}"#)?;
        let timeline = Timeline::of(self);
        for (index, track) in timeline.tracks.iter().enumerate() {
            describe(&mut to, thread_id(index), &track.name)?;
            track.points.iter().try_for_each(|point| event(&mut to, thread_id(index), track, point))?;
        }
        writeln!(to, "\n]}}")?;
        to.flush()
    }
}

fn describe(to: &mut impl Write, thread: u64, name: &str) -> io::Result<()> {
    let about = |what| format!(r#"{{"ph":"M","name":"{what}","pid":{PROCESS},"tid":{thread}"#);
    write!(to, ",\n{},\"args\":{{\"name\":\"{name}\"}}}}", about("thread_name"))?;
    write!(to, ",\n{},\"args\":{{\"sort_index\":{thread}}}}}", about("thread_sort_index"))
}

fn event(to: &mut impl Write, thread: u64, track: &Track, point: &Point) -> io::Result<()> {
    let place = Place { thread, at: point.at };
    match &point.shape {
        Shape::Begin(label) => begin(to, &place, label),
        Shape::End => end(to, &place),
        // An arrow needs a slice to hold on to.
        Shape::Mark(label) if label.arrow.is_some() => {
            begin(to, &place, label)?;
            end(to, &place)
        }
        Shape::Mark(label) => write!(to, ",\n{{\"ph\":\"i\",\"s\":\"t\",{place},{}}}", Labelled(label)),
        Shape::Depth(queue, depth) => {
            let name = track.name_of(*queue);
            write!(to, ",\n{{\"ph\":\"C\",{place},\"name\":\"{name}\",\"args\":{{\"waiting\":{depth}}}}}")
        }
    }
}

fn begin(to: &mut impl Write, place: &Place, label: &Label) -> io::Result<()> {
    write!(to, ",\n{{\"ph\":\"B\",{place},{}}}", Labelled(label))?;
    arrow(to, place, label)
}

fn end(to: &mut impl Write, place: &Place) -> io::Result<()> {
    write!(to, ",\n{{\"ph\":\"E\",{place}}}")
}

/// The end of an arrow is an event of its own, at the slice that has just begun.
fn arrow(to: &mut impl Write, place: &Place, label: &Label) -> io::Result<()> {
    let (Some(arrow), Some(job)) = (label.arrow, label.job) else { return Ok(()) };
    let phase = match arrow {
        Arrow::Leaves => r#""ph":"s""#,
        Arrow::Arrives => r#""ph":"f","bp":"e""#,
    };
    write!(to, ",\n{{{phase},{place},\"cat\":\"queue\",\"name\":\"queued\",\"id\":{}}}", job.number())
}

struct Place {
    thread: u64,
    at: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (micros, nanos) = (self.at / 1000, self.at % 1000);
        write!(f, r#""pid":{PROCESS},"tid":{},"ts":{micros}.{nanos:03}"#, self.thread)
    }
}

struct Labelled<'a>(&'a Label);

impl fmt::Display for Labelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Label { name, category, job, stolen_from, .. } = self.0;
        write!(f, r#""cat":"{category}","name":"{name}""#)?;
        let Some(job) = job else { return Ok(()) };
        write!(f, r#","args":{{"job":{}"#, job.number())?;
        if let Some(worker) = stolen_from {
            write!(f, r#","stolen from worker":{worker}"#)?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests;
