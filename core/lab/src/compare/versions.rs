//! Programs as versions of one program: read, aligned, and recorded as a trace.
//!
//! The first program is the input; each further one is a step with the name of its pass or file. A program that
//! cannot be read is a step that leaves an invalid program.
//!
//! Refuses to run anything.

use super::align::Aligner;
use vitrine_front::Dump;
use vitrine_front::InputKind;
use vitrine_ir::base::EntityId;
use vitrine_ir::{Diag, Diags, Func, Journal, Level, Module, Reason};
use vitrine_pipeline::Stats;
use vitrine_pipeline::diff;
use vitrine_pipeline::{Outcome, Trace, TraceStep};

/// A program of a comparison.
#[derive(Clone, Debug)]
pub struct Version {
    /// The pass that made it, or the file.
    pub name: String,
    /// The module, or the part of it that could be read.
    pub module: Module,
    /// The diagnostics of reading.
    pub diags: Diags,
    /// If set, it is identical to its predecessor.
    pub unchanged: bool,
}

/// The programs of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// The language of the first one.
    pub kind: InputKind,
    /// In order.
    pub list: Vec<Version>,
}

impl Version {
    /// The first error of reading.
    pub fn error(&self) -> Option<&Diag> {
        self.diags.iter().find(|diag| diag.level == Level::Error)
    }
}

impl Versions {
    /// Reads programs. Equal neighbors are read a single time; equal parts of neighbors get equal numbers.
    pub fn read(dumps: &[Dump]) -> Versions {
        let mut aligner = Aligner::default();
        let mut out = Versions::default();
        for (at, dump) in dumps.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| dumps.get(before).zip(out.list.last()));
            if let Some((_, last)) = before.filter(|(before, _)| before.bytes == dump.bytes) {
                let version = Version { name: dump.name.clone(), unchanged: true, ..last.clone() };
                out.list.push(version);
                continue;
            }
            let (kind, read) = vitrine_front::read(&dump.bytes);
            if at == 0 {
                out.kind = kind;
            }
            let mut diags = read.diags;
            if kind == InputKind::Empty {
                diags.push(empty());
            }
            let is_sound = diags.iter().all(|diag| diag.level != Level::Error);
            let module = if is_sound { aligner.next(read.module) } else { read.module };
            out.list.push(Version { name: dump.name.clone(), module, diags, unchanged: false });
        }
        out
    }

    /// The versions as a trace: one step for each after the first.
    pub fn trace(&self) -> Trace {
        let Some((first, rest)) = self.list.split_first() else { return Trace::of(&Module::new()) };
        let mut trace = Trace::of(&first.module);
        for (number, version) in rest.iter().enumerate() {
            let before = trace.last();
            let journals = journals(before, &version.module);
            let is_same = journals.is_empty() && before.same_declarations(&version.module);
            let outcome = match version.error() {
                Some(_) => Outcome::Invalid(version.diags.clone()),
                None if version.unchanged || is_same => Outcome::Unchanged,
                None => Outcome::Changed,
            };
            trace.steps.push(TraceStep {
                pass: "",
                label: version.name.clone(),
                options: String::new(),
                number,
                row: 0,
                iterations: Vec::new(),
                group: 0,
                version: version.module.clone(),
                journals,
                rewrites: 0,
                stats: Stats::of(&version.module),
                outcome,
                skipped: None,
                nanos: 0,
            });
        }
        trace
    }
}

fn empty() -> Diag {
    Diag::error("I006", vitrine_ir::Anchor::Module)
        .says("there is no program")
        .help("the dump may have been cut off")
}

/// An event for every difference, by function.
fn journals(before: &Module, after: &Module) -> Vec<(Func, Journal)> {
    let found = diff::modules(before, after);
    let mut out: Vec<(Func, Journal)> =
        found.funcs.iter().map(|&(func, _)| (func, Journal::default())).collect();
    for inside in &found.inside {
        let mut journal = Journal::default();
        inside.name_all(&mut journal, |_| Reason::Pass);
        out.extend(inside.func.map(|func| (func, journal)));
    }
    out.sort_by_key(|(func, _)| func.index());
    out
}
