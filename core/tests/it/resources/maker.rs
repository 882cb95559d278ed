//! The text of a random shader under construction: values, choices, and the words that an invocation writes to its row.
//!
//! Knows no operation but the few it needs for that.

use crate::testing::numbers::Random;
use std::fmt::Write;

/// The place in the result buffer that belongs to one invocation.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The value with the index of its first word.
    pub(super) first: usize,
    /// The path to all words.
    pub(super) words: usize,
    /// The number of words in a row.
    pub(super) length: usize,
}

/// Text of a shader, up to where it is written.
pub(super) struct Maker<'r> {
    pub(super) random: &'r mut Random,
    pub(super) text: String,
    /// The next value, block and node.
    next: usize,
    block: usize,
    node: usize,
    row: Row,
    /// Words of the row that were written.
    pub(super) written: usize,
}

impl<'r> Maker<'r> {
    /// A shader that begins with this text; values from `next` on are free.
    pub(super) fn new(random: &'r mut Random, text: String, next: usize, row: Row) -> Maker<'r> {
        Maker { random, text, next, block: 1, node: 0, row, written: 0 }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) {
        writeln!(self.text, "  {text}").expect("a string grows");
    }

    /// Adds an instruction, and returns its value.
    pub(super) fn add(&mut self, ty: &str, text: &str) -> usize {
        let at = self.fresh();
        self.line(&format!("%{at}: {ty} = {text}"));
        at
    }

    /// The number of a new value.
    pub(super) fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// Writes a value to the next word of the row, if there is room.
    pub(super) fn keep(&mut self, value: usize) {
        if self.written >= self.row.length {
            return;
        }
        let Row { first, words, .. } = self.row;
        let word = self.written;
        self.written += 1 + usize::from(self.below(5) == 0);
        let at = self.add("b32", &format!("const {word}"));
        let at = self.add("b32", &format!("iadd %{first}, %{at}"));
        let path = self.add("path", &format!("deref.elem %{words}, %{at}"));
        self.line(&format!("store %{path}, %{value}"));
    }

    /// Begins a selection and its first arm; returns the number of the arm's block.
    pub(super) fn choose(&mut self, cond: usize) -> usize {
        let block = self.block;
        self.line(&format!("if !{} %{cond} {{", self.node));
        self.node += 1;
        self.block += 3;
        writeln!(self.text, "  ^{block}:").expect("a string grows");
        block
    }

    /// Ends the first arm and begins the second.
    pub(super) fn otherwise(&mut self, block: usize) {
        self.line("} else {");
        writeln!(self.text, "  ^{}:", block + 1).expect("a string grows");
    }

    /// Ends a selection; the block after it has these parameters.
    pub(super) fn join(&mut self, block: usize, params: &str) {
        self.line("}");
        writeln!(self.text, "^{}{params}:", block + 2).expect("a string grows");
    }
}
