//! The browsers of the page's tests: Chromium or Chrome, and Firefox for a few journeys.
//!
//! A missing browser is installed from the system's packages only.

use std::env;
use std::path::PathBuf;

use crate::report::{Error, Result};
use crate::setup::debian;
use crate::workspace::{Workspace, on_path};

const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const FIREFOXES: [&str; 2] = ["firefox", "firefox-esr"];
const MAC_BROWSERS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browser: `CHROMIUM`, one found by name, or Debian's.
pub fn chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        let missing = Error::new("looking for the browser")
            .reason(format!("CHROMIUM is `{}`, which does not exist", path.display()))
            .fix("unset CHROMIUM, or set it to the path of Chromium or Chrome");
        return path.is_file().then_some(path).ok_or(missing);
    }
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    debian::install(workspace, &["chromium"], "the browser of the page's tests")?;
    find_chromium().ok_or_else(|| {
        Error::new("installing the browser")
            .reason("the package is installed, but it has no program `chromium`")
            .fix("set CHROMIUM to the path of Chromium or Chrome")
    })
}

/// Firefox: `FIREFOX`, one found by name, or Debian's.
pub fn firefox(workspace: &Workspace) -> Result<PathBuf> {
    let named = env::var_os("FIREFOX").map(PathBuf::from).filter(|path| path.is_file());
    if let Some(found) = named.or_else(|| on_path(&FIREFOXES)) {
        return Ok(found);
    }
    debian::install(workspace, &["firefox-esr"], "the second browser of the page's tests")?;
    on_path(&FIREFOXES).ok_or_else(|| {
        Error::new("installing Firefox")
            .reason("the package is installed, but it has no program `firefox-esr`")
            .fix("set FIREFOX to the path of Firefox")
    })
}

fn find_chromium() -> Option<PathBuf> {
    on_path(&BROWSERS).or_else(|| MAC_BROWSERS.iter().map(PathBuf::from).find(|path| path.is_file()))
}
