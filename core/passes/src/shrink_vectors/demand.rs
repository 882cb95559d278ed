//! The used components of every value, and the values that are worth narrowing.
//!
//! Does not change anything.

use crate::util::components::{is_componentwise, is_per_component, picks, stored_only};
use crate::util::open::in_order;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::ty::COMPONENT_COUNTS;
use vitrine_ir::ops::{BasicOp, Op, ValueType, VectorOp};
use vitrine_ir::{Block, Editor, Inst, InstData, Terminator, Use};

/// The maximum number of iterations that reject unprofitable values. Values that depend on later rejections are
/// not narrowed.
const MAX_ITERATIONS: usize = 16;

/// The components to keep of each narrowed value, in order; other values have none.
pub(super) struct Plan {
    /// Reachable blocks, each after its dominators.
    pub(super) blocks: Vec<Block>,
    kept: SideTable<Inst, Option<Box<[u8]>>>,
}

impl Plan {
    /// The components to keep of a narrowed value.
    pub(super) fn kept(&self, value: Inst) -> Option<&[u8]> {
        self.kept[value].as_deref()
    }
}

/// Decides which values to narrow, and to which components.
pub(super) fn plan(ed: &Editor<'_>) -> Plan {
    let mut demand = Demand::of(ed);
    demand.spread(ed);
    demand.use_dead(ed);
    for iteration in 0..MAX_ITERATIONS {
        let plan = demand.plan(ed);
        let all = plan.all(ed);
        let unprofitable: Vec<Inst> =
            all.iter().copied().filter(|&value| is_unprofitable(ed, &plan, value)).collect();
        if unprofitable.is_empty() {
            return plan;
        }
        // At the limit, a rejected value also rejects everything that might depend on it.
        let stay = if iteration + 1 == MAX_ITERATIONS { all } else { unprofitable };
        stay.into_iter().for_each(|value| demand.use_all(ed, value));
        demand.spread(ed);
    }
    demand.plan(ed)
}

impl Plan {
    fn all(&self, ed: &Editor<'_>) -> Vec<Inst> {
        let mut out = Vec::new();
        for &block in &self.blocks {
            let data = ed.func().block(block);
            out.extend(
                data.params.iter().chain(data.insts.iter()).filter(|&&value| self.kept(value).is_some()),
            );
        }
        out
    }
}

/// The used components, as masks: bit `i` is component `i`.
struct Demand {
    blocks: Vec<Block>,
    read: SideTable<Inst, u16>,
    /// The block and index of each parameter with edge arguments.
    homes: SideTable<Inst, Option<(Block, usize)>>,
    work: Vec<Inst>,
}

fn all_components(ty: ValueType) -> u16 {
    u16::try_from((1u32 << u32::from(ty.components().min(16))) - 1).unwrap_or(u16::MAX)
}

impl Demand {
    fn of(ed: &Editor<'_>) -> Demand {
        let blocks = in_order(ed.func());
        let mut demand = Demand { blocks, read: SideTable::new(), homes: SideTable::new(), work: Vec::new() };
        let stored_only = stored_only(ed.module());
        for block in demand.blocks.clone() {
            let data = ed.func().block(block);
            for (at, &param) in data.params.iter().enumerate() {
                demand.homes[param] = Some((block, at));
                if ed.func().ty(param).components() == 1 {
                    demand.add(param, 1);
                }
            }
            for &inst in data.insts.iter() {
                // A scalar is never examined; an instruction that cannot be narrowed uses all components of its
                // operands.
                let data = data_of(ed, inst);
                let mut types = data.args.iter().map(|&arg| ed.func().ty(arg)).chain([data.ty]);
                let only_moves = types.any(|ty| ty.width().is_some_and(|width| stored_only.contains(&width)));
                if data.ty.components() < 2 || !can_narrow(data) || only_moves {
                    demand.use_all(ed, inst);
                }
            }
            if let Terminator::Return(Some(value)) = data.terminator {
                demand.use_all(ed, value);
            }
        }
        demand
    }

    fn use_all(&mut self, ed: &Editor<'_>, value: Inst) {
        let all = all_components(ed.func().ty(value));
        // Instructions without a result also use their operands.
        if all == 0 || self.read[value] | all != self.read[value] {
            self.read[value] |= all;
            self.work.push(value);
        }
    }

    /// Unused instructions still exist, and use their operands unchanged.
    fn use_dead(&mut self, ed: &Editor<'_>) {
        for block in self.blocks.clone() {
            let data = ed.func().block(block);
            for &value in data.params.iter().chain(data.insts.iter()) {
                if self.read[value] == 0 {
                    self.use_all(ed, value);
                }
            }
        }
        self.spread(ed);
    }

    fn add(&mut self, value: Inst, components: u16) {
        if self.read[value] | components != self.read[value] {
            self.read[value] |= components;
            self.work.push(value);
        }
    }

    /// Propagates used components to a fixed point. Each value is processed at most once for each of its
    /// components.
    fn spread(&mut self, ed: &Editor<'_>) {
        while let Some(value) = self.work.pop() {
            let read = self.read[value];
            match self.homes[value] {
                Some((block, at)) => {
                    for edge in ed.incoming(block) {
                        let arg = ed.edge_args(edge).and_then(|args| args.get(at)).copied();
                        arg.into_iter().for_each(|arg| self.add(arg, read));
                    }
                }
                None => {
                    let data = data_of(ed, value);
                    for (at, &arg) in data.args.iter().enumerate() {
                        let components = used_of(ed, data, at, read);
                        self.add(arg, components & all_components(ed.func().ty(arg)));
                    }
                }
            }
        }
    }

    fn plan(&self, ed: &Editor<'_>) -> Plan {
        let mut kept = SideTable::new();
        for &block in &self.blocks {
            let data = ed.func().block(block);
            for &value in data.params.iter().chain(data.insts.iter()) {
                kept[value] = self.kept(ed, value);
            }
        }
        Plan { blocks: self.blocks.clone(), kept }
    }

    /// The components to keep of a value, if they are not all.
    fn kept(&self, ed: &Editor<'_>, value: Inst) -> Option<Box<[u8]>> {
        let (ty, read) = (ed.func().ty(value), self.read[value]);
        let ValueType::Bits { components: 2.., .. } = ty else { return None };
        let is_param = self.homes[value].is_some_and(|(block, _)| !ed.incoming(block).is_empty());
        if read == 0 || !(is_param || can_narrow(data_of(ed, value))) {
            return None;
        }
        let count = COMPONENT_COUNTS.into_iter().find(|&count| u32::from(count) >= read.count_ones())?;
        if count >= ty.components() {
            return None;
        }
        // If the component count is not valid, unused components pad it.
        let mut spare = usize::from(count) - read.count_ones() as usize;
        let keep = |&at: &u8| {
            let wanted = read >> at & 1 == 1;
            let filled = !wanted && spare > 0;
            spare -= usize::from(filled);
            wanted || filled
        };
        Some((0..ty.components()).filter(keep).collect())
    }
}

fn data_of<'e>(ed: &'e Editor<'_>, value: Inst) -> &'e InstData {
    ed.func().inst(value)
}

/// Returns true if an instruction could have fewer result components.
pub(super) fn can_narrow(data: &InstData) -> bool {
    if !matches!(data.ty, ValueType::Bits { .. }) {
        return false;
    }
    match data.op {
        Op::Basic(BasicOp::Const | BasicOp::Undef | BasicOp::Copy) => true,
        Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle | VectorOp::Shuffle) => true,
        _ => is_componentwise(data),
    }
}

/// The components of operand `at` that are used, given the used components of the result.
fn used_of(ed: &Editor<'_>, data: &InstData, at: usize, read: u16) -> u16 {
    let components_before =
        || data.args.iter().take(at).map(|&arg| u32::from(ed.func().ty(arg).components())).sum::<u32>();
    match data.op {
        Op::Vector(VectorOp::Swizzle) => {
            let picks = picks(data).unwrap_or_default();
            let wanted = picks.iter().enumerate().filter(|(component, _)| read >> component & 1 == 1);
            wanted.filter(|(_, pick)| **pick < 16).fold(0, |mask, (_, &pick)| mask | 1 << pick)
        }
        // A part that is used at all is used whole: narrowing it would take a swizzle.
        Op::Vector(VectorOp::Vec) => {
            let components = data.args.get(at).map_or(0, |&arg| all_components(ed.func().ty(arg)));
            if read.checked_shr(components_before()).unwrap_or(0) & components == 0 { 0 } else { u16::MAX }
        }
        Op::Vector(VectorOp::Splat) => u16::from(read != 0),
        Op::Basic(BasicOp::Copy) => read,
        Op::Vector(VectorOp::Shuffle) => u16::MAX,
        _ if can_narrow(data) && is_per_component(data, at) => read,
        _ => u16::MAX,
    }
}

/// Returns true if narrowing a value creates more swizzles than it removes.
fn is_unprofitable(ed: &Editor<'_>, plan: &Plan, value: Inst) -> bool {
    let Some(kept) = plan.kept(value) else { return false };
    let data = data_of(ed, value);
    let made = match data.op {
        Op::Basic(BasicOp::Param) => return is_param_unprofitable(ed, plan, value, kept),
        Op::Basic(BasicOp::Const | BasicOp::Undef) | Op::Vector(VectorOp::Splat) => 0,
        // A swizzle of a swizzle is a single one; one that only reorders remains one.
        Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) => 0,
        Op::Vector(VectorOp::Vec) => parts_cut(ed, plan, data, kept),
        _ => {
            let laned = data
                .args
                .iter()
                .enumerate()
                .filter(|&(at, _)| is_per_component(data, at) || data.op == Op::Basic(BasicOp::Copy));
            laned.filter(|&(_, &arg)| !is_free(ed, plan, arg, kept)).count()
        }
    };
    made > picked_whole(ed, value, kept)
}

/// The number of vector constructor operands that are only partially kept.
fn parts_cut(ed: &Editor<'_>, plan: &Plan, data: &InstData, kept: &[u8]) -> usize {
    let mut start = 0;
    let mut cut = 0;
    for &part in data.args.iter() {
        let components = ed.func().ty(part).components();
        let of_part: Vec<u8> =
            kept.iter().filter(|&&at| at >= start && at - start < components).map(|&at| at - start).collect();
        let some = !of_part.is_empty() && of_part.len() < usize::from(components);
        cut += usize::from(some && !is_free(ed, plan, part, &of_part));
        start += components;
    }
    cut
}

/// Returns true if an operand is available with these components at no cost.
fn is_free(ed: &Editor<'_>, plan: &Plan, arg: Inst, kept: &[u8]) -> bool {
    let data = data_of(ed, arg);
    if plan.kept(arg) == Some(kept) {
        return true;
    }
    let alone = ed.use_count(arg) == 1;
    match data.op {
        Op::Basic(BasicOp::Const | BasicOp::Undef) => alone,
        Op::Vector(VectorOp::Splat | VectorOp::Swizzle) => alone,
        Op::Vector(VectorOp::Vec) if kept.len() == 1 => {
            data.args.iter().all(|&part| ed.func().ty(part).components() == 1)
        }
        _ => false,
    }
}

/// The number of users that pick exactly the kept components, and therefore become redundant.
fn picked_whole(ed: &Editor<'_>, value: Inst, kept: &[u8]) -> usize {
    let whole = |place: &Use| match *place {
        Use::Arg(reader, _) => {
            let data = data_of(ed, reader);
            data.op == Op::Vector(VectorOp::Swizzle) && picks(data).is_some_and(|picks| picks == kept)
        }
        Use::Terminator(..) | Use::Node(_) => false,
    };
    ed.uses(value).filter(whole).count()
}

/// A parameter is narrowed if every edge can pass the kept components at no cost.
fn is_param_unprofitable(ed: &Editor<'_>, plan: &Plan, param: Inst, kept: &[u8]) -> bool {
    let Some(block) = ed.block_of(param) else { return true };
    let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) else {
        return true;
    };
    let free = |arg: Option<&Inst>| arg.is_some_and(|&arg| arg == param || is_free(ed, plan, arg, kept));
    let made = ed
        .incoming(block)
        .into_iter()
        .filter(|&edge| !free(ed.edge_args(edge).and_then(|args| args.get(at))));
    made.count() > picked_whole(ed, param, kept)
}
