//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};

use crate::bench::GROUPS;
#[cfg(unix)]
use crate::bench::ServerOptions;
use crate::demo::DemoOptions;
use crate::tour::TourOptions;
use crate::trace::TraceOptions;

/// The lab of heist, a work-stealing runtime.
///
/// Without a command it is `heist tour`.
#[derive(Debug, Parser)]
#[command(name = "heist", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show in about 20 seconds what heist does and what it costs
    Tour(TourOptions),
    /// Show in a browser how workers share work, with runs that really happen
    Demo(DemoOptions),
    /// Record what the workers do in a workload: a summary, and a file to look at
    Trace(TraceOptions),
    /// Measure heist against its peers and print the ratios
    #[command(long_about = BENCH)]
    Bench(BenchOptions),
    /// Serve HTTP, for the benchmarks
    #[cfg(unix)]
    #[command(hide = true)]
    Serve(ServerOptions),
}

const BENCH: &str = "\
Measure heist against its peers and print the ratios.

All contenders run in one process, in turns. The whole is repeated in several processes, because the \
same binary can be half as fast or twice as fast in the next one; a ratio in the table is the median of \
the ratios of the processes. One peer also runs against itself: differences within that noise band mean \
nothing.";

#[derive(Args, Clone, Debug)]
pub struct BenchOptions {
    /// Which group to run; all of them if left out
    #[arg(value_parser = group_names())]
    pub group: Option<String>,

    /// Run only the benches whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Fewer rounds and shorter spans: a first impression, not a figure to quote
    #[arg(long)]
    pub quick: bool,

    /// In how many processes, one after another, to repeat the whole
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub processes: u32,

    /// Also write a JSON line per bench and contender to this file; `-` prints them instead of the table
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Also write a page with plots to this file; `-` prints it instead of the table
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Measure nothing: make the page of what an earlier run wrote with --json
    #[arg(long, value_name = "FILE", requires = "html",
        conflicts_with_all = ["group", "only", "quick", "processes", "json"])]
    pub from: Option<PathBuf>,

    /// Show no progress bar (there is none either when stderr is not a terminal)
    #[arg(long)]
    pub quiet: bool,
}

fn group_names() -> PossibleValuesParser {
    PossibleValuesParser::new(GROUPS.iter().map(|group| PossibleValue::new(group.name).help(group.about)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(args: &[&str]) -> Result<BenchOptions, clap::Error> {
        let args = ["heist", "bench"].iter().chain(args);
        match Cli::try_parse_from(args)?.command {
            Some(Command::Bench(options)) => Ok(options),
            _ => unreachable!("the arguments name this command"),
        }
    }

    #[test]
    fn no_arguments_mean_no_command() {
        assert!(Cli::try_parse_from(["heist"]).unwrap().command.is_none());
    }

    #[test]
    fn bench_defaults_to_all_groups_in_ten_processes() {
        let options = bench(&[]).unwrap();
        assert_eq!(options.group, None);
        assert_eq!(options.processes, 10);
        assert!(!options.quick);
        assert_eq!(options.json, None);
    }

    #[test]
    fn all_options_are_understood() {
        let options = bench(&["deque", "--quick", "--json", "out", "--processes", "3"]).unwrap();
        assert_eq!(options.group.as_deref(), Some("deque"));
        assert!(options.quick);
        assert_eq!(options.json, Some(PathBuf::from("out")));
        assert_eq!(options.processes, 3);
    }

    #[test]
    fn earlier_results_make_a_page_and_nothing_else() {
        let options = bench(&["--from", "in.jsonl", "--html", "out.html"]).unwrap();
        assert_eq!(options.from, Some(PathBuf::from("in.jsonl")));
        assert_eq!(options.html, Some(PathBuf::from("out.html")));
        assert!(bench(&["--from", "in.jsonl"]).is_err(), "what for?");
        assert!(bench(&["deque", "--from", "in.jsonl", "--html", "out.html"]).is_err());
    }

    #[test]
    fn an_unknown_group_is_answered_with_the_known_ones() {
        let message = bench(&["tea"]).unwrap_err().to_string();
        for group in GROUPS {
            assert!(message.contains(group.name), "{message}");
        }
    }

    #[test]
    fn zero_processes_are_refused() {
        assert!(bench(&["--processes", "0"]).is_err());
    }
}
