//! Languages like C: no text has parentheses that its grammar does not need, and no line has more than 100 columns.
//!
//! The texts of all modules are read with a table of precedences of the test's own: a pair of parentheses is redundant if the
//! operators inside of it bind tighter than those on both sides.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::modules;
use crate::testing::written;
use vitrine_filetests::parallel::each;

/// Binary operators, from loose to tight; a space precedes and follows each.
const OPERATORS: &[&[&str]] = &[
    &["?", ":"],
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

const CHOICE: usize = 0;
const SHIFT: usize = 8;
const PREFIX: usize = 11;
const POSTFIX: usize = 12;
const ATOM: usize = 13;

/// Returns true if WGSL demands parentheses around an operator inside of another one.
fn is_mixed(outer: usize, inner: usize) -> bool {
    let is_bits = |level| (3..=5).contains(&level);
    let is_logical = |level| (1..=2).contains(&level);
    match outer {
        SHIFT => inner < PREFIX,
        3..=5 => inner < PREFIX && inner != outer,
        6..=7 => inner <= SHIFT,
        1..=2 => is_bits(inner) || is_logical(inner) && inner != outer,
        _ => false,
    }
}

/// The level of a binary operator.
fn level(word: &str) -> Option<usize> {
    OPERATORS.iter().position(|level| level.contains(&word))
}

/// The text without comments and directives, with one space for each gap and none after an opening parenthesis.
fn condensed(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<&str> =
        lines.flat_map(|line| line.split("//").next().unwrap_or_default().split_whitespace()).collect();
    words.join(" ").replace("( ", "(")
}

/// The loosest level of the operators of an expression outside of its brackets.
fn loosest(inner: &str) -> usize {
    let is_prefix = inner.starts_with(['-', '!', '~', '*', '&']);
    // A cast: a type in parentheses before an operand.
    let cast = inner.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let is_cast = cast.is_some_and(|(ty, rest)| {
        ty.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '*'))
            && rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '-' | '&'))
    });
    let mut least = if is_prefix || is_cast { PREFIX } else { ATOM };
    let mut depth = 0usize;
    for (at, word) in inner.split(' ').enumerate() {
        if depth == 0 && at > 0 {
            least = level(word).map_or(least, |found| found.min(least));
        }
        depth += word.matches(['(', '[', '{']).count();
        depth = depth.saturating_sub(word.matches([')', ']', '}']).count());
    }
    least
}

/// The redundant pairs of parentheses of a text, each with what surrounds it.
fn redundant(text: &str, is_wgsl: bool) -> Vec<String> {
    let text = condensed(text);
    let bytes = text.as_bytes();
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => pairs.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut out = Vec::new();
    for &(start, end) in &pairs {
        let (before, inner, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
        let last = before.bytes().last().unwrap_or(b' ');
        // Arguments, or the operand of a cast.
        if is_word(last) || matches!(last, b']' | b'>' | b')') {
            continue;
        }
        let report = || {
            let from = text.floor_char_boundary(start.saturating_sub(40));
            let to = text.floor_char_boundary((end + 40).min(text.len()));
            text[from..to].to_owned()
        };
        let word_before = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if matches!(word_before, "if" | "while" | "switch" | "for") {
            let is_double = inner.starts_with('(') && pairs.contains(&(start + 1, end - 1));
            out.extend(is_double.then(report));
            continue;
        }
        // A cast, or a list.
        let next = after.bytes().next().unwrap_or(b' ');
        if is_word(next)
            || matches!(next, b'(' | b'&' | b'-' | b'~' | b'!')
            || inner.contains(", ") && loosest(inner) == ATOM
        {
            continue;
        }
        let inside = loosest(inner);
        let beside = |word: Option<&str>, is_near: bool| word.filter(|_| is_near).and_then(level);
        let left = beside(before.trim_end().rsplit(' ').next(), last == b' ');
        let right = beside(after.trim_start().split(' ').next(), next == b' ');
        let is_operand = matches!(last, b'-' | b'!' | b'~' | b'*' | b'&');
        let is_needed = left.is_some_and(|left| inside <= left)
            || right.is_some_and(|right| inside < right || right == CHOICE && inside == CHOICE)
            || is_operand && (inside < PREFIX || inner.as_bytes().first() == Some(&last))
            || matches!(next, b'.' | b'[') && inside < POSTFIX
            || is_wgsl && next == b',' && inner.contains(" < ")
            || is_wgsl && [left, right].into_iter().flatten().any(|outer| is_mixed(outer, inside));
        out.extend((!is_needed).then(report));
    }
    out
}

#[test]
fn the_table_finds_what_is_redundant() {
    let cases = [
        ("x = (a + b) * c;", 0),
        ("x = (a * b) + c;", 1),
        ("x = a - (b + c);", 0),
        ("x = (a - b) + c;", 1),
        // The inner pair counts, too.
        ("if ((a < b)) {", 2),
        ("if (!(a < b)) {", 0),
        ("x = (float3)(a + b);", 0),
        ("x = y + (-1.0);", 1),
        ("x = -(-a);", 0),
        ("(*x).y = f((a + b) * c, d);", 0),
        ("x = (*y);", 1),
        ("for (i = 0; (i < 2); i += 1) {", 1),
        ("x = (a ? b : c) ? d : e;", 0),
    ];
    for (text, count) in cases {
        assert_eq!(redundant(text, false).len(), count, "{text}");
    }
    assert_eq!(redundant("x = (a && b) || c;", true).len(), 0);
    assert_eq!(redundant("x = (a && b) || c;", false).len(), 1);
    assert_eq!(redundant("x = (a + b) & c;", true).len(), 0);
}

#[test]
fn no_text_has_redundant_parentheses_or_long_lines() {
    let items = modules();
    let languages = ["glsl", "essl", "essl-310", "wgsl", "hlsl", "msl"];
    let found = each(&items, |item| {
        languages.map(|language| {
            let text = written::text(item, language).ok()?;
            let long = text.lines().filter(|line| line.chars().count() > 100).map(str::to_owned);
            let pairs = redundant(&text, language == "wgsl");
            let wrong = long.chain(pairs).map(|what| format!("{language} {}: {what}", item.file));
            Some(wrong.collect::<Vec<String>>())
        })
    });
    let mut texts = [0; 6];
    for of_item in &found {
        for (count, written) in texts.iter_mut().zip(of_item) {
            *count += usize::from(written.is_some());
        }
    }
    let wrong: Vec<String> = found.into_iter().flatten().flatten().flatten().collect();
    println!("{texts:?} texts in {languages:?}");
    assert!(texts.iter().skip(2).all(|&count| count > 30), "{texts:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
