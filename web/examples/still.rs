//! Prints what the page comes with: each hole of `www/index.html` as a line with its name and its length in
//! bytes, and then its text. Run by `cargo xtask dist`, with the path of the example the page opens with.

use std::io::Write;
use std::process::ExitCode;

use vitrine_core::playground::{DEFAULT_PIPELINE, Session, Shown, Text, class_names};
use vitrine_protocol::{
    Answer, FunctionInfo, GraphPicture, Opened, Outcome, PassStep, StyledText, Table, Utf8,
};
use vitrine_web::state::{Msg, State, update};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(&path) else {
        let _ = writeln!(std::io::stderr(), "{path}: cannot be read");
        return ExitCode::FAILURE;
    };
    let mut out = Vec::new();
    for (hole, markup) in vitrine_web::prerender::holes(&page(text)) {
        out.extend_from_slice(format!("{hole} {}\n", markup.len()).as_bytes());
        out.extend_from_slice(markup.as_bytes());
    }
    match std::io::stdout().write_all(&out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The page as it is when the compiler has answered for the first time.
fn page(text: String) -> State {
    let mut session = Session::new();
    session.open(text.as_bytes(), DEFAULT_PIPELINE);
    let mut state = State::default();
    let classes = class_names().iter().map(|name| (*name).to_owned()).collect();
    update(&mut state, Msg::Edited(text));
    update(&mut state, Msg::Answer(Answer::Ready { classes, pipeline: DEFAULT_PIPELINE.to_owned() }));
    let revision = state.revision;
    update(&mut state, Msg::Answer(Answer::Opened(Box::new(opened(&mut session, revision)))));
    state
}

/// The answer of the worker, without a worker. Times are left out: prerendered pages are the same on every machine.
fn opened(session: &mut Session, revision: u32) -> Opened {
    let at = session.versions() - 1;
    let function = session.first_choice();
    let graph = function.map(|function| session.graph(at, function)).unwrap_or_default();
    let steps = session.steps().into_iter().map(|step| PassStep {
        pass: step.pass.to_owned(),
        options: step.options,
        iteration: step.round,
        outcome: Outcome::named(step.outcome).unwrap_or_default(),
        changes: step.changes,
        insts: step.insts,
        blocks: step.blocks,
        rewrites: u32::try_from(step.rewrites).unwrap_or(u32::MAX),
        micros: 0,
        skipped: step.skipped,
        message: step.message,
        row: step.row,
    });
    let functions = session.functions().into_iter().map(|of| FunctionInfo {
        number: of.number,
        name: of.name,
        blocks: of.blocks,
        entry: of.is_entry,
    });
    Opened {
        revision,
        text: styled(session.text(at, Shown::Ir).unwrap_or_default()),
        kind: session.kind().words().to_owned(),
        functions: functions.collect(),
        steps: steps.collect(),
        version: at as u32,
        function,
        graph: GraphPicture {
            extent: graph.extent,
            blocks: Table::from_numbers(graph.blocks),
            loops: Table::from_numbers(graph.bands),
            edges: Table::from_numbers(graph.lines),
            labels: graph.labels,
            text: styled(graph.text),
            hidden: Table::from_numbers(graph.hidden),
        },
        ..Opened::default()
    }
}

fn styled(text: Text) -> StyledText {
    StyledText { text: Utf8(text.text), spans: Table::from_words(text.runs) }
}
