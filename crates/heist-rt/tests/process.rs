//! Other programs: how they start, end, and are talked to.

#![cfg(unix)]

mod common;

use common::{runtime, wait_until, watchdog, with_runtime};
use futures::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, FutureExt,
    future::{join, join_all},
    io::BufReader,
};
use heist_rt::{
    process::{Child, Command},
    task,
};
use rustix::process::{Pid, test_kill_process};
use std::{
    env,
    future::Future,
    io::{self, ErrorKind},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::Stdio,
};

fn run<F: Future<Output = io::Result<()>>>(test: impl FnOnce() -> F + Send + 'static) {
    with_runtime(2, |runtime| runtime.block_on(test())).unwrap();
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

/// A program that ends when nobody writes to it any more, and not before.
fn cat() -> Command {
    let mut command = Command::new("cat");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().expect("it has not been waited for") as i32).unwrap()
}

/// Waits until a process is not even in the system's table.
fn wait_until_reaped(pid: Pid) {
    wait_until(|| test_kill_process(pid).is_err());
}

#[test]
fn it_says_how_it_ended() {
    run(|| async {
        assert!(Command::new("true").status().await?.success());
        assert_eq!(shell("exit 7").status().await?.code(), Some(7));
        assert_eq!(shell("kill -9 $$").status().await?.signal(), Some(9));
        let mut child = shell("exit 3").spawn()?;
        // Any number of times.
        for _ in 0..3 {
            assert_eq!(child.wait().await?.code(), Some(3));
        }
        assert_eq!(child.try_wait()?.and_then(|status| status.code()), Some(3));
        Ok(())
    });
}

#[test]
fn one_that_runs_has_a_number_and_no_status() {
    run(|| async {
        let mut child = cat().spawn()?;
        assert!(child.id().is_some());
        assert!(child.try_wait()?.is_none());
        let stdin = child.stdin.take();
        assert!(child.wait().now_or_never().is_none());
        drop(stdin);
        // A wait that was dropped has lost nothing.
        assert!(child.wait().await?.success());
        assert_eq!(child.id(), None);
        Ok(())
    });
}

#[test]
fn a_wait_closes_what_it_reads_from() {
    run(|| async {
        assert!(cat().spawn()?.wait().await?.success());
        assert!(cat().spawn()?.wait_with_output().await?.status.success());
        Ok(())
    });
}

#[test]
fn arguments_variables_and_directories_reach_it() {
    run(|| async {
        let script = "echo $0 $1 $ONE $TWO ${THREE-unset}; pwd -P";
        let mut command = shell(script);
        command.args(["zero", "first"]).env("ONE", "1").envs([("TWO", "2"), ("THREE", "3")]);
        command.env_remove("THREE").current_dir("/");
        let output = command.output().await?;
        assert_eq!(String::from_utf8_lossy(&output.stdout), "zero first 1 2 unset\n/\n");
        let output = Command::new("/usr/bin/env").env_clear().env("A", "b").output().await?;
        assert_eq!(output.stdout, b"A=b\n");
        let output = shell("echo $0").arg0("other").arg("name").output().await?;
        assert_eq!(output.stdout, b"name\n");
        assert_eq!(command.as_std().get_program(), "sh");
        assert_eq!(command.as_std().get_current_dir(), Some(Path::new("/")));
        Ok(())
    });
}

#[test]
fn it_is_in_a_group_of_its_own_if_asked() {
    run(|| async {
        let mut child = cat().process_group(0).spawn()?;
        let number = pid(&child);
        assert_eq!(rustix::process::getpgid(Some(number))?, number);
        child.wait().await?;
        Ok(())
    });
}

#[test]
fn a_program_that_is_not_there_is_not_found() {
    run(|| async {
        let mut missing = Command::new("heist-has-no-such-program");
        assert_eq!(missing.spawn().unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(missing.status().await.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(missing.output().await.unwrap_err().kind(), ErrorKind::NotFound);
        let directory = Command::new(env::temp_dir()).spawn().unwrap_err();
        assert_eq!(directory.kind(), ErrorKind::PermissionDenied);
        let nowhere = Command::new("true").current_dir("/heist/has/none").spawn().unwrap_err();
        assert_eq!(nowhere.kind(), ErrorKind::NotFound);
        Ok(())
    });
}

#[test]
fn what_it_is_told_comes_back() {
    run(|| async {
        let mut child = cat().spawn()?;
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut lines = BufReader::new(stdout).lines();
        for line in ["one", "two", "three"] {
            stdin.write_all(format!("{line}\n").as_bytes()).await?;
            assert_eq!(futures::StreamExt::next(&mut lines).await.unwrap()?, line);
        }
        stdin.close().await?;
        assert!(futures::StreamExt::next(&mut lines).await.is_none());
        assert_eq!(stdin.write(b"more").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        assert!(child.wait().await?.success());
        Ok(())
    });
}

#[test]
fn more_than_a_pipe_holds_goes_through_in_both_directions() {
    run(|| async {
        const ALL: usize = 3_000_000;
        let mut child = cat().spawn()?;
        let mut stdin = child.stdin.take().unwrap();
        let writes = async move {
            stdin.write_all(&vec![7; ALL]).await?;
            stdin.close().await
        };
        let (written, output) = join(writes, child.wait_with_output()).await;
        written?;
        assert!(output?.stdout == vec![7; ALL]);
        Ok(())
    });
}

#[test]
fn both_outputs_are_read_at_once() {
    run(|| async {
        // More than a pipe holds of each, one after the other, in both orders.
        let fill = "head -c 1000000 /dev/zero";
        for script in [format!("{fill}; {fill} >&2"), format!("{fill} >&2; {fill}")] {
            let output = shell(&script).output().await?;
            assert!(output.status.success());
            assert!(output.stdout == vec![0; 1_000_000]);
            assert!(output.stderr == vec![0; 1_000_000]);
        }
        Ok(())
    });
}

#[test]
fn one_that_does_not_read_breaks_the_pipe() {
    run(|| async {
        let mut child = Command::new("true").stdin(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take().unwrap();
        let error = stdin.write_all(&vec![0; 1_000_000]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        assert!(child.wait().await?.success());
        Ok(())
    });
}

#[test]
fn the_output_of_one_is_the_input_of_another() {
    run(|| async {
        let mut first = Command::new("echo").arg("hello").stdout(Stdio::piped()).spawn()?;
        let stdout: Stdio = first.stdout.take().unwrap().try_into()?;
        let output = Command::new("cat").stdin(stdout).output().await?;
        assert_eq!(output.stdout, b"hello\n");
        assert!(first.wait().await?.success());
        let mut second = Command::new("cat");
        let mut first = cat().spawn()?;
        let stdin: Stdio = first.stdin.take().unwrap().try_into()?;
        second.stdin(Stdio::null()).stdout(stdin);
        assert!(second.status().await?.success());
        drop(second);
        assert!(first.wait().await?.success());
        Ok(())
    });
}

#[test]
fn one_that_is_killed_ends_by_that() {
    run(|| async {
        let mut child = cat().spawn()?;
        child.kill().await?;
        assert_eq!(child.wait().await?.signal(), Some(9));
        assert_eq!(child.start_kill().unwrap_err().kind(), ErrorKind::InvalidInput);
        let mut child = cat().spawn()?;
        let stdin = child.stdin.take();
        child.start_kill()?;
        assert_eq!(child.wait().await?.signal(), Some(9));
        drop(stdin);
        Ok(())
    });
}

#[test]
fn one_that_is_dropped_goes_on_and_is_reaped() {
    run(|| async {
        let mut child = cat().spawn()?;
        let number = pid(&child);
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        drop(child);
        stdin.write_all(b"still there").await?;
        stdin.close().await?;
        let mut text = String::new();
        stdout.read_to_string(&mut text).await?;
        assert_eq!(text, "still there");
        wait_until_reaped(number);
        Ok(())
    });
}

#[test]
fn one_that_is_to_be_killed_when_dropped_is_and_is_reaped() {
    run(|| async {
        let mut command = cat();
        assert!(!command.get_kill_on_drop());
        command.kill_on_drop(true);
        assert!(command.get_kill_on_drop());
        let mut child = command.spawn()?;
        let (number, _stdin) = (pid(&child), child.stdin.take());
        drop(child);
        wait_until_reaped(number);
        // A future that waits for it, too.
        let mut child = command.spawn()?;
        let (number, _stdin, mut stdout) = (pid(&child), child.stdin.take(), child.stdout.take().unwrap());
        let waits = task::spawn(async move { child.wait().await });
        waits.abort();
        assert_eq!(stdout.read(&mut [0; 8]).await?, 0);
        wait_until_reaped(number);
        Ok(())
    });
}

#[test]
fn one_whose_runtime_ends_is_reaped_all_the_same() {
    watchdog(|| {
        // Dropped before the runtime, by the runtime, and after it.
        for when in 0..3 {
            let runtime = runtime(1);
            let mut child = {
                let _entered = runtime.enter();
                cat().spawn().unwrap()
            };
            let (number, stdin) = (pid(&child), child.stdin.take().unwrap());
            let handle = runtime.handle().clone();
            match when {
                0 => {
                    let _entered = runtime.enter();
                    drop(child);
                    drop(runtime);
                }
                1 => {
                    runtime.spawn(async move { child.wait().await });
                    drop(runtime);
                }
                _ => {
                    drop(runtime);
                    let _entered = handle.enter();
                    drop(child);
                }
            }
            assert!(test_kill_process(number).is_ok());
            drop(stdin);
            wait_until_reaped(number);
        }
    });
}

#[test]
fn after_the_end_of_a_runtime_there_are_errors() {
    watchdog(|| {
        let runtime = runtime(1);
        let handle = runtime.handle().clone();
        let mut child = {
            let _entered = runtime.enter();
            cat().spawn().unwrap()
        };
        drop(runtime);
        handle.block_on(async {
            assert!(child.stdin.as_mut().unwrap().write(b"x").await.is_err());
            assert!(cat().spawn().is_err());
            assert!(Command::new("cat").stdin(Stdio::piped()).status().await.is_err());
            let stdin = child.stdin.take();
            assert!(child.wait().await.is_err());
            drop(stdin);
        });
        // Another runtime can wait for it.
        assert!(heist_rt::block_on(child.wait()).unwrap().success());
    });
}

#[test]
fn a_runtime_that_ends_ends_a_wait() {
    watchdog(|| {
        let runtime = runtime(1);
        let mut child = cat().spawn().unwrap();
        let stdin = child.stdin.take();
        let handle = runtime.handle().clone();
        let (ask, asked) = std::sync::mpsc::channel();
        let waits = std::thread::spawn(move || {
            handle.block_on(async {
                let mut wait = Box::pin(child.wait());
                assert!(wait.as_mut().now_or_never().is_none());
                ask.send(()).unwrap();
                wait.await
            })
        });
        asked.recv().unwrap();
        drop(runtime);
        assert!(waits.join().unwrap().is_err());
        drop(stdin);
    });
}

#[test]
fn many_at_once_end_each_in_its_own_way() {
    run(|| async {
        let tasks = (0..60).map(|i| {
            task::spawn(async move {
                let output = shell(&format!("echo {i}; exit {i}")).output().await?;
                assert_eq!(output.status.code(), Some(i));
                assert_eq!(output.stdout, format!("{i}\n").as_bytes());
                io::Result::Ok(())
            })
        });
        for result in join_all(tasks).await {
            result??;
        }
        Ok(())
    });
}

#[test]
fn the_global_runtime_is_enough() {
    watchdog(|| {
        let output = futures::executor::block_on(Command::new("echo").arg("hello").output());
        assert_eq!(output.unwrap().stdout, b"hello\n");
    });
}
