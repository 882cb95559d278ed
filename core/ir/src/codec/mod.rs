//! A module as bytes, and back: equal to the last id, origin and entry of the debug table.
//!
//! ```text
//! "VIR" version      4 bytes
//! module             its tables, in the order of their ids: numbers are varints, entities are their indices
//! ```
//!
//! The layout is that of `postcard`; enums are numbers in the order of their tables, so that a change of a table needs
//! another [`VERSION`]. Of a version of the future or the past nothing is read. Epochs are not stored: a decoded function
//! has new ones.
//!
//! Bytes may come from anywhere. What is read refers only to what exists: a decoded module may be invalid, as
//! one that was parsed may be, but walks over it end. `validate` reports the rest.

mod check; // what a module must have so that walks over it end
mod tables; // entities, tables and words as numbers

use crate::Module;

/// The version of the layout.
pub const VERSION: u8 = 1;

/// What the bytes of a module begin with, before the version.
pub const MAGIC: &[u8; 3] = b"VIR";

/// The reason why bytes are no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodecError {
    /// They do not begin with [`MAGIC`].
    NotAModule,
    /// They have another version of the layout.
    Version(u8),
    /// They end too early, have a number that is none of its table, or go on after the module.
    Damaged(String),
    /// Something refers to what does not exist.
    Dangling(&'static str),
}

impl std::fmt::Display for CodecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CodecError::NotAModule => f.write_str("these bytes are no stored module"),
            CodecError::Version(version) => {
                write!(f, "the module was stored by version {version} of the layout, and {VERSION} is read")
            }
            CodecError::Damaged(reason) => write!(f, "the stored module is damaged: {reason}"),
            CodecError::Dangling(what) => write!(f, "the stored module is damaged: {what}"),
        }
    }
}

impl std::error::Error for CodecError {}

/// The bytes of a module.
pub fn encode(module: &Module) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 12);
    out.extend_from_slice(MAGIC);
    out.push(VERSION);
    // Writing to memory does not fail.
    postcard::to_extend(module, out).unwrap_or_default()
}

/// The module of these bytes. Linear in their number, in time and memory.
///
/// Errors: see [`CodecError`].
pub fn decode(bytes: &[u8]) -> Result<Module, CodecError> {
    let (&version, rest) =
        bytes.strip_prefix(MAGIC).and_then(<[u8]>::split_first).ok_or(CodecError::NotAModule)?;
    if version != VERSION {
        return Err(CodecError::Version(version));
    }
    let (module, rest) =
        postcard::take_from_bytes::<Module>(rest).map_err(|error| CodecError::Damaged(error.to_string()))?;
    if !rest.is_empty() {
        return Err(CodecError::Damaged(format!("{} bytes follow", rest.len())));
    }
    check::check(&module).map_err(CodecError::Dangling)?;
    Ok(module)
}
