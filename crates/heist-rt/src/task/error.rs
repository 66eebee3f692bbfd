//! [`JoinError`]: why a task has no output.

use super::Id;
use std::{
    any::Any,
    error::Error,
    fmt, io,
    sync::{Mutex, PoisonError},
};

/// Why a task has no output: it panicked, or was cancelled.
pub struct JoinError {
    id: Id,
    reason: Reason,
}

enum Reason {
    Cancelled,
    /// In a lock, since it may be looked at from several threads and need not be made for that.
    Panic(Mutex<Box<dyn Any + Send>>),
}

impl JoinError {
    pub(crate) fn cancelled(id: Id) -> Self {
        JoinError { id, reason: Reason::Cancelled }
    }

    pub(crate) fn panic(id: Id, payload: Box<dyn Any + Send>) -> Self {
        JoinError { id, reason: Reason::Panic(Mutex::new(payload)) }
    }

    /// Whether the task was aborted, or its runtime has ended.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.reason, Reason::Cancelled)
    }

    /// Whether the task panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.reason, Reason::Panic(_))
    }

    /// What the task panicked with.
    ///
    /// # Panics
    /// If it was cancelled.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        self.try_into_panic().expect("heist: the task did not panic, it was cancelled")
    }

    /// What the task panicked with; the error itself if it was cancelled.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send>, JoinError> {
        match self.reason {
            Reason::Panic(payload) => Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Reason::Cancelled => Err(self),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The panic's text, if it has one.
    fn with_text<R>(&self, f: impl FnOnce(Option<&str>) -> R) -> R {
        let Reason::Panic(payload) = &self.reason else { return f(None) };
        let payload = payload.lock().unwrap_or_else(PoisonError::into_inner);
        f(payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied()))
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cancelled() {
            return write!(f, "task {} was cancelled", self.id);
        }
        self.with_text(|text| match text {
            Some(text) => write!(f, "task {} panicked with message {text:?}", self.id),
            None => write!(f, "task {} panicked", self.id),
        })
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cancelled() {
            return write!(f, "JoinError::Cancelled({:?})", self.id);
        }
        self.with_text(|text| match text {
            Some(text) => write!(f, "JoinError::Panic({:?}, {text:?}, ...)", self.id),
            None => write!(f, "JoinError::Panic({:?}, ...)", self.id),
        })
    }
}

impl Error for JoinError {}

impl From<JoinError> for io::Error {
    fn from(error: JoinError) -> Self {
        let text = if error.is_cancelled() { "task was cancelled" } else { "task panicked" };
        io::Error::other(text)
    }
}
