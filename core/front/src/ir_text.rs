//! The text of the IR as a front end: it accepts every text that no other front end recognizes.

use super::{Choices, Frontend, InputKind, Read};
use vitrine_analysis::validate::validate;
use vitrine_ir::{Anchor, Diag};
use vitrine_text::parse;

pub(super) struct IrText;

impl Frontend for IrText {
    fn name(&self) -> &'static str {
        "ir"
    }

    fn doc(&self) -> &'static str {
        "IR text."
    }

    fn kind(&self) -> InputKind {
        InputKind::Ir
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        std::str::from_utf8(input).is_ok()
    }

    fn read(&self, input: &[u8], _: Choices) -> Read {
        let Ok(text) = std::str::from_utf8(input) else {
            let diag = Diag::error("I005", Anchor::Module).says("IR text is not valid UTF-8");
            return Read { diags: vec![diag], ..Read::default() };
        };
        let parsed = parse(text);
        let mut diags = parsed.diags;
        // Something missing because it could not be parsed is not reported again.
        if diags.is_empty() {
            diags = validate(&parsed.module);
            parsed.map.place_all(&mut diags);
        }
        Read { module: parsed.module, diags, map: parsed.map, ..Read::default() }
    }
}
