//! Constraints on the operands and the result of an operation, and how the operands of one entry relate.
//!
//! Within an entry, `Same` denotes one unknown: all operands with a `Same` width have the same width, and all
//! operands with a `Same` component count have the same component count. `Other` denotes a second unknown
//! width.

use super::scalar::Width;
use super::ty::ValueType;

/// The class of values that an operand accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueClass {
    /// Bits; width and component count are constrained separately.
    Bits,
    /// A typed path.
    Path,
    /// An untyped pointer.
    Ptr,
    /// An opaque resource.
    Handle,
    /// A path or an untyped pointer.
    Address,
    /// A path, a pointer or a handle.
    Opaque,
    /// Any value.
    Any,
    /// Any value, or none.
    Maybe,
    /// No value.
    Nothing,
}

/// Constraint on the width of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WidthRule {
    /// The first unknown width of the entry.
    Same,
    /// The second unknown width of the entry.
    Other,
    /// This width.
    Is(Width),
    /// Any width, independent of the other operands.
    Free,
}

/// Constraint on the number of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComponentRule {
    /// The unknown component count of the entry.
    Same,
    /// This count.
    Is(u8),
    /// Any count, independent of the other operands.
    Free,
}

/// A set of widths: bit `i` stands for `Width::ALL[i]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widths(u8);

impl Widths {
    const BOOL: Widths = Widths(0b00001);
    const INT: Widths = Widths(0b11110);
    const FLOAT: Widths = Widths(0b11100);
    const LOGIC: Widths = Widths(0b11111);

    /// Returns true if `width` is in the set.
    pub fn contains(self, width: Width) -> bool {
        self.0 >> (width as u8) & 1 == 1
    }

    /// The members, narrow to wide.
    pub fn iter(self) -> impl Iterator<Item = Width> {
        Width::ALL.into_iter().filter(move |&width| self.contains(width))
    }
}

/// Constraint on one operand or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The class of values.
    pub class: ValueClass,
    /// Widths that are valid, whatever width the rule determines.
    pub widths: Widths,
    /// Constraint on the width of a component.
    pub width: WidthRule,
    /// Constraint on the number of components.
    pub components: ComponentRule,
}

const fn bits(widths: Widths, width: WidthRule, components: ComponentRule) -> Constraint {
    Constraint { class: ValueClass::Bits, widths, width, components }
}

const fn kind(kind: ValueClass) -> Constraint {
    Constraint { class: kind, widths: Widths::LOGIC, width: WidthRule::Free, components: ComponentRule::Free }
}

const fn fixed(width: Width, components: ComponentRule) -> Constraint {
    bits(Widths::LOGIC, WidthRule::Is(width), components)
}

/// The names that entries use. A capital letter is the entry's own type; a following `1` means one component.
pub mod names {
    use super::*;

    /// Bits of the entry's width and component count, booleans included.
    pub const T: Constraint = bits(Widths::LOGIC, WidthRule::Same, ComponentRule::Same);
    /// Floats (16, 32, 64 bits) of the entry's width and component count.
    pub const F: Constraint = bits(Widths::FLOAT, WidthRule::Same, ComponentRule::Same);
    /// Integers (8 to 64 bits) of the entry's width and component count.
    pub const I: Constraint = bits(Widths::INT, WidthRule::Same, ComponentRule::Same);
    /// Integers or booleans of the entry's width and component count: operands of bitwise logic.
    pub const L: Constraint = bits(Widths::LOGIC, WidthRule::Same, ComponentRule::Same);
    /// Booleans of the entry's component count.
    pub const B: Constraint = bits(Widths::BOOL, WidthRule::Is(Width::W1), ComponentRule::Same);
    /// One boolean.
    pub const B1: Constraint = bits(Widths::BOOL, WidthRule::Is(Width::W1), ComponentRule::Is(1));
    /// One component of the entry's width.
    pub const T1: Constraint = bits(Widths::LOGIC, WidthRule::Same, ComponentRule::Is(1));
    /// One float of the entry's width.
    pub const F1: Constraint = bits(Widths::FLOAT, WidthRule::Same, ComponentRule::Is(1));
    /// Three floats of the entry's width.
    pub const F3: Constraint = bits(Widths::FLOAT, WidthRule::Same, ComponentRule::Is(3));
    /// One integer of the entry's width.
    pub const I1: Constraint = bits(Widths::INT, WidthRule::Same, ComponentRule::Is(1));
    /// Floats of the entry's component count in the second width: results of conversions.
    pub const FTO: Constraint = bits(Widths::FLOAT, WidthRule::Other, ComponentRule::Same);
    /// Integers of the entry's component count in the second width.
    pub const ITO: Constraint = bits(Widths::INT, WidthRule::Other, ComponentRule::Same);
    /// One integer of any width: an index, a count, a component number.
    pub const IDX: Constraint = bits(Widths::INT, WidthRule::Free, ComponentRule::Is(1));
    /// Integers of the entry's component count in any width: shift counts, exponents.
    pub const CNT: Constraint = bits(Widths::INT, WidthRule::Free, ComponentRule::Same);
    /// Bits of any width and component count, independent of the rest of the entry.
    pub const X: Constraint = bits(Widths::LOGIC, WidthRule::Free, ComponentRule::Free);
    /// Bits of the entry's width in any number of components.
    pub const V: Constraint = bits(Widths::LOGIC, WidthRule::Same, ComponentRule::Free);
    /// Floats of any width and component count.
    pub const FX: Constraint = bits(Widths::FLOAT, WidthRule::Free, ComponentRule::Free);
    /// Integers of any width and component count.
    pub const IX: Constraint = bits(Widths::INT, WidthRule::Free, ComponentRule::Free);
    /// 32-bit components, as many as the entry has.
    pub const I32: Constraint = fixed(Width::W32, ComponentRule::Same);
    /// One 8-bit component.
    pub const B8: Constraint = fixed(Width::W8, ComponentRule::Is(1));
    /// Four 8-bit components.
    pub const B8X4: Constraint = fixed(Width::W8, ComponentRule::Is(4));
    /// One 16-bit component.
    pub const B16: Constraint = fixed(Width::W16, ComponentRule::Is(1));
    /// Two 16-bit components.
    pub const B16X2: Constraint = fixed(Width::W16, ComponentRule::Is(2));
    /// Four 16-bit components.
    pub const B16X4: Constraint = fixed(Width::W16, ComponentRule::Is(4));
    /// One 32-bit component.
    pub const B32: Constraint = fixed(Width::W32, ComponentRule::Is(1));
    /// Two 32-bit components.
    pub const B32X2: Constraint = fixed(Width::W32, ComponentRule::Is(2));
    /// Three 32-bit components.
    pub const B32X3: Constraint = fixed(Width::W32, ComponentRule::Is(3));
    /// Four 32-bit components.
    pub const B32X4: Constraint = fixed(Width::W32, ComponentRule::Is(4));
    /// One 64-bit component.
    pub const B64: Constraint = fixed(Width::W64, ComponentRule::Is(1));
    /// A typed path.
    pub const PATH: Constraint = kind(ValueClass::Path);
    /// An untyped pointer.
    pub const PTR: Constraint = kind(ValueClass::Ptr);
    /// An opaque resource.
    pub const HANDLE: Constraint = kind(ValueClass::Handle);
    /// A path or an untyped pointer.
    pub const ADDR: Constraint = kind(ValueClass::Address);
    /// A path, pointer or handle.
    pub const OPAQUE: Constraint = kind(ValueClass::Opaque);
    /// Any value.
    pub const ANY: Constraint = kind(ValueClass::Any);
    /// Any value or none.
    pub const MAYBE: Constraint = kind(ValueClass::Maybe);
    /// No value.
    pub const NONE: Constraint = kind(ValueClass::Nothing);
}

/// The unknowns of one entry, as far as the operands checked so far determine them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unknowns {
    same_width: Option<Width>,
    other_width: Option<Width>,
    components: Option<u8>,
}

impl Constraint {
    /// Returns true if `ty` satisfies the constraint. The first use of an unknown determines it.
    pub fn admits(&self, ty: ValueType, known: &mut Unknowns) -> bool {
        match (self.class, ty) {
            (ValueClass::Bits, ValueType::Bits { width, components }) => {
                self.widths.contains(width)
                    && self.admits_width(width, known)
                    && self.admits_components(components, known)
            }
            (ValueClass::Path | ValueClass::Address | ValueClass::Opaque, ValueType::Path)
            | (ValueClass::Ptr | ValueClass::Address | ValueClass::Opaque, ValueType::Ptr)
            | (ValueClass::Handle | ValueClass::Opaque, ValueType::Handle)
            | (ValueClass::Nothing | ValueClass::Maybe, ValueType::Void) => true,
            (ValueClass::Any | ValueClass::Maybe, ty) => ty != ValueType::Void,
            _ => false,
        }
    }

    fn admits_width(&self, width: Width, known: &mut Unknowns) -> bool {
        match self.width {
            WidthRule::Same => *known.same_width.get_or_insert(width) == width,
            WidthRule::Other => *known.other_width.get_or_insert(width) == width,
            WidthRule::Is(is) => is == width,
            WidthRule::Free => true,
        }
    }

    fn admits_components(&self, components: u8, known: &mut Unknowns) -> bool {
        match self.components {
            ComponentRule::Same => *known.components.get_or_insert(components) == components,
            ComponentRule::Is(is) => is == components,
            ComponentRule::Free => true,
        }
    }

    /// Returns the only type that satisfies the constraint, if the unknowns determine one.
    pub fn solve(&self, known: &Unknowns) -> Option<ValueType> {
        match self.class {
            ValueClass::Bits => {
                let width = match self.width {
                    WidthRule::Same => known.same_width?,
                    WidthRule::Other => known.other_width?,
                    WidthRule::Is(is) => is,
                    WidthRule::Free => return None,
                };
                let components = match self.components {
                    ComponentRule::Same => known.components?,
                    ComponentRule::Is(is) => is,
                    ComponentRule::Free => return None,
                };
                Some(ValueType::Bits { width, components })
            }
            ValueClass::Path => Some(ValueType::Path),
            ValueClass::Ptr => Some(ValueType::Ptr),
            ValueClass::Handle => Some(ValueType::Handle),
            ValueClass::Nothing => Some(ValueType::Void),
            ValueClass::Address | ValueClass::Opaque | ValueClass::Any | ValueClass::Maybe => None,
        }
    }

    /// Describes the constraint for a message: `float of 32 bits`, `integer in 4 components`.
    pub fn describe(&self, known: &Unknowns) -> String {
        if let Some(ty) = self.solve(known) {
            return if ty == ValueType::Void { "nothing".to_owned() } else { format!("`{ty}`") };
        }
        match self.class {
            ValueClass::Address => return "a path or a pointer".to_owned(),
            ValueClass::Opaque => return "a path, a pointer or a handle".to_owned(),
            ValueClass::Any => return "a value".to_owned(),
            ValueClass::Maybe => return "a value or nothing".to_owned(),
            ValueClass::Bits
            | ValueClass::Path
            | ValueClass::Ptr
            | ValueClass::Handle
            | ValueClass::Nothing => {}
        }
        let what = match self.widths {
            Widths::FLOAT => "float",
            Widths::INT => "integer",
            Widths::BOOL => "boolean",
            _ => "bits",
        };
        match (self.width, known.same_width, self.components, known.components) {
            (WidthRule::Same, Some(width), ComponentRule::Same, None) => {
                format!("{what} of {} bits", width.bits())
            }
            (WidthRule::Is(width), ..) => format!("{what} of {} bits", width.bits()),
            (_, _, ComponentRule::Is(components), _) | (_, _, ComponentRule::Same, Some(components)) => {
                format!("{what} in {components} component{}", if components == 1 { "" } else { "s" })
            }
            _ => what.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names::*;
    use super::*;

    fn ty(text: &str) -> ValueType {
        ValueType::parse(text).unwrap()
    }

    #[test]
    fn same_binds_once_and_then_compares() {
        let mut known = Unknowns::default();
        assert!(F.admits(ty("b32x4"), &mut known));
        assert!(!F.admits(ty("b32x3"), &mut known));
        assert!(!F.admits(ty("b16x4"), &mut known));
        assert!(B.admits(ty("b1x4"), &mut known));
        assert!(!B.admits(ty("b1"), &mut known));
        assert_eq!(B.solve(&known), Some(ty("b1x4")));
        assert_eq!(FTO.solve(&known), None);
    }

    #[test]
    fn floats_have_no_8_bits_and_addresses_are_not_bits() {
        let mut known = Unknowns::default();
        assert!(!F.admits(ty("b8"), &mut known));
        assert!(!T.admits(ValueType::Path, &mut known));
        assert!(ADDR.admits(ValueType::Ptr, &mut known));
        assert!(!ADDR.admits(ValueType::Handle, &mut known));
        assert!(MAYBE.admits(ValueType::Void, &mut known));
        assert!(!ANY.admits(ValueType::Void, &mut known));
    }
}
