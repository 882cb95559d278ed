//! Exits of constructs: the capabilities of targets, enclosing breakable constructs, and the check that a
//! tree fits a target.
//!
//! Shared by the lowering (`passes::lower_exits`) and the back ends. Changes nothing.

pub mod caps; // start here: an entry for each target
pub mod fit;
pub mod forms;

pub use caps::{Caps, Continuing, Label, Target};
pub use fit::exits_fit;
pub use forms::{OneTrip, OneTrips, one_trip_form};
