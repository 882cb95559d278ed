//! What a value is in the function at hand: an id with a type, a constant, a path not yet written.

use super::constants::scalar_of_hint;
use super::func::Function;
use super::types::{Scalar, Shape};
use super::{NO_INSTRUCTION, NO_TYPE};
use crate::base::EntityId;
use crate::ir::{Anchor, Const, Diag, Global, Inst, Type};
use crate::ops::{Flags, Key, ValueType, Width};
use crate::spirv::spec::Op as S;

/// A value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Slot {
    /// Not written yet.
    #[default]
    Empty,
    /// Numbers, meant in some way.
    Bits { id: u32, scalar: Scalar },
    /// A pointer or a handle of a type.
    Whole { id: u32, ty: u32 },
    /// Constant bits: written as each use wants them.
    Const(Const),
    /// A module constant.
    Global(Global),
    /// Any value: written as each use wants it.
    Undef,
    /// A path whose steps are part of what uses it.
    Steps,
    /// An image and a sampler, put together in each block that uses them.
    Combined,
    /// A residency code and a texel.
    Sparse { code: u32, texel: u32, scalar: Scalar },
}

/// What a path points at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) ty: Type,
    /// SPIR-V's number of the storage class.
    pub(super) class: u32,
}

impl Function<'_, '_> {
    /// A diagnostic about an instruction.
    pub(super) fn refuse(&self, code: &'static str, inst: Inst, says: impl Into<String>, help: &str) -> Diag {
        let at = Anchor::Inst(self.func, inst);
        Diag::error(code, at).names(inst, at).says(says).help(help)
    }

    /// An operation that SPIR-V has no instruction for.
    pub(super) fn no_instruction(&self, inst: Inst, help: &str) -> Diag {
        let name = self.body.inst(inst).op.name();
        self.refuse(NO_INSTRUCTION, inst, format!("is `{name}`, which SPIR-V has no instruction for"), help)
    }

    pub(super) fn slot(&self, inst: Inst) -> Slot {
        self.slots.get(inst.index()).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, inst: Inst, slot: Slot) {
        self.slots[inst.index()] = slot;
    }

    /// What the numbers of a value are meant as.
    pub(super) fn meant(&self, inst: Inst) -> Scalar {
        scalar_of_hint(self.types.hint(inst), self.body.ty(inst).width().unwrap_or_default())
    }

    /// The same for what can only be an integer.
    pub(super) fn meant_int(&self, inst: Inst) -> Scalar {
        match self.meant(inst) {
            Scalar::Int => Scalar::Int,
            Scalar::Bool => Scalar::Bool,
            Scalar::Uint | Scalar::Float => Scalar::Uint,
        }
    }

    /// The type of numbers meant in some way.
    pub(super) fn number(&mut self, scalar: Scalar, ty: ValueType, inst: Inst) -> Result<u32, Diag> {
        match ty {
            ValueType::Bits { width, components: lanes @ (1..=4 | 8 | 16) } => {
                let scalar = if width == Width::W1 { Scalar::Bool } else { scalar };
                Ok(self.w.number_type(Shape { scalar, width, lanes }))
            }
            _ => {
                Err(self.refuse(NO_TYPE, inst, "is no number that SPIR-V has a type for", "use 1 to 4 lanes"))
            }
        }
    }

    /// The id of a value, and what its numbers are meant as now.
    pub(super) fn natural(&mut self, inst: Inst) -> Result<(u32, Scalar), Diag> {
        match self.slot(inst) {
            Slot::Bits { id, scalar } => Ok((id, scalar)),
            Slot::Global(global) => {
                let written = self.w.global(global)?;
                Ok((written.id, written.scalar.unwrap_or(Scalar::Uint)))
            }
            _ => {
                let scalar = self.meant(inst);
                Ok((self.id_as(inst, scalar)?, scalar))
            }
        }
    }

    /// The id of a value whose numbers are meant in some way; cast where they were meant in another one.
    pub(super) fn id_as(&mut self, inst: Inst, scalar: Scalar) -> Result<u32, Diag> {
        let ty = self.body.ty(inst);
        let scalar = if ty.width() == Some(Width::W1) { Scalar::Bool } else { scalar };
        let (id, given) = match self.slot(inst) {
            Slot::Bits { id, scalar } => (id, scalar),
            Slot::Const(bits) => {
                let id = self.w.bits(bits, scalar);
                if let Some(name) = self.body.inst_name(inst) {
                    self.w.name(id, Some(name));
                }
                return Ok(id);
            }
            Slot::Global(global) => {
                let written = self.w.global(global)?;
                (written.id, written.scalar.unwrap_or(scalar))
            }
            Slot::Undef => {
                let ty = self.number(scalar, ty, inst)?;
                return Ok(self.w.typed(S::Undef, ty, &[]));
            }
            Slot::Sparse { texel, scalar, .. } => (texel, scalar),
            Slot::Empty | Slot::Whole { .. } | Slot::Steps | Slot::Combined => {
                return Err(self.refuse(
                    NO_TYPE,
                    inst,
                    "is used as a number before it is one",
                    "validate the module",
                ));
            }
        };
        let unsigned = |scalar| if scalar == Scalar::Int { Scalar::Uint } else { scalar };
        if given == scalar || self.w.kernel && unsigned(given) == unsigned(scalar) {
            return Ok(id);
        }
        let ty = self.number(scalar, ty, inst)?;
        Ok(self.emit(S::Bitcast, ty, &[id]))
    }

    /// The id of a value as an integer, with a sign or without. A constant has one, whatever else it is used for:
    /// what is written of a constant must not depend on who shares it.
    pub(super) fn int_id(&mut self, inst: Inst) -> Result<u32, Diag> {
        self.int_like(inst, Scalar::Int)
    }

    /// The same, where a constant is meant in some way.
    pub(super) fn int_like(&mut self, inst: Inst, constant: Scalar) -> Result<u32, Diag> {
        let scalar = match self.slot(inst) {
            Slot::Const(_) | Slot::Undef => constant,
            Slot::Bits { scalar, .. } => scalar,
            Slot::Global(global) => self.w.global(global)?.scalar.unwrap_or(Scalar::Uint),
            _ => self.meant(inst),
        };
        match scalar {
            Scalar::Float => self.id_as(inst, Scalar::Uint),
            scalar => self.id_as(inst, scalar),
        }
    }

    /// What constants among integer operands are meant as: like the first operand that is none.
    pub(super) fn lent(&mut self, args: &[Inst], otherwise: Scalar) -> Scalar {
        let known = args.iter().find_map(|&arg| match self.slot(arg) {
            Slot::Bits { scalar: scalar @ (Scalar::Int | Scalar::Uint), .. } => Some(scalar),
            _ => None,
        });
        known.unwrap_or(otherwise)
    }

    /// The id of a pointer or a handle, and its type.
    pub(super) fn whole(&mut self, inst: Inst) -> Result<(u32, u32), Diag> {
        match self.slot(inst) {
            Slot::Whole { id, ty } => Ok((id, ty)),
            Slot::Steps => self.write_path(inst),
            Slot::Combined => self.combined(inst),
            Slot::Undef => {
                let ty = self.opaque_type(inst)?;
                Ok((self.w.typed(S::Undef, ty, &[]), ty))
            }
            Slot::Global(global) => {
                let written = self.w.global(global)?;
                Ok((written.id, written.ty))
            }
            Slot::Empty | Slot::Bits { .. } | Slot::Const(_) | Slot::Sparse { .. } => Err(self.refuse(
                NO_TYPE,
                inst,
                "is used as an address before it is one",
                "validate the module",
            )),
        }
    }

    /// The id of any value, as it is meant.
    pub(super) fn any(&mut self, inst: Inst) -> Result<u32, Diag> {
        match self.body.ty(inst) {
            ValueType::Bits { .. } => Ok(self.natural(inst)?.0),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => Ok(self.whole(inst)?.0),
        }
    }

    /// The type of a path or handle that says its type itself.
    pub(super) fn opaque_type(&mut self, inst: Inst) -> Result<u32, Diag> {
        let data = self.body.inst(inst);
        let full: Option<Type> = data.entity(Key::Type);
        match (data.ty, full) {
            (ValueType::Path, Some(_)) => {
                let place = self.said_place(inst)?;
                let to = self.w.ty(place.ty)?;
                Ok(self.w.pointer(place.class, to))
            }
            (ValueType::Handle, Some(full)) => {
                self.handles.insert(inst, full);
                self.w.ty(full)
            }
            _ => {
                let help = "say it: `{type …}`, and `mode …` for a path";
                Err(self.refuse(NO_TYPE, inst, "does not say its full type", help))
            }
        }
    }

    /// Emits an instruction with a result nobody else knows of.
    pub(super) fn emit(&mut self, op: S, ty: u32, operands: &[u32]) -> u32 {
        let id = self.w.fresh();
        self.code.parts(op, &[&[ty, id], operands]);
        id
    }

    /// Emits the instruction that yields a value: with its name and what its flags say.
    pub(super) fn define(&mut self, inst: Inst, op: S, ty: u32, operands: &[u32]) -> u32 {
        let id = self.emit(op, ty, operands);
        self.tell(inst, id);
        id
    }

    /// Says the name and the flags of a value on its id.
    pub(super) fn tell(&mut self, inst: Inst, id: u32) {
        self.w.name(id, self.body.inst_name(inst));
        self.w.trail.ids.push((id, Anchor::Inst(self.func, inst)));
        let flags = self.body.inst(inst).flags;
        if flags != Flags::NONE {
            self.w.say_flags(id, flags);
        }
    }

    /// Emits the instruction that yields numbers.
    pub(super) fn define_bits(
        &mut self,
        inst: Inst,
        op: S,
        scalar: Scalar,
        operands: &[u32],
    ) -> Result<u32, Diag> {
        let ty = self.number(scalar, self.body.ty(inst), inst)?;
        let id = self.define(inst, op, ty, operands);
        let scalar = if self.body.ty(inst).width() == Some(Width::W1) { Scalar::Bool } else { scalar };
        self.set(inst, Slot::Bits { id, scalar });
        Ok(id)
    }

    /// Emits the instruction that yields a pointer or a handle.
    pub(super) fn define_whole(&mut self, inst: Inst, op: S, ty: u32, operands: &[u32]) {
        let id = self.define(inst, op, ty, operands);
        self.set(inst, Slot::Whole { id, ty });
    }
}
