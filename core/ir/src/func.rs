//! A function: its entity tables, its shape and its epochs. Cheap to clone.
//!
//! Everything here is read-only. `Editor` changes a function; `Assembler` builds one with given ids.

use super::{
    Attrs, Binding, Bindings, Block, BlockData, CowVec, Debug, Held, Inst, InstData, Node, NodeData, Reg,
    Region, RegionData, Terminator, Text,
};
use crate::base::EntityMap;
use crate::ops::{Key, Op, ValueType, Width};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A point in the history of a function. Two bodies with the same epoch are equal in everything the epoch
/// covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Epoch(u64);

impl Epoch {
    /// A unique epoch. Never printed: the count differs from run to run.
    pub(super) fn fresh() -> Epoch {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Epoch(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The representation of a function's control flow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// No body: defined in another module.
    Declaration,
    /// Blocks in text order; the first one is the entry.
    Graph(CowVec<Block>),
    /// A tree; the first block of the region is the entry.
    Tree(Region),
}

/// A register: storage of a function without an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RegData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Bits per component.
    pub width: Width,
    /// Number of components.
    pub components: u8,
    /// Number of elements; 0 for a plain register.
    pub len: u32,
}

/// The source location of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// Word of the SPIR-V binary, from 0.
    pub word_offset: Option<u32>,
    /// File of the source.
    pub file: Option<Text>,
    /// Line of the source, from 1; 0 if unknown.
    pub line: u32,
    /// Column of the source, from 1; 0 if unknown.
    pub column: u32,
    /// Scope of the source: an entry of the debug table of the module.
    pub scope: Option<Debug>,
}

impl Origin {
    /// The position in the source, without the word of the binary: for instructions that were not in the binary.
    #[must_use]
    pub fn line_only(self) -> Origin {
        Origin { word_offset: None, ..self }
    }
}

/// The distance at which an inserted instruction looks for a source line.
const NEAR: usize = 4;

/// A function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FuncBody {
    pub(super) name: Option<Text>,
    pub(super) params: CowVec<Inst>,
    pub(super) result: ValueType,
    pub(super) attrs: Attrs,
    pub(super) shape: Shape,
    pub(super) insts: EntityMap<Inst, InstData>,
    pub(super) blocks: EntityMap<Block, BlockData>,
    pub(super) nodes: EntityMap<Node, NodeData>,
    pub(super) regions: EntityMap<Region, RegionData>,
    pub(super) regs: EntityMap<Reg, Option<RegData>>,
    pub(super) names: EntityMap<Inst, Option<Text>>,
    pub(super) origins: EntityMap<Inst, Origin>,
    /// Origins of terminators.
    pub(super) ends: EntityMap<Block, Origin>,
    /// Variables of the source that values hold, or that addresses point to.
    pub(super) bindings: EntityMap<Inst, Bindings>,
    #[serde(skip, default = "Epoch::fresh")]
    pub(super) control: Epoch,
    #[serde(skip, default = "Epoch::fresh")]
    pub(super) data: Epoch,
}

impl Default for FuncBody {
    fn default() -> Self {
        FuncBody {
            name: None,
            params: CowVec::default(),
            result: ValueType::Void,
            attrs: Attrs::None,
            shape: Shape::Declaration,
            insts: EntityMap::new(),
            blocks: EntityMap::new(),
            nodes: EntityMap::new(),
            regions: EntityMap::new(),
            regs: EntityMap::new(),
            names: EntityMap::new(),
            origins: EntityMap::new(),
            ends: EntityMap::new(),
            bindings: EntityMap::new(),
            control: Epoch::fresh(),
            data: Epoch::fresh(),
        }
    }
}

impl FuncBody {
    /// Name, if it has one.
    pub fn name(&self) -> Option<Text> {
        self.name
    }

    /// Parameters: `param` instructions outside of blocks.
    pub fn params(&self) -> &[Inst] {
        &self.params
    }

    /// Type of the result; `Void` if there is none.
    pub fn result(&self) -> ValueType {
        self.result
    }

    /// Hints from the source, and the type that a path result points at.
    pub fn attrs(&self) -> &Attrs {
        &self.attrs
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The first block, unless the function is a declaration.
    pub fn entry(&self) -> Option<Block> {
        match &self.shape {
            Shape::Declaration => None,
            Shape::Graph(order) => order.first().copied(),
            Shape::Tree(root) => Some(self.regions[*root].head),
        }
    }

    /// Data of an instruction.
    #[inline(always)]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// Data of a block.
    #[inline(always)]
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block]
    }

    /// Terminator of a block.
    pub fn terminator(&self, block: Block) -> &Terminator {
        &self.blocks[block].terminator
    }

    /// Data of a node.
    pub fn node(&self, node: Node) -> &NodeData {
        &self.nodes[node]
    }

    /// Data of a region.
    pub fn region(&self, region: Region) -> &RegionData {
        &self.regions[region]
    }

    /// Data of a register that was declared.
    pub fn reg(&self, reg: Reg) -> Option<&RegData> {
        self.regs.get(reg)?.as_ref()
    }

    /// Registers declared, in id order.
    pub fn regs(&self) -> impl Iterator<Item = (Reg, &RegData)> + '_ {
        self.regs.iter().filter_map(|(reg, data)| data.as_ref().map(|data| (reg, data)))
    }

    /// Name of a value, if it has one.
    #[inline(always)]
    pub fn inst_name(&self, inst: Inst) -> Option<Text> {
        self.names.get(inst).copied().flatten()
    }

    /// Source location of an instruction, as far as it is known.
    pub fn origin(&self, inst: Inst) -> Origin {
        self.origins.get(inst).copied().unwrap_or_default()
    }

    /// Source location of the terminator of a block, as far as it is known.
    pub fn end_origin(&self, block: Block) -> Origin {
        self.ends.get(block).copied().unwrap_or_default()
    }

    /// Variables of the source that a value holds or points to.
    pub fn bindings(&self, inst: Inst) -> &[Binding] {
        self.bindings.get(inst).and_then(|bindings| bindings.as_deref()).unwrap_or(&[])
    }

    /// Type of a value; `Void` for an id of another function.
    #[inline(always)]
    pub fn ty(&self, inst: Inst) -> ValueType {
        self.insts.get(inst).map_or(ValueType::Void, |data| data.ty)
    }

    /// All tables, for sizing side tables or comparing versions.
    #[inline(always)]
    pub fn tables(&self) -> Tables<'_> {
        Tables {
            insts: &self.insts,
            blocks: &self.blocks,
            nodes: &self.nodes,
            regions: &self.regions,
            regs: &self.regs,
        }
    }

    /// Changes whenever blocks, nodes or edges change. The values that a terminator or a node uses, and the
    /// parameters of blocks, are data.
    pub fn control_epoch(&self) -> Epoch {
        self.control
    }

    /// Changes whenever anything changes, including control flow.
    pub fn data_epoch(&self) -> Epoch {
        self.data
    }

    /// Number of instructions in blocks, parameters not counted.
    pub fn inst_count(&self) -> usize {
        self.blocks_in_order().into_iter().map(|block| self.block(block).insts.len()).sum()
    }

    /// The constant bits of `inst`, if it is a `const`.
    pub fn const_of(&self, inst: Inst) -> Option<super::Const> {
        let data = self.insts.get(inst)?;
        (data.op == Op::from(crate::ops::BasicOp::Const)).then(|| data.entity(Key::Const)).flatten()
    }

    /// Returns true if two versions share everything: nothing changed between them.
    pub fn same_version(&self, other: &FuncBody) -> bool {
        self.control == other.control && self.data == other.data
    }

    pub(super) fn touch_data(&mut self) {
        self.data = Epoch::fresh();
    }

    pub(super) fn touch_control(&mut self) {
        self.control = Epoch::fresh();
        self.data = Epoch::fresh();
    }

    pub(super) fn set_origin(&mut self, inst: Inst, origin: Origin) {
        if origin != Origin::default() || self.origins.contains(inst) {
            self.origins.set(inst, origin);
        }
    }

    pub(super) fn set_end_origin(&mut self, block: Block, origin: Origin) {
        if origin != Origin::default() || self.ends.contains(block) {
            self.ends.set(block, origin);
        }
    }

    /// The source line of the instruction closest to a position in a block: the next one, else the one before it.
    pub(super) fn line_near(&self, list: &[Inst], index: usize) -> Origin {
        let (before, after) = list.split_at(index.min(list.len()));
        let near = after.iter().take(NEAR).chain(before.iter().rev().take(NEAR));
        near.map(|&inst| self.origin(inst)).find(|origin| origin.line > 0).unwrap_or_default().line_only()
    }

    /// Removes the bindings of a value as one of those of a variable: it is defined elsewhere now, or more than once.
    pub(super) fn unbind_value(&mut self, inst: Inst) {
        if self.bindings(inst).iter().any(|binding| binding.held != Held::Address) {
            let kept: Vec<Binding> =
                self.bindings(inst).iter().copied().filter(|binding| binding.held == Held::Address).collect();
            self.set_bindings(inst, (!kept.is_empty()).then(|| kept.into()));
        }
    }

    pub(super) fn set_bindings(&mut self, inst: Inst, bindings: Bindings) {
        if bindings.is_some() || self.bindings.contains(inst) {
            self.bindings.set(inst, bindings);
        }
    }

    pub(super) fn set_name(&mut self, inst: Inst, name: Option<Text>) {
        if name.is_some() || self.names.contains(inst) {
            self.names.set(inst, name);
        }
    }
}

/// The tables of a function, read-only. They include erased and vacant entries.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// Instructions.
    pub insts: &'a EntityMap<Inst, InstData>,
    /// Blocks.
    pub blocks: &'a EntityMap<Block, BlockData>,
    /// Nodes.
    pub nodes: &'a EntityMap<Node, NodeData>,
    /// Regions.
    pub regions: &'a EntityMap<Region, RegionData>,
    /// Registers.
    pub regs: &'a EntityMap<Reg, Option<RegData>>,
}

/// A shared body: a module clones its functions by pointer.
pub(super) type SharedBody = Rc<FuncBody>;
