//! What a pool does, event by event: [`record`] it, look at the events, ask how parallel it was.
//!
//! ```
//! fn fib(n: u64) -> u64 {
//!     if n < 2 {
//!         return n;
//!     }
//!     let (a, b) = heist_core::join(|| fib(n - 1), || fib(n - 2));
//!     a + b
//! }
//!
//! let (result, trace) = heist_core::trace::record(|| fib(10));
//! assert_eq!(result, 55);
//! assert_eq!(trace.lost(), 0);
//! assert!(trace.span() <= trace.work());
//! println!("{}", trace.summary());
//! ```
//!
//! The [summary](Trace::summary) says how busy the workers were, how much faster more of them could be, and
//! what stands in the way. The whole can be [looked at](Trace::write_perfetto) in Perfetto:
//!
//! ```no_run
//! # fn main() -> std::io::Result<()> {
//! # let ((), trace) = heist_core::trace::record(|| ());
//! trace.write_perfetto(std::fs::File::create("fib.pftrace")?)?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! While nobody records, the pool's threads note nothing. A `join` looks at one word, as it does anyway to
//! learn whether somebody sleeps; a bit in it is set while the pool is recorded. Everything else asks for
//! that bit where a job is pushed, taken from a queue or run, or a worker blocks.
//!
//! While somebody records, each thread writes what it does to a buffer of its own, with the time. No lock is
//! taken. Each `join` then takes a slower path. It costs several looks at the clock, so joins of next to no
//! work seem more expensive than they are.
//!
//! # What is seen
//! Every event on a worker of the pool from the beginning of the closure to its end, also of jobs that have
//! nothing to do with it. What has been under way before, or goes on after it, is cut off: it has no
//! beginning or no end among the events. A thread that is no worker of the pool is seen when it hands
//! something to it or waits for it.

mod event;
#[cfg(all(test, not(heist_loom)))]
mod made_up;
#[cfg(all(test, heist_loom))]
mod model;
mod tracer;

#[cfg(not(heist_loom))]
mod analysis;
#[cfg(not(heist_loom))]
mod chrome;
#[cfg(not(heist_loom))]
mod data;
#[cfg(not(heist_loom))]
mod numbering;
#[cfg(not(heist_loom))]
mod perfetto;
#[cfg(not(heist_loom))]
mod proto;
#[cfg(not(heist_loom))]
mod recorder;
#[cfg(not(heist_loom))]
mod summary;
#[cfg(not(heist_loom))]
mod timeline;

pub(crate) use event::{Code, Entry};
pub use event::{Event, JobId, Kind, What};
pub(crate) use tracer::Tracer;
#[cfg(not(heist_loom))]
pub use {
    analysis::Analysis,
    data::Trace,
    recorder::{AlreadyRecording, Recorder, record},
    summary::{Summary, WorkerSummary},
};
