//! The reasons of `structurize`: for the blocks that the preparation removes, for dispatch blocks, and for changes that
//! follow from the two versions.
//!
//! The reasons for the empty blocks of the tree are recorded where they are created.

use super::dispatch::Dispatched;
use crate::util::rebuilt::{Change, Rebuilt, became, made};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, RegOp};
use vitrine_ir::{Block, Event, FuncBody, Journal, NodeKind, Reason, Terminator};

const JOINED: &str = "it follows its only predecessor, in the same block";

/// Records the blocks that are unreachable or merged into their predecessor.
pub(super) fn of_blocks(journal: &mut Journal, before: &FuncBody, leader: &SideTable<Block, Option<Block>>) {
    for block in before.blocks_in_order() {
        let reason = match leader[block] {
            Some(first) if first == block => continue,
            Some(_) => JOINED,
            None => "no edge from the entry leads to it",
        };
        journal.push(Event::Erase(block.into()), Reason::Note(reason));
    }
}

/// Records the dispatch blocks and their parameters.
pub(super) fn of_dispatch(journal: &mut Journal, body: &FuncBody, done: &Dispatched) {
    for &block in &done.blocks {
        made(
            journal,
            block,
            "the cycle has several entries: it is entered here, and continues at one of them",
        );
        let params = &body.block(block).params;
        for &selector in params.iter().take(1) {
            made(journal, selector, "it selects the entry of the cycle");
        }
        for &param in params.iter().skip(1) {
            made(journal, param, "it forwards an argument to the selected entry of the cycle");
        }
    }
}

/// The reason for any other difference between the graph and the tree.
pub(super) fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewNode(NodeKind::Loop { .. }) => "edges lead back to its first block",
        Change::NewNode(NodeKind::If { .. }) => "the block before it branches to its arms",
        Change::NewNode(NodeKind::Switch { .. }) => "the block before it selects one of its arms",
        Change::NewNode(NodeKind::Block { .. }) => "several edges lead from its inside to the block after it",
        Change::NewBlock => "the entry is the first block of a loop, which needs a block before it",
        Change::NewInst(data) if data.op == BasicOp::Param.into() => {
            "it forwards an argument to the next block"
        }
        Change::NewInst(data) if data.op == BasicOp::Const.into() => {
            "the edge enters a cycle with several entries, and selects one of them"
        }
        Change::NewInst(_) => "only another entry of the cycle takes this argument",
        Change::ChangedInst(old, new) if became(old, new, BasicOp::Copy) => {
            "a single edge leads to its block: the parameter is the value that it passes"
        }
        Change::ChangedInst(old, new) if became(old, new, RegOp::Load) => {
            "a parameter of a block is a register"
        }
        Change::ChangedInst(..) => "a register holds the value that it uses from another block",
        Change::GoneInst(_) => "no edge from the entry leads to its block",
        Change::MovedInst => JOINED,
        Change::ChangedBlock(old, new) => match (&old.terminator, &new.terminator) {
            (Terminator::Branch { .. } | Terminator::Switch { .. }, Terminator::Next(_)) => {
                "the construct after it has an arm for each of its edges"
            }
            (old_end, new_end) if old_end == new_end && old.params != new.params => {
                "its parameters are values or registers"
            }
            (Terminator::Goto(_), Terminator::Return(_) | Terminator::Stop(_)) => {
                "its successor has no other predecessor, and is part of it"
            }
            (_, Terminator::Next(_)) => "its edge leads to the code that follows",
            (_, Terminator::Break(..)) => "its edge leaves a construct",
            (_, Terminator::Continue(..)) => "its edge leads to the next iteration of a loop",
            (_, _) => "the tree has its structure in place of hints",
        },
        Change::MovedBlock => "a tree nests blocks in its constructs",
        Change::GoneBlock | Change::GoneNode(_) | Change::ChangedNode | Change::MovedNode => return None,
    })
}
