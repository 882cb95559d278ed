//! `vitrine`: the compiler on the command line. The same engine as the page, the same bytes.
//!
//! Exit codes: 0 fine, 1 the input has a diagnostic or a checked property is false, 2 wrong use.

mod bisect;
mod digest;
mod case;
mod check;
mod exec;
mod catalog;
mod input;
mod json;
mod opt;
mod reduce;
mod show;
mod stat;
mod stats;
mod target;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// A shader compiler in a glass case.
#[derive(Parser)]
#[command(name = "vitrine", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print a program after a pipeline, or after some of its steps
    Show(show::Show),
    /// Run a pipeline and write the result
    Opt(opt::Opt),
    /// Print what a page would show of each file, as a line of checks: do two builds agree?
    Digest(digest::Digest),
    /// Run an entry point and print what it computes as JSON
    Exec(exec::Exec),
    /// Run every version of a program and compare what they compute
    Check(check::Check),
    /// Find the pass and the rewrite that change what a program computes
    Bisect(bisect::Bisect),
    /// Make a program small while something stays true of it
    Reduce(reduce::Reduce),
    /// Print statistics as JSON
    Stat(stat::Stat),
    /// Print what passes, presets, rules and operations there are
    Catalog(catalog::Catalog),
}

/// Options every command takes.
#[derive(clap::Args)]
struct Common {
    /// The program: IR text, a SPIR-V binary, SPIR-V text or a reproduction (`.repro`), told apart by content;
    /// `-` for standard input
    file: PathBuf,
    /// Passes to run, with commas between them; those of the reproduction if it is one
    #[arg(long)]
    pipeline: Option<String>,
}

/// Why a command ends early.
enum Stop {
    /// The input has diagnostics; they have been printed.
    Diagnosed,
    /// The command was used wrongly: the sentence says how.
    Misused(String),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Show(command) => command.run(),
        Command::Opt(command) => command.run(),
        Command::Digest(command) => command.run(),
        Command::Exec(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Bisect(command) => command.run(),
        Command::Reduce(command) => command.run(),
        Command::Stat(command) => command.run(),
        Command::Catalog(command) => command.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Diagnosed) => ExitCode::from(1),
        Err(Stop::Misused(sentence)) => {
            input::complain(&format!("vitrine: {sentence}\n"));
            ExitCode::from(2)
        }
    }
}
