//! The developer's commands: `cargo xtask serve | test | bench | bless | dist`.
//!
//! Each command sets up what it needs, says one line per step, and ends a failure with the command that
//! helps. Nothing here is needed to use the compiler: `cargo build` knows nothing of this program.

mod place; // start here: the repository, its target folder, the compiler in use
mod run; // programs and their output
mod say; // one line per step; what went wrong and what helps

mod engine; // bench and bless
mod measure; // bench page: the page's main thread
mod serve; // the built site over HTTP
mod setup; // what a fresh machine lacks
mod site; // from sources to dist/
mod test; // everything CI checks

use std::process::ExitCode;

use crate::place::Place;
use crate::say::{Outcome, Trouble};

const USAGE: &str = "\
The commands of Vitrine.

  cargo xtask serve [--port N] [--under PATH] [--dev]   build the site and serve it on 127.0.0.1
  cargo xtask test [STEP...]                            everything CI checks, or these steps of it
  cargo xtask bench [NAME] [FILTER...]                  measure the compiler; NAME is a file in core/bench/benches;
                                                        `layout` alone also measures layouts by other hands,
                                                        `wasm` the page's compiler against the host's,
                                                        `oracle` the interpreter against a Vulkan driver,
                                                        `qptr` the way to untyped pointers and back, in MB/s
  cargo xtask bench lab [FILE...]                       measure how fast the page runs shaders: pictures, in wasm
  cargo xtask bench trace [FILE...]                     measure a trace of 60 passes in wasm: time and memory
  cargo xtask bench page [FILE...]                      measure when the page shows something, and how long its
                                                        main thread is busy
  cargo xtask bless                                     accept the output of the filetests, show what changed
  cargo xtask dist [--dev]                              build the static site into dist/

--dev builds fast and unoptimised, without compressed side files; serve --dev builds again after every change.

CHROMIUM=PATH            the browser for the tests, when it is not found by name
VITRINE_WASM_ROAD=ROAD   take one road to the wasm target: installed, rustup, build-std or debian
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match command(&args) {
        Ok(code) => code,
        Err(trouble) => {
            trouble.print();
            ExitCode::FAILURE
        }
    }
}

/// Runs the command named by the first word.
fn command(args: &[String]) -> Outcome<ExitCode> {
    let place = Place::find();
    if args.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let (name, rest) = args.split_first().map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    match name {
        "serve" => serve::command(&place, rest).map(|()| ExitCode::SUCCESS),
        "test" => test::command(&place, rest),
        "bench" if rest.first().is_some_and(|name| name == "wasm") => {
            test::same::bench(&place).map(|()| ExitCode::SUCCESS)
        }
        "bench" if rest.first().is_some_and(|name| name == "lab") => {
            measure::lab(&place, rest.get(1..).unwrap_or_default()).map(|()| ExitCode::SUCCESS)
        }
        "bench" if rest.first().is_some_and(|name| name == "trace") => {
            measure::trace(&place, rest.get(1..).unwrap_or_default()).map(|()| ExitCode::SUCCESS)
        }
        "bench" if rest.first().is_some_and(|name| name == "page") => {
            measure::page(&place, rest.get(1..).unwrap_or_default()).map(|()| ExitCode::SUCCESS)
        }
        "bench" => engine::bench(&place, rest).map(|()| ExitCode::SUCCESS),
        "bless" => Flags::none(rest).and_then(|()| engine::bless(&place)).map(|()| ExitCode::SUCCESS),
        "dist" => Flags::dev(rest)
            .and_then(|dev| site::build(&place, if dev { site::Effort::Quick } else { site::Effort::Full }))
            .map(|()| ExitCode::SUCCESS),
        "help" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => Err(Trouble::new("reading the command line")
            .why(format!("there is no command `{other}`"))
            .fix("run `cargo xtask help` for the list")),
    }
}

/// Flags of the simple commands.
struct Flags;

impl Flags {
    /// Refuses every argument.
    fn none(rest: &[String]) -> Outcome {
        match rest.first() {
            None => Ok(()),
            Some(word) => Err(Flags::unknown(word)),
        }
    }

    /// `--dev` or nothing.
    fn dev(rest: &[String]) -> Outcome<bool> {
        match rest {
            [] => Ok(false),
            [word] if word == "--dev" => Ok(true),
            [word, ..] => Err(Flags::unknown(word)),
        }
    }

    fn unknown(word: &str) -> Trouble {
        Trouble::new("reading the command line")
            .why(format!("this command does not take `{word}`"))
            .fix("run `cargo xtask help` for what each command takes")
    }
}
