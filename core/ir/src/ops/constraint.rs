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

/// The number that an operation reads in the bits of an operand, or that its result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Booleans.
    Bool,
    /// Floats.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// Integers of either sign. If the result is `Integer` too, its sign is that of the operands: a sum of signed
    /// integers is signed.
    Integer,
    /// Integers of either sign, whatever the sign of others: an index, a count.
    Count,
    /// Bits that hold other numbers: packed words.
    Bits,
    /// Any bits. If the result is `Any` too, it is of their kind: a choice between floats is a float.
    Any,
}

/// Constraint on one operand or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The class of values.
    pub class: ValueClass,
    /// The number in the bits.
    pub number: Number,
    /// Widths that are valid, whatever width the rule determines.
    pub widths: Widths,
    /// Constraint on the width of a component.
    pub width: WidthRule,
    /// Constraint on the number of components.
    pub components: ComponentRule,
}

const fn bits(number: Number, width: WidthRule, components: ComponentRule) -> Constraint {
    let widths = match number {
        Number::Bool => Widths::BOOL,
        Number::Float => Widths::FLOAT,
        Number::Int | Number::Uint | Number::Integer | Number::Count => Widths::INT,
        Number::Bits | Number::Any => Widths::LOGIC,
    };
    Constraint { class: ValueClass::Bits, number, widths, width, components }
}

const fn class(class: ValueClass) -> Constraint {
    Constraint { class, ..bits(Number::Any, WidthRule::Free, ComponentRule::Free) }
}

/// Bits of one width, in `count` components.
const fn fixed(number: Number, width: Width, count: u8) -> Constraint {
    bits(number, WidthRule::Is(width), ComponentRule::Is(count))
}

/// The names that entries use. A capital letter is the entry's own type; a following `1` means one component.
pub mod names {
    use super::*;

    /// Bits of the entry's width and component count, booleans included.
    pub const T: Constraint = bits(Number::Any, WidthRule::Same, ComponentRule::Same);
    /// Floats (16, 32, 64 bits) of the entry's width and component count.
    pub const F: Constraint = bits(Number::Float, WidthRule::Same, ComponentRule::Same);
    /// Integers (8 to 64 bits) of the entry's width and component count.
    pub const I: Constraint = bits(Number::Integer, WidthRule::Same, ComponentRule::Same);
    /// Signed integers of the entry's width and component count.
    pub const S: Constraint = bits(Number::Int, WidthRule::Same, ComponentRule::Same);
    /// Unsigned integers of the entry's width and component count.
    pub const U: Constraint = bits(Number::Uint, WidthRule::Same, ComponentRule::Same);
    /// Integers of the entry's width and component count, as a result that counts or moves bits.
    pub const N: Constraint = bits(Number::Count, WidthRule::Same, ComponentRule::Same);
    /// Integers or booleans of the entry's width and component count: operands of bitwise logic.
    pub const L: Constraint = Constraint { widths: Widths::LOGIC, ..I };
    /// Booleans of the entry's component count.
    pub const B: Constraint = bits(Number::Bool, WidthRule::Is(Width::W1), ComponentRule::Same);
    /// One boolean.
    pub const B1: Constraint = fixed(Number::Bool, Width::W1, 1);
    /// One component of the entry's width.
    pub const T1: Constraint = bits(Number::Any, WidthRule::Same, ComponentRule::Is(1));
    /// One float of the entry's width.
    pub const F1: Constraint = bits(Number::Float, WidthRule::Same, ComponentRule::Is(1));
    /// Three floats of the entry's width.
    pub const F3: Constraint = bits(Number::Float, WidthRule::Same, ComponentRule::Is(3));
    /// One signed integer of the entry's width.
    pub const S1: Constraint = bits(Number::Int, WidthRule::Same, ComponentRule::Is(1));
    /// Floats of the entry's component count in the second width: results of conversions.
    pub const FTO: Constraint = bits(Number::Float, WidthRule::Other, ComponentRule::Same);
    /// Integers of the entry's component count in the second width.
    pub const ITO: Constraint = bits(Number::Integer, WidthRule::Other, ComponentRule::Same);
    /// Signed integers of the entry's component count in the second width.
    pub const STO: Constraint = bits(Number::Int, WidthRule::Other, ComponentRule::Same);
    /// Unsigned integers of the entry's component count in the second width.
    pub const UTO: Constraint = bits(Number::Uint, WidthRule::Other, ComponentRule::Same);
    /// One integer of any width: an index, a count, a component number.
    pub const IDX: Constraint = bits(Number::Count, WidthRule::Free, ComponentRule::Is(1));
    /// Integers of the entry's component count in any width: shift counts.
    pub const CNT: Constraint = bits(Number::Count, WidthRule::Free, ComponentRule::Same);
    /// Signed integers of the entry's component count in any width: exponents.
    pub const SCNT: Constraint = bits(Number::Int, WidthRule::Free, ComponentRule::Same);
    /// Bits of any width and component count, independent of the rest of the entry.
    pub const X: Constraint = bits(Number::Any, WidthRule::Free, ComponentRule::Free);
    /// Words of any width and component count that hold packed numbers.
    pub const PACKED: Constraint = bits(Number::Bits, WidthRule::Free, ComponentRule::Free);
    /// Unsigned integers of any width and component count: addresses as numbers.
    pub const UX: Constraint = Constraint { number: Number::Uint, ..X };
    /// Bits of the entry's width in any number of components.
    pub const V: Constraint = bits(Number::Any, WidthRule::Same, ComponentRule::Free);
    /// Floats of any width and component count.
    pub const FX: Constraint = bits(Number::Float, WidthRule::Free, ComponentRule::Free);
    /// Integers of any width and component count.
    pub const IX: Constraint = bits(Number::Count, WidthRule::Free, ComponentRule::Free);
    /// Signed integers of 32 bits, as many as the entry has components.
    pub const S32: Constraint = bits(Number::Int, WidthRule::Is(Width::W32), ComponentRule::Same);
    /// Unsigned integers of 32 bits, as many as the entry has components.
    pub const U32: Constraint = bits(Number::Uint, WidthRule::Is(Width::W32), ComponentRule::Same);
    /// Two floats of 32 bits.
    pub const F32X2: Constraint = fixed(Number::Float, Width::W32, 2);
    /// Four floats of 32 bits.
    pub const F32X4: Constraint = fixed(Number::Float, Width::W32, 4);
    /// One unsigned integer of 32 bits.
    pub const U32X1: Constraint = fixed(Number::Uint, Width::W32, 1);
    /// Four unsigned integers of 32 bits.
    pub const U32X4: Constraint = fixed(Number::Uint, Width::W32, 4);
    /// Four 8-bit components.
    pub const B8X4: Constraint = fixed(Number::Bits, Width::W8, 4);
    /// Two 16-bit components.
    pub const B16X2: Constraint = fixed(Number::Bits, Width::W16, 2);
    /// Four 16-bit components.
    pub const B16X4: Constraint = fixed(Number::Bits, Width::W16, 4);
    /// One 32-bit component.
    pub const B32: Constraint = fixed(Number::Bits, Width::W32, 1);
    /// Two 32-bit components.
    pub const B32X2: Constraint = fixed(Number::Bits, Width::W32, 2);
    /// One 64-bit component.
    pub const B64: Constraint = fixed(Number::Bits, Width::W64, 1);
    /// A typed path.
    pub const PATH: Constraint = class(ValueClass::Path);
    /// An untyped pointer.
    pub const PTR: Constraint = class(ValueClass::Ptr);
    /// An opaque resource.
    pub const HANDLE: Constraint = class(ValueClass::Handle);
    /// A path or an untyped pointer.
    pub const ADDR: Constraint = class(ValueClass::Address);
    /// A path, pointer or handle.
    pub const OPAQUE: Constraint = class(ValueClass::Opaque);
    /// Any value.
    pub const ANY: Constraint = class(ValueClass::Any);
    /// Any value or none.
    pub const MAYBE: Constraint = class(ValueClass::Maybe);
    /// No value.
    pub const NONE: Constraint = class(ValueClass::Nothing);
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
