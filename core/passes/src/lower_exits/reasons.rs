//! The reasons of `lower-exits` for changes that follow from the two versions. The reasons for new blocks and nodes are
//! recorded where they are created.

use crate::util::rebuilt::{Change, Rebuilt, became};
use vitrine_ir::ops::BasicOp;
use vitrine_ir::{Event, Terminator};

/// The reason for a difference that the pass did not record.
pub(super) fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    const MERGED: &str = "it follows the only path to it, in the same block";
    Some(match rebuilt.change(event)? {
        Change::NewInst(data) if data.op == BasicOp::Param.into() => {
            "a use after the captured exits needs the value: the paths pass it"
        }
        Change::NewInst(_) => "the value is unused on this path",
        Change::GoneInst(_) => "no path leads to its block",
        Change::ChangedInst(old, new) if became(old, new, BasicOp::Copy) => {
            "a single path leads to its block: the parameter is the value that it passes"
        }
        Change::ChangedInst(..) => "it uses a value that is passed along with the captured exits",
        Change::MovedInst => MERGED,
        Change::NewBlock => "the lowered exits need a block here",
        Change::GoneBlock => "no path leads to it, or it continues another block",
        Change::ChangedBlock(old, new) => match (&old.terminator, &new.terminator) {
            (
                Terminator::Break(..) | Terminator::Continue(..) | Terminator::Return(_),
                Terminator::Next(_),
            ) => "its exit leads to the end of the region, and continues from there",
            (Terminator::Break(from, _), Terminator::Break(to, _)) if from != to => {
                "a construct captures its exit: it leaves only this construct, and continues after it"
            }
            (Terminator::Break(..), Terminator::Break(..)) => {
                "it passes values along with the captured exits"
            }
            (_, Terminator::Break(..)) => "its exit leaves a construct by `break`, and continues after it",
            (_, Terminator::Stop(_)) => "no path leads to it",
            (_, _) => "it passes values along with the captured exits",
        },
        Change::MovedBlock | Change::MovedNode => {
            "exits skip this code: it moves to where only the other paths lead"
        }
        Change::GoneNode(_) => "no path leads to it",
        Change::ChangedNode => {
            "its condition is passed along, or its continuing region moved to the end of its body"
        }
        Change::NewNode(_) => "it tests which exit was taken",
    })
}
