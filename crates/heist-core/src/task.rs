//! The seam for an async runtime: tasks, which a thread polls at its post only.
//!
//! A task is queued like a job: a pointer to a header that knows how to run it. It differs in who may take
//! it: a thread at the top of its loop, never one that waits inside a `join` or a scope, since polling is
//! bound to take locks that the waiting frame may hold. Every queued reference is run once; a pool runs what
//! is queued before its threads end, so a runtime that is shut down makes running a task drop it.
//!
//! Not for applications, and without a promise of stability.

pub use crate::job::Header;

/// A reference to a queued task.
pub type Task = crate::job::Job;
