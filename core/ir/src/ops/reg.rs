//! Registers: function storage without an address, as in programs out of SSA form and in early hardware.

use super::table::ops;

ops! {
    /// Register operations.
    RegOp;

    /// Reads a register.
    Load reg_load "reg.load"() -> X [READS] lead(Reg);
    /// Writes a register; with a mask, only the components in it.
    Store reg_store "reg.store"(value: X) -> NONE [WRITES] lead(Reg) may(Mask);
    /// Reads element `index` of a register array; an arbitrary value if the index is out of bounds.
    LoadAt reg_load_at "reg.load_at"(index: IDX) -> X [READS] lead(Reg);
    /// Writes element `index` of a register array; no effect if the index is out of bounds.
    StoreAt reg_store_at "reg.store_at"(index: IDX, value: X) -> NONE [WRITES] lead(Reg) may(Mask);
}
