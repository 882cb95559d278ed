//! A printed text for display: lines, styled pieces of a line, links between tokens.
//!
//! Built once per answer, in one pass over the text; after that each query costs only the size of its result.
//! Spans come from another module: those that do not fit the text are ignored, none is trusted.
//! Limits: the ends of lines longer than [`LINE_BYTES`] are not drawn; copying includes them.

use vitrine_protocol::layout::{SpanEntry, link_kinds};
use vitrine_protocol::{Mark, StyledText, Table, Utf8};

/// The longest drawn part of a line.
pub const LINE_BYTES: usize = 4000;

/// A text with styled and linked spans.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    spans: Vec<Span>,
    /// Byte offsets at which lines start, and one more for the end of the last line.
    lines: Vec<usize>,
    /// The mark of each line, if versions are compared.
    marks: Vec<u8>,
    widest: usize,
}

/// A styled range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// Number of its token class.
    pub class: u32,
    /// Its link.
    pub link: Link,
}

/// The link of a token: tokens with the same id refer to the same thing (a value, a block, a function, a variable).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Not linked.
    None,
    /// The definition of the thing.
    Def(u32),
    /// A use of the thing.
    Use(u32),
}

/// A part of a line that is drawn in one style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'text> {
    /// The characters.
    pub text: &'text str,
    /// The index of its span, if it has one.
    pub span: Option<usize>,
}

impl Link {
    /// The id of the thing.
    pub fn id(self) -> Option<u32> {
        match self {
            Link::None => None,
            Link::Def(id) | Link::Use(id) => Some(id),
        }
    }

    fn read(kind: u32, id: u32) -> Link {
        match kind {
            link_kinds::DEFINITION => Link::Def(id),
            link_kinds::USE => Link::Use(id),
            _ => Link::None,
        }
    }
}

impl Document {
    /// Creates a document from a text and its spans in the order of the text; five words each, see [`SpanEntry`].
    pub fn new(text: String, words: &[u32]) -> Document {
        let spans = Table::from_words(words.to_vec());
        Document::of(StyledText { text: Utf8(text), spans, ..StyledText::default() })
    }

    /// Creates a document from a text of the compiler.
    pub fn of(StyledText { text: Utf8(text), spans: table, marks }: StyledText) -> Document {
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        if lines.last().is_some_and(|start| *start < text.len()) || text.is_empty() {
            lines.push(text.len() + 1);
        }
        let widest = lines.windows(2).map(|pair| pair[1] - 1 - pair[0]).max().unwrap_or(0).min(LINE_BYTES);
        let mut spans = Vec::with_capacity(table.entries().len());
        let mut end_of_last = 0;
        for &SpanEntry { start, len, class, link, id } in table.entries() {
            let start = start as usize;
            let end = start.saturating_add(len as usize);
            if start >= end_of_last && text.get(start..end).is_some_and(|run| !run.is_empty()) {
                spans.push(Span { start, end, class, link: Link::read(link, id) });
                end_of_last = end;
            }
        }
        Document { text, spans, lines, marks: marks.0, widest }
    }

    /// Returns true if lines are compared with another version.
    pub fn is_compared(&self) -> bool {
        !self.marks.is_empty()
    }

    /// The change of a line, from 0.
    pub fn mark(&self, line: usize) -> Mark {
        self.marks.get(line).copied().map_or(Mark::Same, Mark::numbered)
    }

    /// The nearest line after `line`, or before it, at which a run of marked lines begins.
    pub fn marked_beside(&self, line: Option<usize>, forward: bool) -> Option<usize> {
        let is_first = |at: &usize| self.marks[*at] != 0 && (*at == 0 || self.marks[*at - 1] == 0);
        match (line, forward) {
            (None, true) => (0..self.marks.len()).find(is_first),
            (Some(line), true) => (line + 1..self.marks.len()).find(is_first),
            (line, false) => (0..line.unwrap_or(0).min(self.marks.len())).rev().find(is_first),
        }
    }

    /// Indices of the spans that begin on a line, from 0.
    pub fn spans_of_line(&self, line: usize) -> std::ops::Range<usize> {
        let at = |line: usize| {
            let start = self.lines.get(line).copied().unwrap_or(self.text.len() + 1);
            self.spans.partition_point(|span| span.start < start)
        };
        at(line)..at(line + 1)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines; 0 for an empty text.
    pub fn line_count(&self) -> usize {
        if self.text.is_empty() { 0 } else { self.lines.len() - 1 }
    }

    /// The length of the longest drawn line in bytes, an upper bound of its columns.
    pub fn widest(&self) -> usize {
        self.widest
    }

    /// All characters of a line, from 0.
    pub fn line(&self, line: usize) -> &str {
        &self.text[self.lines[line]..self.lines[line + 1] - 1]
    }

    /// A span by its index.
    pub fn span(&self, number: usize) -> Span {
        // Prerendered rows have spans before there is a document.
        self.spans.get(number).copied().unwrap_or(Span { start: 0, end: 0, class: 0, link: Link::None })
    }

    /// Returns true if a span has this class.
    pub fn has_class(&self, class: u32) -> bool {
        self.spans.iter().any(|span| span.class == class)
    }

    /// The characters of a span.
    pub fn text_of(&self, number: usize) -> &str {
        self.text.get(self.spans[number].start..self.spans[number].end).unwrap_or_default()
    }

    /// The line, from 0, in which a span begins.
    pub fn line_of(&self, number: usize) -> usize {
        self.lines.partition_point(|start| *start <= self.spans[number].start).saturating_sub(1)
    }

    /// The pieces of a line, from 0.
    pub fn pieces(&self, line: usize) -> Vec<Piece<'_>> {
        let (start, end) = (self.lines[line], self.lines[line + 1] - 1);
        let mut cut = end.min(start + LINE_BYTES);
        while !self.text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut pieces = Vec::new();
        let mut at = start;
        let mut push = |from: usize, to: usize, span| {
            if from < to {
                pieces.push(Piece { text: self.text.get(from..to).unwrap_or_default(), span });
            }
        };
        let first = self.spans.partition_point(|span| span.end <= start);
        for (number, span) in
            self.spans.iter().enumerate().skip(first).take_while(|(_, span)| span.start < cut)
        {
            push(at, span.start.max(at), None);
            push(span.start.max(at), span.end.min(cut), Some(number));
            at = span.end.min(cut);
        }
        push(at, cut, None);
        if cut < end {
            pieces.push(Piece { text: "…", span: None });
        }
        pieces
    }

    /// The span of a thing's definition.
    pub fn definition(&self, id: u32) -> Option<usize> {
        self.spans.iter().position(|span| span.link == Link::Def(id))
    }

    /// The uses of a thing, in reading order.
    pub fn uses(&self, id: u32) -> impl Iterator<Item = usize> {
        let of_id = move |(_, span): &(usize, &Span)| span.link == Link::Use(id);
        self.spans.iter().enumerate().filter(of_id).map(|(number, _)| number)
    }

    /// The nearest linked span after `from`, or before it; the first one without a `from`.
    pub fn linked_beside(&self, from: Option<usize>, forward: bool) -> Option<usize> {
        let linked = |number: &usize| self.spans[*number].link != Link::None;
        match (from, forward) {
            (None, _) => (0..self.spans.len()).find(linked),
            (Some(from), true) => (from + 1..self.spans.len()).find(linked),
            (Some(from), false) => (0..from).rev().find(linked),
        }
    }

    /// The linked span with the nearest column on the next or previous line that has one.
    pub fn linked_across(&self, from: usize, down: bool) -> Option<usize> {
        let column = |number: usize| self.spans[number].start - self.lines[self.line_of(number)];
        let here = self.line_of(from);
        let mut first = self.linked_beside(Some(from), down)?;
        while self.line_of(first) == here {
            first = self.linked_beside(Some(first), down)?;
        }
        let line = self.line_of(first);
        let more = std::iter::successors(Some(first), |number| self.linked_beside(Some(*number), down));
        more.take_while(|number| self.line_of(*number) == line)
            .min_by_key(|number| column(*number).abs_diff(column(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spans of a text in which `%0` is used twice.
    fn sample() -> Document {
        let text = "%0 = const\n%1 = add %0 %0\n\nret %1\n";
        let words = [
            [0, 2, 1, 1, 0],  // %0
            [5, 5, 2, 0, 0],  // const
            [11, 2, 1, 1, 1], // %1
            [16, 3, 2, 0, 0], // add
            [20, 2, 1, 2, 0], // %0
            [23, 2, 1, 2, 0], // %0
            [31, 2, 1, 2, 1], // %1
        ];
        Document::new(text.to_owned(), &words.concat())
    }

    #[test]
    fn a_line_is_cut_into_styled_and_plain_pieces() {
        let document = sample();
        assert_eq!(document.line_count(), 4);
        let line: Vec<_> = document.pieces(1).iter().map(|piece| (piece.text, piece.span)).collect();
        let wanted = [
            ("%1", Some(2)),
            (" = ", None),
            ("add", Some(3)),
            (" ", None),
            ("%0", Some(4)),
            (" ", None),
            ("%0", Some(5)),
        ];
        assert_eq!(line, wanted);
        assert!(document.pieces(2).is_empty());
    }

    #[test]
    fn pieces_of_all_lines_are_the_text() {
        for text in ["", "a", "a\n", "\n\na", "ä\nö ü\n", "a\nb"] {
            let document = Document::new(text.to_owned(), &[0, 1, 0, 0, 0, 1, 9, 0, 0, 0]);
            let lines: Vec<String> = (0..document.line_count())
                .map(|line| document.pieces(line).iter().map(|piece| piece.text).collect())
                .collect();
            assert_eq!(lines, text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn spans_that_do_not_fit_are_ignored() {
        let words =
            [[9, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 1, 0, 0, 0], [2, 0, 0, 0, 0], [2, u32::MAX, 0, 0, 0]];
        let document = Document::new("abc".to_owned(), &words.concat());
        assert_eq!(document.spans, [Span { start: 1, end: 2, class: 0, link: Link::None }]);
        assert!(Document::new("äb".to_owned(), &[1, 1, 0, 0, 0, 7]).spans.is_empty());
    }

    #[test]
    fn a_span_over_several_lines_is_drawn_on_each() {
        let document = Document::new("a(*b\nc*)d".to_owned(), &[1, 7, 3, 0, 0]);
        let texts = |line| {
            document.pieces(line).iter().map(|piece| (piece.text.to_owned(), piece.span)).collect::<Vec<_>>()
        };
        assert_eq!(texts(0), [("a".to_owned(), None), ("(*b".to_owned(), Some(0))]);
        assert_eq!(texts(1), [("c*)".to_owned(), Some(0)), ("d".to_owned(), None)]);
    }

    #[test]
    fn long_lines_are_cut_with_an_ellipsis() {
        let document = Document::new("ä".repeat(LINE_BYTES), &[]);
        let pieces = document.pieces(0);
        assert_eq!((pieces.len(), pieces[0].text.len(), pieces[1].text), (2, LINE_BYTES, "…"));
        assert_eq!(document.widest(), LINE_BYTES);
    }

    #[test]
    fn links_lead_to_definitions_and_uses() {
        let document = sample();
        assert_eq!(document.definition(0), Some(0));
        assert!(document.uses(0).eq([4, 5]));
        assert_eq!(document.definition(7), None);
        assert_eq!(document.line_of(6), 3);
        assert_eq!(document.text_of(6), "%1");
    }

    #[test]
    fn marks_belong_to_lines_and_runs_of_them_are_found() {
        let document = Document { marks: vec![0, 1, 3, 0], ..sample() };
        assert_eq!(
            (document.mark(1), document.mark(2), document.mark(9)),
            (Mark::Added, Mark::Changed, Mark::Same)
        );
        assert_eq!(document.marked_beside(None, true), Some(1));
        assert_eq!(document.marked_beside(Some(1), true), None, "one run");
        assert_eq!(document.marked_beside(Some(3), false), Some(1));
        assert_eq!(sample().marked_beside(None, true), None);
        assert_eq!(
            (document.spans_of_line(1), document.spans_of_line(2), document.spans_of_line(9)),
            (2..6, 6..6, 7..7)
        );
    }

    #[test]
    fn keys_walk_over_linked_tokens_only() {
        let document = sample();
        assert_eq!(document.linked_beside(None, true), Some(0));
        assert_eq!(document.linked_beside(Some(0), true), Some(2));
        assert_eq!(document.linked_beside(Some(6), true), None);
        assert_eq!(document.linked_across(4, true), Some(6));
        assert_eq!(document.linked_across(6, false), Some(2), "the nearest column on the line above");
        assert_eq!(document.linked_across(5, false), Some(0));
        assert_eq!(document.linked_across(0, false), None);
    }
}
