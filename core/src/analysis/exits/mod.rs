//! Leaving constructs: what targets can say of it, what captures what, and whether a tree fits a target.
//!
//! The lowering (`passes::lower_exits`) and the back ends ask the same questions here. Changes nothing.

pub(crate) mod caps; // start here: a row a target
pub(crate) mod fit;
pub(crate) mod forms;

pub use caps::{CAPS, Caps, Label, Target};
pub use fit::exits_fit;
pub use forms::{OneTrip, OneTrips, one_trip_form};
