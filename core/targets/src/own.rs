//! What each language finds out about a module for itself: a place in the writer of the module. With the registry, the only
//! file of the engine that knows the languages.

use super::{glsl, hlsl, msl, wgsl};

/// The state of each language. The fields of each are its own.
#[derive(Default)]
pub(super) struct Own {
    pub(super) glsl: glsl::State,
    pub(super) wgsl: wgsl::State,
    pub(super) hlsl: hlsl::State,
    pub(super) msl: msl::State,
}
