//! Invocations in lock step over a graph and over the tree made of it: what structuring does to convergence.
//!
//! Sixteen invocations take decisions that depend on the condition, the invocation and how often the invocation met
//! it, so that a
//! invocation takes the same way through both. The graph is run as hardware does it that joins invocations at immediate
//! post-dominators (a stack of masks); the tree as its constructs say: invocations wait behind a construct, and at the
//! end of a round of a loop, for those still inside.
//!
//! An *issue* is a block of the graph run for a set of invocations; that set is a *tangle*. Blocks are recognised by their
//! first instruction, since the tree joins blocks in a straight line; blocks without one are not counted. Only
//! constants, parameters and registers are computed, which dispatch blocks decide by. No recursion; a run that does
//! not end within a number of issues gives nothing.

use crate::analysis::{Cfg, PostDom};
use crate::base::{SideTable, sort_by_number};
use crate::ir::{Block, FuncBody, Inst, Module, Nesting, Node, NodeKind, Reg, Region, Shape, Terminator};
use crate::ops::{IntOp, Key, Op, RegOp, ValueType};
use rustc_hash::{FxHashMap, FxHashSet};

/// Invocations that run together.
pub const INVOCATIONS: u32 = 16;

/// Most issues of a run.
const LONGEST: usize = 4_000;

/// What a run on both sides came to; sums of several runs too.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Convergence {
    /// Runs that ended on both sides.
    pub runs: u32,
    /// Runs in which every tangle was kept and none was added.
    pub identical: u32,
    /// Issues of the graph, joined at post-dominators.
    pub issues_before: u64,
    /// Issues of the tree.
    pub issues_after: u64,
    /// Tangles of the graph.
    pub tangles: u64,
    /// Those of them that the tree has too.
    pub kept: u64,
}

impl Convergence {
    /// Adds another sum.
    pub fn add(&mut self, other: &Convergence) {
        self.runs += other.runs;
        self.identical += other.identical;
        self.issues_before += other.issues_before;
        self.issues_after += other.issues_after;
        self.tangles += other.tangles;
        self.kept += other.kept;
    }

    /// Issues of the tree for each issue of the graph.
    pub fn issue_ratio(&self) -> f64 {
        self.issues_after as f64 / self.issues_before.max(1) as f64
    }

    /// The share of tangles kept, from 0 to 1.
    pub fn tangle_match(&self) -> f64 {
        self.kept as f64 / self.tangles.max(1) as f64
    }
}

/// Runs a graph and the tree made of it, once for each seed.
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
    let walk = Walk::of(tree);
    for seed in seeds {
        let mut before = Invocations::new(module, graph, &decided, seed);
        let Some(issues) = before.over_graph(&cfg, &postdom) else { continue };
        let mut after = Invocations::new(module, tree, &decided, seed);
        let Some(structured) = after.over_tree(&walk) else { continue };
        sum.add(&compare(&issues, &structured));
    }
    sum
}

/// A block that was run, by its first instruction, and for which invocations.
type Issue = (Inst, u32);

fn compare(before: &[Issue], after: &[Issue]) -> Convergence {
    let mut left: FxHashMap<Issue, u32> = FxHashMap::default();
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

/// What the graph decides by, which the tree decides by too.
struct Decided {
    /// First instructions of blocks.
    first: FxHashSet<Inst>,
    conditions: FxHashSet<Inst>,
    /// Values that a selector may have: those of its cases, and one that is none of them.
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

/// The tree as a table: what comes behind each block, and where things stand.
struct Walk {
    nesting: Nesting,
    /// Places in the text.
    at: SideTable<Block, u32>,
    /// Where a round of a loop ends.
    ends: SideTable<Node, u32>,
}

impl Walk {
    fn of(tree: &FuncBody) -> Walk {
        let mut walk = Walk { nesting: Nesting::of(tree), at: SideTable::new(), ends: SideTable::new() };
        let mut at = 0;
        for step in crate::ir::TreeWalk::new(tree) {
            at += 1;
            match step {
                crate::ir::TreeStep::Block(block) => walk.at[block] = at,
                crate::ir::TreeStep::Leave(node) => walk.ends[node] = at,
                crate::ir::TreeStep::Enter(_) | crate::ir::TreeStep::Open(..) => {}
            }
        }
        walk
    }
}

/// Where an invocation of a tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Point {
    Block(Block),
    /// At the end of a round of a loop without a continuing region.
    Round(Node),
}

struct Invocations<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    decided: &'a Decided,
    seed: u64,
    /// How often an invocation met a condition.
    met: FxHashMap<(Inst, u32), u32>,
    /// What parameters of an invocation are, as far as that is known.
    known: FxHashMap<(Inst, u32), u64>,
    /// What registers of an invocation hold, as far as that is known.
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

    /// A number that depends on the condition, on how often the invocation met it, and mostly on the invocation.
    fn chance(&mut self, on: Inst, invocation: u32) -> u64 {
        let count = self.met.entry((on, invocation)).or_default();
        *count += 1;
        let id = u64::from(
            on.to_string().bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte)),
        );
        let common = mix(self.seed ^ mix(id ^ u64::from(*count) << 32));
        // Half of the decisions are the same for all invocations.
        if common & 1 == 0 { common >> 8 } else { mix(common ^ u64::from(invocation)) >> 8 }
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
            return self.chance(cond, invocation) & 1 != 0;
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
            _ => self.chance(cond, invocation) & 1 != 0,
        }
    }

    fn selects(&mut self, on: Inst, invocation: u32) -> u64 {
        match (self.value(on, invocation), self.decided.selectors.get(&on)) {
            (Some(known), None) => known,
            (_, Some(values)) => {
                let count = values.len().max(1);
                let at = self.chance(on, invocation) as usize % count;
                self.decided.selectors[&on].get(at).copied().unwrap_or(0)
            }
            (None, None) => self.chance(on, invocation) % 4,
        }
    }

    /// Passes arguments on to the parameters of a block.
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

    /// Notes that the blocks which begin among the instructions of a block were run.
    fn issue(&self, block: Block, mask: u32, issues: &mut Vec<Issue>) {
        let insts = self.body.block(block).insts.iter();
        issues.extend(insts.filter(|inst| self.decided.first.contains(inst)).map(|&inst| (inst, mask)));
    }

    /// What a block does to registers, for some invocations.
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

    /// Joins invocations at immediate post-dominators.
    fn over_graph(&mut self, cfg: &Cfg, postdom: &PostDom) -> Option<Vec<Issue>> {
        let mut issues = Vec::new();
        // Where, until where, for whom.
        let mut stack: Vec<(Block, Option<Block>, u32)> = vec![(cfg.entry()?, None, (1 << INVOCATIONS) - 1)];
        let mut steps = 0;
        while let Some((block, until, mask)) = stack.pop() {
            if Some(block) == until {
                continue;
            }
            steps += 1;
            if steps > LONGEST {
                return None;
            }
            self.issue(block, mask, &mut issues);
            let mut ways: Vec<(Block, u32)> = Vec::new();
            for invocation in invocations(mask) {
                let Some(to) = self.graph_target(block, invocation) else { continue };
                match ways.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, mask)) => *mask |= 1 << invocation,
                    None => ways.push((to, 1 << invocation)),
                }
            }
            match ways[..] {
                [] => {}
                [(to, mask)] => stack.push((to, until, mask)),
                _ => {
                    let join = postdom.ipdom(block);
                    let all = ways.iter().fold(0, |all, (_, mask)| all | mask);
                    if let Some(join) = join.filter(|&join| Some(join) != until) {
                        stack.push((join, until, all));
                    }
                    stack.extend(ways.into_iter().rev().map(|(to, mask)| (to, join.or(until), mask)));
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

    /// Lets the invocations run that stand first in the text; the others wait.
    fn over_tree(&mut self, walk: &Walk) -> Option<Vec<Issue>> {
        let mut issues = Vec::new();
        let mut at: Vec<Option<Point>> = vec![Some(Point::Block(self.body.entry()?)); INVOCATIONS as usize];
        let place = |point: Point| match point {
            Point::Block(block) => walk.at[block],
            Point::Round(node) => walk.ends[node],
        };
        let mut steps = 0;
        while let Some(point) = at.iter().flatten().copied().min_by_key(|&point| place(point)) {
            steps += 1;
            if steps > 4 * LONGEST || issues.len() > 4 * LONGEST {
                return None;
            }
            let here: Vec<u32> =
                (0..INVOCATIONS).filter(|&invocation| at[invocation as usize] == Some(point)).collect();
            match point {
                Point::Round(node) => {
                    let NodeKind::Loop { body, .. } = self.body.node(node).kind else { return None };
                    let header = Point::Block(self.body.region(body).head);
                    here.iter().for_each(|&invocation| at[invocation as usize] = Some(header));
                }
                Point::Block(block) => {
                    let mask = here.iter().fold(0, |mask, invocation| mask | 1 << invocation);
                    self.issue(block, mask, &mut issues);
                    self.registers(block, &here);
                    here.iter().for_each(|&invocation| {
                        at[invocation as usize] = self.tree_target(block, invocation, walk)
                    });
                }
            }
        }
        Some(issues)
    }

    fn tree_target(&mut self, block: Block, invocation: u32, walk: &Walk) -> Option<Point> {
        let body = self.body;
        let head = |region: Region| body.region(region).head;
        match body.terminator(block) {
            Terminator::Next(args) => {
                let place = walk.nesting.block(block)?;
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
                    return Some(Point::Block(head(region)));
                }
                let owner = walk.nesting.owner(place.region)?;
                match body.node(owner).kind {
                    NodeKind::Loop { body: region, .. } if region == place.region => {
                        self.round(owner, args, invocation)
                    }
                    NodeKind::Loop { body: region, .. } => {
                        self.pass(head(region), args, invocation);
                        Some(Point::Round(owner))
                    }
                    _ => self.behind(owner, args, invocation, walk),
                }
            }
            Terminator::Break(node, args) => self.behind(*node, args, invocation, walk),
            Terminator::Continue(node, args) => self.round(*node, args, invocation),
            Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        }
    }

    fn behind(&mut self, node: Node, args: &[Inst], invocation: u32, walk: &Walk) -> Option<Point> {
        let after = walk.nesting.after(self.body, node)?;
        self.pass(after, args, invocation);
        Some(Point::Block(after))
    }

    fn round(&mut self, node: Node, args: &[Inst], invocation: u32) -> Option<Point> {
        match self.body.node(node).kind {
            NodeKind::Loop { continuing: Some(region), .. } => {
                let head = self.body.region(region).head;
                self.pass(head, args, invocation);
                Some(Point::Block(head))
            }
            NodeKind::Loop { body, .. } => {
                self.pass(self.body.region(body).head, args, invocation);
                Some(Point::Round(node))
            }
            _ => None,
        }
    }
}

fn invocations(mask: u32) -> impl Iterator<Item = u32> {
    (0..INVOCATIONS).filter(move |invocation| mask >> invocation & 1 != 0)
}

/// A number that looks like chance.
fn mix(number: u64) -> u64 {
    let mut hash = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::structurize::{Mode, structurize};
    use crate::text::parse;

    /// A loop with an exit in its middle that does something on its way out.
    const LOOP: &str = "func @0(%0: b1, %1: b1, %2: b32) graph {\n^0:\n  %3: b32 = iadd %2, %2\n  goto ^1\n\
                        ^1:\n  %4: b32 = iadd %2, %3\n  branch %0, ^2, ^4\n^2:\n  %5: b32 = isub %2, %3\n  \
                        branch %1, ^3, ^1\n^3:\n  %6: b32 = imul %2, %3\n  goto ^4\n^4:\n  %7: b32 = ineg %2\n  return\n}\n";

    fn of(mode: Mode) -> Convergence {
        let mut module = parse(LOOP).module;
        let func = module.funcs().next().map(|(func, _)| func).expect("a function");
        let graph = module.func(func).expect("it is there").clone();
        structurize(&mut module, func, mode).expect("a graph");
        let tree = module.func(func).expect("it is there");
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
    fn every_invocation_takes_the_same_way_through_both() {
        // What each invocation runs, summed over tangles, is the same however invocations are joined.
        let invocation_issues = |issues: &[Issue]| {
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
            let (before, after) =
                (graph.func(func).expect("it is there"), module.func(func).expect("it is there"));
            let cfg = std::rc::Rc::new(Cfg::of(before));
            let decided = Decided::of(before, &cfg);
            for seed in 0..20 {
                let flat =
                    Invocations::new(&graph, before, &decided, seed).over_graph(&cfg, &PostDom::of(&cfg));
                let tree = Invocations::new(&module, after, &decided, seed).over_tree(&Walk::of(after));
                let (flat, tree) = (flat.expect("it ends"), tree.expect("it ends"));
                assert_eq!(invocation_issues(&flat), invocation_issues(&tree), "{mode:?}, seed {seed}");
            }
        }
    }
}
