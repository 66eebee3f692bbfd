//! Where a task lives: one allocation that holds its state, its future and then its output.
//!
//! ```text
//! Cell<F, S>: [ run | state | vtable | id | origin | links | join waker ] [ scheduler ] [ future / output ]
//!               \__________________________ Head ____________________/
//! ```
//!
//! Outside of this file a task is a [`Ref`]: a counted pointer to its head. What lies behind the head is
//! known to the functions of its [`Vtable`], and to the function that a worker calls to run it.
//!
//! # Invariants
//! I1 The future, and while the task is not complete the whole stage, belong to whoever set `RUNNING`.
//! I2 The output belongs to the handle if there is one when the task completes, until it detaches; else to
//!    the completer.
//! I3 The join waker belongs to the handle, except between `lend_waker` and the moment somebody clears
//!    `JOIN_WAKER`: then the completer may read it.
//! I4 The links belong to the list the task is in.
//! I5 The cell is freed by who drops the last reference, and by nobody else. By then the future is gone, and
//!    the output and the join waker too.
//! I6 No function that takes a reference into the cell drops a counted one, or hands it on.

use super::{
    Id, JoinError,
    state::{Completion, Pause, Start, State, Wake, Waker as Access},
};
use crate::sync::UnsafeCell;
use heist_core::task::{Header, Task, catch, discard};
use std::{
    future::Future,
    marker::PhantomData,
    mem::{self, ManuallyDrop},
    panic::Location,
    pin::Pin,
    ptr::{self, NonNull},
    task::{Context, Poll, RawWaker, RawWakerVTable, Waker},
};

/// Where a task is queued, and listed while it is not complete.
pub(crate) trait Scheduler: 'static {
    /// Queues a task that was woken. It may be gone by the time this returns, but not its scheduler.
    fn submit(&self, task: Ref);

    /// Queues a task that was woken by itself, behind the others.
    fn submit_again(&self, task: Ref) {
        self.submit(task);
    }

    /// The task is about to be complete, and no longer to be listed.
    fn forget(&self, task: &Ref) {
        let _ = task;
    }

    /// The task is complete, and who awaits it is about to be woken: there is nothing left to do but that.
    fn about_to_wake(&self) {}

    /// Called before code of the task's is. What it returns is dropped when that code has returned.
    fn enter(&self, task: Id) -> impl Sized;
}

/// What every task has.
#[repr(C)]
pub(crate) struct Head {
    /// Runs the task: first, so that a pointer to the head is one to the header.
    header: Header,
    state: State,
    vtable: &'static Vtable,
    id: Id,
    /// The line of the user's that started it.
    spawned_at: &'static Location<'static>,
    links: UnsafeCell<Links>,
    join_waker: UnsafeCell<Option<Waker>>,
}

/// Neighbours in a list of tasks.
#[derive(Default)]
pub(crate) struct Links {
    pub(crate) previous: Option<NonNull<Head>>,
    pub(crate) next: Option<NonNull<Head>>,
}

struct Vtable {
    submit: unsafe fn(Ref),
    /// Moves the output to where the pointer says: a `Poll<Result<T, JoinError>>`.
    take_output: unsafe fn(NonNull<Head>, *mut ()),
    drop_output: unsafe fn(NonNull<Head>),
    free: unsafe fn(NonNull<Head>),
}

#[repr(C)]
struct Cell<F: Future, S> {
    head: Head,
    scheduler: S,
    stage: UnsafeCell<Stage<F>>,
}

enum Stage<F: Future> {
    Future(F),
    Output(Result<F::Output, JoinError>),
    Gone,
}

/// A counted reference to a task.
pub(crate) struct Ref(NonNull<Head>);

// SAFETY: `new` demands of future, output and scheduler what it takes to use the task from several threads;
// or its caller keeps to one thread what must not leave it.
unsafe impl Send for Ref {}
// SAFETY: as above.
unsafe impl Sync for Ref {}

impl<F: Future + 'static, S: Scheduler> Cell<F, S> {
    const VTABLE: Vtable = Vtable {
        submit: Self::submit,
        take_output: Self::take_output,
        drop_output: Self::drop_output,
        free: Self::free,
    };

    unsafe fn of<'a>(head: NonNull<Head>) -> &'a Self {
        // SAFETY: the head is the first field of a cell of this type, and pointers to it are made from
        // pointers to the cell.
        unsafe { head.cast().as_ref() }
    }

    /// Called by a worker, with the reference that was in the queue.
    unsafe fn run(task: Task, _worker: usize) {
        let task = Ref(task.header().cast());
        // SAFETY: a reference, so it is there; and of this type, since its header names this function.
        let cell = unsafe { Self::of(task.0) };
        let cancelled = || Err(JoinError::cancelled(cell.head.id));
        let start = cell.head.state.start();
        let mut entered = cell.scheduler.enter(cell.head.id);
        let output = match start {
            Start::Cancel => cancelled(),
            Start::Poll => match cell.poll(&task) {
                Poll::Ready(output) => output,
                Poll::Pending => {
                    // Before the pause: after it the task may be gone.
                    drop(entered);
                    match cell.head.state.pause() {
                        // Our reference is gone.
                        Pause::Wait => return mem::forget(task),
                        // The queue's has been counted; ours keeps the scheduler.
                        Pause::Again => return cell.scheduler.submit_again(Ref(task.0)),
                        Pause::Cancel => {
                            entered = cell.scheduler.enter(cell.head.id);
                            cancelled()
                        }
                    }
                }
            },
        };
        cell.finish(&task, output);
        drop(entered);
        task.drop_with_list();
    }

    fn poll(&self, task: &Ref) -> Poll<Result<F::Output, JoinError>> {
        // Its reference is the runner's; clones count their own.
        // SAFETY: it is not dropped, and the runner's reference outlives it.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(raw_waker(task.0)) });
        let poll = || {
            self.stage.with_mut(|stage| {
                // SAFETY: ours while `RUNNING` is set (I1).
                match unsafe { &mut *stage } {
                    Stage::Future(future) => {
                        // SAFETY: pinned, since it stays in its cell until it is dropped.
                        let future = unsafe { Pin::new_unchecked(future) };
                        future.poll(&mut Context::from_waker(&waker))
                    }
                    _ => unreachable!("a task that is not complete has a future"),
                }
            })
        };
        match catch(poll) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(payload) => Poll::Ready(Err(JoinError::panic(self.head.id, payload))),
        }
    }

    /// Puts the output in the place of the future, and tells who waits. The runner's reference and that of
    /// the list are to be dropped then.
    fn finish(&self, task: &Ref, output: Result<F::Output, JoinError>) {
        let output = self.drop_future(output);
        // SAFETY: `RUNNING` is set (I1), and nothing is there any more that could be dropped.
        self.stage.with_mut(|stage| unsafe { ptr::write(stage, Stage::Output(output)) });
        // First, so that who awaits the task finds it gone from the runtime.
        self.scheduler.forget(task);
        let Completion { nobody_joins, wake } = self.head.state.complete();
        if nobody_joins {
            // SAFETY: ours (I2).
            unsafe { Self::drop_output(task.0) };
        } else if wake {
            self.scheduler.about_to_wake();
            // SAFETY: lent to us (I3).
            self.head.join_waker.with(|waker| unsafe {
                if let Some(waker) = &*waker {
                    discard(catch(|| waker.wake_by_ref()));
                }
            });
            if self.head.state.give_waker_back() {
                // SAFETY: the handle is gone.
                unsafe { self.head.drop_join_waker() };
            }
        }
    }

    /// Drops the future. If its destructor panics, that is what becomes of a task that had not panicked
    /// before.
    fn drop_future(&self, output: Result<F::Output, JoinError>) -> Result<F::Output, JoinError> {
        // SAFETY: `RUNNING` is set (I1). Whether it panics or not, nothing is left to be dropped, and our
        // caller writes over it.
        let dropped = catch(|| self.stage.with_mut(|stage| unsafe { ptr::drop_in_place(stage) }));
        match (dropped, output) {
            (Ok(()), output) => output,
            (Err(second), Err(first)) if first.is_panic() => {
                discard(second);
                Err(first)
            }
            (Err(payload), output) => {
                discard(output);
                Err(JoinError::panic(self.head.id, payload))
            }
        }
    }

    unsafe fn submit(task: Ref) {
        // SAFETY: the vtable is that of the cell's type.
        unsafe { Self::of(task.0) }.scheduler.submit(task);
    }

    unsafe fn take_output(head: NonNull<Head>, to: *mut ()) {
        // SAFETY: as above.
        let cell = unsafe { Self::of(head) };
        // SAFETY: complete, so the stage is the handle's (I2).
        let stage = cell.stage.with_mut(|stage| unsafe { mem::replace(&mut *stage, Stage::Gone) });
        match stage {
            // SAFETY: the caller has a place for just that.
            Stage::Output(output) => unsafe {
                *to.cast::<Poll<Result<F::Output, JoinError>>>() = Poll::Ready(output)
            },
            _ => panic!("heist: a JoinHandle was polled after it had completed"),
        }
    }

    unsafe fn drop_output(head: NonNull<Head>) {
        // SAFETY: as above; the caller has the output.
        unsafe { Self::of(head) }
            .stage
            .with_mut(|stage| discard(unsafe { mem::replace(&mut *stage, Stage::Gone) }));
    }

    unsafe fn free(head: NonNull<Head>) {
        // SAFETY: nobody else knows it (I5).
        let cell = unsafe { Box::from_raw(head.cast::<Self>().as_ptr()) };
        // SAFETY: as above.
        debug_assert!(cell.stage.with(|stage| matches!(unsafe { &*stage }, Stage::Gone)));
        // SAFETY: as above.
        debug_assert!(cell.head.join_waker.with(|waker| unsafe { (*waker).is_none() }));
    }
}

impl Head {
    /// # Safety
    /// The waker belongs to the caller (I3).
    unsafe fn drop_join_waker(&self) {
        // SAFETY: the caller's promise.
        discard(self.join_waker.with_mut(|waker| unsafe { (*waker).take() }));
    }
}

impl Ref {
    /// A new task: a reference for the queue, and its handle. The list's reference is counted already.
    ///
    /// # Safety
    /// If the future or its output may not be sent to other threads, or may not outlive something, the caller
    /// sees to it that they are not and do not.
    #[track_caller]
    pub(crate) unsafe fn new<F: Future + 'static, S: Scheduler>(
        future: F,
        id: Id,
        scheduler: S,
    ) -> (Ref, Joiner<F::Output>) {
        let cell = Box::new(Cell {
            head: Head {
                header: Header::new(Cell::<F, S>::run),
                state: State::new(),
                vtable: &Cell::<F, S>::VTABLE,
                id,
                spawned_at: Location::caller(),
                links: UnsafeCell::new(Links::default()),
                join_waker: UnsafeCell::new(None),
            },
            scheduler,
            stage: UnsafeCell::new(Stage::Future(future)),
        });
        let head = NonNull::from(Box::leak(cell)).cast();
        (Ref(head), Joiner { task: Ref(head), output: PhantomData })
    }

    fn head(&self) -> &Head {
        // SAFETY: counted, so it is there.
        unsafe { self.0.as_ref() }
    }

    /// For a queue of a model's, where zero stands for nothing.
    #[cfg(all(test, heist_loom))]
    pub(crate) fn into_address(self) -> usize {
        ManuallyDrop::new(self).0.as_ptr().expose_provenance()
    }

    #[cfg(all(test, heist_loom))]
    pub(crate) fn from_address(address: usize) -> Option<Ref> {
        NonNull::new(ptr::with_exposed_provenance_mut(address)).map(Ref)
    }

    /// A waker, for models that need one before the task is polled.
    #[cfg(all(test, heist_loom))]
    pub(crate) fn waker(&self) -> Waker {
        let task = ManuallyDrop::new(self.clone());
        // SAFETY: the waker has the clone's reference.
        unsafe { Waker::from_raw(raw_waker(task.0)) }
    }

    pub(crate) fn id(&self) -> Id {
        self.head().id
    }

    pub(crate) fn spawned_at(&self) -> &'static Location<'static> {
        self.head().spawned_at
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.head().state.is_complete()
    }

    /// For a queue: the reference goes with it.
    pub(crate) fn into_task(self) -> Task {
        let task = ManuallyDrop::new(self);
        // SAFETY: the reference keeps it until it is run. Running it catches every panic of the user's.
        unsafe { Task::new(task.0.cast()) }
    }

    /// Runs it here, where it came out of a queue.
    ///
    /// # Safety
    /// The reference is the queue's, and this thread may run the task.
    pub(crate) unsafe fn run(self) {
        // SAFETY: passed on.
        unsafe { self.into_task().run(usize::MAX) };
    }

    /// Asks for the task's end; it is dropped where it would run next.
    pub(crate) fn cancel(&self) {
        if self.head().state.cancel() == Wake::Submit {
            // The reference has been counted.
            // SAFETY: of the right type.
            unsafe { (self.head().vtable.submit)(Ref(self.0)) };
        }
    }

    /// The neighbours in the list that it is in.
    pub(crate) fn links(head: NonNull<Head>) -> *const UnsafeCell<Links> {
        // SAFETY: in a list, which has a reference; no reference to the rest is made.
        unsafe { &raw const (*head.as_ptr()).links }
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Head> {
        self.0
    }

    /// Another reference to a task that is in a list.
    ///
    /// # Safety
    /// The list has it, and nobody takes it out meanwhile.
    pub(crate) unsafe fn clone_from_list(head: NonNull<Head>) -> Ref {
        // SAFETY: the list has a reference.
        unsafe { head.as_ref() }.state.add_reference();
        Ref(head)
    }

    /// Drops this reference and that of the list.
    fn drop_with_list(self) {
        let task = ManuallyDrop::new(self);
        task.release(2);
    }

    fn release(&self, references: usize) {
        if self.head().state.drop_references(references) {
            // SAFETY: that was the last.
            unsafe { (self.head().vtable.free)(self.0) };
        }
    }
}

impl Clone for Ref {
    fn clone(&self) -> Self {
        self.head().state.add_reference();
        Ref(self.0)
    }
}

impl Drop for Ref {
    fn drop(&mut self) {
        self.release(1);
    }
}

/// What a `JoinHandle` is made of: the one who may have the output.
pub(crate) struct Joiner<T> {
    task: Ref,
    output: PhantomData<T>,
}

// SAFETY: it hands the output to whoever polls it.
unsafe impl<T: Send> Send for Joiner<T> {}
// SAFETY: a shared one gives no access to the output.
unsafe impl<T: Send> Sync for Joiner<T> {}

impl<T> Joiner<T> {
    pub(crate) fn task(&self) -> &Ref {
        &self.task
    }

    /// The output, if the task is complete; else `waker` will be called when it is.
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<T, JoinError>> {
        let mut output = Poll::Pending;
        if self.is_ready(waker) {
            let head = self.task.head();
            // SAFETY: complete, and ours (I2); a place of the right type.
            unsafe { (head.vtable.take_output)(self.task.0, (&raw mut output).cast()) };
        }
        output
    }

    /// Whether the task is complete; else `waker` is lent to it.
    pub(crate) fn is_ready(&mut self, waker: &Waker) -> bool {
        let head = self.task.head();
        if head.state.is_complete() {
            return true;
        }
        // SAFETY: nobody writes it but us, as long as there is a handle (I3).
        let same = head
            .join_waker
            .with(|lent| unsafe { (*lent).as_ref().is_some_and(|lent| lent.will_wake(waker)) });
        if same {
            // What was written was lent.
            return head.state.is_complete();
        }
        let new = waker.clone();
        if head.state.take_waker_back() == Access::Complete {
            return true;
        }
        // SAFETY: ours now (I3).
        let old = head.join_waker.with_mut(|waker| unsafe { (*waker).replace(new) });
        let access = head.state.lend_waker();
        drop(old);
        access == Access::Complete
    }
}

impl<T> Drop for Joiner<T> {
    fn drop(&mut self) {
        let head = self.task.head();
        let detach = head.state.detach();
        if detach.drop_output {
            // SAFETY: complete, and ours (I2).
            unsafe { (head.vtable.drop_output)(self.task.0) };
        }
        if detach.drop_waker {
            // SAFETY: ours (I3).
            unsafe { head.drop_join_waker() };
        }
    }
}

const WAKER: RawWakerVTable = RawWakerVTable::new(clone_waker, wake_by_value, wake_by_ref, drop_waker);

fn raw_waker(head: NonNull<Head>) -> RawWaker {
    RawWaker::new(head.as_ptr().cast_const().cast(), &WAKER)
}

/// The task of a waker, without a reference of its own.
///
/// # Safety
/// From [`raw_waker`], and not dropped yet.
unsafe fn task_of(data: *const ()) -> ManuallyDrop<Ref> {
    // SAFETY: never null.
    ManuallyDrop::new(Ref(unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }))
}

unsafe fn clone_waker(data: *const ()) -> RawWaker {
    // SAFETY: the waker is there.
    let task = unsafe { task_of(data) };
    task.head().state.add_reference();
    raw_waker(task.0)
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: the waker is there.
    let task = unsafe { task_of(data) };
    if task.head().state.wake_by_ref() == Wake::Submit {
        // The reference has been counted.
        // SAFETY: of the right type.
        unsafe { (task.head().vtable.submit)(Ref(task.0)) };
    }
}

unsafe fn wake_by_value(data: *const ()) {
    // SAFETY: the waker is there, and goes.
    let task = unsafe { task_of(data) };
    match task.head().state.wake_by_value() {
        Wake::Nothing => {}
        // The queue's reference has been counted.
        // SAFETY: of the right type.
        Wake::Submit => unsafe {
            (task.head().vtable.submit)(Ref(task.0));
            drop(ManuallyDrop::into_inner(task));
        },
        // SAFETY: that was the last one.
        Wake::Free => unsafe { (task.head().vtable.free)(task.0) },
    }
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: the waker goes, and its reference with it.
    drop(ManuallyDrop::into_inner(unsafe { task_of(data) }));
}
