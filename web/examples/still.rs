//! Prints what the page comes with: each hole of `www/index.html` as a line with its name and its length in
//! bytes, and then its text. Run by `cargo xtask dist`, with the path of the example the page opens with.

use std::io::Write;
use std::process::ExitCode;

use vitrine_core::view_model::{DEFAULT_PIPELINE, Session, Shown, Text, class_names};
use vitrine_web::state::{Document, Graph, Msg, Opened, Outcome, State, Timeline, TimelineStep, update};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(&path) else {
        let _ = writeln!(std::io::stderr(), "{path}: cannot be read");
        return ExitCode::FAILURE;
    };
    let mut out = Vec::new();
    for (hole, markup) in vitrine_web::still::holes(&page(text)) {
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
    update(&mut state, Msg::Ready { classes, pipeline: DEFAULT_PIPELINE.to_owned() });
    let revision = state.revision;
    update(&mut state, Msg::Opened(Box::new(opened(&mut session, revision))));
    state
}

/// What the worker answers, without a worker.
fn opened(session: &mut Session, revision: u32) -> Opened {
    let at = session.versions() - 1;
    let func = session.first_choice();
    let graph = func.map(|func| session.graph(at, func)).unwrap_or_default();
    let steps = session.steps().into_iter().map(|step| TimelineStep {
        pass: step.pass.to_owned(),
        options: step.options,
        round: step.round,
        outcome: Outcome::named(step.outcome),
        changes: step.changes,
        insts: step.insts,
        blocks: step.blocks,
        rewrites: u32::try_from(step.rewrites).unwrap_or(u32::MAX),
        // Pictures drawn at build time are the same on every machine.
        micros: 0,
        skipped: step.skipped,
        message: step.message,
        row: step.row,
    });
    let functions = session.functions().into_iter().map(|of| (of.number, of.name, of.blocks));
    Opened {
        revision,
        document: document(session.text(at, Shown::Ir).unwrap_or_default()),
        kind: session.kind().words().to_owned(),
        timeline: Timeline { steps: steps.collect(), at },
        functions: functions.collect(),
        func,
        graph: Graph::new(
            graph.extent,
            &graph.blocks,
            &graph.bands,
            &graph.lines,
            graph.labels,
            document(graph.text),
        ),
        ..Opened::default()
    }
}

fn document(text: Text) -> Document {
    Document::new(text.text, &text.runs)
}
