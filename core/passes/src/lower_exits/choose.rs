//! Selects the labeled blocks that become single-iteration loops: those where a single-iteration switch would
//! capture more exits.
//!
//! A single-iteration switch captures the exits of an enclosing switch, and a `break` to it is captured by nested
//! switches. A single-iteration loop captures the exits of an enclosing loop. So both kinds of exits are counted.

use vitrine_analysis::exits::caps::{Caps, Label};
use vitrine_analysis::exits::forms::{Jump, OneTrip, OneTrips, one_trip_form};
use vitrine_ir::base::SideTable;
use vitrine_ir::{FuncBody, Nesting, Node, NodeKind, TreeStep, TreeWalk};

/// Returns the forms that capture fewer exits. Linear.
pub(super) fn forms(body: &FuncBody, caps: &Caps) -> OneTrips {
    if caps.label != Label::SwitchOrLoop {
        return OneTrips::default();
    }
    let default_form = one_trip_form(body);
    let nesting = Nesting::of(body);
    // Exits that a nested switch would capture, for each labeled block.
    let mut by_switch: SideTable<Node, u32> = SideTable::new();
    // Exits of loops that cross a node: as differences, then summed from the inside out.
    let mut by_loop: SideTable<Node, i64> = SideTable::new();
    let mut inner: SideTable<Node, Option<Node>> = SideTable::new();
    let mut enclosing: Vec<Node> = Vec::new();
    let mut forms = OneTrips::default();
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(node) => {
                let captures =
                    matches!(body.node(node).kind, NodeKind::Switch { .. } | NodeKind::Block { .. });
                let up = enclosing.last().and_then(|&up| inner[up]);
                inner[node] = if captures { Some(node) } else { up };
                enclosing.push(node);
            }
            TreeStep::Leave(node) => {
                enclosing.pop();
                if let Some(&up) = enclosing.last() {
                    by_loop[up] += by_loop[node];
                }
                if default_form.of_node(node) == OneTrip::Loop && i64::from(by_switch[node]) > by_loop[node] {
                    forms.set(node, OneTrip::Loop);
                }
            }
            TreeStep::Open(..) => {}
            TreeStep::Block(block) => {
                let (Some(jump), Some(&owner)) = (Jump::of(body.terminator(block)), enclosing.last()) else {
                    continue;
                };
                let (Jump::Break(to) | Jump::Continue(to)) = jump else { continue };
                if matches!(body.node(to).kind, NodeKind::Loop { .. }) {
                    by_loop[owner] += 1;
                    by_loop[to] -= 1;
                } else if inner[owner].is_some_and(|inner| nesting.depth(inner) > nesting.depth(to)) {
                    by_switch[to] += 1;
                }
            }
        }
    }
    forms
}
