//! A function being read: values by id, leaves of composites, and appended instructions.

use super::collect::Reader;
use super::diagnostics;
use super::tables::ConstantData;
use super::tables::Leaf;
use super::words::{Instruction, Words};
use crate::IdMap;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::constraint::{Constraint, ValueClass};
use vitrine_ir::ops::{
    BasicOp, Bits, DerefOp, Flags, IntOp, Key, Op, Props, SpirvOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Assembler, Debug, Func, Inst, InstData, Origin, PathType, Type, TypeData};

/// A value of SPIR-V.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Value {
    pub(super) val: Val,
    /// Its full type.
    pub(super) ty: Option<Type>,
}

/// The leaves of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Val {
    /// Unknown.
    #[default]
    None,
    /// One leaf.
    One(Inst),
    /// A range of leaves in the arena.
    Many { at: u32, len: u32 },
}

/// A variable of the source, with the scope of its declaration.
pub(super) type HeldVariable = (Debug, Option<Debug>);

/// A function being lowered.
pub(super) struct Lower<'r, 'a> {
    pub(super) r: &'r mut Reader<'a>,
    pub(super) func: Func,
    pub(super) asm: Assembler,
    pub(super) values: IdMap<Value>,
    /// Ids that have a value in this function.
    pub(super) touched: Vec<u32>,
    pub(super) numbers: FxHashMap<u32, Inst>,
    pub(super) arena: Vec<Inst>,
    /// The pointee types of paths.
    pub(super) paths: FxHashMap<Inst, PathType>,
    /// Instructions at the start of the first block.
    pub(super) head: Vec<Inst>,
    /// Instructions of the current block.
    pub(super) block: Vec<Inst>,
    pub(super) origin: Origin,
    /// The first id of instructions of the current block; 0 for the first block, which has the parameters of the function.
    pub(super) block_start: usize,
    /// The values of variables of the source in their scopes, in order, with the words of the instructions that bind them;
    /// none for those that are left out.
    pub(super) bound: FxHashMap<HeldVariable, Vec<(Option<Inst>, u32)>>,
    /// Flags from the decorations of the current instruction.
    pub(super) flags: Flags,
    /// Constituents of constants without an id.
    pub(super) constants: FxHashMap<u32, Val>,
    /// Loads whose only use is the store directly after them.
    pub(super) passing: FxHashSet<u32>,
    /// A deferred load of this kind: its id, and the path it loads from.
    pub(super) passed: Option<(u32, Inst)>,
    /// The path that a composite result is stored to.
    pub(super) out: Option<Inst>,
}

impl<'a> Lower<'_, 'a> {
    /// Appends an instruction to the current block.
    pub(super) fn put(&mut self, data: InstData) -> Inst {
        let inst = self.asm.add_inst(data);
        self.asm.origin(inst, self.origin);
        self.block.push(inst);
        inst
    }

    /// Appends an instruction at the start of the function.
    pub(super) fn put_head(&mut self, data: InstData) -> Inst {
        let inst = self.asm.add_inst(data);
        self.head.push(inst);
        inst
    }

    /// Appends an operation with those flags of the current instruction that apply to it.
    pub(super) fn op(&mut self, op: impl Into<Op>, ty: ValueType, args: &[Inst]) -> Inst {
        let op = op.into();
        let flags = if self.flags.is_empty() { self.flags } else { fitting(self.flags, op) };
        self.put(InstData::new(op, ty, args).flagged(flags))
    }

    /// An operation whose result type follows from its operands.
    pub(super) fn infer(&mut self, op: impl Into<Op>, args: &[Inst]) -> Option<Inst> {
        let op = op.into();
        let mut types = [ValueType::Void; 8];
        let types = types.get_mut(..args.len())?;
        types.iter_mut().zip(args).for_each(|(ty, &arg)| *ty = self.asm.body().ty(arg));
        let result = op.info().infer(types)?;
        Some(self.op(op, result, args))
    }

    /// The type of a leaf.
    pub(super) fn ty(&self, inst: Inst) -> ValueType {
        self.asm.body().ty(inst)
    }

    /// Appends a path with its pointee type, or a step whose pointee type follows.
    pub(super) fn put_path(&mut self, data: InstData, at: PathType) -> Inst {
        let inst = self.put(data);
        self.paths.insert(inst, at);
        inst
    }

    /// Data of a path with its pointee type.
    pub(super) fn saying(data: InstData, at: PathType) -> InstData {
        data.with(Key::Type, at.ty.index() as u64).with_word(at.mode)
    }

    /// Reports an error about the current instruction.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        at: Instruction<'_>,
        message: impl Into<String>,
        help: &str,
    ) {
        self.r.error(code, at, message, help);
    }

    /// Reports operands of the wrong types. Always returns none.
    pub(super) fn mismatch<T>(&mut self, at: Instruction<'_>, message: impl Into<String>) -> Option<T> {
        self.r.error(diagnostics::OPERANDS, at, message, "check the types of its operands and its result");
        None
    }

    /// The value of an id.
    pub(super) fn value(&mut self, id: u32, at: Instruction<'_>) -> Option<Value> {
        let value = self.values.get(id).unwrap_or_default();
        if !matches!(value.val, Val::None) {
            return Some(value);
        }
        let value = self.declared(id);
        match value {
            Some(value) => {
                self.values.insert(id, value);
                self.touched.push(id);
            }
            None => {
                let message = match self.r.def(id) {
                    None => format!("uses %{id}, which is not defined"),
                    Some(def) if self.r.types.get(id).is_some() => {
                        format!(
                            "uses %{id}, which is a type ({}), not a value",
                            diagnostics::opcode(def.opcode)
                        )
                    }
                    Some(def) if def.offset >= at.offset => {
                        format!("uses %{id}, which is defined only later")
                    }
                    Some(def) => {
                        format!("uses %{id} ({}), which is not a value", diagnostics::opcode(def.opcode))
                    }
                };
                self.error(diagnostics::IDS, at, message, "define a value before its uses");
            }
        }
        value
    }

    /// A value that the module declares: the path of a variable, or a constant.
    pub(super) fn declared(&mut self, id: u32) -> Option<Value> {
        if let Some(var) = self.r.vars.get(id) {
            let data = self.r.module.var(var)?;
            let at = PathType { ty: data.ty, mode: data.mode };
            let path = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
            let inst = self.put_head(path);
            self.paths.insert(inst, at);
            let ty = self.r.module.ty(TypeData::Pointer { mode: at.mode, to: at.ty });
            return Some(Value { val: Val::One(inst), ty: Some(ty) });
        }
        let at = self.r.constants.find(id)?;
        let ty = self.r.constants.get(at).ty;
        let val = self.constant(at)?;
        if let Val::One(inst) = val {
            let name = self.r.name(id);
            self.asm.name_inst(inst, name);
        }
        Some(Value { val, ty: Some(ty) })
    }

    /// The leaves of a constant, at the start of the function.
    fn constant(&mut self, at: u32) -> Option<Val> {
        let ty = self.r.constants.get(at).ty;
        self.r.leaf_count(ty)?;
        let mut leaves = Vec::new();
        let mut work = vec![at];
        while let Some(at) = work.pop() {
            let (entry_type, data) = (self.r.constants.get(at).ty, self.r.constants.get(at).data.clone());
            let known = match data {
                ConstantData::Parts(parts) => {
                    work.extend(parts.iter().rev());
                    continue;
                }
                _ => self.constants.get(&at).copied(),
            };
            let val = match known {
                Some(val) => val,
                None => {
                    let val = self.constant_leaves(entry_type, &data)?;
                    self.constants.insert(at, val);
                    val
                }
            };
            leaves.extend_from_slice(self.leaves(&val));
            self.r.budget = self.r.budget.checked_sub(usize::from(!leaves.is_empty()))?;
        }
        Some(self.pack(&leaves))
    }

    fn constant_leaves(&mut self, ty: Type, data: &ConstantData) -> Option<Val> {
        let inst = match *data {
            ConstantData::Bits(bits) => self.put_head(
                InstData::new(BasicOp::Const, self.r.module.bits_of(bits).ty(), &[])
                    .with(Key::Const, bits.index() as u64),
            ),
            ConstantData::Global(global) => {
                let value = self.r.module.global_type(global)?;
                self.put_head(
                    InstData::new(BasicOp::Global, value, &[]).with(Key::Global, global.index() as u64),
                )
            }
            ConstantData::Opaque(offset) => {
                let inst = self.r.at(offset)?;
                let words: Vec<u32> =
                    inst.rest(3).iter().zip(0..).flat_map(|(&word, at)| [at, word]).collect();
                let words = self.r.module.blob(&words);
                self.put_head(self.raw_data(inst.opcode, ty).with(Key::Words, words.index() as u64))
            }
            ConstantData::Undef => return self.undef(ty),
            ConstantData::Null => {
                let list = self.r.leaf_list(ty)?;
                let leaves: Vec<Inst> = list.iter().map(|leaf| self.null_leaf(leaf)).collect();
                return Some(self.pack(&leaves));
            }
            ConstantData::Parts(_) => return None,
        };
        Some(Val::One(inst))
    }

    fn null_leaf(&mut self, leaf: &Leaf) -> Inst {
        match (leaf.value, self.r.pointee(leaf.ty)) {
            (ValueType::Path, Some(at)) => {
                let zero = self.head_bits(Bits::zero(Width::W64, 1));
                let data = InstData::new(DerefOp::FromBits, ValueType::Path, &[zero]);
                let inst = self.put_head(Self::saying(data, at));
                self.paths.insert(inst, at);
                inst
            }
            (ValueType::Bits { width, components }, _) => self.head_bits(Bits::zero(width, components)),
            _ => self.put_head(self.raw_data(crate::spec::Op::ConstantNull as u16, leaf.ty)),
        }
    }

    /// A `spirv.raw` without operands whose result is a handle of a full type.
    fn raw_data(&self, opcode: u16, ty: Type) -> InstData {
        let data = InstData::new(SpirvOp::Raw, ValueType::Handle, &[]);
        data.with(Key::Opcode, u64::from(opcode)).with(Key::Type, ty.index() as u64)
    }

    /// Constant bits at the start of the function.
    pub(super) fn head_bits(&mut self, bits: Bits) -> Inst {
        let id = self.r.module.bits(bits);
        self.put_head(InstData::new(BasicOp::Const, bits.ty(), &[]).with(Key::Const, id.index() as u64))
    }

    /// A 32-bit integer at the start of the function.
    pub(super) fn number(&mut self, value: u32) -> Inst {
        if let Some(&known) = self.numbers.get(&value) {
            return known;
        }
        let inst = self.head_bits(Bits::from_components(Width::W32, &[u64::from(value)]));
        self.numbers.insert(value, inst);
        inst
    }

    /// An undefined value of a type, at the start of the function.
    pub(super) fn undef(&mut self, ty: Type) -> Option<Val> {
        let count = self.r.leaf_count(ty)? as usize;
        self.r.budget = self.r.budget.checked_sub(count)?;
        let list = self.r.leaf_list(ty)?;
        let leaves: Vec<Inst> = list
            .iter()
            .map(|leaf| {
                let data = InstData::new(BasicOp::Undef, leaf.value, &[]);
                match self.r.pointee(leaf.ty) {
                    Some(at) if leaf.value == ValueType::Path => {
                        let inst = self.put_head(Self::saying(data, at));
                        self.paths.insert(inst, at);
                        inst
                    }
                    _ if leaf.value == ValueType::Handle => {
                        self.put_head(data.with(Key::Type, leaf.ty.index() as u64))
                    }
                    _ => self.put_head(data),
                }
            })
            .collect();
        Some(self.pack(&leaves))
    }

    /// Leaves as one value.
    pub(super) fn pack(&mut self, leaves: &[Inst]) -> Val {
        if let [one] = leaves {
            return Val::One(*one);
        }
        let at = self.arena.len() as u32;
        self.arena.extend_from_slice(leaves);
        Val::Many { at, len: leaves.len() as u32 }
    }

    /// The leaves of a value.
    pub(super) fn leaves<'v>(&'v self, val: &'v Val) -> &'v [Inst] {
        match val {
            Val::None => &[],
            Val::One(inst) => std::slice::from_ref(inst),
            Val::Many { at, len } => &self.arena[*at as usize..(*at + *len) as usize],
        }
    }

    /// Some of the leaves of a value.
    pub(super) fn slice(&self, val: Val, start: u32, len: u32) -> Val {
        match val {
            Val::Many { at, .. } if len == 1 => Val::One(self.arena[(at + start) as usize]),
            Val::Many { at, .. } => Val::Many { at: at + start, len },
            _ if len == 0 => Val::Many { at: 0, len: 0 },
            other => other,
        }
    }

    /// The one leaf of a value.
    pub(super) fn leaf(&mut self, id: u32, at: Instruction<'_>) -> Option<Inst> {
        match self.value(id, at)?.val {
            Val::One(inst) => Some(inst),
            _ => self.mismatch(
                at,
                format!("uses %{id}, which has several members, but a single value is expected"),
            ),
        }
    }

    /// A leaf of bits.
    pub(super) fn bits(&mut self, id: u32, at: Instruction<'_>) -> Option<Inst> {
        let inst = self.leaf(id, at)?;
        match self.ty(inst) {
            ValueType::Bits { .. } => Some(inst),
            _ => self.mismatch(at, format!("uses %{id}, which is not a number or a vector of numbers")),
        }
    }

    /// A path, and its pointee type.
    pub(super) fn path(&mut self, id: u32, at: Instruction<'_>) -> Option<(Inst, PathType)> {
        let inst = self.leaf(id, at)?;
        match self.paths.get(&inst) {
            Some(&path) => Some((inst, path)),
            None => self.mismatch(at, format!("uses %{id}, which is not a pointer to memory")),
        }
    }

    /// Defines an id.
    pub(super) fn set(&mut self, id: u32, ty: Type, val: Val) {
        self.values.insert(id, Value { val, ty: Some(ty) });
        self.touched.push(id);
        let Some(name) = self.r.name(id) else { return };
        match val {
            Val::One(inst) if self.asm.body().inst_name(inst).is_none() => {
                self.asm.name_inst(inst, Some(name));
            }
            _ => {}
        }
    }

    /// The full type of the result of an instruction.
    pub(super) fn result_type(&mut self, at: Instruction<'_>) -> Option<Type> {
        self.r.type_of_id(at.word(1), at)
    }

    /// The type of the result of an instruction, if it is one leaf of bits.
    pub(super) fn result_bits(&mut self, at: Instruction<'_>) -> Option<(Type, ValueType)> {
        let ty = self.result_type(at)?;
        match self.r.module.value_type(ty) {
            Some(value @ ValueType::Bits { .. }) => Some((ty, value)),
            _ => self.mismatch(at, "has a result that is not a number or a vector of numbers"),
        }
    }

    /// A path cast to another pointee type in the same mode.
    pub(super) fn path_as(&mut self, path: Inst, wanted: PathType) -> Inst {
        match self.paths.get(&path) {
            Some(&at) if at != wanted => {
                let data = InstData::new(DerefOp::Cast, ValueType::Path, &[path]);
                self.put_path(Self::saying(data, wanted), wanted)
            }
            _ => path,
        }
    }

    /// A leaf cast to a full type, if it is a path.
    pub(super) fn leaf_as(&mut self, leaf: Inst, ty: Type) -> Inst {
        match self.r.pointee(ty) {
            Some(wanted) => self.path_as(leaf, wanted),
            None => leaf,
        }
    }

    /// Subtracts leaves from the budget. Reports an error if the budget is exhausted.
    pub(super) fn afford(&mut self, leaves: usize, at: Instruction<'_>) -> Option<()> {
        match self.r.budget.checked_sub(leaves) {
            Some(rest) => {
                self.r.budget = rest;
                Some(())
            }
            None => {
                self.r.budget = 0;
                self.error(
                    diagnostics::TOO_LARGE,
                    at,
                    "would split composites into too many leaves",
                    "copy whole variables instead",
                );
                None
            }
        }
    }

    /// The leaves of a type, if it can be split.
    pub(super) fn leaves_of(&mut self, ty: Type, at: Instruction<'_>) -> Option<Vec<Leaf>> {
        let Some(count) = self.r.leaf_count(ty) else {
            let help = "copy it between variables, or load its members";
            self.error(diagnostics::TOO_LARGE, at, "has a value that cannot be split", help);
            return None;
        };
        self.afford(count as usize, at)?;
        self.r.leaf_list(ty)
    }

    /// Components of a value, in a new order.
    pub(super) fn swizzle(&mut self, from: Inst, components: &[u8]) -> Inst {
        let ty = self.ty(from).with_components(components.len() as u8);
        let data = InstData::new(VectorOp::Swizzle, ty, &[from]);
        self.put(data.with(Key::Components, vitrine_ir::ops::attr::pack_components(components)))
    }

    /// One component of a value; the value itself if it is a scalar.
    pub(super) fn component(&mut self, from: Inst, component: u8) -> Inst {
        if self.ty(from).components() == 1 { from } else { self.swizzle(from, &[component]) }
    }

    /// A scalar in every component.
    pub(super) fn splat(&mut self, scalar: Inst, components: u8) -> Inst {
        if components == 1 {
            return scalar;
        }
        let ty = self.ty(scalar).with_components(components);
        self.put(InstData::new(VectorOp::Splat, ty, &[scalar]))
    }

    /// A vector of components and shorter vectors.
    pub(super) fn vector(&mut self, parts: &[Inst]) -> Inst {
        let components: usize = parts.iter().map(|&part| self.ty(part).components() as usize).sum();
        let ty = self.ty(parts[0]).with_components(components.min(255) as u8);
        self.put(InstData::new(VectorOp::Vec, ty, parts))
    }

    /// The same number in another width, zero-extended.
    pub(super) fn resize(&mut self, value: Inst, wanted: ValueType) -> Option<Inst> {
        let given = self.ty(value);
        if given == wanted {
            return Some(value);
        }
        let fits = given.components() == wanted.components()
            && given.width().is_some_and(|width| width != Width::W1)
            && wanted.width().is_some_and(|width| width != Width::W1);
        fits.then(|| self.op(vitrine_ir::ops::ConvertOp::U2U, wanted, &[value]))
    }
}

/// The flags that apply to an operation, by the rules of the validator.
fn fitting(flags: Flags, op: Op) -> Flags {
    const FLOAT: [Flags; 7] =
        [Flags::NNAN, Flags::NINF, Flags::NSZ, Flags::ARCP, Flags::CONTRACT, Flags::REASSOC, Flags::FAST];
    let info = op.info();
    let is_float = |constraint: &Constraint| {
        constraint.class == ValueClass::Bits
            && constraint.widths.contains(Width::W32)
            && !constraint.widths.contains(Width::W8)
    };
    let floats = matches!(
        op,
        Op::Int(IntOp::Select | IntOp::Select1) | Op::Basic(BasicOp::Param | BasicOp::Copy | BasicOp::Call)
    ) || matches!(op, Op::Group(_) | Op::Spirv(_))
        || is_float(&info.result)
        || info.operands.iter().any(|operand| is_float(&operand.constraint));
    let wraps = matches!(op, Op::Int(_)) && !op.props().has(Props::COMPARISON);
    let mut fitting = flags;
    if !floats {
        fitting = FLOAT.iter().fold(fitting, |flags, &flag| flags.without(flag));
    }
    if !wraps {
        fitting = fitting.without(Flags::NSW).without(Flags::NUW);
    }
    fitting
}
