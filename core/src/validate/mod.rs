//! The validator: what holds of every program that passes it. Being written.

use crate::ir::{Diags, Func, Module};

/// Everything wrong with the module.
pub fn validate(_: &Module) -> Diags {
    Diags::new()
}

/// Everything wrong with one function.
pub fn validate_func(_: &Module, _: Func) -> Diags {
    Diags::new()
}
