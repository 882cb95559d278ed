//! The small part of an answer, as a plain JavaScript object.
//!
//! Tens of entries: large things go as typed arrays, which cost two hundred times less.

use serde::Serialize;
use vitrine_core::playground::View;
use wasm_bindgen::{JsError, JsValue};

/// What is wrong with an input, and how much is in it.
#[derive(Debug, Serialize)]
pub(crate) struct Header<'view> {
    diags: Vec<Diag<'view>>,
    functions: u32,
    blocks: u32,
    instructions: u32,
}

/// One sentence of the compiler, with its place in the input.
#[derive(Debug, Serialize)]
struct Diag<'view> {
    level: &'view str,
    code: &'view str,
    message: &'view str,
    line: u32,
    column: u32,
}

impl<'view> Header<'view> {
    /// The header of a view.
    pub(crate) fn of(view: &'view View) -> Header<'view> {
        let diags = view.diags.iter().map(|diag| Diag {
            level: &diag.level,
            code: &diag.code,
            message: &diag.message,
            line: diag.line,
            column: diag.column,
        });
        let [functions, blocks, instructions] = view.counts;
        Header { diags: diags.collect(), functions, blocks, instructions }
    }

    /// The object.
    pub(crate) fn to_js(&self) -> Result<JsValue, JsError> {
        serde_wasm_bindgen::to_value(self).map_err(|error| JsError::new(&error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_core::playground::DiagView;

    #[test]
    fn a_header_holds_what_the_view_says() {
        let diag = DiagView {
            level: "error".to_owned(),
            code: "E031".to_owned(),
            message: "no such value".to_owned(),
            line: 3,
            column: 14,
        };
        let view = View { diags: vec![diag], counts: [1, 2, 3], ..View::default() };
        let header = Header::of(&view);
        assert_eq!((header.functions, header.blocks, header.instructions), (1, 2, 3));
        assert_eq!((header.diags[0].code, header.diags[0].line, header.diags[0].column), ("E031", 3, 14));
    }
}
