//! The source line of each line of a text: from the anchors of its tokens to the origins of their instructions.
//!
//! A line of several instructions has the line of the one that is evaluated last: the others are its operands, or values
//! that were computed before. A `break`, a `return` and the head of a branch have the line of their terminator.
//!
//! A jump or a branch without a line has the line of the statement before it; other statements without a line stay so.

use super::Written;
use rustc_hash::FxHashMap;
use vitrine_ir::{Anchor, Block, Func, FuncBody, Inst, Module, Node, Origin, TreeStep, TreeWalk};

/// The source of a line of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineSource {
    /// The line of the text, from 1.
    pub line: u32,
    /// The part of the program that the line was written for.
    pub anchor: Anchor,
    /// Its position in the source; line 0 if that is unknown.
    pub origin: Origin,
}

/// The statements of a text in order of lines: each with its part of the program and its position in the source.
///
/// `module` is the module that was written, after the passes that prepare it. Linear in the text and the module.
pub fn source_lines(module: &Module, written: &Written) -> Vec<LineSource> {
    let mut starts: Vec<u32> = vec![0];
    let ends = written.bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    starts.extend(ends.map(|(at, _)| at as u32 + 1));
    let bodies: FxHashMap<Func, Order> = module.funcs().map(|(func, body)| (func, Order::of(body))).collect();
    let mut best: FxHashMap<u32, (Rank, LineSource)> = FxHashMap::default();
    for placed in &written.anchors {
        let line = starts.partition_point(|&start| start <= placed.start) as u32;
        let Some((rank, origin)) = rank(module, &bodies, placed.anchor) else { continue };
        let source = LineSource { line, anchor: placed.anchor, origin };
        let known = best.entry(line).or_insert((rank, source));
        if rank > known.0 {
            *known = (rank, source);
        }
    }
    let mut out: Vec<LineSource> = best.into_values().map(|(_, source)| source).collect();
    out.sort_unstable_by_key(|source| source.line);
    // Front ends give a jump alone in its block no line.
    let mut last: Option<(Func, Origin)> = None;
    for source in &mut out {
        let (func, jumps) = match source.anchor {
            Anchor::Inst(func, _) | Anchor::Arg(func, ..) => (func, false),
            Anchor::Terminator(func, _) | Anchor::TerminatorArg(func, ..) | Anchor::Node(func, _) => {
                (func, true)
            }
            _ => continue,
        };
        match last {
            Some((of, origin)) if jumps && source.origin.line == 0 && of == func => source.origin = origin,
            _ if source.origin.line > 0 => last = Some((func, source.origin)),
            _ => {}
        }
    }
    out
}

/// The order in which the parts of a line are considered: known lines, then terminators, then the last instruction.
type Rank = (bool, bool, u32);

/// Positions in the text of a function, and the block before each node.
struct Order {
    insts: FxHashMap<Inst, u32>,
    before: FxHashMap<Node, Block>,
}

impl Order {
    fn of(body: &FuncBody) -> Order {
        let mut order = Order { insts: FxHashMap::default(), before: FxHashMap::default() };
        body.for_each_inst(|_, inst| {
            let next = order.insts.len() as u32 + 1;
            order.insts.insert(inst, next);
        });
        let mut last = None;
        for step in TreeWalk::new(body) {
            match (step, last) {
                (TreeStep::Block(block), _) => last = Some(block),
                (TreeStep::Enter(node), Some(block)) => drop(order.before.insert(node, block)),
                (TreeStep::Enter(_) | TreeStep::Open(..) | TreeStep::Leave(_), _) => {}
            }
        }
        order
    }
}

fn rank(module: &Module, bodies: &FxHashMap<Func, Order>, anchor: Anchor) -> Option<(Rank, Origin)> {
    let of = |func: Func| Some((module.func(func)?, bodies.get(&func)?));
    match anchor {
        Anchor::Inst(func, inst) | Anchor::Arg(func, inst, _) => {
            let (body, order) = of(func)?;
            let origin = body.origin(inst);
            // Parameters of the function are in its head, which is no statement.
            let at = order.insts.get(&inst).copied()?;
            Some(((origin.line > 0, false, at), origin))
        }
        Anchor::Terminator(func, block) | Anchor::TerminatorArg(func, block, _) => {
            let origin = of(func)?.0.end_origin(block);
            Some(((origin.line > 0, true, 1), origin))
        }
        Anchor::Node(func, node) => {
            let (body, order) = of(func)?;
            let end = order.before.get(&node).map(|&block| body.end_origin(block)).unwrap_or_default();
            let cond = body.node(node).kind.operand().map(|cond| body.origin(cond)).unwrap_or_default();
            let origin = if end.line > 0 { end } else { cond };
            Some(((origin.line > 0, true, 0), origin))
        }
        Anchor::Module
        | Anchor::Struct(_)
        | Anchor::Member(..)
        | Anchor::Global(_)
        | Anchor::Var(_)
        | Anchor::Entry(_)
        | Anchor::Func(_)
        | Anchor::Reg(..)
        | Anchor::Block(..)
        | Anchor::Span(..)
        | Anchor::Word(_) => None,
    }
}
