//! Registers of HLSL as bindings of Vulkan: every class of registers gets numbers of its own.
//!
//! ```text
//! cbuffer Scene : register(b0) { … }      [[vk::binding(0, 0)]]   cbuffer Scene : register(b0) { … }
//! Texture2D map : register(t0);           [[vk::binding(100, 0)]] Texture2D map : register(t0);
//! SamplerState s : register(s1, space2);  [[vk::binding(201, 2)]] SamplerState s : register(s1, space2);
//! ```
//!
//! Direct3D counts constant buffers, textures, samplers and writable resources apart; Vulkan counts them together, so that `b0`,
//! `t0` and `s0` would be one place. The shift is that of `-fvk-t-shift 100 all`, `-fvk-s-shift 200 all` and `-fvk-u-shift 300 all`
//! of DXC and Slang; a number that another register has already is replaced by the next free one. Spaces are sets. A
//! `[[vk::binding]]` of the source is kept.
//!
//! Limits: a resource without a register gets its place from the front end.

use super::tokens::{Token, TokenKind, tokens};
use std::collections::BTreeMap;

/// The classes of registers, with the number that is added.
const CLASSES: [(char, u32); 4] = [('b', 0), ('t', 100), ('s', 200), ('u', 300)];

/// A register: class, number, space.
type Register = (char, u32, u32);

/// A register in the text.
struct Found {
    register: Register,
    /// The token `register`.
    at: usize,
    /// The first token of its declaration.
    start: usize,
}

/// The text with a binding for each register, whose lines stay in their places, and a note about them. Linear in the text, apart
/// from registers that share a number.
pub(super) fn placed(text: &str) -> (String, Option<String>) {
    let all = tokens(text);
    let code: Vec<usize> = (0..all.len())
        .filter(|&at| !matches!(all[at].kind, TokenKind::Space | TokenKind::Directive))
        .collect();
    let (found, mut used) = registers(&all, &code);
    if found.is_empty() {
        return (text.to_owned(), None);
    }
    let mut out: Vec<String> = all.iter().map(|token| token.text.to_owned()).collect();
    let mut places: BTreeMap<Register, u32> = BTreeMap::new();
    let mut shown: Vec<String> = Vec::new();
    let mut before: Option<usize> = None;
    for of in &found {
        let (class, number, space) = of.register;
        let binding = *places.entry(of.register).or_insert_with(|| {
            let shift = CLASSES.iter().find(|(name, _)| *name == class).map_or(0, |(_, shift)| *shift);
            let mut binding = number.saturating_add(shift);
            while used.contains_key(&(space, binding)) && binding < u32::MAX {
                binding += 1;
            }
            used.insert((space, binding), ());
            let place = if space == 0 { binding.to_string() } else { format!("{binding} of set {space}") };
            shown.push(format!("{class}{number} = {place}"));
            binding
        });
        let attribute = format!("[[vk::binding({binding}, {space})]] ");
        let first = code[of.start];
        match before == Some(of.start) {
            false => out[first].insert_str(0, &attribute),
            // Another variable of the same declaration.
            true => separate(&all, &code, &mut out, of, &attribute),
        }
        before = Some(of.start);
    }
    let note = format!(
        "registers are bindings, of which those of t begin at 100, s at 200, u at 300, and spaces are sets: {}",
        shown.join(", ")
    );
    (out.concat(), Some(note))
}

/// The registers in order, and the places that the source states by `vk::binding`: set and binding.
fn registers(all: &[Token<'_>], code: &[usize]) -> (Vec<Found>, BTreeMap<(u32, u32), ()>) {
    let (mut found, mut used) = (Vec::new(), BTreeMap::new());
    let word = |at: usize| code.get(at).map_or("", |&token| all[token].text);
    let (mut start, mut is_bound) = (0, false);
    for at in 0..code.len() {
        match word(at) {
            ";" | "{" | "}" => (start, is_bound) = (at + 1, false),
            "binding" if at >= 3 && word(at - 3) == "vk" && word(at + 1) == "(" => {
                let set = if word(at + 3) == "," { word(at + 4) } else { "0" };
                if let (Ok(binding), Ok(set)) = (word(at + 2).parse(), set.parse()) {
                    used.insert((set, binding), ());
                }
                is_bound = true;
            }
            "register" if at > 0 && word(at - 1) == ":" && word(at + 1) == "(" && !is_bound => {
                let end = (at + 2..code.len()).find(|&at| word(at) == ")").unwrap_or(code.len());
                let arguments: Vec<&str> = (at + 2..end).map(word).filter(|word| *word != ",").collect();
                found.extend(register(&arguments).map(|register| Found { register, at, start }));
            }
            _ => {}
        }
    }
    (found, used)
}

/// `t3`, with a space or a profile.
fn register(arguments: &[&str]) -> Option<Register> {
    let numbered = |word: &str, prefix: &str| word.strip_prefix(prefix)?.parse::<u32>().ok();
    let mut space = 0;
    let mut found = None;
    for argument in arguments {
        let argument = argument.to_ascii_lowercase();
        if let Some(number) = numbered(&argument, "space") {
            space = number;
        } else if found.is_none() {
            found = CLASSES
                .iter()
                .find_map(|(class, _)| Some((*class, numbered(&argument, &class.to_string())?)));
        }
    }
    found.map(|(class, number)| (class, number, space))
}

/// Begins another declaration before a further variable: `Texture2D a : register(t0), b : register(t1);`.
fn separate(all: &[Token<'_>], code: &[usize], out: &mut [String], of: &Found, attribute: &str) {
    let word = |at: usize| all[code[at]].text;
    let Some(comma) = (of.start..of.at).rev().find(|&at| word(at) == ",") else { return };
    // The type ends before the name, which a bracket or a colon follows.
    let Some(after) = (of.start..of.at).find(|&at| matches!(word(at), ":") && word(at + 1) == "register")
    else {
        return;
    };
    let name = (of.start..after).find(|&at| word(at) == "[").unwrap_or(after).saturating_sub(1);
    let of_type: Vec<&str> = (of.start..name).map(word).collect();
    out[code[comma]] = format!("; {attribute}{}", of_type.join(" "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_each_class_have_numbers_of_their_own() {
        for (text, wanted) in [
            (
                "cbuffer A : register(b0) { float x; };\nTexture2D t : register(t0);\nSamplerState s: register( S0 , space2 );",
                "[[vk::binding(0, 0)]] cbuffer A : register(b0) { float x; };\n[[vk::binding(100, 0)]] Texture2D t : register(t0);\n[[vk::binding(200, 2)]] SamplerState s: register( S0 , space2 );",
            ),
            ("RWBuffer<uint> u : register(u3);", "[[vk::binding(303, 0)]] RWBuffer<uint> u : register(u3);"),
            (
                "Texture2D<float4> a : register(t0), b : register(t1);",
                "[[vk::binding(100, 0)]] Texture2D<float4> a : register(t0); [[vk::binding(101, 0)]] Texture2D < float4 > b : register(t1);",
            ),
            (
                "[[vk::binding(100)]] Texture2D a : register(t0); Texture2D b : register(t0);",
                "[[vk::binding(100)]] Texture2D a : register(t0); [[vk::binding(101, 0)]] Texture2D b : register(t0);",
            ),
            (
                "SamplerState s : register(ps, s1);",
                "[[vk::binding(201, 0)]] SamplerState s : register(ps, s1);",
            ),
            (
                "Texture2D far : register(t100); SamplerState s : register(s0);",
                "[[vk::binding(200, 0)]] Texture2D far : register(t100); [[vk::binding(201, 0)]] SamplerState s : register(s0);",
            ),
        ] {
            assert_eq!(placed(text).0, wanted);
        }
    }

    #[test]
    fn other_registers_stay_and_a_note_lists_the_places() {
        for text in [
            "float4 c : register(c0);",
            "// : register(t0)\n",
            "int register;",
            ": register(",
            "register",
            "",
        ] {
            assert_eq!(placed(text), (text.to_owned(), None));
        }
        let (_, note) = placed(
            "cbuffer A : register(b0) {} Texture2D t : register(t1, space3); Texture2D u : register(t1, space3);",
        );
        assert!(note.is_some_and(|note| note.ends_with(": b0 = 0, t1 = 101 of set 3")));
    }
}
