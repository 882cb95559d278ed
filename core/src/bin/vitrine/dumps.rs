//! The programs of a comparison: files, a folder, an archive, a log, or a bundle of the page.
//!
//! Files of folders and archives are ordered by name, with numbers in them by value. Files are taken apart by
//! `lab::compare`.

use super::Stop;
use super::input;
use std::path::{Path, PathBuf};
use vitrine_core::front::unbundle;
use vitrine_core::lab::compare::{Dump, by_name, header_version, is_program, join, split_log};

/// The programs of the given files; a folder, an archive or a log stands for the programs in it.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Dump>, Stop> {
    let mut out = Vec::new();
    for file in files {
        match file.is_dir() {
            true => out.extend(of_folder(file)?),
            false => out.push(Dump { name: file.display().to_string(), bytes: input::read_input(file)? }),
        }
    }
    join(out).map_err(Stop::Misused)
}

/// The programs of a log. The version of SPIR-V that dumps lack is that of the original, if it is given.
pub(super) fn of_log(log: &Path, original: Option<&PathBuf>) -> Result<Vec<Dump>, Stop> {
    let bytes = input::read_input(log)?;
    // A link to a log holds its programs.
    let linked = unbundle(&bytes);
    let text = String::from_utf8_lossy(&bytes);
    let original = original.map(|file| input::read_input(file).map(|bytes| (file, bytes))).transpose()?;
    let version = original.as_ref().and_then(|(_, bytes)| header_version(bytes));
    let dumps = linked.unwrap_or_else(|| split_log(&text, version));
    if dumps.is_empty() {
        let why =
            "the log has no programs: use the output of `spirv-opt --print-all` or `dxc -fspv-print-all`";
        return Err(Stop::Misused(format!("{}: {why}", log.display())));
    }
    let original = original.map(|(file, bytes)| Dump { name: file.display().to_string(), bytes });
    Ok(original.into_iter().chain(dumps).collect())
}

fn of_folder(folder: &Path) -> Result<Vec<Dump>, Stop> {
    let failed = |error: std::io::Error| Stop::Misused(format!("{}: {error}", folder.display()));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && is_program(&name(&path)) {
            paths.push(path);
        }
    }
    paths.sort_by(|a, b| by_name(&name(a), &name(b)));
    let dump = |path: PathBuf| Ok(Dump { name: name(&path), bytes: input::read_bytes(&path)? });
    paths.into_iter().map(dump).collect()
}
