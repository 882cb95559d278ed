//! The main answer: an input that is read, run through a pipeline and drawn.

use vitrine_protocol::{Bytes, OpenRequest, Opened, Parts};

use crate::{Compiler, model, port};

impl Compiler {
    /// Reads the input, runs the pipeline and draws a version.
    pub(crate) fn open(&mut self, mut request: OpenRequest) -> Opened {
        let start = port::now();
        let (mut progress, mut clock) = (port::progress(), port::clock());
        let watch = model::Watch { before_pass: Some(&mut progress), clock: Some(&mut clock) };
        let (translation, notes) = self.source.finished(request.translation.take());
        let program = translation
            .as_ref()
            .filter(|of| of.is_finished)
            .map_or_else(Bytes::default, |of| of.words.clone());
        let keeps = !std::mem::take(&mut self.is_replaced);
        let translation = translation.as_ref().map(|translation| (translation, keeps));
        self.session.open_translated(&self.input, translation, &request.pipeline, watch);
        let mut opened = self.session.opened(request);
        if opened.parts != Parts::Text {
            opened.program = program;
            opened.source_options = self.source.options();
            opened.diagnostics.extend(notes);
            opened.verdict = self.session.verdict_on(&mut self.repro);
            if let Some(kind) = self.source.kind() {
                kind.clone_into(&mut opened.kind);
            }
            let is_new = std::mem::take(&mut self.is_new);
            if let Some(source) = self.session.source().filter(|_| is_new) {
                opened.source.clone_from(&source.text);
            }
        }
        opened.tenths_ms = port::tenths_since(start);
        opened
    }
}
