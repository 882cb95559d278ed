//! A copy of a function that an `Assembler` can go on with: where passes that make a new body begin.
//!
//! All tables are taken over under their ids, vacant and erased entries too, so that ids given out from
//! here on were never used before. The shape is not taken over; the pass says the new one.

use crate::base::EntityId;
use crate::ir::Args;
use crate::ir::{Assembler, Attrs, Block, BlockData, FuncBody, Inst, InstData, Module, Origin, Terminator};
use crate::ops::{BasicOp, Bits, Key, ValueType, Width};
use rustc_hash::FxHashMap;

/// Copies everything but the shape.
pub(in crate::passes) fn copy(body: &FuncBody) -> Assembler {
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
pub(in crate::passes) fn empty_block(asm: &mut Assembler, exit: Terminator) -> Block {
    asm.add_block(BlockData { terminator: exit, ..BlockData::default() })
}

/// Adds instructions to the end of a block.
pub(in crate::passes) fn append(asm: &mut Assembler, block: Block, insts: &[Inst]) {
    std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).extend_from_slice(insts);
}

/// Adds instructions to the beginning of a block.
pub(in crate::passes) fn prepend(asm: &mut Assembler, block: Block, insts: Vec<Inst>) {
    if !insts.is_empty() {
        std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).splice(0..0, insts);
    }
}

/// Adds a parameter to a block, of the type of `like` and pointing at what it points at.
pub(in crate::passes) fn param_like(asm: &mut Assembler, block: Block, like: Inst) -> Inst {
    let param = inst_like(asm, BasicOp::Param, like);
    std::rc::Rc::make_mut(&mut asm.block_mut(block).params).push(param);
    param
}

/// Makes an operation without operands of the type of `like`, in no block yet: `param` or `undef`.
pub(in crate::passes) fn inst_like(asm: &mut Assembler, op: BasicOp, like: Inst) -> Inst {
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
pub(in crate::passes) fn constant(
    module: &mut Module,
    asm: &mut Assembler,
    width: Width,
    value: u64,
) -> Inst {
    let bits = module.bits(Bits::from_components(width, &[value]));
    let data = InstData::new(BasicOp::Const, ValueType::bits(width, 1), &[]);
    asm.add_inst(data.with(Key::Const, bits.index() as u64))
}

/// Lets a parameter that lost its edges be what was passed: `mov`, under the same id.
pub(in crate::passes) fn param_to_copy(asm: &mut Assembler, param: Inst, value: Inst) {
    let data = asm.inst_mut(param);
    data.op = BasicOp::Copy.into();
    data.args = Args::new(&[value]);
}

/// Reads what stands for a value instead of it, everywhere.
pub(in crate::passes) fn replace_all(asm: &mut Assembler, becomes: &FxHashMap<Inst, Inst>) {
    // A load that is passed round a loop may stand for itself by way of others; then nothing sets it, and
    // the parameter ends the chain. So chains end.
    let at = |value: Inst| {
        let mut value = value;
        for _ in 0..=becomes.len() {
            match becomes.get(&value) {
                Some(&next) => value = next,
                None => break,
            }
        }
        value
    };
    for block in asm.body().blocks_in_order() {
        for inst in asm.body().block(block).insts.clone().iter().copied() {
            let args: Args = asm.body().inst(inst).args.map(at);
            if args != asm.body().inst(inst).args {
                asm.inst_mut(inst).args = args;
            }
        }
        let exit = asm.body().terminator(block).map_uses(at);
        asm.block_mut(block).terminator = exit;
    }
    let nodes: Vec<_> = crate::ir::TreeWalk::new(asm.body())
        .filter_map(|step| match step {
            crate::ir::TreeStep::Enter(node) => Some(node),
            crate::ir::TreeStep::Open(..) | crate::ir::TreeStep::Block(_) | crate::ir::TreeStep::Leave(_) => {
                None
            }
        })
        .collect();
    for node in nodes {
        let mut data = asm.body().node(node).clone();
        if let Some(on) = data.kind.operand()
            && at(on) != on
        {
            data.kind = data.kind.with_operand(at(on));
            asm.put_node(node, data);
        }
    }
}
