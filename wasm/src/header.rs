//! The small part of an answer, as a plain JavaScript object.
//!
//! Tens of entries: large things go as typed arrays, which cost two hundred times less.

use serde::Serialize;
use vitrine_core::view_model::{self, DiagView, Session};
use wasm_bindgen::{JsError, JsValue};

/// What is open, what is wrong with it, what ran, and which moment of it the large parts show.
#[derive(Debug, Serialize)]
pub(crate) struct Header<'session> {
    kind: &'static str,
    diags: Vec<Diag<'session>>,
    pipeline: Vec<Diag<'session>>,
    functions: Vec<Function>,
    steps: Vec<Step>,
    counts: [u32; 3],
    at: u32,
    func: Option<u32>,
    extent: [i32; 4],
    labels: Vec<String>,
    refused: String,
    reasons: Vec<Reason>,
    verdict: String,
}

/// Why the shown step changed something, and how often.
#[derive(Debug, Serialize)]
struct Reason {
    count: u32,
    rule: &'static str,
    words: String,
}

/// One sentence of the compiler, with its place in the input.
#[derive(Debug, Serialize)]
struct Diag<'session> {
    level: &'session str,
    code: &'session str,
    message: &'session str,
    line: u32,
    column: u32,
}

/// A function of the input.
#[derive(Debug, Serialize)]
struct Function {
    number: u32,
    name: String,
    blocks: u32,
    entry: bool,
}

/// A step of the pipeline.
#[derive(Debug, Serialize)]
struct Step {
    pass: &'static str,
    options: String,
    round: u32,
    outcome: &'static str,
    changes: u32,
    insts: u32,
    blocks: u32,
    rewrites: u32,
    micros: u32,
    skipped: String,
    message: String,
    row: u32,
}

/// What the large parts of an answer show.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    /// The version.
    pub(crate) at: usize,
    /// The function drawn as a graph.
    pub(crate) func: Option<u32>,
    /// Left, upper edge, width, height of the graph in px.
    pub(crate) extent: [i32; 4],
    /// What stands at the lines of the graph.
    pub(crate) labels: Vec<String>,
    /// Why there is no text, if there is none.
    pub(crate) refused: String,
    /// What came of comparing with the reproduction that was opened; empty where none was.
    pub(crate) verdict: String,
}

impl<'session> Header<'session> {
    /// The header of a session at a moment.
    pub(crate) fn of(session: &'session Session, moment: Moment) -> Header<'session> {
        let functions = session.functions().into_iter().map(|of| Function {
            number: of.number,
            name: of.name,
            blocks: of.blocks,
            entry: of.is_entry,
        });
        let steps = session.steps().into_iter().map(|of| Step {
            pass: of.pass,
            options: of.options,
            round: of.round,
            outcome: of.outcome,
            changes: of.changes,
            insts: of.insts,
            blocks: of.blocks,
            rewrites: of.rewrites.min(u64::from(u32::MAX)) as u32,
            micros: (of.nanos / 1000).min(u64::from(u32::MAX)) as u32,
            skipped: of.skipped,
            message: of.message,
            row: of.row,
        });
        let reasons = session.reasons(moment.at).into_iter();
        let reasons = reasons.map(|view_model::Reason { count, rule, words }| Reason { count, rule, words });
        Header {
            kind: session.kind().words(),
            diags: diags(session.diags()),
            pipeline: diags(session.pipeline_diags()),
            functions: functions.collect(),
            steps: steps.collect(),
            counts: session.counts(moment.at),
            at: moment.at as u32,
            func: moment.func,
            extent: moment.extent,
            labels: moment.labels,
            refused: moment.refused,
            reasons: reasons.collect(),
            verdict: moment.verdict,
        }
    }

    /// The object.
    pub(crate) fn to_js(&self) -> Result<JsValue, JsError> {
        serde_wasm_bindgen::to_value(self).map_err(|error| JsError::new(&error.to_string()))
    }
}

/// What a link says, less its input.
#[derive(Debug, Serialize)]
struct Linked<'link> {
    name: &'link str,
    pipeline: &'link str,
    at: Option<u32>,
    func: Option<u32>,
    shown: u32,
    problem: &'link str,
}

/// A link as an object.
pub(crate) fn linked(moment: &view_model::Moment, problem: &str) -> Result<JsValue, JsError> {
    let view_model::Moment { name, pipeline, at, func, shown, .. } = moment;
    let linked = Linked { name, pipeline, at: *at, func: *func, shown: *shown, problem };
    serde_wasm_bindgen::to_value(&linked).map_err(|error| JsError::new(&error.to_string()))
}

fn diags(views: &[DiagView]) -> Vec<Diag<'_>> {
    let view = |diag| {
        let DiagView { level, code, message, line, column }: &DiagView = diag;
        Diag { level, code, message, line: *line, column: *column }
    };
    views.iter().map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_holds_what_the_session_says() {
        let mut session = Session::new();
        session.open(b"func @0() graph {\n^0:\n  fad\n}\n", "wish");
        let header = Header::of(&session, Moment::default());
        assert_eq!((header.diags[0].code, header.diags[0].line, header.diags[0].column), ("P002", 3, 3));
        assert_eq!((header.pipeline[0].code, header.kind), ("L001", "IR text"));
    }
}
