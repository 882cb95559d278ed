//! Collects the blocks and edges of a function of either shape, in text order. `cfg` orders them.
//!
//! Total on invalid programs. For a block or region that is missing or occurs twice, a label that does not
//! enclose the block, or a terminator of the other shape, the edge is dropped and its block is listed as
//! broken.

use super::graph::NONE;
use super::numbering::Numbering;
use vitrine_ir::base::EntitySet;
use vitrine_ir::{Block, FuncBody, Node, NodeKind, Region, Shape, Terminator};

/// The kind of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Graph: `goto`.
    Goto,
    /// Taken if a condition holds: `branch`, or into an `if`.
    Then,
    /// Taken if the condition does not hold.
    Else,
    /// Taken for some values: `switch` of either shape.
    Case,
    /// Taken for all other values.
    Default,
    /// Tree: into a loop or a labeled block.
    Enter,
    /// Tree: `next` out of an arm or a labeled block.
    Leave,
    /// Tree: `break`.
    Break,
    /// Tree: `continue`.
    Continue,
    /// Tree: `next` out of a loop's body into its continuing region.
    Rest,
    /// Tree: `next` back to the first block of a loop.
    Repeat,
}

/// The collected blocks and edges.
#[derive(Default)]
pub(super) struct Flow {
    /// Blocks in text order, each once.
    pub(super) blocks: Vec<Block>,
    /// The entry, as an index into `blocks`.
    pub(super) entry: Option<u32>,
    /// Edges as indices into `blocks`, ordered by source and then by position in the terminator.
    pub(super) edges: Vec<RawEdge>,
    /// The node that follows each block.
    pub(super) enters: Vec<Option<Node>>,
    /// Blocks with a dropped edge, and blocks that occur twice. In the order in which they were found.
    pub(super) broken: Vec<Block>,
}

/// An edge between indices of blocks.
pub(super) struct RawEdge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: EdgeKind,
    pub(super) slot: u32,
}

impl Flow {
    /// Collects the edges of `body`. Linear in blocks, nodes and edges.
    pub(super) fn of(body: &FuncBody) -> Flow {
        match body.shape() {
            Shape::Declaration => Flow::default(),
            Shape::Graph(order) => Flow::of_graph(body, order),
            Shape::Tree(root) => TreeReader::read(body, *root),
        }
    }

    fn of_graph(body: &FuncBody, order: &[Block]) -> Flow {
        let mut flow = Flow::default();
        let mut seen = EntitySet::new();
        for &block in order {
            if body.tables().blocks.contains(block) && seen.insert(block) {
                flow.blocks.push(block);
            } else {
                flow.broken.push(block);
            }
        }
        let numbers = Numbering::new(flow.blocks.iter().copied());
        flow.enters = vec![None; flow.blocks.len()];
        flow.entry = order.first().map(|&block| numbers.of(block)).filter(|&at| at != NONE);
        for from in 0..flow.blocks.len() as u32 {
            let block = flow.blocks[from as usize];
            let terminator = body.terminator(block);
            if terminator.is_tree_only() {
                flow.broken.push(block);
            }
            for (slot, edge) in terminator.edges().into_iter().enumerate() {
                flow.add(from, numbers.of(edge.to), graph_kind(terminator, slot), slot as u32);
            }
        }
        flow
    }

    /// Adds an edge, or records its source as broken.
    fn add(&mut self, from: u32, to: u32, kind: EdgeKind, slot: u32) {
        if to == NONE {
            self.broken.push(self.blocks[from as usize]);
        } else {
            self.edges.push(RawEdge { from, to, kind, slot });
        }
    }
}

fn graph_kind(terminator: &Terminator, slot: usize) -> EdgeKind {
    match terminator {
        Terminator::Branch { .. } if slot == 0 => EdgeKind::Then,
        Terminator::Branch { .. } => EdgeKind::Else,
        Terminator::Switch { cases, .. } if slot < cases.len() => EdgeKind::Case,
        Terminator::Switch { .. } => EdgeKind::Default,
        Terminator::Goto(_)
        | Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => EdgeKind::Goto,
    }
}

/// The target of `next` at the end of a block of a tree.
#[derive(Clone, Copy)]
enum Then {
    /// Into the node that follows.
    Into(u32),
    /// Out of a region of the node.
    Out(u32, Role),
    /// Out of the region of the function: invalid.
    End,
    /// Into a node that is broken.
    Nowhere,
}

/// The role of a region in its node.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Arm,
    Body,
    Continuing,
}

/// A visited node; its number is its position in the walk.
struct Met<'a> {
    node: Node,
    kind: &'a NodeKind,
    after: Block,
    /// The first blocks of its regions; `None` for a broken region.
    heads: Vec<Option<Block>>,
    /// The indices of the blocks inside the node.
    inside: std::ops::Range<u32>,
}

enum Todo {
    /// The items of a region from this index on, and the target of leaving it.
    Items(Region, usize, Option<(u32, Role)>),
    Leave(u32),
}

struct TreeReader<'a> {
    body: &'a FuncBody,
    flow: Flow,
    then: Vec<Then>,
    nodes: Vec<Met<'a>>,
    todo: Vec<Todo>,
    seen_blocks: EntitySet<Block>,
    seen_nodes: EntitySet<Node>,
    seen_regions: EntitySet<Region>,
}

impl<'a> TreeReader<'a> {
    fn read(body: &'a FuncBody, root: Region) -> Flow {
        let mut reader = TreeReader {
            body,
            flow: Flow::default(),
            then: Vec::new(),
            nodes: Vec::new(),
            todo: Vec::new(),
            seen_blocks: EntitySet::new(),
            seen_nodes: EntitySet::new(),
            seen_regions: EntitySet::new(),
        };
        let Some(head) = reader.claim(root) else { return reader.flow };
        reader.todo.push(Todo::Items(root, 0, None));
        while let Some(todo) = reader.todo.pop() {
            match todo {
                Todo::Items(region, at, owner) => reader.item(region, at, owner),
                Todo::Leave(node) => {
                    reader.nodes[node as usize].inside.end = reader.flow.blocks.len() as u32;
                }
            }
        }
        reader.edges(head)
    }

    /// Marks a region as visited at its only position in the tree.
    fn claim(&mut self, region: Region) -> Option<Block> {
        let data = self.body.tables().regions.get(region)?;
        self.seen_regions.insert(region).then_some(data.head)
    }

    /// Visits the block at an index of a region and the node after it.
    fn item(&mut self, region: Region, at: usize, owner: Option<(u32, Role)>) {
        let data = self.body.region(region);
        let block = if at == 0 { data.head } else { data.rest[at - 1].1 };
        let following = data.rest.get(at);
        let known = self.body.tables().blocks.contains(block) && self.seen_blocks.insert(block);
        if known {
            self.flow.blocks.push(block);
        } else {
            self.flow.broken.push(block);
        }
        let then = match following {
            None => owner.map_or(Then::End, |(node, role)| Then::Out(node, role)),
            Some(&(node, after)) => {
                self.todo.push(Todo::Items(region, at + 1, owner));
                self.node(block, node, after)
            }
        };
        if known {
            self.flow.enters.push(match then {
                Then::Into(node) => Some(self.nodes[node as usize].node),
                Then::Out(..) | Then::End | Then::Nowhere => None,
            });
            self.then.push(then);
        }
    }

    /// Visits the node between two blocks of a region.
    fn node(&mut self, before: Block, node: Node, after: Block) -> Then {
        let known = self.body.tables().nodes.get(node);
        let Some(data) = known.filter(|_| self.seen_nodes.insert(node)) else {
            self.flow.broken.push(before);
            return Then::Nowhere;
        };
        let number = self.nodes.len() as u32;
        let regions = data.kind.regions();
        let heads: Vec<Option<Block>> = regions.iter().map(|&region| self.claim(region)).collect();
        if heads.contains(&None) {
            self.flow.broken.push(before);
        }
        self.todo.push(Todo::Leave(number));
        let is_loop = matches!(data.kind, NodeKind::Loop { .. });
        for (at, (&region, head)) in regions.iter().zip(&heads).enumerate().rev() {
            let role = match (is_loop, at) {
                (false, _) => Role::Arm,
                (true, 0) => Role::Body,
                (true, _) => Role::Continuing,
            };
            if head.is_some() {
                self.todo.push(Todo::Items(region, 0, Some((number, role))));
            }
        }
        let start = self.flow.blocks.len() as u32;
        self.nodes.push(Met { node, kind: &data.kind, after, heads, inside: start..NONE });
        Then::Into(number)
    }

    /// Resolves every terminator, after all blocks and nodes are known.
    fn edges(mut self, head: Block) -> Flow {
        let numbers = Numbering::new(self.flow.blocks.iter().copied());
        let labels = Numbering::new(self.nodes.iter().map(|met| met.node));
        self.flow.entry = Some(numbers.of(head)).filter(|&at| at != NONE);
        for from in 0..self.flow.blocks.len() as u32 {
            let block = self.flow.blocks[from as usize];
            match self.body.terminator(block) {
                Terminator::Next(_) => self.next(from, &numbers),
                Terminator::Break(label, _) => {
                    let to = self.around(from, labels.of(*label)).map(|met| met.after);
                    self.flow.add(from, number(&numbers, to), EdgeKind::Break, 0);
                }
                Terminator::Continue(label, _) => {
                    let to = self.around(from, labels.of(*label)).and_then(Met::continue_target);
                    self.flow.add(from, number(&numbers, to), EdgeKind::Continue, 0);
                }
                Terminator::Return(_) | Terminator::Stop(_) => {}
                Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    self.flow.broken.push(block);
                }
            }
        }
        self.flow
    }

    /// The node of a label, if it encloses the block.
    fn around(&self, from: u32, label: u32) -> Option<&Met<'a>> {
        self.nodes.get(label as usize).filter(|met| met.inside.contains(&from))
    }

    fn next(&mut self, from: u32, numbers: &Numbering<Block>) {
        match self.then[from as usize] {
            Then::Into(node) => {
                let met = &self.nodes[node as usize];
                for slot in 0..met.entries() {
                    let (to, kind) = (number(numbers, met.heads[slot]), met.entry_kind(slot));
                    self.flow.add(from, to, kind, slot as u32);
                }
            }
            Then::Out(node, role) => {
                let met = &self.nodes[node as usize];
                let (to, kind) = match role {
                    Role::Arm => (Some(met.after), EdgeKind::Leave),
                    Role::Body if met.heads.len() > 1 => (met.heads[1], EdgeKind::Rest),
                    Role::Body | Role::Continuing => (met.heads[0], EdgeKind::Repeat),
                };
                self.flow.add(from, number(numbers, to), kind, 0);
            }
            Then::End | Then::Nowhere => self.flow.broken.push(self.flow.blocks[from as usize]),
        }
    }
}

fn number(numbers: &Numbering<Block>, block: Option<Block>) -> u32 {
    block.map_or(NONE, |block| numbers.of(block))
}

impl Met<'_> {
    /// Number of regions that can be entered from the block before the node.
    fn entries(&self) -> usize {
        match self.kind {
            NodeKind::If { .. } | NodeKind::Switch { .. } => self.heads.len(),
            NodeKind::Loop { .. } | NodeKind::Block { .. } => 1,
        }
    }

    fn entry_kind(&self, slot: usize) -> EdgeKind {
        match self.kind {
            NodeKind::If { .. } if slot == 0 => EdgeKind::Then,
            NodeKind::If { .. } => EdgeKind::Else,
            NodeKind::Switch { arms, .. } if arms[slot].default => EdgeKind::Default,
            NodeKind::Switch { .. } => EdgeKind::Case,
            NodeKind::Loop { .. } | NodeKind::Block { .. } => EdgeKind::Enter,
        }
    }

    /// The target of `continue`.
    fn continue_target(&self) -> Option<Block> {
        match self.kind {
            NodeKind::Loop { .. } => self.heads.last().copied().flatten(),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
        }
    }
}
