//! Requests at a fixed rate, whether those before are answered or not: an open loop.
//!
//! One thread does it all, so that the load takes as little as it can of the cores that it shares with the
//! server. It waits for the next request to be due and for answers to come, whichever is first. A request
//! goes out on a connection that has none under way. If there is no such one it waits, and that time counts:
//! a server that falls behind cannot hide it.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How many requests can be under way.
const CONNECTIONS: usize = 64;

/// How long the server may take for the last ones.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long each request took, from when it was due, in nanoseconds, in the order of their ends.
pub fn drip(address: SocketAddr, per_second: f64, span: Duration) -> io::Result<Vec<f64>> {
    let connections = (0..CONNECTIONS).map(|_| Connection::new(address)).collect::<Result<Vec<_>, _>>()?;
    let interval = Duration::from_secs_f64(1.0 / per_second);
    let begin = Instant::now() + interval;
    let dues = (0_u32..).map(|n| interval * n).take_while(|due| *due < span).map(|due| begin + due);
    Drip { free: (0..CONNECTIONS).collect(), connections, times: Vec::new() }.run(dues)
}

struct Drip {
    connections: Vec<Connection>,
    /// Those that have no request under way.
    free: Vec<usize>,
    times: Vec<f64>,
}

impl Drip {
    fn run(mut self, dues: impl Iterator<Item = Instant>) -> io::Result<Vec<f64>> {
        let mut dues = dues.peekable();
        let mut last = Instant::now();
        while dues.peek().is_some() || self.free.len() < CONNECTIONS {
            while let Some(&due) = dues.peek()
                && due <= Instant::now()
                && let Some(free) = self.free.pop()
            {
                self.connections[free].ask(due)?;
                (last, _) = (due, dues.next());
            }
            // Without a free connection there is nothing to do before an answer is there.
            let next = dues.peek().filter(|_| !self.free.is_empty());
            let ready = self.wait(next.copied())?;
            if ready.is_empty() && next.is_none() && last.elapsed() > PATIENCE {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer any more"));
            }
            ready.into_iter().try_for_each(|index| self.read(index))?;
        }
        Ok(self.times)
    }

    /// Waits until there are answers, but no longer than `until`. Says on which connections.
    fn wait(&self, until: Option<Instant>) -> io::Result<Vec<usize>> {
        let timeout = until.map_or(PATIENCE, |until| until.saturating_duration_since(Instant::now()));
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        let is_asked = |&index: &usize| self.connections[index].due.is_some();
        let asked: Vec<usize> = (0..CONNECTIONS).filter(is_asked).collect();
        let fd = |&index: &usize| PollFd::new(&self.connections[index].stream, PollFlags::IN);
        let mut fds: Vec<_> = asked.iter().map(fd).collect();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let answered = asked.into_iter().zip(fds).filter(|(_, fd)| !fd.revents().is_empty());
        Ok(answered.map(|(index, _)| index).collect())
    }

    fn read(&mut self, index: usize) -> io::Result<()> {
        if let Some(time) = self.connections[index].read()? {
            self.times.push(time);
            self.free.push(index);
        }
        Ok(())
    }
}

struct Connection {
    stream: TcpStream,
    /// When the request was due that is under way.
    due: Option<Instant>,
    buffer: [u8; 1024],
    length: usize,
}

impl Connection {
    fn new(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Connection { stream, due: None, buffer: [0; 1024], length: 0 })
    }

    fn ask(&mut self, due: Instant) -> io::Result<()> {
        // So few bytes fit, since what was sent before has been answered.
        self.stream.write_all(b"GET / HTTP/1.1\r\nhost: heist\r\n\r\n")?;
        (self.due, self.length) = (Some(due), 0);
        Ok(())
    }

    /// Reads what there is; if that completes the answer, says how long it took.
    fn read(&mut self) -> io::Result<Option<f64>> {
        let Some(due) = self.due else { return Ok(None) };
        match self.stream.read(&mut self.buffer[self.length..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => self.length += read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
        // The greeting ends with a full stop and a line feed, and nothing else does.
        if !self.buffer[..self.length].ends_with(b".\n") {
            return Ok(None);
        }
        self.due = None;
        Ok(Some(due.elapsed().as_nanos() as f64))
    }
}
