//! The colors of a source in WGSL, GLSL, HLSL or Slang: words, numbers, comments, names after `@` and `#`, semantics.
//!
//! A source is translated elsewhere, so nothing is an error here. The text may be any part of a source, cut at line breaks; a
//! comment of several lines is colored in its first line only.

use vitrine_core::text::{Class, Lexeme};

/// Words of statements and declarations, in order.
const KEYWORDS: [&str; 64] = [
    "alias",
    "attribute",
    "break",
    "buffer",
    "case",
    "cbuffer",
    "centroid",
    "coherent",
    "column_major",
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
    "extension",
    "false",
    "flat",
    "fn",
    "for",
    "groupshared",
    "highp",
    "if",
    "import",
    "in",
    "inline",
    "inout",
    "interface",
    "layout",
    "let",
    "loop",
    "lowp",
    "mediump",
    "namespace",
    "nointerpolation",
    "noperspective",
    "out",
    "override",
    "precise",
    "precision",
    "readonly",
    "register",
    "requires",
    "return",
    "row_major",
    "shared",
    "smooth",
    "static",
    "struct",
    "switch",
    "tbuffer",
    "this",
    "true",
    "typedef",
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
const SCALARS: [&str; 6] = ["double", "float", "half", "int", "uint", "void"];

/// The beginnings of the names of types of HLSL: resources.
const RESOURCES: [&str; 10] = [
    "AppendStructuredBuffer",
    "ByteAddressBuffer",
    "ConsumeStructuredBuffer",
    "RWBuffer",
    "RWByteAddressBuffer",
    "RWStructuredBuffer",
    "RWTexture",
    "SamplerState",
    "StructuredBuffer",
    "Texture",
];

/// The signs by which a source is recognized, as the compiler does.
const SIGNS: [&str; 12] = [
    "@compute",
    "@fragment",
    "@vertex",
    "@workgroup_size(",
    "#version ",
    "void main(",
    "void mainImage(",
    "SV_Target",
    "SV_Position",
    "SV_DispatchThreadID",
    "[numthreads(",
    "[shader(",
];

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
            Err(_) if is_type(word) => Class::Type,
            Err(_) if word.starts_with("SV_") => Class::Attr,
            Err(_) => Class::Plain,
        };
        return (len, Some(class));
    }
    (first.len_utf8(), Some(Class::Punct))
}

fn is_type(word: &str) -> bool {
    // `float4x4` of HLSL, but not a function such as `floatBitsToInt`.
    let is_shape = |shape: &str| shape.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
    SCALARS.iter().any(|scalar| word.strip_prefix(scalar).is_some_and(is_shape))
        || TYPES.iter().chain(&RESOURCES).any(|name| word.starts_with(name))
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
    fn hlsl_has_its_types_and_semantics() {
        let text = "RWTexture2D t; float4x4 m : SV_Target0; floatBits(int3)";
        let found: Vec<(&str, Class)> = lexemes(text)
            .iter()
            .map(|of| (&text[of.start as usize..(of.start + of.len) as usize], of.class))
            .filter(|(_, class)| !matches!(class, Class::Punct | Class::Plain))
            .collect();
        let wanted = [
            ("RWTexture2D", Class::Type),
            ("float4x4", Class::Type),
            ("SV_Target0", Class::Attr),
            ("int3", Class::Type),
        ];
        assert_eq!(found, wanted);
        assert!(is_source("float4 f() : SV_Target0 { return 0; }"));
    }

    #[test]
    fn programs_of_the_ir_are_no_sources() {
        assert!(is_source("@compute @workgroup_size(1)\nfn main() {}\n"));
        assert!(!is_source("func @fragment_0() graph {\n^0:\n  return\n}\n"));
    }
}
