//! Builds a function with given ids, for readers: the text parser, front ends, generators.
//!
//! Performs no checks and records no reasons; the validator checks the result. Once a function is in a
//! module, only `Editor` changes it.

use super::debug::with_binding;
use super::{
    Attrs, Binding, Block, BlockData, CowVec, FuncBody, Held, Inst, InstData, Node, NodeData, Origin, Reg,
    RegData, Region, RegionData, Shape, Text,
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

    /// A copy of a function with all its ids, also of vacant and erased entries, without its shape. Its tables are shared
    /// until they are written.
    pub fn copy_of(body: &FuncBody) -> Assembler {
        Assembler { body: FuncBody { shape: Shape::Declaration, ..body.clone() } }
    }

    /// Sets the name.
    pub fn name(&mut self, name: Option<Text>) {
        self.body.name = name;
    }

    /// Sets the parameters, which must also be added as `param` instructions.
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

    /// Makes the function a graph of these blocks; the first one is the entry.
    pub fn graph(&mut self, order: Vec<Block>) {
        self.body.shape = Shape::Graph(CowVec::new(order));
    }

    /// Makes the function a tree.
    pub fn tree(&mut self, root: Region) {
        self.body.shape = Shape::Tree(root);
    }

    /// Stores an instruction under a given id.
    pub fn put_inst(&mut self, id: Inst, data: InstData) {
        self.body.insts.set(id, data);
    }

    /// Stores an instruction under the next id.
    pub fn add_inst(&mut self, data: InstData) -> Inst {
        self.body.insts.push(data)
    }

    /// Stores a block under a given id.
    pub fn put_block(&mut self, id: Block, data: BlockData) {
        self.body.blocks.set(id, data);
    }

    /// Stores a block under the next id.
    pub fn add_block(&mut self, data: BlockData) -> Block {
        self.body.blocks.push(data)
    }

    /// The block, for additions.
    pub fn block_mut(&mut self, id: Block) -> &mut BlockData {
        &mut self.body.blocks[id]
    }

    /// The instruction, for completion.
    pub fn inst_mut(&mut self, id: Inst) -> &mut InstData {
        &mut self.body.insts[id]
    }

    /// Stores a node under a given id.
    pub fn put_node(&mut self, id: Node, data: NodeData) {
        self.body.nodes.set(id, data);
    }

    /// Stores a node under the next id.
    pub fn add_node(&mut self, data: NodeData) -> Node {
        self.body.nodes.push(data)
    }

    /// Adds a region.
    pub fn add_region(&mut self, data: RegionData) -> Region {
        self.body.regions.push(data)
    }

    /// The region, for completion.
    pub fn region_mut(&mut self, id: Region) -> &mut RegionData {
        &mut self.body.regions[id]
    }

    /// Stores a register under a given id.
    pub fn put_reg(&mut self, id: Reg, data: RegData) {
        self.body.regs.set(id, Some(data));
    }

    /// Removes a register. Its id is not reused.
    pub fn drop_reg(&mut self, id: Reg) {
        if self.body.regs.contains(id) {
            self.body.regs.set(id, None);
        }
    }

    /// Names a value.
    pub fn name_inst(&mut self, id: Inst, name: Option<Text>) {
        self.body.set_name(id, name);
    }

    /// Binds a variable of the source to a value or an address.
    pub fn bind(&mut self, id: Inst, binding: Binding) {
        let all = with_binding(&self.body.bindings.get(id).cloned().flatten(), binding);
        self.body.set_bindings(id, all);
    }

    /// Changes the bindings of an address that became its value.
    pub fn hold_value(&mut self, id: Inst) {
        let value = Held::Value { number: 0, of: 1 };
        let of_value = |binding: &Binding| Binding { held: value, ..*binding };
        let all = self.body.bindings(id).iter().map(of_value).collect::<Vec<_>>();
        if !all.is_empty() {
            self.body.set_bindings(id, Some(all.into()));
        }
    }

    /// Sets the origin of an instruction.
    pub fn origin(&mut self, id: Inst, origin: Origin) {
        self.body.set_origin(id, origin);
    }

    /// Sets the origin of the terminator of a block.
    pub fn end_origin(&mut self, block: Block, origin: Origin) {
        self.body.set_end_origin(block, origin);
    }

    /// The function so far.
    pub fn body(&self) -> &FuncBody {
        &self.body
    }

    /// Returns the function.
    pub fn finish(mut self) -> FuncBody {
        self.body.touch_control();
        self.body
    }
}
