//! What is done to a server, from this process.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::ValueEnum as _;

use super::drip::drip;
use super::server::Setup;

/// A server in a process of its own, which ends with this value.
pub struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// With so many workers, and as many threads for Rayon if it is in use.
    pub fn start(setup: Setup, workers: usize, computers: usize) -> io::Result<Self> {
        let setup = setup.to_possible_value().expect("every set-up can be named");
        let mut process = Command::new(std::env::current_exe()?)
            .args(["serve", setup.get_name()])
            .args(["--workers", &workers.to_string(), "--computers", &computers.to_string()])
            .env("RAYON_NUM_THREADS", workers.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("it is a pipe")).read_line(&mut line)?;
        let address = line.trim().parse().map_err(|_| io::Error::other("the server did not start"))?;
        Ok(Server { process, address })
    }

    /// The number that the server answers with.
    pub fn ask(&self, path: &str) -> io::Result<f64> {
        let mut stream = TcpStream::connect(self.address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: heist\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let number = answer.rsplit("\r\n").next().and_then(|number| number.parse().ok());
        number.ok_or_else(|| io::Error::other(format!("not a number: {answer}")))
    }

    /// How many requests wrk gets answered in a span of whole seconds, on 64 connections.
    pub fn flood(&self, span: Duration) -> io::Result<f64> {
        let output = Command::new("wrk")
            .args(["-t1", "-c64", &format!("-d{}s", span.as_secs().max(1))])
            .arg(format!("http://{}/", self.address))
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let requests = text.split(" requests in ").next().and_then(|text| text.split_whitespace().last());
        let requests = requests.and_then(|number| number.parse().ok());
        requests.ok_or_else(|| io::Error::other(format!("wrk says: {text}")))
    }

    /// Sends requests at a fixed rate, whether those before are answered or not. Returns how long each took
    /// from when it was due, in nanoseconds, the shortest first.
    pub fn drip(&self, per_second: f64, span: Duration) -> io::Result<Vec<f64>> {
        let mut times = drip(self.address, per_second, span)?;
        times.sort_by(f64::total_cmp);
        Ok(times)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input tells it to go.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Whether there is a program of this name.
pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
