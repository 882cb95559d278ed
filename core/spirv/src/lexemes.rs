//! The tokens of assembly with the class of each, for syntax highlighting of parts of a text in an editor.
//!
//! Uses the form of tokens and not the grammar: an enumerant is any word that is not a number, and an id is a
//! value whatever it names. The disassembler has the grammar and colors its own text better.

use super::tokens::{Token, TokenKind, Tokens};
use vitrine_text::{Class, Lexeme};

/// The number of lines that are examined to recognize assembly.
const FIRST_LINES: usize = 16;

/// The lexemes of a part of a text that begins at a line break, or `inside` a quoted string. Linear.
///
/// Includes comments, but not white space. An unterminated quote extends to the end of the part: it may end
/// in the next one.
pub fn lexemes(text: &str, inside: bool) -> Vec<Lexeme> {
    let mut out = Vec::new();
    let skipped = if inside { end_of_quote(text).unwrap_or(text.len()) } else { 0 };
    push(&mut out, 0, skipped, Class::Text);
    let rest = text.get(skipped..).unwrap_or("");
    let mut tokens = Tokens::new(rest);
    let mut end = 0;
    loop {
        let token = tokens.advance();
        let gap = rest.get(end..token.start).unwrap_or("");
        comments(&mut out, gap, skipped + end);
        end = token.start + token.text.len();
        let class = match token.kind {
            TokenKind::End => return out,
            TokenKind::Id => Class::Value,
            TokenKind::Equals => Class::Punct,
            TokenKind::Quoted => Class::Text,
            TokenKind::OpenQuoted => {
                push(&mut out, skipped + token.start, text.len(), Class::Text);
                return out;
            }
            TokenKind::Bang => Class::Raw,
            TokenKind::Word => class_of_word(&token),
        };
        push(&mut out, skipped + token.start, skipped + end, class);
    }
}

/// Returns true if the end of a part of a text is inside a quoted string, given the same for its beginning.
pub fn ends_inside(text: &str, inside: bool) -> bool {
    let mut rest = text;
    let mut inside = inside;
    loop {
        let next = if inside { end_of_quote(rest) } else { begin_of_quote(rest) };
        let Some(after) = next.and_then(|at| rest.get(at..)) else { return inside };
        rest = after;
        inside = !inside;
    }
}

/// The text after the quote that ends the string at the start of `text`.
fn end_of_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    let ends = |byte: u8| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    };
    text.bytes().position(ends).map(|at| at + 1)
}

/// The text after the first quote that is not in a comment.
fn begin_of_quote(text: &str) -> Option<usize> {
    let mut in_comment = false;
    let begins = |byte: u8| {
        in_comment = byte != b'\n' && (in_comment || byte == b';');
        byte == b'"' && !in_comment
    };
    text.bytes().position(begins).map(|at| at + 1)
}

/// Returns true if one of the first lines, without comments, is an instruction of SPIR-V: `OpCapability …` or
/// `%1 = Op…`.
///
/// More than the first line counts, so that the language of a text does not change while a line is being
/// typed.
pub fn is_spirv_text(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';'));
    lines.take(FIRST_LINES).any(|line| {
        let instruction = line.split_once('=').map_or(line, |(_, right)| right.trim_start());
        let name = instruction.strip_prefix("Op");
        name.is_some_and(|name| name.starts_with(|char: char| char.is_ascii_uppercase()))
    })
}

fn comments(out: &mut Vec<Lexeme>, gap: &str, start: usize) {
    let mut at = start;
    for line in gap.split_inclusive('\n') {
        let end = at + line.trim_end_matches(['\n', '\r']).len();
        if let Some(sign) = line.find(';') {
            push(out, at + sign, end, Class::Note);
        }
        at += line.len();
    }
}

fn push(out: &mut Vec<Lexeme>, start: usize, end: usize, class: Class) {
    if start < end {
        out.push(Lexeme { start: start as u32, len: (end - start) as u32, class });
    }
}

fn class_of_word(token: &Token) -> Class {
    let digits = token.text.strip_prefix('-').unwrap_or(token.text);
    if token.is_op() {
        Class::Op
    } else if digits.starts_with(|char: char| char.is_ascii_digit()) {
        Class::Number
    } else if token.text.as_bytes().contains(&b'|') {
        Class::Flag
    } else {
        Class::Keyword
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str, inside: bool) -> Vec<(&str, Class)> {
        let word = |of: &Lexeme| (&text[of.start as usize..(of.start + of.len) as usize], of.class);
        lexemes(text, inside).iter().map(word).collect()
    }

    #[test]
    fn tokens_have_classes() {
        use Class::*;
        let text = "%4 = OpFunction %1 Pure|Const -0x1p3 ; a \"note\n\n; more\n!7 \"ä\"\n";
        let wanted = [
            ("%4", Value),
            ("=", Punct),
            ("OpFunction", Op),
            ("%1", Value),
            ("Pure|Const", Flag),
            ("-0x1p3", Number),
            ("; a \"note", Note),
            ("; more", Note),
            ("!7", Raw),
            ("\"ä\"", Text),
        ];
        assert_eq!(classes(text, false), wanted);
        assert_eq!(classes("Shader", false), [("Shader", Keyword)]);
    }

    #[test]
    fn a_text_over_several_parts_is_text_in_each() {
        use Class::*;
        assert_eq!(classes("OpSource \"a\n b", false), [("OpSource", Op), ("\"a\n b", Text)]);
        assert_eq!(classes("c \\\" d\n", true), [("c \\\" d\n", Text)]);
        assert_eq!(classes("e\" 7", true), [("e\"", Text), ("7", Number)]);
        assert_eq!(classes("", true), []);
    }

    #[test]
    fn the_end_of_a_part_is_inside_a_string_if_its_last_token_is() {
        for (text, inside, wanted) in [
            ("OpName %1 \"a\"\n", false, false),
            ("OpSource \"a\n", false, true),
            ("\\\" b\n", true, true),
            ("\\\\\" b\n", true, false),
            ("; \"no\n", false, false),
            ("; no\n\"", false, true),
            ("\" ; \"", true, false),
        ] {
            assert_eq!(ends_inside(text, inside), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_assembly_also_while_its_first_line_is_typed() {
        for (text, wanted) in [
            ("; remark\n\n%1 = OpTypeVoid", true),
            ("???\nOpCapability Shader", true),
            ("func @0() graph {\n^0:\n  return\n}", false),
            ("Operation", false),
            ("", false),
        ] {
            assert_eq!(is_spirv_text(text), wanted, "{text}");
        }
    }
}
