//! Inputs that hold several programs: bundles, logs, archives.
//!
//! Refuses to read the programs.

use super::archive::{is_archive, unpack};
use super::dumps::{header_version, is_log, split_log};
use vitrine_front::{Dump, unbundle};

/// The limit on the unpacked size of an archive that is an input, in bytes.
const MOST_BYTES: usize = 128 << 20;

/// The programs of an input that holds several: a bundle, a log, an archive. `None` for any other input.
/// Errors: the reason why it cannot be taken apart.
pub fn dumps_of(input: &[u8]) -> Option<Result<Vec<Dump>, String>> {
    if let Some(dumps) = unbundle(input) {
        return Some(Ok(dumps));
    }
    if is_archive(input) {
        return Some(unpack(input, MOST_BYTES).and_then(|dumps| match dumps.is_empty() {
            true => Err("the archive has no programs: files ending in .spv, .spvasm or .ir".to_owned()),
            false => Ok(dumps),
        }));
    }
    let log = std::str::from_utf8(input).ok().filter(|text| is_log(text))?;
    Some(Ok(split_log(log, None)))
}

/// The programs of files, in the order of the files; those of logs after the others. Dumps of a log get the
/// SPIR-V version of the first program that is no dump. Errors: the reason why a file cannot be taken apart.
pub fn join(files: Vec<Dump>) -> Result<Vec<Dump>, String> {
    let (mut out, mut logs) = (Vec::new(), Vec::new());
    for file in files {
        match std::str::from_utf8(&file.bytes).ok().filter(|text| is_log(text)) {
            Some(text) => logs.push(text.to_owned()),
            None => match dumps_of(&file.bytes) {
                None => out.push(file),
                Some(dumps) => out.extend(dumps.map_err(|why| format!("{}: {why}", file.name))?),
            },
        }
    }
    let version = out.first().and_then(|first| header_version(&first.bytes));
    for log in logs {
        out.extend(split_log(&log, version));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(name: &str, bytes: &[u8]) -> Dump {
        Dump { name: name.to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn a_single_program_is_no_comparison() {
        for input in [
            &b"func @0() graph {\n^0:\n  return\n}\n"[..],
            b"; SPIR-V\n; Version: 1.0\nOpNop\n",
            b"",
            &[3, 2, 35, 7],
        ] {
            assert_eq!(dumps_of(input), None);
        }
        let log = b"; IR before pass a\nOpNop\n; IR after last pass\nOpKill\n";
        assert_eq!(dumps_of(log).and_then(Result::ok).map(|dumps| dumps.len()), Some(2));
        assert!(dumps_of(b"PK\x03\x04").is_some_and(|found| found.is_err()));
    }

    #[test]
    fn the_original_comes_before_a_log_and_gives_its_version() {
        let log = dump(
            "log.txt",
            b"; IR before pass a\nOpCapability Shader\n; IR after last pass\nOpCapability Shader\n",
        );
        let original = dump("in.spvasm", b"; SPIR-V\n; Version: 1.3\nOpCapability Shader\n");
        let joined = join(vec![log, original]).expect("good files");
        let names: Vec<&str> = joined.iter().map(|dump| dump.name.as_str()).collect();
        assert_eq!(names, ["in.spvasm", "input", "a"]);
        assert!(joined.iter().all(|dump| header_version(&dump.bytes) == Some((1, 3))));
    }
}
