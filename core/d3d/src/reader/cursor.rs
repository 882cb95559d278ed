//! Creates instructions at the end of a block, with the methods of the op tables.
//!
//! Types are correct by construction; an operation whose operands do not fit becomes `undef`, which the
//! validator's report of the operation's use would show.

use std::rc::Rc;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{
    BasicOp, Bits, ConvertOp, Emit, Flags, FloatBuild, FloatOp, Key, Op, Scalar, ValueType, VectorOp, Width,
    attr::pack_components,
};
use vitrine_ir::{Assembler, Block, BlockData, Func, Inst, InstData, Module, Origin, Terminator};

/// A position in a function under construction.
pub(super) struct Cursor<'m> {
    pub(super) module: &'m mut Module,
    pub(super) asm: Assembler,
    /// The block that instructions are added to.
    pub(super) block: Block,
    /// The word of the instruction that is being read.
    pub(super) word: u32,
    /// The number of registers of the function.
    pub(super) regs: usize,
    /// True if medium precision suffices for the instruction that is being read.
    pub(super) relaxed: bool,
    /// True if products are 0 where a factor is 0.
    zero_products: bool,
}

impl<'m> Cursor<'m> {
    /// The start of a new function.
    pub(super) fn new(module: &'m mut Module, zero_products: bool) -> Cursor<'m> {
        let mut asm = Assembler::new();
        let block = asm.add_block(BlockData::default());
        Cursor { module, asm, block, word: 0, regs: 0, relaxed: false, zero_products }
    }

    /// Begins another function and returns the one that was built.
    pub(super) fn next_function(&mut self) -> Assembler {
        let built = std::mem::take(&mut self.asm);
        self.block = self.asm.add_block(BlockData::default());
        self.regs = 0;
        built
    }

    /// Adds an instruction.
    pub(super) fn add(&mut self, mut data: InstData) -> Inst {
        if self.relaxed && matches!(data.op, Op::Float(_) | Op::Vector(_) | Op::Tex(_) | Op::Group(_)) {
            data.flags = data.flags.and(Flags::RELAXED);
        }
        let inst = self.asm.add_inst(data);
        self.asm.origin(inst, Origin { word_offset: Some(self.word), ..Origin::default() });
        Rc::make_mut(&mut self.asm.block_mut(self.block).insts).push(inst);
        inst
    }

    /// Adds a block. The cursor stays.
    pub(super) fn add_block(&mut self, terminator: Terminator) -> Block {
        self.asm.add_block(BlockData { terminator, ..BlockData::default() })
    }

    /// Sets the terminator of the current block.
    pub(super) fn terminate(&mut self, terminator: Terminator) {
        self.asm.block_mut(self.block).terminator = terminator;
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: Inst) -> ValueType {
        self.asm.body().ty(value)
    }

    /// Names a value.
    pub(super) fn name(&mut self, value: Inst, name: &str) {
        let name = self.module.text(name);
        self.asm.name_inst(value, Some(name));
    }

    /// A constant.
    pub(super) fn bits(&mut self, bits: Bits) -> Inst {
        let id = self.module.bits(bits);
        self.add(InstData::new(BasicOp::Const, bits.ty(), &[]).with(Key::Const, id.index() as u64))
    }

    /// One 32-bit float in each of some components.
    pub(super) fn float(&mut self, value: f32, components: u8) -> Inst {
        self.words(&vec![value.to_bits(); usize::from(components)])
    }

    /// 32-bit words as components.
    pub(super) fn words(&mut self, words: &[u32]) -> Inst {
        let words: Vec<u64> = words.iter().map(|&word| u64::from(word)).collect();
        self.bits(Bits::from_components(Width::W32, &words))
    }

    /// A 32-bit integer.
    pub(super) fn int(&mut self, value: i32) -> Inst {
        self.words(&[value as u32])
    }

    /// A boolean constant.
    pub(super) fn bool(&mut self, value: bool) -> Inst {
        self.bits(Bits::scalar(Scalar::bool(value)))
    }

    /// Components of a value by number. A single number repeats nothing: its result is one component.
    pub(super) fn swizzle(&mut self, value: Inst, components: &[u8]) -> Inst {
        let ty = self.ty(value);
        let count = components.len() as u8;
        let is_identity = count == ty.components()
            && components.iter().enumerate().all(|(at, &from)| usize::from(from) == at);
        if is_identity {
            return value;
        }
        if ty.components() == 1 {
            return self.add(InstData::new(VectorOp::Splat, ty.with_components(count), &[value]));
        }
        let data = InstData::new(VectorOp::Swizzle, ty.with_components(count), &[value]);
        self.add(data.with(Key::Components, pack_components(components)))
    }

    /// One component.
    pub(super) fn component(&mut self, value: Inst, at: u8) -> Inst {
        self.swizzle(value, &[at])
    }

    /// The value in as many components as wanted: a single component is repeated.
    pub(super) fn widen(&mut self, value: Inst, components: u8) -> Inst {
        match self.ty(value).components() {
            1 => self.swizzle(value, &vec![0; usize::from(components)]),
            _ => value,
        }
    }

    /// The components of values in order: at most four in all.
    pub(super) fn vec(&mut self, parts: &[Inst]) -> Inst {
        let count = parts.iter().map(|&part| self.ty(part).components()).sum();
        match parts {
            [one] => *one,
            _ => self.add(InstData::new(VectorOp::Vec, ValueType::bits(Width::W32, count), parts)),
        }
    }

    /// The product of two values. The language leaves the sign of a zero open.
    pub(super) fn product(&mut self, a: Inst, b: Inst) -> Inst {
        if !self.zero_products {
            return self.fmul(a, b);
        }
        let ty = self.ty(a);
        self.add(InstData { flags: Flags::NSZ, ..InstData::new(FloatOp::FMulZ, ty, &[a, b]) })
    }

    /// `a * b + c`, with one rounding.
    pub(super) fn product_and_sum(&mut self, a: Inst, b: Inst, c: Inst) -> Inst {
        if !self.zero_products {
            return self.ffma(a, b, c);
        }
        let ty = self.ty(a);
        self.add(InstData { flags: Flags::NSZ, ..InstData::new(FloatOp::FFmaZ, ty, &[a, b, c]) })
    }

    /// `x * (y - z) + z`, with two roundings of the products and the sum.
    pub(super) fn interpolation(&mut self, x: Inst, y: Inst, z: Inst) -> Inst {
        let difference = self.fsub(y, z);
        if !self.zero_products {
            return self.fmad(x, difference, z);
        }
        let product = self.product(x, difference);
        self.fadd(product, z)
    }

    /// The dot product of two vectors of as many components.
    pub(super) fn dot(&mut self, a: Inst, b: Inst) -> Inst {
        if !self.zero_products {
            return self.emit(VectorOp::FDot.into(), &[a, b]);
        }
        let products = self.product(a, b);
        let mut sum = self.component(products, 0);
        for at in 1..self.ty(products).components() {
            let next = self.component(products, at);
            sum = self.fadd(sum, next);
        }
        sum
    }

    /// The cross product of two vectors of three components.
    pub(super) fn cross(&mut self, a: Inst, b: Inst) -> Inst {
        if !self.zero_products {
            return self.emit(VectorOp::FCross.into(), &[a, b]);
        }
        const NEXT: [u8; 3] = [1, 2, 0];
        const LAST: [u8; 3] = [2, 0, 1];
        let [a_next, a_last] = [NEXT, LAST].map(|order| self.swizzle(a, &order));
        let [b_next, b_last] = [NEXT, LAST].map(|order| self.swizzle(b, &order));
        let (minuend, subtrahend) = (self.product(a_next, b_last), self.product(a_last, b_next));
        self.fsub(minuend, subtrahend)
    }

    /// Converts to 32 bits.
    pub(super) fn convert(&mut self, op: ConvertOp, value: Inst) -> Inst {
        let ty = ValueType::bits(Width::W32, self.ty(value).components());
        self.add(InstData::new(op, ty, &[value]))
    }

    /// Calls a function without arguments and result.
    pub(super) fn call(&mut self, func: Func) {
        self.add(InstData::new(BasicOp::Call, ValueType::Void, &[]).with(Key::Func, func.index() as u64));
    }
}

impl Emit for Cursor<'_> {
    type Value = Inst;

    fn emit(&mut self, op: Op, args: &[Inst]) -> Inst {
        let types: Vec<ValueType> = args.iter().map(|&arg| self.ty(arg)).collect();
        match op.info().infer(&types) {
            Some(ty) => self.add(InstData::new(op, ty, args)),
            None => {
                let ty = types.first().copied().unwrap_or(ValueType::B32);
                self.undef(ty)
            }
        }
    }
}
