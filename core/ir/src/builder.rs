//! A cursor that creates instructions in sequence, with a method per operation.
//!
//! Errors are recorded, not thrown: [`Builder::finish`] returns the first refusal, and the affected values
//! are `undef`. A pass that receives a refusal aborts; its version is discarded.
//!
//! ```text
//! let mut b = editor.build(InsertPoint::Before(inst), Reason::Note("a square is a product"));
//! let two = b.float(Width::W32, 2.0);
//! let half = b.fdiv(x, two);                      methods of the op tables
//! b.finish()?;
//! ```

use super::editor::{Editor, InsertPoint, Refusal};
use super::{Func, Inst, InstData, Module, PathType, Reason, Reg, Type, TypeData, Var};
use crate::base::EntityId;
use crate::ops::{
    BasicOp, Bits, ConvertOp, DerefOp, Emit, Flags, Key, MemoryOp, Op, RegOp, Scalar, ValueType, VectorOp,
    Width, attr::pack_components, ty::COMPONENT_COUNTS,
};

/// A cursor in an open function.
pub struct Builder<'e, 'm> {
    editor: &'e mut Editor<'m>,
    at: InsertPoint,
    why: Reason,
    flags: Flags,
    refusal: Option<Refusal>,
}

impl<'m> Editor<'m> {
    /// Creates a cursor at an insertion point.
    pub fn build(&mut self, at: InsertPoint, why: Reason) -> Builder<'_, 'm> {
        Builder { editor: self, at, why, flags: Flags::NONE, refusal: None }
    }
}

impl<'m> Builder<'_, 'm> {
    /// The function as it is now.
    pub fn editor(&self) -> &Editor<'m> {
        self.editor
    }

    /// Moves the cursor.
    pub fn go(&mut self, at: InsertPoint) -> &mut Self {
        self.at = at;
        self
    }

    /// The position of the next instruction.
    pub fn at(&self) -> InsertPoint {
        self.at
    }

    /// Sets the reason of the following instructions.
    pub fn because(&mut self, why: Reason) -> &mut Self {
        self.why = why;
        self
    }

    /// Sets the flags of the following arithmetic.
    pub fn flags(&mut self, flags: Flags) -> &mut Self {
        self.flags = flags;
        self
    }

    /// Returns the first refusal, if there was one.
    pub fn finish(self) -> Result<(), Refusal> {
        self.refusal.map_or(Ok(()), Err)
    }

    /// Creates an instruction as given, without the builder's flags.
    pub fn emit_with(&mut self, data: InstData) -> Inst {
        let ty = data.ty;
        match self.editor.insert(self.at, data, self.why) {
            Ok(inst) => self.pass(inst),
            Err(refusal) => self.give_up(refusal, ty),
        }
    }

    /// A constant.
    pub fn bits(&mut self, bits: Bits) -> Inst {
        let data = self.editor.const_bits(bits);
        self.emit_with(data)
    }

    /// A constant of one float.
    pub fn float(&mut self, width: Width, value: f64) -> Inst {
        self.bits(Bits::scalar(Scalar::float(width, value)))
    }

    /// A constant of one integer, truncated to the width.
    pub fn int(&mut self, width: Width, value: i64) -> Inst {
        self.bits(Bits::scalar(Scalar::i(width, value)))
    }

    /// A boolean constant.
    pub fn bool(&mut self, value: bool) -> Inst {
        self.bits(Bits::scalar(Scalar::bool(value)))
    }

    /// An undefined value of a type.
    pub fn undef(&mut self, ty: ValueType) -> Inst {
        self.emit_with(InstData::new(BasicOp::Undef, ty, &[]))
    }

    /// Converts a number to another width or kind.
    pub fn convert(&mut self, op: ConvertOp, width: Width, a: Inst) -> Inst {
        let components = self.ty(a).components().max(1);
        self.checked(op, ValueType::bits(width, components), &[a])
    }

    /// Concatenates components and shorter vectors in order.
    pub fn vec(&mut self, parts: &[Inst]) -> Inst {
        let width = parts.first().and_then(|&part| self.ty(part).width()).unwrap_or(Width::W32);
        let components: u32 = parts.iter().map(|&part| u32::from(self.ty(part).components())).sum();
        let Some(components) = component_count(components) else {
            let refusal = Refusal::new(format!("no value has {components} components"));
            return self.give_up(refusal, ValueType::bits(width, 1));
        };
        self.checked(VectorOp::Vec, ValueType::bits(width, components), parts)
    }

    /// Repeats one component.
    pub fn splat(&mut self, a: Inst, components: u8) -> Inst {
        let ty = self.ty(a).with_components(components);
        match component_count(u32::from(components)) {
            Some(_) => self.checked(VectorOp::Splat, ty, &[a]),
            None => self.give_up(
                Refusal::new(format!("no value has {components} components")),
                ty.with_components(1),
            ),
        }
    }

    /// Selects components of a value by number, in a new order.
    pub fn swizzle(&mut self, a: Inst, components: &[u8]) -> Inst {
        let ty = self.ty(a);
        let (Some(count), true) = (
            component_count(components.len() as u32),
            components.iter().all(|&component| component < ty.components()),
        ) else {
            let refusal = Refusal::new(format!(
                "{a} has {} components, which the swizzle does not fit",
                ty.components()
            ));
            return self.give_up(refusal, ty.with_components(1));
        };
        let data = InstData::new(VectorOp::Swizzle, ty.with_components(count), &[a]);
        self.checked_data(data.with(Key::Components, pack_components(components)))
    }

    /// The path to a variable.
    pub fn deref_var(&mut self, var: Var) -> Inst {
        if self.module().var(var).is_none() {
            return self.give_up(Refusal::new(format!("variable {var} does not exist")), ValueType::Path);
        }
        self.emit_with(InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64))
    }

    /// The path to a member of the structure that a path points at.
    pub fn field(&mut self, path: Inst, member: u32) -> Inst {
        let members = self.path(path).and_then(|path| match self.module().type_of(path.ty) {
            TypeData::Struct(id) => self.module().structure(*id).map(|data| data.members.len()),
            _ => None,
        });
        if members.is_none_or(|members| member as usize >= members) {
            let refusal =
                Refusal::new(format!("{path} does not point at a structure with a member {member}"));
            return self.give_up(refusal, ValueType::Path);
        }
        let data = InstData::new(DerefOp::Field, ValueType::Path, &[path]);
        self.checked_data(data.with(Key::Field, u64::from(member)))
    }

    /// The path to an element, column or component of the type that a path points at.
    pub fn elem(&mut self, path: Inst, index: Inst) -> Inst {
        let element = self.path(path).and_then(|path| self.module().element_type(path.ty));
        match element {
            Some(_) => self.checked(DerefOp::Elem, ValueType::Path, &[path, index]),
            None => {
                let refusal = Refusal::new(format!("{path} does not point at a type with elements"));
                self.give_up(refusal, ValueType::Path)
            }
        }
    }

    /// Loads the value that a path points at, which must be a single value.
    pub fn load(&mut self, path: Inst) -> Inst {
        match self.pointee(path) {
            Some(ty) => self.checked(MemoryOp::Load, ty, &[path]),
            None => {
                self.give_up(Refusal::new(format!("{path} does not point at a single value")), ValueType::B32)
            }
        }
    }

    /// Loads the value at an address as a given type.
    pub fn load_as(&mut self, address: Inst, ty: ValueType) -> Inst {
        self.checked(MemoryOp::Load, ty, &[address])
    }

    /// Stores a value. Refuses a path that points at another type.
    pub fn store(&mut self, address: Inst, value: Inst) -> Inst {
        let (ty, is_path) = (self.ty(value), self.ty(address) == ValueType::Path);
        if is_path && self.pointee(address).is_some_and(|pointee| pointee != ty) {
            let refusal = Refusal::new(format!("{value} has type `{ty}`, which {address} does not point at"));
            return self.give_up(refusal, ValueType::Void);
        }
        self.checked(MemoryOp::Store, ValueType::Void, &[address, value])
    }

    /// Calls a function.
    pub fn call(&mut self, func: Func, args: &[Inst]) -> Inst {
        let Some(callee) = self.module().func(func) else {
            return self.give_up(Refusal::new(format!("function {func} does not exist")), ValueType::Void);
        };
        let result = callee.result();
        let fits = callee.params().len() == args.len()
            && callee.params().iter().zip(args).all(|(&param, &arg)| callee.ty(param) == self.ty(arg));
        if !fits {
            return self
                .give_up(Refusal::new(format!("the operands do not match the signature of {func}")), result);
        }
        let data = InstData::new(BasicOp::Call, result, args);
        self.emit_with(data.with(Key::Func, func.index() as u64))
    }

    /// Reads a register.
    pub fn reg_load(&mut self, reg: Reg) -> Inst {
        match self.reg_type(reg) {
            Some(ty) => {
                self.emit_with(InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64))
            }
            None => self.give_up(Refusal::new(format!("{reg} is not a plain register")), ValueType::B32),
        }
    }

    /// Writes a register.
    pub fn reg_store(&mut self, reg: Reg, value: Inst) -> Inst {
        if self.reg_type(reg) != Some(self.ty(value)) {
            return self
                .give_up(Refusal::new(format!("{reg} does not have the type of {value}")), ValueType::Void);
        }
        let data = InstData::new(RegOp::Store, ValueType::Void, &[value]);
        self.emit_with(data.with(Key::Reg, reg.index() as u64))
    }

    /// Creates an instruction of a known result type, with the builder's flags.
    pub fn checked(&mut self, op: impl Into<Op>, ty: ValueType, args: &[Inst]) -> Inst {
        let data = InstData::new(op, ty, args).flagged(self.flags);
        self.checked_data(data)
    }
}

impl Builder<'_, '_> {
    fn module(&self) -> &Module {
        self.editor.module()
    }

    fn ty(&self, value: Inst) -> ValueType {
        self.editor.func().ty(value)
    }

    fn path(&self, path: Inst) -> Option<PathType> {
        self.module().path_type(self.editor.func(), path)
    }

    /// Type of the single value that a path points at.
    fn pointee(&self, path: Inst) -> Option<ValueType> {
        let ty: Type = self.path(path)?.ty;
        self.module().value_type(ty)
    }

    fn reg_type(&self, reg: Reg) -> Option<ValueType> {
        let reg = self.editor.func().reg(reg).filter(|reg| reg.len == 0)?;
        Some(ValueType::bits(reg.width, reg.components))
    }

    /// Moves the cursor after the new instruction, so that instructions are in creation order.
    fn pass(&mut self, inst: Inst) -> Inst {
        match self.at {
            InsertPoint::Before(_) | InsertPoint::End(_) => {}
            InsertPoint::After(_) | InsertPoint::Start(_) => self.at = InsertPoint::After(inst),
        }
        inst
    }

    fn checked_data(&mut self, data: InstData) -> Inst {
        let types: Vec<ValueType> = data.args.iter().map(|&arg| self.ty(arg)).collect();
        match data.op.info().check(data.ty, &types) {
            Ok(()) => self.emit_with(data),
            Err(_) => {
                let refusal = mismatch(data.op, &types);
                self.give_up(refusal, data.ty)
            }
        }
    }

    /// Records a refusal and returns a value to continue with: an undefined value of about the right type, or
    /// an id that denotes nothing if not even that can be inserted here.
    fn give_up(&mut self, refusal: Refusal, ty: ValueType) -> Inst {
        self.refusal.get_or_insert(refusal);
        let ty = if ty == ValueType::Void { ValueType::B32 } else { ty };
        match self.editor.insert(self.at, InstData::new(BasicOp::Undef, ty, &[]), self.why) {
            Ok(inst) => self.pass(inst),
            Err(_) => Inst::from_index(Inst::MAX_INDEX),
        }
    }
}

fn component_count(components: u32) -> Option<u8> {
    u8::try_from(components).ok().filter(|components| COMPONENT_COUNTS.contains(components))
}

fn mismatch(op: Op, types: &[ValueType]) -> Refusal {
    let types: Vec<String> = types.iter().map(|ty| format!("`{ty}`")).collect();
    Refusal::new(format!("{} does not accept {}", op.name(), types.join(", ")))
}

impl Emit for Builder<'_, '_> {
    type Value = Inst;

    fn emit(&mut self, op: Op, args: &[Inst]) -> Inst {
        let types: Vec<ValueType> = args.iter().map(|&arg| self.ty(arg)).collect();
        match op.info().infer(&types) {
            Some(ty) => self.emit_with(InstData::new(op, ty, args).flagged(self.flags)),
            None => {
                let plausible = types.last().copied().unwrap_or(ValueType::B32);
                self.give_up(mismatch(op, &types), plausible)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{FloatBuild, FloatOp, IntBuild};
    use crate::{Assembler, Attrs, BlockData, Mode, RegData, Terminator};

    /// An empty function of one block with two 32-bit parameters.
    fn empty() -> (Module, Func, crate::Block) {
        let mut asm = Assembler::new();
        let params: Vec<Inst> =
            (0..2).map(|_| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]))).collect();
        let block = asm.add_block(BlockData { terminator: Terminator::Return(None), ..BlockData::default() });
        asm.params(params);
        asm.graph(vec![block]);
        let mut module = Module::new();
        let func = module.add_func(asm.finish());
        (module, func, block)
    }

    #[test]
    fn instructions_come_in_the_order_they_are_made() {
        for start in [true, false] {
            let (mut module, func, block) = empty();
            let mut ed = Editor::new(&mut module, func).unwrap();
            let mut b = ed
                .build(if start { InsertPoint::Start(block) } else { InsertPoint::End(block) }, Reason::Pass);
            let [x, y] = [0, 1].map(Inst::from_index);
            let sum = b.iadd(x, y);
            let two = b.float(Width::W32, 2.0);
            b.flags(Flags::CONTRACT);
            let product = b.fmul(sum, two);
            b.finish().unwrap();
            let made = [sum, two, product];
            assert_eq!(ed.func().block(block).insts[..], made);
            assert_eq!(ed.func().inst(product).op, FloatOp::FMul.into());
            assert!(ed.func().inst(product).flags.has(Flags::CONTRACT));
            assert!(ed.func().inst(sum).flags.is_empty());
        }
    }

    #[test]
    fn types_follow_from_operands() {
        let (mut module, func, block) = empty();
        let float = module.ty(TypeData::Float { width: Width::W32 });
        let vector = module.ty(TypeData::Vector { of: float, components: 4 });
        let mut ed = Editor::new(&mut module, func).unwrap();
        let var = ed.add_local(None, vector, None, Attrs::None);
        assert_eq!(ed.module().var(var).unwrap().mode, Mode::Local);
        let reg = ed.add_reg(RegData { name: None, width: Width::W32, components: 4, len: 0 });
        let mut b = ed.build(InsertPoint::End(block), Reason::Pass);
        let [x, y] = [0, 1].map(Inst::from_index);
        let pair = b.vec(&[x, y]);
        let four = b.swizzle(pair, &[0, 1, 1, 0]);
        let path = b.deref_var(var);
        b.store(path, four);
        let index = b.int(Width::W32, 2);
        let component = b.elem(path, index);
        let one = b.load(component);
        let all = b.load(path);
        b.reg_store(reg, all);
        let back = b.reg_load(reg);
        let wide = b.convert(ConvertOp::F2F, Width::W64, back);
        let less = b.flt(one, x);
        b.finish().unwrap();
        let ty = |value| ed.func().ty(value).to_string();
        let types = [pair, four, path, one, all, back, wide, less].map(ty);
        assert_eq!(types, ["b32x2", "b32x4", "path", "b32", "b32x4", "b32x4", "b64x4", "b1"]);
        assert_eq!(ed.func().inst(back).op, RegOp::Load.into());
    }

    #[test]
    fn the_first_refusal_comes_out_at_the_end_and_nothing_panics() {
        let (mut module, func, block) = empty();
        let mut ed = Editor::new(&mut module, func).unwrap();
        let mut b = ed.build(InsertPoint::End(block), Reason::Pass);
        let x = Inst::from_index(0);
        let truth = b.bool(true);
        let bad = b.fadd(x, truth);
        b.fmul(bad, x);
        b.field(x, 3);
        b.deref_var(Var::from_index(7));
        b.call(Func::from_index(7), &[]);
        b.swizzle(x, &[5]);
        b.vec(&[]);
        b.load(Inst::from_index(Inst::MAX_INDEX));
        b.store(x, truth);
        b.reg_load(Reg::from_index(1));
        b.go(InsertPoint::End(crate::Block::from_index(99)));
        let nothing = b.iadd(x, x);
        b.iadd(nothing, nothing);
        assert_eq!(b.finish().unwrap_err().to_string(), "fadd does not accept `b32`, `b1`");
    }
}
