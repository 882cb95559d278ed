//! The main answer: an input that is read, run through a pipeline and drawn.

use vitrine_core::back::{BACKENDS, Backend, SPIRV_TEXT};
use vitrine_protocol::{
    Bytes, Diagnostic, FunctionInfo, GraphOptions, GraphPicture, GraphToggle, InputEdit, Level, OpenRequest,
    Opened, Outcome, Parts, PassStep, Reason, StyledText, Tab, Table, Utf8,
};

use crate::views::overlay_kind;
use crate::{Compiler, model, port};

/// Replaces bytes of the input; positions out of range are clamped to its end.
pub(crate) fn edit(input: &mut Vec<u8>, edit: &InputEdit) {
    let to = (edit.to as usize).min(input.len());
    let from = (edit.from as usize).min(to);
    input.splice(from..to, edit.text.bytes());
}

impl Compiler {
    /// Reads the input, runs the pipeline and draws a version. Errors: a name of the compiler that the
    /// protocol does not have.
    pub(crate) fn open(&mut self, request: OpenRequest) -> Result<Opened, String> {
        let start = port::now();
        let OpenRequest { revision, pipeline, version, last_change, function, shown, target, .. } = request;
        let (options, translation) = (request.graph, request.translation);
        let (parts, toggle) = (request.parts, options.toggle);
        self.session.set_view(view(options));
        let (mut progress, mut clock) = (port::progress(), port::clock());
        let watch = model::Watch { before_pass: Some(&mut progress), clock: Some(&mut clock) };
        let (translation, notes) = self.source.finished(translation);
        let program = translation
            .as_ref()
            .filter(|of| of.is_finished)
            .map_or_else(Bytes::default, |of| of.words.clone());
        let keeps = !std::mem::take(&mut self.is_replaced);
        let translation = translation.as_ref().map(|translation| (translation, keeps));
        self.session.open_translated(&self.input, translation, &pipeline, watch);

        let last = self.session.versions() - 1;
        if parts == Parts::Text {
            let at = version.map_or(last, |version| version as usize).min(last);
            return Ok(self.text_alone(revision, at, shown, &target, start));
        }
        let steps = self.session.steps().into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
        let changed = steps.iter().rposition(|step| step.outcome != Outcome::Unchanged);
        let default = changed.filter(|_| last_change).map_or(last, |step| step + 1);
        let at = version.map_or(default, |version| version as usize).min(last);
        let functions = self.session.functions(at);
        let wanted = function.filter(|wanted| functions.iter().any(|function| function.number == *wanted));
        let function = wanted.or_else(|| self.session.first_choice());
        let (text, refused) = match parts {
            Parts::Graph => (StyledText::default(), String::new()),
            Parts::All | Parts::Text => self.text_or_reason(at, shown, &target),
        };
        if let (Some(toggle), Some(function)) = (toggle, function) {
            self.session.toggle(at, function, model_toggle(toggle));
        }
        let graph = function.map_or_else(model::Graph::default, |function| self.session.graph(at, function));
        let is_new = std::mem::take(&mut self.is_new);
        let source = self.session.source().filter(|_| is_new);
        let view = self.session.view();
        Ok(Opened {
            revision,
            parts,
            kind: self.source.kind().unwrap_or(self.session.kind().words()).to_owned(),
            program,
            source_options: self.source.options(),
            programs: self.session.programs() as u32,
            diagnostics: diagnostics(self.session.diags())?.into_iter().chain(notes).collect(),
            pipeline_diagnostics: diagnostics(self.session.pipeline_diags())?,
            functions: functions.into_iter().map(function_info).collect(),
            steps,
            version: at as u32,
            function,
            counts: self.session.counts(at),
            reasons: self.session.reasons(at).into_iter().map(reason).collect(),
            refused,
            text,
            source: source.map_or_else(Utf8::default, |source| source.text.clone()),
            graph: picture(graph),
            folds: view.folds.clone(),
            opened_blocks: view.open.clone(),
            pins: view.pins.iter().map(|&(block, [x, y])| [block as i32, x, y]).collect(),
            verdict: self.session.verdict_on(&mut self.repro),
            tenths_ms: port::tenths_since(start),
        })
    }

    /// The answer to a request for another text of the version that is shown.
    fn text_alone(&mut self, revision: u32, at: usize, tab: Tab, target: &str, start: f64) -> Opened {
        let (text, refused) = self.text_or_reason(at, tab, target);
        Opened {
            revision,
            parts: Parts::Text,
            version: at as u32,
            refused,
            text,
            tenths_ms: port::tenths_since(start),
            ..Opened::default()
        }
    }

    /// The text of a version, or the reason that there is none.
    fn text_or_reason(&mut self, at: usize, tab: Tab, target: &str) -> (StyledText, String) {
        match self.text(at, tab, target) {
            Ok(text) => (text, String::new()),
            Err(reason) => (StyledText::default(), reason),
        }
    }

    /// The text of a version that a tab shows; tabs that show no text of one version get the IR.
    fn text(&mut self, at: usize, tab: Tab, target: &str) -> Result<StyledText, String> {
        match tab {
            Tab::Ir | Tab::Columns | Tab::Memory => self.session.text(at, model::Shown::Ir),
            Tab::Changes => self.session.text(at, model::Shown::Changes),
            Tab::Target => self.session.target_text(at, target_of(target)),
        }
    }
}

/// The back end of that name if it writes the text of a target language, or else the first one that does.
fn target_of(name: &str) -> &'static dyn Backend {
    let mut targets = BACKENDS.iter().filter(|backend| backend.language().is_some());
    let first = targets.clone().next().copied().unwrap_or(SPIRV_TEXT);
    targets.find(|backend| backend.name() == name).copied().unwrap_or(first)
}

fn view(options: GraphOptions) -> model::View {
    model::View {
        overlay: options.overlay.map(overlay_kind),
        inline: options.inline,
        folds: options.folds,
        open: options.opened_blocks,
        pins: options.pins.into_iter().map(|[block, x, y]| (block as u32, [x, y])).collect(),
    }
}

fn model_toggle(toggle: GraphToggle) -> model::Toggle {
    match toggle {
        GraphToggle::Fold(block) => model::Toggle::Fold(block),
        GraphToggle::Loop(block) => model::Toggle::Loop(block),
        GraphToggle::All => model::Toggle::All,
        GraphToggle::Lines(block) => model::Toggle::Lines(block),
        GraphToggle::Layout => model::Toggle::Layout,
    }
}

fn picture(graph: model::Graph) -> GraphPicture {
    GraphPicture {
        extent: graph.extent,
        blocks: Table::from_numbers(graph.blocks),
        loops: Table::from_numbers(graph.bands),
        edges: Table::from_numbers(graph.lines),
        labels: graph.labels,
        text: graph.text,
        summaries: graph.summaries,
        trips: graph.trips,
        hidden: Table::from_numbers(graph.hidden),
    }
}

fn diagnostics(views: &[model::DiagView]) -> Result<Vec<Diagnostic>, String> {
    let view = |view: &model::DiagView| {
        let model::DiagView { level, code, message, line, column } = view;
        let level = Level::named(level).ok_or_else(|| format!("`{level}` is not a level of diagnostics"))?;
        Ok(Diagnostic { level, code: code.clone(), message: message.clone(), line: *line, column: *column })
    };
    views.iter().map(view).collect()
}

fn function_info(of: model::Function) -> FunctionInfo {
    FunctionInfo { number: of.number, name: of.name, blocks: of.blocks, entry: of.is_entry }
}

fn step(of: model::StepView) -> Result<PassStep, String> {
    let outcome = of.outcome;
    Ok(PassStep {
        pass: of.pass,
        options: of.options,
        iteration: of.iteration,
        group: of.group,
        outcome: Outcome::named(outcome).ok_or_else(|| format!("`{outcome}` is not an outcome of a pass"))?,
        changes: of.changes,
        insts: of.insts,
        blocks: of.blocks,
        rewrites: of.rewrites.min(u64::from(u32::MAX)) as u32,
        micros: (of.nanos / 1000).min(u64::from(u32::MAX)) as u32,
        skipped: of.skipped,
        message: of.message,
        row: of.row,
    })
}

fn reason(of: model::ReasonView) -> Reason {
    Reason { count: of.count, rule: of.rule.to_owned(), words: of.words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Answer, Request, layout};

    fn opened(compiler: &mut Compiler, request: OpenRequest) -> Opened {
        match compiler.answer(Request::Open(request)) {
            Some(Answer::Opened(opened)) => *opened,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn edits_change_the_input_and_never_leave_it() {
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(b"abc".to_vec())));
        for (from, to, text) in [(1, 2, "--"), (9, 99, "!"), (2, 0, "?")] {
            compiler.answer(Request::Edit(vec![InputEdit { from, to, text: text.to_owned() }]));
        }
        assert_eq!(compiler.input, b"?a--c!");
    }

    #[test]
    fn diagnostics_have_their_places() {
        let mut compiler = Compiler::default();
        compiler.answer(Request::Input(Bytes(b"func @0() graph {\n^0:\n  fad\n}\n".to_vec())));
        let opened =
            opened(&mut compiler, OpenRequest { pipeline: "wish".to_owned(), ..OpenRequest::default() });
        let diagnostic = &opened.diagnostics[0];
        assert_eq!((diagnostic.code.as_str(), diagnostic.line, diagnostic.column), ("P002", 3, 3));
        assert_eq!((opened.pipeline_diagnostics[0].code.as_str(), opened.kind.as_str()), ("L001", "IR text"));
    }

    #[test]
    fn a_graph_is_whole_entries_of_its_layouts() {
        let mut compiler = Compiler::default();
        let input = "func @0() graph {\n^0:\n  %0: b1 = const true\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
        compiler.answer(Request::Input(Bytes(input.as_bytes().to_vec())));
        let opened = opened(&mut compiler, OpenRequest { revision: 4, ..OpenRequest::default() });
        assert!(opened.diagnostics.is_empty(), "{:?}", opened.diagnostics);
        let graph = &opened.graph;
        assert_eq!((opened.revision, graph.blocks.entries().len()), (4, 3));
        assert_eq!(graph.blocks.entries()[0].flags & layout::block_flags::ENTRY, 1);
        assert_eq!(layout::edges(&graph.edges).count(), graph.labels.len());
        assert!(layout::edges(&graph.edges).all(|(edge, points)| edge.kind < 4 && points.len() >= 2));
        let text = &opened.text.text.0;
        for span in opened.text.spans.entries() {
            assert!(
                text.get(span.start as usize..(span.start + span.len) as usize).is_some() && span.link < 3
            );
        }
    }
}
