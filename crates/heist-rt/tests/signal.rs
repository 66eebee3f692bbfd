//! Signals of Unix.

#![cfg(unix)]

mod common;

use common::{runtime, watchdog, with_runtime};
use futures::{FutureExt, StreamExt, future::join_all};
use heist_rt::{
    signal::{
        ctrl_c,
        unix::{Signal, SignalKind, signal},
    },
    task,
};
use rustix::process::{Pid, Signal as Number, getpid, kill_process};
use std::{
    env,
    io::{BufRead, BufReader, ErrorKind},
    process::{Command, Stdio},
};

/// A signal for the whole process. Every test has one of its own: they run at the same time.
fn raise(signal: Number) {
    kill_process(getpid(), signal).unwrap();
}

fn listen(signal: Number) -> Signal {
    heist_rt::signal::unix::signal(SignalKind::from_raw(signal.as_raw())).unwrap()
}

#[test]
fn every_listener_hears_of_a_signal() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let (mut first, mut second) = (listen(Number::USR1), listen(Number::USR1));
            for _ in 0..50 {
                raise(Number::USR1);
                assert_eq!(first.recv().await, Some(()));
                assert_eq!(second.recv().await, Some(()));
            }
        });
    });
}

#[test]
fn who_waits_already_is_woken() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut listener = listen(Number::USR2);
            let (ask, asked) = async_channel::bounded(1);
            let task = task::spawn(async move {
                assert!(listener.recv().now_or_never().is_none());
                ask.send(()).await.unwrap();
                listener.recv().await
            });
            asked.recv().await.unwrap();
            raise(Number::USR2);
            assert_eq!(task.await.unwrap(), Some(()));
        });
    });
}

#[test]
fn a_burst_is_heard_at_least_once_and_at_most_as_often() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            // Each waits in the pipe until it is asked for; at some point that is full.
            let mut listener = listen(Number::WINCH);
            for _ in 0..1_000 {
                raise(Number::WINCH);
            }
            assert_eq!(listener.next().await, Some(()));
            let mut heard = 1;
            while listener.recv().now_or_never().is_some() {
                heard += 1;
            }
            assert!(heard <= 1_000);
            raise(Number::WINCH);
            assert_eq!(listener.recv().await, Some(()));
        });
    });
}

#[test]
fn a_listener_does_not_hear_of_what_was_before_it() {
    with_runtime(2, |runtime| {
        runtime.block_on(async {
            let mut early = listen(Number::HUP);
            raise(Number::HUP);
            // From here on the handler has been called.
            assert_eq!(early.recv().await, Some(()));
            let mut late = listen(Number::HUP);
            assert!(late.recv().now_or_never().is_none());
            // To drop one does not harm the other, nor end the process.
            drop(early);
            raise(Number::HUP);
            assert_eq!(late.recv().await, Some(()));
            drop(late);
            raise(Number::HUP);
            let mut again = listen(Number::HUP);
            raise(Number::HUP);
            assert_eq!(again.recv().await, Some(()));
        });
    });
}

#[test]
fn listeners_of_several_runtimes_hear_of_it() {
    watchdog(|| {
        let (left, right) = (runtime(1), runtime(2));
        let of = |runtime: &heist_rt::runtime::Runtime| {
            let _entered = runtime.enter();
            listen(Number::ALARM)
        };
        let mut listeners = [of(&left), of(&right), listen(Number::ALARM)];
        for _ in 0..20 {
            raise(Number::ALARM);
            let all = join_all(listeners.iter_mut().map(Signal::recv));
            assert_eq!(futures::executor::block_on(all), [Some(()); 3]);
        }
        drop(left);
        raise(Number::ALARM);
        let all = join_all(listeners.iter_mut().skip(1).map(Signal::recv));
        assert_eq!(futures::executor::block_on(all), [Some(()); 2]);
    });
}

#[test]
fn after_the_end_of_its_runtime_there_is_nothing_to_hear() {
    watchdog(|| {
        let runtime = runtime(1);
        let handle = runtime.handle().clone();
        let mut listener = {
            let _entered = runtime.enter();
            listen(Number::IO)
        };
        let waits = std::thread::spawn(move || futures::executor::block_on(listener.recv()));
        drop(runtime);
        assert_eq!(waits.join().unwrap(), None);
        let _entered = handle.enter();
        assert!(signal(SignalKind::io()).is_err());
        assert!(futures::executor::block_on(ctrl_c()).is_err());
    });
}

#[test]
fn some_signals_cannot_be_listened_for() {
    watchdog(|| {
        for number in [Number::KILL, Number::STOP, Number::SEGV, Number::ILL, Number::FPE] {
            let error = signal(SignalKind::from_raw(number.as_raw())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        for number in [-1, 0, 4096] {
            assert!(signal(SignalKind::from_raw(number)).is_err(), "{number}");
        }
    });
}

#[test]
fn kinds_have_their_numbers() {
    assert_eq!(SignalKind::interrupt().as_raw_value(), Number::INT.as_raw());
    assert_eq!(SignalKind::from(Number::TERM.as_raw()), SignalKind::terminate());
    assert_eq!(i32::from(SignalKind::quit()), Number::QUIT.as_raw());
    assert_ne!(SignalKind::user_defined1(), SignalKind::user_defined2());
}

/// The test starts itself once more, to send signals that would end it.
#[test]
fn ctrl_c_is_heard_each_time() {
    const CHILD: &str = "HEIST_TEST_CTRL_C";
    const NAME: &str = "ctrl_c_is_heard_each_time";
    if env::var_os(CHILD).is_some() {
        return heist_rt::block_on(async {
            for round in 0..3 {
                let mut waits = Box::pin(ctrl_c());
                assert!(waits.as_mut().now_or_never().is_none());
                println!("\nround {round}");
                waits.await.unwrap();
            }
            println!("\ndone");
        });
    }
    watchdog(|| {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", NAME, "--nocapture"]).env(CHILD, "").stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut rounds = 0;
        while let Some(Ok(line)) = lines.next() {
            if line.starts_with("round ") {
                rounds += 1;
                kill_process(Pid::from_child(&child), Number::INT).unwrap();
            }
        }
        assert_eq!(rounds, 3);
        assert!(child.wait().unwrap().success());
    });
}
