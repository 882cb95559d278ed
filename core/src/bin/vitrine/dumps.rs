//! The programs of a comparison: files, a folder, a zip archive, or a log.
//!
//! Files of folders and archives are ordered by name, with numbers in them by value. Refuses archives that unpack to more
//! than 512 MB, and entries that are neither stored nor deflated.

use super::Stop;
use super::input;
use std::cmp::Ordering;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use vitrine_core::pipeline::compare::{Dump, header_version, split_log};
use zip::ZipArchive;

/// Extensions of the programs in a folder or an archive.
const EXTENSIONS: [&str; 3] = ["spv", "spvasm", "ir"];
/// Limit on the unpacked size of an archive.
const MOST_BYTES: u64 = 512 << 20;

/// The programs of the given files; a folder or an archive stands for the programs in it.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Dump>, Stop> {
    let mut out = Vec::new();
    for file in files {
        if file.is_dir() {
            out.extend(of_folder(file)?);
            continue;
        }
        let bytes = input::read_bytes(file)?;
        match bytes.starts_with(b"PK\x03\x04") {
            true => out.extend(of_archive(file, bytes)?),
            false => out.push(Dump { name: file.display().to_string(), bytes }),
        }
    }
    Ok(out)
}

/// The programs of a log. The version of SPIR-V that dumps lack is that of the original, if it is given.
pub(super) fn of_log(log: &Path, original: Option<&PathBuf>) -> Result<Vec<Dump>, Stop> {
    let text = input::read_bytes(log)?;
    let text = String::from_utf8_lossy(&text);
    let original = original.map(|file| input::read_bytes(file).map(|bytes| (file, bytes))).transpose()?;
    let version = original.as_ref().and_then(|(_, bytes)| header_version(bytes));
    let dumps = split_log(&text, version);
    if dumps.is_empty() {
        let why =
            "the log has no programs: use the output of `spirv-opt --print-all` or `dxc -fspv-print-all`";
        return Err(Stop::Misused(format!("{}: {why}", log.display())));
    }
    let original = original.map(|(file, bytes)| Dump { name: file.display().to_string(), bytes });
    Ok(original.into_iter().chain(dumps).collect())
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
}

fn of_folder(folder: &Path) -> Result<Vec<Dump>, Stop> {
    let failed = |error: std::io::Error| Stop::Misused(format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && is_program(&path) {
            paths.push(path);
        }
    }
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.sort_by(|a, b| by_name(&name(a), &name(b)));
    let dump = |path: PathBuf| Ok(Dump { name: name(&path), bytes: input::read_bytes(&path)? });
    paths.into_iter().map(dump).collect()
}

fn of_archive(file: &Path, bytes: Vec<u8>) -> Result<Vec<Dump>, Stop> {
    let failed = |error: String| Stop::Misused(format!("{}: {error}", file.display()));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| failed(error.to_string()))?;
    let mut out = Vec::new();
    let mut left = MOST_BYTES;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|error| failed(error.to_string()))?;
        let name = entry.name().map_err(|error| failed(error.to_string()))?.into_owned();
        if entry.is_dir() || !is_program(Path::new(&name)) {
            continue;
        }
        let mut bytes = Vec::new();
        let read = entry
            .take(left + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(format!("{name}: {error}")))?;
        left = left
            .checked_sub(read as u64)
            .ok_or_else(|| failed(format!("it unpacks to more than {MOST_BYTES} bytes")))?;
        out.push(Dump { name, bytes });
    }
    out.sort_by(|a, b| by_name(&a.name, &b.name));
    Ok(out)
}

/// The order of two names: runs of digits by value, everything else by character.
fn by_name(a: &str, b: &str) -> Ordering {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = ["b.spv", "a10.spv", "a2.spv", "a02.spv", "2", "10", "a.spv"];
        names.sort_by(|a, b| by_name(a, b));
        assert_eq!(names, ["2", "10", "a.spv", "a02.spv", "a2.spv", "a10.spv", "b.spv"]);
    }
}
