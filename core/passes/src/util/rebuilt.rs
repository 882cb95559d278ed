//! A rebuilt function and its earlier version: the input of the functions that give the reasons of a pass.
//!
//! A pass that builds a new body does not observe single changes. The manager compares the two versions, and asks the pass for the
//! reason for each difference that the journal of the pass does not name: see `PassInfo::reason`. Reads only the two
//! versions. Contains no reasons: each pass gives its own.

use vitrine_ir::ops::Op;
use vitrine_ir::{Block, BlockData, Event, FuncBody, Inst, InstData, Journal, Node, NodeKind, Reason, Site};

/// Two versions of a function.
pub struct Rebuilt<'f> {
    pub before: &'f FuncBody,
    pub after: &'f FuncBody,
}

/// A change of an entity, with its data in both versions.
pub(crate) enum Change<'f> {
    /// A new instruction or block parameter.
    NewInst(&'f InstData),
    /// A removed instruction or block parameter.
    GoneInst(&'f InstData),
    /// An instruction with another operation, other operands, other attributes or another name.
    ChangedInst(&'f InstData, &'f InstData),
    /// An instruction at another position.
    MovedInst,
    /// A new block.
    NewBlock,
    /// A removed block.
    GoneBlock,
    /// A block with other parameters, another terminator or another hint.
    ChangedBlock(&'f BlockData, &'f BlockData),
    /// A block at another position.
    MovedBlock,
    /// A new node.
    NewNode(&'f NodeKind),
    /// A removed node.
    GoneNode(&'f NodeKind),
    /// A node with another operand, other arms or other attributes.
    ChangedNode,
    /// A node at another position.
    MovedNode,
}

impl<'f> Rebuilt<'f> {
    /// Describes an event that the comparison of the versions produced; none for other events.
    pub(crate) fn change(&self, event: Event) -> Option<Change<'f>> {
        let (old, new) = (self.before.tables(), self.after.tables());
        let inst = |inst: Inst| Some((old.insts.get(inst)?, new.insts.get(inst)?));
        let block = |block: Block| Some((old.blocks.get(block)?, new.blocks.get(block)?));
        let gone_node = |node: Node| Some(&old.nodes.get(node)?.kind);
        match event {
            Event::Create(Site::Inst(at)) => new.insts.get(at).map(Change::NewInst),
            Event::Create(Site::Block(_)) => Some(Change::NewBlock),
            Event::Create(Site::Node(at)) => new.nodes.get(at).map(|data| Change::NewNode(&data.kind)),
            Event::Erase(Site::Inst(at)) => old.insts.get(at).map(Change::GoneInst),
            Event::Erase(Site::Block(_)) => Some(Change::GoneBlock),
            Event::Erase(Site::Node(at)) => gone_node(at).map(Change::GoneNode),
            Event::Rewrite(at) => inst(at).map(|(old, new)| Change::ChangedInst(old, new)),
            Event::Control(Site::Block(at)) => block(at).map(|(old, new)| Change::ChangedBlock(old, new)),
            Event::Control(Site::Node(_)) => Some(Change::ChangedNode),
            Event::Move(Site::Inst(_)) => Some(Change::MovedInst),
            Event::Move(Site::Block(_)) => Some(Change::MovedBlock),
            Event::Move(Site::Node(_)) => Some(Change::MovedNode),
            Event::Operands(_)
            | Event::Replace { .. }
            | Event::Copy { .. }
            | Event::Control(Site::Inst(_)) => None,
        }
    }
}

/// Returns true if an instruction has this operation now, and had another one before.
pub(crate) fn became(old: &InstData, new: &InstData, op: impl Into<Op>) -> bool {
    old.op != new.op && new.op == op.into()
}

/// Records that an entity was created.
pub(crate) fn made(journal: &mut Journal, site: impl Into<Site>, reason: &'static str) {
    journal.push(Event::Create(site.into()), Reason::Note(reason));
}

/// Records that a value replaced another one, which is removed.
pub(crate) fn replaced(journal: &mut Journal, old: Inst, new: Inst, reason: &'static str) {
    journal.push(Event::Replace { old, new }, Reason::Note(reason));
    journal.push(Event::Erase(old.into()), Reason::Note(reason));
}
