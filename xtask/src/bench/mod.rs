//! `cargo xtask bench`: measurements. Each prints figures and checks no limits.

mod host; // the compiler on this machine
mod page; // the page in Chromium, the compiler's module in node

use crate::report::Result;
use crate::test::same_bytes;
use crate::workspace::Workspace;

/// Options of `bench`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// `wasm` (the module against the host), `debugger` (shaders run in wasm), `trace` (60 passes in wasm), `page` (the main
    /// thread in Chromium), a file of core/bench/benches, or a filter over all of them
    name: Option<String>,
    /// Files to measure with, or filters of the benchmark
    rest: Vec<String>,
}

/// Runs the measurement of that name.
pub fn command(workspace: &Workspace, options: &Options) -> Result {
    match options.name.as_deref() {
        Some("wasm") => same_bytes::bench(workspace),
        Some("debugger") => page::debugger(workspace, &options.rest),
        Some("trace") => page::trace(workspace, &options.rest),
        Some("page") => page::page(workspace, &options.rest),
        name => {
            let words: Vec<String> =
                name.map(str::to_owned).into_iter().chain(options.rest.clone()).collect();
            host::run(workspace, &words)
        }
    }
}
