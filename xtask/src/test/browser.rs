//! The built page in a real browser: `web/e2e` against our own server.
//!
//! The site is served twice, at the root and under a path, because it must not care.

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::serve::{self, Site};
use crate::setup::{browser, node};
use crate::test::{Tally, count};

/// Runs the browser tests.
pub fn run(place: &Place) -> Outcome<Tally> {
    let step = "testing the page in Chromium";
    let chromium = browser::chromium(place)?;
    let node = node::with_packages(place, &place.e2e(), "the browser tests")?;
    let root = serve::in_background(Site { folder: place.dist(), under: "/".to_owned() })?;
    let below = serve::in_background(Site { folder: place.dist(), under: "/v/next/".to_owned() })?;
    say::step(format!("{step} ({})", chromium.display()));
    let ended = Run::new(step, node, &place.e2e())
        .args(["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=240000"])
        .env("VITRINE_URL", root)
        .env("VITRINE_URL_BELOW", below)
        .env("CHROMIUM", chromium)
        .without("LD_LIBRARY_PATH")
        .watched()?;
    let tally = count::node(&ended.text);
    if tally == Tally::default() {
        let fix = "run `cargo xtask serve` and look at the page; then read the message above";
        return Err(Trouble::new(step).why("node ran no test").fix(fix));
    }
    Ok(Tally { failed: tally.failed + usize::from(!ended.ok && tally.failed == 0), ..tally })
}
