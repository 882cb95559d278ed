//! Why an edit was not made.

use crate::ir::{Anchor, Diag};
use std::fmt;

/// A sentence about an edit that was refused. Nothing has changed when one is returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    says: String,
}

impl Refusal {
    /// From a sentence without a full stop.
    pub fn new(says: impl Into<String>) -> Refusal {
        Refusal { says: says.into() }
    }

    /// The sentence as an error about something of the program.
    pub fn diag(&self, code: &'static str, at: Anchor) -> Diag {
        Diag::error(code, at).says(self.says.clone())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl std::error::Error for Refusal {}

/// Leaves with a refusal: `refuse!("{inst} is not in a block")`.
macro_rules! refuse {
    ($($text:tt)*) => {
        return Err($crate::ir::editor::Refusal::new(format!($($text)*)))
    };
}
pub(in crate::ir) use refuse;
