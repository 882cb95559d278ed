//! `vitrine`: the compiler on the command line, with the same engine and the same output as the page.
//!
//! Exit codes: 0 success, 1 the input has a diagnostic or a checked property is false, 2 usage error.

mod bisect;
mod digest;
mod check;
mod compare;
mod dumps;
mod exec;
mod catalog;
mod emit;
mod input;
mod json;
mod judge;
mod judge_class;
mod lesson;
mod link;
mod manual;
mod opt;
mod reduce;
mod report;
mod show;
mod sources;
mod stat;
mod stats;

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
    /// Print checksums of everything the page shows of a file, to compare two builds
    Digest(digest::Digest),
    /// Run an entry point and print its results as JSON
    Exec(exec::Exec),
    /// Run every version of a program and compare their results
    Check(check::Check),
    /// Find the pass and the rewrite that change the results of a program
    Bisect(bisect::Bisect),
    /// Run programs of any compiler on the same inputs, and find the first that differs
    Compare(compare::Compare),
    /// Write a report of the first program that differs, for the tracker of its compiler
    Report(report::Report),
    /// Reduce a program while a property holds
    Reduce(reduce::Reduce),
    /// Print a link that opens programs in the page; several are compared
    Link(link::Link),
    /// Write the programs of a link into files, and print the command that runs them
    Open(link::Open),
    /// Print statistics as JSON
    Stat(stat::Stat),
    /// Decide whether an answer solves a task, and explain the decision
    Judge(judge::Judge),
    /// Write a lesson as a page that needs no other file
    Lesson(lesson::LessonPage),
    /// List passes, presets, rules, operations, analyses, front ends, back ends and diagnostics
    Catalog(catalog::Catalog),
    /// Print the completions of a shell
    Completions(manual::Completions),
    /// Write the manual pages, one for each command
    Man(manual::Man),
}

/// Options of every command.
#[derive(clap::Args)]
struct Common {
    /// The program: IR text, SPIR-V text, a SPIR-V binary (also as hex, a C array or base64), WGSL, GLSL, HLSL or a
    /// reproduction, recognized by content; `-` for standard input
    file: PathBuf,
    /// Passes to run, separated by commas; by default those of the reproduction if the input is one
    #[arg(long)]
    pipeline: Option<String>,
    /// Products of Direct3D 9 programs are 0 if a factor is 0, also with infinity, as on hardware of their time
    #[arg(long)]
    zero_products: bool,
    /// Allow passes that are wrong on purpose, `wrong-commute`, `wrong-forward` and `wrong-not-less`: for lessons
    #[arg(long)]
    teaching: bool,
    #[command(flatten)]
    sources: sources::SourceOptions,
}

/// The reason that a command ends early.
enum Stop {
    /// The input has diagnostics; they have been printed.
    Diagnosed,
    /// A usage error, with a message.
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
        Command::Compare(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Reduce(command) => command.run(),
        Command::Link(command) => command.run(),
        Command::Open(command) => command.run(),
        Command::Stat(command) => command.run(),
        Command::Judge(command) => command.run(),
        Command::Lesson(command) => command.run(),
        Command::Catalog(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
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
