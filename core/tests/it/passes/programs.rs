//! Random programs to run: integers, floats and booleans that mix only by conversion, local variables of several
//! shapes, and stores to a module variable as the visible result.
//!
//! Floats are never reinterpreted as integers, since passes may change the bits of a NaN.

use crate::testing::graphs::{Random, Spec};
use std::rc::Rc;
use vitrine_core::analysis::{Cfg, Dom};
use vitrine_core::base::{EntityId, SideTable};
use vitrine_core::ir::{
    Args, Assembler, Attrs, Block, BlockData, Case, CowVec, Edge, Func, Inst, InstData, Len, Mode, Module,
    Operand, Terminator, TypeData, Var, VarData,
};
use vitrine_core::ops::attr::pack_components;
use vitrine_core::ops::{
    BasicOp, Bits, ConvertOp, DerefOp, FloatOp, IntOp, Key, MemoryOp, Op, Scalar, ValueType, VectorOp, Width,
};

const INT2: &[IntOp] = &[
    IntOp::IAdd,
    IntOp::ISub,
    IntOp::IMul,
    IntOp::UDiv,
    IntOp::UMod,
    IntOp::IAnd,
    IntOp::IOr,
    IntOp::IXor,
    IntOp::IShl,
    IntOp::UShr,
    IntOp::IShr,
    IntOp::IMin,
    IntOp::UMax,
    IntOp::IDiv,
];
const INT1: &[IntOp] = &[IntOp::INeg, IntOp::INot, IntOp::IAbs, IntOp::BitRev];
const BITS1: &[IntOp] = &[IntOp::BitCount, IntOp::FindLsb, IntOp::UFindMsb, IntOp::IFindMsb, IntOp::ISign];
const BITS2: &[IntOp] = &[
    IntOp::UMulHigh,
    IntOp::IMulHigh,
    IntOp::UAddCarry,
    IntOp::IAddSat,
    IntOp::USubSat,
    IntOp::IHadd,
    IntOp::IRem,
    IntOp::IMod,
    IntOp::Rotl,
    IntOp::IMax,
    IntOp::UMin,
];
const FLOAT2: &[FloatOp] =
    &[FloatOp::FAdd, FloatOp::FSub, FloatOp::FMul, FloatOp::FDiv, FloatOp::FMin, FloatOp::FMax];
const FLOAT1: &[FloatOp] = &[FloatOp::FNeg, FloatOp::FAbs, FloatOp::FSat, FloatOp::FFloor, FloatOp::FSqrt];
const COMPARE: &[IntOp] = &[IntOp::IEq, IntOp::INe, IntOp::ILt, IntOp::IGe, IntOp::ULe, IntOp::UGt];
const COMPARE_FLOAT: &[FloatOp] = &[FloatOp::FLt, FloatOp::FGe, FloatOp::FNeu, FloatOp::FEq];

/// Values in scope, by type.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<Inst>,
    floats: Vec<Inst>,
    truths: Vec<Inst>,
}

struct Generator<'r> {
    module: Module,
    asm: Assembler,
    random: &'r mut Random,
    scope: Scope,
    insts: Vec<Inst>,
    locals: [Var; 6],
    visible: [Var; 2],
}

/// A program with this graph; its function takes three integers.
pub(crate) fn program(spec: &Spec, random: &mut Random) -> (Module, Func) {
    let mut module = Module::new();
    let mut asm = Assembler::new();
    let int = module.ty(TypeData::Int { width: Width::W32, signed: false });
    let float = module.ty(TypeData::Float { width: Width::W32 });
    let pair = module.ty(TypeData::Array { of: int, len: Len::Count(2), stride: 0 });
    let four = module.ty(TypeData::Vector { of: int, components: 4 });
    let func = Func::from_index(0);
    let seven = Operand::Bits(module.bits(Bits::scalar(Scalar::i(Width::W32, 7))));
    let mut var = |ty, mode, init| {
        let owner = (mode == Mode::Local).then_some(func);
        // Results are stored to buffers, at the next free binding.
        let binding = module.vars().count() as u64;
        let attrs = match mode {
            Mode::Storage => Attrs::None.with(Key::Set, 0).with(Key::Binding, binding),
            _ => Attrs::None,
        };
        module.add_var(VarData { name: None, ty, mode, owner, init, attrs })
    };
    let visible = [var(int, Mode::Storage, None), var(float, Mode::Storage, None)];
    let locals = [
        var(int, Mode::Local, Some(seven)),
        var(pair, Mode::Local, None),
        var(four, Mode::Local, None),
        var(pair, Mode::Local, None),
        var(pair, Mode::Local, None),
        var(pair, Mode::Local, None),
    ];
    let given: Vec<Inst> =
        (0..3).map(|_| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]))).collect();
    asm.params(given.clone());
    let id = |at: usize| Block::from_index(at);
    asm.graph((0..spec.successors.len()).map(id).collect());
    for (targets, &params) in spec.successors.iter().zip(&spec.params) {
        let param = |_| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
        let params: Vec<Inst> = (0..params).map(param).collect();
        let edge = |&to: &u32| Edge { to: id(to as usize), args: Args::default() };
        let exit = match &targets[..] {
            [] => Terminator::Return(None),
            [to] => Terminator::Goto(edge(to)),
            [then, els] => Terminator::Branch { cond: given[0], then: edge(then), els: edge(els) },
            [cases @ .., default] => {
                let case = |(at, to)| Case { values: vec![at, at + 10], edge: edge(to) };
                let cases = (0..).zip(cases).map(case).collect();
                Terminator::Switch { on: given[0], cases, default: edge(default) }
            }
        };
        asm.add_block(BlockData { params: CowVec::new(params), terminator: exit, ..BlockData::default() });
    }
    let cfg = Rc::new(Cfg::of(asm.body()));
    let dom = Dom::of(&cfg);
    let mut scopes: SideTable<Block, Scope> = SideTable::new();
    let mut generator =
        Generator { module, asm, random, scope: Scope::default(), insts: Vec::new(), locals, visible };
    for &block in cfg.blocks() {
        let outer = dom.idom(block).map(|up| scopes[up].clone());
        generator.scope = outer.unwrap_or_else(|| Scope { ints: given.clone(), ..Scope::default() });
        generator.block(spec, block);
        scopes[block] = generator.scope.clone();
    }
    let Generator { mut module, asm, .. } = generator;
    let func = module.add_func(asm.finish());
    (module, func)
}

impl Generator<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn add(&mut self, data: InstData) -> Inst {
        let inst = self.asm.add_inst(data);
        self.insts.push(inst);
        inst
    }

    fn op(&mut self, op: impl Into<Op>, ty: ValueType, args: &[Inst]) -> Inst {
        self.add(InstData::new(op, ty, args))
    }

    fn constant(&mut self, bits: Bits) -> Inst {
        let id = self.module.bits(bits);
        self.add(InstData::new(BasicOp::Const, bits.ty(), &[]).with(Key::Const, id.index() as u64))
    }

    fn int(&mut self) -> Inst {
        if self.random.below(4) == 0 {
            let value = self.pick(&[0, 1, 2, 3, 4, 8, 31, -1, 100]);
            return self.constant(Bits::scalar(Scalar::i(Width::W32, value)));
        }
        let from = self.scope.ints.clone();
        self.pick(&from)
    }

    fn float(&mut self) -> Inst {
        if self.scope.floats.is_empty() || self.random.below(4) == 0 {
            let value = self.pick(&[0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.25]);
            return self.constant(Bits::scalar(Scalar::float(Width::W32, value)));
        }
        let from = self.scope.floats.clone();
        self.pick(&from)
    }

    fn boolean(&mut self) -> Inst {
        if self.scope.truths.is_empty() || self.random.below(6) == 0 {
            let value = self.random.below(2) == 0;
            return self.constant(Bits::scalar(Scalar::bool(value)));
        }
        let from = self.scope.truths.clone();
        self.pick(&from)
    }

    fn block(&mut self, spec: &Spec, block: Block) {
        self.insts = Vec::new();
        let params = self.asm.body().block(block).params.to_vec();
        self.scope.ints.extend(params);
        if block.index() == 0 {
            self.begin();
        }
        for _ in 0..2 + self.random.below(6) {
            self.one();
        }
        let exit = self.asm.body().terminator(block).clone();
        let (cond, on) = match exit {
            Terminator::Branch { .. } => (Some(self.boolean()), None),
            Terminator::Switch { .. } => (None, Some(self.int())),
            _ => (None, None),
        };
        let mut pass = |edge: &Edge| {
            let args = (0..spec.params[edge.to.index()]).map(|_| self.int()).collect();
            Edge { to: edge.to, args }
        };
        let exit = match (exit, cond, on) {
            (Terminator::Goto(edge), ..) => Terminator::Goto(pass(&edge)),
            (Terminator::Branch { then, els, .. }, Some(cond), _) => {
                Terminator::Branch { cond, then: pass(&then), els: pass(&els) }
            }
            (Terminator::Switch { cases, default, .. }, _, Some(on)) => {
                let case = |case: &Case| Case { values: case.values.clone(), edge: pass(&case.edge) };
                let cases = cases.iter().map(case).collect();
                Terminator::Switch { on, cases, default: pass(&default) }
            }
            (other, ..) => other,
        };
        // Later blocks use some of the values of this block.
        let keep = |list: &mut Vec<Inst>| drop(list.drain(..list.len().saturating_sub(10)));
        [&mut self.scope.ints, &mut self.scope.floats, &mut self.scope.truths].into_iter().for_each(keep);
        let insts = CowVec::new(std::mem::take(&mut self.insts));
        let data = self.asm.block_mut(block);
        data.terminator = exit;
        data.insts = insts;
    }

    /// One random statement.
    fn one(&mut self) {
        let (b32, b1) = (ValueType::B32, ValueType::BOOL);
        match self.random.below(20) {
            0..=3 => {
                let (op, args) = (self.pick(INT2), [self.int(), self.int()]);
                let value = self.op(op, b32, &args);
                self.scope.ints.push(value);
            }
            4 => {
                let (op, arg) = (self.pick(INT1), self.int());
                let value = self.op(op, b32, &[arg]);
                self.scope.ints.push(value);
            }
            5..=6 => {
                let (op, args) = (self.pick(FLOAT2), [self.float(), self.float()]);
                let value = self.op(op, b32, &args);
                self.scope.floats.push(value);
            }
            7 => {
                let (op, arg) = (self.pick(FLOAT1), self.float());
                let value = self.op(op, b32, &[arg]);
                self.scope.floats.push(value);
            }
            8 => {
                let value = if self.random.below(2) == 0 {
                    let (op, args) = (self.pick(COMPARE), [self.int(), self.int()]);
                    self.op(op, b1, &args)
                } else {
                    let (op, args) = (self.pick(COMPARE_FLOAT), [self.float(), self.float()]);
                    self.op(op, b1, &args)
                };
                self.scope.truths.push(value);
            }
            9 => {
                let cond = self.boolean();
                let opposite = self.op(IntOp::INot, b1, &[cond]);
                let args = [opposite, self.int(), self.int()];
                let value = self.op(IntOp::Select, b32, &args);
                self.scope.truths.push(opposite);
                self.scope.ints.push(value);
            }
            10 => {
                let arg = self.int();
                let value = self.op(ConvertOp::I2F, b32, &[arg]);
                self.scope.floats.push(value);
                let arg = self.float();
                let value = self.op(ConvertOp::F2I, b32, &[arg]);
                self.scope.ints.push(value);
            }
            11 => {
                let parts = [self.int(), self.int(), self.int()];
                let whole = self.op(VectorOp::Vec, b32.with_components(3), &parts);
                let picks = [self.random.below(3) as u8, self.random.below(3) as u8];
                let swizzle = InstData::new(VectorOp::Swizzle, b32.with_components(2), &[whole]);
                let two = self.add(swizzle.with(Key::Components, pack_components(&picks)));
                let swizzle = InstData::new(VectorOp::Swizzle, b32, &[two]);
                let one = self.add(swizzle.with(Key::Components, pack_components(&[1])));
                let copy = self.op(BasicOp::Copy, b32, &[one]);
                self.scope.ints.push(copy);
            }
            12..=14 => self.memory(),
            15 => self.several_components(),
            16 => self.other_width(),
            17 => {
                let (op, arg) = (self.pick(BITS1), self.int());
                let value = self.op(op, b32, &[arg]);
                self.scope.ints.push(value);
                let (op, args) = (self.pick(BITS2), [self.int(), self.int()]);
                let value = self.op(op, b32, &args);
                self.scope.ints.push(value);
            }
            _ => self.show(),
        }
    }

    /// Integer vectors of which some components are used.
    fn several_components(&mut self) {
        let ty = ValueType::B32.with_components(4);
        let (a, b) = ([0; 4].map(|_| self.int()), [0; 2].map(|_| self.int()));
        let first = self.op(VectorOp::Vec, ty, &a);
        let spread = self.op(VectorOp::Splat, ty.with_components(2), &[b[0]]);
        let second = self.op(VectorOp::Vec, ty, &[spread, b[1], b[0]]);
        let op = self.pick(INT2);
        let whole = self.op(op, ty, &[first, second]);
        let op = self.pick(INT1);
        let whole = self.op(op, ty, &[whole]);
        let equal = self.op(VectorOp::AllEq, ValueType::BOOL, &[whole, second]);
        self.scope.truths.push(equal);
        for _ in 0..2 {
            let at = self.random.below(4) as u8;
            let component = InstData::new(VectorOp::Swizzle, ValueType::B32, &[whole]);
            let component = self.add(component.with(Key::Components, pack_components(&[at])));
            let op = self.pick(INT2);
            let other = self.int();
            let value = self.op(op, ValueType::B32, &[component, other]);
            self.scope.ints.push(value);
        }
    }

    /// Integers of 8, 16 or 64 bits, converted from and to 32 bits.
    fn other_width(&mut self) {
        let ty = ValueType::bits(self.pick(&[Width::W8, Width::W16, Width::W64]), 1);
        let args = [self.int(), self.int()].map(|arg| self.op(ConvertOp::I2I, ty, &[arg]));
        let (one, two, bits) = (self.pick(INT1), self.pick(INT2), self.pick(BITS2));
        let first = self.op(two, ty, &args);
        let second = self.op(one, ty, &[first]);
        let third = self.op(bits, ty, &[second, args[1]]);
        let compare = self.pick(COMPARE);
        let boolean = self.op(compare, ValueType::BOOL, &[third, first]);
        self.scope.truths.push(boolean);
        let convert = self.pick(&[ConvertOp::I2I, ConvertOp::U2U]);
        let value = self.op(convert, ValueType::B32, &[third]);
        self.scope.ints.push(value);
    }

    fn show(&mut self) {
        let (var, value) = match self.random.below(3) {
            0 => (self.visible[1], self.float()),
            _ => (self.visible[0], self.int()),
        };
        let path = self.path(var);
        // Floats are shown by comparisons, since the bits of a NaN may change.
        if var == self.visible[1] {
            let shown = self.op(FloatOp::FCanonicalize, ValueType::B32, &[value]);
            self.op(MemoryOp::Store, ValueType::Void, &[path, shown]);
        } else {
            self.op(MemoryOp::Store, ValueType::Void, &[path, value]);
        }
    }

    fn path(&mut self, var: Var) -> Inst {
        self.add(InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64))
    }

    /// A path to an element of an array of two, by a constant or a dynamic index.
    fn element(&mut self, var: Var) -> Inst {
        let path = self.path(var);
        let index = if self.random.below(3) == 0 {
            let one = self.constant(Bits::scalar(Scalar::i(Width::W32, 1)));
            let int = self.int();
            self.op(IntOp::IAnd, ValueType::B32, &[int, one])
        } else {
            let at = self.random.below(2) as i64;
            self.constant(Bits::scalar(Scalar::i(Width::W32, at)))
        };
        self.op(DerefOp::Elem, ValueType::Path, &[path, index])
    }

    /// A copy between two arrays of two: whole, element by element, or one element.
    fn arrays(&mut self) {
        let [one, other] = match self.random.below(2) {
            0 => [self.locals[1], self.locals[3]],
            _ => [self.locals[3], self.locals[1]],
        };
        match self.random.below(6) {
            0 => {
                let paths = [self.path(one), self.path(other)];
                self.op(MemoryOp::CopyVar, ValueType::Void, &paths);
            }
            1 | 2 => {
                let paths = [self.path(one), self.path(other)];
                let first = self.random.below(2) as i64;
                // Sometimes an element is missing or copied twice.
                let count = 1 + self.random.below(3) as i64;
                for at in 0..count {
                    let index = self.constant(Bits::scalar(Scalar::i(Width::W32, (first + at) % 2)));
                    let [to, from] =
                        paths.map(|path| self.op(DerefOp::Elem, ValueType::Path, &[path, index]));
                    let value = self.op(MemoryOp::Load, ValueType::B32, &[from]);
                    self.op(MemoryOp::Store, ValueType::Void, &[to, value]);
                    if self.random.below(8) == 0 {
                        let (path, value) = (self.element(other), self.int());
                        self.op(MemoryOp::Store, ValueType::Void, &[path, value]);
                    }
                }
            }
            3 => {
                // A table: each element is stored only once, a constant.
                let path = self.path(self.locals[4]);
                for at in 0..2 {
                    let index = self.constant(Bits::scalar(Scalar::i(Width::W32, at)));
                    let to = self.op(DerefOp::Elem, ValueType::Path, &[path, index]);
                    let value = self.constant(Bits::scalar(Scalar::i(Width::W32, 40 + at)));
                    self.op(MemoryOp::Store, ValueType::Void, &[to, value]);
                }
                let path = self.element(self.locals[4]);
                let table = self.op(MemoryOp::Load, ValueType::B32, &[path]);
                self.scope.ints.push(table);
                self.filled();
            }
            4 => {
                let path = self.element(one);
                let value = self.op(MemoryOp::Load, ValueType::B32, &[path]);
                self.scope.ints.push(value);
            }
            _ => {
                let (path, value) = (self.element(one), self.int());
                self.op(MemoryOp::Store, ValueType::Void, &[path, value]);
            }
        }
    }

    /// An array that is filled with a single value, and a load of an element.
    fn filled(&mut self) {
        let value = self.asm.body().params()[0];
        let path = self.path(self.locals[5]);
        for at in 0..2 {
            let index = self.constant(Bits::scalar(Scalar::i(Width::W32, at)));
            let to = self.op(DerefOp::Elem, ValueType::Path, &[path, index]);
            self.op(MemoryOp::Store, ValueType::Void, &[to, value]);
        }
        let path = self.element(self.locals[5]);
        let element = self.op(MemoryOp::Load, ValueType::B32, &[path]);
        self.scope.ints.push(element);
    }

    /// Stores to all memory first, since loads of undefined values would make the run inconclusive.
    fn begin(&mut self) {
        for (var, value) in [(1, 70), (3, 80)] {
            let path = self.path(self.locals[var]);
            for at in 0..2 {
                let index = self.constant(Bits::scalar(Scalar::i(Width::W32, at)));
                let to = self.op(DerefOp::Elem, ValueType::Path, &[path, index]);
                let value = self.constant(Bits::scalar(Scalar::i(Width::W32, value + at)));
                self.op(MemoryOp::Store, ValueType::Void, &[to, value]);
            }
        }
        let path = self.path(self.locals[2]);
        let value = self.constant(Bits::scalar(Scalar::i(Width::W32, 90)));
        let value = self.op(VectorOp::Splat, ValueType::B32.with_components(4), &[value]);
        self.op(MemoryOp::Store, ValueType::Void, &[path, value]);
    }

    fn memory(&mut self) {
        let choice = self.random.below(6) as usize;
        if choice > 3 {
            return self.arrays();
        }
        let mut path = self.path(self.locals[choice.min(2)]);
        let mut ty = ValueType::B32;
        match choice {
            1 | 2 => {
                let at = self.random.below(2) as i64;
                let index = self.constant(Bits::scalar(Scalar::i(Width::W32, at)));
                path = self.op(DerefOp::Elem, ValueType::Path, &[path, index]);
            }
            3 => ty = ty.with_components(4),
            _ => {}
        }
        if self.random.below(2) == 0 {
            let value = self.op(MemoryOp::Load, ty, &[path]);
            let value = match ty.components() {
                1 => value,
                _ => {
                    let swizzle = InstData::new(VectorOp::Swizzle, ValueType::B32, &[value]);
                    self.add(swizzle.with(Key::Components, pack_components(&[2])))
                }
            };
            self.scope.ints.push(value);
            return;
        }
        let value = self.int();
        let value = if ty.components() == 1 { value } else { self.op(VectorOp::Splat, ty, &[value]) };
        let store = InstData::new(MemoryOp::Store, ValueType::Void, &[path, value]);
        let masked = ty.components() == 4 && self.random.below(2) == 0;
        let mask = 1 + self.random.below(14);
        self.add(if masked { store.with(Key::Mask, mask) } else { store });
    }
}
