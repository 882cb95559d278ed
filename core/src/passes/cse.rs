//! `cse`: eliminates common subexpressions.
//!
//! ```text
//!   %2: b32 = iadd %0, %1                   %2: b32 = iadd %0, %1
//!   %3: b32 = iadd %1, %0            =>     %4: b32 = imul %2, %2
//!   %4: b32 = imul %2, %3
//! ```
//!
//! A walk down the dominator tree of a graph, or down the regions of a tree, with a table of what was computed
//! so far on every way here. Two instructions are the same if operation, type, operands and attributes are;
//! the first two operands of what is commutative count in either order. The first one stays.
//!
//! Flags are no part of the comparison: what stays may be assumed to be what both were, and must be kept as
//! exactly as either was.
//!
//! Left alone: what reads memory, what depends on other components, undefined values (each is one of its own), and
//! whether an invocation is a helper, which changes as it runs. Parameters that are always equal are not seen.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Dom};
use crate::base::opening::opening;
use crate::ir::{
    Args, Attrs, Block, Editor, FuncBody, Inst, InstData, Reason, Refusal, Shape, TreeStep, TreeWalk,
};
use crate::ops::attr::BUILTINS;
use crate::ops::{Flags, Key, Op, Props, ValueType};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Eliminates common subexpressions.",
    ..PassInfo::edits("cse", opening!("cse.rs"), |ed, _| cse(ed))
};

/// Computes equal things once. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn cse(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let mut table = Table::default();
    for walk in walk(ed.func()) {
        match walk {
            Walk::Enter => table.scopes.push(table.order.len()),
            Walk::Leave => table.leave(),
            Walk::Block(block) => in_block(ed, &mut table, block)?,
        }
    }
    Ok(())
}

/// A step of the walk: what is computed between `Enter` and its `Leave` is forgotten there.
enum Walk {
    Enter,
    Block(Block),
    Leave,
}

fn walk(body: &FuncBody) -> Vec<Walk> {
    match body.shape() {
        Shape::Declaration => Vec::new(),
        Shape::Graph(_) => down_the_dominators(body),
        Shape::Tree(_) => down_the_regions(body),
    }
}

fn down_the_dominators(body: &FuncBody) -> Vec<Walk> {
    let cfg = Rc::new(Cfg::of(body));
    let dom = Dom::of(&cfg);
    let mut out = Vec::new();
    let mut work: Vec<Walk> = cfg.entry().into_iter().map(Walk::Block).collect();
    while let Some(step) = work.pop() {
        if let Walk::Block(block) = step {
            out.push(Walk::Enter);
            work.push(Walk::Leave);
            work.extend(dom.children(block).rev().map(Walk::Block));
        }
        out.push(step);
    }
    out
}

/// A region sees what stands before it in the regions around it: what leaves a node leaves it by parameters.
fn down_the_regions(body: &FuncBody) -> Vec<Walk> {
    let mut out = Vec::new();
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(_) => out.push(Walk::Enter),
            // The region before it, if any, ends here.
            TreeStep::Open(_, at, _) if at > 0 => out.extend([Walk::Leave, Walk::Enter]),
            TreeStep::Open(..) => {}
            TreeStep::Block(block) => out.push(Walk::Block(block)),
            TreeStep::Leave(_) => out.push(Walk::Leave),
        }
    }
    out
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Computed {
    op: Op,
    ty: ValueType,
    args: Args,
    attrs: Attrs,
}

/// What was computed on every way here.
#[derive(Default)]
struct Table {
    known: FxHashMap<Computed, Inst>,
    order: Vec<Computed>,
    scopes: Vec<usize>,
}

impl Table {
    fn leave(&mut self) {
        let start = self.scopes.pop().unwrap_or(0);
        for computed in self.order.drain(start..) {
            self.known.remove(&computed);
        }
    }
}

fn in_block(ed: &mut Editor<'_>, table: &mut Table, block: Block) -> Result<(), Refusal> {
    for &inst in ed.func().block(block).insts.clone().iter() {
        let data = ed.func().inst(inst);
        if !comparable(data) {
            continue;
        }
        let key = key(data);
        let flags = data.flags;
        match table.known.get(&key) {
            Some(&first) => {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                let kept = ed.func().inst(first).clone();
                let merged = merge(kept.flags, flags);
                if merged != kept.flags {
                    ed.rewrite(
                        first,
                        InstData { flags: merged, ..kept },
                        Reason::Note("it is used in place of another value"),
                    )?;
                }
                // Refused only in code that nothing reaches, where a value may read what stands behind it.
                let _ =
                    ed.replace(inst, first, Reason::Note("an earlier instruction computes the same value"));
            }
            None => {
                table.order.push(key.clone());
                table.known.insert(key, inst);
            }
        }
    }
    Ok(())
}

fn comparable(data: &InstData) -> bool {
    let is_helper = || {
        let word = data.attrs.get(Key::BuiltIn).and_then(|word| BUILTINS.get(word as usize));
        word == Some(&"helper_invocation")
    };
    data.op.props().pure() && data.has_result() && !is_helper()
}

fn key(data: &InstData) -> Computed {
    let mut args = data.args.clone();
    if data.op.props().has(Props::COMMUTATIVE)
        && let [a, b, ..] = args[..]
        && b < a
    {
        let mut swapped = args.to_vec();
        swapped.swap(0, 1);
        args = Args::new(&swapped);
    }
    Computed { op: data.op, ty: data.ty, args, attrs: data.attrs.clone() }
}

/// Demands of either, permissions of both.
fn merge(a: Flags, b: Flags) -> Flags {
    const DEMANDS: [Flags; 3] = [Flags::EXACT, Flags::INVARIANT, Flags::NONUNIFORM];
    let mut merged = Flags::NONE;
    for &(flag, ..) in Flags::TABLE {
        let demand = DEMANDS.contains(&flag);
        if (demand && (a.has(flag) || b.has(flag))) || (a.has(flag) && b.has(flag)) {
            merged = merged.and(flag);
        }
    }
    merged
}
