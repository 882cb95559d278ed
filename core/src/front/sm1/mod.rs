//! The reader of Direct3D 9 programs: shader models 1 to 3 become IR.
//!
//! ```text
//! program ── survey ──▶ registers in use ── interface ──▶ variables ── flow, arith, texture ──▶ tree
//! ```
//!
//! The IR shows the program as it is written: a register of the program is a register of the IR, an instruction
//! is a few operations, and structured control flow is the tree. `regs-to-values` makes values of the registers.
//!
//! * Constants are uniform buffers: `c` (floats), `i` (integers), `b` (booleans), set 0, bindings 0 to 2. Constants
//!   that the program defines are literals. `bem` (binding 3) has the matrices of `texbem`.
//! * Textures with their samplers are `s0` and so on, set 1, binding by number. Pixel shaders of model 1 do not
//!   declare the type of a texture: it is 2D.
//! * Inputs and outputs have the names of their registers; the semantic is a decoration. The outputs of a stage
//!   and the inputs of the next one have the location of their semantic.
//! * Subroutines are functions. The registers of a program that has some are private variables.
//!
//! Limits: `_pp` is ignored; of several semantics in one register, the first one is its location.

mod survey; // start here: the registers that a program uses
mod interface; // variables
mod storage; // registers
mod cursor; // creates instructions
mod operands; // sources and destinations
mod arith;
mod texture;
mod texture_1; // texture instructions of ps_1_1 to ps_1_4
mod flow; // blocks, loops, subroutines
mod read;

pub use read::{Read, read};
