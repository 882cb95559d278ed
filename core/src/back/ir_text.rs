//! The text of the IR as a back end: parsing it gives the same program.
//!
//! The whole module, or the selected functions. Functions alone lack their declarations and cannot be parsed
//! again.

use super::{Backend, Output, Source};
use crate::ir::Diag;
use crate::text::Printer;

pub(super) struct IrText;

impl Backend for IrText {
    fn name(&self) -> &'static str {
        "ir"
    }

    fn doc(&self) -> &'static str {
        "IR text, which can be read back."
    }

    fn label(&self) -> &'static str {
        "IR text"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ir"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let mut printer = Printer::to_any(source.module, source.options.of_text(), out);
        if source.is_whole() {
            printer.module();
            return Ok(());
        }
        for &func in source.funcs {
            if let Some(body) = source.module.func(func) {
                printer.function(func, body);
            }
        }
        Ok(())
    }
}
