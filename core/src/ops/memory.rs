//! Loads, stores, copies and atomics through an address, be it a path or an untyped pointer.
//!
//! Addresses are made elsewhere (`deref`, `ptr`). A load through a path yields what the path points at.

use super::table::ops;

ops! {
    /// Memory operations.
    MemoryOp;

    /// Reads what the address points at (OpLoad). A path read through an untyped pointer says its type itself.
    Load load(from: ADDR) -> ANY [READS] may(Align, Access, Scope, Offset, Type, Mode);
    /// Writes a value; with a mask, only the lanes in it (OpStore).
    Store store(to: ADDR, value: ANY) -> NONE [WRITES] may(Align, Access, Scope, Mask, Offset);
    /// Copies a whole variable or part of one (OpCopyMemory).
    CopyVar copy(to: ADDR, from: ADDR) -> NONE [READS WRITES] may(Align, Access, Scope);
    /// Copies a number of bytes (OpCopyMemorySized).
    CopyBytes copy_bytes(to: ADDR, from: ADDR, size: IDX) -> NONE [READS WRITES] may(Align, Access, Scope);
    /// Number of elements behind the address of a run-time array (OpArrayLength).
    ArrayLen array_len(array: ADDR) -> B32 [READS];
    /// Reads atomically (OpAtomicLoad).
    AtomicLoad atomic_load(from: ADDR) -> T [READS MEMORY_BARRIER] need(Scope) may(Order, Access);
    /// Writes atomically (OpAtomicStore).
    AtomicStore atomic_store(to: ADDR, value: T) -> NONE [WRITES MEMORY_BARRIER] need(Scope) may(Order, Access);
    /// Combines memory with a value and yields what was there before (OpAtomicIAdd and the like).
    Atomic atomic(at: ADDR, value: T) -> T [READS WRITES MEMORY_BARRIER] need(Scope, Atomic) may(Order, Access);
    /// Writes `new` if memory holds `expected`; yields what was there (OpAtomicCompareExchange).
    AtomicCas atomic_cas(at: ADDR, expected: T, new: T) -> T [READS WRITES MEMORY_BARRIER]
        need(Scope) may(Order, OrderElse, Access);
}
