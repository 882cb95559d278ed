//! Arithmetic written once, as instructions and as numbers: what lowerings put in the place of an operation.
//!
//! ```text
//! "find" "Positions of bits." {
//!     Int(IntOp::FindLsb) |e, a| find_lsb(e, a);
//! }
//! ```
//!
//! A table says which operation becomes what. What it becomes is a function over [`Arith`]: a cursor in a function
//! makes instructions of it, and in tests plain numbers compute it, which is compared with what `ops` says of the
//! operation: on all numbers of 8 bits, and on corner cases of the others. So a lowering cannot mean something else
//! in the compiler than in its test.
//!
//! The laws of this folder: an expansion never uses an operation of its own table that leads back to it (a test
//! follows all of them), and it yields the same bits for every input where it does not say otherwise.

use crate::ir::{Block, Builder, Editor, InsertPoint, Inst, InstData, Reason, Refusal};
use crate::ops::{Bits, ConvertOp, Emit, Flags, IntBuild, Op, Scalar, ValueType, VectorOp, Width};
use crate::passes::pass::OptionInfo;

pub(in crate::passes) mod division; // quotients and remainders
pub(in crate::passes) mod packing; // components side by side
pub(in crate::passes) mod parts; // significands and exponents
pub(in crate::passes) mod narrow; // 8 and 16 bits by 32
pub(in crate::passes) mod wide; // 64 bits by 32
pub(in crate::passes) mod doubles; // floats of 64 bits: rounding, the smaller one, and what follows
pub(in crate::passes) mod quotients; // quotients, roots and remainders of floats of 64 bits
pub(in crate::passes) mod bits; // fields, counts, positions, halves of products
pub(in crate::passes) mod whole; // what looks at all components

#[cfg(test)]
mod numbers; // the same, computed

/// Something that carries out arithmetic of known types.
pub(in crate::passes) trait Arith: Emit {
    /// The type of a value.
    fn type_of(&self, value: Self::Value) -> ValueType;

    /// A constant.
    fn constant(&mut self, bits: Bits) -> Self::Value;

    /// An operation whose operands do not say what type its result has.
    fn typed(&mut self, op: Op, ty: ValueType, args: &[Self::Value]) -> Self::Value;

    /// Components of a value in another order, or fewer of them.
    fn pick(&mut self, value: Self::Value, components: &[u8]) -> Self::Value;

    /// The width of a component.
    fn width(&self, value: Self::Value) -> Width {
        self.type_of(value).width().unwrap_or_default()
    }

    /// The same component in all components of a value's type.
    fn all_components(&mut self, like: Self::Value, component: Scalar) -> Self::Value {
        let components = vec![component.bits(); usize::from(self.type_of(like).components())];
        self.constant(Bits::from_components(component.width(), &components))
    }

    /// An integer in all components of a value's type, cut to its width.
    fn number(&mut self, like: Self::Value, value: i64) -> Self::Value {
        let component = Scalar::i(self.width(like), value);
        self.all_components(like, component)
    }

    /// A float in all components of a value's type.
    fn real(&mut self, like: Self::Value, value: f64) -> Self::Value {
        let component = Scalar::float(self.width(like), value);
        self.all_components(like, component)
    }

    /// How far to shift: a number of 32 bits in as many components as a value has.
    fn count(&mut self, like: Self::Value, value: u32) -> Self::Value {
        self.all_components(like, Scalar::u(Width::W32, u64::from(value)))
    }

    /// A number in another width, or as another kind of number.
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

    /// A shift to the left by a number that is known.
    fn left(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ishl(value, count)
    }

    /// A shift to the right by a number that is known, with zeros.
    fn right(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ushr(value, count)
    }

    /// A shift to the right by a number that is known, with copies of the sign.
    fn right_signed(&mut self, value: Self::Value, count: u32) -> Self::Value {
        if count == 0 {
            return value;
        }
        let count = self.count(value, count);
        self.ishr(value, count)
    }

    /// The bits that are in common with a number.
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
        match crate::passes::util::components::look_near(self.editor(), value, components) {
            crate::passes::util::components::Picked::Whole(value) => value,
            crate::passes::util::components::Picked::Components(value, components) => {
                self.swizzle(value, &components)
            }
            crate::passes::util::components::Picked::Splat(value) => {
                self.splat(value, u8::try_from(components.len()).unwrap_or(1))
            }
            crate::passes::util::components::Picked::Const(bits) => self.bits(bits),
        }
    }
}

/// A table of expansions: words, what each stands for, and what operations become. See the module doc.
///
/// It makes `WORDS`, the options of a pass; `OPS`, the word of each operation; and `expand`.
macro_rules! expansions {
    ($all:literal; $($word:literal $doc:literal {
        $($family:ident($op:path) |$e:ident $(, $arg:ident)*| $body:expr;)*
    })*) => {
        /// The words of the table; the first stands for all of them.
        pub(in crate::passes) const WORDS: &[$crate::passes::util::arith::OptionInfo] = &[
            $crate::passes::util::arith::OptionInfo::Word("all", $all),
            $($crate::passes::util::arith::OptionInfo::Word($word, $doc),)*
        ];

        /// The operations of the table, each with its word.
        pub(in crate::passes) const OPS: &[($crate::ops::Op, &str)] =
            &[$($(($crate::ops::Op::$family($op), $word),)*)*];

        /// What an operation becomes; none for one that is not in the table.
        pub(in crate::passes) fn expand<E: $crate::passes::util::arith::Arith>(
            e: &mut E,
            op: $crate::ops::Op,
            args: &[E::Value],
        ) -> Option<E::Value> {
            match (op, args) {
                $($(($crate::ops::Op::$family($op), &[$($arg),*]) => {
                    let $e = e;
                    Some($body)
                })*)*
                _ => None,
            }
        }
    };
}
use expansions;

/// What takes the place of an instruction: the value, made in front of it. None leaves it as it is.
pub(in crate::passes) type Made = Result<Option<Inst>, Refusal>;

/// Lets `expand` have every instruction of a function that `wants` picks, those it makes among them. A value keeps its
/// id where something is computed in its place.
///
/// Linear in what there is afterwards. Error: a refusal of the editor, which a valid function never meets.
pub(in crate::passes) fn expand_all(
    ed: &mut Editor<'_>,
    wants: impl Fn(&Editor<'_>, &InstData) -> bool,
    mut expand: impl FnMut(&mut Editor<'_>, Inst) -> Made,
    why: Reason,
) -> Result<(), Refusal> {
    for block in crate::passes::util::open::in_order(ed.func()) {
        if !in_block(ed, block, &wants, &mut expand, why)? {
            break;
        }
    }
    Ok(())
}

fn in_block(
    ed: &mut Editor<'_>,
    block: Block,
    wants: &impl Fn(&Editor<'_>, &InstData) -> bool,
    expand: &mut impl FnMut(&mut Editor<'_>, Inst) -> Made,
    why: Reason,
) -> Result<bool, Refusal> {
    let mut at = 0;
    while let Some(&inst) = ed.func().block(block).insts.get(at) {
        if !wants(ed, ed.func().inst(inst)) {
            at += 1;
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(false);
        }
        match expand(ed, inst)? {
            // What was made stands where the instruction stood, and is looked at next.
            Some(value) => settle(ed, inst, at, value, why)?,
            None => at += 1,
        }
    }
    Ok(true)
}

/// Puts a value in the place of an instruction; what was made for it stands from `start` of its block on.
pub(in crate::passes) fn settle(
    ed: &mut Editor<'_>,
    inst: Inst,
    start: usize,
    value: Inst,
    why: Reason,
) -> Result<(), Refusal> {
    let Some(block) = ed.block_of(inst) else { return Ok(()) };
    let origin = ed.func().origin(inst);
    let end = ed.index_of(inst).unwrap_or(start);
    for at in start..end {
        let Some(&made) = ed.func().block(block).insts.get(at) else { break };
        ed.set_origin(made, origin)?;
    }
    let is_new = ed.block_of(value) == Some(block) && ed.index_of(value).is_some_and(|at| at >= start);
    if is_new && ed.use_count(value) == 0 {
        let data = ed.func().inst(value).clone();
        ed.rewrite(inst, data, why)?;
        return ed.erase(value, why);
    }
    ed.replace(inst, value, why)
}

/// What the flags of an operation demand of what takes its place; what they permit is not handed on.
pub(in crate::passes) fn demands(flags: Flags) -> Flags {
    let all = [Flags::EXACT, Flags::INVARIANT, Flags::NONUNIFORM];
    all.into_iter().filter(|&flag| flags.has(flag)).fold(Flags::NONE, Flags::and)
}

/// Makes what takes the place of an instruction, in front of it.
pub(in crate::passes) fn build(
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
