//! Languages like C as back ends: a table. All are written by the engine of this crate.

use crate::{Language, Version, write};
use vitrine_forms::{Backend, Output, Source};
use vitrine_ir::Diag;

/// A language as a back end.
pub struct TextForm {
    language: Language,
    name: &'static str,
    doc: &'static str,
    label: &'static str,
    extensions: &'static [&'static str],
}

/// GLSL 4.60 for Vulkan.
pub const GLSL: &TextForm = &TextForm {
    language: Language::Glsl(Version::Vulkan),
    name: "glsl",
    doc: "GLSL 4.60 for Vulkan; every stage but kernels.",
    label: "GLSL",
    extensions: &["glsl", "frag", "vert", "comp"],
};

/// GLSL ES 3.00.
pub const ESSL: &TextForm = &TextForm {
    language: Language::Glsl(Version::Es300),
    name: "essl",
    doc: "GLSL ES 3.00 for WebGL2; for a vertex or a fragment shader.",
    label: "GLSL ES 3.00",
    extensions: &["essl"],
};

/// GLSL ES 3.10.
pub const ESSL_310: &TextForm = &TextForm {
    language: Language::Glsl(Version::Es310),
    name: "essl-310",
    doc: "GLSL ES 3.10 for OpenGL ES; for a vertex, a fragment or a compute shader.",
    label: "GLSL ES 3.10",
    extensions: &["essl310"],
};

/// WGSL.
pub const WGSL: &TextForm = &TextForm {
    language: Language::Wgsl,
    name: "wgsl",
    doc: "WGSL for WebGPU; for vertex, fragment and compute shaders.",
    label: "WGSL",
    extensions: &["wgsl"],
};

/// HLSL 2021 for shader model 6.6.
pub const HLSL: &TextForm = &TextForm {
    language: Language::Hlsl,
    name: "hlsl",
    doc: "HLSL for shader model 6.6, with bindings for Vulkan; for vertex, geometry, fragment, compute and ray shaders.",
    label: "HLSL",
    extensions: &["hlsl"],
};

/// The Metal Shading Language.
pub const MSL: &TextForm = &TextForm {
    language: Language::Msl,
    name: "msl",
    doc: "Metal Shading Language 2.4 and later; for vertex, fragment, compute and task shaders, and kernels.",
    label: "Metal",
    extensions: &["metal"],
};

impl Backend for TextForm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn doc(&self) -> &'static str {
        self.doc
    }

    fn label(&self) -> &'static str {
        self.label
    }

    fn language(&self) -> Option<&'static str> {
        Some(self.label)
    }

    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(self.language.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, self.language, source.options.entry, out)
    }
}
