//! The module doc at the top of a source file, as text at run time: passes and analyses are documented only
//! there.
//!
//! The `//!` lines at the top of a file become a constant at compile time, so that the page can show them
//! without duplication. The rest of the file does not get into the program.

/// The `//!` lines at the top of a file, as a function, so that code that only refers to a pass does not
/// embed its text. The path is relative to the file that invokes the macro.
#[macro_export]
macro_rules! opening {
    ($file:literal) => {
        || {
            const SOURCE: &str = include_str!($file);
            const LENGTH: usize = $crate::base::opening::length(SOURCE);
            const BYTES: [u8; LENGTH] = $crate::base::opening::bytes(SOURCE);
            match std::str::from_utf8(&BYTES) {
                Ok(text) => text,
                Err(_) => "",
            }
        }
    };
}
pub use opening;

/// Number of bytes of a source's module doc without the comment marks; every line ends with a line break.
pub const fn length(source: &str) -> usize {
    walk(source.as_bytes(), &mut [])
}

/// The module doc of a source without the comment marks.
pub const fn bytes<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let mut out = [0; LENGTH];
    walk(source.as_bytes(), &mut out);
    out
}

/// Writes the module doc as far as there is room; returns its full length.
const fn walk(source: &[u8], out: &mut [u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while at + 2 < source.len() && source[at] == b'/' && source[at + 1] == b'/' && source[at + 2] == b'!' {
        at += 3;
        if at < source.len() && source[at] == b' ' {
            at += 1;
        }
        while at < source.len() {
            let byte = source[at];
            at += 1;
            if length < out.len() {
                out[length] = byte;
            }
            length += 1;
            if byte == b'\n' {
                break;
            }
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_is_the_lines_before_the_first_other_one() {
        const SOURCE: &str = "//! One.\n//!\n//!   two\nuse x;\n//! no\n";
        assert_eq!(bytes::<{ length(SOURCE) }>(SOURCE), *b"One.\n\n  two\n");
        assert_eq!(length("fn x() {}"), 0);
        let opening: fn() -> &'static str = opening!("opening.rs");
        assert!(opening().starts_with("The module doc at the top of a source file"));
    }
}
