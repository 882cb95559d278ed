//! Programs of shader models 1 to 3 as words and as text: both forms, both ways, from one table of instructions.
//!
//! Does not interpret a program: no register has a value here.

mod version; // start here: the versions
mod register; // register files
mod table; // the instructions
mod token; // their bits
mod inst; // decoded instructions
mod slots;
mod program;
mod decode;
mod encode;
mod number; // floats as text
mod constants; // the comment `CTAB`
mod print; // to text
mod assemble; // from text
mod lexemes; // for editors

pub use assemble::{AssembleOptions, Assembled, assemble, assemble_with};
pub use constants::{
    BASE_TYPES, BaseType, Constant, ConstantTable, ConstantType, Member, RegisterSet, TypeClass, TypeId,
    listing,
};
pub use decode::program_bytes;
pub use inst::{ALL_COMPONENTS, Declaration, Definition, Dst, IDENTITY, Index, Inst, Modifier, SHIFTS, Src};
pub use lexemes::{is_assembly, lexemes};
pub use print::{Disassembly, PrintOptions, disassemble, disassembly};
pub use program::{Item, ItemKind, Program};
pub use register::{DeclUsage, File, Register, TEXTURE_TYPES, USAGES};
pub use slots::slots;
pub use table::{COMPARISONS, Control, Layout, Op, OpInfo, SAMPLINGS, TABLE};
pub use version::{ShaderStage, Version};
