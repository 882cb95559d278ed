//! The main answer: an input that is read, run through a pipeline and drawn.

use vitrine_protocol::{Bytes, OpenRequest, Opened, Parts, SourceProblem, Translation, Utf8};

use crate::{Compiler, model, port};

impl Compiler {
    /// Reads the input, runs the pipeline and draws a version.
    pub(crate) fn open(&mut self, mut request: OpenRequest) -> Opened {
        let start = port::now();
        let (mut progress, mut clock) = (port::progress(), port::clock());
        let watch = model::Watch { before_pass: Some(&mut progress), clock: Some(&mut clock) };
        let (translation, notes) = self.translated(request.translation.take());
        let program = translation
            .as_ref()
            .filter(|of| of.is_finished)
            .map_or_else(Bytes::default, |of| of.words.clone());
        let translation = translation.map(model_translation);
        let keeps = !std::mem::take(&mut self.is_replaced);
        let translation = translation.as_ref().map(|translation| (translation, keeps));
        self.session.open_translated(&self.input, translation, &request.pipeline, watch);
        let mut opened = self.session.opened(request);
        if opened.parts != Parts::Text {
            opened.program = program;
            opened.source_options = self.source_options();
            opened.diagnostics.extend(notes);
            opened.verdict = self.verdict();
            if let Some(source) = &self.source {
                opened.kind = source.kind.to_owned();
            }
            let is_new = std::mem::take(&mut self.is_new);
            if let Some(source) = self.session.source().filter(|_| is_new) {
                opened.source = Utf8(source.text.clone());
            }
        }
        opened.tenths_ms = port::tenths_since(start);
        opened
    }
}

fn model_translation(Translation { words, problems, .. }: Translation) -> model::Translation {
    let problem = |SourceProblem { message, help, range, not_run }| model::SourceProblem {
        message,
        help,
        range,
        not_run,
    };
    model::Translation { words: words.0, problems: problems.into_iter().map(problem).collect() }
}
