//! A copy of a function that an `Assembler` can go on with: where passes that make a new body begin.
//!
//! All tables are taken over under their ids, vacant and erased entries too, so that ids given out from
//! here on were never used before. The shape is not taken over; the pass says the new one.

use crate::base::EntityId;
use crate::ir::{Assembler, Attrs, Block, BlockData, FuncBody, Inst, InstData, Module, Origin, Terminator};
use crate::ops::{BasicOp, Bits, Key, ValueType, Width};

/// Copies everything but the shape.
pub(super) fn copy(body: &FuncBody) -> Assembler {
    let mut asm = Assembler::new();
    let tables = body.tables();
    asm.name(body.name());
    asm.params(body.params().to_vec());
    asm.result(body.result());
    asm.attrs(body.attrs().clone());
    for (inst, data) in tables.insts.iter() {
        asm.put_inst(inst, data.clone());
        asm.name_inst(inst, body.inst_name(inst));
        let origin = body.origin(inst);
        if origin != Origin::default() {
            asm.origin(inst, origin);
        }
    }
    for (block, data) in tables.blocks.iter() {
        asm.put_block(block, data.clone());
    }
    for (node, data) in tables.nodes.iter() {
        asm.put_node(node, data.clone());
    }
    for (_, data) in tables.regions.iter() {
        asm.add_region(data.clone());
    }
    for (reg, data) in body.regs() {
        asm.put_reg(reg, *data);
    }
    asm
}

/// Adds a block without instructions.
pub(super) fn empty_block(asm: &mut Assembler, exit: Terminator) -> Block {
    asm.add_block(BlockData { terminator: exit, ..BlockData::default() })
}

/// Adds instructions to the end of a block.
pub(super) fn append(asm: &mut Assembler, block: Block, insts: &[Inst]) {
    std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).extend_from_slice(insts);
}

/// Adds instructions to the beginning of a block.
pub(super) fn prepend(asm: &mut Assembler, block: Block, insts: Vec<Inst>) {
    if !insts.is_empty() {
        std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).splice(0..0, insts);
    }
}

/// Adds a parameter to a block, of the type of `like` and pointing at what it points at.
pub(super) fn param_like(asm: &mut Assembler, block: Block, like: Inst) -> Inst {
    let param = inst_like(asm, BasicOp::Param, like);
    std::rc::Rc::make_mut(&mut asm.block_mut(block).params).push(param);
    param
}

/// Makes an operation without operands of the type of `like`, in no block yet: `param` or `undef`.
pub(super) fn inst_like(asm: &mut Assembler, op: BasicOp, like: Inst) -> Inst {
    let data = asm.body().inst(like);
    let mut attrs = Attrs::None;
    for key in [Key::Type, Key::Mode] {
        if let Some(value) = data.attrs.get(key) {
            attrs = attrs.with(key, value);
        }
    }
    let new = InstData { attrs, ..InstData::new(op, data.ty, &[]) };
    asm.add_inst(new)
}

/// Makes a constant, in no block yet.
pub(super) fn constant(module: &mut Module, asm: &mut Assembler, width: Width, value: u64) -> Inst {
    let bits = module.bits(Bits::from_components(width, &[value]));
    let data = InstData::new(BasicOp::Const, ValueType::bits(width, 1), &[]);
    asm.add_inst(data.with(Key::Const, bits.index() as u64))
}

/// Lets a parameter that lost its edges be what was passed: `mov`, under the same id.
pub(super) fn param_to_copy(asm: &mut Assembler, param: Inst, value: Inst) {
    let data = asm.inst_mut(param);
    data.op = BasicOp::Copy.into();
    data.args = crate::ir::Args::new(&[value]);
}
