//! Bits in components of another width, by functions of GL_EXT_shader_explicit_arithmetic_types.

use crate::expr::Expr;
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{Help, Inst};

impl FuncWriter<'_, '_> {
    /// The same bits in components of another width.
    pub(super) fn repacked(&mut self, inst: Inst, ty: NumberType) -> Option<Expr> {
        let data = self.body.inst(inst);
        let from = data.args.first().map(|&arg| self.body.ty(arg))?;
        let ValueType::Bits { width, components } = from else { return None };
        let operand = data.args.first().map(|&arg| self.value_as(arg, Kind::Uint))?;
        if width == ty.width && components == ty.components {
            return Some(operand);
        }
        self.w.extensions.insert("GL_EXT_shader_explicit_arithmetic_types");
        if let Some(name) = function((width, components), (ty.width, ty.components)) {
            return Some(self.call(inst, name, vec![operand], ty));
        }
        let parts = self.repacked_parts(inst, operand, ty);
        if parts.is_none() {
            self.refuse(
                inst,
                "it has no function for these widths",
                Help::by_pass("lower-packing", "lowers others"),
            );
        }
        parts
    }

    /// The same bits part by part: a wider component at a time.
    fn repacked_parts(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Option<Expr> {
        let from = operand.ty;
        let parts = from.components.min(ty.components);
        let [taken, made] = [from, ty].map(|ty| ty.with_components(ty.components / parts));
        let name = function((taken.width, taken.components), (made.width, made.components))?;
        let operand = self.fixed(operand, Role::Value, inst);
        let part = |text: &mut Self, at: u8| {
            let first = at * taken.components;
            let components: Vec<u8> = (first..first + taken.components).collect();
            let part = text.components(inst, operand.clone(), &components, taken);
            text.call(inst, name, vec![part], made)
        };
        let parts = (0..parts).map(|at| part(self, at)).collect();
        Some(self.construct(inst, ty, parts))
    }
}

/// The function that makes components of another width of some.
fn function(from: (Width, u8), to: (Width, u8)) -> Option<&'static str> {
    match (from, to) {
        ((Width::W32, 2), (Width::W64, 1)) | ((Width::W16, 4), (Width::W64, 1)) => Some("pack64"),
        ((Width::W16, 2), (Width::W32, 1)) | ((Width::W8, 4), (Width::W32, 1)) => Some("pack32"),
        ((Width::W8, 2), (Width::W16, 1)) => Some("pack16"),
        ((Width::W64, 1), (Width::W32, 2)) => Some("unpack32"),
        ((Width::W64, 1), (Width::W16, 4)) | ((Width::W32, 1), (Width::W16, 2)) => Some("unpack16"),
        ((Width::W32, 1), (Width::W8, 4)) | ((Width::W16, 1), (Width::W8, 2)) => Some("unpack8"),
        _ => None,
    }
}
