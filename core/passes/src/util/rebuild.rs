//! A copy of a function that an `Assembler` can extend: the start of passes that build a new body.
//!
//! All tables are copied with their ids, including vacant and erased entries, so that new ids were never used
//! before. The shape is not copied; the pass sets the new one.

use rustc_hash::FxHashMap;
use vitrine_ir::Args;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Bits, Key, Op, ValueType, Width};
use vitrine_ir::{Assembler, Attrs, Block, BlockData, FuncBody, Inst, InstData, Module, Terminator, Text};

/// Copies everything but the shape.
pub(crate) fn copy(body: &FuncBody) -> Assembler {
    Assembler::copy_of(body)
}

/// Adds a block without instructions.
pub(crate) fn empty_block(asm: &mut Assembler, terminator: Terminator) -> Block {
    asm.add_block(BlockData { terminator, ..BlockData::default() })
}

/// Adds instructions to the end of a block.
pub(crate) fn append(asm: &mut Assembler, block: Block, insts: &[Inst]) {
    std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).extend_from_slice(insts);
}

/// Adds instructions to the beginning of a block.
pub(crate) fn prepend(asm: &mut Assembler, block: Block, insts: Vec<Inst>) {
    if !insts.is_empty() {
        std::rc::Rc::make_mut(&mut asm.block_mut(block).insts).splice(0..0, insts);
    }
}

/// Adds a parameter to a block, with the type and pointee type of `like`.
pub(crate) fn param_like(asm: &mut Assembler, block: Block, like: Inst) -> Inst {
    let param = inst_like(asm, BasicOp::Param, like);
    std::rc::Rc::make_mut(&mut asm.block_mut(block).params).push(param);
    param
}

/// Names a value that is stored to a variable after the variable, if it is computed and has no name of its own.
pub(crate) fn name_stored(asm: &mut Assembler, value: Inst, name: Option<Text>) {
    let is_shared = matches!(
        asm.body().inst(value).op,
        Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef | BasicOp::Param)
    );
    if !is_shared && asm.body().inst_name(value).is_none() {
        asm.name_inst(value, name);
    }
}

/// Creates an operation without operands of the type of `like`, in no block yet: `param` or `undef`.
pub(crate) fn inst_like(asm: &mut Assembler, op: BasicOp, like: Inst) -> Inst {
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

/// Creates a constant, in no block yet.
pub(crate) fn constant(module: &mut Module, asm: &mut Assembler, width: Width, value: u64) -> Inst {
    let bits = module.bits(Bits::from_components(width, &[value]));
    let data = InstData::new(BasicOp::Const, ValueType::bits(width, 1), &[]);
    asm.add_inst(data.with(Key::Const, bits.index() as u64))
}

/// Replaces a parameter that lost its edges by a copy of the value that was passed: `mov`, under the same id.
pub(crate) fn param_to_copy(asm: &mut Assembler, param: Inst, value: Inst) {
    let data = asm.inst_mut(param);
    data.op = BasicOp::Copy.into();
    data.args = Args::new(&[value]);
}

/// The value at the end of a chain of replacements.
///
/// A load that is passed around a loop may map to itself through other entries; then no definition exists, and the
/// parameter must end the chain. Hence the length of chains is bounded.
pub(crate) fn resolved(becomes: &FxHashMap<Inst, Inst>, value: Inst) -> Inst {
    let mut value = value;
    for _ in 0..=becomes.len() {
        match becomes.get(&value) {
            Some(&next) => value = next,
            None => break,
        }
    }
    value
}

/// Replaces every use of the keys of `becomes` by their values.
pub(crate) fn replace_all(asm: &mut Assembler, becomes: &FxHashMap<Inst, Inst>) {
    let at = |value: Inst| resolved(becomes, value);
    for block in asm.body().blocks_in_order() {
        for inst in asm.body().block(block).insts.clone().iter().copied() {
            let args: Args = asm.body().inst(inst).args.map(at);
            if args != asm.body().inst(inst).args {
                asm.inst_mut(inst).args = args;
            }
        }
        let terminator = asm.body().terminator(block).map_uses(at);
        asm.block_mut(block).terminator = terminator;
    }
    let nodes: Vec<_> = vitrine_ir::TreeWalk::new(asm.body())
        .filter_map(|step| match step {
            vitrine_ir::TreeStep::Enter(node) => Some(node),
            vitrine_ir::TreeStep::Open(..)
            | vitrine_ir::TreeStep::Block(_)
            | vitrine_ir::TreeStep::Leave(_) => None,
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
