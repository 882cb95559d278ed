//! Bindings, locations and blocks, which GLSL for Vulkan demands and other dialects leave to the linker.
//!
//! Declarations at global scope are completed in place: `uniform float t;` becomes a block of its own, resources get the next
//! free binding of set 0, inputs and outputs the next free location. Numbers that the source states are not used again.
//!
//! Limits: stages are completed one by one, so that locations of two stages agree only if both declare the same variables in
//! the same order.

use super::tokens::{Token, TokenKind};
use std::collections::BTreeSet;

/// Words before the type of a declaration.
const QUALIFIERS: &[&str] = &[
    "uniform",
    "in",
    "out",
    "buffer",
    "attribute",
    "varying",
    "flat",
    "smooth",
    "noperspective",
    "centroid",
    "sample",
    "invariant",
    "precise",
    "highp",
    "mediump",
    "lowp",
    "readonly",
    "writeonly",
    "coherent",
    "restrict",
    "volatile",
    "patch",
    "const",
    "shared",
];

/// The storage of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Uniform,
    Buffer,
    Input,
    Output,
}

/// A declaration at global scope: places of tokens.
#[derive(Debug)]
struct Declaration {
    /// All its tokens except white space, to the `;`, without the members of a block.
    tokens: Vec<usize>,
    storage: Storage,
    /// The tokens of the layout from `layout` to `)`, as a range of `tokens`.
    layout: Option<(usize, usize)>,
    /// The type, as a place in `tokens`.
    type_at: usize,
    is_block: bool,
}

/// Completes the declarations. `taken` is the number of bindings that are used by added lines.
pub(super) fn complete(
    all: &[Token<'_>],
    out: &mut [String],
    stage: &str,
    taken: u32,
    notes: &mut Vec<String>,
) {
    let found = declarations(all, out);
    let mut bindings = Numbers { used: (0..taken).collect(), first: taken };
    let mut locations = [Numbers::default(), Numbers::default()];
    for of in &found {
        let size = size(of, all);
        if let Some(number) = stated(of, all, "binding") {
            bindings.used.insert(number);
        }
        if let (Some(number), Some(place)) = (stated(of, all, "location"), interface(of)) {
            locations[place].used.extend(number..number.saturating_add(size));
        }
    }
    let (mut blocks, mut bound, mut located) = (Vec::new(), Vec::new(), Vec::new());
    for of in &found {
        let name = name(of, all);
        match of.storage {
            Storage::Input | Storage::Output => {
                let Some(place) = interface(of).filter(|_| needs_location(of, all, name, stage)) else {
                    continue;
                };
                let number = locations[place].take(size(of, all));
                add_layout(of, out, &format!("location = {number}"));
                located.push(format!("{name} = {number}"));
            }
            Storage::Uniform | Storage::Buffer => {
                if has_word(of, all, "push_constant") || has_word(of, all, "shaderRecordEXT") {
                    continue;
                }
                let is_loose = of.storage == Storage::Uniform
                    && !of.is_block
                    && !is_opaque(all[of.tokens[of.type_at]].text);
                if !is_loose && stated(of, all, "binding").is_some() {
                    continue;
                }
                let number = bindings.take(1);
                if is_loose {
                    wrap(of, all, out, number);
                    blocks.push(name.to_owned());
                } else {
                    add_layout(of, out, &format!("binding = {number}"));
                }
                bound.push(format!("{name} = {number}"));
            }
        }
    }
    if !blocks.is_empty() {
        notes.push(format!("uniforms outside of blocks are in blocks of their own: {}", blocks.join(", ")));
    }
    if !bound.is_empty() {
        notes.push(format!("bindings of set 0 are added: {}", bound.join(", ")));
    }
    if !located.is_empty() {
        notes.push(format!("locations are added: {}", located.join(", ")));
    }
}

/// The declarations with a storage. Names in `out` may have replaced older words.
fn declarations(all: &[Token<'_>], out: &[String]) -> Vec<Declaration> {
    let mut found = Vec::new();
    let (mut depth, mut nested) = (0_usize, 0_usize);
    let mut head: Vec<usize> = Vec::new();
    let mut is_function = false;
    for (at, token) in all.iter().enumerate() {
        match token.kind {
            TokenKind::Space => continue,
            // A condition may stand within a declaration; it begins another one otherwise.
            TokenKind::Directive => continue,
            TokenKind::Word | TokenKind::Number | TokenKind::Punct => {}
        }
        if depth == 0 {
            head.push(at);
        }
        match token.text {
            "(" | "[" => nested += 1,
            ")" | "]" => nested = nested.saturating_sub(1),
            "{" => {
                if depth == 0 {
                    let before = head.iter().rev().nth(1).map(|&at| all[at].text);
                    is_function = before == Some(")");
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    if is_function {
                        head.clear();
                    } else {
                        head.push(at);
                    }
                    is_function = false;
                }
            }
            ";" if depth == 0 && nested == 0 => {
                found.extend(declaration(std::mem::take(&mut head), all, out));
            }
            _ => {}
        }
    }
    found
}

fn declaration(tokens: Vec<usize>, all: &[Token<'_>], out: &[String]) -> Option<Declaration> {
    let (mut storage, mut layout) = (None, None);
    let mut at = 0;
    loop {
        let &token = tokens.get(at)?;
        match out[token].as_str() {
            "layout" => {
                let len = tokens[at..].iter().position(|&token| all[token].text == ")")?;
                layout = Some((at, at + len));
                at += len;
            }
            "uniform" => storage = Some(Storage::Uniform),
            "buffer" => storage = Some(Storage::Buffer),
            "in" => storage = Some(Storage::Input),
            "out" => storage = Some(Storage::Output),
            word if QUALIFIERS.contains(&word) => {}
            _ => break,
        }
        at += 1;
    }
    let is_block = tokens.get(at + 1).is_some_and(|&token| all[token].text == "{");
    // `layout(local_size_x = 8) in;` has no type.
    let has_type = all[tokens[at]].kind == TokenKind::Word;
    Some(Declaration { storage: storage?, tokens, layout, type_at: at, is_block }).filter(|_| has_type)
}

fn interface(of: &Declaration) -> Option<usize> {
    match of.storage {
        Storage::Input => Some(0),
        Storage::Output => Some(1),
        Storage::Uniform | Storage::Buffer => None,
    }
}

/// The name: that of a block, or the first declared one.
fn name<'t>(of: &Declaration, all: &[Token<'t>]) -> &'t str {
    let at = if of.is_block { of.type_at } else { of.type_at + 1 };
    let named = of.tokens[at..].iter().map(|&token| &all[token]).find(|token| token.kind == TokenKind::Word);
    named.map_or("", |token| token.text)
}

fn needs_location(of: &Declaration, all: &[Token<'_>], name: &str, stage: &str) -> bool {
    let is_builtin = name.starts_with("gl_") || all[of.tokens[of.type_at]].text.starts_with("gl_");
    !is_builtin && stage != "comp" && !has_word(of, all, "location") && !name.is_empty()
}

fn has_word(of: &Declaration, all: &[Token<'_>], word: &str) -> bool {
    let Some((from, to)) = of.layout else { return false };
    of.tokens[from..=to].iter().any(|&token| all[token].text == word)
}

/// The number of a layout.
fn stated(of: &Declaration, all: &[Token<'_>], word: &str) -> Option<u32> {
    let (from, to) = of.layout?;
    let inner = &of.tokens[from..=to];
    let at = inner.iter().position(|&token| all[token].text == word)?;
    all[*inner.get(at + 2)?].text.parse().ok()
}

/// Returns true for the name of a type that no block can have.
pub(super) fn is_opaque(name: &str) -> bool {
    [
        "sampler",
        "isampler",
        "usampler",
        "image",
        "iimage",
        "uimage",
        "texture",
        "itexture",
        "utexture",
        "subpassInput",
        "isubpassInput",
        "usubpassInput",
        "atomic_uint",
        "accelerationStructure",
    ]
    .iter()
    .any(|opaque| name.starts_with(opaque))
}

/// The locations that a variable takes. A structure or block counts as four.
fn size(of: &Declaration, all: &[Token<'_>]) -> u32 {
    let name = all[of.tokens[of.type_at]].text;
    let columns =
        name.strip_prefix("mat").and_then(|rest| rest.get(..1)).and_then(|digit| digit.parse().ok());
    let is_simple = ["float", "int", "uint", "bool", "vec", "ivec", "uvec", "bvec", "f16vec", "float16_t"]
        .iter()
        .any(|simple| name.starts_with(simple));
    let one = match (columns, is_simple) {
        (Some(columns), _) => columns,
        (None, true) => 1,
        (None, false) if matches!(name, "double" | "dvec2") => 1,
        (None, false) if name.starts_with("dvec") => 2,
        (None, false) => 4,
    };
    let rest = &of.tokens[of.type_at + 1..];
    let counts = rest
        .windows(3)
        .filter(|of| all[of[0]].text == "[" && all[of[2]].text == "]")
        .filter_map(|of| all[of[1]].text.parse::<u32>().ok());
    counts.fold(one, |size: u32, count| size.saturating_mul(count.clamp(1, 64))).min(64)
}

/// The numbers of bindings or of locations that are in use.
#[derive(Default)]
struct Numbers {
    used: BTreeSet<u32>,
    /// No smaller number is free.
    first: u32,
}

impl Numbers {
    /// Takes `size` numbers in a row, the first ones that are free, and returns the first.
    fn take(&mut self, size: u32) -> u32 {
        let mut first = self.first;
        while let Some(&taken) = self.used.range(first..first.saturating_add(size)).next_back() {
            first = taken.saturating_add(1);
        }
        self.used.extend(first..first.saturating_add(size));
        while self.used.contains(&self.first) {
            self.first += 1;
        }
        first
    }
}

fn add_layout(of: &Declaration, out: &mut [String], words: &str) {
    match of.layout {
        // After `layout` and `(`.
        Some((from, _)) => out[of.tokens[from + 1]] = format!("({words}, "),
        None => {
            let first = &mut out[of.tokens[0]];
            *first = format!("layout({words}) {first}");
        }
    }
}

/// Wraps a declaration in a block; initial values, which no block has, are left out.
fn wrap(of: &Declaration, all: &[Token<'_>], out: &mut [String], binding: u32) {
    let mut keeps = Vec::new();
    let qualifiers = of.layout.map_or(0, |(_, to)| to + 1).min(of.type_at);
    for &token in &of.tokens[qualifiers..of.type_at] {
        if matches!(out[token].as_str(), "highp" | "mediump" | "lowp") {
            keeps.push(out[token].clone());
        }
    }
    for &token in &of.tokens[..of.type_at] {
        out[token].clear();
    }
    let block =
        format!("layout(binding = {binding}) uniform {}_uniform {{ {}", name(of, all), keeps.join(" "));
    let first = &mut out[of.tokens[of.type_at]];
    *first = format!("{block} {first}");
    let (mut nested, mut is_value) = (0_i32, false);
    for &token in &of.tokens[of.type_at + 1..] {
        match all[token].text {
            "(" | "[" | "{" => nested += 1,
            ")" | "]" | "}" => nested -= 1,
            "=" if nested == 0 => is_value = true,
            "," | ";" if nested == 0 => is_value = false,
            _ => {}
        }
        if is_value {
            out[token].clear();
        }
    }
    if let Some(&last) = of.tokens.last() {
        out[last] = "; };".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn completed(text: &str, stage: &str) -> (String, Vec<String>) {
        let all = tokens(text);
        let mut out: Vec<String> = all.iter().map(|token| token.text.to_owned()).collect();
        let mut notes = Vec::new();
        complete(&all, &mut out, stage, 0, &mut notes);
        (out.concat(), notes)
    }

    #[test]
    fn declarations_are_completed_in_place() {
        for (text, wanted) in [
            ("uniform float t;", "layout(binding = 0) uniform t_uniform {  float t; };"),
            (
                "uniform lowp vec2 a = vec2(1, 2), b;",
                "layout(binding = 0) uniform a_uniform { lowp vec2 a , b; };",
            ),
            (
                "layout(binding = 0) uniform B { float x; } b;\nuniform sampler2D s;",
                "layout(binding = 0) uniform B { float x; } b;\nlayout(binding = 1) uniform sampler2D s;",
            ),
            (
                "layout(std430) buffer B { float x[]; };",
                "layout(binding = 0, std430) buffer B { float x[]; };",
            ),
            ("in mat4 m; in vec2 uv;", "layout(location = 0) in mat4 m; layout(location = 4) in vec2 uv;"),
            (
                "layout(location = 0) in vec2 a; flat in int b;",
                "layout(location = 0) in vec2 a; layout(location = 1) flat in int b;",
            ),
            (
                "layout(push_constant) uniform P { float x; };",
                "layout(push_constant) uniform P { float x; };",
            ),
            (
                "void f(in float x) { float y; }\nout vec4 c;",
                "void f(in float x) { float y; }\nlayout(location = 0) out vec4 c;",
            ),
            (
                "struct S { float x; };\nS s;\nconst float k = 1.0;",
                "struct S { float x; };\nS s;\nconst float k = 1.0;",
            ),
            ("out gl_PerVertex { vec4 gl_Position; };", "out gl_PerVertex { vec4 gl_Position; };"),
            ("in", "in"),
            ("layout(", "layout("),
            ("layout(early_fragment_tests) in;", "layout(early_fragment_tests) in;"),
        ] {
            let (text, _) = completed(text, "frag");
            let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(tidy(&text), tidy(wanted));
        }
        let (text, notes) = completed("layout(local_size_x = 8) in;\nuniform int n;", "comp");
        assert!(text.starts_with("layout(local_size_x = 8) in;\n") && notes.len() == 2, "{text} {notes:?}");
    }
}
