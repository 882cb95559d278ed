//! Bits in components of another width, where a language has a function for it.

use super::dialect::Dialect;
use super::expr::Expr;
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use crate::ir::Inst;
use crate::ops::{ValueType, Width};

impl FuncWriter<'_, '_> {
    /// The same bits in components of another width.
    pub(super) fn repacked(&mut self, inst: Inst, ty: NumberType) -> Option<Expr> {
        let data = self.body.inst(inst);
        let from = data.args.first().map(|&arg| self.body.ty(arg))?;
        let ValueType::Bits { width, components } = from else { return None };
        let name = match (width, components, ty.width, ty.components) {
            (Width::W32, 2, Width::W64, 1) | (Width::W16, 4, Width::W64, 1) => Some("pack64"),
            (Width::W16, 2, Width::W32, 1) | (Width::W8, 4, Width::W32, 1) => Some("pack32"),
            (Width::W8, 2, Width::W16, 1) => Some("pack16"),
            (Width::W64, 1, Width::W32, 2) => Some("unpack32"),
            (Width::W64, 1, Width::W16, 4) | (Width::W32, 1, Width::W16, 2) => Some("unpack16"),
            (Width::W32, 1, Width::W8, 4) | (Width::W16, 1, Width::W8, 2) => Some("unpack8"),
            _ => None,
        };
        if self.w.dialect == Dialect::Wgsl {
            return self.wgsl_repacked(inst, from, ty);
        }
        let operand = data.args.first().map(|&arg| self.value_as(arg, Kind::Uint))?;
        match name {
            Some(name) => {
                self.w.extensions.insert("GL_EXT_shader_explicit_arithmetic_types");
                Some(self.call(inst, name, vec![operand], ty))
            }
            None if width == ty.width && components == ty.components => Some(operand),
            None => {
                self.refuse(
                    inst,
                    "it has no function for these widths",
                    "pass `lower-packing` lowers others",
                );
                None
            }
        }
    }
}
