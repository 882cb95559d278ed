//! Languages like C as back ends. All are written by the engine of this crate.

use crate::{Language, write};
use vitrine_forms::{Backend, Output, Source};
use vitrine_ir::Diag;

/// Every language as a back end, in the order of the export menu.
pub const FORMS: [&dyn Backend; Language::ALL.len()] = {
    const ALL: [Language; Language::ALL.len()] = Language::ALL;
    let mut forms: [&dyn Backend; ALL.len()] = [&ALL[0]; ALL.len()];
    let mut at = 0;
    while at < ALL.len() {
        forms[at] = &ALL[at];
        at += 1;
    }
    forms
};

impl Backend for Language {
    fn name(&self) -> &'static str {
        self.entry().form
    }

    fn doc(&self) -> &'static str {
        self.entry().doc
    }

    fn label(&self) -> &'static str {
        self.entry().label
    }

    fn language(&self) -> Option<&'static str> {
        Some(self.entry().label)
    }

    fn extensions(&self) -> &'static [&'static str] {
        self.entry().extensions
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(self.entry().preset)
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, *self, source.options.entry, out)
    }
}
