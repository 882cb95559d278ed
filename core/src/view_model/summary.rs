//! One line about a block or a loop, for pictures that are too small for instructions:
//! `12 instructions · load, fmul · if %done_9`, `trip count 4`.

use crate::analysis::{Inductions, Loop, Trips};
use crate::ir::{Block, Func, FuncBody, Module, Nesting};
use crate::ops::{BasicOp, Op, Props};
use crate::text::{Options, Plain, Printer};

/// The largest number of operations in a summary.
const MOST_OPS: usize = 3;

/// The number of a block's instructions, its most telling operations, and the decision at its end.
pub(super) fn of_block(
    module: &Module,
    func: Func,
    body: &FuncBody,
    block: Block,
    nesting: &Nesting,
) -> String {
    let insts = body.block(block).insts.len();
    let mut parts = Vec::new();
    if insts > 0 {
        parts.push(format!("{insts} instruction{}", if insts == 1 { "" } else { "s" }));
    }
    let ops = telling(body, block);
    if !ops.is_empty() {
        parts.push(ops.join(", "));
    }
    let mut end = Plain::new();
    Printer::to_any(module, Options::default(), &mut end).decision(func, block, nesting);
    parts.extend(Some(end.finish()).filter(|end| !end.is_empty()));
    parts.join(" · ")
}

/// The trip count of a loop; empty if it is unknown.
pub(super) fn of_loop(found: &Inductions, of: Loop) -> String {
    match found.trips(of) {
        Trips::Unknown => String::new(),
        Trips::Exactly(count) => format!("trip count {count}"),
        Trips::AtMost(count) => format!("trip count ≤ {count}"),
        Trips::MoreThan(count) => format!("trip count > {count}"),
    }
}

/// The names of the operations that say most about a block: effects and calls first, then reads, then the most frequent
/// arithmetic. Constants and addresses say little.
fn telling(body: &FuncBody, block: Block) -> Vec<&'static str> {
    let mut found: Vec<(u32, usize, &'static str)> = Vec::new();
    for &inst in body.block(block).insts.iter() {
        let op = body.inst(inst).op;
        let name = op.info().name;
        match found.iter_mut().find(|(_, _, known)| *known == name) {
            Some((_, count, _)) => *count += 1,
            None => found.extend(weight(op).map(|weight| (weight, 1, name))),
        }
    }
    found.sort_by_key(|&(weight, count, _)| std::cmp::Reverse((weight, count)));
    found.into_iter().take(MOST_OPS).map(|(_, _, name)| name).collect()
}

fn weight(op: Op) -> Option<u32> {
    let props = op.info().props;
    match op {
        Op::Deref(_) | Op::Ptr(_) => None,
        Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef | BasicOp::Copy | BasicOp::Param) => None,
        Op::Basic(BasicOp::Call) | Op::Tex(_) => Some(3),
        _ if !props.removable() || props.has(Props::CONVERGENT) => Some(3),
        _ if props.has(Props::READS) => Some(2),
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::text::parse;

    fn summaries(text: &str) -> Vec<String> {
        let module = parse(text).module;
        let func = Func::from_index(0);
        let body = module.func(func).unwrap();
        let nesting = Nesting::of(body);
        body.blocks_in_order()
            .into_iter()
            .map(|block| of_block(&module, func, body, block, &nesting))
            .collect()
    }

    #[test]
    fn effects_come_before_arithmetic_and_constants_do_not_count() {
        let text = "storage $s_0: u32 {set 0, binding 0}\n\nfunc @0(%0: b32) graph {\n^0:\n  %1: b32 = const 1\n  %2 = iadd %0, %1\n  %3 = imul %2, %1\n  %4 = iadd %3, %1\n  %5 = deref.var $s_0\n  %6 = store %5, %4\n  goto ^1\n^1:\n  return\n}\n";
        assert_eq!(summaries(text), ["6 instructions · store, iadd, imul", "return"]);
    }

    #[test]
    fn a_decision_is_named_in_both_shapes() {
        let tree = "func @0(%c_0: b1) tree {\n^0:\n  if !0 %c_0 {\n  ^1:\n    next\n  } else {\n  ^2:\n    stop discard\n  }\n^3:\n  return\n}\n";
        assert_eq!(summaries(tree), ["if %c_0", "", "stop discard", "return"]);
        let graph = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
        assert_eq!(summaries(graph), ["if %0", "", "return"]);
    }
}
