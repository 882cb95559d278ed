//! Logs in which a compiler printed the program before every pass, split into named programs.
//!
//! ```text
//! ; IR before pass ssa-rewrite         ──► "input"
//! OpCapability Shader …
//! ; IR before pass merge-blocks        ──► "ssa-rewrite": the program after that pass
//! …
//! ; IR after last pass                 ──► "merge-blocks"
//! ```
//!
//! `spirv-opt --print-all` and DXC's `-fspv-print-all` write such logs, to the stream of errors. A log without
//! separators is split at the headers of its modules (`; SPIR-V`). Lines before the first separator are ignored.
//!
//! Never fails: a separator without a program gives an empty dump, and a cut program is cut. Whoever reads the dumps
//! reports that.

use vitrine_front::{Dump, InputKind, Recognized, recognize};
use vitrine_spirv::{AsmOptions, assemble, is_spirv_text};

/// The meaning of a separator line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// The program before the named pass follows.
    Before,
    /// The program after the named pass follows.
    After,
    /// The result follows.
    Last,
}

/// The beginnings of separator lines. The rest of the line is the name of the pass, with its options.
const SEPARATORS: &[(&str, Separator)] = &[
    ("; IR before pass ", Separator::Before),
    ("; IR after pass ", Separator::After),
    ("; IR after last pass", Separator::Last),
];

/// The first line of the comments that begin a disassembled module.
const HEADER: &str = "; SPIR-V";

/// The name of the program before the first pass.
const INPUT: &str = "input";

/// The programs of a log, in order; empty if it has neither separators nor headers of modules.
///
/// A dump of SPIR-V has no header. It gets one with this version, major and minor, if one is given; otherwise
/// readers assume the newest version. Linear in the size of the log.
pub fn split_log(log: &str, version: Option<(u8, u8)>) -> Vec<Dump> {
    let mut found = by_separators(log);
    if found.is_empty() {
        found = by_headers(log);
    }
    let with_header = |(name, text): (String, String)| {
        let is_bare =
            is_spirv_text(&text) && !text.lines().take(16).any(|line| line.starts_with("; Version:"));
        let header = version.filter(|_| is_bare);
        let header = header.map(|(major, minor)| format!("{HEADER}\n; Version: {major}.{minor}\n"));
        Dump { name, bytes: (header.unwrap_or_default() + &text).into_bytes() }
    };
    found.into_iter().map(with_header).collect()
}

/// Returns true if a text is a log: it has a separator line, or more than one header of a module.
pub(super) fn is_log(text: &str) -> bool {
    let is_separator = |line: &str| SEPARATORS.iter().any(|(start, _)| line.trim_start().starts_with(start));
    let mut headers = 0;
    text.lines().any(|line| {
        headers += u32::from(line.trim_end() == HEADER);
        headers > 1 || is_separator(line)
    })
}

fn by_separators(log: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut made_by = INPUT.to_owned();
    for line in log.split_inclusive('\n') {
        let plain = line.trim();
        let separator = SEPARATORS.iter().find_map(|(start, kind)| Some((plain.strip_prefix(start)?, *kind)));
        match separator {
            Some((pass, Separator::Before)) => {
                out.push((std::mem::replace(&mut made_by, pass.to_owned()), String::new()));
            }
            Some((pass, Separator::After)) => out.push((pass.to_owned(), String::new())),
            Some((_, Separator::Last)) => out.push((made_by.clone(), String::new())),
            None => {
                if let Some((_, text)) = out.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    out
}

fn by_headers(log: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for line in log.split_inclusive('\n') {
        if line.trim_end() == HEADER {
            out.push((format!("module {}", out.len()), String::new()));
        }
        if let Some((_, text)) = out.last_mut() {
            text.push_str(line);
        }
    }
    out
}

/// The SPIR-V version of a program, major and minor; `None` if it is no SPIR-V or states none.
pub fn header_version(program: &[u8]) -> Option<(u8, u8)> {
    let Recognized::Program { kind, bytes, .. } = recognize(program) else { return None };
    let word = match kind {
        InputKind::Spirv | InputKind::SpirvHex | InputKind::SpirvArray | InputKind::SpirvBase64 => {
            let [magic, version] =
                [0, 4].map(|at| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()));
            let version: [u8; 4] = version?;
            match magic? {
                [0x03, ..] => u32::from_le_bytes(version),
                [_, _, _, _] => u32::from_be_bytes(version),
            }
        }
        InputKind::SpirvText => {
            let text = std::str::from_utf8(&bytes).ok()?;
            // The comments at the start state the version; the rest is not needed.
            let comments: Vec<&str> = text
                .lines()
                .take_while(|line| line.trim().is_empty() || line.trim().starts_with(';'))
                .collect();
            if !comments.iter().any(|line| line.contains("Version:")) {
                return None;
            }
            *assemble(&comments.join("\n"), &AsmOptions::default()).words.get(1)?
        }
        InputKind::Empty
        | InputKind::Ir
        | InputKind::D3d9
        | InputKind::Dxbc
        | InputKind::D3d9Text
        | InputKind::Foreign
        | InputKind::Unknown => return None,
    };
    let [_, major, minor, _] = word.to_be_bytes();
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(log: &str) -> Vec<(String, String)> {
        let text = |dump: Dump| (dump.name, String::from_utf8(dump.bytes).unwrap());
        split_log(log, None).into_iter().map(text).collect()
    }

    #[test]
    fn a_dump_is_named_after_the_pass_that_made_it() {
        let log = "warning: x\n; IR before pass a=1\nOpNop\n; IR before pass b\r\nOpNop\n; IR after last pass\nOpKill\n";
        let found = names(log);
        let expected = [("input", "OpNop\n"), ("a=1", "OpNop\n"), ("b", "OpKill\n")];
        assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let versioned = split_log("; IR before pass a\nOpCapability Shader\n", Some((1, 3)));
        assert_eq!(versioned[0].bytes, b"; SPIR-V\n; Version: 1.3\nOpCapability Shader\n");
        assert_eq!(header_version(&versioned[0].bytes), Some((1, 3)));
    }

    #[test]
    fn damaged_logs_are_split_as_far_as_they_go() {
        assert_eq!(names(""), []);
        assert_eq!(names("nothing\nof the kind\n"), []);
        let empty = |name: &str| (name.to_owned(), String::new());
        assert_eq!(
            names("; IR before pass a\n; IR before pass a\n; IR after last pass"),
            [empty("input"), empty("a"), empty("a")]
        );
        let headers = names("noise\n; SPIR-V\n; Version: 1.0\nOpNop\n; SPIR-V\nOpKi");
        assert_eq!(headers[1], ("module 1".to_owned(), "; SPIR-V\nOpKi".to_owned()));
        assert_eq!(header_version(b"func"), None);
        assert_eq!(header_version(&[3, 2, 0x23, 7]), None);
        assert_eq!(header_version(&[3, 2, 0x23, 7, 0, 5, 1, 0]), Some((1, 5)));
    }
}
