//! What a fresh machine lacks: the wasm target, rustfmt and clippy, node, a browser.
//!
//! Every part looks first and installs only what it does not find, so a second run costs a look.

pub mod browser; // Chromium
pub mod debian; // packages of the system
pub mod node; // node and npm packages
pub mod parts; // rustfmt and clippy
pub mod wasm; // four roads to wasm32-unknown-unknown
