//! The words of the two editable languages, for the editor and for hover cards.

use serde::{Deserialize, Serialize};

/// The words of the languages, with the token classes that color them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Names of the token classes, by number.
    pub classes: Vec<String>,
    /// All words that are not keywords, sorted by the bytes of their names.
    pub words: Vec<Word>,
}

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Its spelling.
    pub name: String,
    /// The number of its token class.
    pub class: u32,
    /// Its meaning, in a sentence on one line; empty if the table has none. For an instruction of SPIR-V also its operands.
    pub doc: String,
    /// True if it is a word of SPIR-V text, otherwise of IR text.
    pub is_spirv: bool,
}

impl Words {
    /// The word with this spelling, by binary search.
    pub fn named(&self, name: &str) -> Option<&Word> {
        let at = self.words.binary_search_by(|word| word.name.as_str().cmp(name)).ok()?;
        self.words.get(at)
    }
}
