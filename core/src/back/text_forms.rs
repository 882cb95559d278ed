//! Languages like C as back ends: GLSL, WGSL.
//!
//! All are written by the engine of [`super::text`].

use super::text::{Dialect, write};
use super::{Backend, Output, Source};
use crate::ir::Diag;

/// GLSL 4.60 for Vulkan.
pub(super) struct Glsl;

impl Backend for Glsl {
    fn name(&self) -> &'static str {
        "glsl"
    }

    fn doc(&self) -> &'static str {
        "GLSL 4.60 for Vulkan; for a vertex, a fragment or a compute shader."
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
        Some(Dialect::Glsl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Dialect::Glsl, out)
    }
}

/// WGSL.
pub(super) struct Wgsl;

impl Backend for Wgsl {
    fn name(&self) -> &'static str {
        "wgsl"
    }

    fn doc(&self) -> &'static str {
        "WGSL for WebGPU; for a vertex, a fragment or a compute shader."
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
        Some(Dialect::Wgsl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Dialect::Wgsl, out)
    }
}

/// HLSL 2021 for shader model 6.6.
pub(super) struct Hlsl;

impl Backend for Hlsl {
    fn name(&self) -> &'static str {
        "hlsl"
    }

    fn doc(&self) -> &'static str {
        "HLSL for shader model 6.6, with bindings for Vulkan; for a vertex, a fragment or a compute shader."
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
        Some(Dialect::Hlsl.preset())
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write(source.module, Dialect::Hlsl, out)
    }
}
