//! The functions of the page that the text editor (`web/editor`) calls: it reports edits and requests colors.
//!
//! Colors come from the compiler's lexers, which are small enough (5 KB uncompressed) to be part of the page, so that
//! they never wait for a busy worker; the words of the languages come from the worker, which has the tables.

use js_sys::Array;
use vitrine_core::d3d::sm1;
use vitrine_core::spirv;
use vitrine_core::text::{Class, Lexeme, lexemes};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::source_words;
use crate::state::inspect::Event as Inspected;
use crate::state::{Change, Msg, units};
use crate::store;
use crate::view::editor::{Language, arrive, shared};

/// Reports a sequence of changes: two positions each, and the new text between them.
#[wasm_bindgen]
pub fn typed(places: Vec<u32>, texts: Array, undone: bool) {
    let mut places = places.into_iter();
    let change = |text: JsValue| {
        let text = text.as_string().unwrap_or_default();
        Some(Change { from: places.next()?, to: places.next()?, text })
    };
    let changes = texts.iter().map_while(change).collect();
    store::send(Msg::Typed { changes, undone });
}

/// Reports the position of the caret: line and column, from 1.
#[wasm_bindgen]
pub fn caret(line: u32, column: u32) {
    store::send(Msg::Caret { line, column });
}

/// Reports the position of the pointer: line and column, from 1; 0 if it left the text.
#[wasm_bindgen]
pub fn pointed(line: u32, column: u32) {
    store::send(Inspected::Pointer((line > 0).then_some((line, column))).into());
}

/// Returns true if the text is SPIR-V assembly.
#[wasm_bindgen]
pub fn is_spirv() -> bool {
    shared(|shared| shared.language == Language::Spirv)
}

/// Returns true if the text is in a language whose words the page does not complete: Direct3D 9 assembly, a source.
#[wasm_bindgen]
pub fn is_foreign() -> bool {
    shared(|shared| matches!(shared.language, Language::D3d9 | Language::Source))
}

/// Names of the token classes, then words of both languages, one per line: spelling, class, sentence.
#[wasm_bindgen]
pub fn words() -> String {
    shared(|shared| shared.words.clone())
}

/// Returns true if a string literal continues after a part of assembly.
#[wasm_bindgen]
pub fn goes_on(text: &str, inside: bool) -> bool {
    spirv::ends_inside(text, inside)
}

/// The editor's module was loaded: its `create`. Undefined if it could not be loaded.
#[wasm_bindgen]
pub fn arrived(create: JsValue) {
    arrive(create);
}

/// The lexemes of a part of the text: start, length and class, three numbers each, in UTF-16 units.
#[wasm_bindgen]
pub fn lex(text: &str, inside: bool) -> Vec<u32> {
    let found = shared(|shared| match shared.language {
        Language::Spirv => spirv::lexemes(text, inside),
        Language::D3d9 => sm1::lexemes(text),
        Language::Source => source_words::lexemes(text),
        Language::Ir => lexemes(text, |word| class_of(&shared.words, word)),
    });
    in_units(text, &found)
}

/// The class of a word, by binary search in the sorted lines.
fn class_of(words: &str, word: &str) -> Class {
    let (mut low, mut high) = (0, words.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let bytes = words.as_bytes();
        let start = bytes[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end =
            bytes[middle..].iter().position(|byte| *byte == b'\n').map_or(words.len(), |at| middle + at);
        let mut parts = words.get(start..end).unwrap_or_default().split('\t');
        match parts.next().unwrap_or_default().cmp(word) {
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
            std::cmp::Ordering::Equal => {
                let number = parts.next().and_then(|number| number.parse::<usize>().ok());
                return number.and_then(|number| Class::ALL.get(number)).copied().unwrap_or(Class::Keyword);
            }
        }
    }
    Class::Keyword
}

/// Converts bytes to UTF-16 units.
fn in_units(text: &str, lexemes: &[Lexeme]) -> Vec<u32> {
    let mut out = Vec::with_capacity(lexemes.len() * 3);
    let (mut byte, mut unit) = (0, 0);
    for lexeme in lexemes {
        let (start, end) = (lexeme.start as usize, (lexeme.start + lexeme.len) as usize);
        unit += units(text.get(byte..start).unwrap_or_default());
        let len = units(text.get(start..end).unwrap_or_default());
        out.extend([unit, len, lexeme.class as u32]);
        (byte, unit) = (end, unit + len);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexemes_are_counted_in_utf_16_units() {
        let text = "\"ä😀\" 7";
        let found = lexemes(text, |_| Class::Op);
        assert_eq!(in_units(text, &found), [0, 5, Class::Text as u32, 6, 1, Class::Number as u32]);
    }

    #[test]
    fn words_are_looked_up_and_all_others_are_keywords() {
        let words = format!("fadd\t{}\tAdds.\nnnan\t{}\t\nz\t99\t\n", Class::Op as u32, Class::Flag as u32);
        let classes = ["fadd", "nnan", "goto", "z", "", "a", "zz"].map(|word| class_of(&words, word));
        let mut wanted = [Class::Keyword; 7];
        (wanted[0], wanted[1]) = (Class::Op, Class::Flag);
        assert_eq!(classes, wanted);
        assert_eq!(class_of("", "fadd"), Class::Keyword);
    }

    #[test]
    fn the_words_of_the_compiler_are_in_the_order_of_their_bytes() {
        let words = vitrine_core::view_model::words();
        assert!(words.is_sorted_by(|one, next| one.name < next.name));
    }
}
