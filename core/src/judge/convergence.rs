//! Runs invocations in lockstep over a graph and over its tree, to measure the effect of structurization on
//! convergence.
//!
//! Sixteen invocations take decisions that depend on the condition, the invocation and the number of times that
//! the invocation has reached it, so that an invocation takes the same path through both. The graph is run like
//! on hardware that reconverges at immediate post-dominators (a stack of masks). The tree is run by its
//! constructs: invocations wait for the others after a construct, and at the end of a loop iteration.
//!
//! A *dynamic instance* is one execution of a block of the graph by a set of invocations; that set is a
//! *tangle*. Blocks are identified by their first instruction, since straight-line blocks are merged in the
//! tree; blocks without one are not counted. Only constants, parameters and registers are evaluated, since
//! dispatch blocks depend on them. No recursion; a run that exceeds a number of dynamic instances has no
//! result.

use crate::analysis::{Cfg, PostDom};
use crate::base::{SideTable, random, sort_by_number};
use crate::ir::{Block, FuncBody, Inst, Module, Nesting, Node, NodeKind, Reg, Region, Shape, Terminator};
use crate::ops::{IntOp, Key, Op, RegOp, ValueType};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of invocations that run together.
pub const INVOCATIONS: u32 = 16;

/// The maximum number of dynamic instances of a run.
const MAX_INSTANCES: usize = 4_000;

/// The result of a run on both sides, or the sum of several results.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Convergence {
    /// Runs that terminated on both sides.
    pub runs: u32,
    /// Runs in which every tangle was preserved and none was added.
    pub identical: u32,
    /// Dynamic instances of the graph with reconvergence at post-dominators.
    pub issues_before: u64,
    /// Dynamic instances of the tree.
    pub issues_after: u64,
    /// Tangles of the graph.
    pub tangles: u64,
    /// Tangles of the graph that the tree also has.
    pub kept: u64,
}

impl Convergence {
    /// Adds another result.
    pub fn add(&mut self, other: &Convergence) {
        self.runs += other.runs;
        self.identical += other.identical;
        self.issues_before += other.issues_before;
        self.issues_after += other.issues_after;
        self.tangles += other.tangles;
        self.kept += other.kept;
    }

    /// The number of dynamic instances of the tree for each one of the graph.
    pub fn issue_ratio(&self) -> f64 {
        self.issues_after as f64 / self.issues_before.max(1) as f64
    }

    /// The share of preserved tangles, from 0 to 1.
    pub fn tangle_match(&self) -> f64 {
        self.kept as f64 / self.tangles.max(1) as f64
    }
}

/// Runs a graph and its tree, once for each seed.
pub fn converge(
    module: &Module,
    graph: &FuncBody,
    tree: &FuncBody,
    seeds: std::ops::Range<u64>,
) -> Convergence {
    let mut sum = Convergence::default();
    let (Shape::Graph(_), Shape::Tree(_)) = (graph.shape(), tree.shape()) else { return sum };
    let cfg = std::rc::Rc::new(Cfg::of(graph));
    let postdom = PostDom::of(&cfg);
    let decided = Decided::of(graph, &cfg);
    let table = TreeTable::of(tree);
    for seed in seeds {
        let mut before = Invocations::new(module, graph, &decided, seed);
        let Some(issues) = before.over_graph(&cfg, &postdom) else { continue };
        let mut after = Invocations::new(module, tree, &decided, seed);
        let Some(structured) = after.over_tree(&table) else { continue };
        sum.add(&compare(&issues, &structured));
    }
    sum
}

/// A dynamic instance: the first instruction of the block, and the mask of invocations.
type DynamicInstance = (Inst, u32);

fn compare(before: &[DynamicInstance], after: &[DynamicInstance]) -> Convergence {
    let mut left: FxHashMap<DynamicInstance, u32> = FxHashMap::default();
    after.iter().for_each(|issue| *left.entry(*issue).or_default() += 1);
    let mut kept = 0;
    for issue in before {
        if let Some(count) = left.get_mut(issue).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    Convergence {
        runs: 1,
        identical: u32::from(kept == before.len() as u64 && after.len() == before.len()),
        issues_before: before.len() as u64,
        issues_after: after.len() as u64,
        tangles: before.len() as u64,
        kept,
    }
}

/// The decisions of the graph, which the tree must repeat.
struct Decided {
    /// First instructions of blocks.
    first: FxHashSet<Inst>,
    conditions: FxHashSet<Inst>,
    /// The possible values of a selector: those of its cases, and one without a case.
    selectors: FxHashMap<Inst, Vec<u64>>,
}

impl Decided {
    fn of(graph: &FuncBody, cfg: &Cfg) -> Decided {
        let mut decided = Decided {
            first: FxHashSet::default(),
            conditions: FxHashSet::default(),
            selectors: FxHashMap::default(),
        };
        for &block in cfg.blocks() {
            let data = graph.block(block);
            decided.first.extend(data.insts.first());
            match &data.terminator {
                Terminator::Branch { cond, .. } => {
                    decided.conditions.insert(*cond);
                }
                Terminator::Switch { on, cases, .. } => {
                    let values = decided.selectors.entry(*on).or_default();
                    values.extend(cases.iter().flat_map(|case| case.values.iter().copied()));
                }
                _ => {}
            }
        }
        for values in decided.selectors.values_mut() {
            sort_by_number(values, |&value| value);
            values.dedup();
            let other = (0..).find(|value| values.binary_search(value).is_err());
            values.extend(other);
        }
        decided
    }
}

/// The successors of each block of a tree, and positions in it.
struct TreeTable {
    nesting: Nesting,
    /// Positions in text order.
    at: SideTable<Block, u32>,
    /// The position of the end of a loop iteration.
    ends: SideTable<Node, u32>,
}

impl TreeTable {
    fn of(tree: &FuncBody) -> TreeTable {
        let mut table =
            TreeTable { nesting: Nesting::of(tree), at: SideTable::new(), ends: SideTable::new() };
        let mut at = 0;
        for step in crate::ir::TreeWalk::new(tree) {
            at += 1;
            match step {
                crate::ir::TreeStep::Block(block) => table.at[block] = at,
                crate::ir::TreeStep::Leave(node) => table.ends[node] = at,
                crate::ir::TreeStep::Enter(_) | crate::ir::TreeStep::Open(..) => {}
            }
        }
        table
    }
}

/// The position of an invocation in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TreePosition {
    Block(Block),
    /// At the end of an iteration of a loop without a continuing region.
    Round(Node),
}

struct Invocations<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    decided: &'a Decided,
    seed: u64,
    /// The number of times that an invocation has reached a condition.
    met: FxHashMap<(Inst, u32), u32>,
    /// The parameters of an invocation, if known.
    known: FxHashMap<(Inst, u32), u64>,
    /// The registers of an invocation, if known.
    regs: FxHashMap<(Reg, u32), u64>,
}

impl<'a> Invocations<'a> {
    fn new(module: &'a Module, body: &'a FuncBody, decided: &'a Decided, seed: u64) -> Invocations<'a> {
        Invocations {
            module,
            body,
            decided,
            seed,
            met: FxHashMap::default(),
            known: FxHashMap::default(),
            regs: FxHashMap::default(),
        }
    }

    /// A number that depends on the condition, on the number of times that the invocation reached it, and
    /// mostly on the invocation.
    fn pseudo_random(&mut self, on: Inst, invocation: u32) -> u64 {
        let count = self.met.entry((on, invocation)).or_default();
        *count += 1;
        let id = u64::from(
            on.to_string().bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte)),
        );
        let common = hash(self.seed ^ hash(id ^ u64::from(*count) << 32));
        // Half of the decisions are uniform.
        if common & 1 == 0 { common >> 8 } else { hash(common ^ u64::from(invocation)) >> 8 }
    }

    /// The constant or computed bits of a value, if they are known.
    fn value(&self, of: Inst, invocation: u32) -> Option<u64> {
        match self.body.const_of(of) {
            Some(bits) => self.module.bits_of(bits).components().first().copied(),
            None => self.known.get(&(of, invocation)).copied(),
        }
    }

    fn holds(&mut self, cond: Inst, invocation: u32) -> bool {
        if self.decided.conditions.contains(&cond) {
            return self.pseudo_random(cond, invocation) & 1 != 0;
        }
        if let Some(known) = self.value(cond, invocation) {
            return known != 0;
        }
        let data = self.body.inst(cond);
        match (data.op, &data.args[..]) {
            (Op::Int(IntOp::IEq), &[a, b]) => {
                let (a, b) = (self.value(a, invocation), self.value(b, invocation));
                a.is_some() && a == b
            }
            _ => self.pseudo_random(cond, invocation) & 1 != 0,
        }
    }

    fn selects(&mut self, on: Inst, invocation: u32) -> u64 {
        match (self.value(on, invocation), self.decided.selectors.get(&on)) {
            (Some(known), None) => known,
            (_, Some(values)) => {
                let count = values.len().max(1);
                let at = self.pseudo_random(on, invocation) as usize % count;
                self.decided.selectors[&on].get(at).copied().unwrap_or(0)
            }
            (None, None) => self.pseudo_random(on, invocation) % 4,
        }
    }

    /// Assigns the edge arguments to the parameters of a block.
    fn pass(&mut self, to: Block, args: &[Inst], invocation: u32) {
        let params = &self.body.block(to).params;
        let values: Vec<Option<u64>> = args.iter().map(|&arg| self.value(arg, invocation)).collect();
        for (&param, value) in params.iter().zip(values) {
            if !matches!(self.body.ty(param), ValueType::Bits { components: 1, .. }) {
                continue;
            }
            match value {
                Some(value) => drop(self.known.insert((param, invocation), value)),
                None => drop(self.known.remove(&(param, invocation))),
            }
        }
    }

    /// Records the execution of the blocks that start within a block of the tree.
    fn issue(&self, block: Block, mask: u32, issues: &mut Vec<DynamicInstance>) {
        let insts = self.body.block(block).insts.iter();
        issues.extend(insts.filter(|inst| self.decided.first.contains(inst)).map(|&inst| (inst, mask)));
    }

    /// Executes the register operations of a block, for some invocations.
    fn registers(&mut self, block: Block, here: &[u32]) {
        let body = self.body;
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let Some(reg) = data.entity::<Reg>(Key::Reg) else { continue };
            for &invocation in here {
                let (slot, value) = match (data.op, data.args.first()) {
                    (Op::Reg(RegOp::Load), _) => {
                        let held = self.regs.get(&(reg, invocation)).copied();
                        match held {
                            Some(held) => drop(self.known.insert((inst, invocation), held)),
                            None => drop(self.known.remove(&(inst, invocation))),
                        }
                        continue;
                    }
                    (Op::Reg(RegOp::Store), Some(&value)) => {
                        ((reg, invocation), self.value(value, invocation))
                    }
                    _ => continue,
                };
                match value {
                    Some(value) => drop(self.regs.insert(slot, value)),
                    None => drop(self.regs.remove(&slot)),
                }
            }
        }
    }

    /// Runs a graph; invocations reconverge at immediate post-dominators.
    fn over_graph(&mut self, cfg: &Cfg, postdom: &PostDom) -> Option<Vec<DynamicInstance>> {
        let mut issues = Vec::new();
        // The block, the reconvergence block, the mask.
        let mut stack: Vec<(Block, Option<Block>, u32)> = vec![(cfg.entry()?, None, (1 << INVOCATIONS) - 1)];
        let mut steps = 0;
        while let Some((block, until, mask)) = stack.pop() {
            if Some(block) == until {
                continue;
            }
            steps += 1;
            if steps > MAX_INSTANCES {
                return None;
            }
            self.issue(block, mask, &mut issues);
            let mut targets: Vec<(Block, u32)> = Vec::new();
            for invocation in invocations(mask) {
                let Some(to) = self.graph_target(block, invocation) else { continue };
                match targets.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, mask)) => *mask |= 1 << invocation,
                    None => targets.push((to, 1 << invocation)),
                }
            }
            match targets[..] {
                [] => {}
                [(to, mask)] => stack.push((to, until, mask)),
                _ => {
                    let join = postdom.ipdom(block);
                    let all = targets.iter().fold(0, |all, (_, mask)| all | mask);
                    if let Some(join) = join.filter(|&join| Some(join) != until) {
                        stack.push((join, until, all));
                    }
                    stack.extend(targets.into_iter().rev().map(|(to, mask)| (to, join.or(until), mask)));
                }
            }
        }
        Some(issues)
    }

    fn graph_target(&mut self, block: Block, invocation: u32) -> Option<Block> {
        let edge = match self.body.terminator(block) {
            Terminator::Goto(edge) => edge,
            Terminator::Branch { cond, then, els } => {
                if self.holds(*cond, invocation) {
                    then
                } else {
                    els
                }
            }
            Terminator::Switch { on, cases, default } => {
                let value = self.selects(*on, invocation);
                cases.iter().find(|case| case.values.contains(&value)).map_or(default, |case| &case.edge)
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => {
                return None;
            }
        };
        self.pass(edge.to, &edge.args, invocation);
        Some(edge.to)
    }

    /// Runs a tree: the invocations at the first position in text order run; the others wait.
    fn over_tree(&mut self, table: &TreeTable) -> Option<Vec<DynamicInstance>> {
        let mut issues = Vec::new();
        let mut at: Vec<Option<TreePosition>> =
            vec![Some(TreePosition::Block(self.body.entry()?)); INVOCATIONS as usize];
        let place = |point: TreePosition| match point {
            TreePosition::Block(block) => table.at[block],
            TreePosition::Round(node) => table.ends[node],
        };
        let mut steps = 0;
        while let Some(point) = at.iter().flatten().copied().min_by_key(|&point| place(point)) {
            steps += 1;
            if steps > 4 * MAX_INSTANCES || issues.len() > 4 * MAX_INSTANCES {
                return None;
            }
            let here: Vec<u32> =
                (0..INVOCATIONS).filter(|&invocation| at[invocation as usize] == Some(point)).collect();
            match point {
                TreePosition::Round(node) => {
                    let NodeKind::Loop { body, .. } = self.body.node(node).kind else { return None };
                    let header = TreePosition::Block(self.body.region(body).head);
                    here.iter().for_each(|&invocation| at[invocation as usize] = Some(header));
                }
                TreePosition::Block(block) => {
                    let mask = here.iter().fold(0, |mask, invocation| mask | 1 << invocation);
                    self.issue(block, mask, &mut issues);
                    self.registers(block, &here);
                    here.iter().for_each(|&invocation| {
                        at[invocation as usize] = self.tree_target(block, invocation, table);
                    });
                }
            }
        }
        Some(issues)
    }

    fn tree_target(&mut self, block: Block, invocation: u32, table: &TreeTable) -> Option<TreePosition> {
        let body = self.body;
        let head = |region: Region| body.region(region).head;
        match body.terminator(block) {
            Terminator::Next(args) => {
                let place = table.nesting.block(block)?;
                if let Some(&(node, _)) = body.region(place.region).rest.get(place.at) {
                    let region = match &body.node(node).kind {
                        NodeKind::If { cond, then, els } => {
                            if self.holds(*cond, invocation) {
                                *then
                            } else {
                                *els
                            }
                        }
                        NodeKind::Switch { on, arms } => {
                            let value = self.selects(*on, invocation);
                            let arm = arms.iter().find(|arm| arm.values.contains(&value));
                            arm.or(arms.iter().find(|arm| arm.default))?.body
                        }
                        NodeKind::Loop { body: region, .. } => {
                            self.pass(head(*region), args, invocation);
                            *region
                        }
                        NodeKind::Block { body: region } => *region,
                    };
                    return Some(TreePosition::Block(head(region)));
                }
                let owner = table.nesting.owner(place.region)?;
                match body.node(owner).kind {
                    NodeKind::Loop { body: region, .. } if region == place.region => {
                        self.next_iteration(owner, args, invocation)
                    }
                    NodeKind::Loop { body: region, .. } => {
                        self.pass(head(region), args, invocation);
                        Some(TreePosition::Round(owner))
                    }
                    _ => self.after_node(owner, args, invocation, table),
                }
            }
            Terminator::Break(node, args) => self.after_node(*node, args, invocation, table),
            Terminator::Continue(node, args) => self.next_iteration(*node, args, invocation),
            Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        }
    }

    fn after_node(
        &mut self,
        node: Node,
        args: &[Inst],
        invocation: u32,
        table: &TreeTable,
    ) -> Option<TreePosition> {
        let after = table.nesting.after(self.body, node)?;
        self.pass(after, args, invocation);
        Some(TreePosition::Block(after))
    }

    fn next_iteration(&mut self, node: Node, args: &[Inst], invocation: u32) -> Option<TreePosition> {
        match self.body.node(node).kind {
            NodeKind::Loop { continuing: Some(region), .. } => {
                let head = self.body.region(region).head;
                self.pass(head, args, invocation);
                Some(TreePosition::Block(head))
            }
            NodeKind::Loop { body, .. } => {
                self.pass(self.body.region(body).head, args, invocation);
                Some(TreePosition::Round(node))
            }
            _ => None,
        }
    }
}

fn invocations(mask: u32) -> impl Iterator<Item = u32> {
    (0..INVOCATIONS).filter(move |invocation| mask >> invocation & 1 != 0)
}

/// A pseudo-random number.
fn hash(number: u64) -> u64 {
    random::mixed(number.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::structurize::{Mode, structurize};
    use crate::text::parse;

    /// A loop with an exit in its middle whose path contains code.
    const LOOP: &str = "func @0(%0: b1, %1: b1, %2: b32) graph {\n^0:\n  %3: b32 = iadd %2, %2\n  goto ^1\n\
                        ^1:\n  %4: b32 = iadd %2, %3\n  branch %0, ^2, ^4\n^2:\n  %5: b32 = isub %2, %3\n  \
                        branch %1, ^3, ^1\n^3:\n  %6: b32 = imul %2, %3\n  goto ^4\n^4:\n  %7: b32 = ineg %2\n  return\n}\n";

    fn of(mode: Mode) -> Convergence {
        let mut module = parse(LOOP).module;
        let func = module.funcs().next().map(|(func, _)| func).expect("a function");
        let graph = module.func(func).expect("the function exists").clone();
        structurize(&mut module, func, mode).expect("a graph");
        let tree = module.func(func).expect("the function exists");
        converge(&module, &graph, tree, 0..40)
    }

    #[test]
    fn a_faithful_tree_keeps_tangles_and_one_switch_does_not() {
        let (faithful, switched) = (of(Mode::Faithful), of(Mode::SwitchLoop));
        assert_eq!((faithful.runs, switched.runs > 30), (40, true), "{faithful:?} {switched:?}");
        assert!(faithful.tangle_match() > 0.99, "{faithful:?}");
        assert!(switched.tangle_match() < faithful.tangle_match(), "{switched:?}");
        assert!(
            faithful.issue_ratio() < 1.01 && switched.issue_ratio() > faithful.issue_ratio(),
            "{switched:?}"
        );
    }

    #[test]
    fn every_invocation_takes_the_same_path_through_both() {
        // The blocks that each invocation runs do not depend on reconvergence.
        let invocation_issues = |issues: &[DynamicInstance]| {
            let mut sum: FxHashMap<(Inst, u32), u32> = FxHashMap::default();
            for &(inst, mask) in issues {
                invocations(mask).for_each(|invocation| *sum.entry((inst, invocation)).or_default() += 1);
            }
            sum
        };
        let graph = parse(LOOP).module;
        for mode in [Mode::Faithful, Mode::Imported] {
            let mut module = graph.clone();
            let func = module.funcs().next().map(|(func, _)| func).expect("a function");
            structurize(&mut module, func, mode).expect("a graph");
            let (before, after) = (
                graph.func(func).expect("the function exists"),
                module.func(func).expect("the function exists"),
            );
            let cfg = std::rc::Rc::new(Cfg::of(before));
            let decided = Decided::of(before, &cfg);
            for seed in 0..20 {
                let flat =
                    Invocations::new(&graph, before, &decided, seed).over_graph(&cfg, &PostDom::of(&cfg));
                let tree = Invocations::new(&module, after, &decided, seed).over_tree(&TreeTable::of(after));
                let (flat, tree) = (flat.expect("the run terminates"), tree.expect("the run terminates"));
                assert_eq!(invocation_issues(&flat), invocation_issues(&tree), "{mode:?}, seed {seed}");
            }
        }
    }
}
