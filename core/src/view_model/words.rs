//! The words of the two editable languages, for highlighting and completion.
//!
//! All come from the tables of operations and the grammar. Some 1,500 words, 80 KB.

use crate::ops::Op;
use crate::spirv::op_names;
use crate::text::vocabulary;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its spelling.
    pub name: String,
    /// The number of its token class.
    pub class: u32,
    /// Its meaning, in a sentence; empty if the table has none.
    pub doc: &'static str,
    /// True if it is a word of SPIR-V text, otherwise of IR text.
    pub is_spirv: bool,
}

/// All words that are not keywords, sorted by bytes.
pub fn words() -> Vec<Word> {
    let ir = vocabulary().into_iter().map(|(name, class)| {
        let doc = Op::from_name(&name).map_or("", |op| op.doc().trim());
        Word { doc, class: class as u32, is_spirv: false, name }
    });
    let class = crate::text::Class::Op as u32;
    let spirv = op_names().map(|name| Word { name: format!("Op{name}"), class, doc: "", is_spirv: true });
    let mut words: Vec<Word> = ir.chain(spirv).collect();
    words.sort_unstable_by(|one, next| one.name.cmp(&next.name));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_with_their_sentence() {
        let words = words();
        let add = words.iter().find(|word| word.name == "fadd");
        assert!(add.is_some_and(|word| !word.doc.is_empty() && !word.is_spirv));
        assert!(words.iter().any(|word| word.name == "OpTypeFloat" && word.is_spirv));
    }
}
