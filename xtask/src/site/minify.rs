//! Scripts and style sheets without comments and long names: a third of their download.
//!
//! The bundler of the editor does it, file by file, so names of files and references stay. What is minified already is left
//! alone. The sources are in `www/`, for whoever wants to read them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::node;
use crate::site::Files;
use crate::workspace::Workspace;

/// Extensions of the files that are minified.
const KINDS: [&str; 2] = [".js", ".css"];
/// Files that are minified already.
const DONE: [&str; 4] = ["editor.js", "forms.js", "glslang.js", "slangc.js"];

/// Replaces the content of scripts and style sheets.
pub fn minify(workspace: &Workspace, files: &mut Files) -> Result {
    let step = "minifying scripts and style sheets";
    report::step(step);
    let editor = workspace.editor();
    let node = node::with_packages(workspace, &editor, "the editor")?;
    let error = |error: io::Error| Error::new(step).reason(error).fix("run `cargo xtask dist` again");
    let paths: Vec<String> = files.keys().filter(|path| is_minified(path)).cloned().collect();
    let [from, to] = ["long", "short"].map(|name| workspace.target.join("minify").join(name));
    let sources = write_all(&from, &paths, files).map_err(error)?;
    Command::new(step, node, &editor)
        .args(["node_modules/esbuild/bin/esbuild", "--minify", "--target=es2022", "--legal-comments=none"])
        .args(["--log-level=warning"])
        .args([format!("--outbase={}", from.display()), format!("--outdir={}", to.display())])
        .args(sources.iter().map(|source| source.display().to_string()))
        .env_remove("LD_LIBRARY_PATH")
        .fix("read the message above; it names the line of the file")
        .run()?;
    for path in paths {
        let short = fs::read(to.join(&path)).map_err(error)?;
        files.insert(path, short);
    }
    Ok(())
}

fn is_minified(path: &str) -> bool {
    KINDS.iter().any(|kind| path.ends_with(kind)) && !DONE.contains(&path)
}

/// Writes these files to a folder; returns where.
fn write_all(folder: &Path, paths: &[String], files: &Files) -> io::Result<Vec<PathBuf>> {
    paths
        .iter()
        .map(|path| {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            fs::write(&file, &files[path])?;
            Ok(file)
        })
        .collect()
}
