//! The lab of heist: the place where it is shown and measured.
//!
//! Without arguments it gives a tour.

mod bench;
mod cli;
mod demo;
mod tour;
mod trace;
mod words;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use tour::TourOptions;

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Option<Command>) -> Result<(), Box<dyn Error>> {
    match command {
        Some(Command::Tour(options)) => tour::run(&options)?,
        Some(Command::Demo(options)) => demo::run(&options)?,
        Some(Command::Trace(options)) => trace::run(&options)?,
        Some(Command::Bench(options)) => bench::run(&options)?,
        #[cfg(unix)]
        Some(Command::Serve(options)) => {
            bench::serve(&options).map_err(|source| bench::Error::Serve { source })?;
        }
        None => tour::run(&TourOptions::default())?,
    }
    Ok(())
}
