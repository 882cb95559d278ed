//! Several programs as one input: what is dropped on the page together, stored, and shared by a link.
//!
//! ```text
//! Vitrine comparison 1
//! module 1204 before.spv
//! …1204 bytes…
//! module 1188 after.spv
//! …
//! ```
//!
//! The first program is the original. Lengths that exceed the end are clamped, so that a cut file gives its
//! first programs.
//!
//! Refuses to read the programs.

const FIRST_LINE: &[u8] = b"Vitrine comparison 1\n";
const MODULE: &str = "module ";

/// A program with a name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dump {
    /// The pass that made it, or the file.
    pub name: String,
    /// The program, in any form that a front end reads.
    pub bytes: Vec<u8>,
}

/// The programs of a bundle; `None` if an input is none.
pub fn unbundle(input: &[u8]) -> Option<Vec<Dump>> {
    input.strip_prefix(FIRST_LINE).map(parts)
}

/// Programs as one input, which [`unbundle`] takes apart.
pub fn bundle(dumps: &[Dump]) -> Vec<u8> {
    let mut out = FIRST_LINE.to_vec();
    for Dump { name, bytes } in dumps {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        out.extend(format!("{MODULE}{} {name}\n", bytes.len()).as_bytes());
        out.extend(bytes);
        out.push(b'\n');
    }
    out
}

fn parts(mut rest: &[u8]) -> Vec<Dump> {
    let mut out = Vec::new();
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end);
        let line = String::from_utf8_lossy(line);
        let head = line.strip_prefix(MODULE).and_then(|head| head.split_once(' '));
        let Some((length, name)) =
            head.and_then(|(length, name)| Some((length.parse::<usize>().ok()?, name)))
        else {
            break;
        };
        let after = after.get(1..).unwrap_or_default();
        let (bytes, after) = after.split_at(length.min(after.len()));
        out.push(Dump { name: name.to_owned(), bytes: bytes.to_vec() });
        rest = after.strip_prefix(b"\n").unwrap_or(after);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(name: &str, bytes: &[u8]) -> Dump {
        Dump { name: name.to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn a_bundle_holds_any_bytes_under_any_name() {
        let dumps = [dump("a b.spv", b"module 3 x\n"), dump("", &[0, 10, 255]), dump("c", b"")];
        assert_eq!(unbundle(&bundle(&dumps)), Some(dumps.to_vec()));
        assert_eq!((unbundle(&bundle(&[])), unbundle(b"OpNop")), (Some(Vec::new()), None));
        let cut = bundle(&dumps);
        for end in FIRST_LINE.len()..cut.len() {
            assert!(unbundle(&cut[..end]).is_some_and(|found| found.len() <= 3));
        }
    }
}
