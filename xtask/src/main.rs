//! The developer's commands: `cargo xtask serve | test | bench | bless | dist | release | fuzz`.
//!
//! Each command installs the tools it needs, prints one line per step, and reports a failure with the command that helps. The
//! compiler does not need it: `cargo build` works without this program.

mod workspace; // start here: the repository, its target folder, the compiler in use
mod command; // programs and their output
mod report; // one line per step; errors with their fix

mod bench; // measurements
mod bless; // accepts the output of filetests
mod fuzz; // inputs that reach new code
mod serve; // the built site over HTTP
mod setup; // tools that a fresh machine lacks
mod site; // from sources to dist/
mod test; // everything CI checks

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::report::Result;
use crate::site::Effort;
use crate::workspace::Workspace;

/// The commands of Vitrine.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    disable_help_subcommand = true,
    after_help = "\
CHROMIUM=PATH               the browser for the tests, if it is not found by name
VITRINE_CORPUS=FOLDER       the large corpus, if it is not ../shared/corpus
VITRINE_WASM_SOURCE=SOURCE  the source of the wasm target: installed, rustup, build-std or debian"
)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Builds the site fast and serves it on 127.0.0.1; rebuilds after every change
    Serve(serve::Options),
    /// Runs everything CI checks, or the named steps of it
    Test {
        /// Steps to run, with the steps they need
        steps: Vec<String>,
    },
    /// Measures the compiler and the page
    Bench(bench::Options),
    /// Accepts the output of the filetests and shows the changed files
    Bless,
    /// Builds the static site into dist/
    Dist {
        /// Builds fast: without optimization, prerendering and compressed files
        #[arg(long)]
        dev: bool,
    },
    /// Builds the static site as a release with the permanent address `v/<version>/`, and lists the releases
    Release(site::release::Options),
    /// Runs the fuzzer on a reader, and adds the inputs that reach new code to its corpus
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    let workspace = Workspace::find();
    match run(&workspace, &Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(workspace: &Workspace, command: &Subcommands) -> Result<ExitCode> {
    let done = |result: Result| result.map(|()| ExitCode::SUCCESS);
    match command {
        Subcommands::Serve(options) => done(serve::command(workspace, options)),
        Subcommands::Test { steps } => test::command(workspace, steps),
        Subcommands::Bench(options) => done(bench::command(workspace, options)),
        Subcommands::Bless => done(bless::bless(workspace)),
        Subcommands::Dist { dev: true } => done(site::build(workspace, Effort::Development)),
        Subcommands::Dist { dev: false } => done(site::build(workspace, Effort::Release)),
        Subcommands::Release(options) => done(site::release::command(workspace, options)),
        Subcommands::Fuzz(options) => done(fuzz::command(workspace, options)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
        for line in [
            "serve --port=9000 --dev --under v/1",
            "serve --release",
            "test sizes readme",
            "bench",
            "dist --dev",
            "release 0.1.0",
            "release --out site",
            "fuzz spirv --seconds 3600",
            "fuzz",
        ] {
            assert!(
                Arguments::try_parse_from(["xtask"].into_iter().chain(line.split(' '))).is_ok(),
                "{line}"
            );
        }
        for line in
            ["serve --port many", "serve --port 70000", "serve site", "dist --quick", "serve --dev --release"]
        {
            assert!(
                Arguments::try_parse_from(["xtask"].into_iter().chain(line.split(' '))).is_err(),
                "{line}"
            );
        }
    }
}
