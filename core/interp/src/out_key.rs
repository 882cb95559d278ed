//! Names of outputs: components, system values, scalars of payloads; and of the vertices and primitives that have them.

use std::collections::BTreeMap;
use std::fmt;
use vitrine_ir::ops::Builtin;

/// A component of an output of the stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OutKey {
    /// By location, component and dual-source index.
    Location(u32, u32, u32),
    /// By system value and component.
    BuiltIn(Builtin, u32),
    /// A scalar of the payload, by its offset in bytes.
    Payload(u32),
}

impl fmt::Display for OutKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OutKey::Location(location, component, 0) => {
                write!(f, "location {location} component {component}")
            }
            OutKey::Location(location, component, index) => {
                write!(f, "location {location} component {component} index {index}")
            }
            OutKey::BuiltIn(builtin, at) => write!(f, "{}[{at}]", builtin.name()),
            OutKey::Payload(offset) => write!(f, "payload byte {offset}"),
        }
    }
}

/// A vertex or primitive that an invocation or its group created.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Element {
    /// The patch.
    Patch,
    /// A vertex of the patch or the mesh.
    Vertex(u32),
    /// A primitive of the mesh.
    Primitive(u32),
    /// A vertex that a geometry shader emitted.
    Emitted {
        /// Its stream.
        stream: u32,
        /// Number of the vertex among those of the stream.
        vertex: u32,
        /// Number of primitives of the stream that were ended before.
        strip: u32,
    },
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Patch => f.write_str("patch"),
            Element::Vertex(number) => write!(f, "vertex {number}"),
            Element::Primitive(number) => write!(f, "primitive {number}"),
            Element::Emitted { stream: 0, vertex, strip } => {
                write!(f, "emitted vertex {vertex} of strip {strip}")
            }
            Element::Emitted { stream, vertex, strip } => {
                write!(f, "emitted vertex {vertex} of strip {strip} of stream {stream}")
            }
        }
    }
}

/// Outputs by key; an undefined one is `None`.
pub type Outputs = BTreeMap<OutKey, Option<u64>>;
