//! Basic containers: typed ids, tables with cheap clones, side tables, sets, interners.
//!
//! Nothing here depends on shaders.

mod cow_chunks; // start here: the table that makes a clone a snapshot
mod entity;
mod entity_map;
mod entity_set;
pub mod fnv; // digests
pub mod html; // escapes
mod interner;
pub mod opening; // the module doc at the top of a source file, as text
mod nearest; // suggestions for misspelled names
pub mod random; // pseudo-random numbers that are the same in every run
mod order; // sorting by integer keys
mod side_table;

pub use cow_chunks::CowChunks;
pub use entity::EntityId;
pub use entity_map::EntityMap;
pub use entity_set::EntitySet;
pub use interner::Interner;
pub use nearest::{distance, edits, nearest};
pub use order::{out_of_order, pair, signed, sort_by_number};
pub use side_table::SideTable;

pub use entity::entity;
