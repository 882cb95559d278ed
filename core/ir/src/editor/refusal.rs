//! The reason why an edit was refused.

use crate::{Anchor, Diag};
use std::fmt;

/// A sentence about an edit that was refused. A refused edit has changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    says: String,
}

impl Refusal {
    /// Creates a refusal from a sentence without a final period.
    pub fn new(says: impl Into<String>) -> Refusal {
        Refusal { says: says.into() }
    }

    /// The sentence as an error about an entity of the program.
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

/// Returns a refusal: `refuse!("{inst} is not in a block")`.
macro_rules! refuse {
    ($($text:tt)*) => {
        return Err($crate::editor::Refusal::new(format!($($text)*)))
    };
}
pub(crate) use refuse;
