//! Execution counts of the last run.

use super::{Painter, Style};
use crate::base::EntityId;
use crate::ir::Block;
use crate::view_model::digits::grouped;

/// Marks every block with the number of its executions; the bar is a part of the function's maximum.
pub(super) fn paint(painter: &mut Painter<'_>) {
    let (func, counts) = (painter.ask.func, painter.ask.counts);
    if counts.blocks.is_empty() {
        return painter.sentence(
            "This version has not run: open Run (r). Its execution counts appear here when it is done.",
        );
    }
    let of =
        |block: Block| counts.blocks.get(&(func.index() as u32, block.index() as u32)).copied().unwrap_or(0);
    let most = painter.blocks().into_iter().map(of).max().unwrap_or(0);
    for block in painter.blocks() {
        match of(block) {
            0 => painter.block(block, Style::Dots, [1, 1], "not executed"),
            count => painter.block(block, Style::Hatch, [count, most], &format!("× {}", grouped(count))),
        }
    }
    painter.sentence(&match most {
        0 => "The last run did not call this function.".to_owned(),
        most => {
            format!("Executions in the last run, by all invocations; at most {} of a block.", grouped(most))
        }
    });
    painter.entry(Style::Hatch, "number of executions");
    painter.entry(Style::Dots, "not executed with these inputs");
}
