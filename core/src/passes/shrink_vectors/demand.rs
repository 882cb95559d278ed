//! Which components of every value are read, and which values are worth narrowing.
//!
//! Changes nothing.

use crate::base::SideTable;
use crate::ir::{Block, Editor, Inst, InstData, Terminator, Use};
use crate::ops::ty::COMPONENT_COUNTS;
use crate::ops::{BasicOp, Op, ValueType, VectorOp};
use crate::passes::util::components::{is_componentwise, is_per_component, picks, stored_only};
use crate::passes::util::open::in_order;

/// Rounds in which values turn out not to be worth it. What is found out too late stays as it is.
const MOST_ROUNDS: usize = 16;

/// The components to keep of each value that is narrowed, in order; values that stay have none.
pub(super) struct Plan {
    /// Reachable blocks, each behind what dominates it.
    pub(super) blocks: Vec<Block>,
    kept: SideTable<Inst, Option<Box<[u8]>>>,
}

impl Plan {
    /// The components to keep of a value that is narrowed.
    pub(super) fn kept(&self, value: Inst) -> Option<&[u8]> {
        self.kept[value].as_deref()
    }
}

/// What to narrow, and to what.
pub(super) fn plan(ed: &Editor<'_>) -> Plan {
    let mut demand = Demand::of(ed);
    demand.spread(ed);
    demand.read_dead(ed);
    for round in 0..MOST_ROUNDS {
        let plan = demand.plan(ed);
        let all = plan.all(ed);
        let dear: Vec<Inst> = all.iter().copied().filter(|&value| is_dear(ed, &plan, value)).collect();
        if dear.is_empty() {
            return plan;
        }
        // At the end, what is still dear takes along everything that might depend on it.
        let stay = if round + 1 == MOST_ROUNDS { all } else { dear };
        stay.into_iter().for_each(|value| demand.read_all(ed, value));
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

/// Components read, as masks: bit `i` is component `i`.
struct Demand {
    blocks: Vec<Block>,
    read: SideTable<Inst, u16>,
    /// Block and place of each parameter that edges bring something to.
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
                // One component is never worth a question; what cannot be narrowed reads all it reads.
                let data = data_of(ed, inst);
                let mut types = data.args.iter().map(|&arg| ed.func().ty(arg)).chain([data.ty]);
                let only_moves = types.any(|ty| ty.width().is_some_and(|width| stored_only.contains(&width)));
                if data.ty.components() < 2 || !can_narrow(data) || only_moves {
                    demand.read_all(ed, inst);
                }
            }
            if let Terminator::Return(Some(value)) = data.terminator {
                demand.read_all(ed, value);
            }
        }
        demand
    }

    fn read_all(&mut self, ed: &Editor<'_>, value: Inst) {
        let all = all_components(ed.func().ty(value));
        // What yields nothing reads all the same.
        if all == 0 || self.read[value] | all != self.read[value] {
            self.read[value] |= all;
            self.work.push(value);
        }
    }

    /// What nobody reads in the end is there all the same, and reads its operands as they are.
    fn read_dead(&mut self, ed: &Editor<'_>) {
        for block in self.blocks.clone() {
            let data = ed.func().block(block);
            for &value in data.params.iter().chain(data.insts.iter()) {
                if self.read[value] == 0 {
                    self.read_all(ed, value);
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

    /// Hands on what is read, until nothing is new. Each value is handed on once for each of its components at most.
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
                        let components = read_of(ed, data, at, read);
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

    /// The components to keep of a value, if they are fewer than it has.
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
        // Where a count does not exist, components that nobody reads fill up.
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

/// Whether an instruction could yield fewer components.
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

/// The components of operand `at` that are read where these components of the result are.
fn read_of(ed: &Editor<'_>, data: &InstData, at: usize, read: u16) -> u16 {
    let components_before =
        || data.args.iter().take(at).map(|&arg| u32::from(ed.func().ty(arg).components())).sum::<u32>();
    match data.op {
        Op::Vector(VectorOp::Swizzle) => {
            let picks = picks(data).unwrap_or_default();
            let wanted = picks.iter().enumerate().filter(|(component, _)| read >> component & 1 == 1);
            wanted.filter(|(_, pick)| **pick < 16).fold(0, |mask, (_, &pick)| mask | 1 << pick)
        }
        // A part that is read at all is read as it is: cutting it would take a swizzle.
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

/// Whether narrowing a value makes more swizzles than go away.
fn is_dear(ed: &Editor<'_>, plan: &Plan, value: Inst) -> bool {
    let Some(kept) = plan.kept(value) else { return false };
    let data = data_of(ed, value);
    let made = match data.op {
        Op::Basic(BasicOp::Param) => return param_is_dear(ed, plan, value, kept),
        Op::Basic(BasicOp::Const | BasicOp::Undef) | Op::Vector(VectorOp::Splat) => 0,
        // A swizzle of a swizzle is one; one that only reorders stays one.
        Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) => 0,
        Op::Vector(VectorOp::Vec) => parts_cut(ed, plan, data, kept),
        _ => {
            let laned = data
                .args
                .iter()
                .enumerate()
                .filter(|&(at, _)| is_per_component(data, at) || data.op == Op::Basic(BasicOp::Copy));
            laned.filter(|&(_, &arg)| !is_narrowed_free(ed, plan, arg, kept)).count()
        }
    };
    made > picked_whole(ed, value, kept)
}

/// Parts of a value put together of which some components are kept and others not.
fn parts_cut(ed: &Editor<'_>, plan: &Plan, data: &InstData, kept: &[u8]) -> usize {
    let mut start = 0;
    let mut cut = 0;
    for &part in data.args.iter() {
        let components = ed.func().ty(part).components();
        let of_part: Vec<u8> =
            kept.iter().filter(|&&at| at >= start && at - start < components).map(|&at| at - start).collect();
        let some = !of_part.is_empty() && of_part.len() < usize::from(components);
        cut += usize::from(some && !is_narrowed_free(ed, plan, part, &of_part));
        start += components;
    }
    cut
}

/// Whether an operand is there with these components anyway.
fn is_narrowed_free(ed: &Editor<'_>, plan: &Plan, arg: Inst, kept: &[u8]) -> bool {
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

/// How many readers pick exactly the components that are kept, and so go away.
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

/// A parameter is narrowed where every edge brings something that is there in its components anyway.
fn param_is_dear(ed: &Editor<'_>, plan: &Plan, param: Inst, kept: &[u8]) -> bool {
    let Some(block) = ed.block_of(param) else { return true };
    let Some(at) = ed.func().block(block).params.iter().position(|&other| other == param) else {
        return true;
    };
    let free =
        |arg: Option<&Inst>| arg.is_some_and(|&arg| arg == param || is_narrowed_free(ed, plan, arg, kept));
    let made = ed
        .incoming(block)
        .into_iter()
        .filter(|&edge| !free(ed.edge_args(edge).and_then(|args| args.get(at))));
    made.count() > picked_whole(ed, param, kept)
}
