//! `bench page`: the time to the first paint and to the first result, and the longest tasks of the page's main thread
//! during work with a large shader. `bench debugger`: the speed of shaders run in wasm. `bench trace`: the time of
//! 60 passes in wasm, and the memory of their trace.
//!
//! `page` builds the optimized site and drives it in Chromium with `web/e2e/measure.mjs`.

use std::path::absolute;

use crate::command::Command;
use crate::report::{self, Result};
use crate::serve::{self, Site};
use crate::setup::{browser, node};
use crate::site::{self, Effort};
use crate::workspace::Workspace;

/// Runs a shader of 500 instructions and these files in wasm; without files, some of the corpus.
pub fn debugger(workspace: &Workspace, files: &[String]) -> Result {
    let known = ["teaching/mandelbrot.spv", "teaching/sphere-march.spv"];
    in_node(workspace, "measuring the speed of shaders in wasm", "debugger.mjs", &known, files)
}

/// Traces 60 passes on these files in wasm; without files, on two of 10 KB and the largest of the corpus.
pub fn trace(workspace: &Workspace, files: &[String]) -> Result {
    let known = ["samples/rust-sem-sem.spv", "structure/graphicsfuzz-019.spv", "large/link-post.spv"];
    in_node(workspace, "measuring traces of 60 passes in wasm", "trace.mjs", &known, files)
}

/// Runs a script of `wasm/` in node over the modules of the site.
fn in_node(workspace: &Workspace, step: &str, script: &str, known: &[&str], files: &[String]) -> Result {
    site::modules(workspace, Effort::Release)?;
    let corpus = workspace.corpus();
    let known = known.iter().map(|name| corpus.join(name));
    let known = known.filter(|file| files.is_empty() && file.is_file());
    let files = files.iter().map(Into::into).chain(known);
    report::step(step);
    Command::new(step, node::node(workspace)?, &workspace.root)
        .args([workspace.root.join("wasm").join(script), site::folder(workspace)])
        .args(files)
        .fix("read the message above; `cargo xtask bench` measures the same on the host")
        .run()
}

/// Measures with these files, or with the largest shaders of the corpus.
pub fn page(workspace: &Workspace, files: &[String]) -> Result {
    let step = "measuring the page's main thread";
    let corpus = workspace.corpus().join("large");
    if files.is_empty() && !corpus.is_dir() {
        report::step(format!("{step}: skipped, the corpus is missing; name the SPIR-V files to measure"));
        return Ok(());
    }
    site::build(workspace, Effort::Release)?;
    let chromium = browser::chromium(workspace)?;
    let node = node::with_packages(workspace, &workspace.e2e(), "the browser tests")?;
    let address = serve::in_background(Site { folder: workspace.dist(), under: "/".to_owned() })?;
    report::step(step);
    // The script runs in another folder.
    let files = files.iter().map(|file| absolute(file).unwrap_or_else(|_| file.into()));
    Command::new(step, node, &workspace.e2e())
        .args(["measure.mjs"])
        .args(files)
        .env("VITRINE_URL", address)
        .env("VITRINE_CORPUS", corpus)
        .env("CHROMIUM", chromium)
        .env_remove("LD_LIBRARY_PATH")
        .fix("read the message above; then run `cargo xtask serve` and check the page")
        .run()
}
