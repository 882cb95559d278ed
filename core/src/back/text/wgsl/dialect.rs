//! WGSL as a dialect.

use super::{types, words};
use crate::analysis::LayoutTarget;
use crate::analysis::exits::Target;
use crate::back::text::dialect::Dialect;
use crate::back::text::expr::Grammar;
use crate::back::text::language::Language;
use crate::back::text::number::{Kind, NumberType};
use crate::ops::Width;

/// WGSL.
pub(in crate::back::text) struct Wgsl;

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
