//! Containers every other floor stands on: typed ids, tables that clone cheaply, side tables, sets, interners.
//!
//! Nothing here knows what a shader is.

mod cow_chunks; // start here: the table that makes a clone a snapshot
mod entity;
mod entity_map;
mod entity_set;
mod interner;
pub(crate) mod opening; // what a source file opens with
mod nearest; // suggestions for misspelled names
mod order; // sorting by numbers
mod side_table;

pub use cow_chunks::CowChunks;
pub use entity::EntityId;
pub use entity_map::EntityMap;
pub use entity_set::EntitySet;
pub use interner::Interner;
pub use nearest::{distance, nearest};
pub use order::{out_of_order, pair, signed, sort_by_number};
pub use side_table::SideTable;

pub(crate) use entity::entity;
