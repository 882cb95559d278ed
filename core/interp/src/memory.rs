//! Memory: roots of bytes, pointers into them, and a shadow that marks undefined bytes.
//!
//! A pointer is a root and a byte offset; it cannot reach from one root into another. An access past the end
//! of a root, or through a null pointer, returns an error ([`Miss`]).

/// A pointer: root number from 1 in the upper half, byte offset in the lower half. 0 is the null pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ptr(pub u64);

impl Ptr {
    /// A pointer to a byte of a root.
    pub fn new(root: u32, offset_bytes: u32) -> Ptr {
        Ptr((u64::from(root) + 1) << 32 | u64::from(offset_bytes))
    }

    /// The root, unless the pointer is null.
    pub fn root(self) -> Option<u32> {
        ((self.0 >> 32) as u32).checked_sub(1)
    }

    /// Bytes from the start of the root.
    pub fn offset(self) -> u32 {
        self.0 as u32
    }

    /// Adds an offset in bytes; an overflow of 32 bits becomes the last possible byte, which is outside of
    /// any root.
    #[must_use]
    pub fn plus(self, bytes: i64) -> Ptr {
        let at = i64::from(self.offset()).saturating_add(bytes);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        Ptr(self.0 & 0xffff_ffff_0000_0000 | u64::from(at))
    }
}

/// The kind of a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    /// An external buffer, shared by all invocations.
    Buffer,
    /// Shared by the workgroup.
    Shared,
    /// One copy for each invocation, for the whole run.
    Invocation,
    /// One copy for each invocation, for outputs of the stage.
    Output,
    /// Outputs that the invocations of a group share.
    GroupOutput,
    /// One copy for each invocation, for the duration of a call.
    Local,
    /// Read-only bytes: uniform buffers, push constants.
    Constant,
}

impl RootKind {
    /// Returns true if each invocation has a separate copy.
    pub fn is_per_invocation(self) -> bool {
        match self {
            RootKind::Invocation | RootKind::Output | RootKind::Local => true,
            RootKind::Buffer | RootKind::Shared | RootKind::GroupOutput | RootKind::Constant => false,
        }
    }

    /// Returns true if its contents end with the group.
    pub fn is_of_group(self) -> bool {
        matches!(self, RootKind::Shared | RootKind::GroupOutput) || self.is_per_invocation()
    }
}

/// Some bytes, or one copy of them for each invocation.
#[derive(Clone, Debug)]
pub struct Root {
    /// The kind.
    pub kind: RootKind,
    /// Bytes of one copy.
    pub size: u32,
    /// Distance between the copies of two invocations, in bytes; 0 for shared bytes.
    stride: u32,
    bytes: Vec<u8>,
    /// A bit for each byte, set if the byte is undefined. Empty if everything is defined.
    undef: Vec<u64>,
}

/// The reason why an access failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Miss {
    /// The null pointer, or one that was created from other bits.
    Null,
    /// Past the end of the root.
    Outside,
    /// A write to read-only memory.
    ReadOnly,
}

impl Root {
    /// Undefined bytes: one copy, or one for each invocation.
    fn new(kind: RootKind, size: u32, invocations: usize, fill: u8) -> Root {
        let per_invocation = kind.is_per_invocation();
        let total = size as usize * if per_invocation { invocations } else { 1 };
        let stride = if per_invocation { size } else { 0 };
        Root { kind, size, stride, bytes: vec![fill; total], undef: vec![u64::MAX; total.div_ceil(64)] }
    }

    fn at(&self, invocation: usize, offset: u32, count: u32) -> Option<usize> {
        let end = offset.checked_add(count)?;
        (end <= self.size).then(|| invocation * self.stride as usize + offset as usize)
    }

    /// Returns true if any of the bytes is undefined. `count` is at most 64.
    fn undefined(&self, at: usize, count: usize) -> bool {
        if self.undef.is_empty() || count == 0 {
            return false;
        }
        let bits = |word: usize| self.undef.get(word).copied().unwrap_or(0);
        let (word, shift) = (at / 64, at % 64);
        let mut found = bits(word) >> shift;
        if shift + count > 64 {
            found |= bits(word + 1) << (64 - shift);
        }
        found << (64 - count) != 0
    }

    fn define(&mut self, at: usize, count: usize, undef: bool) {
        if self.undef.is_empty() {
            if !undef {
                return;
            }
            self.undef = vec![0; self.bytes.len().div_ceil(64)];
        }
        // At most eight bytes: their bits are in one word or in two.
        let bits = ((1u128 << count) - 1) << (at % 64);
        for (word, bits) in [(at / 64, bits as u64), (at / 64 + 1, (bits >> 64) as u64)] {
            if let Some(word) = self.undef.get_mut(word).filter(|_| bits != 0) {
                *word = if undef { *word | bits } else { *word & !bits };
            }
        }
    }

    /// A little-endian number of `count` bytes (at most 8), and a flag that is set if any of them is
    /// undefined.
    pub fn read(&self, invocation: usize, offset: u32, count: u32) -> Result<(u64, bool), Miss> {
        let at = self.at(invocation, offset, count).ok_or(Miss::Outside)?;
        let count = count as usize;
        let Some(bytes) = self.bytes.get(at..at + count) else { return Err(Miss::Outside) };
        let value = match *bytes {
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)),
        };
        Ok((value, self.undefined(at, count)))
    }

    /// Writes the low `count` bytes (at most 8) of a number.
    pub fn write(
        &mut self,
        invocation: usize,
        offset: u32,
        count: u32,
        value: u64,
        undef: bool,
    ) -> Result<(), Miss> {
        if self.kind == RootKind::Constant {
            return Err(Miss::ReadOnly);
        }
        self.put(invocation, offset, count, value, undef)
    }

    /// Like `write`, also for read-only memory: for inputs and initializers.
    pub(super) fn put(
        &mut self,
        invocation: usize,
        offset: u32,
        count: u32,
        value: u64,
        undef: bool,
    ) -> Result<(), Miss> {
        let at = self.at(invocation, offset, count).ok_or(Miss::Outside)?;
        let count = count as usize;
        let Some(bytes) = self.bytes.get_mut(at..at + count) else { return Err(Miss::Outside) };
        bytes.copy_from_slice(&value.to_le_bytes()[..count.min(8)]);
        self.define(at, count, undef);
        Ok(())
    }

    /// The bytes of an invocation.
    pub fn bytes_of(&self, invocation: usize) -> &[u8] {
        let at = invocation * self.stride as usize;
        self.bytes.get(at..at + self.size as usize).unwrap_or(&[])
    }

    /// Returns true if a byte is undefined for an invocation.
    pub fn is_undefined(&self, invocation: usize, offset: u32) -> bool {
        self.undefined(invocation * self.stride as usize + offset as usize, 1)
    }
}

/// All roots of a run, and the limit of their total size.
#[derive(Clone, Debug)]
pub struct Memory {
    roots: Vec<Root>,
    invocations: usize,
    used: u64,
    limit: u64,
    /// The bits of undefined bytes.
    fill: u8,
}

impl Memory {
    pub(super) fn new(invocations: usize, limit: u64) -> Memory {
        Memory { roots: Vec::new(), invocations, used: 0, limit, fill: 0 }
    }

    /// The same with other bits for undefined bytes.
    pub(super) fn filled(self, fill: u8) -> Memory {
        Memory { fill, ..self }
    }

    /// Adds a root of undefined bytes; `None` if it exceeds the limit.
    pub(super) fn add(&mut self, kind: RootKind, size: u64) -> Option<u32> {
        let copies = if kind.is_per_invocation() { self.invocations as u64 } else { 1 };
        let cost = size.checked_mul(copies)?;
        let used = self.used.checked_add(cost).filter(|&used| used <= self.limit)?;
        let size = u32::try_from(size).ok().filter(|&size| size < u32::MAX)?;
        self.used = used;
        self.roots.push(Root::new(kind, size, self.invocations, self.fill));
        u32::try_from(self.roots.len() - 1).ok()
    }

    /// Adds a root with these bytes, all of them defined.
    pub(super) fn add_bytes(&mut self, kind: RootKind, bytes: &[u8]) -> Option<u32> {
        let root = self.add(kind, bytes.len() as u64)?;
        let added = self.roots.get_mut(root as usize)?;
        added.bytes.copy_from_slice(bytes);
        added.undef = Vec::new();
        Some(root)
    }

    /// Drops the roots from this number on.
    pub(super) fn truncate(&mut self, count: usize) {
        for root in self.roots.drain(count.min(self.roots.len())..) {
            self.used -= root.bytes.len() as u64;
        }
    }

    /// Makes all bytes of a root undefined again.
    pub(super) fn forget(&mut self, root: u32) {
        if let Some(root) = self.roots.get_mut(root as usize) {
            root.bytes.fill(self.fill);
            root.undef = vec![u64::MAX; root.bytes.len().div_ceil(64)];
        }
    }

    /// Makes the bytes of an invocation undefined again.
    pub(super) fn forget_for(&mut self, root: u32, invocation: usize) {
        let Some(root) = self.roots.get_mut(root as usize) else { return };
        let mut at = 0;
        while at < root.size {
            let count = (root.size - at).min(8);
            // The bytes are inside.
            let _ = root.put(invocation, at, count, u64::from_le_bytes([self.fill; 8]), true);
            at += count;
        }
    }

    /// The number of roots.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Returns true if there is no root.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// A root by number.
    pub fn root(&self, number: u32) -> Option<&Root> {
        self.roots.get(number as usize)
    }

    pub(super) fn root_mut(&mut self, number: u32) -> Option<&mut Root> {
        self.roots.get_mut(number as usize)
    }

    /// Reads through a pointer.
    pub fn read(&self, ptr: Ptr, invocation: usize, extra: u32, count: u32) -> Result<(u64, bool), Miss> {
        let root = ptr.root().and_then(|root| self.root(root)).ok_or(Miss::Null)?;
        root.read(invocation, ptr.offset().checked_add(extra).ok_or(Miss::Outside)?, count)
    }

    /// Writes through a pointer.
    pub fn write(
        &mut self,
        ptr: Ptr,
        invocation: usize,
        extra: u32,
        count: u32,
        value: u64,
        undef: bool,
    ) -> Result<(), Miss> {
        let offset = ptr.offset().checked_add(extra).ok_or(Miss::Outside)?;
        let root = ptr.root().and_then(|root| self.root_mut(root)).ok_or(Miss::Null)?;
        root.write(invocation, offset, count, value, undef)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_stays_in_its_root() {
        let ptr = Ptr::new(3, 8);
        assert_eq!((ptr.root(), ptr.offset()), (Some(3), 8));
        assert_eq!(ptr.plus(-4).offset(), 4);
        for far in [-9, i64::MAX, i64::MIN, 1 << 32] {
            assert_eq!((ptr.plus(far).root(), ptr.plus(far).offset()), (Some(3), u32::MAX));
        }
        assert_eq!(Ptr::default().root(), None);
    }

    #[test]
    fn bytes_are_undefined_until_written_and_invocations_have_their_own() {
        let mut memory = Memory::new(3, 1 << 20);
        let root = memory.add(RootKind::Invocation, 100).unwrap();
        let ptr = Ptr::new(root, 60);
        assert_eq!(memory.read(ptr, 1, 0, 8), Ok((0, true)));
        memory.write(ptr, 1, 0, 4, 0x0403_0201, false).unwrap();
        assert_eq!(memory.read(ptr, 1, 0, 4), Ok((0x0403_0201, false)));
        assert_eq!(memory.read(ptr, 1, 1, 2), Ok((0x0302, false)));
        assert_eq!(memory.read(ptr, 1, 0, 8), Ok((0x0403_0201, true)));
        assert_eq!(memory.read(ptr, 0, 0, 4), Ok((0, true)));
        assert_eq!(memory.read(ptr, 1, 38, 4), Err(Miss::Outside));
        assert_eq!(memory.read(Ptr::default(), 1, 0, 4), Err(Miss::Null));
    }

    #[test]
    fn memory_is_limited_and_released() {
        let mut memory = Memory::new(64, 1 << 16);
        assert_eq!(memory.add(RootKind::Invocation, 4 << 30), None);
        assert_eq!(memory.add(RootKind::Invocation, 1025), None);
        let kept = memory.len();
        assert!(memory.add(RootKind::Local, 1024).is_some());
        assert_eq!(memory.add(RootKind::Shared, 1), None);
        memory.truncate(kept);
        assert!(memory.add(RootKind::Shared, 1).is_some());
        let constant = memory.add_bytes(RootKind::Constant, &[1, 2]).unwrap();
        assert_eq!(memory.read(Ptr::new(constant, 0), 5, 0, 2), Ok((0x0201, false)));
        assert_eq!(memory.write(Ptr::new(constant, 0), 5, 0, 2, 0, false), Err(Miss::ReadOnly));
    }
}
