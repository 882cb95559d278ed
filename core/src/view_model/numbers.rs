//! Numbers of anchors: one for each, for the lifetime of a session.
//!
//! Every token of every text needs one, so values, blocks and nodes are looked up by index and not by hash.
//! Numbers are never reused, and their order has no meaning.

use crate::base::EntityId;
use crate::ir::{Anchor, Func};
use rustc_hash::FxHashMap;

/// Numbers of anchors, from 0 in the order of first use.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    anchors: Vec<Anchor>,
    inside: Inside,
    /// Anchors other than values, blocks and nodes.
    others: FxHashMap<Anchor, u32>,
}

impl Numbers {
    /// The number of an anchor; a new one on first use.
    pub(super) fn number(&mut self, anchor: Anchor) -> u32 {
        let slot = match anchor {
            Anchor::Inst(func, inst) => self.inside.of(func).insts.slot(inst.index()),
            Anchor::Block(func, block) => self.inside.of(func).blocks.slot(block.index()),
            Anchor::Node(func, node) => self.inside.of(func).nodes.slot(node.index()),
            Anchor::Module
            | Anchor::Struct(_)
            | Anchor::Member(..)
            | Anchor::Global(_)
            | Anchor::Var(_)
            | Anchor::Entry(_)
            | Anchor::Func(_)
            | Anchor::Reg(..)
            | Anchor::Arg(..)
            | Anchor::Terminator(..)
            | Anchor::TerminatorArg(..)
            | Anchor::Span(..)
            | Anchor::Word(_) => self.others.entry(anchor).or_insert(VACANT),
        };
        if *slot == VACANT {
            *slot = self.anchors.len() as u32;
            self.anchors.push(anchor);
        }
        *slot
    }

    /// The anchor with a number.
    pub(super) fn anchor(&self, number: u32) -> Option<Anchor> {
        self.anchors.get(number as usize).copied()
    }
}

/// Ids of stored anchors are smaller: a damaged one must not fill the memory.
const MOST: u32 = 1 << 24;

/// Four words that identify an anchor in equal inputs, for the storage of a view: its kind, then its ids.
pub(super) fn words(anchor: Anchor) -> [u32; 4] {
    let of = |kind: u32, first: usize, second: usize| [kind, first as u32, second as u32, 0];
    match anchor {
        Anchor::Module => [1, 0, 0, 0],
        Anchor::Struct(id) => of(2, id.index(), 0),
        Anchor::Member(id, member) => of(3, id.index(), member as usize),
        Anchor::Global(id) => of(4, id.index(), 0),
        Anchor::Var(id) => of(5, id.index(), 0),
        Anchor::Entry(at) => [6, at, 0, 0],
        Anchor::Func(func) => of(7, func.index(), 0),
        Anchor::Reg(func, reg) => of(8, func.index(), reg.index()),
        Anchor::Inst(func, inst) => of(9, func.index(), inst.index()),
        Anchor::Arg(func, inst, at) => [10, func.index() as u32, inst.index() as u32, at],
        Anchor::Block(func, block) => of(11, func.index(), block.index()),
        Anchor::Terminator(func, block) => of(12, func.index(), block.index()),
        Anchor::TerminatorArg(func, block, at) => [13, func.index() as u32, block.index() as u32, at],
        Anchor::Node(func, node) => of(14, func.index(), node.index()),
        Anchor::Span(start, length) => [15, start, length, 0],
        Anchor::Word(word) => [16, word, 0, 0],
    }
}

/// The anchor of [`words`]; the module for words that are none.
pub(super) fn from_words([kind, first, second, third]: [u32; 4]) -> Anchor {
    if first >= MOST || second >= MOST {
        return Anchor::Module;
    }
    fn id<E: EntityId>(word: u32) -> E {
        E::from_index(word as usize)
    }
    match kind {
        2 => Anchor::Struct(id(first)),
        3 => Anchor::Member(id(first), second),
        4 => Anchor::Global(id(first)),
        5 => Anchor::Var(id(first)),
        6 => Anchor::Entry(first),
        7 => Anchor::Func(id(first)),
        8 => Anchor::Reg(id(first), id(second)),
        9 => Anchor::Inst(id(first), id(second)),
        10 => Anchor::Arg(id(first), id(second), third),
        11 => Anchor::Block(id(first), id(second)),
        12 => Anchor::Terminator(id(first), id(second)),
        13 => Anchor::TerminatorArg(id(first), id(second), third),
        14 => Anchor::Node(id(first), id(second)),
        15 => Anchor::Span(first, second),
        16 => Anchor::Word(first),
        _ => Anchor::Module,
    }
}

/// Marks an id without a number.
const VACANT: u32 = u32::MAX;

/// Anchors in functions. A text looks up one function many times in a row.
#[derive(Debug, Default)]
struct Inside {
    tables: Vec<Tables>,
    of: FxHashMap<Func, usize>,
    last: Option<(Func, usize)>,
}

#[derive(Debug, Default)]
struct Tables {
    insts: Sparse,
    blocks: Sparse,
    nodes: Sparse,
}

impl Inside {
    #[inline(always)]
    fn of(&mut self, func: Func) -> &mut Tables {
        let at = match self.last {
            Some((last, at)) if last == func => at,
            _ => {
                let at = *self.of.entry(func).or_insert_with(|| {
                    self.tables.push(Tables::default());
                    self.tables.len() - 1
                });
                self.last = Some((func, at));
                at
            }
        };
        &mut self.tables[at]
    }
}

/// Ids that share a page.
const PAGE: usize = 64;

/// Numbers by id. A page costs 256 bytes, and sparse ids cost 4 bytes for each page between them.
#[derive(Debug, Default)]
struct Sparse {
    pages: Vec<u32>,
    slots: Vec<u32>,
}

impl Sparse {
    #[inline(always)]
    fn slot(&mut self, index: usize) -> &mut u32 {
        let page = index / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, VACANT);
        }
        if self.pages[page] == VACANT {
            self.pages[page] = (self.slots.len() / PAGE) as u32;
            self.slots.resize(self.slots.len() + PAGE, VACANT);
        }
        &mut self.slots[self.pages[page] as usize * PAGE + index % PAGE]
    }
}

/// Views that are stored and shown again by another session.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, Inst, Node};

    #[test]
    fn numbers_count_up_and_lead_back() {
        let mut numbers = Numbers::default();
        let [f, g] = [0, 70_000].map(Func::from_index);
        let mut anchors = vec![Anchor::Module, Anchor::Func(f), Anchor::Arg(f, Inst::from_index(0), 0)];
        for func in [f, g, f] {
            for at in [0, 1, 63, 64, 65, 16_777_214] {
                let inside = [
                    Anchor::Inst(func, Inst::from_index(at)),
                    Anchor::Block(func, Block::from_index(at)),
                    Anchor::Node(func, Node::from_index(at)),
                ];
                if !anchors.contains(&inside[0]) {
                    anchors.extend(inside);
                }
            }
        }
        for (at, &anchor) in anchors.iter().enumerate() {
            assert_eq!(numbers.number(anchor), at as u32);
        }
        for (at, &anchor) in anchors.iter().enumerate().rev() {
            assert_eq!(numbers.number(anchor), at as u32);
            assert_eq!(numbers.anchor(at as u32), Some(anchor));
        }
        assert_eq!((anchors.len(), numbers.anchor(39)), (39, None));
    }
}
