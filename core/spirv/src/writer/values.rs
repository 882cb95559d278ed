//! A value in the current function: an id with a type, a constant, or a path not yet written.

use super::diagnostics::NO_TYPE;
use super::function::FunctionWriter;
use super::shared::{NumberShape, Scalar, Slot, scalar_of_hint};
use crate::spec::Op as S;
use vitrine_ir::ops::{Key, ValueType, Width};
use vitrine_ir::{Diag, Inst, Type};

impl FunctionWriter<'_, '_> {
    /// The inferred kind of number of a value.
    pub(super) fn scalar_hint(&self, inst: Inst) -> Scalar {
        scalar_of_hint(self.types.hint(inst), self.body.ty(inst).width().unwrap_or_default())
    }

    /// The same for values that can only be integers.
    pub(super) fn int_hint(&self, inst: Inst) -> Scalar {
        match self.scalar_hint(inst) {
            Scalar::Int => Scalar::Int,
            Scalar::Bool => Scalar::Bool,
            Scalar::Uint | Scalar::Float => Scalar::Uint,
        }
    }

    /// The type of numbers of a kind.
    pub(super) fn number(&mut self, scalar: Scalar, ty: ValueType, inst: Inst) -> Result<u32, Diag> {
        match ty {
            ValueType::Bits { components: 5.., .. } if !self.writer.kernel => Err(self.refuse(
                NO_TYPE,
                inst,
                "has more than 4 components, which SPIR-V has for kernels only",
                "use 1 to 4 components, or declare the capabilities `Kernel` and `Vector16`",
            )),
            ValueType::Bits { width, components: components @ (1..=4 | 8 | 16) } => {
                let scalar = if width == Width::W1 { Scalar::Bool } else { scalar };
                Ok(self.writer.number_type(NumberShape { scalar, width, components }))
            }
            _ => Err(self.refuse(
                NO_TYPE,
                inst,
                "is a number without a type in SPIR-V",
                "use 1 to 4 components",
            )),
        }
    }

    /// The id of a value, and the kind of number it is written as.
    pub(super) fn natural(&mut self, inst: Inst) -> Result<(u32, Scalar), Diag> {
        match self.slot(inst) {
            Slot::Bits { id, scalar } => Ok((id, scalar)),
            Slot::Global(global) => {
                let written = self.writer.global(global)?;
                Ok((written.id, written.scalar.unwrap_or(Scalar::Uint)))
            }
            _ => {
                let scalar = self.scalar_hint(inst);
                Ok((self.id_as(inst, scalar)?, scalar))
            }
        }
    }

    /// The id of a value as numbers of a kind; cast if it is written as another kind.
    pub(super) fn id_as(&mut self, inst: Inst, scalar: Scalar) -> Result<u32, Diag> {
        let ty = self.body.ty(inst);
        let scalar = if ty.width() == Some(Width::W1) { Scalar::Bool } else { scalar };
        let (id, given) = match self.slot(inst) {
            Slot::Bits { id, scalar } => (id, scalar),
            Slot::Const(bits) => {
                let id = self.writer.bits(bits, scalar);
                if let Some(name) = self.body.inst_name(inst) {
                    self.writer.name(id, Some(name));
                }
                return Ok(id);
            }
            Slot::Global(global) => {
                let written = self.writer.global(global)?;
                (written.id, written.scalar.unwrap_or(scalar))
            }
            Slot::Undef => {
                let ty = self.number(scalar, ty, inst)?;
                return Ok(self.writer.typed(S::Undef, ty, &[]));
            }
            Slot::Sparse { texel, scalar, .. } => (texel, scalar),
            Slot::Empty | Slot::Whole { .. } | Slot::Steps | Slot::Combined => {
                return Err(self.refuse(
                    NO_TYPE,
                    inst,
                    "is used as a number before it is defined",
                    "validate the module",
                ));
            }
        };
        let unsigned = |scalar| if scalar == Scalar::Int { Scalar::Uint } else { scalar };
        if given == scalar || self.writer.kernel && unsigned(given) == unsigned(scalar) {
            return Ok(id);
        }
        let ty = self.number(scalar, ty, inst)?;
        Ok(self.emit(S::Bitcast, ty, &[id]))
    }

    /// The id of a value as an integer, signed or unsigned. The signedness of a constant does not depend on
    /// its other uses: the words written for a constant must not depend on who shares it.
    pub(super) fn int_id(&mut self, inst: Inst) -> Result<u32, Diag> {
        self.int_like(inst, Scalar::Int)
    }

    /// The same, with the kind of number for a constant.
    pub(super) fn int_like(&mut self, inst: Inst, constant: Scalar) -> Result<u32, Diag> {
        let scalar = match self.slot(inst) {
            Slot::Const(_) | Slot::Undef => constant,
            Slot::Bits { scalar, .. } => scalar,
            Slot::Global(global) => self.writer.global(global)?.scalar.unwrap_or(Scalar::Uint),
            _ => self.scalar_hint(inst),
        };
        match scalar {
            Scalar::Float => self.id_as(inst, Scalar::Uint),
            scalar => self.id_as(inst, scalar),
        }
    }

    /// The kind of constants among integer operands: that of the first operand that is not a constant.
    pub(super) fn int_scalar_of(&self, mut args: impl Iterator<Item = Inst>, otherwise: Scalar) -> Scalar {
        let known = args.find_map(|arg| match self.slot(arg) {
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
                Ok((self.writer.typed(S::Undef, ty, &[]), ty))
            }
            Slot::Global(global) => {
                let written = self.writer.global(global)?;
                Ok((written.id, written.ty))
            }
            Slot::Empty | Slot::Bits { .. } | Slot::Const(_) | Slot::Sparse { .. } => Err(self.refuse(
                NO_TYPE,
                inst,
                "is used as an address before it is defined",
                "validate the module",
            )),
        }
    }

    /// The id of any value, in its inferred kind.
    pub(super) fn id(&mut self, inst: Inst) -> Result<u32, Diag> {
        match self.body.ty(inst) {
            ValueType::Bits { .. } => Ok(self.natural(inst)?.0),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => Ok(self.whole(inst)?.0),
        }
    }

    /// The type of a path or handle that declares its type.
    pub(super) fn opaque_type(&mut self, inst: Inst) -> Result<u32, Diag> {
        let data = self.body.inst(inst);
        let full: Option<Type> = data.entity(Key::Type);
        match (data.ty, full) {
            (ValueType::Path, Some(_)) => {
                let place = self.declared_place(inst)?;
                self.writer.pointer_to(place.class, place.ty)
            }
            (ValueType::Handle, Some(full)) => {
                self.handles.insert(inst, full);
                self.writer.ty(full)
            }
            _ => {
                let help = "declare it: `{type …}`, and `mode …` for a path";
                Err(self.refuse(NO_TYPE, inst, "does not declare its full type", help))
            }
        }
    }

    /// Emits the instruction that computes numbers.
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

    /// Emits the instruction that computes a pointer or a handle.
    pub(super) fn define_whole(&mut self, inst: Inst, op: S, ty: u32, operands: &[u32]) {
        let id = self.define(inst, op, ty, operands);
        self.set(inst, Slot::Whole { id, ty });
    }

    /// Gives a parameter of the function or of a block its id.
    pub(super) fn define_param(&mut self, param: Inst, id: u32, ty: u32, scalar: Scalar) -> Result<(), Diag> {
        match self.body.ty(param) {
            ValueType::Bits { .. } => self.set(param, Slot::Bits { id, scalar }),
            ValueType::Path => {
                self.declared_place(param)?;
                self.set(param, Slot::Whole { id, ty });
            }
            _ => {
                if let Some(full) = self.body.inst(param).entity(Key::Type) {
                    self.handles.insert(param, full);
                }
                self.set(param, Slot::Whole { id, ty });
            }
        }
        Ok(())
    }
}
