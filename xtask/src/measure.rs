//! `bench page`: when a visitor sees the first picture and the first result, and how long the page's main thread is
//! busy while a person works with a large shader; `bench lab`: how fast the page runs shaders; `bench trace`: how long
//! 60 passes take there, and what a trace of them keeps.
//!
//! `page` builds the site as a visitor gets it and drives it in Chromium; `web/e2e/measure.mjs` says what is done.
//! Judges nothing: the budget stands beside the figures.

use std::path::absolute;

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome};
use crate::serve::{self, Site};
use crate::setup::{browser, node};
use crate::site::{self, Effort};

/// Draws pictures in wasm, of a shader of 500 instructions and of these files; or of some of the corpus.
pub fn lab(place: &Place, files: &[String]) -> Outcome {
    let known = ["teaching/mandelbrot.spv", "teaching/sphere-march.spv"];
    in_node(place, "measuring how fast shaders run in wasm", "lab.mjs", &known, files)
}

/// Traces of 60 passes in wasm, of these files; or of two of 10 KB and the largest of the corpus.
pub fn trace(place: &Place, files: &[String]) -> Outcome {
    let known = ["samples/rust-sem-sem.spv", "structure/graphicsfuzz-019.spv", "large/link-post.spv"];
    in_node(place, "measuring traces of 60 passes in wasm", "trace.mjs", &known, files)
}

/// Runs a script of `wasm/` in node over the modules of the site.
fn in_node(place: &Place, step: &str, script: &str, known: &[&str], files: &[String]) -> Outcome {
    site::modules(place, Effort::Full)?;
    let corpus = place.root.join("../shared/corpus");
    let known = known.iter().map(|name| corpus.join(name));
    let known = known.filter(|file| files.is_empty() && file.is_file());
    let files = files.iter().map(Into::into).chain(known);
    say::step(step);
    Run::new(step, node::node(place)?, &place.root)
        .args([place.root.join("wasm").join(script), site::folder(place)])
        .args(files)
        .fix("read the message above; `cargo xtask bench` measures the same on the host")
        .streamed()
}

/// Measures with these files, or with the largest shaders of the corpus.
pub fn page(place: &Place, files: &[String]) -> Outcome {
    let step = "measuring the page's main thread";
    let corpus = place.root.join("../shared/corpus/large");
    if files.is_empty() && !corpus.is_dir() {
        say::step(format!(
            "{step}: skipped, there is no ../shared/corpus; name SPIR-V files to measure with"
        ));
        return Ok(());
    }
    site::build(place, Effort::Full)?;
    let chromium = browser::chromium(place)?;
    let node = node::with_packages(place, &place.e2e(), "the browser tests")?;
    let address = serve::in_background(Site { folder: place.dist(), under: "/".to_owned() })?;
    say::step(step);
    // The script runs in a folder of its own.
    let files = files.iter().map(|file| absolute(file).unwrap_or_else(|_| file.into()));
    Run::new(step, node, &place.e2e())
        .args(["measure.mjs"])
        .args(files)
        .env("VITRINE_URL", address)
        .env("VITRINE_CORPUS", corpus)
        .env("CHROMIUM", chromium)
        .without("LD_LIBRARY_PATH")
        .fix("run `cargo xtask serve` and look at the page; then read the message above")
        .streamed()
}
