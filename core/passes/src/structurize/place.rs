//! Steps 3 and 4: the position of each block of a reducible graph, by loop-aware dominator placement with
//! faithful exits.
//!
//! * A block with one incoming edge is placed at that edge (*inline*). A block where paths meet is placed after
//!   everything that its immediate dominator does before (*merge*).
//! * Blocks that a loop dominates but does not contain are placed after the loop (*after*), not in it:
//!   invocations that left the loop do not wait for the iterations of other invocations.
//! * But a *private* exit is placed inside the loop: one incoming edge, from directly inside the loop, and all
//!   further paths lead only to the targets of the loop's other exits, or return. This is the form of a
//!   programmer's `if (c) { work; break; }`. One exit of each loop is always placed after it.
//!
//! With hints, a declared merge block is placed after its header's construct, other exits of that loop are
//! placed inside it, and a declared continue target becomes the continuing region, if the graph allows it.

use super::prepare::Prepared;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use vitrine_analysis::{Cfg, Dom, Loop, Loops};
use vitrine_ir::base::{EntitySet, SideTable, sort_by_number};
use vitrine_ir::{Block, FuncBody, MergeInfo, Terminator};

/// The position of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Position {
    /// At the single edge that leads to it.
    #[default]
    Inline,
    /// After a node that edges leave by `break`.
    Label,
    /// The first block of a loop's continuing region.
    Continuing,
}

/// The hints that are taken into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// Merge blocks and continue targets.
    All,
    /// Merge blocks.
    Merges,
    /// None.
    None,
}

/// The placement tree.
pub(super) struct Placement {
    pub(super) cfg: Rc<Cfg>,
    /// True if hints are taken into account.
    pub(super) trusts: bool,
    pub(super) loops: Loops,
    pub(super) kind: SideTable<Block, Position>,
    /// Blocks placed after a block's own code, inside the loop it heads; in reverse post-order.
    pub(super) merges: SideTable<Block, Vec<Block>>,
    /// Blocks placed after the loop that a block heads; in reverse post-order.
    pub(super) afters: SideTable<Block, Vec<Block>>,
    /// The continue target of a header that gets a continuing region.
    pub(super) continuing: SideTable<Block, Option<Block>>,
    /// The position in a preorder of the dominator tree, and the end of the subtree.
    span: SideTable<Block, (u32, u32)>,
    /// Sources of the edges to a block, by their position in the preorder.
    sources: SideTable<Block, Vec<u32>>,
}

impl Placement {
    /// Computes the placement. The graph must be reducible.
    pub(super) fn of(prepared: &Prepared, trust: Trust) -> Placement {
        let body = prepared.asm.body();
        let cfg = Rc::new(Cfg::of(body));
        let dom = Dom::of(&cfg);
        let loops = Loops::of(body, &cfg);
        let (forced, closed) = (SideTable::new(), EntitySet::new());
        let mut placer = Placer { body, cfg: &cfg, dom: &dom, loops: &loops, forced, closed };
        let mut continuing = SideTable::new();
        if trust != Trust::None {
            placer.force_merges(&prepared.hints);
        }
        if trust == Trust::All {
            continuing = placer.continue_targets(&prepared.hints);
        }
        let stays = placer.private_exits();
        let mut kind = SideTable::new();
        let mut merges: SideTable<Block, Vec<Block>> = SideTable::new();
        let mut afters: SideTable<Block, Vec<Block>> = SideTable::new();
        for header in loops.all().map(|of| loops.header(of)) {
            if let Some(target) = continuing[header] {
                kind[target] = Position::Continuing;
            }
        }
        for &block in cfg.rpo() {
            let Some(parent) = dom.idom(block) else { continue };
            if kind[block] == Position::Continuing {
                continue;
            }
            match placer.forced[block] {
                Some((header, true)) => afters[header].push(block),
                Some((header, false)) => merges[header].push(block),
                None => match placer.exited(parent, block) {
                    Some(of) if !stays.contains(block) && !placer.closed.contains(loops.header(of)) => {
                        afters[loops.header(of)].push(block);
                    }
                    _ if placer.forward_edges(block) == 1 => continue,
                    _ => merges[parent].push(block),
                },
            }
            kind[block] = Position::Label;
        }
        let preorder = dom.preorder();
        let mut span = SideTable::new();
        let mut sources: SideTable<Block, Vec<u32>> = SideTable::new();
        for (at, &block) in (0u32..).zip(&preorder) {
            span[block] = (at, at + dom.subtree_size(block) as u32);
            for to in cfg.succs(block) {
                sources[to].push(at);
            }
        }
        Placement {
            kind,
            merges,
            afters,
            continuing,
            span,
            sources,
            loops,
            cfg: cfg.clone(),
            trusts: trust != Trust::None,
        }
    }

    /// Returns true if a block heads a loop.
    pub(super) fn is_header(&self, block: Block) -> bool {
        self.loops.headed_by(block).is_some()
    }

    /// Returns true if an edge is a back edge.
    pub(super) fn is_back(&self, from: Block, to: Block) -> bool {
        self.loops.headed_by(to).is_some_and(|of| self.loops.contains(of, from))
    }

    /// Returns true if some edge from the blocks that `top` dominates leads to `to`.
    pub(super) fn leads_to(&self, top: Block, to: Block) -> bool {
        let (start, end) = self.span[top];
        let sources = &self.sources[to];
        sources.get(sources.partition_point(|&at| at < start)).is_some_and(|&at| at < end)
    }

    /// The number of blocks that a block dominates, including itself.
    pub(super) fn weight(&self, block: Block) -> u32 {
        self.span[block].1 - self.span[block].0
    }
}

/// A target outside a subtree of the dominator tree. The key is the depth of the shallowest vertex whose
/// subtree contains the target.
type Leaving = Option<(u32, Block)>;

struct Placer<'a> {
    body: &'a FuncBody,
    cfg: &'a Rc<Cfg>,
    dom: &'a Dom,
    loops: &'a Loops,
    /// Declared merge blocks: the header, and a flag that is true if they are placed after its loop.
    forced: SideTable<Block, Option<(Block, bool)>>,
    /// Headers of loops with a declared merge block: all other exits are inside the construct.
    closed: EntitySet<Block>,
}

impl Placer<'_> {
    /// The outermost loop that contains `from` but not `to`.
    fn exited(&self, from: Block, to: Block) -> Option<Loop> {
        let nest = std::iter::successors(self.loops.innermost(from), |&of| self.loops.parent(of));
        nest.take_while(|&of| !self.loops.contains(of, to)).last()
    }

    /// The number of forward edges to a block; edges of one switch with the same arguments count once.
    fn forward_edges(&self, block: Block) -> usize {
        let own = self.loops.headed_by(block);
        let mut count = 0;
        let mut last = None;
        let mut passed: FxHashSet<&[vitrine_ir::Inst]> = FxHashSet::default();
        for edge in self.cfg.in_edges(block) {
            let from = self.cfg.edge(edge).from;
            if own.is_some_and(|of| self.loops.contains(of, from)) {
                continue;
            }
            let is_switch = matches!(self.body.terminator(from), Terminator::Switch { .. });
            if last != Some(from) {
                passed.clear();
            }
            last = Some(from);
            if !is_switch || passed.insert(self.cfg.args(self.body, edge)) {
                count += 1;
            }
        }
        count
    }

    /// Exits that are placed inside the loop they leave.
    fn private_exits(&self) -> EntitySet<Block> {
        let leaving = self.leaving();
        let mut exits: Vec<Vec<(Block, bool)>> = vec![Vec::new(); self.loops.len()];
        for &block in self.cfg.rpo() {
            let Some(parent) = self.dom.idom(block) else { continue };
            let Some(of) = self.exited(parent, block) else { continue };
            let depth = self.dom.depth(block);
            let mut targets = leaving[block].iter().flatten().filter(|(key, _)| *key < depth);
            let leads_on = match (targets.next(), targets.next()) {
                (None, _) => true,
                (Some(&(_, to)), None) => {
                    let above = self.dom.idom(to);
                    !self.loops.contains(of, to) && above.is_some_and(|up| self.loops.contains(of, up))
                }
                (Some(_), Some(_)) => false,
            };
            let direct = self.loops.innermost(parent) == Some(of);
            let forced = self.forced[block].is_some();
            let private = !forced && leads_on && direct && self.forward_edges(block) == 1;
            exits[vitrine_ir::base::EntityId::index(of)].push((block, private));
        }
        let mut stays = EntitySet::new();
        for (of, exits) in self.loops.all().zip(&exits) {
            let outside = self.exit_after_loop(of, exits);
            for &(block, private) in exits {
                if private && Some(block) != outside {
                    stays.insert(block);
                }
            }
        }
        stays
    }

    /// The private exit that is placed after the loop if no other exit is: the one taken at the header, else at
    /// a latch, else the one that dominates most blocks, else the first.
    fn exit_after_loop(&self, of: Loop, exits: &[(Block, bool)]) -> Option<Block> {
        if exits.iter().any(|&(_, private)| !private) {
            return None;
        }
        let taken_at = |block: Block| self.dom.idom(block);
        let header = self.loops.header(of);
        let blocks = || exits.iter().map(|&(block, _)| block);
        if let Some(block) = blocks().find(|&block| taken_at(block) == Some(header)) {
            return Some(block);
        }
        let latches: EntitySet<Block> = self.loops.latches(of).into_iter().collect();
        if let Some(block) = blocks().find(|&block| taken_at(block).is_some_and(|up| latches.contains(up))) {
            return Some(block);
        }
        // `max_by_key` would return the last one of equal elements.
        blocks().rev().max_by_key(|&block| self.dom.subtree_size(block))
    }

    /// For each block the two distinct targets outside its subtree with the smallest keys. Moving up the tree
    /// removes targets with large keys first, so two are enough to distinguish none, one and several.
    fn leaving(&self) -> SideTable<Block, [Leaving; 2]> {
        let mut leaving: SideTable<Block, [Leaving; 2]> = SideTable::new();
        for &block in self.cfg.rpo().iter().rev() {
            for to in self.cfg.succs(block) {
                let back = self.dom.dominates(to, block);
                let key = if back {
                    self.dom.depth(to)
                } else {
                    self.dom.idom(to).map_or(0, |up| self.dom.depth(up))
                };
                keep(&mut leaving[block], (key, to));
            }
            let Some(parent) = self.dom.idom(block) else { continue };
            let depth = self.dom.depth(block);
            for target in leaving[block].into_iter().flatten().filter(|(key, _)| *key < depth) {
                keep(&mut leaving[parent], target);
            }
        }
        leaving
    }

    /// Applies declared merge blocks: each at most once, if it is dominated by its header and in the loop
    /// around the header's construct.
    fn force_merges(&mut self, hints: &[(Block, Rc<MergeInfo>)]) {
        for (header, hint) in hints {
            let merge = hint.merge;
            if !self.dom.strictly_dominates(*header, merge) || self.forced[merge].is_some() {
                continue;
            }
            let own = self.loops.headed_by(*header);
            let behind_loop = hint.cont.is_some() && own.is_some();
            let around = match own {
                Some(of) if behind_loop => self.loops.parent(of),
                _ => self.loops.innermost(*header),
            };
            let of_merge = match self.loops.headed_by(merge) {
                Some(of) => self.loops.parent(of),
                None => self.loops.innermost(merge),
            };
            if of_merge != around {
                continue;
            }
            self.forced[merge] = Some((*header, behind_loop));
            if behind_loop {
                self.closed.insert(*header);
            }
        }
    }

    /// Continue targets that can become continuing regions: one latch, which the target dominates, and no other
    /// path from there into the loop than through its header.
    fn continue_targets(&self, hints: &[(Block, Rc<MergeInfo>)]) -> SideTable<Block, Option<Block>> {
        let mut continuing = SideTable::new();
        for (header, hint) in hints {
            let (Some(of), Some(target)) = (self.loops.headed_by(*header), hint.cont) else { continue };
            let mut back = self.loops.back_edges(of);
            let (Some(latch), None) = (back.next(), back.next()) else { continue };
            let fits = target != *header
                && self.loops.innermost(target) == Some(of)
                && self.forced[target].is_none()
                && self.dom.dominates(target, self.cfg.edge(latch).from);
            if fits {
                continuing[*header] = Some(target);
            }
        }
        continuing
    }
}

fn keep(targets: &mut [Leaving; 2], new: (u32, Block)) {
    let [first, second] = *targets;
    let mut all = [first, second, Some(new)];
    if let Some(old) = all[..2].iter_mut().flatten().find(|old| old.1 == new.1) {
        old.0 = old.0.min(new.0);
        all[2] = None;
    }
    sort_by_number(&mut all, |target| target.map_or(u32::MAX, |(key, _)| key).into());
    *targets = [all[0], all[1]];
}
