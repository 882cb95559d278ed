//! Positions of the parts of a program in the text of its input, and their identity in a text that was written.
//!
//! A value keeps the SPIR-V instruction it was read from, however often it was rewritten since; variables,
//! functions and blocks keep their ids. In IR text the parser records the position of each definition. In a source, an instruction
//! has the position of its line.
//!
//! Refuses to guess: an instruction inserted by a pass without an origin has no position.

use super::linked::{Linked, Numbers};
use crate::base::{pair, sort_by_number};
use crate::ir::{Anchor, FactKey, Func, FuncBody, Inst, Module, Origin, Text};
use crate::text::{Class, Fold, Link, Sink, SourceMap};
use rustc_hash::FxHashMap;
use vitrine_protocol::Table;
use vitrine_protocol::layout::OriginEntry;

/// The positions of an input.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// Instructions of SPIR-V: word offset, first byte and length of their text; sorted.
    words: Vec<(u32, u32, u32)>,
    /// The anchors of declarations.
    homes: FxHashMap<Anchor, u32>,
    /// For IR text.
    map: Option<SourceMap>,
    /// For a source.
    source: Option<SourceLines>,
}

/// The lines of a source.
#[derive(Debug)]
struct SourceLines {
    /// Its file in the debug information.
    file: Option<Text>,
    /// The first byte and the length of each line without its indent.
    places: Vec<(u32, u32)>,
}

impl Origins {
    /// Of a SPIR-V text.
    pub(super) fn of_words(words: Vec<(u32, u32, u32)>, homes: Vec<(u32, Anchor)>) -> Origins {
        let homes = homes.into_iter().map(|(word, anchor)| (anchor, word)).collect();
        Origins { words, homes, ..Origins::default() }
    }

    /// Of a source whose program is `module`. Lines of included files have no position.
    pub(super) fn of_source(text: &str, module: &Module) -> Origins {
        let file = module.facts.iter().find(|fact| fact.key == FactKey::File).map(|fact| fact.value);
        Origins { source: Some(SourceLines { file, places: lines(text) }), ..Origins::default() }
    }

    /// The same, of an edited source whose program is still the last one.
    pub(super) fn in_text(self, text: &str) -> Origins {
        let source = self.source.map(|of| SourceLines { places: lines(text), ..of });
        Origins { source, ..self }
    }

    /// Of an IR text.
    pub(super) fn of_ir(map: SourceMap) -> Origins {
        Origins { map: Some(map), ..Origins::default() }
    }

    /// The text of the instruction that contains a word: first byte and length.
    pub(super) fn of_word(&self, word: u32) -> Option<(u32, u32)> {
        let next = self.words.partition_point(|&(first, ..)| first <= word);
        let &(_, start, len) = self.words.get(next.checked_sub(1)?)?;
        Some((start, len))
    }

    /// Words of the instruction that contains a word: the first, and the end if another instruction follows.
    pub(super) fn range(&self, word: u32) -> (u32, Option<u32>) {
        let next = self.words.partition_point(|&(first, ..)| first <= word);
        let first = next.checked_sub(1).and_then(|at| self.words.get(at)).map_or(word, |inst| inst.0);
        (first, self.words.get(next).map(|inst| inst.0))
    }

    /// The position in the input of an anchor of a version. `origin` is that of a value.
    pub(super) fn place(&self, anchor: Anchor, origin: Origin) -> Option<(u32, u32)> {
        if let Some(map) = &self.map {
            return map.place(anchor).map(|place| (place.start, place.len));
        }
        if let Some(SourceLines { file, places }) = &self.source {
            let is_here = file.is_none() || origin.file.is_none() || origin.file == *file;
            return places.get(origin.line.checked_sub(1).filter(|_| is_here)? as usize).copied();
        }
        self.of_word(origin.word_offset.or_else(|| self.homes.get(&anchor).copied())?)
    }

    /// The positions of all anchors of a version, sorted by position. Of those of one line of a source, the
    /// last one comes first: it has the result of the line.
    pub(super) fn ties(&self, version: &Module, numbers: &mut Numbers) -> Table<OriginEntry> {
        let mut found: Vec<OriginEntry> = Vec::new();
        let mut tie = |anchor, origin| {
            let place = self.place(anchor, origin);
            found.extend(place.map(|(start, len)| OriginEntry { id: numbers.number(anchor), start, len }));
        };
        for (var, _) in version.vars() {
            tie(Anchor::Var(var), Origin::default());
        }
        for (global, _) in version.globals() {
            tie(Anchor::Global(global), Origin::default());
        }
        for (id, _) in version.structs() {
            tie(Anchor::Struct(id), Origin::default());
        }
        for (func, body) in version.funcs() {
            tie(Anchor::Func(func), Origin::default());
            for_each_thing(func, body, &mut tie);
        }
        match self.source {
            Some(_) => found.reverse(),
            None => sort_by_number(&mut found, |of| of.id.into()),
        }
        sort_by_number(&mut found, |of| pair(of.start, of.len));
        Table::of_all(found)
    }
}

/// The first byte and the length of each line without its indent.
fn lines(text: &str) -> Vec<(u32, u32)> {
    let start = |line: &str| line.trim_start().as_ptr() as usize - text.as_ptr() as usize;
    text.split('\n').map(|line| (start(line) as u32, line.trim().len() as u32)).collect()
}

/// Blocks, nodes, parameters and instructions of a function.
fn for_each_thing(func: Func, body: &FuncBody, mut each: impl FnMut(Anchor, Origin)) {
    let mut value = |inst: Inst| each(Anchor::Inst(func, inst), body.origin(inst));
    body.params().iter().for_each(|&param| value(param));
    let blocks = body.blocks_in_order();
    for &block in &blocks {
        let data = body.block(block);
        data.params.iter().chain(data.insts.iter()).for_each(|&inst| value(inst));
    }
    for block in blocks {
        each(Anchor::Block(func, block), Origin::default());
    }
    for (reg, _) in body.regs() {
        each(Anchor::Reg(func, reg), Origin::default());
    }
    for step in crate::ir::TreeWalk::new(body) {
        match step {
            crate::ir::TreeStep::Enter(node) => each(Anchor::Node(func, node), Origin::default()),
            crate::ir::TreeStep::Block(_) | crate::ir::TreeStep::Open(..) | crate::ir::TreeStep::Leave(_) => {
            }
        }
    }
}

/// Distinguishes words of one version from those of another, and from those of the input. Every other anchor
/// in the output of a back end is the same in all versions.
pub(super) struct OfVersion<'n> {
    /// The version.
    pub(super) version: u32,
    /// The text.
    pub(super) out: Linked<'n>,
}

impl OfVersion<'_> {
    fn part(&self, anchor: Anchor) -> Anchor {
        match anchor {
            Anchor::Word(word) => Anchor::Span(self.version, word),
            other => other,
        }
    }
}

impl Sink for OfVersion<'_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let link = match link {
            Link::None => Link::None,
            Link::Def(anchor) => Link::Def(self.part(anchor)),
            Link::Use(anchor) => Link::Use(self.part(anchor)),
        };
        self.out.put(class, text, link);
    }

    fn open_line(&mut self, depth: usize) {
        self.out.open_line(depth);
    }

    fn close_line(&mut self) {
        self.out.close_line();
    }

    fn fold(&mut self, at: Fold) {
        self.out.fold(at);
    }
}
