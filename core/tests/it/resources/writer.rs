//! The text of a random shader under construction: values, branches, and the result words of an invocation.
//!
//! Contains no operations except those needed for that.

use std::fmt::Write;
use vitrine_core::base::random::Random;

/// The row of the result buffer that belongs to an invocation.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The value that holds the index of its first word.
    pub(super) first: usize,
    /// The path to all words.
    pub(super) words: usize,
    /// The number of words in a row.
    pub(super) length: usize,
}

/// The text of a shader so far.
pub(super) struct ShaderWriter<'r> {
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

impl<'r> ShaderWriter<'r> {
    /// A shader that begins with this text; value numbers from `next` are free.
    pub(super) fn new(random: &'r mut Random, text: String, next: usize, row: Row) -> ShaderWriter<'r> {
        ShaderWriter { random, text, next, block: 1, node: 0, row, written: 0 }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) {
        writeln!(self.text, "  {text}").expect("a string accepts writes");
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

    /// A random number below a limit.
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

    /// Begins a branch and its first arm; returns the block number of the arm.
    pub(super) fn choose(&mut self, cond: usize) -> usize {
        let block = self.block;
        self.line(&format!("if !{} %{cond} {{", self.node));
        self.node += 1;
        self.block += 3;
        writeln!(self.text, "  ^{block}:").expect("a string accepts writes");
        block
    }

    /// Ends the first arm and begins the second.
    pub(super) fn otherwise(&mut self, block: usize) {
        self.line("} else {");
        writeln!(self.text, "  ^{}:", block + 1).expect("a string accepts writes");
    }

    /// Ends a branch; the block after it has these parameters.
    pub(super) fn join(&mut self, block: usize, params: &str) {
        self.line("}");
        writeln!(self.text, "^{}{params}:", block + 2).expect("a string accepts writes");
    }
}
