//! [`record`]: from the first event to the [`Trace`].

use super::{
    data::{Trace, of_closure},
    event::Code,
    tracer::Recording,
};
use crate::{registry::current_team, sync::Arc, team::Team, thread_pool::ThreadPool};
use std::{error::Error, fmt, time::Instant};

/// Events that fit into a buffer unless the recorder asks for another number.
const EVENTS_PER_THREAD: usize = 1 << 16;

/// Calls `f` on this thread and records what the current pool does meanwhile, the global one outside of any.
///
/// To record a pool of one's own, call it inside of [`ThreadPool::install`], or see
/// [`Recorder::try_record_in`]. Each thread has room for 65,536 events; see [`Recorder`] for more.
///
/// # Panics
/// If `f` does; that ends the recording. If the pool is recorded already: there is one recording at a time,
/// and to wait for the other might be to wait for oneself. See [`Recorder::try_record`].
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Trace) {
    Recorder::new().record(f)
}

/// Records a pool, with options.
///
/// ```
/// use heist_core::trace::Recorder;
///
/// let ((), trace) = Recorder::new().events_per_thread(4).record(|| {
///     heist_core::join(|| heist_core::join(|| (), || ()), || heist_core::join(|| (), || ()));
/// });
/// assert!(trace.lost() > 0);
/// assert!(trace.workers().all(|events| events.len() <= 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorder {
    events_per_thread: usize,
}

impl Recorder {
    /// With room for 65,536 events per thread.
    pub fn new() -> Self {
        Recorder { events_per_thread: EVENTS_PER_THREAD }
    }

    /// Room for so many events of each worker, of the calling thread, and of all other threads together. It
    /// takes 24 bytes per event, from the beginning on. What comes when the room is used up is
    /// [counted](Trace::lost) and not kept.
    #[must_use]
    pub fn events_per_thread(self, events: usize) -> Self {
        Recorder { events_per_thread: events }
    }

    /// As [`record`], with these options.
    ///
    /// # Panics
    /// As [`record`].
    pub fn record<R>(&self, f: impl FnOnce() -> R) -> (R, Trace) {
        self.try_record(f).unwrap_or_else(|busy| panic!("heist: {busy}"))
    }

    /// As [`record`](Self::record); if the pool is recorded already, an error, and `f` is not called.
    ///
    /// # Panics
    /// If `f` does; that ends the recording.
    pub fn try_record<R>(&self, f: impl FnOnce() -> R) -> Result<(R, Trace), AlreadyRecording> {
        self.record_team(current_team(), f)
    }

    /// As [`try_record`](Self::try_record), but records this pool, wherever it is called.
    ///
    /// ```
    /// use heist_core::{ThreadPoolBuilder, trace::Recorder};
    ///
    /// let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    /// let (sum, trace) = Recorder::new().try_record_in(&pool, || pool.install(|| 1 + 1)).unwrap();
    /// assert_eq!((sum, trace.num_workers()), (2, 2));
    /// ```
    ///
    /// # Panics
    /// If `f` does; that ends the recording.
    pub fn try_record_in<R>(
        &self,
        pool: &ThreadPool,
        f: impl FnOnce() -> R,
    ) -> Result<(R, Trace), AlreadyRecording> {
        self.record_team(pool.team().clone(), f)
    }

    fn record_team<R>(&self, team: Arc<Team>, f: impl FnOnce() -> R) -> Result<(R, Trace), AlreadyRecording> {
        let session = Session::begin(team, self.events_per_thread)?;
        let result = f();
        Ok((result, session.end()))
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

/// The pool is recorded by somebody else, or further up on the same stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlreadyRecording;

impl fmt::Display for AlreadyRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this pool is being recorded already, and there can be one recording at a time")
    }
}

impl Error for AlreadyRecording {}

/// A recording under way; ended when it is dropped.
struct Session {
    team: Arc<Team>,
    began: Instant,
    ended: bool,
}

impl Session {
    fn begin(team: Arc<Team>, events: usize) -> Result<Self, AlreadyRecording> {
        team.assert_not_forked();
        let recording = Recording::new(team.size(), events);
        let began = recording.began;
        team.tracer.show(recording).map_err(|_| AlreadyRecording)?;
        team.sleep.set_traced(true);
        team.trace(|| of_closure(Code::Started));
        Ok(Session { team, began, ended: false })
    }

    fn end(mut self) -> Trace {
        self.team.trace(|| of_closure(Code::Ended));
        let duration = self.began.elapsed();
        match self.stop() {
            Some(recording) => Trace::of(&recording, duration),
            None => Trace::of_nothing(self.team.size(), duration),
        }
    }

    /// The recording, unless the threads that wrote to it are in another process.
    fn stop(&mut self) -> Option<Box<Recording>> {
        self.ended = true;
        self.team.sleep.set_traced(false);
        if self.team.is_forked() {
            self.team.tracer.abandon();
            return None;
        }
        Some(self.team.tracer.take())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.ended {
            self.stop();
        }
    }
}
