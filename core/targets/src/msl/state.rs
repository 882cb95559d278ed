//! The facts that the writer of MSL needs before it writes functions: inputs and outputs, numbers of resources, and the
//! variables that each function uses, which are its parameters: the language has no variables of the module.
//!
//! Plain data; `interface` finds them.

use super::super::number::NumberType;
use super::super::print::Line;
use super::layout::Memory;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Anchor, Func, Inst, Mode, Type, Var};
use vitrine_text::Link;

/// An input or output of the entry point.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) var: Var,
    pub(super) content: Content,
    pub(super) mode: Mode,
    pub(super) name: Rc<str>,
    pub(super) ty: NumberType,
    /// The length, if it is an array.
    pub(super) len: Option<u64>,
    pub(super) attribute: String,
    /// It is a member of the structure of inputs or outputs.
    pub(super) is_member: bool,
}

/// The value of an input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// That of its variable.
    Own,
    /// A system value, which its variable is or has.
    Builtin(Builtin),
    /// The position of a program that writes none; its variable is any of the interface.
    NoPosition,
}

impl Content {
    /// That of a variable, or of a system value in it.
    pub(super) fn of(builtin: Option<Builtin>) -> Content {
        builtin.map_or(Content::Own, Content::Builtin)
    }
}

/// A parameter that a function needs in addition to its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Need {
    /// The number of an input or output.
    Port(usize),
    Var(Var),
    /// The sizes of buffers.
    Lengths,
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) param: Inst,
    pub(super) name: Rc<str>,
    /// The type of a value, or of what a pointer points at.
    pub(super) ty: NumberType,
    /// The number among the buffers, or among the memory of the threadgroup.
    pub(super) number: u32,
    /// The address space of a pointer; empty for a value.
    pub(super) space: &'static str,
}

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Class {
    #[default]
    Buffer,
    Texture,
    Sampler,
    /// An input attachment.
    Color,
}

/// The facts that the writer of MSL needs before it writes functions.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) entry: Option<Func>,
    pub(super) ports: Vec<Port>,
    /// The arguments of a kernel.
    pub(super) arguments: Vec<Argument>,
    pub(super) memory: Memory,
    pub(super) needs: FxHashMap<Func, Vec<Need>>,
    /// The number of each resource among those of its class.
    pub(super) places: FxHashMap<Var, (Class, u32)>,
    /// The number of the buffer with the sizes of the others.
    pub(super) lengths: u32,
    /// Structures around elements: the name, by type and by whether vectors are packed.
    pub(super) wrappers: FxHashMap<(Type, bool), Rc<str>>,
    /// The lines of these structures, in order of their use.
    pub(super) wrapper_lines: Vec<Line>,
    /// Structures around the elements of arrays of resources without a length.
    pub(super) tables_of: FxHashMap<Var, Rc<str>>,
    /// Images and samplers of lookups that compare.
    pub(super) compared: EntitySet<Var>,
    /// Storage images that are read, and those that are written.
    pub(super) texels: [EntitySet<Var>; 2],
    /// Private variables that are never written.
    pub(super) tables: EntitySet<Var>,
    /// The names of the structures of inputs and outputs.
    pub(super) structures: [Rc<str>; 2],
    /// Structures that pointers point at, which are declared ahead.
    pub(super) pointees: Vec<vitrine_ir::Struct>,
    /// The ports of system values that are read without a variable.
    pub(super) loose: FxHashMap<Builtin, usize>,
    /// The name of the size of a mesh's grid; empty if the stage starts none.
    pub(super) grid: Rc<str>,
    /// The function that makes options of the flags of a ray; empty if no query is started.
    pub(super) ray_options: Rc<str>,
    /// The name of the type of queries; empty if no query is started.
    pub(super) query_type: Rc<str>,
    /// Fragments access buffers and textures in order.
    pub(super) is_ordered: bool,
    /// The text depends on infinities and NaN.
    pub(super) has_nan: bool,
    /// Operations must be computed one by one.
    pub(super) is_exact: bool,
    /// The version that the text needs, as a number of two digits.
    pub(super) version: u32,
}

impl Port {
    /// The link of its name.
    pub(super) fn link(&self) -> Link {
        // A system value that is read without a variable has none.
        let is_loose = self.var.index() == Var::MAX_INDEX;
        if is_loose { Link::None } else { Link::Def(Anchor::Var(self.var)) }
    }
}
