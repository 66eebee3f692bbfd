//! What a thread knows about where it is: in which runtime, in which task, and how much that may still do.

use crate::{runtime::Handle, task::Id};
use std::{cell::Cell, marker::PhantomData, mem, ptr, thread};

/// Steps of progress that a task may make in one poll before it is asked to let others run.
pub(crate) const BUDGET: u32 = 128;

/// What is not in a task may make as many as it likes.
const UNLIMITED: u32 = u32::MAX;

thread_local! {
    static CONTEXT: Context = const {
        Context {
            runtime: Cell::new(ptr::null()),
            entered: Cell::new(0),
            task: Cell::new(None),
            budget: Cell::new(UNLIMITED),
        }
    };
}

struct Context {
    /// Valid while it is set: whoever set it keeps it until it has set the former one again.
    runtime: Cell<*const Handle>,
    /// How many [`Entered`] there are.
    entered: Cell<usize>,
    task: Cell<Option<Id>>,
    budget: Cell<u32>,
}

/// A task runs; dropped when it does not any more.
pub(crate) struct Running {
    runtime: *const Handle,
    task: Option<Id>,
    budget: u32,
}

/// Notes that a task of this runtime runs from now on.
///
/// The handle must outlive what is returned.
#[inline]
pub(crate) fn run(task: Id, runtime: &Handle) -> Running {
    CONTEXT.with(|context| Running {
        runtime: context.runtime.replace(runtime),
        task: context.task.replace(Some(task)),
        budget: context.budget.replace(BUDGET),
    })
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        CONTEXT.with(|context| {
            context.runtime.set(self.runtime);
            context.task.set(self.task);
            context.budget.set(self.budget);
        });
    }
}

/// The thread is in a runtime; dropped when it leaves it.
#[derive(Debug)]
pub(crate) struct Entered {
    former: *const Handle,
    handle: *mut Handle,
    depth: usize,
    not_send: PhantomData<*mut ()>,
}

/// Enters a runtime.
pub(crate) fn enter(handle: Handle) -> Entered {
    let handle = Box::into_raw(Box::new(handle));
    CONTEXT.with(|context| {
        let depth = context.entered.get() + 1;
        context.entered.set(depth);
        Entered { former: context.runtime.replace(handle), handle, depth, not_send: PhantomData }
    })
}

impl Drop for Entered {
    fn drop(&mut self) {
        // Where the thread ends, nobody asks any more.
        let in_order = CONTEXT.try_with(|context| {
            if context.entered.get() != self.depth {
                return false;
            }
            context.entered.set(self.depth - 1);
            context.runtime.set(self.former);
            true
        });
        if in_order.unwrap_or(true) {
            // SAFETY: from `enter`; those who entered later have left, and set what we have just replaced.
            drop(unsafe { Box::from_raw(self.handle) });
        } else if !thread::panicking() {
            // The handle is leaked: it may be the current one still.
            panic!("heist: runtimes must be left in the reverse of the order in which they were entered");
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
    let runtime = CONTEXT.try_with(|context| context.runtime.get()).unwrap_or(ptr::null());
    // SAFETY: valid while it is set, and whoever set it does so again only after we have returned.
    unsafe { runtime.as_ref() }.map(f)
}

/// The task that the thread runs.
pub(crate) fn current_task() -> Option<Id> {
    CONTEXT.try_with(|context| context.task.get()).ok().flatten()
}

/// Spends one step of the budget. Says whether there was one left.
pub(crate) fn spend() -> bool {
    CONTEXT
        .try_with(|context| match context.budget.get() {
            0 => false,
            UNLIMITED => true,
            left => {
                context.budget.set(left - 1);
                true
            }
        })
        .unwrap_or(true)
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
