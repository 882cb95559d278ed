//! Expansions of arithmetic operations, written once for instructions and for constants: the replacements that
//! lowerings use.
//!
//! ```text
//! /// Positions of bits.
//! Find "find" {
//!     Int(IntOp::FindLsb) |e, a| find_lsb(e, a);
//! }
//! ```
//!
//! A table maps operations to expansions. An expansion is a function over [`Arith`]: a builder emits
//! instructions for it, and in tests it is evaluated on constants and compared with the definition of the
//! operation in `ops`: on all numbers of 8 bits, and on corner cases of the other widths. So the compiler and
//! the tests use the same expansion.
//!
//! Rules of this folder: an expansion never uses, directly or indirectly, an operation of its own table that
//! expands to itself (a test follows all of them), and it yields the same bits for every input unless
//! documented otherwise.

use crate::util::rewrite_each::Made;
use vitrine_ir::ops::{Bits, ConvertOp, Emit, Flags, IntBuild, Op, Scalar, ValueType, VectorOp, Width};
use vitrine_ir::{Builder, Editor, InsertPoint, Inst, InstData, Reason};

pub(crate) mod division; // quotients and remainders
pub(crate) mod packing; // components packed into wider ones
pub(crate) mod parts; // significands and exponents
pub(crate) mod narrow; // 8 and 16 bits by 32
pub(crate) mod wide; // 64 bits by 32
pub(crate) mod doubles; // floats of 64 bits: rounding, minimum and maximum
pub(crate) mod quotients; // quotients, roots and remainders of floats of 64 bits
pub(crate) mod bits; // bit fields, counts, positions, halves of products
pub(crate) mod whole; // operations on all components
pub(crate) mod shader; // arithmetic that SPIR-V of shaders lacks

#[cfg(test)]
mod numbers; // evaluation on constants

/// Emits arithmetic of known types.
pub(crate) trait Arith: Emit {
    /// The type of a value.
    fn type_of(&self, value: Self::Value) -> ValueType;

    /// A constant.
    fn constant(&mut self, bits: Bits) -> Self::Value;

    /// An operation whose result type does not follow from its operands.
    fn typed(&mut self, op: Op, ty: ValueType, args: &[Self::Value]) -> Self::Value;

    /// A selection of components of a value.
    fn pick(&mut self, value: Self::Value, components: &[u8]) -> Self::Value;

    /// The width of a component.
    fn width(&self, value: Self::Value) -> Width {
        self.type_of(value).width().unwrap_or_default()
    }

    /// A constant with the same component in all components of a value's type.
    fn all_components(&mut self, like: Self::Value, component: Scalar) -> Self::Value {
        let components = vec![component.bits(); usize::from(self.type_of(like).components())];
        self.constant(Bits::from_components(component.width(), &components))
    }

    /// An integer in all components of a value's type, truncated to its width.
    fn number(&mut self, like: Self::Value, value: i64) -> Self::Value {
        let component = Scalar::i(self.width(like), value);
        self.all_components(like, component)
    }

    /// A float in all components of a value's type.
    fn real(&mut self, like: Self::Value, value: f64) -> Self::Value {
        let component = Scalar::float(self.width(like), value);
        self.all_components(like, component)
    }

    /// A shift count: a 32-bit number in as many components as a value has.
    fn count(&mut self, like: Self::Value, value: u32) -> Self::Value {
        self.all_components(like, Scalar::u(Width::W32, u64::from(value)))
    }

    /// A number converted to another width or another kind of number.
    fn to(&mut self, op: ConvertOp, width: Width, value: Self::Value) -> Self::Value {
        let components = self.type_of(value).components();
        self.typed(op.into(), ValueType::bits(width, components), &[value])
    }

    /// A value with these components.
    fn join(&mut self, components: &[Self::Value]) -> Self::Value {
        let count = u8::try_from(components.len()).unwrap_or(1);
        match *components {
            [one] => one,
            [first, ..] => {
                let ty = ValueType::bits(self.width(first), count);
                self.typed(VectorOp::Vec.into(), ty, components)
            }
            [] => self.constant(Bits::default()),
        }
    }

    /// The components of a value.
    fn split(&mut self, value: Self::Value) -> Vec<Self::Value> {
        let components = self.type_of(value).components();
        (0..components).map(|at| self.pick(value, &[at])).collect()
    }

    /// A left shift by a constant.
    fn left(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ishl(value, count)
    }

    /// A logical right shift by a constant.
    fn right(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ushr(value, count)
    }

    /// An arithmetic right shift by a constant.
    fn right_signed(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ishr(value, count)
    }

    /// A bitwise and with a constant.
    fn masked(&mut self, value: Self::Value, mask: u64) -> Self::Value {
        let mask = self.number(value, mask.cast_signed());
        self.iand(value, mask)
    }
}

impl Arith for Builder<'_, '_> {
    fn type_of(&self, value: Inst) -> ValueType {
        self.editor().func().ty(value)
    }

    fn constant(&mut self, bits: Bits) -> Inst {
        self.bits(bits)
    }

    fn typed(&mut self, op: Op, ty: ValueType, args: &[Inst]) -> Inst {
        self.checked(op, ty, args)
    }

    fn pick(&mut self, value: Inst, components: &[u8]) -> Inst {
        match crate::util::components::look_near(self.editor(), value, components) {
            crate::util::components::Picked::Whole(value) => value,
            crate::util::components::Picked::Components(value, components) => {
                self.swizzle(value, &components)
            }
            crate::util::components::Picked::Splat(value) => {
                self.splat(value, u8::try_from(components.len()).unwrap_or(1))
            }
            crate::util::components::Picked::Const(bits) => self.bits(bits),
        }
    }
}

/// A table of expansions: groups of operations with their docs, and the expansion of each operation. See the
/// module doc.
///
/// It defines `Expanded`, the options of a pass, which choose a `Group`; `OPS`, the group of each operation;
/// `selected`; and `expand`.
macro_rules! expansions {
    ($(#[doc = $all_doc:literal])+ All "all"; $($(#[doc = $doc:literal])+ $group:ident $word:literal {
        $($family:ident($op:path) |$e:ident $(, $arg:ident)*| $body:expr;)*
    })*) => {
        $crate::options::options! {
            /// The operations that are expanded.
            pub(crate) struct Expanded {
                choice group: Group {
                    $(#[doc = $all_doc])+
                    All "all",
                    $($(#[doc = $doc])+ $group $word,)*
                }
            }
        }

        /// The operations of the table, each with its group.
        pub(crate) const OPS: &[(vitrine_ir::ops::Op, Group)] =
            &[$($((vitrine_ir::ops::Op::$family($op), Group::$group),)*)*];

        /// The operations of a group; `Group::All` has those of every group.
        pub(crate) fn selected(group: Group) -> impl Iterator<Item = vitrine_ir::ops::Op> {
            OPS.iter().filter(move |&&(_, of)| group == Group::All || of == group).map(|&(op, _)| op)
        }

        /// The expansion of an operation; none for one that is not in the table.
        pub(crate) fn expand<E: $crate::util::arith::Arith>(
            e: &mut E,
            op: vitrine_ir::ops::Op,
            args: &[E::Value],
        ) -> Option<E::Value> {
            match (op, args) {
                $($((vitrine_ir::ops::Op::$family($op), &[$($arg),*]) => {
                    let $e = e;
                    Some($body)
                })*)*
                _ => None,
            }
        }
    };
}
use expansions;

/// The restrictive flags of an operation, which its replacement must keep; permissive flags are dropped.
pub(crate) fn demands(flags: Flags) -> Flags {
    let all = [Flags::EXACT, Flags::INVARIANT, Flags::NONUNIFORM];
    all.into_iter().filter(|&flag| flags.has(flag)).fold(Flags::NONE, Flags::and)
}

/// Emits the replacement of an instruction before it.
pub(crate) fn build(
    ed: &mut Editor<'_>,
    inst: Inst,
    why: Reason,
    make: impl FnOnce(&mut Builder<'_, '_>, &InstData) -> Option<Inst>,
) -> Made {
    let data = ed.func().inst(inst).clone();
    let mut builder = ed.build(InsertPoint::Before(inst), why);
    builder.flags(demands(data.flags));
    let value = make(&mut builder, &data);
    builder.finish()?;
    Ok(value)
}
