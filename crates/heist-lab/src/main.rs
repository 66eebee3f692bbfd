//! The lab of heist: the place where it is measured.
//!
//! Without arguments it shows in some seconds what heist does with fork-join work.

mod bench;
mod cli;
mod demo;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Some(Command::Bench(options)) => bench::run(&options),
        Some(Command::Demo(options)) => return demo::run(&options),
        #[cfg(unix)]
        Some(Command::Serve(options)) => {
            bench::serve(&options).map_err(|source| bench::Error::Serve { source })
        }
        None => first_look(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What `cargo run --release` shows to somebody who has just arrived.
fn first_look() -> Result<(), bench::Error> {
    bench::run(&cli::first_look())?;
    println!("\nNext: `cargo run --release -- bench --help` lists the other groups and says how to get");
    println!("figures to rely on.");
    Ok(())
}
