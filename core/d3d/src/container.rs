//! DXBC containers: a list of parts, each with a name of four characters and its bytes.
//!
//! A container of a level 9 profile has a part `Aon9`: a complete program of shader model 2, after a table that
//! maps its constants. Other parts are located and named, but not opened here.
//!
//! ```text
//! "DXBC"  checksum: 16 bytes  1: u32  size: u32  count: u32  offsets: u32 * count
//! at each offset:  name: 4 bytes  size: u32  bytes
//! ```

use super::push;
use super::sm1::{self, Version};
use vitrine_ir::{Anchor, Diag, Diags};

/// The first bytes of a container.
pub const MAGIC: &[u8; 4] = b"DXBC";

/// Bytes before the offsets of the parts.
const HEADER_BYTES: usize = 32;

/// A part of a container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<'i> {
    /// Its name, such as `SHEX`.
    pub name: [u8; 4],
    /// The offset of its bytes in the container.
    pub offset: usize,
    /// Its bytes.
    pub bytes: &'i [u8],
}

impl Part<'_> {
    /// The name as text; bytes that are not printable are replaced by `?`.
    pub fn label(&self) -> String {
        self.name.iter().map(|&byte| if byte.is_ascii_graphic() { byte as char } else { '?' }).collect()
    }
}

/// Returns true if these bytes begin a container.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The parts of a container in the order of its table. Parts that are not inside the bytes are reported and
/// left out.
///
/// Errors: `D110` the header is incomplete; `D111` a part is outside of the container. Linear in the number
/// of parts.
pub fn parts(bytes: &[u8]) -> (Vec<Part<'_>>, Diags) {
    let mut diags = Diags::new();
    let mut found = Vec::new();
    let Some(count) = word(bytes, 28).filter(|_| is_container(bytes)) else {
        let says = format!("the header of the container has {} of {HEADER_BYTES} bytes", bytes.len());
        push(&mut diags, Diag::error("D110", Anchor::Module).says(says).help("the file seems to be cut"));
        return (found, diags);
    };
    for at in 0..count as usize {
        let entry = HEADER_BYTES + 4 * at;
        let Some(offset) = word(bytes, entry) else {
            let says = format!("the container has {count} parts, but its table ends after {at}");
            push(&mut diags, Diag::error("D111", Anchor::Word(entry as u32 / 4)).says(says));
            break;
        };
        match part(bytes, offset as usize) {
            Some(part) => found.push(part),
            None => {
                let says = format!(
                    "part {at} begins at byte {offset} and is not inside the container of {} bytes",
                    bytes.len()
                );
                let diag = Diag::error("D111", Anchor::Word(entry as u32 / 4)).says(says);
                push(&mut diags, diag.help("the file seems to be cut"));
            }
        }
    }
    (found, diags)
}

/// The program of shader model 2 in a part `Aon9`, up to its end token, with its offset in the container.
pub fn level_9(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (parts, _) = parts(bytes);
    let part = parts.into_iter().find(|part| &part.name == b"Aon9")?;
    // The program begins at a multiple of four after the table of constants.
    let starts = (0..part.bytes.len().saturating_sub(3)).step_by(4);
    let mut programs = starts.filter(|&at| {
        word(part.bytes, at).and_then(Version::from_token).is_some_and(|version| version.major == 2)
    });
    programs.find_map(|at| {
        let program = part.bytes.get(at..)?;
        let len = sm1::program_bytes(program)?;
        Some((part.offset + at, program.get(..len)?))
    })
}

fn part(bytes: &[u8], offset: usize) -> Option<Part<'_>> {
    let name: [u8; 4] = bytes.get(offset..offset.checked_add(4)?)?.try_into().ok()?;
    let size = word(bytes, offset + 4)? as usize;
    let start = offset + 8;
    Some(Part { name, offset: start, bytes: bytes.get(start..start.checked_add(size)?)? })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container of these parts.
    fn container(parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([0; 16]);
        let table = HEADER_BYTES + 4 * parts.len();
        let total = table + parts.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        for word in [1, total as u32, parts.len() as u32] {
            out.extend(word.to_le_bytes());
        }
        let mut at = table;
        for (_, bytes) in parts {
            out.extend((at as u32).to_le_bytes());
            at += 8 + bytes.len();
        }
        for (name, bytes) in parts {
            out.extend(*name);
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(*bytes);
        }
        out
    }

    #[test]
    fn the_level_9_program_of_a_container_is_found() {
        let program: Vec<u8> = [0xffff_0200_u32, 0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0xffff]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut aon9 = vec![7; 16];
        aon9.extend(&program);
        aon9.extend([0; 4]);
        let bytes = container(&[(b"RDEF", &[1, 2, 3, 4]), (b"Aon9", &aon9)]);
        let (found, diags) = parts(&bytes);
        assert!(diags.is_empty());
        assert_eq!(found.iter().map(Part::label).collect::<Vec<_>>(), ["RDEF", "Aon9"]);
        let (at, inside) = level_9(&bytes).expect("there is a program");
        assert_eq!(inside, program);
        assert_eq!(&bytes[at..at + program.len()], program);
    }

    #[test]
    fn a_cut_container_gives_diagnostics() {
        let bytes = container(&[(b"SHDR", &[0; 12]), (b"Aon9", &[0; 40])]);
        for len in 0..bytes.len() {
            let (found, diags) = parts(&bytes[..len]);
            assert!(found.len() < 2 && !diags.is_empty(), "{len} bytes");
            assert_eq!(level_9(&bytes[..len]), None);
        }
    }
}
