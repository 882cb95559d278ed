//! From sources to `dist/`: the wasm modules with their JavaScript, the editor, the static files.
//!
//! The result is a folder of files that any static server can serve, under any path, without configuration. Nothing in it is
//! fetched from another site.

mod modules; // start here: cargo and wasm-bindgen
mod compress; // .br and .gz next to compressible files
mod editor; // CodeMirror in one module
mod lessons; // the pages of the course
mod minify; // shorter scripts and style sheets
mod pack; // names by content, references, the page
mod reference; // the glossary, and a page for each entry of the catalog
mod prerender; // the markup that the page shows before any script runs
mod slang; // the front end of HLSL and Slang
pub mod release; // a version of the site with a permanent address
pub mod sizes; // the budget of the download

pub use modules::folder;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use crate::report::{self, Error, Result};
use crate::setup::wasm::Toolchain;
use crate::workspace::Workspace;

/// The kind of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Optimized for the visitor, with prerendered markup and compressed side files.
    Release,
    /// Optimized for build time: nothing is prerendered, minified or compressed.
    Development,
}

/// Files by their path inside the site, with forward slashes.
type Files = BTreeMap<String, Vec<u8>>;

/// The folder of a site with its releases, which no build changes.
const RELEASES: &str = "v";

/// Builds everything into `dist/`.
pub fn build(workspace: &Workspace, effort: Effort) -> Result {
    modules(workspace, effort)?;
    assemble(workspace, effort)
}

/// Builds the wasm modules, the JavaScript that loads them, and the editor.
pub fn modules(workspace: &Workspace, effort: Effort) -> Result {
    let toolchain = Toolchain::ready(workspace)?;
    modules::clear(workspace)?;
    thread::scope(|scope| {
        // The editor's packages are downloaded while cargo compiles.
        let log = report::log();
        let editor = scope.spawn(move || match log {
            Some(log) => report::logged(log, || editor::bundle(workspace, effort)),
            None => editor::bundle(workspace, effort),
        });
        report::step("building the compiler and the page for wasm");
        let built = modules::build(workspace, &toolchain, effort)
            .and_then(|modules| modules::bindgen(workspace, &modules));
        let bundled = editor.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        built.and(bundled)
    })
}

/// Lays out `dist/` from the modules and the static files.
pub fn assemble(workspace: &Workspace, effort: Effort) -> Result {
    let step = "laying out dist/";
    report::step(step);
    let error = |error: io::Error| Error::new(step).reason(error).fix("run `cargo xtask dist` again");
    let mut files = Files::new();
    for folder in [workspace.root.join("www"), modules::folder(workspace)] {
        read_folder(&folder, "", &mut files)
            .map_err(|why| error(io::Error::new(why.kind(), format!("{}: {why}", folder.display()))))?;
    }
    let license = fs::read(workspace.root.join("LICENSE-APACHE")).map_err(error)?;
    files.insert("license-apache.txt".to_owned(), license);
    let sources = reference::take(&mut files)?;
    let course = lessons::take(&mut files)?;
    let jobs = lessons::jobs(&course) + &reference::jobs(&sources);
    let (mut prerendered, records) = match effort {
        Effort::Release => (prerender::markup(workspace, &jobs)?, Some(reference::compute(workspace)?)),
        Effort::Development => (Vec::new(), None),
    };
    prerendered.extend(slang::markup(&files));
    lessons::add_pages(&course, &mut files)?;
    reference::add_pages(&sources, course.lessons(), &mut files)?;
    pack::join_sheets(&mut files);
    if effort == Effort::Release {
        minify::minify(workspace, &mut files)?;
    }
    let mut named = pack::pack(files, &prerendered)?;
    reference::add_packed(&sources, course.lessons(), records.as_deref(), &mut named)?;
    let written = write_site(&workspace.dist(), &named).map_err(error)?;
    match effort {
        Effort::Release => compress::write(&workspace.dist(), &named).map_err(error)?,
        Effort::Development => compress::remove(&workspace.dist(), &named).map_err(error)?,
    }
    report::step(format!("dist/ has {} files, {written} of them new", named.len()));
    Ok(())
}

/// Reads a folder and its folders, except hidden files.
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

/// The files of a site that are no part of its releases.
fn without_releases(mut files: Files) -> Files {
    files.retain(|path, _| path.split_once('/').is_none_or(|(folder, _)| folder != RELEASES));
    files
}

/// Writes these files to `dist` and removes others, except side files and releases; returns the number of changed files.
fn write_site(dist: &Path, files: &Files) -> io::Result<usize> {
    fs::create_dir_all(dist)?;
    let mut present = Files::new();
    read_folder(dist, "", &mut present)?;
    let present = without_releases(present);
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
