//! Structure of blocks, nodes and terminators: each entity in exactly one place, each terminator where it is
//! allowed.
//!
//! [`Layout::of`] walks the body once with an explicit stack and never enters anything twice, so that a
//! region inside itself ends the walk. The other checks use the positions that it records.

use super::diagnostics::{Here, Naming};
use super::paged::Paged;
use super::*;
use vitrine_ir::base::{EntityMap, EntitySet, sort_by_number};
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Block, Diag, Diags, Inst, Level, Node, NodeKind, Region, Shape, Terminator};

/// Positions of the blocks and nodes of a body.
pub(super) struct Layout {
    /// Every block once, in text order.
    pub(super) order: Vec<Block>,
    /// True if an entity is missing or occurs twice, so that nothing can be derived from positions.
    pub(super) broken: bool,
    sites: Paged<Block, Site>,
    nodes: Paged<Node, NodeSite>,
}

/// Position of a block.
#[derive(Clone, Copy, Default)]
struct Site {
    /// Position in text order, counting nodes too; 0 for a block that is not in the body.
    at: u32,
    /// The successor in the structure.
    then: Then,
}

/// The structural successor of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Then {
    /// Nothing: the block is one of a graph.
    #[default]
    Graph,
    /// A node.
    Node(Node),
    /// The end of an arm, of the region of a labeled block, or of a loop's body without a continuing region.
    EndOf(Node, RegionKind),
    /// The end of the function.
    Root,
}

/// The kind of a node's region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RegionKind {
    /// Of an `if`, a switch, a labeled block.
    Arm,
    /// Of a loop.
    Body,
    /// Of a loop.
    Continuing,
}

/// Extent of a node, as positions in text order.
#[derive(Clone, Copy, Default)]
struct NodeSite {
    /// Its start; 0 for a node that is not in the body.
    open: u32,
    close: u32,
    /// Start of its continuing region; `close` if it has none.
    continuing: u32,
    after: Option<Block>,
}

enum WalkItem {
    /// The items of a region from this index on: 0 is the head.
    Items(Region, usize, Then),
    Block(Block, Then),
    Open(Region, Node, RegionKind),
    Close(Node),
}

impl Layout {
    /// Walks a body and reports entities that are missing or occur twice.
    pub(super) fn of(here: Here<'_>, diags: &mut Diags) -> Layout {
        let tables = here.body.tables();
        let layout = Layout {
            order: Vec::new(),
            broken: false,
            sites: Paged::new(tables.blocks.len()),
            nodes: Paged::new(tables.nodes.len()),
        };
        let mut walk = Walk { here, layout, seen: EntitySet::new(), at: 0, diags };
        match here.body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => {
                order.iter().for_each(|&block| walk.block(block, Then::Graph, Anchor::Func(here.func)));
                if order.is_empty() {
                    walk.broken(HAS_ENTRY, Anchor::Func(here.func), |diag| {
                        diag.name(here.itself()).says("has no block").help("add an entry block")
                    });
                }
            }
            Shape::Tree(root) => walk.tree(*root),
        }
        walk.layout
    }

    /// Returns true if a block is in the body.
    pub(super) fn has(&self, block: Block) -> bool {
        self.sites.get(block).at > 0
    }

    /// The structural successor of a block.
    pub(super) fn then(&self, block: Block) -> Then {
        self.sites.get(block).then
    }

    /// The block after a node.
    pub(super) fn after(&self, node: Node) -> Option<Block> {
        self.nodes.get(node).after
    }

    /// Returns true if a block is inside a node.
    fn inside(&self, block: Block, node: Node) -> bool {
        let (at, node) = (self.sites.get(block).at, self.nodes.get(node));
        node.open < at && at < node.close
    }

    /// Returns true if a block is in the continuing region of a node.
    fn continuing(&self, block: Block, node: Node) -> bool {
        self.inside(block, node) && self.sites.get(block).at > self.nodes.get(node).continuing
    }
}

struct Walk<'a, 'd> {
    here: Here<'a>,
    layout: Layout,
    seen: EntitySet<Region>,
    at: u32,
    diags: &'d mut Diags,
}

impl Walk<'_, '_> {
    fn broken(&mut self, code: &'static str, at: Anchor, say: impl FnOnce(Diag) -> Diag) {
        self.layout.broken = true;
        self.diags.push(say(Diag::error(code, at)));
    }

    fn step(&mut self) -> u32 {
        self.at += 1;
        self.at
    }

    fn tree(&mut self, root: Region) {
        let whole = Anchor::Func(self.here.func);
        if !self.here.body.tables().regions.contains(root) {
            let name = self.here.itself();
            return self.broken(HAS_ENTRY, whole, |diag| {
                diag.says("the body of").name(name).says("is a region that does not exist")
            });
        }
        self.seen.insert(root);
        let mut work = vec![WalkItem::Items(root, 0, Then::Root)];
        let mut anchor = whole;
        while let Some(todo) = work.pop() {
            match todo {
                WalkItem::Block(block, then) => {
                    self.block(block, then, anchor);
                    anchor = Anchor::Block(self.here.func, block);
                }
                WalkItem::Items(region, at, end) => self.items(region, at, end, anchor, &mut work),
                WalkItem::Open(region, node, part) => self.open(region, node, part, &mut work),
                WalkItem::Close(node) => {
                    let close = self.step();
                    let site = self.layout.nodes.get(node);
                    let continuing = if site.continuing == 0 { close } else { site.continuing };
                    self.layout.nodes.set(node, NodeSite { close, continuing, ..site });
                }
            }
        }
    }

    fn items(&mut self, region: Region, at: usize, end: Then, anchor: Anchor, work: &mut Vec<WalkItem>) {
        let data = self.here.body.region(region);
        let then = data.rest.get(at).map_or(end, |&(node, _)| Then::Node(node));
        if at < data.rest.len() {
            work.push(WalkItem::Items(region, at + 1, end));
        }
        let Some(before) = at.checked_sub(1) else { return work.push(WalkItem::Block(data.head, then)) };
        let Some(&(node, after)) = data.rest.get(before) else { return };
        work.push(WalkItem::Block(after, then));
        self.node(node, after, anchor, work);
    }

    fn block(&mut self, block: Block, then: Then, anchor: Anchor) {
        let here = self.here;
        if !here.body.tables().blocks.contains(block) {
            return self.broken(IN_TABLES, anchor, |diag| {
                diag.says(format!("the block {block} after this does not exist"))
            });
        }
        let at = self.step();
        if self.layout.sites.get(block).at > 0 {
            return self.broken(BLOCK_ONCE, Anchor::Block(here.func, block), |diag| {
                diag.name(here.block(block))
                    .says("is in two places")
                    .help("create a separate block for one of them")
            });
        }
        self.layout.sites.set(block, Site { at, then });
        self.layout.order.push(block);
    }

    fn node(&mut self, node: Node, after: Block, anchor: Anchor, work: &mut Vec<WalkItem>) {
        let here = self.here;
        if !here.body.tables().nodes.contains(node) {
            return self.broken(IN_TABLES, anchor, |diag| {
                diag.says(format!("the node {node} after this does not exist"))
            });
        }
        let open = self.step();
        if self.layout.nodes.get(node).open > 0 {
            return self.broken(NODE_ONCE, Anchor::Node(here.func, node), |diag| {
                diag.name(here.node(node))
                    .says("is in two places")
                    .help("create a separate node for one of them")
            });
        }
        self.layout.nodes.set(node, NodeSite { open, after: Some(after), ..NodeSite::default() });
        work.push(WalkItem::Close(node));
        match &here.body.node(node).kind {
            NodeKind::If { then, els, .. } => {
                work.extend([*els, *then].map(|region| WalkItem::Open(region, node, RegionKind::Arm)));
            }
            NodeKind::Switch { arms, .. } => {
                work.extend(arms.iter().rev().map(|arm| WalkItem::Open(arm.body, node, RegionKind::Arm)));
            }
            NodeKind::Loop { body, continuing } => {
                work.extend(continuing.map(|region| WalkItem::Open(region, node, RegionKind::Continuing)));
                work.push(WalkItem::Open(*body, node, RegionKind::Body));
            }
            NodeKind::Block { body } => work.push(WalkItem::Open(*body, node, RegionKind::Arm)),
        }
    }

    fn open(&mut self, region: Region, node: Node, part: RegionKind, work: &mut Vec<WalkItem>) {
        let (here, anchor) = (self.here, Anchor::Node(self.here.func, node));
        if part == RegionKind::Continuing {
            let continuing = self.step();
            let site = self.layout.nodes.get(node);
            self.layout.nodes.set(node, NodeSite { continuing, ..site });
        }
        if !here.body.tables().regions.contains(region) {
            return self.broken(IN_TABLES, anchor, |diag| {
                diag.says("a region of").name(here.node(node)).says("does not exist")
            });
        }
        if !self.seen.insert(region) {
            return self.broken(REGION_ONCE, anchor, |diag| {
                let diag = diag.says("a region of").name(here.node(node));
                diag.says("also belongs to another place").help("give each node its own regions")
            });
        }
        work.push(WalkItem::Items(region, 0, Then::EndOf(node, part)));
    }
}

/// Records the position of every instruction; reports those that are missing or occur twice.
pub(super) fn place(here: Here<'_>, layout: &mut Layout, slots: &mut Paged<Inst, Slot>, diags: &mut Diags) {
    let insts = here.body.tables().insts;
    for (at, &param) in here.body.params().iter().enumerate() {
        let slot = Slot { block: FUNCTION, at: 0 };
        layout.broken |= put(here, insts, param, slot, slots, diags, (Anchor::Func(here.func), at));
    }
    for &block in &layout.order {
        let (data, anchor) = (here.body.block(block), Anchor::Block(here.func, block));
        let number = block.index() as u32 + 1;
        for (at, &param) in data.params.iter().enumerate() {
            let slot = Slot { block: number, at: 0 };
            layout.broken |= put(here, insts, param, slot, slots, diags, (anchor, at));
        }
        for (at, &inst) in data.insts.iter().enumerate() {
            let slot = Slot { block: number, at: at as u32 + 1 };
            layout.broken |= put(here, insts, inst, slot, slots, diags, (anchor, at));
        }
    }
}

/// Position of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slot {
    /// Index of the block plus 1; 0 if it is in no block, [`FUNCTION`] for a parameter of the function.
    pub(super) block: u32,
    /// 0 for a parameter, then from 1.
    pub(super) at: u32,
}

/// See [`Slot`].
pub(super) const FUNCTION: u32 = u32::MAX;

/// Returns true on failure.
fn put(
    here: Here<'_>,
    insts: &EntityMap<Inst, vitrine_ir::InstData>,
    inst: Inst,
    slot: Slot,
    slots: &mut Paged<Inst, Slot>,
    diags: &mut Diags,
    (anchor, at): (Anchor, usize),
) -> bool {
    if !insts.contains(inst) {
        let says = format!("instruction {inst}, number {} in the list, does not exist", at + 1);
        diags.push(Diag::error(IN_TABLES, anchor).says(says));
        return true;
    }
    let before = slots.set(inst, slot);
    if before == Slot::default() {
        return false;
    }
    let diag = Diag::error(INST_ONCE, Anchor::Inst(here.func, inst)).name(here.inst(inst));
    let first = match before.block {
        FUNCTION => diag.says("is both here and among the parameters of the function"),
        block if block == slot.block => diag.says("occurs twice in").name(here.block(block_of(block))),
        block => diag.says("is both here and in").name(here.block(block_of(block))),
    };
    diags.push(first.help("copy it, or give the second one a separate id"));
    true
}

pub(super) fn block_of(number: u32) -> Block {
    Block::from_index(number as usize - 1)
}

/// The note that lists the skipped checks.
pub(super) fn not_checked(here: Here<'_>) -> Diag {
    let diag = Diag { level: Level::Note, ..Diag::error(NOT_CHECKED, Anchor::Func(here.func)) };
    diag.says("edges and scope of")
        .name(here.itself())
        .says("were not checked, because its structure is invalid")
}

impl Layout {
    /// Checks the terminator of a block except for the values it passes; returns true if it has a target.
    pub(super) fn check_terminator(&self, here: Here<'_>, block: Block, diags: &mut Diags) -> bool {
        let terminator = here.body.terminator(block);
        let error = |code| Diag::error(code, Anchor::Terminator(here.func, block));
        let then = self.then(block);
        match (then, terminator) {
            (Then::Graph, terminator) if terminator.is_tree_only() => {
                let diag = error(TERMINATOR_OF_SHAPE)
                    .name(here.block(block))
                    .says("has a terminator for trees, but");
                let help = "use `goto`, `branch` or `switch`, or make the function a tree";
                diags.push(diag.name(here.itself()).says("is a graph").help(help));
                return false;
            }
            (Then::Node(_) | Then::EndOf(..) | Then::Root, terminator) if terminator.is_graph_only() => {
                let diag = error(TERMINATOR_OF_SHAPE)
                    .name(here.block(block))
                    .says("has a terminator for graphs, but");
                let help = "use `next`, `break` or `continue`, or make the function a graph";
                diags.push(diag.name(here.itself()).says("is a tree").help(help));
                return false;
            }
            (Then::Node(node), terminator) if !matches!(terminator, Terminator::Next(_)) => {
                let diag = error(NEXT_BEFORE_NODE).name(here.block(block)).says("has").name(here.node(node));
                let help = "end it with `next`, or move the node after a separate block";
                diags.push(diag.says("after it but does not continue there").help(help));
            }
            (Then::Root, Terminator::Next(_)) => {
                let diag = error(ROOT_ENDS).says("`next` has no target in").name(here.block(block));
                diags.push(
                    diag.says(", the last block of the function").help("end it with `return` or `stop`"),
                );
            }
            (_, Terminator::Break(node, _)) if !self.inside(block, *node) => {
                let diag =
                    error(BREAK_ENCLOSING).says(format!("{node} does not enclose")).name(here.block(block));
                diags.push(diag.help("`break` must name an enclosing node"));
                return false;
            }
            (_, Terminator::Continue(node, _)) => return self.check_continue(here, block, *node, diags),
            (Then::Graph, Terminator::Switch { on, cases, .. }) => {
                let cases = cases.iter().map(|case| (case.values.as_slice(), false));
                check_cases(here.body.ty(*on), cases, Anchor::Terminator(here.func, block), diags);
            }
            _ => {}
        }
        if then == Then::Graph {
            self.check_targets(here, block, terminator, diags);
        }
        true
    }

    fn check_continue(&self, here: Here<'_>, block: Block, node: Node, diags: &mut Diags) -> bool {
        let before = diags.len();
        let diag = Diag::error(CONTINUE_LOOP, Anchor::Terminator(here.func, block));
        if !self.inside(block, node) {
            let diag = diag.says(format!("{node} does not enclose")).name(here.block(block));
            diags.push(diag.help("`continue` must name an enclosing loop"));
        } else if !matches!(here.body.node(node).kind, NodeKind::Loop { .. }) {
            let diag = diag.name(here.node(node)).says("is not a loop");
            diags.push(diag.help("`continue` requires a loop; `break` exits any node"));
        } else if self.continuing(block, node) {
            let diag =
                diag.name(here.block(block)).says("is in the continuing region of").name(here.node(node));
            diags.push(diag.help("use `next` to begin the next iteration"));
        }
        diags.len() == before
    }

    fn check_targets(&self, here: Here<'_>, block: Block, terminator: &Terminator, diags: &mut Diags) {
        let mut check = |to: Block| {
            let error = |code| Diag::error(code, Anchor::Terminator(here.func, block));
            if !self.has(to) {
                let diag = error(TARGET_PLACED).says(format!("{to} is not a block of")).name(here.itself());
                diags.push(diag.help("add it to the blocks of the graph"));
            } else if self.order.first() == Some(&to) {
                let diag = error(ENTRY_NO_TARGET).says("this branches to").name(here.block(to));
                diags.push(
                    diag.says(", the entry block of the function")
                        .help("insert an empty entry block before it"),
                );
            }
        };
        match terminator {
            Terminator::Goto(edge) => check(edge.to),
            Terminator::Branch { then, els, .. } => [then, els].into_iter().for_each(|edge| check(edge.to)),
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| check(case.edge.to));
                check(default.to);
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => {}
        }
    }

    /// Checks the merge hint of a block.
    pub(super) fn check_hint(&self, here: Here<'_>, block: Block, diags: &mut Diags) {
        let Some(hint) = &here.body.block(block).merge else { return };
        let error = || Diag::error(HINT_PLACE, Anchor::Block(here.func, block));
        if self.then(block) != Then::Graph {
            let diag = error().says("the hint of").name(here.block(block)).says("is in a tree");
            diags.push(diag.help("remove it: the structure of the tree determines the merge block"));
            return;
        }
        for to in [Some(hint.merge), hint.cont].into_iter().flatten().filter(|&to| !self.has(to)) {
            let diag = error()
                .says("the hint of")
                .name(here.block(block))
                .says(format!("names {to}, which is not a block of"));
            diags.push(diag.name(here.itself()));
        }
    }

    /// Checks the arms of a switch.
    pub(super) fn check_node(&self, here: Here<'_>, node: Node, diags: &mut Diags) {
        let NodeKind::Switch { on, arms } = &here.body.node(node).kind else { return };
        let anchor = Anchor::Node(here.func, node);
        let defaults = arms.iter().filter(|arm| arm.default).count();
        if defaults != 1 {
            let diag = Diag::error(ONE_DEFAULT, anchor).name(here.node(node));
            let diag = match defaults {
                0 => diag.says("has no default arm"),
                more => diag.says(format!("has {more} default arms")),
            };
            diags.push(diag.help("add exactly one default arm; it may be empty"));
        }
        check_cases(
            here.body.ty(*on),
            arms.iter().map(|arm| (arm.values.as_slice(), arm.default)),
            anchor,
            diags,
        );
    }
}

/// Checks the values of a switch: distinct, within the selector, and no case without a value.
fn check_cases<'v>(
    on: ValueType,
    cases: impl Iterator<Item = (&'v [u64], bool)>,
    anchor: Anchor,
    diags: &mut Diags,
) {
    let mut all: Vec<u64> = Vec::new();
    for (values, default) in cases {
        if values.is_empty() && !default {
            let help = "give it a value, or remove the case";
            diags.push(Diag::error(CASE_EMPTY, anchor).says("a case has no value").help(help));
        }
        all.extend_from_slice(values);
    }
    if !all.is_sorted_by(|a, b| a < b) {
        sort_by_number(&mut all, |&value| value);
        let mut last = None;
        for pair in all.windows(2).filter(|pair| pair[0] == pair[1]) {
            if last != Some(pair[0]) {
                let says = format!("the value {} occurs twice", pair[0]);
                let help = "give each value one target";
                diags.push(Diag::error(CASE_VALUES, anchor).says(says).help(help));
            }
            last = Some(pair[0]);
        }
    }
    let Some(width) = on.width() else { return };
    if let Some(&most) = all.last().filter(|&&most| most > width.mask()) {
        let says = format!(
            "the value {most} does not fit a selector of {}",
            diagnostics::count(width.bits() as usize, "bit")
        );
        diags.push(
            Diag::error(CASE_VALUES, anchor).says(says).help("truncate values to the width of the selector"),
        );
    }
}
