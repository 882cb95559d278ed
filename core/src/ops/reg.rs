//! Registers: storage of a function without an address, as out-of-SSA form and old hardware have it.

use super::table::ops;

ops! {
    /// Register operations.
    RegOp;

    /// What the register holds.
    Load reg_load "reg.load"() -> X [READS] lead(Reg);
    /// Sets the register; with a mask, only the lanes in it.
    Store reg_store "reg.store"(value: X) -> NONE [WRITES] lead(Reg) may(Mask);
    /// Element `index` of a register array; past the end gives some value.
    LoadAt reg_load_at "reg.load_at"(index: IDX) -> X [READS] lead(Reg);
    /// Sets element `index` of a register array; past the end changes nothing.
    StoreAt reg_store_at "reg.store_at"(index: IDX, value: X) -> NONE [WRITES] lead(Reg) may(Mask);
}
