//! Programs of shader models 1 to 3 as words: decoding and encoding from one table of instructions.
//!
//! Refuses to interpret a program, and has no text form.

mod version; // start here: the versions
mod register; // register files
mod table; // the instructions
mod inst; // decoded instructions
mod slots;
mod program;
mod decode;
mod encode;

pub use inst::{ALL_COMPONENTS, Declaration, Definition, Dst, IDENTITY, Index, Inst, Modifier, SHIFTS, Src};
pub use program::{Item, ItemKind, Program, program_bytes};
pub use register::{File, Register, TEXTURE_TYPES, USAGES};
pub use slots::slots;
pub use table::{COMPARISONS, Control, Layout, Op, OpInfo, SAMPLINGS, TABLE};
pub use version::{ShaderStage, Version};
