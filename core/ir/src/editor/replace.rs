//! Replaces a whole body: for passes that build a function anew with an [`Assembler`](crate::Assembler).
//!
//! Does not look at the new body; the validator does.

use super::Editor;
use crate::{Func, FuncBody, Journal, Module};

impl Editor<'_> {
    /// Replaces the body of a function of the module and returns the journal of the change.
    ///
    /// `journal` has the events that the caller knows; the pass manager adds an event for every difference that they
    /// do not name. No editor of the function can be open at the time, since it would borrow the module.
    pub fn replace_body(module: &mut Module, func: Func, body: FuncBody, journal: Journal) -> Journal {
        module.set_func(func, body);
        journal
    }
}
