//! Prints the prerendered parts of the page: each placeholder of `www/index.html` as a line with its name and its length in
//! bytes, and then its text. Run by `cargo xtask dist`, with the path of the page's example.
//!
//! The requests are those of the page, without a worker. The host has no clock of a worker, so the page contains no times:
//! the result is the same on every machine.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use vitrine_protocol::{Bytes, GraphOptions, OpenRequest, Request};
use vitrine_wasm::Compiler;
use vitrine_web::state::{Msg, State, update};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(&path) else {
        let _ = writeln!(std::io::stderr(), "{path}: cannot be read");
        return ExitCode::FAILURE;
    };
    let mut out = Vec::new();
    let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (hole, markup) in vitrine_web::prerender::holes(&page(name, text)) {
        out.extend_from_slice(format!("{hole} {}\n", markup.len()).as_bytes());
        out.extend_from_slice(markup.as_bytes());
    }
    match std::io::stdout().write_all(&out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The page after the first answer of the compiler.
fn page(name: String, text: String) -> State {
    let mut compiler = Compiler::default();
    let mut state = State::default();
    let input = Bytes(text.clone().into_bytes());
    update(&mut state, Msg::Begin { name, text });
    update(&mut state, Msg::Answer(compiler.greeting()));
    let (revision, pipeline) = (state.revision, state.pipeline.clone());
    let graph = GraphOptions { inline: state.scene.inline, ..GraphOptions::default() };
    let last_change = state.first_sight;
    let open = OpenRequest { revision, pipeline, last_change, graph, ..OpenRequest::default() };
    for request in [Request::Input(input), Request::Open(open)] {
        if let Some(answer) = compiler.answer(request) {
            update(&mut state, Msg::Answer(answer));
        }
    }
    state
}
