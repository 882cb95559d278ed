//! The table of constants of a program, which is its comment `CTAB`: names, registers, types and default values.
//!
//! ```text
//! words of the comment ──► ConstantTable ──► words
//!                               └──► the remarks before a disassembly
//! ```
//!
//! Refuses to check the table against the program: a constant may be unused, or have no register.

mod types; // start here: the table
mod read;
mod write;
mod listing; // the table as remarks

pub use listing::listing;
pub use types::{
    BASE_TYPES, BaseType, Constant, ConstantTable, ConstantType, Member, RegisterSet, TypeClass, TypeId,
};
