//! MSL: names, constants and declarations, as the engine asks about them.
//!
//! The language has no lengths and no sizes of a workgroup that a host sets.

use super::Msl;
use crate::dialect::{Composite, ConstantPart, Declarations, attributed, parts_with_bytes};
use crate::expr::Token;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::NumberType;
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::Bits;
use vitrine_ir::{Anchor, Global, Type, TypeData};

impl Declarations for Msl {
    fn type_parts(&self, w: &mut ModuleWriter<'_>, ty: Type, _at: Anchor) -> Option<(String, Vec<Token>)> {
        w.msl_type(ty, false)
    }

    fn fixes_sizes(&self) -> bool {
        true
    }

    fn constant_input(&self, w: &mut ModuleWriter<'_>, global: Global) -> Option<Line> {
        w.msl_function_constant(global)
    }

    fn constant_words(
        &self,
        _w: &mut ModuleWriter<'_>,
        _global: Global,
        _id: Option<u64>,
    ) -> Option<Vec<Token>> {
        Some(attributed(None, "constant"))
    }

    fn constant_value(&self, w: &mut ModuleWriter<'_>, global: Global, default: Vec<Token>) -> Vec<Token> {
        w.msl_constant_value(global, default)
    }

    fn composite(
        &self,
        w: &mut ModuleWriter<'_>,
        ty: Type,
        _is_inside: bool,
        is_zero: bool,
    ) -> Option<Composite> {
        self.type_parts(w, ty, Anchor::Module)?;
        let around = w.msl_padding(ty, false).map(|_| Rc::from(""));
        if !is_zero && matches!(w.module.type_of(ty), TypeData::Matrix { row_major: true, .. }) {
            w.refuse(NO_TYPE, Anchor::Module, "a constant is a row-major matrix in memory", "");
        }
        let parts = match *w.module.type_of(ty) {
            TypeData::Struct(structure) => {
                let order = w.msl_order(structure).into_iter();
                let filler = |gaps: u64| (0..gaps).map(|_| ConstantPart::Filler("{}"));
                order.flat_map(|(at, gaps)| filler(gaps).chain([ConstantPart::Own(at)])).collect()
            }
            _ => parts_with_bytes(w.module, ty),
        };
        Some(Composite { around, ..Composite::list(parts) })
    }

    fn admit_components(&self, w: &mut ModuleWriter<'_>, _bits: &Bits, scalar: NumberType) {
        if w.dialect.number(scalar).is_none() {
            // Refuses the type.
            w.number_name(scalar, Anchor::Module);
        }
    }
}
