//! Differences between two versions, by id: added, removed, changed, moved. Independent of the text form.
//!
//! Versions share unchanged data, so most of a comparison is of pointers. An item has *moved* if it is in
//! another block or region, or if its order among the items that stayed has changed: if two neighbors swap
//! places, one of them has moved (the longest increasing subsequence stays).

use rustc_hash::FxHashMap;
use vitrine_ir::base::{EntityId, out_of_order, pair, sort_by_number};
use vitrine_ir::{
    Block, Event, Func, FuncBody, Inst, Journal, Module, Nesting, Node, NodeData, NodeKind, Reason, Shape,
    Site, TreeStep, TreeWalk,
};

/// The change of an item between two versions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// It was added.
    Added,
    /// It was removed.
    Gone,
    /// Its contents changed.
    Changed,
    /// Its contents are the same, but its position changed.
    Moved,
}

/// The differences between two versions of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModuleDiff {
    /// Functions that were added or removed.
    pub funcs: Vec<(Func, Change)>,
    /// Functions in both versions that differ.
    pub inside: Vec<FuncDiff>,
}

/// The differences between two versions of a function. Lists are in order of ids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FuncDiff {
    /// The function.
    pub func: Option<Func>,
    /// If set, its shape, name, parameters, result, attributes or registers differ.
    pub itself: bool,
    /// Instructions and block parameters.
    pub insts: Vec<(Inst, Change)>,
    /// Blocks: their parameters, hints and terminators.
    pub blocks: Vec<(Block, Change)>,
    /// Nodes: their kinds, operands and hints.
    pub nodes: Vec<(Node, Change)>,
}

impl ModuleDiff {
    /// Returns true if there are no differences.
    pub fn is_empty(&self) -> bool {
        self.funcs.is_empty() && self.inside.is_empty()
    }
}

impl FuncDiff {
    /// Returns true if there are no differences.
    pub fn is_empty(&self) -> bool {
        !self.itself && self.insts.is_empty() && self.blocks.is_empty() && self.nodes.is_empty()
    }

    /// The change of an instruction, if it differs.
    pub fn of_inst(&self, inst: Inst) -> Option<Change> {
        find(&self.insts, inst)
    }

    /// The change of a block, if it differs.
    pub fn of_block(&self, block: Block) -> Option<Change> {
        find(&self.blocks, block)
    }

    /// The change of a node, if it differs.
    pub fn of_node(&self, node: Node) -> Option<Change> {
        find(&self.nodes, node)
    }

    /// Adds an event for every difference that the journal does not contain, with a reason for each: those that passes
    /// that rebuild functions do not report.
    pub fn name_all(&self, journal: &mut Journal, reason: impl Fn(Event) -> Reason) {
        let names = journal.names();
        let insts = self.insts.iter().map(|&(inst, change)| (Site::from(inst), change));
        let blocks = self.blocks.iter().map(|&(block, change)| (Site::from(block), change));
        let nodes = self.nodes.iter().map(|&(node, change)| (Site::from(node), change));
        for (site, change) in insts.chain(blocks).chain(nodes).filter(|&(site, _)| !names.has(site)) {
            let event = match (change, site) {
                (Change::Added, site) => Event::Create(site),
                (Change::Gone, site) => Event::Erase(site),
                (Change::Moved, site) => Event::Move(site),
                (Change::Changed, Site::Inst(inst)) => Event::Rewrite(inst),
                (Change::Changed, site) => Event::Control(site),
            };
            journal.push(event, reason(event));
        }
    }
}

fn find<K: Copy + Ord>(list: &[(K, Change)], key: K) -> Option<Change> {
    let at = list.binary_search_by_key(&key, |&(id, _)| id).ok()?;
    list.get(at).map(|&(_, change)| change)
}

/// The differences between two versions of a module. Functions that share all data cost nothing.
pub fn modules(before: &Module, after: &Module) -> ModuleDiff {
    let mut out = ModuleDiff::default();
    let most = before.sizes()[2].max(after.sizes()[2]);
    for func in (0..most).map(Func::from_index) {
        match (before.func(func), after.func(func)) {
            (None, None) => {}
            (None, Some(_)) => out.funcs.push((func, Change::Added)),
            (Some(_), None) => out.funcs.push((func, Change::Gone)),
            (Some(a), Some(b)) if a.same_version(b) => {}
            (Some(_), Some(_)) => {
                let found = function(before, after, func);
                if !found.is_empty() {
                    out.inside.push(found);
                }
            }
        }
    }
    out
}

/// The differences between two versions of a function in both modules; empty for any other function.
///
/// `O(n log n)` in the size of the function.
pub fn function(before: &Module, after: &Module, func: Func) -> FuncDiff {
    let (Some(a), Some(b)) = (before.func(func), after.func(func)) else { return FuncDiff::default() };
    if a.same_version(b) {
        return FuncDiff::default();
    }
    let (old, new) = (Layout::of(a), Layout::of(b));
    FuncDiff {
        func: Some(func),
        itself: itself_differs(a, b),
        insts: compare(&old.insts, &new.insts, |inst| {
            a.inst(inst) != b.inst(inst) || names_differ(a, b, inst)
        }),
        blocks: compare(&old.blocks, &new.blocks, |block| blocks_differ(a, b, block)),
        nodes: compare(&old.nodes, &new.nodes, |node| nodes_differ(a.node(node), b.node(node))),
    }
}

/// Returns true if two versions of a function differ. Linear, and faster if they share data.
pub fn differs(before: &Module, after: &Module, func: Func) -> bool {
    let (Some(a), Some(b)) = (before.func(func), after.func(func)) else { return true };
    if a.same_version(b) {
        return false;
    }
    let block = |&block: &Block| {
        let (old, new) = (a.block(block), b.block(block));
        let insts = || old.params.iter().chain(old.insts.iter());
        old != new || insts().any(|&inst| a.inst(inst) != b.inst(inst) || names_differ(a, b, inst))
    };
    // Most differing functions differ in their entry block.
    if itself_differs(a, b) || a.entry() != b.entry() || a.entry().as_ref().is_some_and(block) {
        return true;
    }
    let order = a.blocks_in_order();
    if order != b.blocks_in_order() {
        return true;
    }
    order.iter().any(block) || !TreeWalk::new(a).eq(TreeWalk::new(b)) || {
        let entered = TreeWalk::new(a).filter_map(entered);
        entered.into_iter().any(|node| nodes_differ(a.node(node), b.node(node)))
    }
}

fn entered(step: TreeStep) -> Option<Node> {
    match step {
        TreeStep::Enter(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
    }
}

fn itself_differs(a: &FuncBody, b: &FuncBody) -> bool {
    let kind = |body: &FuncBody| std::mem::discriminant(body.shape());
    kind(a) != kind(b)
        || a.name() != b.name()
        || a.params() != b.params()
        || a.params().iter().any(|&param| a.inst(param) != b.inst(param))
        || a.result() != b.result()
        || a.attrs() != b.attrs()
        || !a.regs().eq(b.regs())
}

fn names_differ(a: &FuncBody, b: &FuncBody, inst: Inst) -> bool {
    a.inst_name(inst) != b.inst_name(inst)
}

/// Compares blocks except for their instructions, which are compared separately.
fn blocks_differ(a: &FuncBody, b: &FuncBody, block: Block) -> bool {
    let (old, new) = (a.block(block), b.block(block));
    old.params != new.params || old.terminator != new.terminator || old.merge != new.merge
}

/// Compares nodes except for their contents: region ids have no meaning.
fn nodes_differ(old: &NodeData, new: &NodeData) -> bool {
    let kind = |node: &NodeData| std::mem::discriminant(&node.kind);
    let arms = |node: &NodeData| match &node.kind {
        NodeKind::Switch { arms, .. } => {
            arms.iter().map(|arm| (arm.values.clone(), arm.default)).collect::<Vec<_>>()
        }
        NodeKind::If { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => Vec::new(),
    };
    kind(old) != kind(new)
        || old.attrs != new.attrs
        || old.kind.operand() != new.kind.operand()
        || old.kind.regions().len() != new.kind.regions().len()
        || arms(old) != arms(new)
}

/// A node and the index of one of its regions, as a number; 0 for the function itself, and for all blocks of
/// a graph.
type Parent = u64;

/// The position of every item: in text order, with its parent.
struct Layout {
    insts: Vec<(Inst, Parent)>,
    blocks: Vec<(Block, Parent)>,
    nodes: Vec<(Node, Parent)>,
}

impl Layout {
    fn of(body: &FuncBody) -> Layout {
        let mut layout = Layout { insts: Vec::new(), blocks: Vec::new(), nodes: Vec::new() };
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => layout.blocks.extend(order.iter().map(|&block| (block, 0))),
            Shape::Tree(root) => layout.tree(body, *root),
        }
        for &(block, _) in &layout.blocks {
            let data = body.block(block);
            let home = block.index() as u64;
            layout.insts.extend(data.params.iter().chain(data.insts.iter()).map(|&inst| (inst, home)));
        }
        layout
    }

    fn tree(&mut self, body: &FuncBody, root: vitrine_ir::Region) {
        let nesting = Nesting::of(body);
        let mut parents: FxHashMap<vitrine_ir::Region, Parent> = FxHashMap::default();
        parents.insert(root, 0);
        let parent = |parents: &FxHashMap<_, Parent>, place: Option<vitrine_ir::TreePlace>| {
            place.and_then(|place| parents.get(&place.region).copied()).unwrap_or(0)
        };
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Block(block) => self.blocks.push((block, parent(&parents, nesting.block(block)))),
                TreeStep::Enter(node) => self.nodes.push((node, parent(&parents, nesting.node(node)))),
                TreeStep::Open(node, at, region) => {
                    parents.insert(region, (node.index() as u64 + 1) << 32 | u64::from(at));
                }
                TreeStep::Leave(_) => {}
            }
        }
    }
}

/// Compares two lists of positioned items.
fn compare<K: EntityId>(
    old: &[(K, Parent)],
    new: &[(K, Parent)],
    changed: impl Fn(K) -> bool,
) -> Vec<(K, Change)> {
    let places: FxHashMap<K, (u32, Parent)> =
        (0..).zip(old).map(|(at, &(id, parent))| (id, (at, parent))).collect();
    let mut out = Vec::new();
    let mut kept: FxHashMap<K, ()> = FxHashMap::default();
    // The old positions of the items that stay in their parent, in the new order.
    let mut were: Vec<(K, u32)> = Vec::new();
    for &(id, parent) in new {
        match places.get(&id) {
            None => out.push((id, Change::Added)),
            Some(&(at, before)) => {
                kept.insert(id, ());
                match (changed(id), before == parent) {
                    (true, _) => out.push((id, Change::Changed)),
                    (false, false) => out.push((id, Change::Moved)),
                    (false, true) => were.push((id, at)),
                }
            }
        }
    }
    out.extend(old.iter().filter(|(id, _)| !kept.contains_key(id)).map(|&(id, _)| (id, Change::Gone)));
    out.extend(out_of_order(&were).into_iter().map(|id| (id, Change::Moved)));
    sort_by_number(&mut out, |&(id, change)| pair(id.index() as u32, change as u32));
    out
}
