//! What the page shows, as plain data: no borrowed program, no DOM, no JavaScript.

use crate::analysis::{Analyses, ModuleInfo};
use crate::ir::{Diags, Module};
use crate::text::{Class, Options, Printer, Spans, parse};
use crate::validate::validate;

/// One opened text: what the page's panes draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The canonical text of what could be read.
    pub text: String,
    /// Styled runs of `text`: `start, length, class, link kind, id`, five words each (bytes; see `text::Spans`).
    pub spans: Vec<u32>,
    /// What is wrong with the input, in reading order.
    pub diags: Vec<DiagView>,
    /// Functions, blocks and instructions, for the status line.
    pub counts: [u32; 3],
}

/// A diagnostic in words, with the place in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagView {
    /// `error`, `warning` or `note`.
    pub level: String,
    /// Stable code such as `E031`.
    pub code: String,
    /// The sentence, with what would help.
    pub message: String,
    /// Line of the input, from 1; zero where there is no place.
    pub line: u32,
    /// Column of the input in characters, from 1; zero where there is no place.
    pub column: u32,
}

/// Reads IR text and prints it back, with everything found wrong on the way.
///
/// The validator is asked only about a text that could be read whole: what is missing is no second error.
pub fn open_text(input: &str) -> View {
    let parsed = parse(input);
    let mut diags = parsed.diags;
    if diags.is_empty() {
        diags = validate(&parsed.module);
        parsed.map.place_all(&mut diags);
    }
    let mut out = Spans::new();
    Printer::new(&parsed.module, Options::default(), &mut out).module();
    View { text: out.text, spans: out.runs, counts: counts(&parsed.module), diags: views(&diags) }
}

/// Names of the token classes, by the number used in `View::spans`.
pub fn class_names() -> Vec<&'static str> {
    Class::ALL.iter().map(|class| class.name()).collect()
}

fn views(diags: &Diags) -> Vec<DiagView> {
    let view = |diag: &crate::ir::Diag| {
        let help = diag.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        DiagView {
            level: diag.level.name().to_owned(),
            code: diag.code.to_owned(),
            message: diag.message() + &help,
            line: diag.place.map_or(0, |place| place.line),
            column: diag.place.map_or(0, |place| place.column),
        }
    };
    diags.iter().map(view).collect()
}

fn counts(module: &Module) -> [u32; 3] {
    let info = ModuleInfo::of(module, &mut Analyses::new());
    let blocks: u64 = info.funcs.iter().map(|(_, _, func)| func.blocks).sum();
    [info.funcs.len() as u32, blocks as u32, info.insts as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_text_comes_back_with_runs_and_counts() {
        let view = open_text("func @0() graph {\n^0:\n  %0: f32 = const 1.0\n  return\n}\n");
        assert_eq!(view.diags, []);
        assert_eq!(view.text, "func @0() graph {\n^0:\n  %0: b32 = const 1.0\n  return\n}\n");
        assert_eq!(view.counts, [1, 1, 1]);
        let covered = view.spans.chunks(5).all(|run| (run[0] + run[1]) as usize <= view.text.len());
        assert!(covered && view.spans.chunks(5).all(|run| (run[2] as usize) < class_names().len()));
    }

    #[test]
    fn a_bad_text_says_where() {
        let view = open_text("func @0() graph {\n^0:\n  fad\n}\n");
        assert_eq!((view.diags[0].line, view.diags[0].column), (3, 3));
        assert_eq!(view.diags[0].code, "P002");
    }
}
