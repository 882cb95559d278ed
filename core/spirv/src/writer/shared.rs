//! Types shared by the module writer and the function writer, and the options of both. No words are written
//! here.

use super::words::Words;
use rustc_hash::FxHashMap;
use vitrine_analysis::TypeHint;
use vitrine_ir::ops::Width;
use vitrine_ir::{Anchor, Block, Const, Debug, Func, Global, Text, Type};

/// Options of the SPIR-V writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Keep version, capabilities and extensions that the module declares, needed or not.
    pub as_in: bool,
}

/// Map from ids and words to the parts of the program they were written for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// Result ids of values, blocks, variables and functions; sorted. One id may belong to several values.
    pub ids: Vec<(u32, Anchor)>,
    /// First words of instructions, in order.
    pub words: Vec<(u32, Anchor)>,
}

/// State of the declaration of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeState {
    /// Its members are being declared.
    Open,
    /// It has an id.
    Done(u32),
}

/// Kind of a number: how its bits are interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Scalar {
    Bool,
    Float,
    Int,
    Uint,
}

/// A scalar or vector type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NumberShape {
    pub(super) scalar: Scalar,
    pub(super) width: Width,
    pub(super) components: u8,
}

/// The kind of number of a hint and a width.
pub(super) fn scalar_of_hint(hint: TypeHint, width: Width) -> Scalar {
    match hint {
        _ if width == Width::W1 => Scalar::Bool,
        TypeHint::Float if width.bits() >= 16 => Scalar::Float,
        TypeHint::Int => Scalar::Int,
        TypeHint::Uint | TypeHint::Unknown | TypeHint::Bool | TypeHint::Any | TypeHint::Float => Scalar::Uint,
    }
}

/// Constants given by bits.
#[derive(Default)]
pub(super) struct ConstantTable {
    pub(super) bits: FxHashMap<(Const, Scalar), u32>,
    /// Kinds of the numbers of module constants, as far as inferred.
    pub(super) scalars: FxHashMap<Global, Scalar>,
}

/// A module constant that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenGlobal {
    pub(super) id: u32,
    /// The kind of its numbers; none for an aggregate.
    pub(super) scalar: Option<Scalar>,
    pub(super) ty: u32,
}

/// A value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Slot {
    /// Not written yet.
    #[default]
    Empty,
    /// Numbers of a kind.
    Bits { id: u32, scalar: Scalar },
    /// A pointer or a handle of a type.
    Whole { id: u32, ty: u32 },
    /// Constant bits: written in the type that each use needs.
    Const(Const),
    /// A module constant.
    Global(Global),
    /// An undefined value: written in the type that each use needs.
    Undef,
    /// A path whose steps are part of its uses.
    Steps,
    /// An image and a sampler, combined in each block that uses them.
    Combined,
    /// A residency code and a texel.
    Sparse { code: u32, texel: u32, scalar: Scalar },
}

/// The type and storage class a path points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MemoryPlace {
    pub(super) ty: Type,
    /// SPIR-V's number of the storage class.
    pub(super) class: u32,
}

/// An entry point.
pub(super) struct EntryPoint {
    /// The words before the interface.
    pub(super) head: Vec<u32>,
    /// The interface: ids of variables, with their storage classes.
    pub(super) interface: Vec<(u32, u32)>,
    /// Its function.
    pub(super) func: Func,
}

/// Signature of a function, as callers need it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) params: Vec<u32>,
    /// Kinds of the numbers among the parameters.
    pub(super) scalars: Vec<Scalar>,
    pub(super) result: u32,
    pub(super) result_scalar: Scalar,
    pub(super) ty: u32,
}

/// Position of the phis of a block in the words, with their ids and types.
pub(super) type PendingPhis = (usize, Block, Vec<(u32, u32)>);

/// Phis, until all edges are known.
#[derive(Default)]
pub(super) struct Phis {
    pub(super) places: Vec<PendingPhis>,
    /// Incoming edges of each block: labels and values.
    pub(super) incoming: FxHashMap<Block, Vec<(u32, Vec<u32>)>>,
    /// Position of local variables.
    pub(super) vars_at: usize,
}

/// Labels of a loop without a continuing region, or of a labeled block written as a loop of one iteration.
#[derive(Default)]
pub(super) struct LoopLabels {
    pub(super) header: u32,
    pub(super) back: u32,
    /// Incoming edges of the back-edge block: labels and values for the header.
    pub(super) incoming: Vec<(u32, Vec<u32>)>,
}

/// Debug information of the module that is being written.
#[derive(Default)]
pub(super) struct DebugWriter {
    /// Instructions outside of functions.
    pub(super) words: Words,
    pub(super) ids: FxHashMap<Debug, u32>,
    /// Calls by line and scope.
    pub(super) calls: FxHashMap<(u32, Debug), u32>,
    /// The entries of files; made when the first line is written.
    pub(super) sources: Option<FxHashMap<Text, Debug>>,
    /// Variables by the entries of globals; made for the first one.
    pub(super) globals: Option<FxHashMap<Debug, u32>>,
    pub(super) none: Option<u32>,
    pub(super) expression: Option<u32>,
}
