//! Ranges of the input: from line and column of a diagnostic to an editor's selection.

use crate::state::change::units;

/// A range of the input in UTF-16 units, as text areas count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// First unit.
    pub start: u32,
    /// Past the last unit.
    pub end: u32,
    /// The line, from 0.
    pub line: u32,
}

/// The word at a line and column (both from 1, the column in characters), or the single character there.
///
/// A position past the end of its line is an empty selection at that end; one past the last line is at the end of
/// the text.
pub fn selection_at(text: &str, line: u32, column: u32) -> Selection {
    let wanted = line.saturating_sub(1);
    let mut rest = text;
    let mut row = 0;
    while row < wanted {
        let Some(end) = rest.find('\n') else { break };
        rest = rest.get(end + 1..).unwrap_or_default();
        row += 1;
    }
    let content = rest.split('\n').next().unwrap_or_default();
    let skip = if row < wanted { usize::MAX } else { column.saturating_sub(1) as usize };
    let at = content.char_indices().nth(skip).map_or(content.len(), |(at, _)| at);
    let from_there = content.get(at..).unwrap_or_default();
    let word = from_there.find(|char| !part_of_word(char)).unwrap_or(from_there.len());
    let one = from_there.chars().next().map_or(0, char::len_utf8);
    let before = text.len() - rest.len() + at;
    let start = units(text.get(..before).unwrap_or_default());
    let len = units(from_there.get(..word.max(one)).unwrap_or_default());
    Selection { start, end: start + len, line: row }
}

fn part_of_word(char: char) -> bool {
    // No string search: that alone would add 3 KB to the download.
    !char.is_ascii() || char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '%' | '@' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, line: u32, column: u32) -> (u32, u32, u32) {
        let found = selection_at(text, line, column);
        (found.start, found.end, found.line)
    }

    #[test]
    fn the_word_at_a_place_is_selected() {
        let text = "let x\n  %12 = fadd %3, %4\n";
        assert_eq!(at(text, 1, 1), (0, 3, 0));
        assert_eq!(at(text, 2, 3), (8, 11, 1));
        assert_eq!(at(text, 2, 9), (14, 18, 1));
        assert_eq!(at(text, 2, 7), (12, 13, 1), "one character where there is no word");
    }

    #[test]
    fn units_are_those_of_the_browser() {
        assert_eq!(at("😀😀 ab", 1, 4), (5, 7, 0));
        assert_eq!(at("ä\nöö x", 2, 4), (5, 6, 1));
    }

    #[test]
    fn positions_outside_the_text_are_its_ends() {
        assert_eq!(at("ab", 1, 9), (2, 2, 0));
        assert_eq!(at("ab\ncd", 9, 1), (5, 5, 1));
        assert_eq!(at("", 1, 1), (0, 0, 0));
        assert_eq!(at("ab", 0, 0), (0, 2, 0));
    }
}
