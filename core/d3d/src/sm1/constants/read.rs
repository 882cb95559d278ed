//! Words to a table of constants. Every offset is checked, and all faults are reported.
//!
//! ```text
//! header, 7 words:    28  creator  version  count  constants  flags  target
//! constant, 20 bytes: name: u32  set, register, count, reserved: u16  type: u32  default: u32
//! type, 16 bytes:     class, base, rows, columns, elements, members: u16  members: u32
//! member, 8 bytes:    name: u32  type: u32
//! ```
//!
//! Offsets are in bytes from the header, in any order and at any alignment; 0 means none. A damaged table may refer
//! to the same bytes many times, so the size of the result is limited by the size of the comment.

use super::types::{BaseType, Constant, ConstantTable, ConstantType, Member, RegisterSet, TypeClass, TypeId};
use crate::push;
use std::collections::BTreeMap;
use vitrine_ir::{Anchor, Diag, Diags};

pub(super) const HEADER_BYTES: u32 = 28;
pub(super) const CONSTANT_BYTES: u32 = 20;
pub(super) const TYPE_BYTES: u32 = 16;
pub(super) const MEMBER_BYTES: u32 = 8;

/// Bytes of a table in memory for each byte of its comment; tables of compilers need about 3.
const MOST_EXPANSION: usize = 16;

impl ConstantTable {
    /// Reads the words of a comment after its name `CTAB`; `first_word` is the position of the first one in the
    /// program.
    ///
    /// Errors: `D141` the header is cut or has an unknown size; `D142` an offset is outside of the comment; `D143` a
    /// string has no end, or is not UTF-8; `D144` an unknown register set, class or base type; `D145` a struct
    /// contains itself; `D146` parts of the table overlap so often that the rest is left out. What cannot be read is
    /// left out, and the rest is read. Time and memory are linear in the number of words.
    pub fn read(words: &[u32], first_word: u32) -> (ConstantTable, Diags) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut reader = Reader {
            left: bytes.len().saturating_mul(MOST_EXPANSION),
            bytes,
            first_word,
            is_exhausted: false,
            table: ConstantTable::default(),
            known: BTreeMap::new(),
            pending: Vec::new(),
            diags: Diags::new(),
        };
        reader.table();
        (reader.table, reader.diags)
    }
}

/// The members of a type that are still to be read.
struct Pending {
    count: u16,
    at: u32,
}

struct Reader {
    bytes: Vec<u8>,
    first_word: u32,
    /// Bytes of memory that the table may still take.
    left: usize,
    is_exhausted: bool,
    table: ConstantTable,
    /// Types by offset.
    known: BTreeMap<u32, TypeId>,
    /// The members of each type.
    pending: Vec<Pending>,
    diags: Diags,
}

impl Reader {
    fn table(&mut self) {
        let [
            Some(size),
            Some(creator),
            Some(version),
            Some(count),
            Some(constants),
            Some(flags),
            Some(target),
        ] = std::array::from_fn(|at| self.u32(4 * at as u32))
        else {
            let says = format!("the table of constants has {} of {HEADER_BYTES} bytes", self.bytes.len());
            return self.report("D141", 0, says, "the comment seems to be cut");
        };
        if size != HEADER_BYTES {
            let says =
                format!("the header of the table of constants has {size} bytes instead of {HEADER_BYTES}");
            self.report("D141", 0, says, "other sizes are unknown; it is read as one of 28 bytes");
        }
        (self.table.version, self.table.flags) = (version, flags);
        self.table.creator = self.optional_string(4, creator);
        self.table.target = self.optional_string(24, target);
        for number in 0..count {
            let at = number.checked_mul(CONSTANT_BYTES).and_then(|offset| constants.checked_add(offset));
            let Some(at) = at.filter(|&at| self.has(at, CONSTANT_BYTES)) else {
                let says = format!("the table has {count} constants, but ends after {number}");
                self.report("D142", 12, says, "the comment seems to be cut");
                break;
            };
            self.constant(at);
        }
        let mut number = 0;
        while number < self.table.types.len() {
            self.members(number);
            number += 1;
        }
        self.break_cycles();
    }

    fn report(&mut self, code: &'static str, at: u32, says: impl Into<String>, help: &str) {
        let anchor = Anchor::Word(self.first_word.saturating_add(at / 4));
        push(&mut self.diags, Diag::error(code, anchor).says(says).help(help));
    }

    fn has(&self, at: u32, count: u32) -> bool {
        (at as usize).checked_add(count as usize).is_some_and(|end| end <= self.bytes.len())
    }

    fn u16(&self, at: u32) -> Option<u16> {
        let two = self.bytes.get(at as usize..(at as usize).checked_add(2)?)?;
        Some(u16::from_le_bytes(two.try_into().ok()?))
    }

    fn u32(&self, at: u32) -> Option<u32> {
        let four = self.bytes.get(at as usize..(at as usize).checked_add(4)?)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    }

    /// Takes memory for a part of the table; false if there is none left.
    fn charge(&mut self, at: u32, bytes: usize) -> bool {
        let Some(left) = self.left.checked_sub(bytes) else {
            if !self.is_exhausted {
                self.is_exhausted = true;
                let says = "parts of the table of constants overlap so often that the rest is left out";
                self.report(
                    "D146",
                    at,
                    says,
                    "strings and types of different constants have bytes of their own",
                );
            }
            return false;
        };
        self.left = left;
        true
    }

    fn optional_string(&mut self, field: u32, at: u32) -> String {
        if at == 0 { String::new() } else { self.string(field, at) }
    }

    /// The string that a field refers to; empty if it cannot be read.
    fn string(&mut self, field: u32, at: u32) -> String {
        let Some(rest) = self.bytes.get(at as usize..).filter(|rest| !rest.is_empty()) else {
            let says = format!("a string begins at byte {at} of a table of {} bytes", self.bytes.len());
            self.report("D142", field, says, "offsets are in bytes from the header of the table");
            return String::new();
        };
        let end = rest.iter().position(|&byte| byte == 0);
        let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        let len = text.len();
        let is_utf8 = std::str::from_utf8(text).is_ok();
        // Each byte that is not UTF-8 becomes a character of three.
        if !self.charge(field, if is_utf8 { len } else { 3 * len }) {
            return String::new();
        }
        let text = self.bytes.get(at as usize..at as usize + len).unwrap_or(&[]);
        let text = String::from_utf8_lossy(text).into_owned();
        if end.is_none() {
            self.report("D143", at, "a string of the table has no end", "a byte 0 ends a string");
        } else if !is_utf8 {
            self.report(
                "D143",
                at,
                "a string of the table is not UTF-8",
                "names consist of ASCII characters",
            );
        }
        text
    }

    /// Reads an entry, all of which is inside of the comment.
    fn constant(&mut self, at: u32) {
        let [set, register, count, reserved] = [4, 6, 8, 10].map(|field| self.u16(at + field).unwrap_or(0));
        let [name, ty, default] = [0, 12, 16].map(|field| self.u32(at + field).unwrap_or(0));
        let Some(&set) = RegisterSet::ALL.get(usize::from(set)) else {
            let says = format!("the register set {set} is unknown");
            return self.report("D144", at + 4, says, "register sets are 0 to 3: b, i, c, s");
        };
        if !self.charge(at, size_of::<Constant>()) {
            return;
        }
        let name = self.string(at, name);
        let ty = self.ty(at + 12, ty);
        let default = self.default(at + 16, default, usize::from(count) * set.default_words());
        self.table.constants.push(Constant { name, set, register, count, reserved, ty, default });
    }

    fn default(&mut self, field: u32, at: u32, words: usize) -> Vec<u32> {
        if at == 0 || words == 0 || !self.charge(field, 4 * words) {
            return Vec::new();
        }
        let range = at as usize..(at as usize).saturating_add(4 * words);
        let Some(bytes) = self.bytes.get(range) else {
            let says = format!(
                "a default value has {words} words from byte {at} of a table of {} bytes",
                self.bytes.len()
            );
            self.report("D142", field, says, "a default value has four words for each register");
            return Vec::new();
        };
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
    }

    /// The type at an offset, without its members: those are read later, each once.
    fn ty(&mut self, field: u32, at: u32) -> Option<TypeId> {
        if at == 0 {
            return None;
        }
        if let Some(&known) = self.known.get(&at) {
            return Some(known);
        }
        if !self.has(at, TYPE_BYTES) {
            let says = format!("a type begins at byte {at} of a table of {} bytes", self.bytes.len());
            self.report("D142", field, says, "a type has 16 bytes inside of the table");
            return None;
        }
        let [class, base, rows, columns, elements, count] =
            [0, 2, 4, 6, 8, 10].map(|part| self.u16(at + part).unwrap_or(0));
        let members = self.u32(at + 12).unwrap_or(0);
        let (known_class, known_base) = (TypeClass::ALL.get(usize::from(class)), BaseType::from_number(base));
        let (Some(&class), Some(base)) = (known_class, known_base) else {
            let says = match known_class {
                None => format!("the type class {class} is unknown"),
                Some(_) => format!("the base type {base} is unknown"),
            };
            self.report("D144", at, says, "classes are 0 to 5, base types 0 to 14");
            return None;
        };
        if !self.charge(at, size_of::<ConstantType>()) {
            return None;
        }
        let id = TypeId(self.table.types.len() as u32);
        self.known.insert(at, id);
        self.table.types.push(ConstantType { class, base, rows, columns, elements, members: Vec::new() });
        self.pending.push(Pending { count, at: members });
        Some(id)
    }

    /// Reads the members of a type.
    fn members(&mut self, number: usize) {
        let Some(&Pending { count, at }) = self.pending.get(number) else { return };
        let mut members = Vec::new();
        for member in 0..u32::from(count) {
            let place = at.checked_add(member * MEMBER_BYTES).filter(|&at| self.has(at, MEMBER_BYTES));
            let Some(place) = place else {
                let says = format!("a struct has {count} members, but the table ends after {member}");
                self.report(
                    "D142",
                    at.min(self.bytes.len() as u32),
                    says,
                    "a member has 8 bytes inside of the table",
                );
                break;
            };
            if !self.charge(place, size_of::<Member>()) {
                break;
            }
            let [name, ty] = [0, 4].map(|field| self.u32(place + field).unwrap_or(0));
            let name = self.string(place, name);
            let ty = self.ty(place + 4, ty);
            members.push(Member { name, ty });
        }
        if let Some(ty) = self.table.types.get_mut(number) {
            ty.members = members;
        }
    }

    /// Removes the type of each member that contains its own struct, so that walks over types end.
    fn break_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.table.types.len()];
        for start in 0..marks.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            let mut path = vec![(start, 0)];
            while let Some((ty, next)) = path.last_mut() {
                let (ty, member) = (*ty, *next);
                *next += 1;
                let Some(of) = self.table.types.get_mut(ty).and_then(|ty| ty.members.get_mut(member)) else {
                    marks[ty] = Mark::Done;
                    path.pop();
                    continue;
                };
                let Some(inner) = of.ty.map(|inner| inner.0 as usize) else { continue };
                match marks[inner] {
                    Mark::New => {
                        marks[inner] = Mark::Open;
                        path.push((inner, 0));
                    }
                    Mark::Open => {
                        of.ty = None;
                        let at = self.pending.get(ty).map_or(0, |of| of.at + member as u32 * MEMBER_BYTES);
                        let says = "a struct contains itself";
                        self.report("D145", at + 4, says, "the type of this member is left out");
                    }
                    Mark::Done => {}
                }
            }
        }
    }
}
