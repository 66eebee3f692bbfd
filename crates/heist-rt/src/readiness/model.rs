//! Events, trials and waits at the same time: loom tries every interleaving.
//!
//! The system is a number, the messages that have come and were not read, changed without any ordering: what
//! orders it has to be the source. A wake-up that is lost is a deadlock, which loom reports.

use super::{Direction, Ended, Event, Interest, Kind, Ready, Source};
use crate::sync::{Arc, AtomicUsize, Condvar, ModelBuilder, Mutex, Ordering, model, thread};
use std::{
    mem,
    sync::Arc as Counted,
    task::{Context, Poll, Wake, Waker, ready},
};

struct Socket {
    source: Source,
    messages: AtomicUsize,
}

impl Socket {
    fn new() -> Arc<Self> {
        Arc::new(Socket { source: Source::new(Kind::Stream), messages: AtomicUsize::new(0) })
    }

    /// A message comes, and the driver hears of it.
    fn receive(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.dispatch();
    }

    /// The driver hears of what has come.
    fn dispatch(&self) {
        let mut due = Vec::new();
        self.source.set(Ready::READABLE, |waker| due.push(waker));
        due.into_iter().for_each(Waker::wake);
    }

    fn end(&self) {
        let mut due = Vec::new();
        self.source.end(|waker| due.push(waker));
        due.into_iter().for_each(Waker::wake);
    }

    /// Takes a message, if there is one. May read an old number: only the source says that there is more.
    fn try_read(&self) -> bool {
        let messages = self.messages.load(Ordering::Relaxed);
        messages > 0
            && self
                .messages
                .compare_exchange(messages, messages - 1, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Takes a message when there is one, with `poll` to wait.
    fn poll_read(&self, mut poll: impl FnMut() -> Poll<Result<Event, Ended>>) -> Poll<Result<(), Ended>> {
        loop {
            let event = ready!(poll())?;
            if self.try_read() {
                return Poll::Ready(Ok(()));
            }
            self.source.clear(event);
        }
    }

    fn is_readable(&self) -> bool {
        self.source.event(Interest::READABLE).unwrap().is_some()
    }
}

/// Wakes who waits for it. Not by unparking a thread: loom would end whatever that one is blocked in.
struct Bell {
    rung: Mutex<bool>,
    rings: Condvar,
}

impl Bell {
    fn new() -> Counted<Self> {
        Counted::new(Bell { rung: Mutex::new(false), rings: Condvar::new() })
    }

    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !mem::take(&mut *rung) {
            rung = self.rings.wait(rung).unwrap();
        }
    }
}

impl Wake for Bell {
    fn wake(self: Counted<Self>) {
        *self.rung.lock().unwrap() = true;
        self.rings.notify_one();
    }
}

/// Polls until it is ready. Unlike some executors it polls only when it was woken.
fn wait<R>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<R>) -> R {
    let bell = Bell::new();
    let waker = Waker::from(bell.clone());
    loop {
        match poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => bell.wait(),
        }
    }
}

fn reads_by_direction(socket: &Socket) -> Result<(), Ended> {
    wait(|cx| socket.poll_read(|| socket.source.poll(cx, Direction::Read)))
}

/// Polls once more before it waits, for no reason.
fn reads_polling_twice(socket: &Socket) -> Result<(), Ended> {
    wait(|cx| {
        let mut poll = || socket.poll_read(|| socket.source.poll(cx, Direction::Read));
        match poll() {
            Poll::Pending => poll(),
            ready => ready,
        }
    })
}

fn reads_among_others(socket: &Socket) -> Result<(), Ended> {
    let mut waiter = socket.source.waiter(Interest::READABLE);
    wait(|cx| socket.poll_read(|| waiter.poll(cx)))
}

fn check(f: impl Fn() + Sync + Send + 'static) {
    model(f);
}

/// An event while somebody looks, tries and waits wakes it or is seen by it.
fn an_event_is_not_missed(reads: fn(&Socket) -> Result<(), Ended>) {
    check(move || {
        let socket = Socket::new();
        let driver = thread::spawn({
            let socket = socket.clone();
            move || socket.receive()
        });
        assert_eq!(reads(&socket), Ok(()));
        driver.join().unwrap();
    });
}

#[test]
fn an_event_is_not_missed_by_who_polls() {
    an_event_is_not_missed(reads_by_direction);
}

#[test]
fn an_event_is_not_missed_by_who_polls_twice() {
    an_event_is_not_missed(reads_polling_twice);
}

#[test]
fn an_event_is_not_missed_by_others() {
    an_event_is_not_missed(reads_among_others);
}

/// Two messages come one after the other, two take them: nobody clears what the second one brought.
#[test]
fn clearing_does_not_lose_a_newer_event() {
    let mut builder = ModelBuilder::new();
    builder.preemption_bound = Some(3);
    builder.check(|| {
        let socket = Socket::new();
        let driver = thread::spawn({
            let socket = socket.clone();
            move || {
                socket.receive();
                socket.receive();
            }
        });
        assert_eq!(reads_by_direction(&socket), Ok(()));
        assert_eq!(reads_by_direction(&socket), Ok(()));
        driver.join().unwrap();
    });
}

/// A trial that fails at the same time as an event comes leaves the bit, or takes the message.
fn a_trial_and_an_event_leave_it_readable(clear: fn(&Source, Event)) {
    check(move || {
        let socket = Socket::new();
        // Ready for nothing: another one has taken the message.
        socket.dispatch();
        let driver = thread::spawn({
            let socket = socket.clone();
            move || socket.receive()
        });
        let event = socket.source.event(Interest::READABLE).unwrap().expect("set before");
        let taken = socket.try_read();
        if !taken {
            clear(&socket.source, event);
        }
        driver.join().unwrap();
        assert!(taken || socket.is_readable(), "the event is lost");
    });
}

#[test]
fn a_failed_trial_and_an_event_leave_it_readable() {
    a_trial_and_an_event_leave_it_readable(Source::clear);
}

/// What was set before is seen with the bit, without any lock.
#[test]
fn the_bit_orders_what_has_happened() {
    check(|| {
        let socket = Socket::new();
        let driver = thread::spawn({
            let socket = socket.clone();
            move || socket.receive()
        });
        if socket.is_readable() {
            assert_eq!(socket.messages.load(Ordering::Relaxed), 1);
        }
        driver.join().unwrap();
    });
}

/// Who leaves its place at the time of an event leaves the others in theirs.
#[test]
fn one_that_gives_up_takes_no_wake_up_with_it() {
    check(|| {
        let socket = Socket::new();
        let gives_up = thread::spawn({
            let socket = socket.clone();
            move || {
                let waker = Waker::from(Bell::new());
                let mut waiter = socket.source.waiter(Interest::READABLE);
                let _ = waiter.poll(&mut Context::from_waker(&waker));
            }
        });
        let driver = thread::spawn({
            let socket = socket.clone();
            move || socket.receive()
        });
        assert_eq!(reads_among_others(&socket), Ok(()));
        driver.join().unwrap();
        gives_up.join().unwrap();
    });
}

/// Nobody waits for a source whose runtime ends.
fn the_end_is_not_missed(reads: fn(&Socket) -> Result<(), Ended>) {
    check(move || {
        let socket = Socket::new();
        let runtime = thread::spawn({
            let socket = socket.clone();
            move || socket.end()
        });
        assert_eq!(reads(&socket), Err(Ended));
        runtime.join().unwrap();
    });
}

#[test]
fn the_end_is_not_missed_by_who_polls() {
    the_end_is_not_missed(reads_by_direction);
}

#[test]
fn the_end_is_not_missed_by_others() {
    the_end_is_not_missed(reads_among_others);
}

/// A canary: were the tick not looked at, an event could be lost, and loom has to find that.
#[test]
#[should_panic(expected = "the event is lost")]
fn canary_without_the_tick_an_event_is_lost() {
    a_trial_and_an_event_leave_it_readable(|source, event| {
        let now = source.event(Interest::READABLE).unwrap().expect("nobody else clears it");
        source.clear(Event { tick: now.tick, ..event });
    });
}
