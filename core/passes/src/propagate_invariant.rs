//! `propagate-invariant`: marks computations of invariant outputs as exact.
//!
//! ```text
//!   out $0: f32x4 {invariant}
//!   …
//!   %2: b32x4 = fmul %0, %1                   %2: b32x4 = fmul exact %0, %1
//!   store %3, %2                       =>     store %3, %2
//! ```
//!
//! Two shaders that compute an `invariant` output by the same expression must get the same bits, regardless of
//! the other code. So no operation that contributes to it may be contracted or reassociated: it is marked
//! `exact`, from the stores to such outputs backwards through operands, parameters and edge arguments,
//! conditions that control a store or a parameter, and private variables that are read. Instructions that are
//! `invariant` themselves are treated the same.
//!
//! The marks are conservative: where control flow affects any of these values, every condition on the
//! dominating branches and the enclosing loops is marked. Results of calls are not followed, and neither are
//! buffers, which other invocations write; run `inline-functions` first. Must run before all other passes over
//! arithmetic, which respect the marks.
//!
//! NIR: `nir_propagate_invariant`.

use super::pass::PassInfo;
use crate::util::memory::is_private;
use crate::util::open::{in_order, nodes_in_order};
use crate::util::rewrite_each::rewrite_each;
use std::rc::Rc;
use vitrine_analysis::{Alias, Analyses, Cfg, Dom, Loop, Loops, Overlap, PostDom, Spot};
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::ops::{DerefOp, Flags, Key, MemoryOp, Op, VectorOp};
use vitrine_ir::{Block, Editor, Inst, InstData, Mode, Reason, Refusal, Terminator, TypeData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Marks computations of invariant outputs as exact.",
    ..PassInfo::edits("propagate-invariant", opening!("propagate_invariant.rs"), |ed, cx| {
        propagate_invariant(ed, cx.analyses)
    })
};

/// Marks the computations of invariant outputs. Near-linear, plus one traversal of all stores for each variable
/// that is read; idempotent; both shapes.
pub(super) fn propagate_invariant(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let mut needed = Needed::of(ed, analyses);
    needed.follow(ed);
    let exact = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let is_marked = needed.values.contains(inst) && is_float_op(data) && !data.flags.has(Flags::EXACT);
        is_marked.then(|| data.clone().flagged(Flags::EXACT))
    };
    rewrite_each(ed, exact, |ed, inst, data| {
        ed.rewrite(inst, data, Reason::Note("an invariant output is computed from it"))
    })
}

/// Returns true if an operation computes with floats, so that `exact` applies.
fn is_float_op(data: &InstData) -> bool {
    match data.op {
        Op::Float(_) => true,
        Op::Vector(op) => matches!(
            op,
            VectorOp::FDot
                | VectorOp::FCross
                | VectorOp::FLength
                | VectorOp::FDistance
                | VectorOp::FNormalize
                | VectorOp::FFaceForward
                | VectorOp::FReflect
                | VectorOp::FRefract
        ),
        _ => false,
    }
}

/// The values that invariant outputs depend on.
struct Needed {
    values: EntitySet<Inst>,
    /// Blocks whose execution matters.
    blocks: EntitySet<Block>,
    /// Loops whose trip count matters.
    counted_loops: EntitySet<Loop>,
    work: Vec<Inst>,
    alias: Rc<Alias>,
    cfg: Rc<Cfg>,
    dom: Rc<Dom>,
    post: Rc<PostDom>,
    loops: Rc<Loops>,
    /// The condition or selector of the node after a block of a tree.
    conds: SideTable<Block, Option<Inst>>,
    /// Places in variables that are read.
    read: Vec<Spot>,
    stores: Vec<(Block, Inst, Spot)>,
    homes: SideTable<Inst, Option<(Block, usize)>>,
}

impl Needed {
    fn of(ed: &Editor<'_>, analyses: &mut Analyses) -> Needed {
        let alias = analyses.get::<Alias>(ed.module(), ed.id());
        let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
        let mut needed = Needed {
            values: EntitySet::new(),
            blocks: EntitySet::new(),
            counted_loops: EntitySet::new(),
            work: Vec::new(),
            dom: analyses.get::<Dom>(ed.module(), ed.id()),
            post: analyses.get::<PostDom>(ed.module(), ed.id()),
            loops: analyses.get::<Loops>(ed.module(), ed.id()),
            cfg,
            conds: SideTable::new(),
            read: Vec::new(),
            stores: Vec::new(),
            homes: SideTable::new(),
            alias,
        };
        for node in nodes_in_order(ed.func()) {
            if let Some(block) = ed.block_before(node) {
                needed.conds[block] = ed.func().node(node).kind.operand();
            }
        }
        for block in in_order(ed.func()) {
            for (at, &param) in ed.func().block(block).params.iter().enumerate() {
                needed.homes[param] = Some((block, at));
            }
            for &inst in ed.func().block(block).insts.iter() {
                let data = ed.func().inst(inst);
                if data.flags.has(Flags::INVARIANT) {
                    needed.need(inst);
                }
                let stores = matches!(data.op, Op::Memory(MemoryOp::Store | MemoryOp::CopyVar));
                let Some(&path) = data.args.first().filter(|_| stores) else { continue };
                if is_invariant(ed, path) {
                    needed.store(ed, block, inst);
                } else if let Some(spot) = needed.alias.spot(path) {
                    needed.stores.push((block, inst, spot));
                }
            }
        }
        needed
    }

    fn need(&mut self, value: Inst) {
        if self.values.insert(value) {
            self.work.push(value);
        }
    }

    /// A relevant store: its value, its address, and its execution matter.
    fn store(&mut self, ed: &Editor<'_>, block: Block, inst: Inst) {
        let data = ed.func().inst(inst);
        data.args.iter().for_each(|&arg| self.need(arg));
        if data.op == Op::Memory(MemoryOp::CopyVar)
            && let Some(spot) = data.args.get(1).and_then(|&path| self.alias.spot(path))
        {
            self.reads(ed, spot);
        }
        self.reach(ed, block);
    }

    fn follow(&mut self, ed: &Editor<'_>) {
        while let Some(value) = self.work.pop() {
            match self.homes[value] {
                Some((block, at)) => {
                    for edge in ed.incoming(block) {
                        let arg = ed.edge_args(edge).and_then(|args| args.get(at)).copied();
                        arg.into_iter().for_each(|arg| self.need(arg));
                        self.reach(ed, edge.from);
                        self.decide(ed, edge.from);
                    }
                }
                None => {
                    let data = ed.func().inst(value);
                    data.args.iter().for_each(|&arg| self.need(arg));
                    let spot = data.args.first().and_then(|&path| self.alias.spot(path));
                    if let (Op::Memory(MemoryOp::Load), Some(spot)) = (data.op, spot) {
                        self.reads(ed, spot);
                    }
                }
            }
        }
    }

    /// Marks all stores to a place that is read.
    fn reads(&mut self, ed: &Editor<'_>, spot: Spot) {
        if !is_private(self.alias.mode(spot)) || self.read.contains(&spot) {
            return;
        }
        self.read.push(spot);
        let stores: Vec<(Block, Inst)> = self
            .stores
            .iter()
            .filter(|&&(_, _, other)| self.alias.overlap(spot, other) != Overlap::No)
            .map(|&(block, inst, _)| (block, inst))
            .collect();
        stores.into_iter().for_each(|(block, inst)| self.store(ed, block, inst));
    }

    /// Marks the conditions that control the execution of a block.
    fn reach(&mut self, ed: &Editor<'_>, block: Block) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if !self.blocks.insert(block) {
                continue;
            }
            match self.dom.idom(block) {
                // It is executed whenever the dominating block is.
                Some(up) if self.post.post_dominates(block, up) => work.push(up),
                Some(_) => {
                    for from in self.cfg.clone().preds(block) {
                        work.push(from);
                        if !self.post.post_dominates(block, from) {
                            self.decide(ed, from);
                        }
                    }
                }
                None => {}
            }
            let Some(inner) = self.loops.innermost(block) else { continue };
            // The trip count depends on all exits of the loop.
            if !self.counted_loops.insert(inner) {
                continue;
            }
            let (cfg, members) = (self.cfg.clone(), self.loops.members(inner).to_vec());
            for from in members.into_iter().filter(|&from| cfg.succs(from).count() > 1) {
                self.decide(ed, from);
                work.push(from);
            }
        }
    }

    /// Marks the condition of a block's terminator.
    fn decide(&mut self, ed: &Editor<'_>, block: Block) {
        let by = match ed.func().terminator(block) {
            Terminator::Branch { cond, .. } => Some(*cond),
            Terminator::Switch { on, .. } => Some(*on),
            // In a tree, the node after the block has the condition.
            Terminator::Next(_) => self.conds[block],
            Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_) => None,
        };
        by.into_iter().for_each(|cond| self.need(cond));
    }
}

/// The maximum number of path steps that are followed.
const MAX_STEPS: usize = 64;

/// Returns true if a path refers to an output that is declared invariant, or to an invariant member.
fn is_invariant(ed: &Editor<'_>, path: Inst) -> bool {
    let mut at = path;
    // Up to the variable; a path has as many steps as its type has levels.
    for _ in 0..MAX_STEPS {
        let data = ed.func().inst(at);
        let Op::Deref(op) = data.op else { return false };
        if op == DerefOp::Var {
            let var = data.entity(Key::Var).and_then(|var| ed.module().var(var));
            return var.is_some_and(|var| var.mode == Mode::Out && var.attrs.has(Key::Invariant));
        }
        let Some(&up) = data.args.first() else { return false };
        if op == DerefOp::Field && is_invariant_member(ed, up, data.attrs.get(Key::Field)) {
            return true;
        }
        at = up;
    }
    false
}

fn is_invariant_member(ed: &Editor<'_>, whole: Inst, member: Option<u64>) -> bool {
    let of = ed.module().path_type(ed.func(), whole);
    let Some(TypeData::Struct(id)) = of.map(|path| ed.module().type_of(path.ty)) else { return false };
    let members = ed.module().structure(*id).map(|data| data.members.clone());
    let member = members.zip(member).and_then(|(members, at)| members.get(at as usize).cloned());
    member.is_some_and(|member| member.attrs.has(Key::Invariant))
}
