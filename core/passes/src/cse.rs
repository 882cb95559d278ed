//! `cse`: eliminates common subexpressions.
//!
//! ```text
//!   %2: b32 = iadd %0, %1                   %2: b32 = iadd %0, %1
//!   %3: b32 = iadd %1, %0            =>     %4: b32 = imul %2, %2
//!   %4: b32 = imul %2, %3
//! ```
//!
//! Traverses the dominator tree of a graph, or the regions of a tree, with a table of the values computed on every
//! path to the current block. Two instructions are equal if operation, type, operands and attributes are; the
//! first two operands of a commutative operation are compared in either order. The first instruction is kept.
//!
//! Flags are not compared: the kept instruction has the permissive flags that both had, and the restrictive flags
//! that either had.
//!
//! Left alone: instructions that read memory or depend on other invocations, undefined values (each is distinct),
//! and the helper-invocation builtin, which changes during execution. Does not detect block parameters that are
//! always equal.

use super::pass::PassInfo;
use rustc_hash::FxHashMap;
use vitrine_analysis::{Analyses, Dom};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Builtin, Flags, Op, Props, ValueType};
use vitrine_ir::{
    Args, Attrs, Block, Editor, FuncBody, Inst, InstData, Reason, Refusal, Shape, TreeStep, TreeWalk,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Eliminates common subexpressions.",
    ..PassInfo::edits("cse", opening!("cse.rs"), |ed, cx| cse(ed, cx.analyses))
};

/// Eliminates common subexpressions. Near-linear; idempotent; both shapes.
pub(super) fn cse(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let mut table = Table::default();
    for step in walk(ed, analyses) {
        match step {
            ScopeStep::Enter => table.scopes.push(table.order.len()),
            ScopeStep::Leave => table.leave(),
            ScopeStep::Block(block) => in_block(ed, &mut table, block)?,
        }
    }
    Ok(())
}

/// A step of the traversal: values computed between `Enter` and its `Leave` go out of scope at `Leave`.
enum ScopeStep {
    Enter,
    Block(Block),
    Leave,
}

fn walk(ed: &Editor<'_>, analyses: &mut Analyses) -> Vec<ScopeStep> {
    match ed.func().shape() {
        Shape::Declaration => Vec::new(),
        Shape::Graph(_) => dominator_tree(&analyses.get::<Dom>(ed.module(), ed.id())),
        Shape::Tree(_) => region_tree(ed.func()),
    }
}

fn dominator_tree(dom: &Dom) -> Vec<ScopeStep> {
    let cfg = dom.cfg();
    let mut out = Vec::new();
    let mut work: Vec<ScopeStep> = cfg.entry().into_iter().map(ScopeStep::Block).collect();
    while let Some(step) = work.pop() {
        if let ScopeStep::Block(block) = step {
            out.push(ScopeStep::Enter);
            work.push(ScopeStep::Leave);
            work.extend(dom.children(block).rev().map(ScopeStep::Block));
        }
        out.push(step);
    }
    out
}

/// Traverses the regions. Values before a region in the enclosing regions are visible in it: values leave a node
/// through parameters.
fn region_tree(body: &FuncBody) -> Vec<ScopeStep> {
    let mut out = Vec::new();
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(_) => out.push(ScopeStep::Enter),
            // The region before it, if any, ends here.
            TreeStep::Open(_, at, _) if at > 0 => out.extend([ScopeStep::Leave, ScopeStep::Enter]),
            TreeStep::Open(..) => {}
            TreeStep::Block(block) => out.push(ScopeStep::Block(block)),
            TreeStep::Leave(_) => out.push(ScopeStep::Leave),
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

/// Values computed on every path to the current block.
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
                // Refused only in unreachable code, where a value may use a later one.
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
    let is_helper = || data.attrs.word() == Some(Builtin::HelperInvocation);
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

/// Merges flags: restrictive flags of either, permissive flags of both.
fn merge(a: Flags, b: Flags) -> Flags {
    const RESTRICTIVE: [Flags; 3] = [Flags::EXACT, Flags::INVARIANT, Flags::NONUNIFORM];
    let mut merged = Flags::NONE;
    for &(flag, ..) in Flags::TABLE {
        let restrictive = RESTRICTIVE.contains(&flag);
        if (restrictive && (a.has(flag) || b.has(flag))) || (a.has(flag) && b.has(flag)) {
            merged = merged.and(flag);
        }
    }
    merged
}
