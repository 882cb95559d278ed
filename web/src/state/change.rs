//! Changes of the input's text: from the editor's units to bytes of the text.
//!
//! Editors count UTF-16 units, texts here are UTF-8. A position that is invalid is moved to the nearest valid one before
//! it: nothing that comes from an editor is trusted.

/// A replacement of the text between two positions, in UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// First unit replaced.
    pub from: u32,
    /// The unit after the last one replaced.
    pub to: u32,
    /// The new text.
    pub text: String,
}

/// The same in bytes, with the revision of the input that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The revision that it results in.
    pub revision: u32,
    /// First byte replaced.
    pub from: usize,
    /// The byte after the last one replaced.
    pub to: usize,
    /// The new text.
    pub text: String,
}

impl Change {
    /// Applies the change; returns the range of bytes it replaced. Linear in the text, about 0.2 ms per MB of ASCII.
    pub fn apply(&self, text: &mut String) -> (usize, usize) {
        let (from, to) = match text.is_ascii() {
            true => (self.from as usize, self.to as usize),
            false => (byte_of(text, self.from), byte_of(text, self.to)),
        };
        let to = to.min(text.len());
        let from = from.min(to);
        let tail = text.split_off(to);
        text.truncate(from);
        text.push_str(&self.text);
        text.push_str(&tail);
        (from, to)
    }

    /// The smallest single change from one text to another.
    pub fn between(old: &str, new: &str) -> Change {
        let pairs = || old.bytes().zip(new.bytes());
        let mut start = pairs().take_while(|(old, new)| old == new).count();
        while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
            start -= 1;
        }
        let most = old.len().min(new.len()) - start;
        let ends = old.bytes().rev().zip(new.bytes().rev()).take(most);
        let mut end = ends.take_while(|(old, new)| old == new).count();
        while !old.is_char_boundary(old.len() - end) || !new.is_char_boundary(new.len() - end) {
            end -= 1;
        }
        let part = |text: &str, from, to| text.get(from..to).unwrap_or_default().to_owned();
        let from = units(&part(old, 0, start));
        let to = from + units(&part(old, start, old.len() - end));
        Change { from, to, text: part(new, start, new.len() - end) }
    }
}

/// The byte at which a UTF-16 unit begins, or the character that contains it; the end for a unit past it.
fn byte_of(text: &str, unit: u32) -> usize {
    let mut left = unit as usize;
    for (at, char) in text.char_indices() {
        if left < char.len_utf16() {
            return at;
        }
        left -= char.len_utf16();
    }
    text.len()
}

/// The length of a text in UTF-16 units.
pub fn units(text: &str) -> u32 {
    match text.is_ascii() {
        true => text.len() as u32,
        false => text.chars().map(|char| char.len_utf16() as u32).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: u32, to: u32, text: &str) -> Change {
        Change { from, to, text: text.to_owned() }
    }

    #[test]
    fn changes_count_utf_16_units() {
        let mut text = "ä😀bc".to_owned();
        assert_eq!(change(3, 4, "xy").apply(&mut text), (6, 7));
        assert_eq!(text, "ä😀xyc");
        assert_eq!(change(1, 3, "").apply(&mut text), (2, 6));
        assert_eq!(text, "äxyc");
    }

    #[test]
    fn invalid_positions_are_moved() {
        for (from, to, wanted) in [(9, 99, "a😀!"), (2, 3, "a!"), (3, 1, "a!😀"), (0, 99, "!")] {
            let mut text = "a😀".to_owned();
            change(from, to, "!").apply(&mut text);
            assert_eq!(text, wanted, "{from}..{to}");
        }
        let mut text = "ab".to_owned();
        change(7, 1, "!").apply(&mut text);
        assert_eq!(text, "a!b");
    }

    #[test]
    fn the_change_between_two_texts_turns_one_into_the_other() {
        let texts =
            ["", "a", "aa", "aba", "ä", "ö", "aäb", "aöb", "😀", "😁", "x😀y\n", "x😁y\n", "äää", "ää"];
        for old in texts {
            for new in texts {
                let mut text = old.to_owned();
                Change::between(old, new).apply(&mut text);
                assert_eq!(text, new, "from {old:?}");
            }
        }
        assert_eq!(Change::between("one two", "one to two"), change(5, 5, "o t"));
    }
}
