//! A tour for somebody who has just arrived: what work stealing is for, what it costs, and what becomes of a
//! server while the cores compute. It takes about twenty seconds and ends by itself.
//!
//! Everything it shows it measures on the spot, with what the benchmarks measure with, for a shorter time.

mod bars;
mod imbalance;
mod prices;
mod screen;
#[cfg(unix)]
mod server;

use std::io;
use std::time::{Duration, Instant};

use clap::Args;

use crate::bench::Error;
use crate::bench::measure::{Effort, nanos};
use crate::words::{cores, plural};
use imbalance::{ALL_PIECES, Done, Outcome, Strategy, WORKERS, bound};
use screen::{Screen, Style};

#[derive(Args, Clone, Debug, Default)]
pub struct TourOptions {
    /// Spend next to no time on each figure, to see whether all is there
    #[arg(long, hide = true)]
    quick: bool,
}

impl TourOptions {
    /// How often each strategy is run: an odd number, so that there is one in the middle.
    fn runs(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// How much time to spend on a row of a table.
    fn effort(&self) -> Effort {
        if self.quick {
            Effort::at_least(1, Duration::ZERO)
        } else {
            Effort::at_least(3, Duration::from_millis(400))
        }
    }

    /// How long a server is asked.
    #[cfg(unix)]
    fn span(&self) -> Duration {
        Duration::from_millis(if self.quick { 50 } else { 2500 })
    }
}

pub fn run(options: &TourOptions) -> Result<(), Error> {
    let cannot_write = |source| Error::Tour { source };
    tell(&mut Screen::stdout(), options).map_err(cannot_write)
}

fn tell(screen: &mut Screen<'_>, options: &TourOptions) -> io::Result<()> {
    let begin = Instant::now();
    introduce(screen)?;
    uneven_work(screen, options)?;
    steps(screen, options)?;
    tasks(screen, options)?;
    #[cfg(unix)]
    server(screen, options)?;
    end(screen, begin.elapsed())
}

fn introduce(screen: &mut Screen<'_>) -> io::Result<()> {
    let name = screen.paint(Style::Strong, "heist");
    let cores = plural(cores(), "core");
    screen.print(&format!(
        "\n\
        {name}: fork-join parallelism and async tasks on one pool of workers.\n\
        This tour measures on this machine, with {cores}, and takes about 20 seconds."
    ))?;
    if cfg!(debug_assertions) {
        screen.print("Note: a debug build, its figures mean nothing. Use `cargo run --release`.")?;
    }
    Ok(())
}

fn uneven_work(screen: &mut Screen<'_>, options: &TourOptions) -> io::Result<()> {
    screen.heading("1. Uneven work")?;
    screen.print(
        "\
Four workers begin with 100, 100, 200 and 350 ms of work. That is 750 ms in all,
so four workers cannot be done before 750 / 4 = 187.5 ms, whoever does what.
The work is 300 waits of 2.5 ms each. Waits overlap also where there are fewer
cores than workers; the workers and their queues are those of heist. Of three
runs the one in the middle is shown.
",
    )?;
    let (own, away) = (screen.paint(Style::Own, "█"), screen.paint(Style::Away, "▒"));
    screen.print(&format!("  {own} its own work   {away} work that was another's   · idle\n"))?;
    screen.print(&bars::ruler())?;
    for (number, strategy) in Strategy::ALL.into_iter().enumerate() {
        if number > 0 {
            screen.print("")?;
        }
        one_strategy(screen, strategy, options.runs())?;
    }
    Ok(())
}

/// Shows the workers while they are at it, and what came of it in the run of the median time.
fn one_strategy(screen: &mut Screen<'_>, strategy: Strategy, runs: usize) -> io::Result<()> {
    let name = screen.paint(Style::Strong, strategy.name());
    screen.print(&format!("{name}: {}", strategy.about()))?;
    let runs: io::Result<Vec<_>> = (0..runs).map(|_| one_run(screen, strategy)).collect();
    let mut runs = runs?;
    runs.sort_by_key(|(_, outcome)| outcome.time);
    let (done, outcome) = &runs[runs.len() / 2];
    screen.print(&bars::draw(screen, done, outcome.time))?;
    screen.print(&verdict(screen, outcome))
}

fn one_run(screen: &mut Screen<'_>, strategy: Strategy) -> io::Result<([Vec<Done>; WORKERS], Outcome)> {
    const FRAME: Duration = Duration::from_millis(40);
    let begin = Instant::now();
    let shift = strategy.begin();
    while !shift.wait(FRAME) {
        screen.draft(&bars::draw(screen, &shift.done(), begin.elapsed()))?;
    }
    let done = shift.done();
    let outcome = Outcome::of(&done);
    Ok((done, outcome))
}

fn verdict(screen: &Screen<'_>, outcome: &Outcome) -> String {
    let time = screen.paint(Style::Strong, &format!("{:.1} ms", nanos(outcome.time) / 1e6));
    let ratio = outcome.time.as_secs_f64() / bound().as_secs_f64();
    let (busy, moved) = (outcome.utilisation * 100.0, outcome.moved);
    format!("  {time}, {ratio:.2} of the bound; {busy:.0} % busy; {moved} of {ALL_PIECES} pieces moved")
}

fn steps(screen: &mut Screen<'_>, options: &TourOptions) -> io::Result<()> {
    screen.heading("2. What a fork, a join, a steal and a wake-up cost")?;
    screen.print(
        "\
A fork offers half of the work to others; a join runs it, or waits for the one
who took it. Medians of some rounds in turns. Fork and join are timed in chains
of 64 on one worker: next to them, the same recursion as plain calls.
",
    )?;
    prices::FORK_JOIN.tell(screen, &options.effort())
}

fn tasks(screen: &mut Screen<'_>, options: &TourOptions) -> io::Result<()> {
    screen.heading("3. What an async task costs")?;
    screen.print(
        "\
The same code on two workers of each runtime; time per task, of 10,000 or, where
each is awaited before the next, of 1,000.
",
    )?;
    prices::TASKS.tell(screen, &options.effort())
}

#[cfg(unix)]
fn server(screen: &mut Screen<'_>, options: &TourOptions) -> io::Result<()> {
    let cores = cores();
    let (workers, computers) = (plural(cores, "worker"), 2 * cores);
    screen.heading("4. A server's latency while the cores compute")?;
    screen.print(&format!(
        "\
A hyper server in a process of its own, with {workers}, gets 200 requests a
second. Meanwhile {computers} of its tasks do nothing but sum up a million numbers each.
Latency counts from when a request was due. Some hundred requests each: the
longest is one request, and another run has another one.
"
    ))?;
    server::tell(screen, cores, options.span())?;
    screen.print(
        "\n\
With heist the computations are parallel iterators on the pool that also serves
the sockets. While all of its workers compute, a spare thread serves them.",
    )
}

fn end(screen: &mut Screen<'_>, time: Duration) -> io::Result<()> {
    const NEXT: [(&str, &str); 6] = [
        ("heist demo", "watch the workers in a browser"),
        ("heist trace", "record what the workers of a computation do"),
        ("heist bench", "all figures against all peers, in ten processes"),
        ("docs/from-rayon.md", "for those who come from Rayon"),
        ("docs/from-tokio.md", "for those who come from Tokio"),
        ("docs/mixing.md", "computing and waiting on one pool"),
    ];
    screen.heading("Where to go next")?;
    for (what, why) in NEXT {
        let what = screen.paint(Style::Strong, &format!("{what:<18}"));
        screen.print(&format!("  {what}  {why}"))?;
    }
    screen.print(&format!(
        "\n\
        `heist` is this program: `cargo run --release -- demo`, and so on.\n\
        That took {:.0} s in one process; `heist bench` has figures to rely on.",
        time.as_secs_f64()
    ))
}
