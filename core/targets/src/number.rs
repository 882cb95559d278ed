//! Kinds and types of numbers: the interpretation that a text must state for each value.
//!
//! Values of the IR have no interpretation. The writer gives each one a kind, from the operation that computes it or
//! from the analysis `types`, and places a cast at a use that reads another kind. No dialect is known here.

use vitrine_analysis::TypeHint;
pub(super) use vitrine_ir::ops::Kind;
use vitrine_ir::ops::{Builtin, ValueType, Width};

/// The type of a number or a vector of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct NumberType {
    pub(super) kind: Kind,
    pub(super) width: Width,
    pub(super) components: u8,
}

impl NumberType {
    /// One boolean.
    pub(super) const BOOL: NumberType = NumberType::new(Kind::Bool, Width::W1, 1);

    /// A type.
    pub(super) const fn new(kind: Kind, width: Width, components: u8) -> NumberType {
        NumberType { kind, width, components }
    }

    /// One number of 32 bits.
    pub(super) const fn scalar(kind: Kind) -> NumberType {
        NumberType::new(kind, Width::W32, 1)
    }

    /// The type of a value read as a kind of number; booleans stay booleans. `None` for an address.
    pub(super) fn of(ty: ValueType, kind: Kind) -> Option<NumberType> {
        match ty {
            ValueType::Bits { width, components } => {
                let kind = if width == Width::W1 { Kind::Bool } else { kind };
                Some(NumberType { kind, width, components })
            }
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => None,
        }
    }

    /// The type of a system value, or of its elements, as Vulkan declares it.
    pub(super) const fn of_builtin(value: Builtin) -> NumberType {
        let width = if matches!(value.kind(), Kind::Bool) { Width::W1 } else { Width::W32 };
        NumberType::new(value.kind(), width, value.components())
    }

    /// The same with unsigned instead of signed integers.
    #[must_use]
    pub(super) fn unsigned(self) -> NumberType {
        match self.kind {
            Kind::Int => self.with_kind(Kind::Uint),
            Kind::Bool | Kind::Uint | Kind::Float => self,
        }
    }

    /// The same with another kind.
    #[must_use]
    pub(super) fn with_kind(self, kind: Kind) -> NumberType {
        NumberType { kind, ..self }
    }

    /// The same with another number of components.
    #[must_use]
    pub(super) fn with_components(self, components: u8) -> NumberType {
        NumberType { components, ..self }
    }
}

/// The type of an address as one number.
pub(super) const ADDRESS: NumberType = NumberType::new(Kind::Uint, Width::W64, 1);

/// The kind of a value of this width, by its hint.
pub(super) fn kind_of_hint(hint: TypeHint, width: Width) -> Kind {
    match hint {
        _ if width == Width::W1 => Kind::Bool,
        TypeHint::Float if width.bits() >= 16 => Kind::Float,
        TypeHint::Int => Kind::Int,
        TypeHint::Uint | TypeHint::Unknown | TypeHint::Bool | TypeHint::Any | TypeHint::Float => Kind::Uint,
    }
}
