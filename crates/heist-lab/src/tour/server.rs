//! How soon a server answers while the cores compute: the benchmark `mixed`, for some seconds.

use std::io;
use std::time::Duration;

use super::screen::{Screen, Style};
use crate::bench::http::{Server, Setup, percentile};
use crate::bench::report::time;

/// Requests per second: few enough to leave the cores to the computations.
const RATE: f64 = 200.0;

/// What to call it here; how it is set up; whether it computes.
const SERVERS: [(&str, Setup, bool); 5] = [
    ("heist, nothing to compute", Setup::HeistOffload, false),
    ("tokio, nothing to compute", Setup::TokioAlone, false),
    ("heist, computing by offload", Setup::HeistOffload, true),
    ("tokio, computing on rayon's pool", Setup::TokioRayon, true),
    ("tokio, computing in its tasks", Setup::TokioAlone, true),
];

/// Measures one after the other, each for so long, and prints them as they come.
pub fn tell(screen: &mut Screen<'_>, cores: usize, span: Duration) -> io::Result<()> {
    let heading = line("", "p50", "p99", "longest", "computations");
    screen.print(&screen.paint(Style::Faint, &heading))?;
    for (label, setup, computes) in SERVERS {
        screen.draft(&screen.paint(Style::Faint, &format!("  {label} ... {} s", span.as_secs_f64())))?;
        let computers = if computes { 2 * cores } else { 0 };
        let figures = Figures::measure(&Server::start(setup, cores, computers)?, span)?;
        screen.print(&figures.line(label, computes))?;
    }
    Ok(())
}

struct Figures {
    /// In nanoseconds, the shortest first.
    latencies: Vec<f64>,
    computations_per_second: f64,
}

impl Figures {
    fn measure(server: &Server, span: Duration) -> io::Result<Self> {
        let before = server.ask("/done")?;
        let latencies = server.drip(RATE, span)?;
        let computations = server.ask("/done")? - before;
        Ok(Self { latencies, computations_per_second: computations / span.as_secs_f64() })
    }

    fn line(&self, label: &str, computes: bool) -> String {
        let latency = |share| time(percentile(&self.latencies, share));
        let computations =
            if computes { format!("{:.0}/s", self.computations_per_second) } else { "-".to_owned() };
        line(label, &latency(0.5), &latency(0.99), &latency(1.0), &computations)
    }
}

fn line(label: &str, p50: &str, p99: &str, longest: &str, computations: &str) -> String {
    format!("  {label:<34}{p50:>9}{p99:>10}{longest:>10}{computations:>14}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_percentiles_and_what_was_computed_meanwhile() {
        let latencies = (1..=100).map(|n| f64::from(n) * 1e6).collect();
        let figures = Figures { latencies, computations_per_second: 512.4 };
        let cells: Vec<String> = figures.line("x", true).split_whitespace().map(str::to_owned).collect();
        assert_eq!(cells, ["x", "51.0", "ms", "100.0", "ms", "100.0", "ms", "512/s"]);
        assert!(figures.line("x", false).ends_with(" -"));
    }

    #[test]
    fn no_label_is_too_wide() {
        assert!(SERVERS.iter().all(|(label, ..)| label.len() <= 34));
    }
}
