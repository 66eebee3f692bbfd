//! Whatever happens to a task at the same time: loom tries every interleaving of those who run it, wake it,
//! abort it, await it, and drop what they know it by.
//!
//! A wake-up that is lost is a deadlock, which loom reports, as it does an access to future, output or waker
//! that is not ordered. What is dropped, and how often, is counted in a [`Ledger`].

use super::{Id, JoinError, Ref, Scheduler, cell::Joiner};
use crate::sync::{
    Arc, AtomicUsize, ModelBuilder, Ordering, StaticCounter as Counter, UnsafeCell, model, thread,
};
use std::{
    future::poll_fn,
    sync::Arc as Counted,
    task::{Context, Poll, Wake, Waker},
};

/// What has been dropped, and what called. None of it loom's, so that counting adds no interleavings.
#[derive(Default)]
struct Ledger {
    futures: Counter,
    outputs_made: Counter,
    outputs: Counter,
    cells: Counter,
    wakes: Counter,
}

fn count(counter: &Counter) -> u64 {
    counter.load(Ordering::SeqCst)
}

/// Counts itself when it is dropped.
struct Tally {
    ledger: Counted<Ledger>,
    of: fn(&Ledger) -> &Counter,
}

impl Drop for Tally {
    fn drop(&mut self) {
        (self.of)(&self.ledger).fetch_add(1, Ordering::SeqCst);
    }
}

/// Where the one who runs the task waits for it.
struct Queue {
    /// The task, if it is queued.
    task: AtomicUsize,
    worker: thread::Thread,
    complete: Counter,
}

impl Queue {
    /// Runs the task, as often as it is queued, until it is complete.
    fn work(&self) {
        while count(&self.complete) == 0 {
            match Ref::from_address(self.task.swap(0, Ordering::AcqRel)) {
                // SAFETY: out of the queue; tasks here may run on any thread.
                Some(task) => unsafe { task.run() },
                None => thread::park(),
            }
        }
        assert_eq!(self.task.load(Ordering::Relaxed), 0, "a task is queued after its completion");
    }
}

/// The scheduler, and as a part of the cell what tells that this is gone.
struct Mock {
    queue: Counted<Queue>,
    cell: Tally,
}

impl Scheduler for Mock {
    fn submit(&self, task: Ref) {
        let ledger = self.cell.ledger.clone();
        let other = self.queue.task.swap(task.into_address(), Ordering::AcqRel);
        assert_eq!(other, 0, "a task is queued twice");
        self.queue.worker.unpark();
        // The task may have been run to its end elsewhere, but we are still using its scheduler.
        assert_eq!(count(&ledger.cells), 0, "a cell is freed while its task is submitted");
    }

    fn forget(&self, _task: &Ref) {
        self.queue.complete.fetch_add(1, Ordering::SeqCst);
    }

    fn enter(&self, _task: Id) -> impl Sized {}
}

/// A task that is due to be run, and what a model needs to play with it.
struct Play {
    queue: Counted<Queue>,
    ledger: Counted<Ledger>,
    /// The queue's reference.
    task: Ref,
    /// What the future waits for. Relaxed: what a flag has to be ordered by is the task.
    flags: Counted<[AtomicUsize; 2]>,
}

type Output = Tally;

/// What happens on a thread of its own.
type Act = Box<dyn FnOnce() + Send>;

impl Play {
    /// A task that completes when so many flags are set.
    fn new(waits_for: usize) -> (Self, Joiner<Output>) {
        let ledger = Counted::<Ledger>::default();
        let queue = Queue { task: AtomicUsize::new(0), worker: thread::current(), complete: Counter::new(0) };
        let queue = Counted::new(queue);
        let flags = Counted::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let tally = |of| Tally { ledger: ledger.clone(), of };
        let (in_future, future) = (flags.clone(), tally(|ledger| &ledger.futures));
        let poll = move |_: &mut Context<'_>| {
            if in_future[..waits_for].iter().any(|flag| flag.load(Ordering::Relaxed) == 0) {
                return Poll::Pending;
            }
            let ledger = future.ledger.clone();
            ledger.outputs_made.fetch_add(1, Ordering::SeqCst);
            Poll::Ready(Tally { ledger, of: |ledger| &ledger.outputs })
        };
        let mock = Mock { queue: queue.clone(), cell: tally(|ledger| &ledger.cells) };
        // SAFETY: it may be sent, and borrows nothing.
        let (task, joiner) = unsafe { Ref::new(poll_fn(poll), Id::next(), mock) };
        (Play { queue, ledger, task, flags }, joiner)
    }

    /// Sets a flag and wakes the task.
    fn wakes(&self, flag: usize, wake: fn(Waker)) -> Act {
        let (flags, waker) = (self.flags.clone(), self.task.waker());
        Box::new(move || {
            flags[flag].store(1, Ordering::Relaxed);
            wake(waker);
        })
    }

    /// Aborts the task.
    fn aborts(&self) -> Act {
        let task = self.task.clone();
        Box::new(move || task.cancel())
    }

    /// Runs the task until it is complete while the others act, and checks what must always hold then.
    fn end<const N: usize>(self, others: [Act; N]) -> Counted<Ledger> {
        let others = others.map(thread::spawn);
        // SAFETY: the queue's reference; tasks here may run on any thread.
        unsafe { self.task.run() };
        self.queue.work();
        others.into_iter().for_each(|other| other.join().unwrap());
        let ledger = self.ledger;
        assert_eq!(count(&ledger.futures), 1, "a future is dropped once");
        assert_eq!(count(&ledger.outputs), count(&ledger.outputs_made), "an output is dropped once");
        assert_eq!(count(&ledger.cells), 1, "a cell is freed once, with the last reference");
        ledger
    }
}

fn act(f: impl FnOnce() + Send + 'static) -> Act {
    Box::new(f)
}

/// Awaits the task. Nothing if it was aborted; panics if it has no output for another reason.
fn join(mut joiner: Joiner<Output>) -> Option<Output> {
    let waker = Waker::from(Counted::new(Unpark(thread::current())));
    loop {
        match joiner.poll(&waker) {
            Poll::Ready(Ok(output)) => return Some(output),
            Poll::Ready(Err(error)) if error.is_cancelled() => return None,
            Poll::Ready(Err(error)) => panic!("{error:?}"),
            Poll::Pending => thread::park(),
        }
    }
}

/// Wakes the thread that awaits.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Counted<Self>) {
        self.0.unpark();
    }
}

/// A model of three threads: one change of thread less that need not be, since there are so many.
fn model_of_three(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = ModelBuilder::new();
    builder.preemption_bound = builder.preemption_bound.map(|bound| bound.min(2));
    builder.check(f);
}

fn by_ref(waker: Waker) {
    waker.wake_by_ref();
}

fn by_value(waker: Waker) {
    waker.wake();
}

/// A waker that counts its calls and is no task's.
struct Bell(Counted<Ledger>);

impl Wake for Bell {
    fn wake(self: Counted<Self>) {
        self.0.wakes.fetch_add(1, Ordering::SeqCst);
    }
}

/// Polls a handle once, and returns the output if there was one.
fn poll_once(joiner: &mut Joiner<Output>, bell: &Counted<Bell>) -> Poll<Result<Output, JoinError>> {
    joiner.poll(&Waker::from(bell.clone()))
}

#[test]
#[should_panic(expected = "Causality violation")]
fn canary_an_access_without_order_is_found() {
    model(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let other = cell.clone();
        // SAFETY: none, on purpose; loom only looks.
        let thread = thread::spawn(move || other.with_mut(|number| unsafe { *number = 1 }));
        // SAFETY: as above.
        cell.with_mut(|number| unsafe { *number = 2 });
        thread.join().unwrap();
    });
}

#[test]
fn a_wake_during_the_poll_is_followed_by_another_poll() {
    for wake in [by_ref, by_value] {
        model(move || {
            let (play, joiner) = Play::new(1);
            drop(joiner);
            let waker = play.wakes(0, wake);
            assert_eq!(count(&play.end([waker]).outputs), 1);
        });
    }
}

#[test]
fn coalesced_wakes_happen_before_the_poll() {
    for (first, second) in
        [(by_ref as fn(Waker), by_ref as fn(Waker)), (by_value, by_ref), (by_value, by_value)]
    {
        model_of_three(move || {
            let (play, joiner) = Play::new(2);
            drop(joiner);
            let wakers = [play.wakes(0, first), play.wakes(1, second)];
            assert_eq!(count(&play.end(wakers).outputs), 1);
        });
    }
}

#[test]
fn a_late_wake_of_a_task_that_completes_is_harmless() {
    for wake in [by_ref, by_value, drop] {
        model_of_three(move || {
            let (play, joiner) = Play::new(0);
            drop(joiner);
            let wakers = [play.wakes(0, wake), play.wakes(1, by_value)];
            assert_eq!(count(&play.end(wakers).outputs), 1);
        });
    }
}

#[test]
fn the_output_reaches_who_awaits_it() {
    model(|| {
        let (play, joiner) = Play::new(0);
        let joins = act(move || assert!(join(joiner).is_some()));
        assert_eq!(count(&play.end([joins]).outputs), 1);
    });
}

#[test]
fn the_output_of_a_woken_task_reaches_who_awaits_it() {
    // By value alone, since that is the longest of all models.
    model_of_three(|| {
        let (play, joiner) = Play::new(1);
        let joins = act(move || assert!(join(joiner).is_some()));
        let wakes = play.wakes(0, by_value);
        assert_eq!(count(&play.end([joins, wakes]).outputs), 1);
    });
}

#[test]
fn who_awaits_with_another_waker_than_before_is_woken() {
    model(|| {
        let (play, mut joiner) = Play::new(0);
        let bell = Counted::new(Bell(play.ledger.clone()));
        let joins = act(move || {
            let output = match poll_once(&mut joiner, &bell) {
                Poll::Ready(output) => output.ok(),
                Poll::Pending => join(joiner),
            };
            assert!(output.is_some());
            // Nobody has it any more but this thread and, for a moment, the completer's call.
            drop(bell);
        });
        assert_eq!(count(&play.end([joins]).outputs), 1);
    });
}

#[test]
fn a_handle_is_dropped_while_the_task_completes() {
    model(|| {
        let (play, joiner) = Play::new(0);
        let drops = act(move || drop(joiner));
        assert_eq!(count(&play.end([drops]).outputs), 1);
    });
}

#[test]
fn a_handle_is_polled_and_dropped_while_the_task_completes() {
    model(|| {
        let (play, mut joiner) = Play::new(0);
        let bell = Counted::new(Bell(play.ledger.clone()));
        let lent = bell.clone();
        let drops = act(move || drop(poll_once(&mut joiner, &lent)));
        let ledger = play.end([drops]);
        assert_eq!(count(&ledger.outputs), 1);
        assert!(count(&ledger.wakes) <= 1);
        assert_eq!(Counted::strong_count(&bell), 1, "the waker has been dropped");
    });
}

#[test]
fn a_handle_that_has_lent_its_waker_is_dropped_while_the_task_is_woken() {
    model_of_three(|| {
        let (play, mut joiner) = Play::new(1);
        let bell = Counted::new(Bell(play.ledger.clone()));
        let lent = bell.clone();
        let drops = act(move || drop(poll_once(&mut joiner, &lent)));
        let wakes = play.wakes(0, by_value);
        assert_eq!(count(&play.end([drops, wakes]).outputs), 1);
        assert_eq!(Counted::strong_count(&bell), 1, "the waker has been dropped");
    });
}

#[test]
fn a_task_that_waits_for_ever_ends_when_it_is_aborted() {
    model_of_three(|| {
        let (play, joiner) = Play::new(1);
        let aborts = play.aborts();
        let joins = act(move || assert!(join(joiner).is_none()));
        assert_eq!(count(&play.end([aborts, joins]).outputs_made), 0);
    });
}

#[test]
fn an_abort_meets_the_completion() {
    model_of_three(|| {
        let (play, joiner) = Play::new(0);
        let aborts = play.aborts();
        // Either is right, but not both.
        let joins = act(move || drop(join(joiner)));
        let ledger = play.end([aborts, joins]);
        assert!(count(&ledger.outputs_made) <= 1);
    });
}

#[test]
fn an_abort_meets_a_wake() {
    for wake in [by_ref, by_value] {
        model_of_three(move || {
            let (play, joiner) = Play::new(1);
            drop(joiner);
            let (wakes, aborts) = (play.wakes(0, wake), play.aborts());
            play.end([wakes, aborts]);
        });
    }
}

#[test]
fn an_abort_meets_another() {
    model_of_three(|| {
        let (play, joiner) = Play::new(1);
        drop(joiner);
        let aborts = [play.aborts(), play.aborts()];
        assert_eq!(count(&play.end(aborts).outputs_made), 0);
    });
}

#[test]
fn an_abort_meets_the_end_of_the_handle() {
    model_of_three(|| {
        let (play, joiner) = Play::new(1);
        let aborts = play.aborts();
        let drops = act(move || drop(joiner));
        assert_eq!(count(&play.end([aborts, drops]).outputs_made), 0);
    });
}
