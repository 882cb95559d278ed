//! The text of breakpoints and watch expressions, read.
//!
//! ```text
//! @main_0 ^3                  a breakpoint: stops where the chosen invocation enters the block
//! @main_0 ^3 if %12.x > 0.5   the same, only if the comparison holds
//! line 12 if i == 3           a breakpoint at a line of the source
//! %12   i   %12.x   %3 == 4   watch expressions: a value by id or name, a component, a comparison
//! ```
//!
//! Functions, blocks and values have their spelling of the IR text; a name may be left out or stand alone.
//! Refuses arithmetic: an expression is a value or one comparison of two.

use super::line::lines_with_code;
use crate::base::EntityId;
use crate::ir::{Block, Func, Module};

/// Comparisons by their spelling; longer ones first.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    (">", Comparison::Above),
    ("<", Comparison::Below),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// The place of a breakpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopPlace {
    /// The start of a block.
    Block(Func, Block),
    /// A line of the source.
    Line(u32),
}

/// A breakpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stop {
    /// As it was written.
    pub(super) text: String,
    /// Its place.
    pub(super) place: StopPlace,
    /// The comparison that must hold.
    pub(super) condition: Option<Expr>,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Expr {
    pub(super) left: Operand,
    pub(super) right: Option<(Comparison, Operand)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// A value or a variable: its name, its id, its component.
    Value { function: Option<u32>, name: String, id: Option<u32>, component: Option<usize> },
    /// A number, as it was written.
    Number(String),
}

impl Stop {
    /// Reads a breakpoint: function, block, and `if` with a comparison.
    pub(super) fn read(module: &Module, line: &str) -> Result<Stop, String> {
        let text = line.trim();
        let (place, condition) = match text.split_once(" if ") {
            Some((place, condition)) => (place, Some(condition)),
            None => (text, None),
        };
        let condition = condition.map(Expr::read).transpose()?;
        if condition.as_ref().is_some_and(|condition| condition.right.is_none()) {
            return Err("a condition is a comparison: %12 > 3".to_owned());
        }
        if let Some(line) = place.strip_prefix("line ") {
            let place = StopPlace::Line(line_with_code(module, line.trim())?);
            return Ok(Stop { text: text.to_owned(), place, condition });
        }
        let mut words = place.split_whitespace();
        let (Some(func), Some(block), None) = (words.next(), words.next(), words.next()) else {
            return Err("write a function and a block: @0 ^3, or @0 ^3 if %12 > 3".to_owned());
        };
        let (name, id) = func.strip_prefix('@').map(split).unwrap_or_default();
        let found = module.funcs().find(|(of, body)| match id {
            Some(id) => of.index() as u32 == id,
            None => body.name().is_some_and(|own| module.text_of(own) == name),
        });
        let (func, body) = found.ok_or_else(|| format!("there is no function {func} in this version"))?;
        let id = block.strip_prefix('^').and_then(|block| split(block).1);
        let found = id.and_then(|id| body.blocks_in_order().into_iter().find(|of| of.index() as u32 == id));
        let block = found.ok_or_else(|| format!("there is no block {block} in this version"))?;
        Ok(Stop { text: text.to_owned(), place: StopPlace::Block(func, block), condition })
    }
}

/// A line of the source that has instructions in this version.
fn line_with_code(module: &Module, word: &str) -> Result<u32, String> {
    let line: u32 = word.parse().map_err(|_| "write a line of the source: line 12".to_owned())?;
    let known = lines_with_code(module);
    match known.binary_search(&line) {
        Ok(_) => Ok(line),
        Err(at) => Err(match known.get(at).or(known.last()) {
            Some(near) => format!("no instruction of this version is on line {line}; line {near} has some"),
            None => "this program has no lines of a source".to_owned(),
        }),
    }
}

impl Expr {
    /// Reads an expression.
    pub(super) fn read(text: &str) -> Result<Expr, String> {
        let found = COMPARISONS
            .iter()
            .filter_map(|(sign, comparison)| Some((text.find(sign)?, *sign, *comparison)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, sign, comparison)) = found else {
            return Ok(Expr { left: Operand::read(text)?, right: None });
        };
        let right = Operand::read(&text[at + sign.len()..])?;
        Ok(Expr { left: Operand::read(&text[..at])?, right: Some((comparison, right)) })
    }
}

impl Operand {
    fn read(text: &str) -> Result<Operand, String> {
        let text = text.trim();
        let wrong = || format!("`{text}` is not a value or a number: write %12, %12.x, a name, 3, 0.5");
        let first = text.chars().next().ok_or_else(wrong)?;
        if first.is_ascii_digit() || first == '-' || matches!(text, "true" | "false") {
            return Ok(Operand::Number(text.to_owned()));
        }
        let (function, path) = match text.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((function, path)) => (Some(split(function).1.ok_or_else(wrong)?), path.trim()),
            None => (None, text),
        };
        let (base, component) = match (path.split_once('.'), path.split_once('[')) {
            (Some((base, component)), _) => (base, Some(component)),
            (None, Some((base, component))) => (base, component.strip_suffix(']')),
            (None, None) => (path, None),
        };
        let component = match component {
            Some(word) => Some(component_of(word).ok_or_else(wrong)?),
            None => None,
        };
        let (name, id) = match base.strip_prefix(['%', '$']) {
            Some(base) => split(base),
            None => (base, None),
        };
        if (name.is_empty() && id.is_none()) || base.contains(char::is_whitespace) {
            return Err(wrong());
        }
        // `$3` and `$i_3` are variables: their ids are not those of values.
        let (name, id) = if base.starts_with('$') { (base.to_owned(), None) } else { (name.to_owned(), id) };
        Ok(Operand::Value { function, name, id, component })
    }
}

/// `main_0` as name and number, either of which may be missing.
pub(super) fn split(word: &str) -> (&str, Option<u32>) {
    let name = word.trim_end_matches(|char: char| char.is_ascii_digit());
    let id = word[name.len()..].parse().ok();
    match name.strip_suffix('_') {
        Some(name) if !name.is_empty() => (name, id),
        _ if name.is_empty() => ("", id),
        _ => (word, None),
    }
}

fn component_of(word: &str) -> Option<usize> {
    match word.trim() {
        "x" | "r" | "s" => Some(0),
        "y" | "g" | "t" => Some(1),
        "z" | "b" | "p" => Some(2),
        "w" | "a" | "q" => Some(3),
        word => word.parse().ok(),
    }
}
