//! The input: a text or bytes, its edits, and its size limits.

use crate::state::{Change, Edit};

/// A larger file is no shader, and would only fill the memory.
pub const MOST_BYTES: usize = 16 << 20;
/// A larger text can be read and searched, but not edited.
pub const EDITABLE_BYTES: usize = 4 << 20;
/// After an edit of a larger text the compiler waits until the user pauses.
const LARGE_BYTES: usize = 200 << 10;
/// Number of edits kept for a busy compiler.
const EDITS: usize = 256;

/// The input.
#[derive(Debug, Default)]
pub struct Input {
    /// The text in the editor.
    pub text: String,
    /// A binary input, until its disassembly in `text` is edited.
    pub given: Option<Vec<u8>>,
    /// True if the text replaced a text encoding of a binary, such as hex.
    pub decoded: bool,
    /// The name of its file, or empty.
    pub name: String,
    /// The options of a source, one `KEY=VALUE` on each line; empty if none was chosen.
    pub options: String,
    /// True if it was edited since it was opened.
    pub edited: bool,
    /// Counts changes.
    pub revision: u32,
    /// The previous input, which a whole new one replaced: text, bytes, name, options.
    pub before: Option<(String, Option<Vec<u8>>, String, String)>,
    /// The last edits, in order.
    edits: Vec<Edit>,
    /// The first revision from which `edits` is complete.
    known_from: u32,
}

impl Input {
    /// Applies a sequence of changes as one revision.
    pub fn change(&mut self, changes: &[Change]) {
        self.revision += 1;
        self.edited = true;
        for change in changes {
            let (from, to) = change.apply(&mut self.text);
            self.edits.push(Edit { revision: self.revision, from, to, text: change.text.clone() });
        }
        // The compiler has no editable text of a binary.
        if self.given.take().is_some() || self.edits.len() > EDITS {
            self.forget();
        }
    }

    /// Counts a revision that replaces the whole input.
    pub fn replaced(&mut self) {
        self.revision += 1;
        self.decoded = false;
        self.edited = false;
        self.forget();
    }

    /// Sets an option, and counts a revision if that changes something. `values` are one on each line; none for the value
    /// without a choice.
    pub fn set_option(&mut self, key: &str, values: &str) -> bool {
        let own = |line: &&str| line.split_once('=').is_some_and(|(of, _)| of == key);
        let values = values.lines().filter(|value| !value.is_empty());
        let mut lines: Vec<String> =
            self.options.lines().filter(|line| !own(line)).map(str::to_owned).collect();
        lines.extend(values.map(|value| format!("{key}={value}")));
        // Equal choices give equal links. The order of macros is that of the user.
        lines.sort_by(|a, b| a.split('=').next().cmp(&b.split('=').next()));
        let options = lines.join("\n");
        let changes = options != self.options;
        if changes {
            self.options = options;
            self.revision += 1;
            self.edited = true;
        }
        changes
    }

    fn forget(&mut self) {
        self.edits.clear();
        self.known_from = self.revision;
    }

    /// The edits since a revision; none if they are not kept.
    pub fn edits_since(&self, revision: u32) -> Option<&[Edit]> {
        let first = self.edits.partition_point(|edit| edit.revision <= revision);
        (revision >= self.known_from).then(|| &self.edits[first..])
    }

    /// The bytes that the compiler reads.
    pub fn bytes(&self) -> &[u8] {
        self.given.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// Returns true if the compiler should wait until the user pauses.
    pub fn is_large(&self) -> bool {
        self.text.len() > LARGE_BYTES
    }

    /// Returns true if the text can be edited.
    pub fn is_editable(&self) -> bool {
        self.text.len() <= EDITABLE_BYTES
    }

    /// Returns true if a binary has no disassembly yet.
    pub fn is_bare(&self) -> bool {
        self.text.is_empty() && self.given.is_some()
    }
}

/// A text with `
/// ` at the ends of its lines: editors normalize to it, and columns are counted in their text.
pub fn plain_lines(text: String) -> String {
    if !text.as_bytes().contains(&b'\r') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split('\r').enumerate() {
        if at > 0 {
            plain.push('\n');
        }
        plain.push_str(part.strip_prefix('\n').filter(|_| at > 0).unwrap_or(part));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(input: &mut Input, at: u32, text: &str) {
        input.change(&[Change { from: at, to: at, text: text.to_owned() }]);
    }

    #[test]
    fn edits_since_a_revision_are_known() {
        let mut input = Input::default();
        insert(&mut input, 0, "ab");
        insert(&mut input, 1, "-");
        assert_eq!(input.text, "a-b");
        let count = |input: &Input, revision| input.edits_since(revision).map(<[Edit]>::len);
        assert_eq!([0, 1, 2].map(|revision| count(&input, revision)), [Some(2), Some(1), Some(0)]);
        input.replaced();
        assert_eq!((count(&input, 2), count(&input, 3)), (None, Some(0)));
        input.given = Some(vec![1]);
        insert(&mut input, 0, "c");
        assert_eq!((count(&input, 3), input.bytes()), (None, &b"ca-b"[..]), "the binary is no text to edit");
    }

    #[test]
    fn a_long_history_is_forgotten() {
        let mut input = Input::default();
        for _ in 0..=EDITS {
            insert(&mut input, 0, "a");
        }
        assert_eq!(input.edits_since(EDITS as u32), None);
        assert_eq!(input.edits_since(input.revision), Some(&[][..]));
    }

    #[test]
    fn an_option_replaces_its_earlier_values_and_counts_as_a_change() {
        let mut input = Input::default();
        assert!(input.set_option("stage", "frag") && input.set_option("define", "B=1\n\nA"));
        assert_eq!(input.options, "define=B=1\ndefine=A\nstage=frag");
        let before = input.revision;
        assert!(!input.set_option("stage", "frag") && !input.set_option("entry", ""));
        assert_eq!(input.revision, before);
        assert!(input.set_option("define", "") && input.set_option("stage", ""));
        assert_eq!((input.options.as_str(), input.revision), ("", before + 2));
        assert_eq!(input.edits_since(before).map(<[Edit]>::len), Some(0), "the text is the same");
    }

    #[test]
    fn line_ends_are_normalized() {
        for (given, wanted) in
            [("a\r\nb\rc\n", "a\nb\nc\n"), ("\r\n", "\n"), ("\r", "\n"), ("\n\r\n", "\n\n"), ("a", "a")]
        {
            assert_eq!(plain_lines(given.to_owned()), wanted, "{given:?}");
        }
    }
}
