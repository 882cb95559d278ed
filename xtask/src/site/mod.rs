//! From sources to `dist/`: the wasm modules, their JavaScript borders, the editor, the static files.
//!
//! What is built is a folder of files: any static server serves it, under any path, with nothing to
//! configure. Nothing in it is fetched from anywhere else.

mod modules; // start here: cargo and wasm-bindgen
mod cut; // the compiler in parts
mod editor; // CodeMirror in one module
mod pack; // names by content, references, the page
pub mod sizes; // the budget of the download
mod still; // what the page shows before any script
mod squeeze; // .br and .gz beside what compresses

pub use modules::folder;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::place::Place;
use crate::say::{self, Outcome, Trouble};
use crate::setup::wasm::Toolchain;

/// How much work to put into a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Optimised for the visitor, with compressed side files.
    Full,
    /// Optimised for the developer who waits.
    Quick,
}

/// Files by their path inside the site, with forward slashes.
type Files = BTreeMap<String, Vec<u8>>;

/// Builds everything into `dist/`.
pub fn build(place: &Place, effort: Effort) -> Outcome {
    modules(place, effort)?;
    assemble(place, effort)
}

/// Builds the wasm modules, the JavaScript that loads them, and the editor.
pub fn modules(place: &Place, effort: Effort) -> Outcome {
    let toolchain = Toolchain::ready(place)?;
    say::step("building the compiler and the page for wasm");
    let borders = modules::build(place, &toolchain, effort)?;
    say::step("writing the border between JavaScript and wasm");
    modules::bindgen(place, &borders, effort)?;
    editor::bundle(place, effort)
}

/// Lays out `dist/` from the modules and the static files.
pub fn assemble(place: &Place, effort: Effort) -> Outcome {
    let step = "laying out dist/";
    say::step(step);
    let trouble =
        |error: io::Error| Trouble::new(step).why(error.to_string()).fix("run `cargo xtask dist` again");
    let mut files = Files::new();
    for folder in [place.root.join("www"), modules::folder(place)] {
        read_folder(&folder, "", &mut files).map_err(|error| {
            trouble(io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
        })?;
    }
    let named = pack::pack(files, &still::holes(place)?)?;
    let written = write_site(&place.dist(), &named).map_err(trouble)?;
    match effort {
        Effort::Full => squeeze::all(&place.dist(), &named).map_err(trouble)?,
        Effort::Quick => squeeze::forget(&place.dist(), &named).map_err(trouble)?,
    }
    say::step(format!("dist/ holds {} files, {written} of them new", named.len()));
    Ok(())
}

/// Reads a folder and its folders, but no hidden files.
fn read_folder(folder: &Path, prefix: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        match () {
            () if name.starts_with('.') => {}
            () if entry.file_type()?.is_dir() => read_folder(&entry.path(), &format!("{path}/"), files)?,
            () => {
                files.insert(path, fs::read(entry.path())?);
            }
        }
    }
    Ok(())
}

/// Makes `dist` hold these files and, beside their side files, nothing else; the count of changed ones.
fn write_site(dist: &Path, files: &Files) -> io::Result<usize> {
    fs::create_dir_all(dist)?;
    let mut present = Files::new();
    read_folder(dist, "", &mut present)?;
    for path in present.keys() {
        let owner = path.strip_suffix(".br").or(path.strip_suffix(".gz")).unwrap_or(path);
        if present.get(owner).is_none_or(|bytes| files.get(owner) != Some(bytes)) {
            fs::remove_file(dist.join(path))?;
        }
    }
    let changed: Vec<_> = files.iter().filter(|(path, bytes)| present.get(*path) != Some(bytes)).collect();
    for (path, bytes) in &changed {
        let file = dist.join(path);
        fs::create_dir_all(file.parent().unwrap_or(dist))?;
        fs::write(file, bytes)?;
    }
    Ok(changed.len())
}
