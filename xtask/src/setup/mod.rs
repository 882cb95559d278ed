//! Tools that a fresh machine lacks: the wasm target, rustfmt and clippy, node, a browser.
//!
//! Every tool is looked for first and installed only if it is missing, so a second run installs nothing.

pub mod browser; // Chromium
pub mod components; // rustfmt and clippy
pub mod debian; // packages of the system
pub mod judges; // compilers of HLSL and WGSL that judge written texts
pub mod node; // node and npm packages
pub mod wasm; // four sources of a compiler for wasm32-unknown-unknown
