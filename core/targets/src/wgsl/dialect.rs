//! WGSL as a dialect.

use super::{types, words};
use crate::dialect::Dialect;
use crate::expr::Grammar;
use crate::language::Language;
use crate::number::{Kind, NumberType};
use vitrine_analysis::LayoutTarget;
use vitrine_analysis::exits::Target;
use vitrine_ir::ops::Width;

/// WGSL.
pub(crate) struct Wgsl;

impl Dialect for Wgsl {
    fn language(&self) -> Language {
        Language::Wgsl
    }

    fn target(&self) -> Target {
        Target::Wgsl
    }

    fn layout_target(&self) -> LayoutTarget {
        LayoutTarget::Wgsl
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        words::is_reserved
    }

    fn grammar(&self) -> Grammar {
        // WGSL, 8.18.
        Grammar::Families
    }

    fn number(&self, ty: NumberType) -> Option<String> {
        types::number(ty)
    }

    fn extension(&self, ty: NumberType) -> Option<&'static str> {
        types::extension(ty)
    }

    fn literal(&self, kind: Kind, width: Width, bits: u64) -> String {
        types::literal(kind, width, bits)
    }

    fn bit_cast(&self, from: NumberType, to: Kind) -> Option<String> {
        types::bit_cast(from, to)
    }
}
