//! Node and npm packages, which bundle the editor and run the browser tests.
//!
//! A folder's lockfile names its packages; they are reinstalled after it changes.
//! Install scripts of packages are not run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::debian;
use crate::workspace::{Workspace, on_path};

/// The oldest node whose test runner the tests use.
const NODE_MAJOR: u32 = 20;

/// Node, after installing the packages of `folder`; `purpose` describes their use.
pub fn with_packages(workspace: &Workspace, folder: &Path, purpose: &str) -> Result<PathBuf> {
    let node = node(workspace)?;
    packages(folder, purpose)?;
    Ok(node)
}

/// Node of a version that is new enough.
pub fn node(workspace: &Workspace) -> Result<PathBuf> {
    if on_path(&["node"]).is_none() || on_path(&["npm"]).is_none() {
        debian::install(
            workspace,
            &["nodejs", "npm"],
            "node, which bundles the editor and runs the page's tests",
        )?;
    }
    let node = on_path(&["node"]).unwrap_or_else(|| PathBuf::from("node"));
    let version =
        Command::new("reading the version of node", &node, &workspace.root).args(["--version"]).capture()?;
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|word| word.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE_MAJOR) {
        return Err(Error::new("looking for node")
            .reason(format!("node is {}, and {NODE_MAJOR} or newer is needed", version.trim()))
            .fix(format!("install node {NODE_MAJOR} or newer and put it first on PATH")));
    }
    Ok(node)
}

/// Installs the packages of a folder; `purpose` describes their use.
pub fn packages(folder: &Path, purpose: &str) -> Result {
    let (lock, stamp) = (folder.join("package-lock.json"), folder.join("node_modules/.installed-lock.json"));
    let current = fs::read(&lock).unwrap_or_default();
    if fs::read(&stamp).is_ok_and(|installed| installed == current) {
        return Ok(());
    }
    let step = format!("installing the packages of {purpose}");
    report::step(&step);
    Command::new(&step, "npm", folder)
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
        .fix(format!("run `npm ci` in {} and read its messages", folder.display()))
        .capture()?;
    fs::write(&stamp, current).map_err(|error| {
        Error::new(step)
            .reason(error.to_string())
            .fix(format!("check that {} can be written", folder.display()))
    })
}
