//! Scopes and orders of barriers and atomics: the invocations that wait, or whose accesses are ordered, and the directions.
//!
//! No language has a scope of several devices: it is refused by name, since every other scope orders less.

use super::func::FuncWriter;
use crate::ir::{Inst, InstData};
use crate::ops::Key;

/// The orders after which other memory is read: acquire, both, and sequentially consistent. Bits are those of `order` in the IR.
pub(super) const ACQUIRES: u64 = 1 | 1 << 2 | 1 << 3;
/// The orders before which other memory is written: release, both, and sequentially consistent.
pub(super) const RELEASES: u64 = 1 << 1 | 1 << 2 | 1 << 3;
/// The kinds of memory in an order.
pub(super) const MEMORIES: u64 = 0x7f0;

/// The scope of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    CrossDevice,
    Device,
    Workgroup,
    Subgroup,
    Invocation,
    QueueFamily,
    ShaderCall,
}

impl Scope {
    /// In the order of the words of `scope` in the IR.
    const ALL: [Scope; 7] = [
        Scope::CrossDevice,
        Scope::Device,
        Scope::Workgroup,
        Scope::Subgroup,
        Scope::Invocation,
        Scope::QueueFamily,
        Scope::ShaderCall,
    ];

    /// The scope with a number of the IR. An instruction without one is about the device.
    pub(super) fn of(number: Option<u64>) -> Scope {
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.and_then(|number| Scope::ALL.get(number)).copied().unwrap_or(Scope::Device)
    }

    /// Returns true if a workgroup contains all invocations of the scope.
    pub(super) fn is_within_workgroup(self) -> bool {
        match self {
            Scope::Workgroup | Scope::Subgroup | Scope::Invocation => true,
            // The invocations of a ray tracing shader belong to no workgroup.
            Scope::CrossDevice | Scope::Device | Scope::QueueFamily | Scope::ShaderCall => false,
        }
    }
}

/// Returns true if a barrier orders accesses of several devices.
pub(super) fn is_across_devices(data: &InstData) -> bool {
    let order = data.attrs.get(Key::Order).unwrap_or(0);
    let orders_memory = order & MEMORIES != 0 && order & (ACQUIRES | RELEASES) != 0;
    orders_memory && Scope::of(data.attrs.get(Key::Scope)) == Scope::CrossDevice
}

impl FuncWriter<'_, '_> {
    /// Refuses an instruction about several devices.
    pub(super) fn refuse_scope(&mut self, inst: Inst) {
        let help = "the scope `device` is enough for memory that no other device accesses";
        self.refuse(inst, "it orders memory of one device only", help);
    }
}
