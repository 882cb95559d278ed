//! Loads, stores, copies and atomics through an address, either a path or an untyped pointer.
//!
//! `deref` and `ptr` create addresses. A load through a path yields a value of the type that the path points
//! at.

use super::table::ops;

ops! {
    /// Memory operations.
    MemoryOp;

    /// Loads the value at the address (OpLoad). Loading a path through an untyped pointer requires its type
    /// as an attribute.
    Load load(from: ADDR) -> ANY [READS] may(Align, Access, Scope, Offset, Type, Mode, Usage);
    /// Stores a value; with a mask, only the components in it (OpStore).
    Store store(to: ADDR, value: ANY) -> NONE [WRITES] may(Align, Access, Scope, Mask, Offset);
    /// Copies a whole variable or a part of one (OpCopyMemory).
    CopyVar copy(to: ADDR, from: ADDR) -> NONE [READS WRITES] may(Align, Access, Scope);
    /// Copies a number of bytes (OpCopyMemorySized).
    CopyBytes copy_bytes(to: ADDR, from: ADDR, size: IDX) -> NONE [READS WRITES] may(Align, Access, Scope);
    /// Number of elements of the run-time array at the address (OpArrayLength).
    ArrayLen array_len(array: ADDR) -> U32X1 [READS];
    /// Loads atomically (OpAtomicLoad).
    AtomicLoad atomic_load(from: ADDR) -> T [READS MEMORY_BARRIER] need(Scope) may(Order, Access);
    /// Stores atomically (OpAtomicStore).
    AtomicStore atomic_store(to: ADDR, value: T) -> NONE [WRITES MEMORY_BARRIER] need(Scope) may(Order, Access);
    /// Combines memory with a value and yields the previous value (OpAtomicIAdd and related instructions).
    Atomic atomic(at: ADDR, value: T) -> T [READS WRITES MEMORY_BARRIER] need(Scope, Atomic) may(Order, Access);
    /// Stores `new` if memory holds `expected`; yields the previous value (OpAtomicCompareExchange).
    AtomicCas atomic_cas(at: ADDR, expected: T, new: T) -> T [READS WRITES MEMORY_BARRIER]
        need(Scope) may(Order, OrderElse, Access);
}
