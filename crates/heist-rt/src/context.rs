//! What a thread knows about where it is: in which runtime, in which task, and how much that may still do.
//!
//! A thread is in frames, one inside of the other: a task that is being run ([`Running`]) or a runtime that
//! was entered ([`Entered`]). Each has a number that no other frame of the thread ever has, and keeps what
//! was there before it. Tasks nest as their calls do; guards are the user's, who may keep one for longer than
//! the frame around it, or drop one before those inside of it.
//!
//! # Invariants
//! I1 Only the innermost frame puts back what was there before it. One that is not, because frames inside of
//!    it are left or because the one around it is gone, never is again: it puts nothing back, and leaks its
//!    handle.
//! I2 Hence whatever the current runtime points to is kept by a frame that is there.

use crate::{runtime::Handle, task::Id};
use std::{
    cell::Cell,
    marker::PhantomData,
    mem, ptr,
    task::{self, Poll},
    thread,
};

/// Steps of progress that a task may make in one poll before it is asked to let others run.
pub(crate) const BUDGET: u32 = 128;

/// What is not in a task may make as many as it likes.
const UNLIMITED: u32 = u32::MAX;

thread_local! {
    static CONTEXT: Context = const {
        Context {
            runtime: Cell::new(ptr::null()),
            innermost: Cell::new(0),
            frames: Cell::new(0),
            task: Cell::new(None),
            budget: Cell::new(UNLIMITED),
        }
    };
}

struct Context {
    /// Valid while it is set: whoever set it keeps it until it has set the former one again.
    runtime: Cell<*const Handle>,
    /// The number of the innermost frame.
    innermost: Cell<u64>,
    /// How many frames there have been.
    frames: Cell<u64>,
    task: Cell<Option<Id>>,
    budget: Cell<u32>,
}

impl Context {
    /// A new frame. Returns the number of the one around it.
    fn begin(&self) -> u64 {
        let frame = self.frames.get() + 1;
        self.frames.set(frame);
        self.innermost.replace(frame)
    }
}

/// A task runs; dropped when it does not any more.
pub(crate) struct Running<'a> {
    runtime: *const Handle,
    task: Option<Id>,
    budget: u32,
    outer: u64,
    handle: PhantomData<&'a Handle>,
}

/// Notes that a task of this runtime runs from now on.
#[inline]
pub(crate) fn run(task: Id, runtime: &Handle) -> Running<'_> {
    run_in(task, runtime)
}

/// Notes that a task runs from now on, in the runtime that the thread is in.
pub(crate) fn run_here(task: Id) -> Running<'static> {
    run_in(task, CONTEXT.with(|context| context.runtime.get()))
}

#[inline]
fn run_in<'a>(task: Id, runtime: *const Handle) -> Running<'a> {
    CONTEXT.with(|context| Running {
        runtime: context.runtime.replace(runtime),
        task: context.task.replace(Some(task)),
        budget: context.budget.replace(BUDGET),
        outer: context.begin(),
        handle: PhantomData,
    })
}

impl Drop for Running<'_> {
    #[inline]
    fn drop(&mut self) {
        // Guards that were made inside and are still there are no frames any more (I1).
        CONTEXT.with(|context| {
            context.runtime.set(self.runtime);
            context.task.set(self.task);
            context.budget.set(self.budget);
            context.innermost.set(self.outer);
        });
    }
}

/// The thread is in a runtime; dropped when it leaves it.
#[derive(Debug)]
pub(crate) struct Entered {
    former: *const Handle,
    handle: *mut Handle,
    frame: u64,
    outer: u64,
    not_send: PhantomData<*mut ()>,
}

/// Enters a runtime.
pub(crate) fn enter(handle: Handle) -> Entered {
    let handle = Box::into_raw(Box::new(handle));
    CONTEXT.with(|context| {
        let (former, outer) = (context.runtime.replace(handle), context.begin());
        Entered { former, handle, frame: context.innermost.get(), outer, not_send: PhantomData }
    })
}

impl Drop for Entered {
    fn drop(&mut self) {
        let innermost = CONTEXT.with(|context| {
            if context.innermost.get() != self.frame {
                return false;
            }
            context.innermost.set(self.outer);
            context.runtime.set(self.former);
            true
        });
        if innermost {
            // SAFETY: from `enter`, and the current runtime is another again.
            drop(unsafe { Box::from_raw(self.handle) });
        } else if !thread::panicking() {
            // The handle is leaked: it may be the current one still.
            panic!(
                "heist: runtimes must be left in the reverse of the order in which they were entered, and by \
                 the same poll"
            );
        }
    }
}

/// The runtime that the thread is in.
pub(crate) fn current() -> Option<Handle> {
    with_current(Handle::clone)
}

/// Calls `f` with the runtime that the thread is in, if it is in one.
#[inline]
pub(crate) fn with_current<R>(f: impl FnOnce(&Handle) -> R) -> Option<R> {
    let runtime = CONTEXT.with(|context| context.runtime.get());
    // SAFETY: valid while it is set (I2), and our caller's `f` does not change that.
    unsafe { runtime.as_ref() }.map(f)
}

/// The number of the thread's innermost frame: a task that is being run has one of its own each time.
pub(crate) fn frame() -> u64 {
    CONTEXT.with(|context| context.innermost.get())
}

/// The task that the thread runs.
pub(crate) fn current_task() -> Option<Id> {
    CONTEXT.with(|context| context.task.get())
}

/// Spends one step of the budget. Says whether there was one left.
pub(crate) fn spend() -> bool {
    CONTEXT.with(|context| match context.budget.get() {
        0 => false,
        UNLIMITED => true,
        left => {
            context.budget.set(left - 1);
            true
        }
    })
}

/// Whether there is a step of the budget left.
pub(crate) fn has_budget() -> bool {
    CONTEXT.with(|context| context.budget.get() > 0)
}

/// Calls `poll` if the budget is not used up, and takes one step of it if that was progress. If it is used
/// up, lets others run first.
pub(crate) fn poll_with_budget<R>(
    cx: &mut task::Context<'_>,
    poll: impl FnOnce(&mut task::Context<'_>) -> Poll<R>,
) -> Poll<R> {
    if !has_budget() {
        cx.waker().wake_by_ref();
        return Poll::Pending;
    }
    let result = poll(cx);
    if result.is_ready() {
        spend();
    }
    result
}

/// Calls `f` with the budget of a new poll, or with none.
pub(crate) fn with_budget<R>(limited: bool, f: impl FnOnce() -> R) -> R {
    struct Restore(u32);
    impl Drop for Restore {
        fn drop(&mut self) {
            CONTEXT.with(|context| context.budget.set(self.0));
        }
    }
    let budget = if limited { BUDGET } else { UNLIMITED };
    let restore = Restore(CONTEXT.with(|context| context.budget.replace(budget)));
    let result = f();
    mem::drop(restore);
    result
}
