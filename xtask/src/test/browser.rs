//! The built page in real browsers: `web/e2e` against the server of `serve`.
//!
//! The site is served twice, at the root and under a path, because both must work. Without a browser the step is
//! skipped; without Firefox, its ten journeys are.

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::serve::{self, Site};
use crate::setup::{browser, node};
use crate::test::{Counted, Tally, count};
use crate::workspace::Workspace;

/// Number of test files that run in parallel: a test mostly waits for the browser.
const CONCURRENCY: &str = "--test-concurrency=2";

/// Runs the browser tests.
pub fn run(workspace: &Workspace) -> Result<Counted> {
    let step = "testing the page in Chromium";
    let chromium = match browser::chromium(workspace) {
        Ok(chromium) => chromium,
        Err(error) => {
            error.print();
            return Ok((Tally::SKIPPED, "no Chromium".to_owned()));
        }
    };
    let node = node::with_packages(workspace, &workspace.e2e(), "the browser tests")?;
    let root = serve::in_background(Site { folder: workspace.dist(), under: "/".to_owned() })?;
    let below = serve::in_background(Site { folder: workspace.dist(), under: "/v/next/".to_owned() })?;
    report::step(format!("{step} ({})", chromium.display()));
    let firefox = browser::firefox(workspace).inspect_err(Error::print).ok();
    let finished = Command::new(step, node, &workspace.e2e())
        .args(["--test", "--test-reporter=spec", CONCURRENCY, "--test-timeout=1800000"])
        .env("VITRINE_URL", root)
        .env("VITRINE_CORPUS", workspace.corpus())
        .env("VITRINE_URL_BELOW", below)
        .env("CHROMIUM", chromium)
        .env("FIREFOX", firefox.unwrap_or_default())
        .env_remove("LD_LIBRARY_PATH")
        .run_with_copy(&workspace.target.join("xtask/browser-tests.log"))?;
    let tally = count::node(&finished.output);
    if tally == Tally::default() {
        let fix = "read the message above; then run `cargo xtask serve` and check the page";
        return Err(Error::new(step).reason("node ran no test").fix(fix));
    }
    let unreported = usize::from(!finished.success && tally.failed == 0);
    Ok((Tally { failed: tally.failed + unreported, ..tally }, String::new()))
}
