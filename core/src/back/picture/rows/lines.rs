//! A printed part of a module, line by line: the key of each line, and its tokens.
//!
//! The key of a line is its definition. A line that defines nothing is identified by its owner and by its
//! words: a terminator belongs to its block, a brace to the node or function it closes. Links are kept as
//! anchors; numbers are assigned only to visible ones.

use crate::ir::{Anchor, Func, Module};
use crate::text::{Class, Fold, Link, Options, Printer, Sink};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Deepest level that is indented, as everywhere in the text.
const MOST_INDENT: usize = 32;

/// The identity of a line. Two lines of one part never have the same key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Its definition, or its owner.
    pub about: Option<Anchor>,
    /// A hash of its words; 0 if it defines something.
    pub words: u64,
    /// The number among lines that are equal otherwise, from 0: only invalid programs define something twice.
    pub times: u32,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its first byte.
    pub start: u32,
    /// Its first token.
    pub run: u32,
    /// Its key.
    pub key: Key,
    /// The block, structure or function that contains it; a block's first line is contained in the block.
    pub owner: Option<Anchor>,
}

/// A token with a class or a link.
#[derive(Clone, Copy, Debug)]
pub struct StyledRange {
    /// Its first byte in the text of the part.
    pub start: u32,
    /// Its length in bytes.
    pub len: u32,
    /// Its class.
    pub class: Class,
    /// Its link.
    pub link: Link,
}

/// A part of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// The declarations before the functions.
    Head,
    /// A function.
    Func(Func),
    /// The declarations after the functions.
    Tail,
}

/// A part of a version as text.
#[derive(Debug, Default)]
pub struct Part {
    /// The characters; lines end with `\n`.
    pub text: String,
    /// Tokens in order.
    pub ranges: Vec<StyledRange>,
    /// Lines in order.
    pub lines: Vec<Line>,
}

impl Part {
    /// Prints a part. Linear in its text.
    pub fn print(module: &Module, slot: Slot) -> Part {
        let mut out = Printing::default();
        let mut printer = Printer::to_any(module, Options::default(), &mut out);
        match slot {
            Slot::Head => printer.head(),
            Slot::Tail => printer.tail(),
            Slot::Func(func) => {
                if let Some(body) = module.func(func) {
                    printer.function(func, body);
                }
            }
        }
        out.part
    }

    /// The characters of a line, without its indentation and its end.
    pub fn words(&self, line: usize) -> &str {
        self.line(line).trim_start_matches(' ')
    }

    /// The characters of a line without its end.
    pub fn line(&self, line: usize) -> &str {
        let start = self.lines.get(line).map_or(0, |line| line.start as usize);
        let end = self.lines.get(line + 1).map_or(self.text.len(), |next| next.start as usize);
        self.text.get(start..end).unwrap_or("").trim_end_matches('\n')
    }

    /// The tokens of a line.
    pub fn ranges_of(&self, line: usize) -> &[StyledRange] {
        let start = self.lines.get(line).map_or(0, |line| line.run as usize);
        let end = self.lines.get(line + 1).map_or(self.ranges.len(), |next| next.run as usize);
        self.ranges.get(start..end).unwrap_or(&[])
    }

    /// The line that defines an anchor.
    pub fn definition(&self, anchor: Anchor) -> Option<usize> {
        let at = self.ranges.iter().position(|run| run.link == Link::Def(anchor))?;
        self.lines.partition_point(|line| line.run as usize <= at).checked_sub(1)
    }
}

/// Collects a part token by token.
#[derive(Default)]
struct Printing {
    part: Part,
    /// The definition on the current line.
    defines: Option<Anchor>,
    depth: usize,
    /// The owner of lines without a definition, and its depth.
    under: Option<(Anchor, usize)>,
    /// Open nodes and functions.
    open: Vec<Option<Anchor>>,
    /// The anchor that the next line closes.
    closed: Option<Anchor>,
    seen: FxHashMap<(Option<Anchor>, u64), u32>,
}

impl Printing {
    /// The owner of a line that defines nothing. A line deeper than its block belongs to the block; otherwise
    /// it is one of the lines between the regions of the enclosing node.
    fn belongs(&self) -> Option<Anchor> {
        let around = self.open.last().copied().flatten();
        match self.under {
            _ if self.closed.is_some() => self.closed,
            Some((under, depth)) if self.depth > depth || around.is_none() => Some(under),
            Some(_) | None => around,
        }
    }
}

impl Sink for Printing {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        if let Link::Def(anchor) = link {
            self.defines.get_or_insert(anchor);
        }
        if class != Class::Plain || link != Link::None {
            let (start, len) = (self.part.text.len() as u32, text.len() as u32);
            self.part.ranges.push(StyledRange { start, len, class, link });
        }
        self.part.text.push_str(text);
    }

    fn open_line(&mut self, depth: usize) {
        let (start, run) = (self.part.text.len() as u32, self.part.ranges.len() as u32);
        let key = Key { about: None, words: 0, times: 0 };
        self.part.lines.push(Line { start, run, key, owner: None });
        self.part.text.extend(std::iter::repeat_n("  ", depth.min(MOST_INDENT)));
        self.defines = None;
        self.depth = depth;
    }

    fn close_line(&mut self) {
        let last = self.part.lines.len().saturating_sub(1);
        let (about, words) = match self.defines {
            Some(anchor) => {
                if matches!(anchor, Anchor::Block(..) | Anchor::Func(_) | Anchor::Struct(_)) {
                    self.under = Some((anchor, self.depth));
                }
                (Some(anchor), 0)
            }
            None => {
                let mut hasher = FxHasher::default();
                hasher.write(self.part.words(last).as_bytes());
                // Never the key of a definition.
                (self.belongs(), hasher.finish() | 1)
            }
        };
        let times = self.seen.entry((about, words)).or_insert(0);
        let key = Key { about, words, times: *times };
        *times += 1;
        self.closed = None;
        let owner = self.under.map(|(under, _)| under);
        if let Some(line) = self.part.lines.last_mut() {
            (line.key, line.owner) = (key, owner);
        }
        self.part.text.push('\n');
    }

    fn fold(&mut self, at: Fold) {
        match at {
            Fold::Open => self.open.push(self.defines),
            Fold::Close => self.closed = self.open.pop().flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print_func};

    const TEXT: &str = "func @0(%0: b1) tree {\n^0:\n  if !0 %0 {\n  ^1:\n    next\n  } else {\n  ^2:\n    next\n  }\n^3:\n  return\n}\n";

    #[test]
    fn braces_belong_to_nodes_and_exits_to_blocks() {
        let module = parse(TEXT).module;
        let func = module.funcs().next().map(|(func, _)| func).unwrap();
        let part = Part::print(&module, Slot::Func(func));
        assert_eq!(part.text, print_func(&module, func));
        let about = |line: usize| match part.lines[line].key.about {
            Some(Anchor::Block(_, block)) => block.to_string(),
            Some(Anchor::Node(_, node)) => node.to_string(),
            Some(Anchor::Func(func)) => func.to_string(),
            other => format!("{other:?}"),
        };
        let owners: Vec<String> = (0..part.lines.len()).map(about).collect();
        assert_eq!(owners, ["@0", "^0", "!0", "^1", "^1", "!0", "^2", "^2", "!0", "^3", "^3", "@0"]);
        let keys: std::collections::HashSet<Key> = part.lines.iter().map(|line| line.key).collect();
        assert_eq!(keys.len(), part.lines.len());
        assert_eq!((part.words(4), part.line(4)), ("next", "    next"));
    }
}
