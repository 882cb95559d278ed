//! What a written text declares for those outside: what an API binds, what it finds by name, what it has to enable.
//!
//! A writer records each entry where it writes the declaration, so that the text is not read again. Bindings of all
//! languages without a text are those of `vitrine_targets::resources`.

use std::collections::BTreeSet;
use vitrine_ir::{ImageType, Type, Var};

/// What a text declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The names of its entry points, in the order of the module.
    pub entries: Vec<String>,
    /// Its resources, in the order of their declarations. Recorded for WGSL and GLSL.
    pub resources: Vec<Declared>,
    /// The inputs and outputs with a location that have a name of their own. Recorded for GLSL.
    pub ports: Vec<DeclaredPort>,
    /// The system values that it names. Recorded for GLSL.
    pub values: BTreeSet<&'static str>,
    /// The extensions that it enables.
    pub extensions: BTreeSet<&'static str>,
}

impl Interface {
    /// Adds what a further part of the text declares.
    pub fn append(&mut self, part: Interface) {
        let Interface { entries, resources, ports, values, extensions } = part;
        self.entries.extend(entries);
        self.resources.extend(resources);
        self.ports.extend(ports);
        self.values.extend(values);
        self.extensions.extend(extensions);
    }
}

/// A resource of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The variable; of an image with a sampler, that of the image.
    pub var: Var,
    /// The name by which an API finds it: of a block in GLSL the name of the block.
    pub name: String,
    /// Group and binding in WGSL; zeros in GLSL, which has a name or the numbers of the program.
    pub place: [u32; 2],
    /// Its elements, if it is an array; 0 if the text leaves their number open.
    pub elements: Option<u32>,
    /// Its kind.
    pub kind: DeclaredKind,
}

/// The kind of a resource in a text, with its access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeclaredKind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage(DeclaredAccess),
    /// An image that is sampled or fetched from.
    Texture {
        /// True if it holds depths.
        is_depth: bool,
    },
    /// A storage image.
    StorageTexture(DeclaredAccess),
    /// A sampler.
    Sampler {
        /// True if it compares.
        compares: bool,
    },
    /// An image with its sampler.
    Pair(Pair),
}

/// The access to memory as a text declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredAccess {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both.
    ReadWrite,
}

/// An image with its sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The type of the image.
    pub image: ImageType,
    /// The type in the text, such as `sampler2D`.
    pub ty: String,
    /// The variable of the sampler: that of the image if the program has both in one. `None` if it is only fetched from.
    pub sampler: Option<Var>,
    /// The elements of the image and of the sampler in arrays of the program, or 0.
    pub elements: [u32; 2],
    /// True if lookups compare.
    pub compares: bool,
}

/// An input or output of a text that has a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredPort {
    /// The variable; of a member that is declared alone, that of the structure.
    pub var: Var,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its first location.
    pub location: u32,
}
