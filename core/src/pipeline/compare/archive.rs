//! Zip archives: the programs in them, in the order of their names; and archives of the files of a report.
//!
//! ```text
//! local header, data ─ … ─ directory: method, sizes, CRC, name, offset ─ end of the directory
//! ```
//!
//! Only the directory is trusted; every length is checked. Refuses encrypted entries, entries that are neither stored
//! nor deflated, archives of several disks or above 4 GB, and archives that unpack to more than a limit.

use crate::front::Dump;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::cmp::Ordering;

/// Extensions of the programs in a folder or an archive.
const EXTENSIONS: [&str; 3] = ["spv", "spvasm", "ir"];
/// The signatures of a local header, of an entry of the directory, and of its end.
const LOCAL: u32 = 0x0403_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// The sizes of their fixed parts, in bytes.
const LOCAL_BYTES: usize = 30;
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;
/// The method of entries that are deflated.
const DEFLATED: u16 = 8;
/// The size of all files of an archive that is written, in bytes; offsets have 32 bits.
const MOST_PACKED: usize = 1 << 30;

/// Returns true if these bytes begin like a zip archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&LOCAL.to_le_bytes())
}

/// Returns true if a file of this name is a program of a folder or an archive.
pub fn is_program(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// The programs of an archive, ordered by [`by_name`]. Errors: the reason why it cannot be unpacked.
pub fn unpack(archive: &[u8], most_bytes: usize) -> Result<Vec<Dump>, String> {
    let mut out = Vec::new();
    let mut left = most_bytes;
    for entry in directory(archive)? {
        if !is_program(&entry.name) {
            continue;
        }
        let bytes = entry.unpack(archive, left).map_err(|why| format!("{}: {why}", entry.name))?;
        left = left.saturating_sub(bytes.len());
        out.push(Dump { name: entry.name, bytes });
    }
    out.sort_by(|a, b| by_name(&a.name, &b.name));
    Ok(out)
}

/// The order of two names: runs of digits by value, everything else by character.
pub fn by_name(a: &str, b: &str) -> Ordering {
    // A number sorts as its first possible digit, then by its value.
    let key = |name: &str| {
        let mut parts: Vec<(char, String)> = Vec::new();
        for char in name.chars() {
            match (parts.last_mut(), char.is_ascii_digit()) {
                (Some(('0', digits)), true) => digits.push(char),
                (_, true) => parts.push(('0', char.to_string())),
                (_, false) => parts.push((char, String::new())),
            }
        }
        let by_value = |(char, digits): (char, String)| {
            let digits = digits.trim_start_matches('0').to_owned();
            (char, digits.len(), digits)
        };
        parts.into_iter().map(by_value).collect::<Vec<_>>()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

/// An entry of the directory.
struct Entry {
    name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: usize,
    length: usize,
    offset: usize,
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// The entries of the directory, which is found from the end of the archive.
fn directory(archive: &[u8]) -> Result<Vec<Entry>, String> {
    let is_end = |at: &usize| number(archive, *at) == Some(END);
    // A comment of up to 65,535 bytes may follow the end of the directory.
    let last = archive.len().saturating_sub(END_BYTES);
    let end = (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(is_end);
    let damaged = || "the archive is damaged: its directory cannot be read".to_owned();
    let end = end.ok_or_else(damaged)?;
    let count = short(archive, end + 10).ok_or_else(damaged)?;
    let mut at = number(archive, end + 16).ok_or_else(damaged)? as usize;
    if count == u16::MAX || at == u32::MAX as usize {
        return Err("archives above 4 GB are not read".to_owned());
    }
    let mut out = Vec::new();
    for _ in 0..count {
        let (entry, length) = entry(archive, at).ok_or_else(damaged)?;
        out.push(entry);
        at += length;
    }
    Ok(out)
}

/// An entry of the directory, and its length.
fn entry(archive: &[u8], at: usize) -> Option<(Entry, usize)> {
    if number(archive, at) != Some(ENTRY) {
        return None;
    }
    let lengths = [28, 30, 32].map(|field| short(archive, at + field).map(usize::from));
    let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
    let start = at + ENTRY_BYTES;
    let entry = Entry {
        name: String::from_utf8_lossy(archive.get(start..start + name)?).into_owned(),
        flags: short(archive, at + 8)?,
        method: short(archive, at + 10)?,
        crc: number(archive, at + 16)?,
        packed: number(archive, at + 20)? as usize,
        length: number(archive, at + 24)? as usize,
        offset: number(archive, at + 42)? as usize,
    };
    Some((entry, ENTRY_BYTES + name + extra + comment))
}

impl Entry {
    /// The contents. Errors: the reason why they cannot be unpacked.
    fn unpack(&self, archive: &[u8], most_bytes: usize) -> Result<Vec<u8>, String> {
        if self.flags & 1 != 0 {
            return Err("it is encrypted".to_owned());
        }
        if self.length > most_bytes {
            return Err("the archive unpacks to too many bytes".to_owned());
        }
        let packed = self.data(archive).ok_or("the archive is damaged: the entry is not in it")?;
        let bytes = match self.method {
            0 => packed.to_vec(),
            DEFLATED => decompress_to_vec_with_limit(packed, self.length)
                .map_err(|_| "the archive is damaged: the entry cannot be unpacked".to_owned())?,
            method => return Err(format!("its compression method {method} is not read: use deflate")),
        };
        match bytes.len() == self.length && crc32(&bytes) == self.crc {
            true => Ok(bytes),
            false => Err("the archive is damaged: the check of the entry fails".to_owned()),
        }
    }

    fn data<'a>(&self, archive: &'a [u8]) -> Option<&'a [u8]> {
        if number(archive, self.offset) != Some(LOCAL) {
            return None;
        }
        let [name, extra] = [26, 28].map(|field| short(archive, self.offset + field).map(usize::from));
        let start = self.offset + LOCAL_BYTES + name? + extra?;
        archive.get(start..start.checked_add(self.packed)?)
    }
}

/// An archive of files with these names, all deflated; the same files give the same bytes. Errors: the reason why they do not
/// fit into an archive.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let sizes = files.iter().map(|(name, bytes)| name.len() + bytes.len());
    let is_small = sizes.sum::<usize>() < MOST_PACKED && files.len() < usize::from(u16::MAX);
    let has_names = files.iter().all(|(name, _)| name.len() < usize::from(u16::MAX));
    match is_small && has_names {
        true => Ok(packed(files, DEFLATED, |bytes| compress_to_vec(bytes, 6))),
        false => Err("the files are too large for an archive".to_owned()),
    }
}

/// An archive of files that `compress` compresses by this method.
fn packed(files: &[(String, Vec<u8>)], method: u16, compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let packed = compress(bytes);
        // The version that is needed, flags (the name is UTF-8), the method, the time, the first day of the format.
        let mut common: Vec<u8> = [20, 1 << 11, method, 0, 0x21].map(u16::to_le_bytes).concat();
        for field in [crc32(bytes), packed.len() as u32, bytes.len() as u32] {
            common.extend(field.to_le_bytes());
        }
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        let offset = out.len() as u32;
        out.extend(LOCAL.to_le_bytes());
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&packed);
        directory.extend(ENTRY.to_le_bytes());
        directory.extend([20, 0]);
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(END.to_le_bytes());
    out.extend([0; 4]);
    out.extend([files.len() as u16; 2].map(u16::to_le_bytes).concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// The cyclic redundancy check of zip archives, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let of_bit = |crc: u32| crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| of_bit(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of files, deflated if `method` is 8.
    fn archive(files: &[(&str, &[u8])], method: u16) -> Vec<u8> {
        let owned: Vec<(String, Vec<u8>)> =
            files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
        match method {
            DEFLATED => pack(&owned).expect("small files"),
            method => packed(&owned, method, <[u8]>::to_vec),
        }
    }

    const FILES: [(&str, &[u8]); 4] = [
        ("b10.spv", b"ten ten ten ten"),
        ("b9.ir", b"nine"),
        ("notes.txt", b"no program"),
        ("dir/a.spvasm", b""),
    ];

    #[test]
    fn programs_are_unpacked_in_the_order_of_their_names() {
        for method in [0, 8] {
            let found = unpack(&archive(&FILES, method), 1000).expect("a good archive");
            let found: Vec<(&str, &[u8])> =
                found.iter().map(|dump| (dump.name.as_str(), dump.bytes.as_slice())).collect();
            assert_eq!(
                found,
                [("b9.ir", &b"nine"[..]), ("b10.spv", b"ten ten ten ten"), ("dir/a.spvasm", b"")]
            );
        }
    }

    #[test]
    fn refusals_have_a_reason() {
        let why = |bytes: &[u8], most| unpack(bytes, most).err().unwrap_or_default();
        assert!(why(b"PK\x03\x04", 9).contains("directory"));
        assert!(why(&archive(&FILES, 8), 10).contains("too many bytes"));
        assert!(why(&archive(&FILES, 9), 1000).contains("method 9"));
        assert!(!is_archive(b"PK") && is_archive(&archive(&FILES, 8)));
    }

    #[test]
    fn a_damaged_archive_is_an_error_or_unpacks_to_the_same() {
        let good = archive(&FILES, 8);
        let whole = unpack(&good, 1000).expect("a good archive");
        for at in 0..good.len() {
            for bit in [1, 128] {
                let mut damaged = good.clone();
                damaged[at] ^= bit;
                if let Ok(found) = unpack(&damaged, 1000) {
                    let bytes =
                        |dumps: &[Dump]| dumps.iter().map(|dump| dump.bytes.clone()).collect::<Vec<_>>();
                    assert!(
                        bytes(&found).iter().all(|bytes_of| bytes(&whole).contains(bytes_of)),
                        "byte {at}"
                    );
                }
            }
            let _ = unpack(&good[..at], 1000);
        }
    }

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = ["b.spv", "a10.spv", "a2.spv", "a02.spv", "2", "10", "a.spv"];
        names.sort_by(|a, b| by_name(a, b));
        assert_eq!(names, ["2", "10", "a.spv", "a02.spv", "a2.spv", "a10.spv", "b.spv"]);
    }
}
