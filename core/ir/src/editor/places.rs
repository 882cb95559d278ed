//! Positions in a function: instructions in blocks, blocks and nodes in regions.
//!
//! The editor updates them item by item; `Nesting` has the same information for an unchanging function.

use crate::base::{EntitySet, SideTable};
use crate::{Block, FuncBody, Inst, Node, NodeKind, Region, Shape, TreePlace, TreeStep, TreeWalk};

/// The definition site of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum DefSite {
    /// Not in the program.
    #[default]
    Nowhere,
    /// A parameter of the function.
    Func,
    /// A parameter of a block.
    Param(Block),
    /// In a block.
    Body(Block),
}

/// Positions of everything in a function.
#[derive(Default)]
pub(crate) struct Places {
    homes: SideTable<Inst, DefSite>,
    /// Index of an instruction in its block at the last lookup.
    index: SideTable<Inst, u32>,
    known: EntitySet<Block>,
    blocks: SideTable<Block, Option<TreePlace>>,
    nodes: SideTable<Node, Option<TreePlace>>,
    owners: SideTable<Region, Option<Node>>,
}

/// Distance from the last known index to search before a whole block is renumbered.
const REACH: usize = 32;

impl Places {
    /// Computes everything.
    pub(crate) fn of(func: &FuncBody) -> Places {
        let insts = func.tables().insts.len();
        let mut places = Places {
            homes: SideTable::sized(DefSite::Nowhere, insts),
            index: SideTable::sized(0, insts),
            ..Places::default()
        };
        for &param in func.params() {
            places.homes[param] = DefSite::Func;
        }
        match func.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => order.iter().for_each(|&block| places.add_block(func, block)),
            Shape::Tree(root) => places.add_region(func, *root),
        }
        places
    }

    pub(crate) fn home(&self, inst: Inst) -> DefSite {
        self.homes[inst]
    }

    pub(crate) fn set_home(&mut self, inst: Inst, home: DefSite) {
        self.homes[inst] = home;
    }

    pub(crate) fn has_block(&self, block: Block) -> bool {
        self.known.contains(block)
    }

    pub(crate) fn block(&self, block: Block) -> Option<TreePlace> {
        self.blocks[block]
    }

    pub(crate) fn node(&self, node: Node) -> Option<TreePlace> {
        self.nodes[node]
    }

    pub(crate) fn owner(&self, region: Region) -> Option<Node> {
        self.owners[region]
    }

    /// The nodes around a region, innermost first.
    pub(crate) fn enclosing(&self, region: Region) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.owner(region), |&node| self.owner(self.node(node)?.region))
    }

    /// Index of an instruction in its block. Constant time while the block changes little.
    pub(crate) fn index_of(&mut self, func: &FuncBody, block: Block, inst: Inst) -> Option<usize> {
        let list = &func.block(block).insts;
        let near = (self.index[inst] as usize).min(list.len());
        let start = near.saturating_sub(REACH);
        let window = &list[start..list.len().min(near + REACH)];
        if let Some(at) = window.iter().position(|&other| other == inst) {
            return Some(start + at);
        }
        for (at, &other) in list.iter().enumerate() {
            self.index[other] = at as u32;
        }
        list.iter().position(|&other| other == inst)
    }

    /// Records a likely index of an instruction.
    pub(crate) fn hint(&mut self, inst: Inst, index: usize) {
        self.index[inst] = index as u32;
    }

    /// Records that a block with its instructions became part of the program.
    pub(crate) fn add_block(&mut self, func: &FuncBody, block: Block) {
        self.known.insert(block);
        let data = func.block(block);
        data.params.iter().for_each(|&param| self.homes[param] = DefSite::Param(block));
        for (at, &inst) in data.insts.iter().enumerate() {
            self.homes[inst] = DefSite::Body(block);
            self.index[inst] = at as u32;
        }
    }

    /// Records that a block with its instructions is no longer part of the program.
    pub(crate) fn remove_block(&mut self, func: &FuncBody, block: Block) {
        self.known.remove(block);
        self.blocks[block] = None;
        let data = func.block(block);
        data.params.iter().chain(data.insts.iter()).for_each(|&inst| self.homes[inst] = DefSite::Nowhere);
    }

    /// Records that a region with its contents became part of the program.
    pub(crate) fn add_region(&mut self, func: &FuncBody, region: Region) {
        self.index_region(func, region, 0);
        for step in TreeWalk::of_region(func, region) {
            match step {
                TreeStep::Block(block) => self.add_block(func, block),
                TreeStep::Open(node, _, inner) => {
                    self.owners[inner] = Some(node);
                    self.index_region(func, inner, 0);
                }
                TreeStep::Enter(_) | TreeStep::Leave(_) => {}
            }
        }
    }

    /// Records the regions of a node.
    pub(crate) fn set_owner(&mut self, node: Node, kind: &NodeKind) {
        for region in kind.regions() {
            self.owners[region] = Some(node);
        }
    }

    /// Records that a region has no owner any more.
    pub(crate) fn disown(&mut self, region: Region) {
        self.owners[region] = None;
    }

    /// Records that a node is no longer part of the program.
    pub(crate) fn remove_node(&mut self, func: &FuncBody, node: Node) {
        self.nodes[node] = None;
        for region in func.node(node).kind.regions() {
            self.owners[region] = None;
        }
    }

    /// Updates the positions of the items of a region from an index on.
    pub(crate) fn index_region(&mut self, func: &FuncBody, region: Region, from: usize) {
        let data = func.region(region);
        if from == 0 {
            self.blocks[data.head] = Some(TreePlace { region, at: 0 });
        }
        for (index, &(node, block)) in data.rest.iter().enumerate().skip(from.saturating_sub(1)) {
            let place = Some(TreePlace { region, at: index + 1 });
            self.nodes[node] = place;
            self.blocks[block] = place;
        }
    }

    /// Returns true if all positions equal those of a computation from scratch.
    #[cfg(test)]
    pub(crate) fn agrees(&self, func: &FuncBody) -> bool {
        let fresh = Places::of(func);
        let tables = func.tables();
        tables.insts.keys().all(|inst| self.home(inst) == fresh.home(inst))
            && tables
                .blocks
                .keys()
                .all(|b| self.block(b) == fresh.block(b) && self.has_block(b) == fresh.has_block(b))
            && tables.nodes.keys().all(|node| self.node(node) == fresh.node(node))
            && tables.regions.keys().all(|region| self.owner(region) == fresh.owner(region))
    }
}
