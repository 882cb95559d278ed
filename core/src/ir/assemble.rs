//! Builds a function with given ids: the door for readers (text parser, front ends, generators).
//!
//! It checks nothing and explains nothing; what it yields is for the validator to judge. Once a function
//! is in a module, only `Editor` changes it.

use super::{
    Attrs, Block, BlockData, CowVec, FuncBody, Inst, InstData, Node, NodeData, Origin, Reg, RegData, Region,
    RegionData, Shape, Text,
};
use crate::ops::ValueType;

/// A function under construction.
#[derive(Default)]
pub struct Assembler {
    body: FuncBody,
}

impl Assembler {
    /// An empty function.
    pub fn new() -> Assembler {
        Assembler::default()
    }

    /// Sets the name.
    pub fn name(&mut self, name: Option<Text>) {
        self.body.name = name;
    }

    /// Sets the parameters, which must be put as `param` instructions too.
    pub fn params(&mut self, params: Vec<Inst>) {
        self.body.params = CowVec::new(params);
    }

    /// Sets the result type.
    pub fn result(&mut self, ty: ValueType) {
        self.body.result = ty;
    }

    /// Sets the attributes.
    pub fn attrs(&mut self, attrs: Attrs) {
        self.body.attrs = attrs;
    }

    /// Makes the function a graph of these blocks, the first one the entry.
    pub fn graph(&mut self, order: Vec<Block>) {
        self.body.shape = Shape::Graph(CowVec::new(order));
    }

    /// Makes the function a tree.
    pub fn tree(&mut self, root: Region) {
        self.body.shape = Shape::Tree(root);
    }

    /// Puts an instruction under a given id.
    pub fn put_inst(&mut self, id: Inst, data: InstData) {
        self.body.insts.set(id, data);
    }

    /// Puts an instruction under the next id.
    pub fn add_inst(&mut self, data: InstData) -> Inst {
        self.body.insts.push(data)
    }

    /// Puts a block under a given id.
    pub fn put_block(&mut self, id: Block, data: BlockData) {
        self.body.blocks.set(id, data);
    }

    /// Puts a block under the next id.
    pub fn add_block(&mut self, data: BlockData) -> Block {
        self.body.blocks.push(data)
    }

    /// The block, for adding to it.
    pub fn block_mut(&mut self, id: Block) -> &mut BlockData {
        &mut self.body.blocks[id]
    }

    /// The instruction, for completing it.
    pub fn inst_mut(&mut self, id: Inst) -> &mut InstData {
        &mut self.body.insts[id]
    }

    /// Puts a node under a given id.
    pub fn put_node(&mut self, id: Node, data: NodeData) {
        self.body.nodes.set(id, data);
    }

    /// Puts a node under the next id.
    pub fn add_node(&mut self, data: NodeData) -> Node {
        self.body.nodes.push(data)
    }

    /// Adds a region.
    pub fn add_region(&mut self, data: RegionData) -> Region {
        self.body.regions.push(data)
    }

    /// The region, for completing it.
    pub fn region_mut(&mut self, id: Region) -> &mut RegionData {
        &mut self.body.regions[id]
    }

    /// Puts a register under a given id.
    pub fn put_reg(&mut self, id: Reg, data: RegData) {
        self.body.regs.set(id, Some(data));
    }

    /// Names a value.
    pub fn name_inst(&mut self, id: Inst, name: Option<Text>) {
        self.body.set_name(id, name);
    }

    /// Says where an instruction came from.
    pub fn origin(&mut self, id: Inst, origin: Origin) {
        self.body.set_origin(id, origin);
    }

    /// What there is so far.
    pub fn body(&self) -> &FuncBody {
        &self.body
    }

    /// The function.
    pub fn finish(mut self) -> FuncBody {
        self.body.touch_control();
        self.body
    }
}
