//! What the text editor asks of the compiler: its words, and changes of the input instead of all of it.

use vitrine_core::view_model::{Word, class_names, words};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Compiler;

#[wasm_bindgen]
impl Compiler {
    /// Words of both languages in the order of their bytes, one a line: spelling, number of the token class, sentence;
    /// tabs between them. The line of the empty word has the names of the classes.
    pub fn words(&self) -> String {
        let classes = format!("\t{}\t\n", class_names().join(" "));
        std::iter::once(classes).chain(words().iter().map(line)).collect()
    }

    /// Changes the input for the next [`Compiler::open`]: bytes `from` to `to` are another text now.
    pub fn edit(&mut self, from: usize, to: usize, text: &str) {
        let to = to.min(self.input.len());
        self.input.splice(from.min(to)..to, text.bytes());
    }
}

fn line(word: &Word) -> String {
    let Word { name, class, doc, .. } = word;
    format!("{name}\t{class}\t{}\n", doc.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_the_input_and_never_leave_it() {
        let mut compiler = Compiler { input: b"abc".to_vec(), ..Compiler::default() };
        compiler.edit(1, 2, "--");
        assert_eq!(compiler.input, b"a--c");
        compiler.edit(9, 99, "!");
        compiler.edit(2, 0, "?");
        assert_eq!(compiler.input, b"?a--c!");
    }

    #[test]
    fn every_word_is_one_line_of_three_parts() {
        let words = Compiler::default().words();
        assert!(words.lines().count() > 300);
        assert!(words.lines().all(|line| line.split('\t').count() == 3));
    }
}
