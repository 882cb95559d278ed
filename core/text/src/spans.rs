//! Text with one flat array: passed to the browser as a string and a typed array.

use super::sink::{Class, Link, Sink, indent};
use rustc_hash::FxHashMap;
use vitrine_ir::Anchor;

/// Words per run in [`Spans::runs`].
pub const WORDS_PER_RUN: usize = 5;

/// A text, its styled runs, and the anchors they link to.
#[derive(Default, Debug)]
pub struct Spans {
    /// The text, lines ended by `\n`.
    pub text: String,
    /// Five words per run: first byte, length in bytes, class number, link kind (0 none, 1 definition, 2
    /// use), index of the link target in `anchors` (0 if there is no link). Runs are in order and do not
    /// overlap; text outside of runs is plain.
    pub runs: Vec<u32>,
    /// First byte of every line.
    pub lines: Vec<u32>,
    /// The link targets.
    pub anchors: Vec<Anchor>,
    numbers: FxHashMap<Anchor, u32>,
}

impl Spans {
    /// An empty text.
    pub fn new() -> Spans {
        Spans::default()
    }

    fn number(&mut self, anchor: Anchor) -> u32 {
        *self.numbers.entry(anchor).or_insert_with(|| {
            self.anchors.push(anchor);
            self.anchors.len() as u32 - 1
        })
    }
}

impl Sink for Spans {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let (kind, id) = match link {
            Link::None => (0, 0),
            Link::Def(anchor) => (1, self.number(anchor)),
            Link::Use(anchor) => (2, self.number(anchor)),
        };
        if class != Class::Plain || kind != 0 {
            self.runs.extend([self.text.len() as u32, text.len() as u32, class as u32, kind, id]);
        }
        self.text.push_str(text);
    }

    fn open_line(&mut self, depth: usize) {
        self.lines.push(self.text.len() as u32);
        self.text.push_str(indent(depth));
    }

    fn close_line(&mut self) {
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::Var;
    use vitrine_ir::base::EntityId;

    #[test]
    fn runs_cover_tokens_and_share_numbers() {
        let mut out = Spans::new();
        let [a, b] = [0, 1].map(|at| Anchor::Var(Var::from_index(at)));
        out.open_line(1);
        out.put(Class::Name, "$ä_0", Link::Def(a));
        out.put(Class::Plain, " ", Link::None);
        out.put(Class::Name, "$1", Link::Use(b));
        out.put(Class::Name, "$0", Link::Use(a));
        out.close_line();
        assert_eq!(out.text, "  $ä_0 $1$0\n");
        let class = Class::Name as u32;
        assert_eq!(out.runs, [2, 5, class, 1, 0, 8, 2, class, 2, 1, 10, 2, class, 2, 0]);
        assert_eq!((out.lines, out.anchors), (vec![0], vec![a, b]));
    }
}
