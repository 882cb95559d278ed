//! Node and npm packages: what bundles the editor and runs the browser tests.
//!
//! A folder's lockfile says which packages; they are installed when it is another than the one last installed.
//! No package's own script is run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::debian;

/// The oldest node whose test runner the tests use.
const NODE_MAJOR: u32 = 20;

/// Node, with the packages of `folder` in place; `what` says what they are for.
pub fn with_packages(place: &Place, folder: &Path, what: &str) -> Outcome<PathBuf> {
    let node = node(place)?;
    packages(folder, what)?;
    Ok(node)
}

/// Node, new enough.
pub fn node(place: &Place) -> Outcome<PathBuf> {
    if on_path(&["node"]).is_none() || on_path(&["npm"]).is_none() {
        debian::install(
            place,
            &["nodejs", "npm"],
            "node, which bundles the editor and runs the page's tests",
        )?;
    }
    let node = on_path(&["node"]).unwrap_or_else(|| PathBuf::from("node"));
    let version =
        Run::new("asking node for its version", &node, &place.root).args(["--version"]).captured()?;
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|word| word.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE_MAJOR) {
        return Err(Trouble::new("looking for node")
            .why(format!("node is {}, and {NODE_MAJOR} or newer is needed", version.trim()))
            .fix(format!("install node {NODE_MAJOR} or newer and put it first on PATH")));
    }
    Ok(node)
}

/// The packages of a folder; `what` says what they are for.
pub fn packages(folder: &Path, what: &str) -> Outcome {
    let (lock, stamp) = (folder.join("package-lock.json"), folder.join("node_modules/.installed-lock.json"));
    let wanted = fs::read(&lock).unwrap_or_default();
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let step = format!("installing the packages of {what}");
    say::step(&step);
    Run::new(&step, "npm", folder)
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
        .fix(format!("run `npm ci` in {} and read what it says", folder.display()))
        .captured()?;
    fs::write(&stamp, wanted).map_err(|error| {
        Trouble::new(step)
            .why(error.to_string())
            .fix(format!("check that {} can be written", folder.display()))
    })
}
