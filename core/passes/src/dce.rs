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
//! Liveness starts from instructions with side effects, branch conditions and returned values; an argument of an
//! edge is live if its parameter is. So values that only feed each other around a loop are removed too.
//!
//! All stores are kept: removing dead stores requires an analysis of memory. So are volatile loads. Blocks and
//! nodes are kept: see `dead-cf`. Function parameters are kept, because callers depend on them.

use super::pass::PassInfo;
use crate::util::memory::is_volatile;
use crate::util::open::in_order;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::ops::BasicOp;
use vitrine_ir::{
    Block, Editor, FuncBody, InsertPoint, Inst, InstData, NodeKind, Reason, Refusal, Terminator,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes unused instructions that have no side effects.",
    ..PassInfo::edits("dce", opening!("dce.rs"), |ed, cx| dce(ed, cx.analyses))
};

/// Removes dead instructions. Near-linear; idempotent; both shapes.
pub(super) fn dce(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let live = live(ed.func(), &analyses.get::<Cfg>(ed.module(), ed.id()));
    remove(ed, &live)
}

/// Returns true if an instruction is kept even if it is unused.
pub(super) fn has_effect(data: &InstData) -> bool {
    !data.op.props().removable() || is_volatile(data)
}

/// Returns all live values.
fn live(body: &FuncBody, cfg: &Cfg) -> EntitySet<Inst> {
    let mut live = Liveness { found: EntitySet::new(), work: Vec::new() };
    let mut def_sites: SideTable<Inst, Option<(Block, usize)>> = SideTable::new();
    for &block in cfg.blocks() {
        let data = body.block(block);
        for (at, &param) in data.params.iter().enumerate() {
            def_sites[param] = Some((block, at));
        }
        data.insts.iter().filter(|&&inst| has_effect(body.inst(inst))).for_each(|&inst| live.add(inst));
        match &data.terminator {
            Terminator::Return(value) => value.iter().for_each(|&value| live.add(value)),
            Terminator::Branch { cond: on, .. } | Terminator::Switch { on, .. } => live.add(*on),
            Terminator::Next(_) => {
                let node = cfg.enters(block).map(|node| &body.node(node).kind);
                node.and_then(NodeKind::operand).into_iter().for_each(|on| live.add(on));
            }
            Terminator::Break(..) | Terminator::Continue(..) | Terminator::Stop(_) | Terminator::Goto(_) => {}
        }
    }
    while let Some(value) = live.work.pop() {
        body.inst(value).args.iter().for_each(|&arg| live.add(arg));
        let Some((block, at)) = def_sites[value] else { continue };
        for edge in cfg.in_edges(block) {
            cfg.args(body, edge).get(at).into_iter().for_each(|&arg| live.add(arg));
        }
    }
    live.found
}

struct Liveness {
    found: EntitySet<Inst>,
    work: Vec<Inst>,
}

impl Liveness {
    fn add(&mut self, value: Inst) {
        if self.found.insert(value) {
            self.work.push(value);
        }
    }
}

/// Removes everything else: first the unused values, then those that only use each other.
fn remove(ed: &mut Editor<'_>, live: &EntitySet<Inst>) -> Result<(), Refusal> {
    let mut params = Vec::new();
    let mut insts = Vec::new();
    for block in in_order(ed.func()) {
        let data = ed.func().block(block);
        params
            .extend(data.params.iter().filter(|&&param| !live.contains(param)).map(|&param| (block, param)));
        insts.extend(data.insts.iter().copied().filter(|&inst| !live.contains(inst)));
    }
    if params.is_empty() && insts.is_empty() {
        return Ok(());
    }
    // Values used only by removed ones, or unused, are erased directly.
    let mut left = Vec::new();
    for inst in insts.into_iter().rev() {
        if ed.use_count(inst) > 0 {
            left.push(inst);
        } else if ed.consume_fuel() {
            ed.erase(inst, Reason::Note("it is unused"))?;
        }
    }
    let mut undefs = Vec::new();
    for &(block, param) in params.iter().rev() {
        if !ed.consume_fuel() {
            break;
        }
        if ed.use_count(param) > own_edges(ed, block, param) {
            undefs.push(replace_by_undef(ed, param)?);
        }
        if let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) {
            ed.remove_param(block, at, Reason::Note("the parameter is unused"))?;
        }
    }
    // Unreachable code may contain cyclic uses: these instructions are kept.
    for inst in left {
        if ed.use_count(inst) == 0 && ed.consume_fuel() {
            let _ = ed.erase(inst, Reason::Note("it is unused"));
        }
    }
    for inst in undefs.into_iter().rev() {
        let _ = ed.erase(inst, Reason::Pass);
    }
    Ok(())
}

/// Returns the number of edges that pass a parameter to itself.
fn own_edges(ed: &Editor<'_>, block: Block, param: Inst) -> usize {
    let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) else { return 0 };
    let edges = ed.incoming(block);
    edges.iter().filter(|&&edge| ed.edge_args(edge).and_then(|args| args.get(at)) == Some(&param)).count()
}

/// Replaces the uses of a dead parameter by an undefined value; the users are dead, too.
fn replace_by_undef(ed: &mut Editor<'_>, param: Inst) -> Result<Inst, Refusal> {
    let old = ed.func().inst(param).clone();
    let Some(entry) = ed.func().entry() else { return Err(Refusal::new("the function has no body")) };
    let undef = InstData { attrs: old.attrs, ..InstData::new(BasicOp::Undef, old.ty, &[]) };
    let undef = ed.insert(InsertPoint::Start(entry), undef, Reason::Pass)?;
    ed.replace_uses(param, undef, Reason::Note("all of its uses are dead"))?;
    Ok(undef)
}
