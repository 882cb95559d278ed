//! Traversal orders of a tree, and positions in it. No recursion: nesting may have any depth.

use super::{Block, FuncBody, Inst, Node, NodeKind, Region, Shape};
use crate::base::SideTable;

impl FuncBody {
    /// Every block of the function in text order: graph order, or the tree walked top to bottom.
    pub fn blocks_in_order(&self) -> Vec<Block> {
        match self.shape() {
            Shape::Declaration => Vec::new(),
            Shape::Graph(order) => order.to_vec(),
            Shape::Tree(root) => self.blocks_below(*root),
        }
    }

    /// The blocks that [`TreeWalk`] yields for a region, without the other steps.
    fn blocks_below(&self, region: Region) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(self.tables().blocks.len());
        // Regions, each with the number of its next block: 0 is the head.
        let mut stack = vec![(region, 0usize)];
        while let Some((region, at)) = stack.pop() {
            let data = self.region(region);
            let block = match at.checked_sub(1) {
                None => Some(data.head),
                Some(before) => data.rest.get(before).map(|&(_, block)| block),
            };
            blocks.extend(block);
            if let Some(&(node, _)) = data.rest.get(at) {
                stack.push((region, at + 1));
                match &self.node(node).kind {
                    NodeKind::If { then, els, .. } => stack.extend([(*els, 0), (*then, 0)]),
                    NodeKind::Switch { arms, .. } => stack.extend(arms.iter().rev().map(|arm| (arm.body, 0))),
                    NodeKind::Loop { body, continuing } => {
                        stack.extend(continuing.map(|region| (region, 0)));
                        stack.push((*body, 0));
                    }
                    NodeKind::Block { body } => stack.push((*body, 0)),
                }
            }
        }
        blocks
    }
}

/// A step of a walk over a tree, in text order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeStep {
    /// A node begins, after the block before it.
    Enter(Node),
    /// Region number `.1` of the node begins.
    Open(Node, u32, Region),
    /// A block.
    Block(Block),
    /// A node ends, before the block after it.
    Leave(Node),
}

/// Walks a tree top to bottom. Yields nothing for a graph.
pub struct TreeWalk<'a> {
    func: &'a FuncBody,
    stack: Vec<WalkItem>,
}

#[derive(Clone, Copy)]
enum WalkItem {
    TreeStep(TreeStep),
    /// The items of a region from this index on: 0 is the head.
    Items(Region, usize),
}

impl<'a> TreeWalk<'a> {
    /// A walk over the whole function.
    pub fn new(func: &'a FuncBody) -> TreeWalk<'a> {
        match func.shape() {
            Shape::Tree(root) => TreeWalk::of_region(func, *root),
            Shape::Graph(_) | Shape::Declaration => TreeWalk { func, stack: Vec::new() },
        }
    }

    /// A walk over one region and its contents.
    pub fn of_region(func: &'a FuncBody, region: Region) -> TreeWalk<'a> {
        let mut stack = Vec::with_capacity(16);
        stack.push(WalkItem::Items(region, 0));
        TreeWalk { func, stack }
    }

    fn push_node(&mut self, node: Node) {
        self.stack.push(WalkItem::TreeStep(TreeStep::Leave(node)));
        let func = self.func;
        match &func.node(node).kind {
            NodeKind::If { then, els, .. } => {
                self.push_region(node, 1, *els);
                self.push_region(node, 0, *then);
            }
            NodeKind::Switch { arms, .. } => {
                for (at, arm) in arms.iter().enumerate().rev() {
                    self.push_region(node, at as u32, arm.body);
                }
            }
            NodeKind::Loop { body, continuing } => {
                if let Some(continuing) = continuing {
                    self.push_region(node, 1, *continuing);
                }
                self.push_region(node, 0, *body);
            }
            NodeKind::Block { body } => self.push_region(node, 0, *body),
        }
        self.stack.push(WalkItem::TreeStep(TreeStep::Enter(node)));
    }

    fn push_region(&mut self, node: Node, at: u32, region: Region) {
        self.stack.push(WalkItem::Items(region, 0));
        self.stack.push(WalkItem::TreeStep(TreeStep::Open(node, at, region)));
    }
}

impl Iterator for TreeWalk<'_> {
    type Item = TreeStep;

    fn next(&mut self) -> Option<TreeStep> {
        loop {
            match self.stack.pop()? {
                WalkItem::TreeStep(step) => return Some(step),
                WalkItem::Items(region, 0) => {
                    self.stack.push(WalkItem::Items(region, 1));
                    return Some(TreeStep::Block(self.func.region(region).head));
                }
                WalkItem::Items(region, at) => {
                    let Some(&(node, block)) = self.func.region(region).rest.get(at - 1) else { continue };
                    self.stack.push(WalkItem::Items(region, at + 1));
                    self.stack.push(WalkItem::TreeStep(TreeStep::Block(block)));
                    self.push_node(node);
                }
            }
        }
    }
}

/// A position in a tree: the region, and the index in it (0 is the head, then pairs count from 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreePlace {
    /// The region.
    pub region: Region,
    /// The index in the region; a node and the block after it have the same.
    pub at: usize,
}

/// Positions of all blocks, nodes and regions of a tree. Computed in one walk; not updated.
#[derive(Debug, Default)]
pub struct Nesting {
    blocks: SideTable<Block, Option<TreePlace>>,
    nodes: SideTable<Node, Option<TreePlace>>,
    owners: SideTable<Region, Option<Node>>,
    depths: SideTable<Node, u32>,
}

impl Nesting {
    /// Computes it.
    pub fn of(func: &FuncBody) -> Nesting {
        let mut nesting = Nesting::default();
        let Shape::Tree(root) = func.shape() else { return nesting };
        let mut work = vec![(*root, 0)];
        while let Some((region, depth)) = work.pop() {
            let data = func.region(region);
            nesting.blocks[data.head] = Some(TreePlace { region, at: 0 });
            for (index, &(node, block)) in data.rest.iter().enumerate() {
                let place = Some(TreePlace { region, at: index + 1 });
                nesting.nodes[node] = place;
                nesting.blocks[block] = place;
                nesting.depths[node] = depth;
                for inner in func.node(node).kind.regions() {
                    nesting.owners[inner] = Some(node);
                    work.push((inner, depth + 1));
                }
            }
        }
        nesting
    }

    /// Position of a block; `None` if it is not in the tree.
    pub fn block(&self, block: Block) -> Option<TreePlace> {
        self.blocks[block]
    }

    /// Position of a node; `None` if it is not in the tree.
    pub fn node(&self, node: Node) -> Option<TreePlace> {
        self.nodes[node]
    }

    /// The node that owns a region; `None` for the root.
    pub fn owner(&self, region: Region) -> Option<Node> {
        self.owners[region]
    }

    /// Number of nodes around a node.
    pub fn depth(&self, node: Node) -> u32 {
        self.depths[node]
    }

    /// The nodes around a region, innermost first.
    pub fn enclosing(&self, region: Region) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.owner(region), |&node| self.owner(self.node(node)?.region))
    }

    /// The node directly after a block, which the block falls into; `None` at the end of a region.
    pub fn node_after(&self, func: &FuncBody, block: Block) -> Option<Node> {
        let place = self.block(block)?;
        func.region(place.region).rest.get(place.at).map(|&(node, _)| node)
    }

    /// The block after a node, which is the target of leaving it.
    pub fn after(&self, func: &FuncBody, node: Node) -> Option<Block> {
        let place = self.node(node)?;
        func.region(place.region).rest.get(place.at - 1).map(|&(_, block)| block)
    }
}

impl FuncBody {
    /// Calls `f` with every instruction of every block, in text order. Parameters come first.
    pub fn for_each_inst(&self, mut f: impl FnMut(Block, Inst)) {
        for block in self.blocks_in_order() {
            let data = self.block(block);
            for &inst in data.params.iter() {
                f(block, inst);
            }
            for &inst in data.insts.iter() {
                f(block, inst);
            }
        }
    }

    /// The innermost loop of a tree that `continue` in `region` may target, for messages.
    pub fn innermost_loop(&self, nesting: &Nesting, region: Region) -> Option<Node> {
        nesting.enclosing(region).find(|&node| matches!(self.node(node).kind, NodeKind::Loop { .. }))
    }
}
