//! The pointers of a function that merge several pointers, and their sources.
//!
//! ```text
//! ^0: next(%a + 4)    ^1: next(%b)           merge %p: from the start %a and 4 bytes, from the start %b
//! ^2(%p: ptr):                               merge %q: from the merge %p and 8 bytes, from the start %a
//!   %q: ptr = choose %c, %p + 8, %a          one group, since %q counts from %p
//! ```
//!
//! Ignores types. Unreachable code contributes no sources.

use super::Merges;
use crate::util::ptr_shape::Start;
use crate::util::ptr_shape::{has_address, is_legal};
use vitrine_analysis::{Address, Addresses, Analyses, Cfg, Term};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, PtrOp, ValueType};
use vitrine_ir::{Block, Editor, Incoming, Inst, Mode, Terminator, Type, Use};

/// A pointer that merges several pointers.
pub(super) struct Merge {
    pub(super) value: Inst,
    /// The block and the index of the parameter; none for a select.
    pub(super) param: Option<(Block, usize)>,
    pub(super) sources: Vec<Source>,
    /// The declared pointee type.
    pub(super) declared: Option<Type>,
}

/// A pointer that flows into a merge.
pub(super) struct Source {
    pub(super) edge: Option<Incoming>,
    pub(super) from: Origin,
    pub(super) offset: i64,
    pub(super) terms: Vec<Term>,
}

/// The base of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Start(Start),
    /// Another merge, by index.
    Merge(usize),
    /// Undefined: any value is valid.
    Nothing,
}

/// The merges of a function.
pub(super) struct Found {
    pub(super) addresses: Addresses,
    pub(super) merges: Vec<Merge>,
    of: SideTable<Inst, Option<usize>>,
}

impl Found {
    /// Collects the merges to replace; none if there are none.
    pub(super) fn of(ed: &Editor<'_>, merges: Merges, analyses: &mut Analyses) -> Option<Found> {
        let (module, body) = (ed.module(), ed.func());
        let cfg = analyses.get::<Cfg>(module, ed.id());
        let mut values: Vec<(Inst, Option<(Block, usize)>)> = Vec::new();
        for &block in cfg.rpo() {
            let data = body.block(block);
            let params = data.params.iter().enumerate();
            values.extend(params.map(|(at, &param)| (param, Some((block, at)))));
            let chosen = |inst: &&Inst| body.inst(**inst).op == Op::Basic(BasicOp::Choose);
            values.extend(data.insts.iter().filter(chosen).map(|&inst| (inst, None)));
        }
        values.retain(|&(value, _)| {
            let mode = body.inst(value).attrs.word::<Mode>();
            let is_kept = match merges {
                Merges::Spirv => is_legal(module, mode),
                Merges::All => has_address(module, mode),
            };
            body.ty(value) == ValueType::Ptr && !is_kept
        });
        if values.is_empty() {
            return None;
        }
        let addresses = Addresses::in_order(module, body, &cfg);
        let mut found = Found { addresses, merges: Vec::new(), of: SideTable::with_default(None) };
        for (at, &(value, _)) in values.iter().enumerate() {
            found.of[value] = Some(at);
        }
        for &(value, param) in &values {
            let sources = found.sources(ed, value, param);
            let declared = body.inst(value).entity(Key::Type);
            found.merges.push(Merge { value, param, sources, declared });
        }
        Some(found)
    }

    fn sources(&self, ed: &Editor<'_>, value: Inst, param: Option<(Block, usize)>) -> Vec<Source> {
        let pointers: Vec<(Option<Incoming>, Inst)> = match param {
            Some((block, at)) => ed
                .incoming(block)
                .into_iter()
                .filter_map(|edge| Some((Some(edge), *ed.edge_args(edge)?.get(at)?)))
                .collect(),
            None => ed.func().inst(value).args.iter().skip(1).map(|&arg| (None, arg)).collect(),
        };
        pointers.into_iter().map(|(edge, pointer)| self.source(ed, edge, pointer)).collect()
    }

    fn source(&self, ed: &Editor<'_>, edge: Option<Incoming>, pointer: Inst) -> Source {
        let Some(Address { base, offset, terms }) = self.addresses.get(pointer) else {
            return Source { edge, from: Origin::Start(Start::Value(pointer)), offset: 0, terms: Vec::new() };
        };
        let from = match self.of[base] {
            Some(merge) => Origin::Merge(merge),
            None if ed.func().inst(base).op == Op::Basic(BasicOp::Undef) => Origin::Nothing,
            None => Origin::Start(Start::of(ed.module(), ed.func(), base)),
        };
        Source { edge, from, offset, terms: terms.to_vec() }
    }

    /// Merges that are based on each other, each group in order.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.merges.len()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (at, merge) in self.merges.iter().enumerate() {
                for source in &merge.sources {
                    let Origin::Merge(other) = source.from else { continue };
                    let least = group[at].min(group[other]);
                    changed |= group[at] != least || group[other] != least;
                    (group[at], group[other]) = (least, least);
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); group.len()];
        for (at, &group) in group.iter().enumerate() {
            groups[group].push(at);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// Accesses based on a merge; none if it has other uses.
    pub(super) fn readers(&self, ed: &Editor<'_>, merge: Inst) -> Option<Vec<Inst>> {
        let (mut out, mut work) = (Vec::new(), vec![merge]);
        while let Some(pointer) = work.pop() {
            for place in ed.uses(pointer) {
                match place {
                    Use::Terminator(block, _) => match ed.func().terminator(block) {
                        Terminator::Return(_) => return None,
                        Terminator::Next(_)
                        | Terminator::Break(..)
                        | Terminator::Continue(..)
                        | Terminator::Goto(_)
                        | Terminator::Branch { .. }
                        | Terminator::Switch { .. }
                        | Terminator::Stop(_) => {}
                    },
                    Use::Node(_) => return None,
                    Use::Arg(inst, at) => match (ed.func().inst(inst).op, at) {
                        (Op::Ptr(PtrOp::Offset | PtrOp::DynOffset) | Op::Basic(BasicOp::Copy), 0) => {
                            work.push(inst);
                        }
                        (Op::Basic(BasicOp::Choose), 1 | 2) if self.of[inst].is_some() => {}
                        (Op::Memory(op), 0) if is_access(op) => out.push(inst),
                        _ => return None,
                    },
                }
            }
        }
        Some(out)
    }
}

fn is_access(op: MemoryOp) -> bool {
    match op {
        MemoryOp::Load
        | MemoryOp::Store
        | MemoryOp::AtomicLoad
        | MemoryOp::AtomicStore
        | MemoryOp::Atomic
        | MemoryOp::AtomicCas => true,
        MemoryOp::CopyVar | MemoryOp::CopyBytes | MemoryOp::ArrayLen => false,
    }
}
