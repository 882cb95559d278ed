//! One input and the results of a pipeline on it: all data of the page, version by version.
//!
//! Reading and running happen when the input or the pipeline changes; requesting another version only prints
//! and draws that version. Data that can be computed again is not kept.

use super::columns::Aligned;
use super::export::export;
use super::graph::{Before, draw};
use super::inspect::inspect;
use super::linked::{Linked, Numbers, StyledText};
use super::memory::{Lowered, map, paths};
use super::read::{Read, read};
use super::target;
use super::translated::{read_translated, succeeded};
use super::{changes, diagnostic};
use crate::analysis::{Analyses, ModuleInfo};
use crate::back::{self, Backend, SPIRV_TEXT};
use crate::base::EntityId;
use crate::front::InputKind;
use crate::ir::{self, Anchor, Func, Module};
use crate::layout::Positions;
use crate::pipeline::diff::ModuleDiff;
use crate::pipeline::{self, Pipeline, Settings, Trace};
use crate::share::{Repro, SharedState, Verdict, digests};
use crate::text::{Options, Printer};
use rustc_hash::FxHashMap;
use vitrine_protocol::layout::OriginEntry;
use vitrine_protocol::{
    Columns, ColumnsRequest, Diagnostic, ExportRequest, File, FunctionInfo, GraphOptions, GraphPicture,
    Inspected, Level, MemoryMap, PointerPath, SourceProblem, Table, Translation,
};

/// The default pipeline.
pub const DEFAULT_PIPELINE: &str = "ingest, O1, lower-exits{spirv}";

/// An open input.
#[derive(Debug, Default)]
pub struct Session {
    input: Vec<u8>,
    /// The translation of the input, if that is a source.
    translation: Option<Translation>,
    read: Read,
    pipeline: String,
    pub(super) trace: Option<Trace>,
    problems: Vec<Diagnostic>,
    columns: Aligned,
    /// The most recently inspected version, with its memory usage.
    memory: Option<(usize, Lowered)>,
    /// Never reset: selections, folds and pins persist when the input is edited.
    pub(super) numbers: Numbers,
    /// The options of graphs.
    pub(super) view: GraphOptions,
    /// The last positions of blocks, by function.
    places: FxHashMap<Func, Positions>,
    /// Analyses of the last shown graphs and overlays.
    pub(super) analyses: Analyses,
}

/// The form of a version's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shown {
    /// The IR.
    #[default]
    Ir,
    /// The IR, marked against the version before.
    Changes,
    /// SPIR-V.
    Spirv,
}

/// Observers of a run of a pipeline.
#[derive(Default)]
pub struct Watch<'w> {
    /// Called before each pass with the number of passes that ran before it, and its name.
    pub before_pass: Option<&'w mut dyn FnMut(usize, &'static str)>,
    /// A clock in nanoseconds, with any origin.
    pub clock: Option<&'w mut dyn FnMut() -> u64>,
}

impl Session {
    /// A session without an input.
    pub fn new() -> Session {
        Session::default()
    }

    /// Reads `input`, of any kind, and runs `pipeline` on it, if either differs from the last call.
    pub fn open(&mut self, input: &[u8], pipeline: &str) {
        self.open_watched(input, pipeline, Watch::default());
    }

    /// The same, with observers.
    pub fn open_watched(&mut self, input: &[u8], pipeline: &str, watch: Watch<'_>) {
        self.open_translated(input, None, pipeline, watch);
    }

    /// The same for an input that is a source, with its translation. If that has errors and the flag is true, the program of the
    /// last input stays.
    pub fn open_translated(
        &mut self,
        input: &[u8],
        translation: Option<(&Translation, bool)>,
        pipeline: &str,
        watch: Watch<'_>,
    ) {
        // The log of a translation changes neither program nor errors.
        fn result(of: Option<&Translation>) -> Option<(&[u8], &[SourceProblem])> {
            of.map(|of| (&of.words.0[..], &of.problems[..]))
        }
        let given = translation.map(|(translation, _)| translation);
        let other_translation = result(self.translation.as_ref()) != result(given);
        let is_new = self.trace.is_none() || self.input != input || other_translation;
        if is_new {
            self.input = input.to_vec();
            let was_source = self.translation.is_some();
            self.translation = translation.map(|(translation, _)| translation.clone());
            self.read = match translation {
                None => read(input),
                Some((translation, keeps)) => {
                    let last = std::mem::take(&mut self.read);
                    read_translated(input, translation, Some(last).filter(|_| keeps && was_source))
                }
            };
            // Numbers are kept: `%12` has the same number before and after an edit of the text.
            self.places.clear();
        }
        if is_new || self.pipeline != pipeline {
            self.pipeline = pipeline.to_owned();
            self.run(watch);
        }
    }

    fn run(&mut self, watch: Watch<'_>) {
        self.columns = Aligned::default();
        self.memory = None;
        self.analyses.clear();
        let (trace, problems) = ran(&self.read, &self.pipeline, watch);
        (self.trace, self.problems) = (Some(trace), problems);
    }

    /// The kind of the input.
    pub fn kind(&self) -> InputKind {
        self.read.kind
    }

    /// Number of programs of a comparison; 0 if the input is a single program.
    pub fn programs(&self) -> usize {
        self.read.versions.as_ref().map_or(0, |versions| versions.list.len())
    }

    /// A text to edit in place of the input, if that is not a text, or holds several programs.
    pub fn source(&self) -> Option<&StyledText> {
        self.read.source.as_ref()
    }

    /// The diagnostics of the input, in reading order.
    pub fn diags(&self) -> &[Diagnostic] {
        &self.read.diags
    }

    /// The diagnostics of the pipeline, with positions in its text.
    pub fn pipeline_diags(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Number of versions: the number of steps plus 1.
    pub fn versions(&self) -> usize {
        self.trace.as_ref().map_or(1, Trace::len)
    }

    pub(super) fn version(&self, at: usize) -> &Module {
        self.trace.as_ref().and_then(|trace| trace.version(at)).unwrap_or(&self.read.module)
    }

    /// Target languages require a valid program: returns a formatted error if a version is not valid.
    fn writable(&self, at: usize, backend: &dyn Backend) -> Result<(), String> {
        if !backend.is_target() {
            return Ok(());
        }
        let step = at.checked_sub(1).and_then(|step| self.trace.as_ref()?.steps.get(step));
        let wrong = match step.map(|step| &step.outcome) {
            Some(pipeline::Outcome::Invalid(diags)) => {
                let error = diags.iter().find(|diag| diag.level == ir::Level::Error);
                error.map(|diag| diagnostic(diag).message)
            }
            Some(
                pipeline::Outcome::Changed | pipeline::Outcome::Unchanged | pipeline::Outcome::Failed(_),
            ) => None,
            None => {
                let error = self.read.diags.iter().find(|diag| diag.level == Level::Error);
                error.map(|diag| diag.message.clone())
            }
        };
        let language = backend.label();
        wrong.map_or(Ok(()), |reason| {
            Err(format!("an invalid program cannot be written as {language}: {reason}"))
        })
    }

    fn diff(&self, at: usize) -> ModuleDiff {
        match (&self.trace, at.checked_sub(1)) {
            (Some(trace), Some(before)) => trace.diff(before, at),
            _ => ModuleDiff::default(),
        }
    }

    /// Functions, blocks and instructions of a version.
    pub fn counts(&self, at: usize) -> [u32; 3] {
        let info = ModuleInfo::of(self.version(at), &mut Analyses::new());
        let blocks: u64 = info.funcs.iter().map(|(_, _, func)| func.blocks).sum();
        [info.funcs.len() as u32, blocks as u32, info.insts as u32]
    }

    /// The anchors of numbers, as words that do not depend on this session.
    pub fn anchors(&self, numbers: &[u32]) -> Vec<[u32; 4]> {
        let anchor =
            |&number: &u32| super::numbers::words(self.numbers.anchor(number).unwrap_or(Anchor::Module));
        numbers.iter().map(anchor).collect()
    }

    /// The numbers of stored anchors in this session.
    pub fn numbers_of(&mut self, anchors: &[[u32; 4]]) -> Vec<u32> {
        anchors.iter().map(|&anchor| self.numbers.number(super::numbers::from_words(anchor))).collect()
    }

    /// The functions of the input, in order of their numbers, with the sizes that they have in a version: 0 blocks if
    /// a pass removed one.
    pub fn functions(&self, at: usize) -> Vec<FunctionInfo> {
        let module = &self.read.module;
        let blocks = |func| self.version(at).func(func).map_or(0, |body| body.blocks_in_order().len());
        let one = |(func, body): (Func, &ir::FuncBody)| FunctionInfo {
            number: func.index() as u32,
            name: body.name().map_or_else(|| func.to_string(), |name| module.text_of(name).to_owned()),
            blocks: blocks(func) as u32,
            entry: module.entries.iter().any(|entry| entry.func == func),
        };
        module.funcs().map(one).collect()
    }

    /// The function to show first: that of an entry point if it has a body, otherwise the largest.
    pub fn first_choice(&self) -> Option<u32> {
        let functions = self.functions(0);
        let entry = functions.iter().find(|of| of.entry && of.blocks > 1);
        let largest = || functions.iter().rev().max_by_key(|of| of.blocks);
        entry.or_else(largest).map(|of| of.number)
    }

    /// A reproduction of a shared state, with digests of the results if it is what ran last.
    pub fn repro(&self, state: SharedState) -> Repro {
        let trace = self.trace.as_ref().filter(|_| self.has_run(&state.input, &state.pipeline));
        Repro::of(state, trace.map_or_else(Vec::new, |trace| digests(&trace.input, trace.changes())))
    }

    /// The result of comparing a reproduction with the last run; none if the inputs differ.
    pub fn verdict(&self, repro: &Repro) -> Option<Verdict> {
        let SharedState { input, pipeline, .. } = &repro.state;
        let trace = self.trace.as_ref().filter(|_| self.has_run(input, pipeline))?;
        Some(repro.verdict(&digests(&trace.input, trace.changes())))
    }

    /// Returns true if the results are those of this input, and not of the last program of a source that has errors now.
    fn has_run(&self, input: &[u8], pipeline: &str) -> bool {
        let has_errors = self.translation.as_ref().is_some_and(|translation| !succeeded(translation));
        self.input == input && self.pipeline == pipeline && !has_errors
    }

    /// A version as text. Errors: the formatted reason that it cannot be written in this form.
    pub fn text(&mut self, at: usize, shown: Shown) -> Result<StyledText, String> {
        let version = self.version(at).clone();
        match shown {
            Shown::Ir => {
                let mut out = Linked::new(&mut self.numbers);
                Printer::new(&version, Options::default(), &mut out).module();
                Ok(out.finish())
            }
            Shown::Changes => {
                let before = self.version(at.saturating_sub(1)).clone();
                Ok(changes::changes(&before, &version, &mut self.numbers))
            }
            Shown::Spirv => self.target_text(at, SPIRV_TEXT).map_err(|all| target::sentences(&all)),
        }
    }

    /// A version as the text of a target language. Errors: the reasons why it cannot be written in this language.
    pub fn target_text(
        &mut self,
        at: usize,
        backend: &dyn Backend,
    ) -> Result<StyledText, Vec<vitrine_protocol::Refusal>> {
        let version = self.version(at).clone();
        self.writable(at, backend).map_err(target::invalid)?;
        target::target_text(&version, at as u32, backend, &mut self.numbers)
    }

    /// A window of some versions side by side.
    ///
    /// The first request for a choice of versions prints and aligns them; the cost of further ones depends on
    /// the size of the window.
    pub fn columns(&mut self, request: &ColumnsRequest) -> Columns {
        if self.columns.versions() != request.versions {
            let before = std::mem::take(&mut self.columns);
            self.columns = Aligned::of(&self.read.module, self.trace.as_ref(), &request.versions, &before);
        }
        self.columns.view(request, &mut self.numbers)
    }

    /// The text of all cells of the last table of columns, row by row, one line each.
    pub fn columns_text(&self) -> String {
        self.columns.text()
    }

    /// The description of an anchor in a version, by its number.
    pub fn inspect(&mut self, at: usize, number: u32) -> Inspected {
        let Some(anchor) = self.numbers.anchor(number) else { return Inspected::default() };
        let at = at.min(self.versions() - 1);
        let trace = self
            .trace
            .get_or_insert_with(|| Pipeline::default().trace(&self.read.module, Settings::default()));
        inspect(trace, at, anchor, &self.read.origins, &mut self.numbers)
    }

    /// The memory map of a variable in a version, by the number of the variable or of an access to it; by
    /// default that of the first buffer.
    ///
    /// The first request for a version lowers and analyzes it; the cost of further ones depends on the size
    /// of the map.
    pub fn memory(&mut self, at: usize, number: Option<u32>) -> MemoryMap {
        let at = at.min(self.versions() - 1);
        let anchor = number.and_then(|number| self.numbers.anchor(number));
        let version = self.version(at).clone();
        let known = self.memory.take().filter(|(of, _)| *of == at);
        let lowered = known.map_or_else(|| Lowered::of(&version), |(_, lowered)| lowered);
        let map = map(&version, &lowered, anchor, &mut self.numbers);
        self.memory = Some((at, lowered));
        map
    }

    /// The addresses of untyped pointers and accesses of some versions. Linear in the versions.
    pub fn paths(&mut self, versions: &[u32]) -> Vec<PointerPath> {
        let mut out = Vec::new();
        for &at in versions {
            let version = self.version(at as usize).clone();
            paths::paths(&version, &mut self.numbers, &mut out);
        }
        out
    }

    /// The positions in the input's text of the anchors of a version, sorted. An anchor has the position of the instruction it
    /// was read from. Linear in the version.
    pub fn ties(&mut self, at: usize) -> Table<OriginEntry> {
        let version = self.version(at).clone();
        self.read.origins.ties(&version, &mut self.numbers)
    }

    /// The control-flow graph of a function in a version; blocks stay close to their last positions.
    pub fn graph(&mut self, at: usize, func: u32) -> GraphPicture {
        let func = Func::from_index(func as usize);
        let version = self.version(at).clone();
        let diff = self.diff(at);
        let old = at.checked_sub(1).map(|before| self.version(before).clone());
        let old = old.as_ref().and_then(|old| old.func(func));
        let inside = diff.inside.iter().find(|inside| inside.func == Some(func));
        let before = old.zip(inside).map(|(body, diff)| Before { body, diff });
        let mut places = self.places.remove(&func);
        let graph = draw(
            &version,
            func,
            &mut self.numbers,
            &self.view,
            before.as_ref(),
            &mut places,
            &mut self.analyses,
        );
        self.places.extend(places.map(|places| (func, places)));
        graph
    }

    /// Forgets the positions of a function's blocks: its next graph is laid out anew.
    pub(super) fn forget_places(&mut self, func: u32) {
        self.places.remove(&Func::from_index(func as usize));
    }

    /// A version as a file: the whole program, or one function if the format is a picture of graphs.
    ///
    /// Errors: the formatted reason that it cannot be written in this format.
    pub fn export(&self, request: &ExportRequest) -> Result<File, String> {
        let backend = back::named(&request.format).map_err(|diag| diag.message())?;
        let last = self.versions() - 1;
        let at = request.version.map_or(last, |version| (version as usize).min(last));
        self.writable(at, backend)?;
        export(self.version(at), self.trace.as_ref(), at, request, backend)
    }
}

/// Runs a pipeline on an input. Returns the trace, and the diagnostics of the pipeline. An input with errors,
/// or an invalid pipeline, leaves the program unchanged.
pub(super) fn ran(read: &Read, pipeline: &str, watch: Watch<'_>) -> (Trace, Vec<Diagnostic>) {
    if let Some(versions) = &read.versions {
        // Passes run on a single program.
        return (versions.trace(), Vec::new());
    }
    let (parsed, mut problems) = match Pipeline::parse(pipeline) {
        Ok(parsed) => (parsed, Vec::new()),
        Err(diag) => (Pipeline::default(), vec![diagnostic(&diag)]),
    };
    let runs = if read.sound { parsed } else { Pipeline::default() };
    let Watch { before_pass, clock } = watch;
    let trace = runs.trace(&read.module, Settings { watch: before_pass, clock, ..Settings::default() });
    problems.extend(trace.notes.iter().map(diagnostic));
    (trace, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::back::BACKENDS;
    use vitrine_protocol::layout::SpanEntry;

    const LOOP: &str = include_str!("../../../www/examples/loop.ir");
    const GRAPH: &str = "func @0(%0: b1) -> b32 graph {\n^0:\n  %1: b32 = const 1\n  %2: b32 = const 2\n  %3 = iadd %1, %2\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return %3\n}\n";

    fn opened(text: &str, pipeline: &str) -> Session {
        let mut session = Session::new();
        session.open(text.as_bytes(), pipeline);
        session
    }

    #[test]
    fn an_invalid_program_is_shown_and_has_no_spirv() {
        let text =
            "module capability \"Shader\"\n\nfunc @0() graph {\n^0:\n  %0: b32x4 = tex.sample\n  return\n}\n";
        let mut session = Session::new();
        session.open(text.as_bytes(), "");
        assert!(session.text(0, Shown::Ir).is_ok());
        let refused = session.text(0, Shown::Spirv).err().unwrap_or_default();
        assert!(refused.starts_with("an invalid program cannot be written as SPIR-V text: "), "{refused}");
        for backend in BACKENDS {
            let format = backend.name().to_owned();
            let refused = session.export(&ExportRequest { format, ..ExportRequest::default() }).err();
            assert_eq!(refused.is_some(), backend.is_target());
            assert!(refused.is_none_or(|why| why.contains(backend.label())), "{}", backend.label());
        }
    }

    #[test]
    fn a_good_input_has_steps_functions_texts_and_a_graph() {
        let mut session = opened(LOOP, DEFAULT_PIPELINE);
        assert_eq!((session.kind(), session.diags()), (InputKind::Ir, &[][..]));
        assert!(session.versions() > 6);
        let functions = session.functions(0);
        let total: u32 = session.functions(session.versions() - 1).iter().map(|of| of.blocks).sum();
        assert_eq!(
            session.counts(session.versions() - 1)[1],
            total,
            "both count the blocks of the shown version"
        );
        assert_eq!((functions[0].name.as_str(), functions[0].entry), ("main", true));
        let last = session.versions() - 1;
        for shown in [Shown::Ir, Shown::Changes, Shown::Spirv] {
            let text = session.text(last, shown).unwrap();
            assert!(text.text.lines().count() > 10, "{shown:?}");
            let classes = super::super::class_names().len();
            assert!(text.spans.entries().iter().all(|span| (span.class as usize) < classes));
        }
        assert!(session.graph(last, 0).blocks.entries().len() > 3);
        for backend in BACKENDS {
            let format = backend.name().to_owned();
            let file = session.export(&ExportRequest { format, ..ExportRequest::default() });
            // The example has a loop, which shader model 2 lacks.
            let is_written = !backend.name().starts_with("d3d9-sm2");
            assert_eq!(file.is_ok_and(|file| file.bytes.0.len() > 100), is_written, "{}", backend.name());
        }
    }

    #[test]
    fn columns_are_written_of_chosen_versions() {
        let session = opened(GRAPH, "structurize{imported}, constant-fold, dce");
        let columns = |versions: &[u32]| {
            let request = ExportRequest {
                version: Some(3),
                format: "columns".to_owned(),
                versions: versions.to_vec(),
                ..ExportRequest::default()
            };
            let file = session.export(&request).unwrap();
            String::from_utf8(file.bytes.0).unwrap().matches("<th>").count()
        };
        assert_eq!([columns(&[]), columns(&[0, 2]), columns(&[3, 99])], [4, 2, 1]);
    }

    #[test]
    fn a_format_that_does_not_exist_is_refused() {
        let request = ExportRequest { format: "moon".to_owned(), ..ExportRequest::default() };
        assert!(Session::new().export(&request).is_err());
    }

    #[test]
    fn a_reproduction_compares_with_what_ran_and_nothing_else() {
        let session = opened(GRAPH, "structurize, dce");
        let state = |pipeline: &str| SharedState {
            input: GRAPH.as_bytes().to_vec(),
            pipeline: pipeline.to_owned(),
            ..SharedState::default()
        };
        let repro = session.repro(state("structurize, dce"));
        assert_eq!((repro.digests.len(), session.verdict(&repro)), (3, Some(Verdict::Same(2))));
        assert!(session.repro(state("dce")).digests.is_empty());
        assert_eq!(opened(GRAPH, "dce").verdict(&repro), None);
    }

    #[test]
    fn a_value_keeps_its_number_through_versions() {
        let mut session = opened(GRAPH, "structurize{imported}, constant-fold");
        let number = |text: StyledText| {
            let of = |span: &&SpanEntry| text.text.get(span.range()) == Some("%3") && span.is_definition();
            text.spans.entries().iter().find(of).map(|span| span.id)
        };
        let first = number(session.text(0, Shown::Ir).unwrap());
        assert!(first.is_some());
        assert_eq!(number(session.text(2, Shown::Ir).unwrap()), first);
    }

    #[test]
    fn a_pipeline_nobody_knows_is_a_problem_with_a_place_and_runs_nothing() {
        let session = opened(GRAPH, "dce, wish");
        let problem = &session.pipeline_diags()[0];
        assert_eq!((problem.code.as_str(), problem.column), ("L001", 6));
        assert_eq!(session.versions(), 1);
    }

    #[test]
    fn an_invalid_text_has_positions_and_shows_its_readable_part() {
        let mut session = opened("func @0() graph {\n^0:\n  fad\n}\n", DEFAULT_PIPELINE);
        let diag = &session.diags()[0];
        assert_eq!((diag.line, diag.column, diag.code.as_str()), (3, 3, "P002"));
        assert_eq!(session.versions(), 1);
        assert!(session.text(0, Shown::Ir).unwrap().text.contains("@0"));
    }

    #[test]
    fn a_version_out_of_range_is_the_input() {
        let mut session = Session::new();
        assert_eq!(session.text(9, Shown::Ir).unwrap(), StyledText::default());
        assert_eq!(session.graph(9, 9), GraphPicture::default());
        assert_eq!(session.counts(0), [0, 0, 0]);
    }

    #[test]
    fn an_anchor_has_the_same_words_in_every_session() {
        let text = "func @0() -> u32 graph {\n^0:\n  %0: u32 = const 1\n  return %0\n}\n";
        let (mut one, mut other) = (Session::new(), Session::new());
        one.open(text.as_bytes(), "fix()");
        let printed = one.text(0, Shown::Ir).unwrap();
        let links = printed.spans.entries().iter().filter(|span| span.link > 0);
        let mut numbers: Vec<u32> = links.map(|span| span.id).collect();
        numbers.dedup();
        let stored = one.anchors(&numbers);
        assert!(numbers.len() >= 3 && stored.iter().all(|words| *words != [1, 0, 0, 0]), "{stored:?}");
        let mut reversed = stored.clone();
        reversed.reverse();
        other.numbers_of(&reversed);
        let found = other.numbers_of(&stored);
        assert_ne!(found, numbers, "numbers belong to a session");
        assert_eq!(other.anchors(&found), stored);
        let damaged = [[9, u32::MAX, u32::MAX, 0], [99, 0, 0, 0]];
        assert_eq!(other.numbers_of(&damaged), other.numbers_of(&[[1, 0, 0, 0]; 2]), "the module");
    }
}
