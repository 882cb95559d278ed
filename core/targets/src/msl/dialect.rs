//! The Metal Shading Language as a dialect.

use super::{types, words};
use crate::dialect::Dialect;
use crate::language::Language;
use crate::number::{Kind, NumberType};
use vitrine_analysis::LayoutTarget;
use vitrine_analysis::exits::Target;
use vitrine_ir::ops::Width;

/// The Metal Shading Language.
pub(crate) struct Msl;

impl Dialect for Msl {
    fn language(&self) -> Language {
        Language::Msl
    }

    fn target(&self) -> Target {
        Target::Msl
    }

    fn layout_target(&self) -> LayoutTarget {
        LayoutTarget::Msl
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        words::is_reserved
    }

    fn number(&self, ty: NumberType) -> Option<String> {
        types::number(ty)
    }

    fn literal(&self, kind: Kind, width: Width, bits: u64) -> String {
        types::literal(kind, width, bits)
    }

    fn bit_cast(&self, from: NumberType, to: Kind) -> Option<String> {
        types::bit_cast(from, to)
    }
}
