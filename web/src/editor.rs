//! The functions of the page that the text editor (`web/editor`) calls: it reports edits and requests colors.
//!
//! Colors come from the compiler's lexers, which are small enough (5 KB uncompressed) to be part of the page, so that
//! they never wait for a busy worker; the words of the languages come from the worker, which has the tables.

use js_sys::Array;
use vitrine_core::d3d::sm1;
use vitrine_core::spirv;
use vitrine_core::text::{Class, Lexeme, lexemes};
use vitrine_protocol::{Words, js};
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

/// The words of both languages as an object, see [`Words`]; without any until the compiler sends them.
#[wasm_bindgen]
pub fn words() -> JsValue {
    shared(|shared| js::encode_object(&shared.words)).map_or(JsValue::UNDEFINED, |message| message.value)
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

/// The class of a word: that of the table, or a keyword.
fn class_of(words: &Words, word: &str) -> Class {
    let class = words.named(word).and_then(|word| Class::ALL.get(word.class as usize));
    class.copied().unwrap_or(Class::Keyword)
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
    use vitrine_protocol::Word;

    #[test]
    fn lexemes_are_counted_in_utf_16_units() {
        let text = "\"ä😀\" 7";
        let found = lexemes(text, |_| Class::Op);
        assert_eq!(in_units(text, &found), [0, 5, Class::Text as u32, 6, 1, Class::Number as u32]);
    }

    #[test]
    fn words_are_looked_up_and_all_others_are_keywords() {
        let word = |(name, class): (&str, u32)| Word { name: name.to_owned(), class, ..Word::default() };
        let words = [("fadd", Class::Op as u32), ("nnan", Class::Flag as u32), ("z", 99)].map(word).to_vec();
        let words = Words { words, ..Words::default() };
        let classes = ["fadd", "nnan", "goto", "z", "", "a", "zz"].map(|word| class_of(&words, word));
        let mut wanted = [Class::Keyword; 7];
        (wanted[0], wanted[1]) = (Class::Op, Class::Flag);
        assert_eq!(classes, wanted);
        assert_eq!(class_of(&Words::default(), "fadd"), Class::Keyword);
    }
}
