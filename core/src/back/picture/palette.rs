//! The colors of text in files that need no script: those of the page, in both themes.
//!
//! One table from the class of a token to its color, which pages write as `color` and pictures as `fill`.

use std::fmt::Write;

/// Style of a root element: the colors of the light theme, and of the dark one where the reader prefers it.
pub(super) fn colors(root: &str) -> String {
    format!(
        "{root}{{color-scheme:light dark;--ground:#fcfcfb;--box:#f3f2ef;--rule:#c9c6c0;--text:#22252a;--dim:#5c6067;\
         --op:#9a4520;--key:#2f4db8;\n--flow:#9b1fa0;--type:#0f6592;--num:#80570a;--str:#a83232;--attr:#2c6e2c;--new:#2f7d3218}}\n\
         @media(prefers-color-scheme:dark){{{root}{{--ground:#16181a;--box:#1d2023;--rule:#3d4248;--text:#dbd8d6;--dim:#9a9894;\n\
         --op:#e0926f;--key:#7f9cf0;--flow:#e07be0;--type:#6fb8e0;--num:#dcae5c;--str:#e58a8a;--attr:#74c274;--new:#7fd08a22}}}}\n"
    )
}

/// The color of the tokens of a class; those without a row have the color of the text.
const TOKENS: [(&str, &str); 9] = [
    (".keyword,.node", "flow"),
    (".op,.raw", "op"),
    (".qptr,.block", "key"),
    (".type", "type"),
    (".number", "num"),
    (".text,.error", "str"),
    (".flag,.attr", "attr"),
    (".punct,.note", "dim"),
    (".name", "text"),
];

/// The rules of the classes of tokens, for the property that colors text: `color`, or `fill` in a picture.
pub(super) fn tokens(property: &str) -> String {
    let mut rules = String::new();
    for (classes, color) in TOKENS {
        let _ = write!(rules, "{classes}{{{property}:var(--{color})}}");
    }
    rules + ".name,.block{font-weight:600}"
}
