//! The facts that the writer of HLSL needs before it writes functions: inputs and outputs, forms of buffers, and what fills
//! structures.

use crate::number::{Kind, NumberType};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Func, Mode, Struct, Type, Var};

/// The form of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Buffer {
    /// A structured buffer of the elements of its only member.
    Elements(Type),
    /// A structured buffer of one block.
    Block(Struct),
    /// Accessed by bytes.
    Bytes,
    /// A constant buffer, whose members are names of the module.
    Members(Struct),
    /// An object with the members of the block.
    Object(Struct),
    /// A constant buffer that is an array of rows, which numbers are read from by their places.
    Rows(Struct),
}

/// The rule for places of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Rows of a constant buffer.
    Rows,
    /// Elements of a structured buffer.
    Scalars,
}

/// The words that fill a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fill {
    /// Before each member.
    pub(super) before: Vec<u64>,
    pub(super) after: u64,
}

/// The structures that are filled.
pub(super) type Fills = FxHashMap<Struct, Fill>;

/// An input or output of the entry point.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) var: Var,
    pub(super) builtin: Option<Builtin>,
    pub(super) mode: Mode,
    pub(super) name: Rc<str>,
    pub(super) ty: NumberType,
    /// The words before the type in a structure of inputs or outputs.
    pub(super) before: String,
    pub(super) semantic: String,
    /// The locations that it takes; none for a system value.
    pub(super) locations: Range<u64>,
    /// The vertices of a primitive that each have one; 0 for a single input or output.
    pub(super) vertices: u64,
}

/// The names that rays need.
#[derive(Debug, Default)]
pub(super) struct Rays {
    /// The function that makes a ray of its four numbers; empty if no ray is traced.
    pub(super) ray: Rc<str>,
    /// The variable that states how a hit ends.
    pub(super) end: Rc<str>,
    /// The parameter of the incoming payload or data, and the one of the attributes.
    pub(super) params: [Rc<str>; 2],
    /// The structures whose only member is a payload.
    pub(super) wrappers: FxHashMap<Var, Rc<str>>,
    /// The structure and the variable that stand for a payload or attributes that the program does not have.
    pub(super) missing: [Rc<str>; 2],
    /// The incoming payload or data, and the attributes.
    pub(super) incoming: [Option<Var>; 2],
}

/// The names that a geometry shader needs.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    /// The structure of the outputs.
    pub(super) output: Rc<str>,
    /// The function that appends a vertex.
    pub(super) emit: Rc<str>,
    pub(super) stream: Rc<str>,
    /// The type of the stream.
    pub(super) stream_type: String,
    /// The functions that emit vertices, or call one that does.
    pub(super) emitters: FxHashSet<Func>,
}

/// A function that is an instruction.
#[derive(Clone, Debug)]
pub(super) struct Extern {
    /// The name in the tables.
    pub(super) key: &'static str,
    pub(super) name: Rc<str>,
    pub(super) result: &'static str,
    pub(super) instruction: u64,
    /// The number of the capability, and the extension that has it.
    pub(super) needs: Needs,
}

/// A capability, and the extension that has it; empty for one without.
pub(super) type Needs = (u64, &'static str);

/// The facts that the writer needs before it writes functions.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) ports: Vec<Port>,
    /// Names of the members of uniform buffers, which are names of the module.
    pub(super) members: FxHashMap<(Var, usize), Rc<str>>,
    /// The forms of buffers.
    pub(super) buffers: FxHashMap<Var, Buffer>,
    /// The blocks whose integers have another kind than the declared one.
    pub(super) flipped: FxHashMap<Struct, Kind>,
    /// The memory whose floats an atomic exchanges, loads or stores.
    pub(super) exchanged: FxHashSet<Var>,
    /// The members between the declared ones.
    pub(super) fills: Fills,
    /// The blocks of push constants, whose members state their offsets.
    pub(super) push_blocks: Vec<Struct>,
    /// The sampler of each texture that is sampled; `None` if it is more than one.
    pub(super) samplers: FxHashMap<Var, Option<Var>>,
    /// The name of the program's own entry point.
    pub(super) body: Rc<str>,
    /// Types of vectors that are chosen by component.
    pub(super) choices: Vec<NumberType>,
    /// The names that rays need.
    pub(super) rays: Rays,
    /// The names that a geometry shader needs.
    pub(super) geometry: Geometry,
    /// Functions that are instructions of SPIR-V.
    pub(super) externs: Vec<Extern>,
}

impl State {
    /// The number of members that fill a structure before a member, or after the last one.
    pub(super) fn fillers(&self, structure: Struct, at: usize) -> u64 {
        self.fills.get(&structure).map_or(0, |fill| match fill.before.get(at) {
            Some(&words) => words,
            None => fill.after,
        })
    }
}
