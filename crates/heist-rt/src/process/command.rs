//! [`Command`]: how to start a program.

use super::Child;
use std::{
    ffi::OsStr,
    future::Future,
    io,
    os::unix::process::CommandExt,
    path::Path,
    process::{ExitStatus, Output, Stdio},
};

/// How to start a program: that of the standard library, whose child can be awaited.
///
/// What is not here can be said to [`as_std_mut`](Self::as_std_mut).
///
/// ```
/// use heist_rt::process::Command;
///
/// # fn main() -> std::io::Result<()> {
/// heist_rt::block_on(async {
///     let status = Command::new("sh").args(["-c", "exit $CODE"]).env("CODE", "7").status().await?;
///     assert_eq!(status.code(), Some(7));
///     Ok(())
/// })
/// # }
/// ```
#[derive(Debug)]
pub struct Command {
    inner: std::process::Command,
    kill_on_drop: bool,
}

impl Command {
    /// A program without arguments, found by the variable `PATH` if it is just a name.
    pub fn new<S: AsRef<OsStr>>(program: S) -> Command {
        std::process::Command::new(program).into()
    }

    /// That of the standard library.
    pub fn as_std(&self) -> &std::process::Command {
        &self.inner
    }

    /// That of the standard library, to change it.
    pub fn as_std_mut(&mut self) -> &mut std::process::Command {
        &mut self.inner
    }

    /// That of the standard library.
    pub fn into_std(self) -> std::process::Command {
        self.inner
    }

    /// Another argument.
    pub fn arg<S: AsRef<OsStr>>(&mut self, arg: S) -> &mut Command {
        self.inner.arg(arg);
        self
    }

    /// More arguments.
    pub fn args<I, S>(&mut self, args: I) -> &mut Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.inner.args(args);
        self
    }

    /// A variable of its environment. The others are those of this process.
    pub fn env<K: AsRef<OsStr>, V: AsRef<OsStr>>(&mut self, key: K, value: V) -> &mut Command {
        self.inner.env(key, value);
        self
    }

    /// Variables of its environment.
    pub fn envs<I, K, V>(&mut self, vars: I) -> &mut Command
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.inner.envs(vars);
        self
    }

    /// A variable that it does not get.
    pub fn env_remove<K: AsRef<OsStr>>(&mut self, key: K) -> &mut Command {
        self.inner.env_remove(key);
        self
    }

    /// Leaves its environment empty.
    pub fn env_clear(&mut self) -> &mut Command {
        self.inner.env_clear();
        self
    }

    /// The directory that it is started in.
    pub fn current_dir<P: AsRef<Path>>(&mut self, directory: P) -> &mut Command {
        self.inner.current_dir(directory);
        self
    }

    /// What it reads from. That of this process, unless it is said.
    pub fn stdin<T: Into<Stdio>>(&mut self, from: T) -> &mut Command {
        self.inner.stdin(from);
        self
    }

    /// What it writes its output to. That of this process, unless it is said.
    pub fn stdout<T: Into<Stdio>>(&mut self, to: T) -> &mut Command {
        self.inner.stdout(to);
        self
    }

    /// What it writes its errors to. That of this process, unless it is said.
    pub fn stderr<T: Into<Stdio>>(&mut self, to: T) -> &mut Command {
        self.inner.stderr(to);
        self
    }

    /// Whether it is killed when its [`Child`] is dropped. It is not, unless it is said.
    ///
    /// The same holds for the futures of [`status`](Self::status) and [`output`](Self::output).
    pub fn kill_on_drop(&mut self, kill: bool) -> &mut Command {
        self.kill_on_drop = kill;
        self
    }

    /// Whether it is killed when its [`Child`] is dropped.
    pub fn get_kill_on_drop(&self) -> bool {
        self.kill_on_drop
    }

    /// The user that it runs as.
    pub fn uid(&mut self, id: u32) -> &mut Command {
        self.inner.uid(id);
        self
    }

    /// The group that it runs as.
    pub fn gid(&mut self, id: u32) -> &mut Command {
        self.inner.gid(id);
        self
    }

    /// What it is told to be called.
    pub fn arg0<S: AsRef<OsStr>>(&mut self, arg: S) -> &mut Command {
        self.inner.arg0(arg);
        self
    }

    /// The group of processes that it is in; zero for one of its own. Ctrl-C at a terminal is for a group.
    pub fn process_group(&mut self, group: i32) -> &mut Command {
        self.inner.process_group(group);
        self
    }

    /// Starts it.
    ///
    /// Pipes to it belong to the runtime that the thread is in, the global one outside of any.
    ///
    /// ```
    /// use heist_rt::process::Command;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// heist_rt::block_on(async {
    ///     let mut child = Command::new("true").spawn()?;
    ///     assert!(child.id().is_some());
    ///     assert!(child.wait().await?.success());
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such program, or it cannot be started; or if a pipe cannot be registered, because the
    /// runtime has ended for example: then it is killed.
    pub fn spawn(&mut self) -> io::Result<Child> {
        Child::new(self.inner.spawn()?, self.kill_on_drop)
    }

    /// Starts it, now, and gives a future that waits for its end.
    ///
    /// Ends of pipes on this side are closed at once. What is not said to be something else is that of this
    /// process.
    ///
    /// # Errors
    /// As [`spawn`](Self::spawn) and [`Child::wait`].
    pub fn status(&mut self) -> impl Future<Output = io::Result<ExitStatus>> + Send + use<> {
        let child = self.spawn();
        async {
            let mut child = child?;
            drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
            child.wait().await
        }
    }

    /// Starts it, now, and gives a future that waits for its end and has read all of its output.
    ///
    /// What it writes goes to pipes, whatever was said before. Unlike in the standard library, what it reads
    /// from is that of this process, unless it is said.
    ///
    /// # Errors
    /// As [`spawn`](Self::spawn) and [`Child::wait_with_output`].
    pub fn output(&mut self) -> impl Future<Output = io::Result<Output>> + Send + use<> {
        self.inner.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = self.spawn();
        async { child?.wait_with_output().await }
    }
}

impl From<std::process::Command> for Command {
    fn from(inner: std::process::Command) -> Command {
        Command { inner, kill_on_drop: false }
    }
}
