//! `heist demo`: a web page that shows how the workers of a pool share work, served by heist itself.
//!
//! The page asks for a run. That happens at full speed on a pool of its own, is recorded, and sent as a list
//! of events, which the page replays as slowly as one likes.
//!
//! ```text
//! setup -> program -> notes -> history -> recording -> the page
//!                       |         |
//!         by each thread, in     in one order, in which it can
//!         the order it knows     have happened (checked)
//! ```

mod assets;
mod check;
mod history;
mod notes;
mod program;
mod recording;
mod runs;
mod scenarios;
mod server;
mod setup;
mod stats;

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};

use clap::Args;
use heist::net::TcpListener;

#[derive(Args, Clone, Copy, Debug)]
pub struct DemoOptions {
    /// Where to listen; 0 is any port that is free
    #[arg(long, value_name = "PORT", default_value_t = 7878, allow_negative_numbers = true)]
    pub port: u16,

    /// The address to listen on; others than the default let other machines in
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub host: IpAddr,

    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// Serves until Ctrl-C.
pub fn run(options: &DemoOptions) -> Result<(), String> {
    heist::block_on(serve(options)).map_err(|error| explain(&error, options))
}

async fn serve(options: &DemoOptions) -> io::Result<()> {
    let listener = TcpListener::bind(SocketAddr::new(options.host, options.port)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    if let Some(warning) = warning(options.host) {
        eprintln!("warning: {warning}");
    }
    let mut output = io::stdout().lock();
    // Who started us may not listen.
    let _ = writeln!(output, "heist demo: {url}  (Ctrl-C ends it)").and_then(|()| output.flush());
    drop(output);
    if options.open {
        open(&url);
    }
    let server = async { match server::serve(listener, options.host).await {} };
    futures_lite::future::or(ctrl_c(), server).await
}

#[cfg(unix)]
async fn ctrl_c() -> io::Result<()> {
    heist::signal::ctrl_c().await
}

/// Where there are no signals, the system ends the program.
#[cfg(not(unix))]
async fn ctrl_c() -> io::Result<()> {
    std::future::pending().await
}

/// What to know about an address that others can reach.
fn warning(host: IpAddr) -> Option<String> {
    let warning =
        || format!("{host} can be reached from other machines, which may run whatever the page can");
    (!host.is_loopback()).then(warning)
}

/// Says what to do about it, where there is something to do.
fn explain(error: &io::Error, options: &DemoOptions) -> String {
    let DemoOptions { port, host, .. } = options;
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} is in use; end the other program, or let `--port 0` find a free one")
        }
        io::ErrorKind::PermissionDenied => {
            format!("port {port} is not for everybody; choose one above 1023, or let `--port 0` find one")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{host} is no address of this machine; leave out `--host` to listen on 127.0.0.1")
        }
        _ => format!("cannot listen on {}: {error}", SocketAddr::new(*host, *port)),
    }
}

/// Asks the system for a browser. If there is none, the address stands on the screen.
fn open(url: &str) {
    let (program, args): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(args).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        eprintln!("no browser was found (`{program}` is missing); open the address in one");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_listens_on_this_machine_only_unless_told_otherwise() {
        use crate::cli::{Cli, Command};
        use clap::Parser as _;

        let options = |args: &[&str]| match Cli::try_parse_from(["heist", "demo"].iter().chain(args)) {
            Ok(Cli { command: Some(Command::Demo(options)) }) => options,
            other => panic!("{other:?}"),
        };
        assert!(options(&[]).host.is_loopback() && !options(&[]).open);
        assert_eq!(options(&["--host", "0.0.0.0"]).host, IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    }

    #[test]
    fn only_addresses_that_others_can_reach_are_warned_about() {
        let table = [
            ("127.0.0.1", false),
            ("127.0.0.2", false),
            ("::1", false),
            ("0.0.0.0", true),
            ("10.0.0.1", true),
        ];
        for (host, warned) in table {
            assert_eq!(warning(host.parse().expect("an address")).is_some(), warned, "{host}");
        }
    }

    #[test]
    fn errors_say_what_to_do() {
        let options = DemoOptions { port: 80, host: IpAddr::V4(Ipv4Addr::LOCALHOST), open: false };
        let table = [
            (io::ErrorKind::AddrInUse, "port 80 is in use"),
            (io::ErrorKind::PermissionDenied, "choose one above 1023"),
            (io::ErrorKind::AddrNotAvailable, "127.0.0.1 is no address of this machine"),
            (io::ErrorKind::OutOfMemory, "cannot listen on 127.0.0.1:80"),
        ];
        for (kind, message) in table {
            let explained = explain(&kind.into(), &options);
            assert!(explained.contains(message), "{explained}");
        }
    }
}
