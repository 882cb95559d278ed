//! Instructions without an operation in the IR: `spirv.raw`, which the back end writes unchanged.
//!
//! * `opcode` is the opcode. Operands that are values are operands, in the same order.
//! * `words` holds the other operand words as pairs: the index of the word among all operand words after type
//!   and result, from 0, and the word. Without pairs, all operands are values.
//! * An instruction of an extended set (`OpExtInst`) has the name of the set as `text` instead of the word at
//!   index 0.
//! * The kind of number of an operand, which values do not have: a pair of the index `RAW_MEANT` plus the
//!   number of the operand and 0 (unsigned), 1 (signed), 2 (float).
//! * `type` is the full type of the result; for a path, its pointee type.
//! * A composite result is a handle, and a raw `OpCompositeExtract` extracts each leaf. A composite operand
//!   is constructed by raw `OpCompositeConstruct`s.

use super::diagnostics;
use super::schema::Form;
use super::values::{Lower, Val};
use super::words::{self, Instruction, Words};
use crate::spec::Op as S;
use crate::{Kind as K, Quantifier as Q};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Key, RAW_MEANT, SpirvOp, ValueType};
use vitrine_ir::{Inst, InstData, Len, Type, TypeData};

/// Composites nested deeper are not constructed for a raw instruction.
const DEEPEST: u32 = 16;

/// Returns true if an instruction may occur only outside of functions. Among instructions with a result but
/// no type, only labels occur inside, and this is not called for labels.
fn is_declaration(opcode: u16, form: Form) -> bool {
    let number = u32::from(opcode);
    let within = |first: S, last: S| (first as u32..=last as u32).contains(&number);
    let is_constant = within(S::ConstantTrue, S::SpecConstantOp);
    let is_said = within(S::SourceContinued, S::MemberName)
        || within(S::Extension, S::Capability)
        || within(S::Decorate, S::GroupMemberDecorate)
        || matches!(
            S::from_u32(number),
            Some(
                S::ModuleProcessed
                    | S::ExecutionModeId
                    | S::DecorateId
                    | S::DecorateString
                    | S::MemberDecorateString
                    | S::TypeForwardPointer
                    | S::Function
                    | S::FunctionParameter
            )
        );
    form.result && !form.typed || is_constant || is_said
}

impl<'a> Lower<'_, 'a> {
    /// Keeps an instruction as `spirv.raw`.
    pub(super) fn raw(&mut self, inst: Instruction<'a>, form: Form) -> Option<()> {
        if is_declaration(inst.opcode, form) {
            let help = "move it before the first function";
            self.error(diagnostics::LAYOUT, inst, "is a declaration inside a function", help);
            return None;
        }
        let mut args = Vec::new();
        let mut ids = Vec::new();
        let mut pairs: Vec<u32> = Vec::new();
        let mut text = None;
        let first = form.first();
        let mut kinds = form.operands.iter().peekable();
        let mut at = first;
        while at < inst.words.len() {
            let place = (at - first) as u32;
            let word = inst.word(at);
            let Some(&kind) = kinds.peek() else { break };
            if kind.quantifier != Q::ZeroOrMore {
                kinds.next();
            }
            match kind.kind {
                K::IdRef | K::IdScope | K::IdMemorySemantics => {
                    args.push(self.raw_operand(word, inst)?);
                    ids.push(word);
                    at += 1;
                }
                K::PairIdRefIdRef => {
                    for &id in inst.rest(at).iter().take(2) {
                        args.push(self.raw_operand(id, inst)?);
                        ids.push(id);
                    }
                    at += 2;
                }
                K::LiteralString => {
                    let (string, count) = words::text(inst.rest(at));
                    text = Some(self.r.module.text(&string));
                    at += count.max(1);
                }
                K::MemoryAccess | K::ImageOperands => {
                    pairs.extend([place, word]);
                    at += 1;
                    // Operands that the mask announces: literals are alignments, all others are ids.
                    for (number, &more) in inst.rest(at).iter().enumerate() {
                        let aligned = kind.kind == K::MemoryAccess && word & 2 != 0 && number == 0;
                        match aligned {
                            true => pairs.extend([place + 1, more]),
                            false => {
                                args.push(self.raw_operand(more, inst)?);
                                ids.push(more);
                            }
                        }
                    }
                    at = inst.words.len();
                }
                _ => {
                    pairs.extend([place, word]);
                    at += 1;
                }
            }
        }
        let data =
            InstData::new(SpirvOp::Raw, ValueType::Void, &args).with(Key::Opcode, u64::from(inst.opcode));
        let data = match text {
            Some(text) => data.with(Key::Text, text.index() as u64),
            None => data,
        };
        pairs.extend(self.meanings(&ids, inst));
        self.raw_result(data, &pairs, inst, form.typed && form.result)
    }

    /// Keeps an instruction of an extended set as `spirv.raw`.
    pub(super) fn raw_ext(&mut self, inst: Instruction<'a>) -> Option<()> {
        let set = self.r.def(inst.word(3)).filter(|def| def.opcode == S::ExtInstImport as u16);
        let Some(set) = set else { return self.mismatch(inst, "is from a set that is not imported") };
        let name = self.r.module.text(&words::text(set.rest(2)).0);
        let mut args = Vec::new();
        let mut ids = Vec::new();
        let mut pairs = vec![1, inst.word(4)];
        let known = crate::Set::named(self.r.module.text_of(name)).and_then(|set| set.inst(inst.word(4)));
        for (place, &word) in (2..).zip(inst.rest(5)) {
            // In an unknown set every operand is an id, as the specification demands.
            let literal = match known
                .map(|info| info.operands.get(place as usize - 2).or(info.operands.last()))
            {
                Some(Some(operand)) => !matches!(operand.kind, K::IdRef | K::IdScope | K::IdMemorySemantics),
                _ => false,
            };
            if literal {
                pairs.extend([place, word]);
            } else {
                args.push(self.raw_operand(word, inst)?);
                ids.push(word);
            }
        }
        pairs.extend(self.meanings(&ids, inst));
        let data =
            InstData::new(SpirvOp::Raw, ValueType::Void, &args).with(Key::Opcode, u64::from(inst.opcode));
        self.raw_result(data.with(Key::Text, name.index() as u64), &pairs, inst, true)
    }

    /// The kinds of numbers of operands.
    pub(super) fn meanings(&mut self, ids: &[u32], inst: Instruction<'_>) -> Vec<u32> {
        let types: Vec<Option<Type>> =
            ids.iter().map(|&id| self.value(id, inst).and_then(|value| value.ty)).collect();
        self.meanings_of(&types)
    }

    fn meanings_of(&self, types: &[Option<Type>]) -> Vec<u32> {
        let mut pairs = Vec::new();
        for (place, ty) in (RAW_MEANT..).zip(types) {
            let Some(ty) = *ty else { continue };
            let of = match *self.r.module.type_of(ty) {
                TypeData::Vector { of, .. } => of,
                _ => ty,
            };
            match *self.r.module.type_of(of) {
                TypeData::Int { signed, .. } => pairs.extend([place, u32::from(signed)]),
                TypeData::Float { .. } => pairs.extend([place, 2]),
                _ => {}
            }
        }
        pairs
    }

    fn raw_result(
        &mut self,
        data: InstData,
        pairs: &[u32],
        inst: Instruction<'a>,
        typed: bool,
    ) -> Option<()> {
        let data = match pairs {
            [] => data,
            pairs => data.with(Key::Words, self.r.module.blob(pairs).index() as u64),
        };
        let ty = match typed {
            true => self.result_type(inst)?,
            false => {
                self.put(data);
                return Some(());
            }
        };
        if *self.r.module.type_of(ty) == TypeData::Void {
            self.put(data);
            self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
            return Some(());
        }
        let flags = self.flags;
        let value = self.r.module.value_type(ty).unwrap_or(ValueType::Handle);
        let mut data = InstData {
            ty: value,
            flags: flags.without(vitrine_ir::ops::Flags::NSW).without(vitrine_ir::ops::Flags::NUW),
            ..data
        };
        match self.r.pointee(ty) {
            Some(at) if value == ValueType::Path => {
                data = Self::saying(data, at);
                let path = self.put_path(data, at);
                self.set(inst.word(2), ty, Val::One(path));
            }
            _ => {
                let whole = self.put(data.with(Key::Type, ty.index() as u64));
                let val = match self.r.module.value_type(ty) {
                    Some(_) => Val::One(whole),
                    None => self.raw_leaves(whole, ty, inst)?,
                };
                self.set(inst.word(2), ty, val);
            }
        }
        Some(())
    }

    /// The leaves of a composite that is a handle.
    fn raw_leaves(&mut self, whole: Inst, ty: Type, inst: Instruction<'a>) -> Option<Val> {
        self.leaves_of(ty, inst)?;
        let mut leaves = Vec::new();
        let mut work: Vec<(Type, Vec<u32>)> = vec![(ty, Vec::new())];
        while let Some((at, indices)) = work.pop() {
            if let Some(value) = self.r.module.value_type(at) {
                let pairs: Vec<u32> =
                    (1..).zip(&indices).flat_map(|(place, &index)| [place, index]).collect();
                let blob = self.r.module.blob(&pairs);
                let data = InstData::new(SpirvOp::Raw, value, &[whole])
                    .with(Key::Opcode, S::CompositeExtract as u64)
                    .with(Key::Words, blob.index() as u64);
                let leaf = match self.r.pointee(at) {
                    Some(path) if value == ValueType::Path => self.put_path(Self::saying(data, path), path),
                    _ => self.put(data.with(Key::Type, at.index() as u64)),
                };
                leaves.push(leaf);
                continue;
            }
            if indices.len() as u32 > DEEPEST {
                return self.too_deep(inst);
            }
            let parts = self.part_types(at)?;
            for (part, ty) in parts.into_iter().enumerate().rev() {
                let mut indices = indices.clone();
                indices.push(part as u32);
                work.push((ty, indices));
            }
        }
        Some(self.pack(&leaves))
    }

    fn too_deep<T>(&mut self, inst: Instruction<'a>) -> Option<T> {
        self.error(diagnostics::BEYOND, inst, "passes a composite nested too deeply", "pass its members");
        None
    }

    fn part_types(&self, ty: Type) -> Option<Vec<Type>> {
        Some(match *self.r.module.type_of(ty) {
            TypeData::Struct(id) => {
                self.r.module.structure(id)?.members.iter().map(|member| member.ty).collect()
            }
            TypeData::Matrix { column, columns, .. } => vec![column; columns as usize],
            TypeData::Array { of, len: Len::Count(len), .. } => vec![of; len as usize],
            _ => return None,
        })
    }

    /// An operand of a raw instruction: a leaf, or a composite constructed from its leaves.
    fn raw_operand(&mut self, id: u32, inst: Instruction<'a>) -> Option<Inst> {
        let value = self.value(id, inst)?;
        if let (Val::One(leaf), Some(_)) = (value.val, value.ty.and_then(|ty| self.r.module.value_type(ty))) {
            return Some(leaf);
        }
        let ty = value.ty?;
        let leaves = self.leaves(&value.val).to_vec();
        self.leaves_of(ty, inst)?;
        let mut next = leaves.into_iter();
        self.raw_construct(ty, &mut next, 0, inst)
    }

    /// Constructs a composite. Nesting is bounded, so that recursion is safe.
    fn raw_construct(
        &mut self,
        ty: Type,
        leaves: &mut std::vec::IntoIter<Inst>,
        depth: u32,
        inst: Instruction<'a>,
    ) -> Option<Inst> {
        if self.r.module.value_type(ty).is_some() {
            return leaves.next();
        }
        if depth > DEEPEST {
            return self.too_deep(inst);
        }
        let mut parts = Vec::new();
        let part_types = self.part_types(ty)?;
        for &part in &part_types {
            parts.push(self.raw_construct(part, leaves, depth + 1, inst)?);
        }
        let types: Vec<Option<Type>> = part_types.into_iter().map(Some).collect();
        let data = InstData::new(SpirvOp::Raw, ValueType::Handle, &parts);
        let data = match &self.meanings_of(&types)[..] {
            [] => data,
            pairs => data.with(Key::Words, self.r.module.blob(pairs).index() as u64),
        };
        let data = data.with(Key::Opcode, S::CompositeConstruct as u64);
        Some(self.put(data.with(Key::Type, ty.index() as u64)))
    }
}
