//! The catalogue for the page: asked for once, when somebody opens it.

use serde::Serialize;
use vitrine_core::catalog::{Entry, Facts, Kind, entries};
use vitrine_core::pipeline::OptionInfo;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

use crate::Compiler;

/// An entry: kind by its place in `Kind::ALL`, name, sentence, everything as Markdown, the pipeline of a
/// preset, options.
#[derive(Debug, Serialize)]
struct Row(u32, &'static str, String, String, String, Vec<Field>);

/// An option: name (empty for words), words and what each does, default, least, most, what a number does.
#[derive(Debug, Serialize)]
struct Field(&'static str, Vec<(&'static str, &'static str)>, u32, u32, u32, &'static str);

#[wasm_bindgen]
impl Compiler {
    /// Every pass, preset, rule, operation and analysis, as lists of lists: see `web/src/worker/catalog.rs`.
    pub fn catalog(&self) -> Result<JsValue, JsError> {
        let rows: Vec<Row> = entries().iter().map(row).collect();
        serde_wasm_bindgen::to_value(&rows).map_err(|error| JsError::new(&error.to_string()))
    }
}

fn row(entry: &Entry) -> Row {
    let kind = Kind::ALL.iter().position(|kind| *kind == entry.kind()).unwrap_or_default();
    let text = match &entry.facts {
        Facts::Preset { text, .. } => text.clone(),
        Facts::Pass { .. } | Facts::Rule { .. } | Facts::Op { .. } | Facts::Analysis { .. } | Facts::Frontend | Facts::Backend { .. } => String::new(),
    };
    Row(kind as u32, entry.name, entry.doc.clone(), entry.about(), text, fields(entry))
}

/// The words of a pass are one field: one of them is chosen.
fn fields(entry: &Entry) -> Vec<Field> {
    let Facts::Pass { options, .. } = &entry.facts else { return Vec::new() };
    let mut words = Vec::new();
    let mut fields = Vec::new();
    for option in *options {
        match *option {
            OptionInfo::Word(word, doc) => words.push((word, doc)),
            OptionInfo::Number { name, doc, default, least, most } => {
                fields.push(Field(name, Vec::new(), default, least, most, doc));
            }
        }
    }
    if !words.is_empty() {
        fields.insert(0, Field("", words, 0, 0, 0, ""));
    }
    fields
}
