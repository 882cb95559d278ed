//! Scopes and orders of barriers and atomics: the invocations that wait, or whose accesses are ordered, and the directions.
//!
//! No language has a scope of several devices: it is refused by name, since every other scope orders less.

use super::func::FuncWriter;
use vitrine_ir::ops::{Key, Scope, Semantics};
use vitrine_ir::{Inst, InstData};

/// The scope of the memory that an instruction orders. One without a scope is about the device.
pub(super) fn scope(data: &InstData) -> Scope {
    data.attrs.word().unwrap_or(Scope::Device)
}

/// The orders of an atomic together: that of one that is done, and that of a comparison that fails.
pub(super) fn orders(data: &InstData) -> Semantics {
    data.attrs.words::<Semantics>().and(data.attrs.words_of(Key::OrderElse))
}

/// Returns true if accesses of some kind of memory stay before or after a barrier.
pub(super) fn orders_memory(order: Semantics) -> bool {
    order.has_any(Semantics::MEMORIES) && order.has_any(Semantics::ORDERS)
}

/// Returns true if a barrier orders accesses of several devices.
pub(super) fn is_across_devices(data: &InstData) -> bool {
    orders_memory(data.attrs.words()) && scope(data) == Scope::CrossDevice
}

impl FuncWriter<'_, '_> {
    /// Refuses an instruction about several devices.
    pub(super) fn refuse_scope(&mut self, inst: Inst) {
        let help = "the scope `device` is enough for memory that no other device accesses";
        self.refuse(inst, "it orders memory of one device only", help);
    }
}
