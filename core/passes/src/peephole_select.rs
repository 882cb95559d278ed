//! `peephole-select`: replaces small `if`s by selects.
//!
//! ```text
//!   if !0 %0 {                                %3: b32 = iadd %1, %2
//!   ^1:                                       %5: b32 = select %0, %3, %1
//!     %3: b32 = iadd %1, %2                   return %5
//!     next(%3)
//!   } else {                             =>
//!   ^2:
//!     next(%1)
//!   }
//! ^3(%4: b32):
//!   return %4
//! ```
//!
//! Each arm is one block with at most `max-insts` pure instructions, not counting constants, whose cost is at
//! most `max-cost` by the weights of the analysis `cost`, and that falls through. Its instructions are moved
//! before the `if`; the parameters after it become selects. The same applies to graphs: a branch whose paths
//! meet again after at most one such block on either side.
//!
//! With `reads`, arms may also sample textures and load from memory that nothing writes, if their indices are constants.
//!
//! Unchanged: arms with other loads, side effects, derivatives, group operations, and divisions by a possible zero;
//! selection between addresses or resources; an `if` with the hint `dont_flatten`. An `if` with the hint to
//! flatten is converted regardless of its size.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::open::{in_order, nodes_inside_out};
use crate::util::speculate::may_speculate;
use rustc_hash::FxHashSet;
use vitrine_analysis::weight;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, Hints, IntOp, Key, MemoryOp, Op, TexOp, ValueType};
use vitrine_ir::{
    Attrs, Block, Edge, Editor, InsertPoint, Inst, InstData, Mode, Node, NodeKind, Reason, Refusal, Region,
    Shape, Terminator,
};

options! {
    /// The arms that become selects.
    struct Arms {
        choice work: Work {
            /// Arms that only compute.
            Pure "pure",
            /// Also arms that read textures, inputs, and uniforms at constant indices.
            Reads "reads",
        }
        /// Largest number of instructions of an arm, without constants.
        max_insts: u32 = 4 in 0..=1_000_000;
        /// Largest cost of an arm; a scalar addition costs 1.
        max_cost: u32 = 64 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces small `if`s by selects.",
    options: Arms::INFO,
    ..PassInfo::edits("peephole-select", opening!("peephole_select.rs"), |ed, cx| {
        peephole_select(ed, &Arms::of(cx.options))
    })
};

const WHY: Reason = Reason::Note("both arms are cheap");

/// Converts `if`s to selects, inside out. Near-linear; idempotent; both shapes.
fn peephole_select(ed: &mut Editor<'_>, most: &Arms) -> Result<(), Refusal> {
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Tree(_) => tree(ed, most),
        Shape::Graph(_) => graph(ed, most),
    }
}

fn tree(ed: &mut Editor<'_>, most: &Arms) -> Result<(), Refusal> {
    for node in nodes_inside_out(ed.func()) {
        let Some(choice) = choice(ed, node, most) else { continue };
        // Unreachable code may use values that are not computed before the branch.
        let at = InsertPoint::End(choice.before);
        if !choice.reads(ed).into_iter().all(|value| ed.is_visible(value, at)) {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        let results = choice.select(ed, choice.before)?;
        ed.erase_node(node, &results, WHY)?;
    }
    Ok(())
}

/// A branch that can become selects.
struct Choice {
    /// The block whose terminator is the branch.
    before: Block,
    cond: Inst,
    /// The instructions of both arms, in order.
    insts: Vec<Inst>,
    /// The arguments that each arm passes.
    then: Vec<Inst>,
    els: Vec<Inst>,
}

impl Choice {
    /// The values that must be available before the branch: operands and arguments, without the moved
    /// instructions.
    fn reads(&self, ed: &Editor<'_>) -> Vec<Inst> {
        let moved: FxHashSet<Inst> = self.insts.iter().copied().collect();
        let args = self.insts.iter().flat_map(|&inst| ed.func().inst(inst).args.iter());
        let all = args.chain(&self.then).chain(&self.els).chain([&self.cond]);
        all.copied().filter(|value| !moved.contains(value)).collect()
    }

    /// Moves the instructions of the arms to the end of a block; returns the arguments as selects.
    fn select(&self, ed: &mut Editor<'_>, block: Block) -> Result<Vec<Inst>, Refusal> {
        for &inst in &self.insts {
            ed.move_to(inst, InsertPoint::End(block), WHY)?;
        }
        let mut results = Vec::new();
        for (&then, &els) in self.then.iter().zip(&self.els) {
            if then == els {
                results.push(then);
                continue;
            }
            let ty = ed.func().ty(then);
            let op = if ty.components() == 1 { IntOp::Select } else { IntOp::Select1 };
            let select = InstData::new(op, ty, &[self.cond, then, els]);
            results.push(ed.insert(InsertPoint::End(block), select, WHY)?);
        }
        Ok(results)
    }
}

fn choice(ed: &Editor<'_>, node: Node, most: &Arms) -> Option<Choice> {
    let data = ed.func().node(node);
    let NodeKind::If { cond, then, els } = data.kind else { return None };
    let before =
        ed.block_before(node).filter(|&block| matches!(ed.func().terminator(block), Terminator::Next(_)))?;
    let most = limit(&data.attrs, most)?;
    let mut insts = Vec::new();
    let mut arm = |region: Region| {
        let data = ed.func().region(region);
        let block = ed.func().block(data.head);
        if !data.rest.is_empty() || !is_cheap(ed, &block.insts, &most) {
            return None;
        }
        insts.extend_from_slice(&block.insts);
        match &block.terminator {
            Terminator::Next(args) => Some(args.to_vec()),
            Terminator::Break(named, args) if *named == node => Some(args.to_vec()),
            Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        }
    };
    let (then, els) = (arm(then)?, arm(els)?);
    can_select(ed, &then, &els).then_some(Choice { before, cond, insts, then, els })
}

/// The arms that become selects, given the hints of a branch; none if it must be kept.
fn limit(attrs: &Attrs, most: &Arms) -> Option<Arms> {
    let hints = attrs.words::<Hints>();
    match (hints.has(Hints::FLATTEN), hints.has(Hints::DONT_FLATTEN)) {
        (_, true) => None,
        (true, false) => Some(Arms { work: most.work, max_insts: u32::MAX, max_cost: u32::MAX }),
        (false, false) => Some(most.clone()),
    }
}

fn is_cheap(ed: &Editor<'_>, insts: &[Inst], most: &Arms) -> bool {
    let free = |data: &InstData| matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef));
    let (mut count, mut cost) = (0u32, 0u32);
    insts.iter().all(|&inst| {
        let data = ed.func().inst(inst);
        count += u32::from(!free(data));
        cost = cost.saturating_add(weight(data));
        count <= most.max_insts
            && cost <= most.max_cost
            && (free(data) || may_speculate(ed, data) || most.work == Work::Reads && is_read(ed, data))
    })
}

/// Returns true if an instruction reads memory that nothing writes, at a place that exists, or samples a texture.
///
/// A level of detail that is derived from other invocations is undefined in a branch that they do not all take, so any
/// will do.
fn is_read(ed: &Editor<'_>, data: &InstData) -> bool {
    match data.op {
        Op::Tex(TexOp::Sample | TexOp::SampleLod | TexOp::Combine | TexOp::ImageOf) => true,
        Op::Memory(MemoryOp::Load) => data.args.first().is_some_and(|&path| is_constant_place(ed, path)),
        _ => false,
    }
}

/// Returns true if a path names a part of an input, a uniform or a resource by constant indices.
fn is_constant_place(ed: &Editor<'_>, path: Inst) -> bool {
    let mut at = path;
    loop {
        let data = ed.func().inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let var = data.entity(Key::Var).and_then(|var| ed.module().var(var));
                let modes = [Mode::In, Mode::Uniform, Mode::Push, Mode::Handle];
                return var.is_some_and(|var| modes.contains(&var.mode));
            }
            Op::Deref(DerefOp::Field) => {}
            Op::Deref(DerefOp::Elem)
                if data.args.get(1).is_some_and(|&index| ed.bits_of(index).is_some()) => {}
            _ => return false,
        }
        let Some(&next) = data.args.first() else { return false };
        at = next;
    }
}

fn can_select(ed: &Editor<'_>, then: &[Inst], els: &[Inst]) -> bool {
    let is_value = |ty: ValueType| matches!(ty, ValueType::Bits { .. });
    then.len() == els.len()
        && then.iter().zip(els).all(|(&then, &els)| then == els || is_value(ed.func().ty(then)))
}

fn graph(ed: &mut Editor<'_>, most: &Arms) -> Result<(), Refusal> {
    // A block that is unreachable now may have been the second predecessor of another.
    while graph_round(ed, most)? {
        ed.remove_unreachable(WHY)?;
    }
    Ok(())
}

fn graph_round(ed: &mut Editor<'_>, most: &Arms) -> Result<bool, Refusal> {
    let mut changed = false;
    for block in in_order(ed.func()).into_iter().rev() {
        let Some((choice, to)) = branch(ed, block, most) else { continue };
        if !ed.consume_fuel() {
            break;
        }
        let results = choice.select(ed, block)?;
        ed.set_terminator(block, Terminator::Goto(Edge { to, args: results.into_iter().collect() }), WHY)?;
        changed = true;
    }
    Ok(changed)
}

/// A branch whose paths meet immediately, and the block where they do.
fn branch(ed: &Editor<'_>, block: Block, most: &Arms) -> Option<(Choice, Block)> {
    let data = ed.func().block(block);
    let Terminator::Branch { cond, then, els } = &data.terminator else { return None };
    let most = match &data.merge {
        Some(hint) => limit(&hint.attrs, most)?,
        None => most.clone(),
    };
    let mut insts = Vec::new();
    // A path through a separate block, if that block is cheap and has one successor.
    let through = |edge: &Edge| {
        let data = ed.func().block(edge.to);
        let Terminator::Goto(next) = &data.terminator else { return None };
        let own = edge.to != block && data.params.is_empty() && data.merge.is_none();
        if !own || ed.incoming(edge.to).len() != 1 || !is_cheap(ed, &data.insts, &most) {
            return None;
        }
        Some((data.insts.to_vec(), next.clone()))
    };
    let (by_then, by_els) = (through(then), through(els));
    let mut take = |path: Option<(Vec<Inst>, Edge)>| {
        path.map(|(list, edge)| {
            insts.extend(list);
            edge
        })
    };
    let (then, els) = match (by_then, by_els) {
        (Some(a), Some(b)) if a.1.to == b.1.to => (take(Some(a))?, take(Some(b))?),
        (Some(a), _) if a.1.to == els.to => (take(Some(a))?, els.clone()),
        (_, Some(b)) if b.1.to == then.to => (then.clone(), take(Some(b))?),
        _ if then.to == els.to => (then.clone(), els.clone()),
        _ => return None,
    };
    let to = then.to;
    let (then, els) = (then.args.to_vec(), els.args.to_vec());
    let choice = Choice { before: block, cond: *cond, insts, then, els };
    (to != block && can_select(ed, &choice.then, &choice.els)).then_some((choice, to))
}
