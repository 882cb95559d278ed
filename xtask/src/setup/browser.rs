//! What the browser tests need: node, the test packages of `web/e2e`, and a Chromium.
//!
//! No browser is downloaded from anywhere but the system's packages.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::debian;

/// The oldest node whose test runner the tests use.
const NODE_MAJOR: u32 = 20;

const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_BROWSERS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// A browser to drive: `CHROMIUM`, one found by name, or Debian's.
pub fn chromium(place: &Place) -> Outcome<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        let missing = Trouble::new("looking for the browser")
            .why(format!("CHROMIUM is `{}`, and there is no such file", path.display()))
            .fix("unset CHROMIUM, or set it to the path of Chromium or Chrome");
        return path.is_file().then_some(path).ok_or(missing);
    }
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    debian::install(place, &["chromium"], "the browser of the page's tests")?;
    find_chromium().ok_or_else(|| {
        Trouble::new("installing the browser")
            .why("the package is installed, but there is no program `chromium`")
            .fix("set CHROMIUM to the path of Chromium or Chrome")
    })
}

fn find_chromium() -> Option<PathBuf> {
    on_path(&BROWSERS).or_else(|| MAC_BROWSERS.iter().map(PathBuf::from).find(|path| path.is_file()))
}

/// Node, with the packages of the browser tests in place.
pub fn node(place: &Place) -> Outcome<PathBuf> {
    if on_path(&["node"]).is_none() || on_path(&["npm"]).is_none() {
        debian::install(place, &["nodejs", "npm"], "node, which runs the page's tests")?;
    }
    let node = on_path(&["node"]).unwrap_or_else(|| PathBuf::from("node"));
    let version =
        Run::new("asking node for its version", &node, &place.root).args(["--version"]).captured()?;
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|word| word.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE_MAJOR) {
        return Err(Trouble::new("looking for node")
            .why(format!("node is {}, and the page's tests need {NODE_MAJOR} or newer", version.trim()))
            .fix(format!("install node {NODE_MAJOR} or newer and put it first on PATH")));
    }
    packages(place)?;
    Ok(node)
}

/// Runs `npm ci` when the lockfile is another than the one last installed.
fn packages(place: &Place) -> Outcome {
    let (lock, stamp) =
        (place.e2e().join("package-lock.json"), place.e2e().join("node_modules/.installed-lock.json"));
    let wanted = fs::read(&lock).unwrap_or_default();
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let step = "installing the packages of the browser tests";
    say::step(step);
    Run::new(step, "npm", &place.e2e())
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
        .fix("run `npm ci` in web/e2e and read what it says")
        .captured()?;
    fs::write(&stamp, wanted)
        .map_err(|error| Trouble::new(step).why(error.to_string()).fix("check that web/e2e can be written"))
}
