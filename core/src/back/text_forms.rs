//! Languages like C as back ends: GLSL, GLSL ES, WGSL, MSL.
//!
//! All are written by the engine of [`super::text`].

use super::text::{Language, Version, write};
use super::{Backend, Output, Source};
use crate::ir::Diag;

/// GLSL 4.60 for Vulkan.
pub(super) struct Glsl;

impl Backend for Glsl {
    fn name(&self) -> &'static str {
        "glsl"
    }

    fn doc(&self) -> &'static str {
        "GLSL 4.60 for Vulkan; every stage but kernels."
    }

    fn label(&self) -> &'static str {
        "GLSL"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["glsl", "frag", "vert", "comp"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Glsl(Version::Vulkan).preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Glsl(Version::Vulkan), source.options.entry, out)
    }
}

/// GLSL ES 3.00.
pub(super) struct Essl;

impl Backend for Essl {
    fn name(&self) -> &'static str {
        "essl"
    }

    fn doc(&self) -> &'static str {
        "GLSL ES 3.00 for WebGL2; for a vertex or a fragment shader."
    }

    fn label(&self) -> &'static str {
        "GLSL ES 3.00"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["essl"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Glsl(Version::Es300).preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Glsl(Version::Es300), source.options.entry, out)
    }
}

/// GLSL ES 3.10.
pub(super) struct Essl310;

impl Backend for Essl310 {
    fn name(&self) -> &'static str {
        "essl-310"
    }

    fn doc(&self) -> &'static str {
        "GLSL ES 3.10 for OpenGL ES; for a vertex, a fragment or a compute shader."
    }

    fn label(&self) -> &'static str {
        "GLSL ES 3.10"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["essl310"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Glsl(Version::Es310).preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Glsl(Version::Es310), source.options.entry, out)
    }
}

/// WGSL.
pub(super) struct Wgsl;

impl Backend for Wgsl {
    fn name(&self) -> &'static str {
        "wgsl"
    }

    fn doc(&self) -> &'static str {
        "WGSL for WebGPU; for vertex, fragment and compute shaders."
    }

    fn label(&self) -> &'static str {
        "WGSL"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["wgsl"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Wgsl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Wgsl, source.options.entry, out)
    }
}

/// The Metal Shading Language.
pub(super) struct Msl;

impl Backend for Msl {
    fn name(&self) -> &'static str {
        "msl"
    }

    fn doc(&self) -> &'static str {
        "Metal Shading Language 2.4 and later; for vertex, fragment, compute and task shaders, and kernels."
    }

    fn label(&self) -> &'static str {
        "Metal"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["metal"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Msl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Msl, source.options.entry, out)
    }
}

/// HLSL 2021 for shader model 6.6.
pub(super) struct Hlsl;

impl Backend for Hlsl {
    fn name(&self) -> &'static str {
        "hlsl"
    }

    fn doc(&self) -> &'static str {
        "HLSL for shader model 6.6, with bindings for Vulkan; for vertex, geometry, fragment, compute and ray shaders."
    }

    fn label(&self) -> &'static str {
        "HLSL"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["hlsl"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(Language::Hlsl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Language::Hlsl, source.options.entry, out)
    }
}
