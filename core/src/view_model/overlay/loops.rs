//! Analysis results of blocks, shown in the graph above the instructions: trip counts of loops, induction
//! variables of headers with their bounds, costs of blocks.
//!
//! ```text
//! loop: trip count 4
//! %1 from 0 by 1, in 0..=4
//! cost 12 × 4
//! ```
//!
//! Unknown trip counts are shown as such; other unknown results are omitted.

use super::{CYCLE, MarkStyle, Painter, cycled};
use crate::analysis::{Analyses, Cost, Inductions, Loop, Loops, Range, Types};
use crate::ir::{Block, Func, Module};
use std::rc::Rc;

/// The overlay of a function.
pub(in super::super) struct Notes {
    loops: Rc<Loops>,
    found: Rc<Inductions>,
    cost: Rc<Cost>,
    range: Rc<Range>,
    types: Rc<Types>,
}

impl Notes {
    /// Computes the overlay. Near-linear.
    pub(in super::super) fn of(module: &Module, func: Func, cx: &mut Analyses) -> Notes {
        Notes {
            loops: cx.get::<Loops>(module, func),
            found: cx.get::<Inductions>(module, func),
            cost: cx.get::<Cost>(module, func),
            range: cx.get::<Range>(module, func),
            types: cx.get::<Types>(module, func),
        }
    }

    /// The lines of a block.
    pub(in super::super) fn lines(&self, block: Block) -> Vec<String> {
        let headed = self.loops.all().filter(|&of| self.loops.header(of) == block);
        let mut lines: Vec<String> = headed.flat_map(|of| self.loop_lines(of)).collect();
        lines.push(self.cost(block));
        lines
    }

    /// The cost of a block, and its execution count.
    pub(in super::super) fn cost(&self, block: Block) -> String {
        match self.cost.times(block) {
            1 => format!("cost {}", self.cost.once(block)),
            times => format!("cost {} × {times}", self.cost.once(block)),
        }
    }

    /// The trip count of a loop, and its induction variables, one on each line.
    pub(in super::super) fn loop_lines(&self, of: Loop) -> Vec<String> {
        let mut parts = self.found.text(of).split(", induction ").peekable();
        let trips = match parts.peek() {
            _ if self.loops.is_irreducible(of) => "irreducible loop".to_owned(),
            Some(words) if words.starts_with("trip count") => format!("loop: {words}"),
            Some(_) | None => "loop: trip count unknown".to_owned(),
        };
        let counted = parts.filter(|words| !words.is_empty() && !words.starts_with("trip count"));
        let bounds = self.found.variables(of).iter().map(|variable| {
            let hint = self.types.hint(variable.param);
            match self.range.facts(variable.param) {
                [fact] => fact.spell(hint),
                _ => String::new(),
            }
        });
        let variable = |(words, bounds): (&str, String)| {
            let words = words.trim_start_matches("induction ");
            if bounds.is_empty() { words.to_owned() } else { format!("{words}, in {bounds}") }
        };
        std::iter::once(trips).chain(counted.zip(bounds).map(variable)).collect()
    }
}

/// Marks the blocks of loops by depth, and every block with its cost; headers have the trip counts, too.
pub(super) fn paint(painter: &mut Painter<'_>) {
    let notes = Notes::of(painter.ask.module, painter.ask.func, painter.cx);
    let cost = |block: Block| notes.cost.times(block).saturating_mul(notes.cost.once(block));
    let most = painter.blocks().into_iter().map(cost).max().unwrap_or(0);
    let mut deepest = 0;
    for block in painter.blocks() {
        let depth = notes.loops.block_depth(block) as usize;
        deepest = deepest.max(depth);
        let style = depth.checked_sub(1).map_or(MarkStyle::Plain, cycled);
        painter.block(block, style, [cost(block), most], &notes.lines(block).join("; "));
    }
    painter.sentence(&format!(
        "Costs are in additions of one invocation, times the executions of the block; {} in all.",
        notes.cost.total()
    ));
    for depth in 1..=deepest.min(CYCLE.len()) {
        let further = if deepest > CYCLE.len() { " and every fifth one below" } else { "" };
        painter.entry(cycled(depth - 1), &format!("blocks of loops at depth {depth}{further}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::view_model::Session;
    use vitrine_protocol::{GraphOptions, OverlayKind};

    const LOOP: &str = "func @0(%0: b32) -> b32 tree {
^0:
  %1: b32 = const 0
  %2: b32 = const 1
  %3: b32 = const 4
  loop !0(%1, %0) {
  ^1(%4: b32, %5: b32):
    %6: b1 = ilt %4, %3
    if !1 %6 {
    ^2:
      next
    } else {
    ^3:
      break !0(%5)
    }
  ^4:
    %7: b32 = iadd %4, %2
    %8: b32 = imul %5, %5
    next(%7, %8)
  }
^5(%9: b32):
  return %9
}
";

    fn words(text: &str, shown: bool) -> String {
        let mut session = Session::new();
        session.open(text.as_bytes(), "");
        let overlay = shown.then_some(OverlayKind::Loops);
        session.set_view(GraphOptions { overlay, ..GraphOptions::default() });
        session.graph(0, 0).text.text.0
    }

    #[test]
    fn a_header_shows_its_trip_count_and_induction_variables() {
        let words = words(LOOP, true);
        assert!(words.contains("loop: trip count 4\n%4 from 0 by 1, in 0..=4\ncost "), "{words}");
        assert!(words.contains("× 4\n"), "{words}");
    }

    #[test]
    fn without_the_option_blocks_have_no_overlay() {
        let plain = words(LOOP, false);
        assert!(!plain.contains("trip count") && !plain.contains("cost"), "{plain}");
        let unknown = words(&LOOP.replace("ilt %4, %3", "ilt %5, %3"), true);
        assert!(unknown.contains("loop: trip count unknown\n%4 from 0 by 1"), "{unknown}");
    }
}
