//! The input for a function: its control-flow graph, its loops as bands, its arms as groups.
//!
//! Bands of a graph are its loops as found by the analysis, including irreducible ones. Bands of a tree are
//! its loop nodes with all their contents, including blocks that only lead out.

use super::{Group, GroupKind, Input, Link, Node};
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg, Dom, Loops};
use vitrine_ir::base::{EntityId, EntitySet, SideTable};
use vitrine_ir::{Block, Func, FuncBody, Module, NodeKind, Region, Shape};

/// The input for a function: empty for one without a body. `size` returns width and height in px.
///
/// Nodes are in the order of [`Cfg::blocks`] and edges in that of [`Cfg::edges`].
pub fn input_of(
    module: &Module,
    func: Func,
    analyses: &mut Analyses,
    mut size: impl FnMut(Block) -> (i32, i32),
) -> Input {
    let Some(body) = module.func(func) else { return Input::default() };
    let cfg = analyses.get::<Cfg>(module, func);
    let dom = analyses.get::<Dom>(module, func);
    let loops = analyses.get::<Loops>(module, func);
    let (groups, of) = groups_of(body, &cfg, &dom, &loops);
    let node = |&block: &Block| {
        let (width, height) = size(block);
        Node { block, width, height, group: of[block] }
    };
    let nodes: Vec<Node> = cfg.blocks().iter().map(node).collect();
    let mut number: SideTable<Block, u32> = SideTable::new();
    for (at, &block) in (0u32..).zip(cfg.blocks()) {
        number[block] = at;
    }
    let link = |edge| {
        let edge = cfg.edge(edge);
        Link { from: number[edge.from], to: number[edge.to], kind: edge.kind }
    };
    let edges = cfg.edges().map(link).collect();
    let entry = cfg.entry().map(|block| number[block]);
    Input { nodes, edges, groups, entry, ..Input::default() }
}

/// Loops and arms of a function, and the innermost one each block is in. `O(E log V)`.
///
/// An arm is the set of blocks dominated by one successor of a branch, if it has several blocks and at most
/// one successor outside. Arms of a ladder with the same successor are one arm, so that they share the long
/// edge to it.
pub fn groups_of(
    body: &FuncBody,
    cfg: &Rc<Cfg>,
    dom: &Dom,
    loops: &Loops,
) -> (Vec<Group>, SideTable<Block, Option<u32>>) {
    let bands = match body.shape() {
        Shape::Tree(root) => Bands::of_tree(body, *root),
        Shape::Graph(_) | Shape::Declaration => Bands::of_loops(cfg, loops),
    };
    let arms = Arms::of(cfg, dom, &bands);
    Groups::of(cfg, dom, &bands, &arms)
}

/// Loops to draw.
#[derive(Default)]
struct Bands {
    /// The loop that encloses each, a smaller index.
    parents: Vec<Option<u32>>,
    headers: Vec<Block>,
    depths: Vec<u32>,
    /// The innermost loop that contains each block.
    inner: SideTable<Block, Option<u32>>,
    /// If set, a block other than the header has a predecessor outside.
    irreducible: Vec<bool>,
}

impl Bands {
    fn of_loops(cfg: &Cfg, loops: &Loops) -> Bands {
        let number = |of: vitrine_analysis::Loop| of.index() as u32;
        let mut bands = Bands::default();
        for of in loops.all() {
            bands.parents.push(loops.parent(of).map(number));
            bands.headers.push(loops.header(of));
            bands.depths.push(loops.depth(of));
            bands.irreducible.push(loops.is_irreducible(of));
        }
        for &block in cfg.blocks() {
            bands.inner[block] = loops.innermost(block).map(number);
        }
        bands
    }

    fn of_tree(body: &FuncBody, root: Region) -> Bands {
        let mut bands = Bands::default();
        let mut seen = EntitySet::new();
        let mut stack = vec![(root, None::<u32>)];
        let tables = body.tables();
        while let Some((region, around)) = stack.pop() {
            let Some(data) = tables.regions.get(region).filter(|_| seen.insert(region)) else { continue };
            for block in data.blocks() {
                bands.inner[block] = around;
            }
            for &(node, _) in data.rest.iter() {
                let Some(node) = tables.nodes.get(node) else { continue };
                let mut inside = around;
                if let NodeKind::Loop { body: inner, .. } = node.kind
                    && let Some(head) = tables.regions.get(inner)
                {
                    inside = Some(bands.headers.len() as u32);
                    bands.parents.push(around);
                    bands.headers.push(head.head);
                    bands.depths.push(around.map_or(0, |up| bands.depths[up as usize]) + 1);
                    bands.irreducible.push(false);
                }
                stack.extend(node.kind.regions().into_iter().map(|region| (region, inside)));
            }
        }
        bands
    }

    /// The band with the block as its header.
    fn headed(&self, block: Block) -> Option<u32> {
        self.inner[block].filter(|&band| self.headers[band as usize] == block)
    }

    /// Number of loops that contain a block, not counting one that it heads.
    fn depth_outside(&self, block: Block) -> u32 {
        match self.inner[block] {
            None => 0,
            Some(band) if self.irreducible[band as usize] => 0,
            Some(band) => self.depths[band as usize] - u32::from(self.headers[band as usize] == block),
        }
    }
}

/// The first blocks of arms, and their successors.
struct Arms {
    heads: SideTable<Block, Option<Ends>>,
}

/// The successor of an arm: one block, or none.
type Ends = Option<Block>;

impl Arms {
    fn of(cfg: &Cfg, dom: &Dom, bands: &Bands) -> Arms {
        let mut heads = SideTable::new();
        let mut facts: SideTable<Block, Below> = SideTable::new();
        for &block in cfg.rpo().iter().rev() {
            let mut below = std::mem::take(&mut facts[block]);
            for to in cfg.succs(block) {
                below.add(dom.depth(to), to);
            }
            below.outside = below.outside.min(bands.depth_outside(block));
            heads[block] = arm_ends(cfg, dom, bands, block, &below);
            if let Some(up) = dom.idom(block) {
                let all = &mut facts[up];
                all.outside = all.outside.min(below.outside);
                for (depth, to) in below.targets() {
                    all.add(depth, to);
                }
            }
        }
        Arms { heads }
    }
}

/// The successor of the arm that starts at a block; `None` if there is no arm.
fn arm_ends(cfg: &Cfg, dom: &Dom, bands: &Bands, block: Block, below: &Below) -> Option<Ends> {
    let up = dom.idom(block)?;
    let in_irreducible = bands.inner[block].is_some_and(|band| bands.irreducible[band as usize]);
    if cfg.succs(up).len() < 2 || dom.subtree_size(block) < 2 || in_irreducible {
        return None;
    }
    // An arm must not contain blocks outside of a loop that contains its head.
    if below.outside < bands.depth_outside(block) {
        return None;
    }
    let depth = dom.depth(block);
    let mut outward = below.targets().filter(|&(at, to)| at < depth || (at == depth && to != block));
    let (ends, further) = (outward.next().map(|(_, to)| to), outward.next());
    let mut ways_in = cfg.preds(block).filter(|&from| !dom.dominates(block, from));
    (further.is_none() && ways_in.next() == Some(up) && ways_in.next().is_none()).then_some(ends)
}

/// Properties of all blocks that a block dominates.
#[derive(Clone)]
struct Below {
    /// The three targets of edges that are highest in the dominator tree: one may be the block itself, and
    /// two others are already too many.
    targets: [Option<(u32, Block)>; 3],
    /// The minimum loop depth of its blocks.
    outside: u32,
}

impl Default for Below {
    fn default() -> Self {
        Below { targets: [None; 3], outside: u32::MAX }
    }
}

impl Below {
    fn targets(&self) -> impl Iterator<Item = (u32, Block)> + '_ {
        self.targets.iter().copied().flatten()
    }

    fn add(&mut self, depth: u32, to: Block) {
        if self.targets().any(|(_, known)| known == to) {
            return;
        }
        let mut new = Some((depth, to));
        for slot in &mut self.targets {
            let (Some(fresh), old) = (new, *slot) else { return };
            if old.is_none_or(|old| fresh < old) {
                new = slot.replace(fresh);
            }
        }
    }
}

/// Bands and arms in one nest.
struct Groups<'a> {
    dom: &'a Dom,
    bands: &'a Bands,
    groups: Vec<Group>,
    of_band: Vec<Option<u32>>,
    /// The innermost arm of each block, including one that it heads: its head and its group.
    arm: SideTable<Block, Option<(Block, u32)>>,
}

impl Groups<'_> {
    fn of(cfg: &Cfg, dom: &Dom, bands: &Bands, arms: &Arms) -> (Vec<Group>, SideTable<Block, Option<u32>>) {
        let of_band = vec![None; bands.headers.len()];
        let mut all = Groups { dom, bands, groups: Vec::new(), of_band, arm: SideTable::new() };
        let mut out = SideTable::new();
        for &block in cfg.blocks() {
            all.arm[block] = dom.idom(block).and_then(|up| all.arm[up]);
            let around_ends = all.arm[block].map(|(head, _)| arms.heads[head]);
            if let Some(ends) = arms.heads[block]
                && (ends.is_none() || around_ends != Some(Some(ends)))
            {
                let around = match bands.headed(block) {
                    Some(band) => bands.parents[band as usize],
                    None => bands.inner[block],
                };
                let parent = all.inner(all.arm[block], around);
                all.arm[block] = Some((block, all.add(parent, GroupKind::Arm)));
            }
            out[block] = all.inner(all.arm[block], bands.inner[block]);
        }
        (all.groups, out)
    }

    fn add(&mut self, parent: Option<u32>, kind: GroupKind) -> u32 {
        self.groups.push(Group { parent, kind });
        self.groups.len() as u32 - 1
    }

    /// The inner one of an arm and a band that have a block in common; the band is created if it is new.
    fn inner(&mut self, arm: Option<(Block, u32)>, band: Option<u32>) -> Option<u32> {
        let Some(band) = band else { return arm.map(|(_, group)| group) };
        match arm {
            Some((head, group)) if !self.holds(head, band) => Some(group),
            _ => Some(self.band(band)),
        }
    }

    fn holds(&self, arm: Block, band: u32) -> bool {
        self.dom.dominates(arm, self.bands.headers[band as usize])
    }

    /// The group of a band; enclosing ones are created first.
    fn band(&mut self, band: u32) -> u32 {
        let mut missing = Vec::new();
        let mut at = Some(band);
        while let Some(band) = at.filter(|&band| self.of_band[band as usize].is_none()) {
            missing.push(band);
            at = self.bands.parents[band as usize];
        }
        for &band in missing.iter().rev() {
            let arm = self.arm[self.bands.headers[band as usize]];
            let around = self.bands.parents[band as usize];
            let parent = match (arm, around) {
                (Some((head, group)), Some(up)) if !self.holds(head, up) => Some(group),
                (Some((_, group)), None) => Some(group),
                (_, up) => up.and_then(|up| self.of_band[up as usize]),
            };
            let group = self.add(parent, GroupKind::Band);
            self.of_band[band as usize] = Some(group);
        }
        self.of_band[band as usize].unwrap_or(0)
    }
}
