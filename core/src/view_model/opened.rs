//! The main answer: a version of the open input, with its text and the graph of one of its functions.
//!
//! Refuses to read or run anything: the input and the pipeline are those of the last [`Session::open`].

use super::session::{Session, Shown};
use crate::back::{BACKENDS, Backend, SPIRV_TEXT};
use vitrine_protocol::{
    GraphPicture, InputEdit, OpenRequest, Opened, Outcome, Parts, Refusal, StyledText, Tab,
};

/// Replaces bytes of an input; positions out of range are clamped to its end.
pub fn edit(input: &mut Vec<u8>, edit: &InputEdit) {
    let to = (edit.to as usize).min(input.len());
    let from = (edit.from as usize).min(to);
    input.splice(from..to, edit.text.bytes());
}

impl Session {
    /// The parts of a version that a request asks for, after its toggle is applied.
    ///
    /// Only about the program that was opened: the caller adds the facts about its source, and times.
    pub fn opened(&mut self, request: OpenRequest) -> Opened {
        let OpenRequest { revision, version, last_change, function, parts, shown, target, .. } = request;
        let mut options = request.graph;
        let toggle = options.toggle.take();
        self.set_view(options);
        let last = self.versions() - 1;
        let version = version.map(|version| (version as usize).min(last));
        if parts == Parts::Text {
            return Opened { revision, parts, ..self.text_alone(version.unwrap_or(last), shown, &target) };
        }
        let steps = self.steps();
        let changed = steps.iter().rposition(|step| step.outcome != Outcome::Unchanged);
        let default = changed.filter(|_| last_change).map_or(last, |step| step + 1);
        let at = version.unwrap_or(default);
        let functions = self.functions(at);
        let wanted = function.filter(|wanted| functions.iter().any(|function| function.number == *wanted));
        let function = wanted.or_else(|| self.first_choice());
        let text = match parts {
            Parts::Graph => Opened { version: at as u32, ..Opened::default() },
            Parts::All | Parts::Text => self.text_alone(at, shown, &target),
        };
        if let (Some(toggle), Some(function)) = (toggle, function) {
            self.toggle(at, function, toggle);
        }
        let graph = function.map_or_else(GraphPicture::default, |function| self.graph(at, function));
        let view = self.view();
        Opened {
            revision,
            parts,
            kind: self.kind().words().to_owned(),
            programs: self.programs() as u32,
            diagnostics: self.diags().to_vec(),
            pipeline_diagnostics: self.pipeline_diags().to_vec(),
            functions,
            steps,
            function,
            counts: self.counts(at),
            reasons: self.reasons(at),
            graph,
            folds: view.folds.clone(),
            opened_blocks: view.opened_blocks.clone(),
            pins: view.pins.clone(),
            ..text
        }
    }

    /// The text of a version in a tab, with its marks, or the reasons that there is none.
    fn text_alone(&mut self, at: usize, tab: Tab, target: &str) -> Opened {
        let (text, refused) = self.tab_text(at, tab, target);
        Opened { version: at as u32, refused, text, ..Opened::default() }
    }

    /// The text of a version that a tab shows, or the reasons that there is none; tabs that show no text of one version get
    /// the IR, which every version has.
    fn tab_text(&mut self, at: usize, tab: Tab, target: &str) -> (StyledText, Vec<Refusal>) {
        let shown = match tab {
            Tab::Ir | Tab::Columns | Tab::Memory => Shown::Ir,
            Tab::Changes => Shown::Changes,
            Tab::Target => {
                return match self.target_text(at, target_of(target)) {
                    Ok(text) => (text, Vec::new()),
                    Err(reasons) => (StyledText::default(), reasons),
                };
            }
        };
        (self.text(at, shown).unwrap_or_default(), Vec::new())
    }
}

/// The back end of that name if it writes the text of a target language, or else the first one that does.
fn target_of(name: &str) -> &'static dyn Backend {
    let mut targets = BACKENDS.iter().filter(|backend| backend.language().is_some());
    let first = targets.clone().next().copied().unwrap_or(SPIRV_TEXT);
    targets.find(|backend| backend.name() == name).copied().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::layout;

    const BRANCH: &str = "func @0() graph {\n^0:\n  %0: b1 = const true\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

    fn opened(input: &str, pipeline: &str, request: OpenRequest) -> Opened {
        let mut session = Session::new();
        session.open(input.as_bytes(), pipeline);
        session.opened(request)
    }

    #[test]
    fn edits_change_the_input_and_never_leave_it() {
        let mut input = b"abc".to_vec();
        for (from, to, text) in [(1, 2, "--"), (9, 99, "!"), (2, 0, "?")] {
            edit(&mut input, &InputEdit { from, to, text: text.to_owned() });
        }
        assert_eq!(input, b"?a--c!");
    }

    #[test]
    fn diagnostics_have_their_places() {
        let opened = opened("func @0() graph {\n^0:\n  fad\n}\n", "wish", OpenRequest::default());
        let diagnostic = &opened.diagnostics[0];
        assert_eq!((diagnostic.code.as_str(), diagnostic.line, diagnostic.column), ("P002", 3, 3));
        assert_eq!((opened.pipeline_diagnostics[0].code.as_str(), opened.kind.as_str()), ("L001", "IR text"));
    }

    #[test]
    fn a_graph_is_whole_entries_of_its_layouts() {
        let opened = opened(BRANCH, "", OpenRequest { revision: 4, ..OpenRequest::default() });
        assert!(opened.diagnostics.is_empty(), "{:?}", opened.diagnostics);
        let graph = &opened.graph;
        assert_eq!((opened.revision, graph.blocks.entries().len()), (4, 3));
        assert_eq!(graph.blocks.entries()[0].flags & layout::block_flags::ENTRY, 1);
        assert_eq!(layout::edges(&graph.edges).count(), graph.labels.len());
        assert!(
            layout::edges(&graph.edges)
                .all(|(edge, points)| edge.kind() as u32 == edge.kind && points.len() >= 2)
        );
        let text = &opened.text.text.0;
        for span in opened.text.spans.entries() {
            assert!(
                text.get(span.start as usize..(span.start + span.len) as usize).is_some() && span.link < 3
            );
        }
    }

    #[test]
    fn parts_are_those_of_the_request_and_the_default_version_is_the_last_one_that_changed() {
        let request = |parts, last_change| OpenRequest { parts, last_change, ..OpenRequest::default() };
        let opened = |request| opened(BRANCH, "structurize{imported}, dce, dce, dce", request);
        let whole = opened(request(Parts::All, true));
        let changed = whole.steps.iter().rposition(|step| step.outcome == Outcome::Changed);
        assert_eq!(changed.map(|step| step as u32 + 1), Some(whole.version));
        assert!(whole.version < 4 && opened(request(Parts::All, false)).version == 4);
        let version = Some(whole.version);
        let text = opened(OpenRequest { version, ..request(Parts::Text, false) });
        assert_eq!((&text.text, text.steps.len(), text.version), (&whole.text, 0, whole.version));
        let graph = opened(OpenRequest { version, ..request(Parts::Graph, false) });
        assert_eq!((graph.graph.text.text, graph.steps.len()), (whole.graph.text.text, 4));
        assert!(graph.text.text.0.is_empty() && !whole.text.text.0.is_empty());
    }
}
