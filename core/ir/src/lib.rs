//! The IR on one page.
//!
//! A [`Module`] owns interned tables (types, constants, texts), variables, module constants and functions.
//! A [`FuncBody`] owns instructions and blocks in one of two shapes, never mixed:
//!
//! * **Graph**: blocks ending in `goto`, `branch`, `switch`, `return`, `stop`; fresh from a front end.
//! * **Tree**: a region is `block (node block)*`, a node is an `if`, a `switch`, a `loop` with an optional
//!   continuing region, or a labeled block; the terminator of a region's last block determines how the region
//!   exits.
//!
//! ```text
//! func @main_0(%0: b32) -> b32 tree {
//! ^0:
//!   %1: b32 = const 1.0
//!   %2: b1 = flt %0, %1
//!   if !0 %2 {
//!   ^1:
//!     next(%1)
//!   } else {
//!   ^2:
//!     next(%0)
//!   }
//! ^3(%3: b32):
//!   return %3
//! }
//! ```
//!
//! An instruction has at most one result, and its id names it: there is no separate value entity. Values flow
//! along edges into *block parameters*; there are no phis. The type of a value is a width and a component
//! count (`ops::ValueType`); memory has full types ([`TypeData`]).
//!
//! `Module::clone` is a snapshot: tables are chunked and shared. Ids only grow and are never reused, so `%12`
//! is the same entity in every version of a module. Analysis results are never stored in the module.

#![forbid(unsafe_code)]

pub mod base; // typed indices, tables that clone cheaply, bit sets
pub mod ops; // what operations exist and what they mean
mod module; // start here
mod declarations; // what functions refer to, to compare versions

mod func;
mod inst;
mod tree;

mod attrs;
mod globals;
mod globals_order; // constants after their operands
mod paths;
mod stage;
mod types;
mod alike; // comparison of types by the values they hold
mod vars;
mod defaults; // constants without specialization
mod debug; // the source: files, scopes, types, variables
mod scopes;
pub mod layout; // sizes and offsets in memory
pub mod codec; // modules as bytes

mod anchor;
mod diag;
mod help; // a possible fix, and the passes that it names
mod walk;

mod assemble;

mod editor; // edits of a function
mod builder; // a cursor with a method per operation
mod tree_edit; // edits that insert, remove, move and copy nodes
mod block_rewriter; // rewriting in a single pass, block by block
mod uses;
mod fuel; // budget of rewrites
mod reason; // record of edits and their reasons
mod strip; // removal of names

pub use anchor::Anchor;
pub use assemble::Assembler;
pub use attrs::Attrs;
pub use block_rewriter::BlockRewriter;
pub use builder::Builder;
pub use debug::{
    Binding, Bindings, DebugArg, DebugEntry, DebugField, DebugFrame, DebugKind, DebugOperand, DebugPresence,
    DebugTable, DebugTakes, Held,
};
pub use declarations::Declarations;
pub use diag::{Diag, Diags, Level, Part, SourceSpan};
pub use editor::{Edited, Editor, Incoming, InsertPoint, Opened, Refusal};
pub use fuel::Fuel;
pub use func::{Epoch, FuncBody, Origin, RegData, Shape, Tables};
pub use globals::{GlobalData, GlobalValue, Operand};
pub use help::Help;
pub use inst::{Args, InstData};
pub use module::{Decor, DecorTarget, EntryPoint, Fact, FactKey, Module};
pub use paths::PathType;
pub use reason::{Event, Journal, Names, Reason, Site};
pub use stage::{ExecutionMode, ModeUse, Stage};
pub use tree::{
    Arm, BlockData, Case, CowVec, Edge, MergeInfo, NodeData, NodeKind, RegionData, Stop, Terminator,
};
pub use tree_edit::{Detached, InstRange, Refused, Wrapped};
pub use types::{Depth, ImageType, Len, Member, StructData, TypeData, Usage};
pub use uses::Use;
pub use vars::{Mode, VarData};
pub use walk::{Nesting, TreePlace, TreeStep, TreeWalk};

entity! {
    /// An instruction, and the value it yields.
    pub struct Inst = '%';
    /// A basic block.
    pub struct Block = '^';
    /// A node of the control-flow tree; its id is the label that terminators name.
    pub struct Node = '!';
    /// A list of blocks and nodes. Has no spelling of its own in the text.
    pub struct Region = '|';
    /// A variable: global or local to a function.
    pub struct Var = '$';
    /// A function.
    pub struct Func = '@';
    /// A declared structure.
    pub struct Struct = '#';
    /// A module constant other than plain bits: specialization constants, aggregates.
    pub struct Global = '&';
    /// A register of a function.
    pub struct Reg = '~';
    /// An interned full type. Spelled out in the text.
    pub struct Type = 't';
    /// Interned constant bits. Spelled out in the text.
    pub struct Const = 'c';
    /// Interned text. Spelled out in the text.
    pub struct Text = 's';
    /// Interned words. Spelled out in the text.
    pub struct Blob = 'w';
    /// An entry of the debug table. Written as a plain number in the text.
    pub struct Debug = 'd';
}
