//! `dce`: removes unused instructions that have no side effects.
//!
//! ```text
//! ^0:                                     ^0:
//!   %1: b32 = fadd %0, %0                   next
//!   next(%1)                         =>   ...
//! ...                                     ^3:
//! ^3(%2: b32):                              return
//!   return
//! ```
//!
//! What is needed is found from what has effects, what is decided by and what is returned; an argument of an
//! edge is needed if the parameter it is for is. So values that only feed each other round a loop go too.
//!
//! Stores stay, whoever could see them: that is for a pass that knows memory. So do loads that are volatile.
//! Blocks and nodes stay: see `dead-cf`. Parameters of the function stay: they are what callers know.

use super::pass::PassInfo;
use crate::analysis::Cfg;
use crate::base::opening::opening;
use crate::base::{EntitySet, SideTable};
use crate::ir::{
    Block, Editor, FuncBody, InsertPoint, Inst, InstData, NodeKind, Reason, Refusal, Terminator,
};
use crate::ops::BasicOp;
use crate::passes::util::memory::is_volatile;
use crate::passes::util::open::in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes unused instructions that have no side effects.",
    ..PassInfo::edits("dce", opening!("dce.rs"), |ed, _| dce(ed))
};

/// Removes what is not needed. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn dce(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let needed = needed(ed.func());
    remove(ed, &needed)
}

/// Whether an instruction stays though nobody reads it.
pub(super) fn has_effect(data: &InstData) -> bool {
    !data.op.props().removable() || is_volatile(data)
}

/// Everything somebody needs.
fn needed(body: &FuncBody) -> EntitySet<Inst> {
    let cfg = Cfg::of(body);
    let mut needed = Needed { found: EntitySet::new(), work: Vec::new() };
    let mut homes: SideTable<Inst, Option<(Block, usize)>> = SideTable::new();
    for &block in cfg.blocks() {
        let data = body.block(block);
        for (at, &param) in data.params.iter().enumerate() {
            homes[param] = Some((block, at));
        }
        data.insts.iter().filter(|&&inst| has_effect(body.inst(inst))).for_each(|&inst| needed.add(inst));
        match &data.terminator {
            Terminator::Return(value) => value.iter().for_each(|&value| needed.add(value)),
            Terminator::Branch { cond: on, .. } | Terminator::Switch { on, .. } => needed.add(*on),
            Terminator::Next(_) => {
                let node = cfg.enters(block).map(|node| &body.node(node).kind);
                node.and_then(NodeKind::operand).into_iter().for_each(|on| needed.add(on));
            }
            Terminator::Break(..) | Terminator::Continue(..) | Terminator::Stop(_) | Terminator::Goto(_) => {}
        }
    }
    while let Some(value) = needed.work.pop() {
        body.inst(value).args.iter().for_each(|&arg| needed.add(arg));
        let Some((block, at)) = homes[value] else { continue };
        for edge in cfg.in_edges(block) {
            cfg.args(body, edge).get(at).into_iter().for_each(|&arg| needed.add(arg));
        }
    }
    needed.found
}

struct Needed {
    found: EntitySet<Inst>,
    work: Vec<Inst>,
}

impl Needed {
    fn add(&mut self, value: Inst) {
        if self.found.insert(value) {
            self.work.push(value);
        }
    }
}

/// Takes everything else out: first what nobody reads at all, then what only reads each other.
fn remove(ed: &mut Editor<'_>, needed: &EntitySet<Inst>) -> Result<(), Refusal> {
    let mut params = Vec::new();
    let mut insts = Vec::new();
    for block in in_order(ed.func()) {
        let data = ed.func().block(block);
        params.extend(
            data.params.iter().filter(|&&param| !needed.contains(param)).map(|&param| (block, param)),
        );
        insts.extend(data.insts.iter().copied().filter(|&inst| !needed.contains(inst)));
    }
    if params.is_empty() && insts.is_empty() {
        return Ok(());
    }
    // What is only read by what goes, or by nobody, goes without a trace.
    let mut left = Vec::new();
    for inst in insts.into_iter().rev() {
        if ed.use_count(inst) > 0 {
            left.push(inst);
        } else if ed.consume_fuel() {
            ed.erase(inst, Reason::Note("it is unused"))?;
        }
    }
    let mut stand_ins = Vec::new();
    for &(block, param) in params.iter().rev() {
        if !ed.consume_fuel() {
            break;
        }
        if ed.use_count(param) > own_edges(ed, block, param) {
            stand_ins.push(let_go(ed, param)?);
        }
        if let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) {
            ed.remove_param(block, at, Reason::Note("the parameter is unused"))?;
        }
    }
    // Code that nothing reaches may read in circles: what is left of that stays.
    for inst in left {
        if ed.use_count(inst) == 0 && ed.consume_fuel() {
            let _ = ed.erase(inst, Reason::Note("it is unused"));
        }
    }
    for inst in stand_ins.into_iter().rev() {
        let _ = ed.erase(inst, Reason::Pass);
    }
    Ok(())
}

/// How many edges bring a parameter to itself.
fn own_edges(ed: &Editor<'_>, block: Block, param: Inst) -> usize {
    let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) else { return 0 };
    let edges = ed.incoming(block);
    edges.iter().filter(|&&edge| ed.edge_args(edge).and_then(|args| args.get(at)) == Some(&param)).count()
}

/// Lets those who read a value that goes read an undefined one: they go, too.
fn let_go(ed: &mut Editor<'_>, param: Inst) -> Result<Inst, Refusal> {
    let old = ed.func().inst(param).clone();
    let Some(entry) = ed.func().entry() else { return Err(Refusal::new("the function has no body")) };
    let undef = InstData { attrs: old.attrs, ..InstData::new(BasicOp::Undef, old.ty, &[]) };
    let undef = ed.insert(InsertPoint::Start(entry), undef, Reason::Pass)?;
    ed.replace_uses(param, undef, Reason::Note("all of its uses are dead"))?;
    Ok(undef)
}
