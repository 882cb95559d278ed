//! The operations and their meaning: the language reference, readable on its own.
//!
//! `table` explains the form of an entry; the families below it are entries. Nothing here depends on
//! functions, blocks or variables: an operation defines how it interprets the bits of its operands and which
//! effects it has.

pub mod table; // start here: the form of an entry

pub mod basic;
pub mod convert;
pub mod deref;
pub mod float;
pub mod group;
pub mod int;
pub mod io;
pub mod memory;
pub mod ptr;
pub mod reg;
pub mod spirv;
pub mod tex;
pub mod vector;

pub mod attr;
pub mod builtin;
pub mod constraint;
pub mod flags;
pub mod kind;
pub mod scalar;
pub mod ty;
pub mod value;
pub mod words;

pub use attr::{Attr, Key, Keyed, Role};
pub use basic::BasicOp;
pub use builtin::Builtin;
pub use convert::ConvertOp;
pub use deref::DerefOp;
pub use flags::Flags;
pub use float::{FloatBuild, FloatOp};
pub use group::{GroupOp, OfEqual, Uniformity};
pub use int::{IntBuild, IntOp};
pub use io::IoOp;
pub use kind::Kind;
pub use memory::MemoryOp;
pub use ptr::PtrOp;
pub use reg::RegOp;
pub use scalar::{Scalar, Width};
pub use spirv::{RAW_MEANT, SpirvOp};
pub use table::{Cx, Meaning, OpInfo, Operand, Props, SignatureError};
pub use tex::TexOp;
pub use ty::ValueType;
pub use value::{Bits, MAX_COMPONENTS};
pub use vector::VectorOp;
pub use words::{
    Access, AtomicOp, Axis, Derivative, Dim, Extend, FuncHints, Hints, How, Interp, Mode, Reduction, Scope,
    Semantics, Word, WordSet,
};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// An executor of operations: a cursor that creates instructions, or plain arithmetic.
///
/// The builder traits of the families are generic over it, so that one expansion can both build IR and be
/// evaluated on numbers by a check.
pub trait Emit {
    /// The result of an operation.
    type Value: Copy;

    /// Executes `op`, whose result type follows from its operands.
    fn emit(&mut self, op: Op, args: &[Self::Value]) -> Self::Value;
}

macro_rules! families {
    ($($family:ident($op:ident) $doc:literal;)*) => {
        /// An operation, by family. Takes two bytes.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum Op { $(#[doc = $doc] $family($op),)* }

        $(impl From<$op> for Op {
            fn from(op: $op) -> Op {
                Op::$family(op)
            }
        })*

        impl Op {
            /// The entry of the operation.
            pub fn info(self) -> &'static OpInfo {
                match self { $(Op::$family(op) => op.info(),)* }
            }

            /// The description from the table: one sentence or more.
            pub fn doc(self) -> &'static str {
                match self { $(Op::$family(op) => op.doc(),)* }
            }

            /// The family in lower case.
            pub fn family(self) -> &'static str {
                match self { $(Op::$family(_) => Op::FAMILIES[Family::$family as usize].0,)* }
            }

            /// Names and one-line descriptions of the families, in reading order.
            pub const FAMILIES: &'static [(&'static str, &'static str)] = &[$((stringify!($family), $doc)),*];

            /// Every operation, family by family, in table order.
            pub fn all() -> impl Iterator<Item = Op> {
                let none: [Op; 0] = [];
                none.into_iter()$(.chain($op::ALL.iter().map(|&op| Op::$family(op))))*
            }
        }

        enum Family { $($family),* }
    };
}

families! {
    Basic(BasicOp) "Parameters, constants, undefined values, calls.";
    Float(FloatOp) "Floating-point arithmetic, functions and comparisons.";
    Int(IntOp) "Integer and boolean arithmetic, bits and comparisons.";
    Convert(ConvertOp) "Conversions between numbers.";
    Vector(VectorOp) "Construction, extraction and packing of components; products of vectors.";
    Memory(MemoryOp) "Loads, stores, copies and atomics through any address.";
    Deref(DerefOp) "Typed access paths.";
    Ptr(PtrOp) "Untyped addresses (quasi-pointers).";
    Io(IoOp) "Inputs, outputs, system values, and the end of an invocation.";
    Group(GroupOp) "Derivatives, quads, subgroups and barriers.";
    Tex(TexOp) "Sampling, image access and queries.";
    Reg(RegOp) "Registers: storage without an address.";
    Spirv(SpirvOp) "SPIR-V instructions that pass through unchanged.";
}

impl Op {
    /// The spelling in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the operation with this spelling.
    pub fn from_name(name: &str) -> Option<Op> {
        static BY_NAME: OnceLock<FxHashMap<&'static str, Op>> = OnceLock::new();
        BY_NAME.get_or_init(|| Op::all().map(|op| (op.name(), op)).collect()).get(name).copied()
    }

    /// Algebraic properties and effects.
    pub fn props(self) -> Props {
        self.info().props
    }
}

impl Default for Op {
    fn default() -> Self {
        Op::Basic(BasicOp::Undef)
    }
}
