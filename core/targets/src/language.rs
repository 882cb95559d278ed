//! The languages: names, presets, files. The dialect of each is in `registry`.

/// A version of GLSL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// GLSL ES 3.00, of WebGL2.
    Es300,
    /// GLSL ES 3.10.
    Es310,
    /// GLSL 4.60 for Vulkan.
    Vulkan,
}

impl Version {
    /// Returns true for GLSL ES.
    pub(super) fn is_es(self) -> bool {
        self != Version::Vulkan
    }
}

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// GLSL.
    Glsl(Version),
    /// WGSL.
    Wgsl,
    /// HLSL 2021 for shader model 6.6.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
}

impl Language {
    /// Every language, in the order of the export menu.
    pub const ALL: [Language; 6] = [
        Language::Glsl(Version::Vulkan),
        Language::Glsl(Version::Es300),
        Language::Glsl(Version::Es310),
        Language::Wgsl,
        Language::Hlsl,
        Language::Msl,
    ];

    /// What is known of it without its dialect.
    pub(super) fn entry(self) -> &'static Entry {
        match self {
            Language::Glsl(Version::Vulkan) => &GLSL,
            Language::Glsl(Version::Es300) => &ES_300,
            Language::Glsl(Version::Es310) => &ES_310,
            Language::Wgsl => &WGSL,
            Language::Hlsl => &HLSL,
            Language::Msl => &MSL,
        }
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        self.entry().title
    }

    /// The preset that prepares a module.
    pub fn preset(self) -> &'static str {
        self.entry().preset
    }
}

/// A language of the spellings: each has a column of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    /// GLSL 4.60 for Vulkan.
    Glsl,
    /// GLSL ES 3.10.
    Es310,
    /// GLSL ES 3.00.
    Es300,
    /// HLSL.
    Hlsl,
    /// WGSL.
    Wgsl,
    /// The Metal Shading Language.
    Msl,
}

/// An entry of the table of languages.
pub(super) struct Entry {
    /// The name for messages.
    title: &'static str,
    /// The preset that prepares a module.
    pub(super) preset: &'static str,
    /// Its column of the spellings.
    pub(super) column: Column,
    /// The name on the command line.
    pub(super) form: &'static str,
    /// One sentence.
    pub(super) doc: &'static str,
    /// Its label in the export menu.
    pub(super) label: &'static str,
    /// Extensions of its files, the usual one first.
    pub(super) extensions: &'static [&'static str],
}

const GLSL: Entry = Entry {
    title: "GLSL 4.60",
    preset: "glsl-out",
    column: Column::Glsl,
    form: "glsl",
    doc: "GLSL 4.60 for Vulkan; every stage but kernels.",
    label: "GLSL",
    extensions: &["glsl", "frag", "vert", "comp"],
};

const ES_300: Entry = Entry {
    title: "GLSL ES 3.00",
    preset: "essl-out",
    column: Column::Es300,
    form: "essl",
    doc: "GLSL ES 3.00 for WebGL2; for a vertex or a fragment shader.",
    label: "GLSL ES 3.00",
    extensions: &["essl"],
};

const ES_310: Entry = Entry {
    title: "GLSL ES 3.10",
    preset: "essl-310-out",
    column: Column::Es310,
    form: "essl-310",
    doc: "GLSL ES 3.10 for OpenGL ES; for a vertex, a fragment or a compute shader.",
    label: "GLSL ES 3.10",
    extensions: &["essl310"],
};

const WGSL: Entry = Entry {
    title: "WGSL",
    preset: "wgsl-out",
    column: Column::Wgsl,
    form: "wgsl",
    doc: "WGSL for WebGPU; for vertex, fragment and compute shaders.",
    label: "WGSL",
    extensions: &["wgsl"],
};

const HLSL: Entry = Entry {
    title: "HLSL",
    preset: "hlsl-out",
    column: Column::Hlsl,
    form: "hlsl",
    doc: "HLSL for shader model 6.6, with bindings for Vulkan; for vertex, geometry, fragment, compute and ray shaders.",
    label: "HLSL",
    extensions: &["hlsl"],
};

const MSL: Entry = Entry {
    title: "MSL",
    preset: "msl-out",
    column: Column::Msl,
    form: "msl",
    doc: "Metal Shading Language 2.4 and later; for vertex, fragment, compute and task shaders, and kernels.",
    label: "Metal",
    extensions: &["metal"],
};
