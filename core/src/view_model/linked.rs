//! Texts for the page: characters, styled ranges, and links whose numbers are the same in all texts.
//!
//! An anchor has one number in all versions and panes of a session, so a selection is highlighted in all of
//! them.

pub(super) use super::numbers::Numbers;
use crate::ir::Anchor;
use crate::text::{Class, Link, Sink};
use vitrine_protocol::{Table, Utf8};

/// The change of a line between two versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Mark {
    /// Unchanged.
    #[default]
    Same,
    /// It is new.
    Added,
    /// It was removed.
    Gone,
    /// Its words changed.
    Changed,
    /// It moved.
    Moved,
}

/// A text with styled and linked ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledText {
    /// The characters, lines end with `\n`.
    pub text: String,
    /// Five words for each range: first byte, length in bytes, class number, link kind (0 none, 1 definition,
    /// 2 use), number of the anchor. Ranges are in order and do not overlap.
    pub runs: Vec<u32>,
    /// A [`Mark`] for every line; empty if nothing is compared.
    pub marks: Vec<u8>,
}

/// A text in the form of the protocol.
pub fn styled(text: StyledText) -> vitrine_protocol::StyledText {
    vitrine_protocol::StyledText { text: Utf8(text.text), spans: Table::from_words(text.runs) }
}

/// Collects a text token by token.
#[derive(Debug)]
pub(super) struct Linked<'n> {
    pub(super) numbers: &'n mut Numbers,
    pub(super) out: StyledText,
    /// Ranges so far: appending an array is faster than appending five numbers.
    runs: Vec<[u32; 5]>,
    /// First byte of every line, and its definition.
    pub(super) lines: Vec<(usize, Option<Anchor>)>,
}

impl Linked<'_> {
    /// An empty text.
    pub(super) fn new(numbers: &mut Numbers) -> Linked<'_> {
        Linked { numbers, out: StyledText::default(), runs: Vec::new(), lines: Vec::new() }
    }

    /// The text.
    pub(super) fn finish(mut self) -> StyledText {
        self.out.runs = self.runs.into_flattened();
        self.out
    }
}

impl Sink for Linked<'_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let (kind, id) = match link {
            Link::None => (0, 0),
            Link::Def(anchor) => {
                if let Some((_, about)) = self.lines.last_mut() {
                    about.get_or_insert(anchor);
                }
                (1, self.numbers.number(anchor))
            }
            Link::Use(anchor) => (2, self.numbers.number(anchor)),
        };
        if class != Class::Plain || kind != 0 {
            let run = [self.out.text.len() as u32, text.len() as u32, class as u32, kind, id];
            self.runs.push(run);
        }
        self.out.text.push_str(text);
    }

    fn open_line(&mut self, depth: usize) {
        self.lines.push((self.out.text.len(), None));
        // Deeper nesting is not indented further, so that text stays linear in the program.
        for _ in 0..depth.min(32) {
            self.out.text.push_str("  ");
        }
    }

    fn close_line(&mut self) {
        self.out.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::ir::Var;

    #[test]
    fn a_thing_has_one_number_in_all_texts() {
        let mut numbers = Numbers::default();
        let [a, b] = [0, 1].map(|at| Anchor::Var(Var::from_index(at)));
        let mut text = |first: Anchor, second: Anchor| {
            let mut out = Linked::new(&mut numbers);
            out.open_line(1);
            out.put(Class::Name, "$ä", Link::Def(first));
            out.put(Class::Plain, " ", Link::None);
            out.put(Class::Name, "$1", Link::Use(second));
            out.close_line();
            (out.lines.clone(), out.finish())
        };
        let class = Class::Name as u32;
        let (lines, first) = text(a, b);
        assert_eq!((first.text.as_str(), lines), ("  $ä $1\n", vec![(0, Some(a))]));
        assert_eq!(first.runs, [2, 3, class, 1, 0, 6, 2, class, 2, 1]);
        assert_eq!(text(b, a).1.runs, [2, 3, class, 1, 1, 6, 2, class, 2, 0]);
    }
}
