//! Execution counts of the last run.

use super::{MarkStyle, Painter};
use crate::base::EntityId;
use crate::ir::Block;
use crate::view_model::digits::grouped;
use rustc_hash::FxHashMap;
use vitrine_protocol::layout::ExecutionEntry;

/// Marks every block with the number of its executions; the bar is a part of the function's maximum.
pub(super) fn paint(painter: &mut Painter<'_>) {
    let (func, executions) = (painter.ask.func, painter.ask.executions);
    if executions.is_empty() {
        return painter.sentence(
            "This version has not run: open Run (r). Its execution counts appear here when it is done.",
        );
    }
    let here = executions.iter().filter(|entry| entry.place[0] == func.index() as u32);
    let count = |&ExecutionEntry { place: [_, block], count: [low, high] }: &ExecutionEntry| {
        (block, u64::from(high) << 32 | u64::from(low))
    };
    let counts: FxHashMap<u32, u64> = here.map(count).collect();
    let of = |block: Block| counts.get(&(block.index() as u32)).copied().unwrap_or(0);
    let most = painter.blocks().into_iter().map(of).max().unwrap_or(0);
    for block in painter.blocks() {
        match of(block) {
            0 => painter.block(block, MarkStyle::Dots, [1, 1], "not executed"),
            count => painter.block(block, MarkStyle::Hatch, [count, most], &format!("× {}", grouped(count))),
        }
    }
    painter.sentence(&match most {
        0 => "The last run did not call this function.".to_owned(),
        most => {
            format!("Executions in the last run, by all invocations; at most {} of a block.", grouped(most))
        }
    });
    painter.entry(MarkStyle::Hatch, "number of executions");
    painter.entry(MarkStyle::Dots, "not executed with these inputs");
}
