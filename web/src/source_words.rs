//! The colors of a source in WGSL or GLSL: words, numbers, comments, names after `@` and `#`.
//!
//! A source is translated elsewhere, so nothing is an error here. The text may be any part of a source, cut at line breaks; a
//! comment of several lines is colored in its first line only.

use vitrine_core::text::{Class, Lexeme};

/// Words of statements and declarations, in order.
const KEYWORDS: [&str; 49] = [
    "alias",
    "attribute",
    "break",
    "buffer",
    "case",
    "centroid",
    "coherent",
    "const",
    "const_assert",
    "continue",
    "continuing",
    "default",
    "diagnostic",
    "discard",
    "do",
    "else",
    "enable",
    "false",
    "flat",
    "fn",
    "for",
    "highp",
    "if",
    "in",
    "inout",
    "layout",
    "let",
    "loop",
    "lowp",
    "mediump",
    "noperspective",
    "out",
    "override",
    "precise",
    "precision",
    "readonly",
    "requires",
    "return",
    "shared",
    "smooth",
    "struct",
    "switch",
    "true",
    "uniform",
    "var",
    "varying",
    "while",
    "workgroupBarrier",
    "writeonly",
];

/// The beginnings of the names of types.
const TYPES: [&str; 15] = [
    "array", "atomic", "bool", "bvec", "f16", "f32", "i32", "ivec", "mat", "ptr", "sampler", "texture_",
    "u32", "uvec", "vec",
];

/// Whole names of types.
const SCALARS: [&str; 5] = ["double", "float", "int", "uint", "void"];

/// The signs by which a source is recognized, as the compiler does.
const SIGNS: [&str; 7] =
    ["@compute", "@fragment", "@vertex", "@workgroup_size(", "#version ", "void main(", "void mainImage("];

/// The part of a text in which the signs are looked for, in bytes: it is read with every edit.
const BEGINNING: usize = 1 << 14;

/// True for a text that looks like a source.
pub(crate) fn is_source(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(BEGINNING)];
    SIGNS.iter().any(|sign| {
        text.match_indices(sign).any(|(at, _)| {
            // A function of the IR may have the name.
            let rest = text.get(at + sign.len()..).unwrap_or_default();
            !sign.starts_with('@') || !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric())
        })
    })
}

/// The lexemes of a part of a source. Linear.
pub(crate) fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = (text.len() - rest.len()) as u32;
        let (len, class) = one(rest, first);
        if let Some(class) = class {
            out.push(Lexeme { start, len: len as u32, class });
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    out
}

/// The length in bytes of the first lexeme, and its class; none for white space.
fn one(rest: &str, first: char) -> (usize, Option<Class>) {
    let in_word = |c: char| c == '_' || c.is_alphanumeric();
    let length = |of: &dyn Fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
    if first.is_whitespace() {
        return (length(&char::is_whitespace), None);
    }
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Some(Class::Note));
    }
    if rest.starts_with("/*") {
        let end = rest.find("*/").map(|at| at + 2);
        return (end.or_else(|| rest.find('\n')).unwrap_or(rest.len()), Some(Class::Note));
    }
    if first == '@' || first == '#' {
        let name = rest.get(1..).unwrap_or_default();
        return (1 + name.find(|c| !in_word(c)).unwrap_or(name.len()), Some(Class::Attr));
    }
    if first.is_ascii_digit() {
        return (length(&|c| in_word(c) || c == '.'), Some(Class::Number));
    }
    if in_word(first) {
        let len = length(&in_word);
        let word = rest.get(..len).unwrap_or_default();
        let class = match KEYWORDS.binary_search(&word) {
            Ok(_) => Class::Keyword,
            Err(_) if SCALARS.contains(&word) || TYPES.iter().any(|name| word.starts_with(name)) => {
                Class::Type
            }
            Err(_) => Class::Plain,
        };
        return (len, Some(class));
    }
    (first.len_utf8(), Some(Class::Punct))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexemes_have_the_classes_of_the_language() {
        let text = "@fragment fn main() -> vec4f { // é\n  let x = a % 2u; }";
        let found: Vec<(&str, Class)> = lexemes(text)
            .iter()
            .map(|of| (&text[of.start as usize..(of.start + of.len) as usize], of.class))
            .filter(|(_, class)| !matches!(class, Class::Punct | Class::Plain))
            .collect();
        let wanted = [
            ("@fragment", Class::Attr),
            ("fn", Class::Keyword),
            ("vec4f", Class::Type),
            ("// é", Class::Note),
            ("let", Class::Keyword),
            ("2u", Class::Number),
        ];
        assert_eq!(found, wanted);
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn programs_of_the_ir_are_no_sources() {
        assert!(is_source("@compute @workgroup_size(1)\nfn main() {}\n"));
        assert!(!is_source("func @fragment_0() graph {\n^0:\n  return\n}\n"));
    }
}
