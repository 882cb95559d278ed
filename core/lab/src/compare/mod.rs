//! Comparison of modules from any compiler: all of them run on the same inputs, and the first wrong one is found.
//!
//! ```text
//! log, files ──► dumps ──► modules ──► entry points by stage and name
//!                                      trials (inputs made from the first module)
//!                                      ──► a verdict for each stage ──► the first that differs, confirmed against
//!                                      its predecessor ──► the store or branch that parts the two
//! ```
//!
//! Nothing depends on ids, names of variables or their order: inputs and outputs are matched by location and
//! component, set and binding, built-in, specialization id and offset.
//!
//! Inputs are samples, so *same* is no proof. Refuses to compare stages that the interpreter does not run: their
//! verdict is *inconclusive*, with the reason.

mod dumps; // start here: the log of a compiler becomes named programs
mod archive; // zip archives
mod bundle; // inputs that hold several programs
mod align; // equal parts of two programs get equal numbers
mod versions; // programs as versions, for a trace
mod entries; // entry points and interfaces of two modules
mod allowed; // differences of floats that the program allows
mod judge; // two outcomes
mod stage; // verdicts
mod engine; // the runs, step by step
mod parting; // two versions side by side

pub use allowed::{Allowance, Reason, Rounding};
pub use archive::{by_name, is_program, pack, unpack};
pub use bundle::{dumps_of, join};
pub use dumps::{header_version, split_log};
pub use engine::{Comparer, Settings};
pub use judge::{Difference, MOST_ULP, Number, Spot};
pub(super) use judge::{Judge, new_race};
pub use parting::{Happened, Parting};
pub use stage::{Finding, Stage, Verdict};
pub use versions::{Version, Versions};
pub use vitrine_front::{Dump, bundle};
