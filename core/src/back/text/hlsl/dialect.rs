//! HLSL as a dialect.

use super::{types, words};
use crate::analysis::LayoutTarget;
use crate::analysis::exits::Target;
use crate::back::text::dialect::Dialect;
use crate::back::text::expr::Grammar;
use crate::back::text::language::Language;
use crate::back::text::number::{Kind, NumberType};
use crate::ops::Width;

/// HLSL.
pub(in crate::back::text) struct Hlsl;

impl Dialect for Hlsl {
    fn language(&self) -> Language {
        Language::Hlsl
    }

    fn target(&self) -> Target {
        Target::Hlsl
    }

    fn layout_target(&self) -> LayoutTarget {
        LayoutTarget::Hlsl
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        words::is_reserved
    }

    fn grammar(&self) -> Grammar {
        Grammar::C
    }

    fn number(&self, ty: NumberType) -> Option<String> {
        types::number(ty)
    }

    fn extension(&self, _ty: NumberType) -> Option<&'static str> {
        None
    }

    fn literal(&self, kind: Kind, width: Width, bits: u64) -> String {
        types::literal(kind, width, bits)
    }

    fn bit_cast(&self, from: NumberType, to: Kind) -> Option<String> {
        types::bit_cast(from, to)
    }
}
