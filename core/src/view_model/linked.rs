//! Texts for the page: characters, styled ranges, and links whose numbers are the same in all texts.
//!
//! An anchor has one number in all versions and panes of a session, so a selection is highlighted in all of
//! them.

pub(super) use super::numbers::Numbers;
use crate::ir::Anchor;
use crate::text::{Class, Link, Sink};
use vitrine_protocol::layout::{SpanEntry, link_kinds};
pub(super) use vitrine_protocol::{Mark, StyledText};
use vitrine_protocol::{Table, Utf8};

/// Collects a text token by token.
#[derive(Debug)]
pub(super) struct Linked<'n> {
    pub(super) numbers: &'n mut Numbers,
    /// The characters so far.
    pub(super) text: String,
    spans: Vec<SpanEntry>,
    /// First byte of every line, and its definition.
    pub(super) lines: Vec<(usize, Option<Anchor>)>,
}

impl Linked<'_> {
    /// An empty text.
    pub(super) fn new(numbers: &mut Numbers) -> Linked<'_> {
        Linked { numbers, text: String::new(), spans: Vec::new(), lines: Vec::new() }
    }

    /// The text.
    pub(super) fn finish(self) -> StyledText {
        styled(self.text, self.spans)
    }
}

/// A text of characters and ranges, without marks.
pub(super) fn styled(text: String, spans: Vec<SpanEntry>) -> StyledText {
    StyledText { text: Utf8(text), spans: Table::of_all(spans), ..StyledText::default() }
}

/// A range of `len` bytes from byte `start`, with its link.
pub(super) fn span(start: usize, len: usize, class: Class, link: Link, numbers: &mut Numbers) -> SpanEntry {
    let (link, id) = match link {
        Link::None => (link_kinds::NONE, 0),
        Link::Def(anchor) => (link_kinds::DEFINITION, numbers.number(anchor)),
        Link::Use(anchor) => (link_kinds::USE, numbers.number(anchor)),
    };
    SpanEntry { start: start as u32, len: len as u32, class: class as u32, link, id }
}

impl Sink for Linked<'_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        if let (Link::Def(anchor), Some((_, about))) = (link, self.lines.last_mut()) {
            about.get_or_insert(anchor);
        }
        if class != Class::Plain || link != Link::None {
            self.spans.push(span(self.text.len(), text.len(), class, link, self.numbers));
        }
        self.text.push_str(text);
    }

    fn open_line(&mut self, depth: usize) {
        self.lines.push((self.text.len(), None));
        // Deeper nesting is not indented further, so that text stays linear in the program.
        for _ in 0..depth.min(32) {
            self.text.push_str("  ");
        }
    }

    fn close_line(&mut self) {
        self.text.push('\n');
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
        let spans = |defined: u32, used: u32| {
            let class = Class::Name as u32;
            [
                SpanEntry { start: 2, len: 3, class, link: link_kinds::DEFINITION, id: defined },
                SpanEntry { start: 6, len: 2, class, link: link_kinds::USE, id: used },
            ]
        };
        let (lines, first) = text(a, b);
        assert_eq!((&*first.text, lines), ("  $ä $1\n", vec![(0, Some(a))]));
        assert_eq!(first.spans.entries(), spans(0, 1));
        assert_eq!(text(b, a).1.spans.entries(), spans(1, 0));
    }
}
