//! The tokens of assembly with the class of each, for syntax highlighting of parts of a text in an editor.
//!
//! Uses the form of tokens and not the tables, which the page does not need otherwise: the first word of a line is an
//! instruction whatever it is.

use vitrine_text::{Class, Lexeme};

/// Instructions that are no computation.
const KEYWORDS: &[&str] = &[
    "def", "defi", "defb", "dcl", "if", "else", "endif", "rep", "endrep", "loop", "endloop", "break",
    "breakp", "call", "callnz", "label", "ret", "phase", "vs", "ps",
];

/// Returns true if the first line of a text that is neither empty nor a remark begins with a version.
pub fn is_assembly(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let first =
        lines.find(|line| !(line.is_empty() || line.starts_with("//") || line.starts_with([';', '#'])));
    let version = first.and_then(|line| line.strip_prefix("vs").or_else(|| line.strip_prefix("ps")));
    version.is_some_and(|rest| matches!(rest.as_bytes(), [b'_' | b'.', b'1'..=b'3', b'_' | b'.', ..]))
}

/// The lexemes of a part of a text that begins at a line break. Linear.
pub fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.find("//").into_iter().chain(line.find(';')).min().unwrap_or(line.len());
        let code = if line.trim_start().starts_with('#') { 0 } else { code };
        words(&mut out, line.get(..code).unwrap_or(line), start);
        push(&mut out, start + code, start + line.trim_end().len(), Class::Note);
        start += line.len();
    }
    out
}

/// The words of a line without its remark.
fn words(out: &mut Vec<Lexeme>, line: &str, start: usize) {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut is_first = true;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let word = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        if word == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let text = &rest[..word];
        let is_predicate = line.get(..at).is_some_and(|before| before.trim_end().ends_with(['(', '!']));
        let class = match text.as_bytes()[0] {
            b'0'..=b'9' | b'.' => Class::Number,
            _ if is_first && !is_predicate => {
                is_first = false;
                let name = text.split(['_', '.']).next().unwrap_or(text);
                if KEYWORDS.contains(&name) { Class::Keyword } else { Class::Op }
            }
            _ if matches!(text, "true" | "false") => Class::Number,
            _ => Class::Value,
        };
        // The components of a register are not part of its name.
        let name = if class == Class::Value { text.find('.').unwrap_or(word) } else { word };
        push(out, start + at, start + at + name, class);
        push(out, start + at + name, start + at + word, Class::Flag);
        at += word;
    }
}

fn push(out: &mut Vec<Lexeme>, start: usize, end: usize, class: Class) {
    if start < end {
        out.push(Lexeme { start: start as u32, len: (end - start) as u32, class });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_class_of_their_place() {
        let text = "ps_3_0 // remark\n(!p0.x) mad_sat r0.xy, -c1, 2.5, é\n  if_lt r0.x, v1\n#line 1\n";
        let found: Vec<(&str, Class)> = lexemes(text)
            .iter()
            .map(|lexeme| (&text[lexeme.start as usize..(lexeme.start + lexeme.len) as usize], lexeme.class))
            .collect();
        use Class::{Flag, Keyword, Note, Number, Op, Value};
        assert_eq!(
            found,
            [
                ("ps_3_0", Keyword),
                ("// remark", Note),
                ("p0", Value),
                (".x", Flag),
                ("mad_sat", Op),
                ("r0", Value),
                (".xy", Flag),
                ("c1", Value),
                ("2.5", Number),
                ("é", Value),
                ("if_lt", Keyword),
                ("r0", Value),
                (".x", Flag),
                ("v1", Value),
                ("#line 1", Note),
            ]
        );
    }

    #[test]
    fn assembly_begins_with_a_version() {
        for (text, wanted) in [
            ("// made by hand\n\nps_3_0\n", true),
            (" vs.1.1", true),
            ("psx", false),
            ("ps_4_0", false),
            ("", false),
        ] {
            assert_eq!(is_assembly(text), wanted, "{text}");
        }
    }
}
