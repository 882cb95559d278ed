//! Liveness of the chosen value, or at the chosen block; and register pressure.

use super::{MarkStyle, Painter, counted};
use crate::analysis::Live;
use crate::ir::{Block, Inst};
use std::rc::Rc;

/// Marks the blocks and lines at which the chosen value is live. For a chosen block: the values that are live into it and
/// out of it. Every other block has the numbers of its live values.
pub(super) fn liveness(painter: &mut Painter<'_>) {
    let live = painter.cx.get::<Live>(painter.ask.module, painter.ask.func);
    match (painter.chosen_value(), painter.chosen_block()) {
        (Some(value), _) if painter.body.inst(value).has_result() => of_value(painter, &live, value),
        (_, Some(block)) => at_block(painter, &live, block),
        (_, None) => {
            numbers(painter, &live, None);
            painter.sentence(
                "Numbers of values that are live into and out of each block. Choose a value to see where it is live, or a block \
                 to see its values.",
            );
        }
    }
    let everywhere = live.everywhere().len();
    if everywhere > 0 {
        let words = counted(everywhere, "value");
        painter.sentence(&format!(
            "{words} more count as live everywhere, because the exact sets would be too large."
        ));
    }
}

/// A value: its blocks, and the lines after which it is live.
fn of_value(painter: &mut Painter<'_>, live: &Rc<Live>, value: Inst) {
    // A parameter of the function is live into its first block.
    let home = painter.homes[value];
    let mut blocks = 0;
    for block in painter.blocks() {
        let (is_in, is_out) = (live.is_live_in(block, value), live.is_live_out(block, value));
        let insts: Vec<Inst> = painter.body.block(block).insts.to_vec();
        let (style, words) = match (home == Some(block), is_in, is_out) {
            (true, _, true) => (MarkStyle::Solid, "defined, live out"),
            (true, _, false) => (MarkStyle::Solid, "defined, not live out"),
            (false, true, true) => (MarkStyle::Hatch, "live through"),
            (false, true, false) => (MarkStyle::Dots, "live in, last use"),
            (false, false, _) => continue,
        };
        painter.block(block, style, [1, 1], words);
        blocks += 1;
        for inst in insts {
            let uses = painter.body.inst(inst).args.contains(&value);
            if inst != value && (uses || live.is_live_after(inst, value)) {
                painter.line(inst, style, "");
            }
        }
    }
    painter.sentence(&match blocks {
        0 => "The chosen value is unused.".to_owned(),
        blocks => format!("{value} is live in {}.", counted(blocks, "block")),
    });
    painter.entry(MarkStyle::Solid, "defined here; live on the marked lines");
    painter.entry(MarkStyle::Hatch, "live through");
    painter.entry(MarkStyle::Dots, "live in, not out");
}

/// A block: the values that are live into it, out of it, or both.
fn at_block(painter: &mut Painter<'_>, live: &Rc<Live>, block: Block) {
    numbers(painter, live, Some(block));
    for value in live.live_in(block) {
        let style = if live.is_live_out(block, value) { MarkStyle::Hatch } else { MarkStyle::Dots };
        painter.value(value, style, "");
    }
    for value in live.live_out(block).filter(|&value| !live.is_live_in(block, value)) {
        painter.value(value, MarkStyle::Solid, "");
    }
    let (into, out) = (live.live_in(block).len(), live.live_out(block).len());
    painter.sentence(&format!("{} are live into {block}, {out} out of it.", counted(into, "value")));
    painter.entry(MarkStyle::Solid, "chosen; values that it defines and that are live out");
    painter.entry(MarkStyle::Hatch, "values live through it");
    painter.entry(MarkStyle::Dots, "values live into it only");
}

fn numbers(painter: &mut Painter<'_>, live: &Rc<Live>, chosen: Option<Block>) {
    for block in painter.blocks() {
        let words = format!("{} in, {} out", live.live_in(block).len(), live.live_out(block).len());
        let is_chosen = chosen == Some(block);
        let style = if is_chosen { MarkStyle::Solid } else { MarkStyle::Plain };
        painter.block(block, style, [u64::from(is_chosen), 1], &words);
    }
}

/// Marks every block with its maximum register pressure; the bar is a part of the function's maximum.
pub(super) fn pressure(painter: &mut Painter<'_>) {
    let live = painter.cx.get::<Live>(painter.ask.module, painter.ask.func);
    let peak = live.peak_pressure();
    for block in painter.blocks() {
        let bits = live.pressure(block);
        let style = if bits == peak && peak > 0 { MarkStyle::Cross } else { MarkStyle::Hatch };
        painter.block(block, style, [bits.into(), peak.into()], &format!("{bits} bits"));
    }
    painter.sentence(
        "Bits of live values where the block has the most; paths, pointers and handles count as zero bits.",
    );
    painter.entry(MarkStyle::Hatch, "pressure of the block");
    painter.entry(MarkStyle::Cross, &format!("the maximum of the function: {peak} bits"));
}
