//! Names and other texts, plain ones and ones that are hard to print.

use super::rng::Rng;

const PLAIN: &[&str] =
    &["color", "sum", "i", "_", "x_1", "main", "b32", "const", "func", "next", "tree", "A9_"];

const ODD: &[&str] = &[
    "",
    " ",
    "12",
    "%4",
    "$x_3",
    "^0:",
    "a b",
    "say \"hi\"",
    "back\\slash",
    "\\",
    "\"",
    "line\nbreak",
    "tab\tand\rreturn",
    "nul\0",
    "\u{7f}\u{85}\u{2028}\u{2029}",
    "größe",
    "名前",
    "🦀",
    "; why: not",
    "---- after",
    "{}",
    "\\u{41}",
    "x\u{301}",
    "\u{202e}right to left",
    "\u{feff}",
];

/// A name: mostly plain.
pub(crate) fn name(rng: &mut Rng) -> &'static str {
    let list = if rng.one_in(4) { ODD } else { PLAIN };
    list[rng.below(list.len())]
}

/// Any text.
pub(crate) fn text(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => (*rng.pick(ODD)).to_owned(),
        1 => (*rng.pick(PLAIN)).to_owned(),
        _ => (0..rng.below(6)).map(|_| *rng.pick(ODD)).collect(),
    }
}
