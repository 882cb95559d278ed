//! Hints by their evidence: definitions, uses, memory, parameters, registers.

use super::*;
use crate::testing::*;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{DerefOp, FloatOp, IntOp, VectorOp};
use vitrine_ir::{Args, Assembler, Attrs, BlockData, Edge, Mode, RegData, Terminator, VarData};

struct Maker {
    module: Module,
    asm: Assembler,
    insts: Vec<Inst>,
}

impl Maker {
    fn new() -> Maker {
        Maker { module: Module::new(), asm: Assembler::new(), insts: Vec::new() }
    }

    fn inst(&mut self, op: impl Into<Op>, ty: ValueType, args: &[Inst]) -> Inst {
        self.data(InstData::new(op, ty, args))
    }

    fn data(&mut self, data: InstData) -> Inst {
        let inst = self.asm.add_inst(data);
        self.insts.push(inst);
        inst
    }

    fn types(mut self) -> Types {
        self.asm.add_block(BlockData { insts: self.insts.into(), ..block(Terminator::Return(None)) });
        self.asm.graph(vec![b(0)]);
        let body = self.asm.finish();
        Types::of(&self.module, &body, &Cfg::of(&body))
    }
}

const B32: ValueType = ValueType::B32;

#[test]
fn constants_have_the_type_of_their_uses() {
    let mut maker = Maker::new();
    let one = maker.inst(BasicOp::Const, B32, &[]);
    let two = maker.inst(BasicOp::Const, B32, &[]);
    let sum = maker.inst(FloatOp::FAdd, B32, &[one, one]);
    let both = maker.inst(VectorOp::Vec, ValueType::bits(Width::W32, 2), &[sum, two]);
    let less = maker.inst(FloatOp::FLt, ValueType::BOOL, &[one, sum]);
    let types = maker.types();
    assert_eq!(
        [one, two, sum, both, less].map(|value| types.spell(value)),
        ["f32", "f32", "f32", "f32x2", "bool"]
    );
}

#[test]
fn the_sign_passes_through_additions_and_the_definition_wins() {
    let mut maker = Maker::new();
    let a = maker.inst(BasicOp::Const, B32, &[]);
    let divided = maker.inst(IntOp::UDiv, B32, &[a, a]);
    let step = maker.inst(BasicOp::Const, B32, &[]);
    let sum = maker.inst(IntOp::IAdd, B32, &[divided, step]);
    let plain = maker.inst(IntOp::IAdd, B32, &[step, step]);
    let float = maker.inst(FloatOp::FNeg, B32, &[sum]);
    let bits = maker.inst(IntOp::IAnd, B32, &[float, step]);
    let mixed = maker.inst(BasicOp::Const, B32, &[]);
    maker.inst(IntOp::IDiv, B32, &[mixed, mixed]);
    maker.inst(FloatOp::FNeg, B32, &[mixed]);
    let types = maker.types();
    assert_eq!([a, divided, step, sum].map(|v| types.hint(v)), [TypeHint::Uint; 4]);
    assert_eq!(types.hint(float), TypeHint::Float);
    assert_eq!(types.hint(bits), TypeHint::Int);
    assert_eq!(types.hint(mixed), TypeHint::Any);
    assert_eq!(types.hint(plain), TypeHint::Int);
    assert_eq!(types.spell(mixed), "b32");
}

#[test]
fn memory_contributes_its_type() {
    let mut maker = Maker::new();
    let float = maker.module.ty(TypeData::Float { width: Width::W32 });
    let vector = maker.module.ty(TypeData::Vector { of: float, components: 4 });
    let data =
        VarData { name: None, ty: vector, mode: Mode::Private, owner: None, init: None, attrs: Attrs::None };
    let var = maker.module.add_var(data);
    let path = InstData::new(DerefOp::Var, ValueType::Path, &[]);
    let path = maker.data(path.with(Key::Var, EntityId::index(var) as u64));
    let ty = ValueType::bits(Width::W32, 4);
    let loaded = maker.inst(MemoryOp::Load, ty, &[path]);
    let stored = maker.inst(BasicOp::Const, ty, &[]);
    maker.inst(MemoryOp::Store, ValueType::Void, &[path, stored]);
    let types = maker.types();
    assert_eq!([path, loaded, stored].map(|value| types.spell(value)), ["path", "f32x4", "f32x4"]);
}

#[test]
fn parameters_and_registers_carry_hints_around_loops() {
    let mut asm = Assembler::new();
    let start = asm.add_inst(InstData::new(BasicOp::Const, B32, &[]));
    let param = asm.add_inst(InstData::new(BasicOp::Param, B32, &[]));
    let next = asm.add_inst(InstData::new(FloatOp::FExp, B32, &[param]));
    let store = asm.add_inst(InstData::new(RegOp::Store, ValueType::Void, &[next]).with(Key::Reg, 0));
    let load = asm.add_inst(InstData::new(RegOp::Load, B32, &[]).with(Key::Reg, 0));
    asm.put_reg(EntityId::from_index(0), RegData { name: None, width: Width::W32, components: 1, len: 0 });
    let edge = |arg| Terminator::Goto(Edge { to: b(1), args: Args::new(&[arg]) });
    asm.add_block(BlockData { insts: vec![start, load].into(), ..block(edge(start)) });
    asm.add_block(BlockData {
        params: vec![param].into(),
        insts: vec![next, store].into(),
        ..block(edge(next))
    });
    asm.graph(vec![b(0), b(1)]);
    let body = asm.finish();
    let types = Types::of(&Module::new(), &body, &Cfg::of(&body));
    assert_eq!([start, param, next, load].map(|value| types.hint(value)), [TypeHint::Float; 4]);
    assert_eq!(types.hint(store), TypeHint::Unknown);
}
